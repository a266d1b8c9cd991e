// SPDX-License-Identifier: MIT
// What the samplers share: a list to fill, and cells with their inside fractions.
#pragma once

#include "core/array.h"
#include "geometry/clamp_surface.h"
#include "geometry/region.h"
#include "geometry/sample.h"

typedef struct phxi_sample {
    phx_vec3 position;
    double volume, spacing;
} phxi_sample;

typedef struct phxi_sample_list {
    phxi_heap* heap;
    PHXI_ARRAY(phxi_sample) items;
    phxi_clamp_surface clamp; // of what is going to be held, in the frame of the region
    phx_vec3* areas;          // one an item, of a sampler that knows them; NULL: none
    double* sizes;            // likewise
    double thickness;         // m, of half of the surface, as far as it was measured; 0: it was not
    double exact;             // m^3, of all that is inside, whether or not it became a particle
} phxi_sample_list;

phx_result phxi_sample_add(phxi_sample_list* list, phx_vec3 position, double volume, double spacing);

phx_result phxi_sample_uniform(phxi_region* region, const phx_body_def* def, phxi_sample_list* list);
phx_result phxi_sample_bcc(phxi_region* region, const phx_body_def* def, phxi_sample_list* list);
phx_result phxi_sample_octree(phxi_region* region, const phx_body_def* def, phxi_sample_list* list);
phx_result phxi_sample_vertices(phxi_region* region, const phx_body_def* def, phxi_sample_list* list);
phx_result phxi_sample_blue_noise(phxi_region* region, const phx_body_def* def, phxi_sample_list* list);
phx_result phxi_sample_conforming(phxi_region* region, const phx_body_def* def, phxi_sample_list* list);
bool phxi_conforming_is_sheet(const phxi_region* region, double spacing);
phx_result phxi_sample_points(phxi_region* region, const phx_body_def* def, phxi_sample_list* list);

/// Inside fractions of all cells of a grid, x fastest. Negative: given away to its face neighbours (sample_cells.c).
typedef struct phxi_cells {
    phxi_grid grid;
    float* fractions;
    double sum; // of the fractions, before any was given away or dropped
} phxi_cells;

phx_result phxi_cells_create(phxi_heap* heap, phxi_region* region, const phxi_grid* grid, phxi_cells* cells);
void phxi_cells_destroy(phxi_heap* heap, phxi_cells* cells);
/// Decides which cells give their volume away.
void phxi_cells_merge(phxi_cells* cells);
/// What the cell holds after that, in cells: its own and what it was given; 0 if it is no particle.
double phxi_cells_volume(const phxi_cells* cells, int i, int j, int k);
/// Makes the cells of a body, and lets `add` make particles of them.
phx_result phxi_sample_cells(phxi_region* region, const phx_body_def* def, phxi_sample_list* list,
                             phx_result (*add)(const phxi_cells* cells, phxi_sample_list* list));

static inline size_t phxi_cell_index(const phxi_grid* grid, int i, int j, int k) {
    return ((size_t)k * (size_t)grid->ny + (size_t)j) * (size_t)grid->nx + (size_t)i;
}
/// Outside of the grid: 0.
static inline float phxi_cells_at(const phxi_cells* cells, int i, int j, int k) {
    const phxi_grid* g = &cells->grid;
    bool in = i >= 0 && j >= 0 && k >= 0 && i < g->nx && j < g->ny && k < g->nz;
    return in ? cells->fractions[phxi_cell_index(g, i, j, k)] : 0;
}
