// SPDX-License-Identifier: MIT
// Octree (Pauly et al. 2005): cells of `spacing`, halved up to `levels` times where the surface is, and elsewhere as
// far as needed for neighbours (by face, edge or corner) to differ by one halving at most.
//
// The inside fractions are taken once, on the finest cells. Above them lies a pyramid, one byte a cell and level: how
// much is inside, and whether the cell is split. Balancing goes once from fine to coarse: a split cell asks that its
// neighbours of the same size exist, that is, that their parents are split, which may ask the same one level up.
#include "geometry/sample_internal.h"

#include <string.h>

enum { EMPTY = 0, MIXED = 1, FULL = 2, FILLING = 3, SPLIT = 4 };

typedef struct level {
    uint8_t* state; // filling, and SPLIT
    phxi_grid grid;
} level;

typedef struct octree {
    level levels[PHXI_MAX_LEVELS + 1]; // 0 is the coarsest
    int finest;
} octree;

static uint8_t* state_at(const level* l, int i, int j, int k) {
    const phxi_grid* g = &l->grid;
    bool in = i >= 0 && j >= 0 && k >= 0 && i < g->nx && j < g->ny && k < g->nz;
    return in ? &l->state[phxi_cell_index(g, i, j, k)] : NULL;
}

static int filling(const level* l, int i, int j, int k) {
    const uint8_t* state = state_at(l, i, j, k);
    return state ? *state & FILLING : EMPTY;
}

/// Visits every cell of a level.
typedef void visitor(octree* tree, int l, int i, int j, int k);
static void for_cells(octree* tree, int l, visitor* visit) {
    const phxi_grid* g = &tree->levels[l].grid;
    for (int k = 0; k < g->nz; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            for (int i = 0; i < g->nx; ++i) {
                visit(tree, l, i, j, k);
            }
        }
    }
}

/// Filling from the eight children.
static void fill_cell(octree* tree, int l, int i, int j, int k) {
    int first = filling(&tree->levels[l + 1], 2 * i, 2 * j, 2 * k), all = first;
    for (int c = 1; c < 8; ++c) {
        if (filling(&tree->levels[l + 1], 2 * i + (c & 1), 2 * j + (c >> 1 & 1), 2 * k + (c >> 2)) != first) {
            all = MIXED;
        }
    }
    *state_at(&tree->levels[l], i, j, k) = (uint8_t)all;
}

/// The surface is in the cell, or is one of its sides.
static void split_at_surface(octree* tree, int l, int i, int j, int k) {
    const level* here = &tree->levels[l];
    uint8_t* state = state_at(here, i, j, k);
    bool surface = (*state & FILLING) == MIXED;
    if ((*state & FILLING) == FULL) {
        surface = !filling(here, i - 1, j, k) || !filling(here, i + 1, j, k) || !filling(here, i, j - 1, k) ||
                  !filling(here, i, j + 1, k) || !filling(here, i, j, k - 1) || !filling(here, i, j, k + 1);
    }
    if (surface) {
        *state |= SPLIT;
    }
}

static void split_around(octree* tree, int l, int i, int j, int k) {
    if (!(*state_at(&tree->levels[l], i, j, k) & SPLIT)) {
        return;
    }
    for (int n = 0; n < 27; ++n) {
        int x = i + n % 3 - 1, y = j + n / 3 % 3 - 1, z = k + n / 9 - 1;
        uint8_t* parent = state_at(&tree->levels[l - 1], x >> 1, y >> 1, z >> 1);
        if (parent) {
            *parent |= SPLIT;
        }
    }
}

static phx_result create(phxi_heap* heap, const phxi_cells* cells, int finest, octree* tree) {
    tree->finest = finest;
    for (int l = finest; l >= 0; --l) {
        level* here = &tree->levels[l];
        int shift = finest - l;
        here->grid = (phxi_grid){cells->grid.origin, ldexp(cells->grid.edge, shift), cells->grid.nx >> shift,
                                 cells->grid.ny >> shift, cells->grid.nz >> shift};
        size_t count = (size_t)here->grid.nx * (size_t)here->grid.ny * (size_t)here->grid.nz;
        PHXI_NEW(here->state, heap, count, "octree");
        if (l == finest) {
            for (size_t c = 0; c < count; ++c) {
                float f = cells->fractions[c];
                here->state[c] = f <= 0 ? EMPTY : f < 1 ? MIXED : FULL;
            }
        } else {
            for_cells(tree, l, fill_cell);
        }
    }
    for (int l = 0; l < finest; ++l) {
        for_cells(tree, l, split_at_surface);
    }
    for (int l = finest - 1; l > 0; --l) {
        for_cells(tree, l, split_around);
    }
    return PHX_OK;
}

static void destroy(phxi_heap* heap, octree* tree) {
    for (int l = 0; l <= PHXI_MAX_LEVELS; ++l) {
        phxi_free(heap, tree->levels[l].state);
    }
}

/// A leaf becomes a particle with all that its finest cells hold; a split cell leaves it to its children.
static phx_result add_cell(const octree* tree, int l, const int at[3], const phxi_cells* cells,
                           phxi_sample_list* list) {
    const level* here = &tree->levels[l];
    uint8_t state = *state_at(here, at[0], at[1], at[2]);
    if (state & SPLIT) {
        for (int c = 0; c < 8; ++c) {
            const int child[3] = {2 * at[0] + (c & 1), 2 * at[1] + (c >> 1 & 1), 2 * at[2] + (c >> 2)};
            PHXI_TRY(add_cell(tree, l + 1, child, cells, list));
        }
        return PHX_OK;
    }
    if (state == EMPTY) {
        return PHX_OK;
    }
    int shift = tree->finest - l, width = 1 << shift;
    double volume = 0, fine = cells->grid.edge;
    for (int c = 0; c < width * width * width; ++c) {
        volume += phxi_cells_volume(cells, (at[0] << shift) + c % width, (at[1] << shift) + c / width % width,
                                    (at[2] << shift) + c / (width * width));
    }
    double edge = here->grid.edge;
    phx_vec3 center = phxi_add_scaled(here->grid.origin, edge, phxi_vec3(at[0] + 0.5, at[1] + 0.5, at[2] + 0.5));
    return volume > 0 ? phxi_sample_add(list, center, volume * (fine * fine * fine), edge) : PHX_OK;
}

static phx_result add_leaves(const octree* tree, const phxi_cells* cells, phxi_sample_list* list) {
    const phxi_grid* g = &tree->levels[0].grid;
    for (int k = 0; k < g->nz; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            for (int i = 0; i < g->nx; ++i) {
                PHXI_TRY(add_cell(tree, 0, (const int[3]){i, j, k}, cells, list));
            }
        }
    }
    list->exact = cells->sum * (cells->grid.edge * cells->grid.edge * cells->grid.edge);
    return PHX_OK;
}

phx_result phxi_sample_octree(phxi_region* region, const phx_body_def* def, phxi_sample_list* list) {
    phxi_grid grid;
    phxi_cells cells;
    PHXI_TRY(phxi_region_grid(region, def->spacing, &grid));
    PHXI_TRY(phxi_grid_refine(&grid, def->levels));
    PHXI_TRY(phxi_cells_create(list->heap, region, &grid, &cells));
    octree tree = {0};
    phx_result result = create(list->heap, &cells, def->levels, &tree);
    if (result == PHX_OK) {
        phxi_cells_merge(&cells); // only now: what is full or empty is a matter of the body alone
        result = add_leaves(&tree, &cells, list);
    }
    destroy(list->heap, &tree);
    phxi_cells_destroy(list->heap, &cells);
    return result;
}
