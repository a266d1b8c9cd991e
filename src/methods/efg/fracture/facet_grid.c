// SPDX-License-Identifier: MIT
// Where facets are: a hash grid of their centres with chains, cells of three spacings.
#include "methods/efg/fracture/fracture.h"

#include "core/hash.h"

#include <string.h>

static uint64_t hash_cell(int64_t x, int64_t y, int64_t z) {
    return phxi_hash_pair(phxi_hash_pair((uint64_t)x, (uint64_t)y), (uint64_t)z);
}

static int64_t cell_of(double x, double cell) {
    double at = floor(x / cell);
    return at > -1e15 && at < 1e15 ? (int64_t)at : 0;
}

static int* head_at(const phxi_efg_facet_grid* grid, phx_vec3 x, int dx, int dy, int dz) {
    uint64_t hash =
        hash_cell(cell_of(x.x, grid->cell) + dx, cell_of(x.y, grid->cell) + dy, cell_of(x.z, grid->cell) + dz);
    return &grid->head.items[hash & (uint64_t)(grid->head.count - 1)];
}

static void chain(phxi_efg_fracture* f, int facet) {
    int* head = head_at(&f->grid, f->facets.items[facet].center, 0, 0, 0);
    f->grid.next.items[facet] = *head;
    *head = facet;
}

phx_result phxi_efg_index_facets(phxi_efg_fracture* f, phxi_heap* heap) {
    phxi_efg_facet_grid* grid = &f->grid;
    int heads = 64;
    while (heads < 2 * f->facets.capacity) {
        heads *= 2;
    }
    grid->head.count = grid->next.count = 0;
    if (!phxi_array_reserve(&grid->head, heads, heap, "efg fracture") ||
        !phxi_array_reserve(&grid->next, f->facets.capacity, heap, "efg fracture")) {
        return PHX_ERROR_MEMORY;
    }
    grid->head.count = heads;
    grid->next.count = f->facets.capacity;
    memset(grid->head.items, -1, (size_t)heads * sizeof(int));
    for (int k = 0; k < f->facets.count; ++k) {
        chain(f, k);
    }
    return PHX_OK;
}

phx_result phxi_efg_add_facet(phxi_efg_crack_stage* s, const phxi_efg_facet* facet) {
    phxi_efg_fracture* f = s->fracture;
    int capacity = f->facets.capacity;
    phxi_efg_facet* slot = phxi_array_add(&f->facets, s->step->heap, "efg fracture");
    if (!slot) {
        return PHX_ERROR_MEMORY;
    }
    *slot = *facet;
    if (f->facets.capacity != capacity) {
        return phxi_efg_index_facets(f, s->step->heap);
    }
    chain(f, f->facets.count - 1);
    return PHX_OK;
}

int phxi_efg_near_facets(const phxi_efg_fracture* f, phx_vec3 x, double radius, int* found, int capacity) {
    int count = 0;
    for (int cell = 0; cell < 27 && f->facets.count > 0; ++cell) {
        int dx = cell % 3 - 1, dy = cell / 3 % 3 - 1, dz = cell / 9 - 1;
        for (int k = *head_at(&f->grid, x, dx, dy, dz); k >= 0; k = f->grid.next.items[k]) {
            const phxi_efg_facet* facet = &f->facets.items[k];
            bool here = cell_of(facet->center.x, f->grid.cell) == cell_of(x.x, f->grid.cell) + dx &&
                        cell_of(facet->center.y, f->grid.cell) == cell_of(x.y, f->grid.cell) + dy &&
                        cell_of(facet->center.z, f->grid.cell) == cell_of(x.z, f->grid.cell) + dz;
            if (!here || !(phxi_distance(facet->center, x) < radius)) {
                continue;
            }
            // the lowest numbers, in order
            int at = count < capacity ? count++ : capacity;
            for (; at > 0 && found[at - 1] > k; --at) {
                if (at < capacity) {
                    found[at] = found[at - 1];
                }
            }
            if (at < capacity) {
                found[at] = k;
            }
        }
    }
    return count;
}
