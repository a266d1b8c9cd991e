// SPDX-License-Identifier: MIT
// A placed shape or mesh, as the samplers ask about it: how much of each cell of a grid is inside.
#pragma once

#include "geometry/inside.h"
#include "geometry/shape.h"

/// Cubes of one size.
typedef struct phxi_grid {
    phx_vec3 origin; // lowest corner
    double edge;     // m
    int nx, ny, nz;
} phxi_grid;

typedef struct phxi_region {
    phxi_heap* heap;
    phxi_shape* shape;    // or
    const phx_mesh* mesh; // the definition's, or `placed`
    phx_mesh* placed;     // scaled, rotated, moved; NULL if there was nothing to do
    phxi_inside* inside;
    phxi_box box;
    double volume; // m^3, of a closed mesh; 0: not known, the cells' sum is as good as it gets
    bool closed;
    uint8_t* marks; // scratch of one column
    int mark_count;
} phxi_region;

/// Reads mesh or shape, scale, rotate, translate of the definition. The definition must outlive the region.
phx_result phxi_region_create(phxi_heap* heap, const phx_body_def* def, phxi_region* region);
/// Takes rotations and shifts off the shape, phxi_shape_peel; a mesh has none.
void phxi_region_peel(phxi_region* region, phxi_mat3* turn, phx_vec3* shift);
/// Fine on a zeroed region.
void phxi_region_destroy(phxi_region* region);

/// A grid over the region's box. Where the box is a whole number of cells it starts at their boundary, otherwise it
/// is in the middle of them, so that a flat side never cuts off less than half a cell. At most 50 million cells.
phx_result phxi_region_grid(const phxi_region* region, double edge, phxi_grid* grid);

/// Halves the cells `levels` times; the same limit.
phx_result phxi_grid_refine(phxi_grid* grid, int levels);

/// The inside fraction of each cell of the row (j, k). Exactly 1 and 0 away from the surface.
/// Mesh: 4^3 points a cell. Shape: halving down to a quarter of a cell, 1/128 of the box and a quarter of its thinnest
/// side (unless that makes more than some million cubes), where the surface is taken for a plane: the sum is good
/// to 2e-4 of the volume (6e-5 for a sphere), and parts thinner than half a cell are overestimated.
phx_result phxi_region_fractions(phxi_region* region, const phxi_grid* grid, int j, int k, float* fractions);

/// Marks (1/0) the points (x0 + i dx, y, z), i < count.
phx_result phxi_region_marks(phxi_region* region, double x0, double dx, int count, double y, double z, uint8_t* marks);
