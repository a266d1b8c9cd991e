// SPDX-License-Identifier: MIT
#include "methods/efg/build/rest_grid.h"

#include <string.h>

static phx_vec3 rest_of(const phxi_particles* p, int k) {
    return phxi_vec3(p->rest_x[k], p->rest_y[k], p->rest_z[k]);
}

/// The cell of a point along one axis, within the grid.
static int cell_of(const phxi_rest_grid* g, double x, double low, int axis) {
    double c = floor((x - low) / g->cell);
    return c > 0 ? (c < g->cells[axis] - 1 ? (int)c : g->cells[axis] - 1) : 0;
}

static int index_of(const phxi_rest_grid* g, phx_vec3 x) {
    int i = cell_of(g, x.x, g->low.x, 0), j = cell_of(g, x.y, g->low.y, 1), k = cell_of(g, x.z, g->low.z, 2);
    return (k * g->cells[1] + j) * g->cells[0] + i;
}

/// Dimensions of the grid; false if it would have far more cells than particles.
static bool set_cells(phxi_rest_grid* g, phx_vec3 size, int count) {
    double n[3] = {floor(size.x / g->cell) + 1, floor(size.y / g->cell) + 1, floor(size.z / g->cell) + 1};
    if (!(n[0] * n[1] * n[2] < 16.0 * count + 64)) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        g->cells[k] = (int)n[k];
    }
    return true;
}

phx_result phxi_rest_grid_create(phxi_rest_grid* g, phxi_heap* heap, const phxi_particles* p, int begin, int count,
                                 double cell) {
    *g = (phxi_rest_grid){.cell = cell, .low = rest_of(p, begin)};
    phx_vec3 high = g->low;
    for (int k = begin; k < begin + count; ++k) {
        g->low = phxi_min(g->low, rest_of(p, k));
        high = phxi_max(high, rest_of(p, k));
    }
    while (!set_cells(g, phxi_sub(high, g->low), count)) {
        g->cell *= 2;
    }
    int cells = g->cells[0] * g->cells[1] * g->cells[2];
    PHXI_NEW(g->start, heap, cells + 1, "efg cracks");
    PHXI_NEW(g->items, heap, count, "efg cracks");
    memset(g->start, 0, ((size_t)cells + 1) * sizeof *g->start);
    for (int k = 0; k < count; ++k) {
        ++g->start[index_of(g, rest_of(p, begin + k)) + 1];
    }
    for (int c = 0; c < cells; ++c) {
        g->start[c + 1] += g->start[c];
    }
    // from the back, so that each start ends where it belongs
    for (int k = count - 1; k >= 0; --k) {
        g->items[--g->start[index_of(g, rest_of(p, begin + k)) + 1]] = k;
    }
    memmove(g->start, g->start + 1, (size_t)cells * sizeof *g->start);
    g->start[cells] = count;
    return PHX_OK;
}

void phxi_rest_grid_destroy(phxi_rest_grid* g, phxi_heap* heap) {
    phxi_free(heap, g->start);
    phxi_free(heap, g->items);
    g->start = g->items = NULL;
}

void phxi_rest_grid_visit(const phxi_rest_grid* g, phx_vec3 low, phx_vec3 high, bool (*visit)(void*, int),
                          void* context) {
    int i0 = cell_of(g, low.x, g->low.x, 0), i1 = cell_of(g, high.x, g->low.x, 0);
    int j0 = cell_of(g, low.y, g->low.y, 1), j1 = cell_of(g, high.y, g->low.y, 1);
    int k0 = cell_of(g, low.z, g->low.z, 2), k1 = cell_of(g, high.z, g->low.z, 2);
    for (int k = k0; k <= k1; ++k) {
        for (int j = j0; j <= j1; ++j) {
            const int* row = g->start + (k * g->cells[1] + j) * g->cells[0];
            for (int n = row[i0]; n < row[i1 + 1]; ++n) {
                if (!visit(context, g->items[n])) {
                    return;
                }
            }
        }
    }
}
