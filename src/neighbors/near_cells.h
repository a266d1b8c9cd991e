// SPDX-License-Identifier: MIT
// The cells of phxi_near: the order of its places, and its lists by the engine `grid`. For near*.c alone.
#pragma once

#include "neighbors/engine.h"
#include "neighbors/near.h"

/// Places within reach of each other: the one test of all engines, in state precision. Wide loops do the same
/// operations in the same order.
static inline bool phxi_near_within(const phxi_near* near, int i, int j) {
    phx_real x[3] = {near->x[i] - near->x[j], near->y[i] - near->y[j], near->z[i] - near->z[j]};
    for (int a = 0; a < 3; ++a) {
        x[a] = phxi_near_image(near, a, x[a]);
    }
    phx_real limit = (phx_real)0.5 * (near->list_radius[i] + near->list_radius[j]);
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < limit * limit;
}

/// A box of cells, in rows along x.
typedef struct phxi_near_cells {
    double low[3];     // m
    double inverse[3]; // cells a metre
    int64_t size[3];   // cells
    int divided;       // cells along x within one reach
    bool fine;         // cells are so small that lists come of them; else only an order
    phxi_room start;   // int by cell: first place; one more at the end
    phxi_room bucket;  // int by source, the particles that take part in the order of the ranges
    phxi_room source;  // int by place
    phxi_room cell;    // int by place
    phxi_room
        ignores_own_kind;    // uint64_t by word of 64 places: bits of those that ignore their own kind; one word more
    phxi_room listed_by_all; // int by place: how many before it do not; one more at the end
    phxi_staging masks;
    struct phxi_near_bits* bits;
} phxi_near_cells;

void phxi_near_cells_destroy(phxi_near* near);
/// Cells for `count` particles in these bounds, none with a list radius above `list_radius`.
void phxi_near_cells_fit(phxi_near* near, int count, const double low[3], const double high[3], double list_radius);
/// The cell at wrapped coordinates; those outside of the box belong to a cell on its border.
static inline int phxi_near_cell_at(const phxi_near_cells* c, double x, double y, double z) {
    const double at[3] = {x, y, z};
    int64_t cell = 0;
    for (int a = 2; a >= 0; --a) {
        double k = (at[a] - c->low[a]) * c->inverse[a], last = (double)(c->size[a] - 1);
        k = k > 0 ? k : 0;
        cell = cell * c->size[a] + (int64_t)(k < last ? k : last);
    }
    return (int)cell;
}
/// Sources sorted by their cells, stably: `source` and `cell` by place, from `bucket`.
phx_result phxi_near_cells_sort(phxi_near* near, int count);
/// The lists, from fine cells. `equal`: all see equally far.
phx_result phxi_near_cells_lists(phxi_near* near, phxi_pool* pool, bool equal);
