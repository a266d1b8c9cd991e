// SPDX-License-Identifier: MIT
// Particles of a body by where they rest: a fixed grid of cells, made once.
#pragma once

#include "core/heap.h"
#include "particles/particles.h"

typedef struct phxi_rest_grid {
    double cell; // m
    phx_vec3 low;
    int cells[3];
    int* start; // one more than cells
    int* items; // particles, from the first of the body, ascending in each cell
} phxi_rest_grid;

/// Cells of this width, or wider where the body is so scattered that memory would be wasted.
phx_result phxi_rest_grid_create(phxi_rest_grid* grid, phxi_heap* heap, const phxi_particles* particles, int begin,
                                 int count, double cell);
void phxi_rest_grid_destroy(phxi_rest_grid* grid, phxi_heap* heap);

/// Calls `visit` with the particles of all cells that overlap a box, in order, until it returns false.
void phxi_rest_grid_visit(const phxi_rest_grid* grid, phx_vec3 low, phx_vec3 high, bool (*visit)(void*, int),
                          void* context);
