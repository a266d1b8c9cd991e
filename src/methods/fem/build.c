// SPDX-License-Identifier: MIT
// From nodes on a lattice to the cells between them, docs/theory/fem.md (3).
#include "methods/fem/fem_internal.h"

#include <stdlib.h>
#include <string.h>

static const char label[] = "fem";

/// A node by where it stands on the lattice, for finding it.
typedef struct place {
    int at[3], node;
} place;

typedef struct places {
    place* items;
    int count;
} places;

void phxi_fem_release(phxi_heap* heap, phxi_fem_slot* slot) {
    void* const all[] = {slot->corner, slot->around, slot->volume,     slot->u,
                         slot->forces, slot->found,  slot->bond_start, slot->bond_other};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        phxi_free(heap, all[k]);
    }
}

// -------------------------------------------------------------------------------------------------------------- nodes

static int compare_places(const void* left, const void* right) {
    const place *a = left, *b = right;
    for (int k = 2; k >= 0; --k) {
        if (a->at[k] != b->at[k]) {
            return a->at[k] < b->at[k] ? -1 : 1;
        }
    }
    return 0;
}

/// Where nodes stand, counted in edges from the first.
static phx_result find_places(const phxi_step* step, const phxi_fem_slot* slot, places* found) {
    const phxi_particles* p = step->particles;
    for (int i = 0; i < slot->count; ++i) {
        int k = slot->begin + i, first = slot->begin;
        const double away[3] = {(double)p->rest_x[k] - (double)p->rest_x[first],
                                (double)p->rest_y[k] - (double)p->rest_y[first],
                                (double)p->rest_z[k] - (double)p->rest_z[first]};
        found->items[i].node = i;
        bool fits = fabs((double)p->spacing[k] - slot->edge) < 1e-3 * slot->edge;
        for (int a = 0; a < 3; ++a) {
            double steps = nearbyint(away[a] / slot->edge);
            found->items[i].at[a] = (int)steps;
            fits = fits && fabs(away[a] - steps * slot->edge) < 0.01 * slot->edge;
        }
        if (!fits) {
            return phxi_fail(PHX_ERROR_UNSUPPORTED,
                             "particle %d is not on a cubic lattice, which finite elements need: expected sampling "
                             "uniform or vertices, without jitter",
                             i);
        }
    }
    found->count = slot->count;
    qsort(found->items, (size_t)found->count, sizeof *found->items, compare_places);
    return PHX_OK;
}

static int node_at(const places* all, const int at[3]) {
    place wanted = {{at[0], at[1], at[2]}, 0};
    const place* found = bsearch(&wanted, all->items, (size_t)all->count, sizeof *all->items, compare_places);
    return found ? found->node : -1;
}

// -------------------------------------------------------------------------------------------------------------- cells

/// Cells whose eight corners are there, in the order of their first ones.
static void find_cells(const places* all, phxi_fem_slot* slot) {
    memset(slot->around, 0xff, (size_t)slot->count * sizeof *slot->around);
    slot->cell_count = 0;
    for (int n = 0; n < all->count; ++n) {
        int corner[FEM_CORNERS];
        bool whole = true;
        for (int k = 0; k < FEM_CORNERS && whole; ++k) {
            const int* from = all->items[n].at;
            corner[k] = node_at(all, (int[3]){from[0] + (k & 1), from[1] + (k >> 1 & 1), from[2] + (k >> 2 & 1)});
            whole = corner[k] >= 0;
        }
        if (whole) {
            memcpy(slot->corner[slot->cell_count], corner, sizeof corner);
            for (int k = 0; k < FEM_CORNERS; ++k) {
                slot->around[corner[k]][k] = slot->cell_count;
            }
            ++slot->cell_count;
        }
    }
}

/// Nodes give equal shares of what they hold to the cells around, so that bodies that cut cells have their volume.
static phx_result share_volumes(const phxi_step* step, phxi_fem_slot* slot) {
    memset(slot->volume, 0, (size_t)phxi_fem_cell_blocks(slot) * FEM_CELLS * sizeof *slot->volume);
    for (int i = 0; i < slot->count; ++i) {
        int cells = 0;
        for (int k = 0; k < FEM_CORNERS; ++k) {
            cells += slot->around[i][k] >= 0;
        }
        if (cells == 0) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "particle %d is no corner of a whole cell of eight: the body is too thin for its spacing "
                             "of %g m",
                             i, slot->edge);
        }
        for (int k = 0; k < FEM_CORNERS; ++k) {
            if (slot->around[i][k] >= 0) {
                slot->volume[slot->around[i][k]] += step->particles->volume[slot->begin + i] / (phx_real)cells;
            }
        }
    }
    return PHX_OK;
}

static phx_result make_cells(phxi_step* step, phxi_fem_slot* slot) {
    size_t count = (size_t)slot->count, most = (size_t)phxi_block_count(slot->count, FEM_CELLS) * FEM_CELLS;
    places all = {phxi_alloc(step->heap, count, sizeof *all.items, label), 0};
    slot->corner = phxi_alloc(step->heap, count, sizeof *slot->corner, label); // no more cells than nodes
    slot->around = phxi_alloc(step->heap, count, sizeof *slot->around, label);
    slot->volume = phxi_alloc(step->heap, most, sizeof *slot->volume, label);
    phx_result result = all.items && slot->corner && slot->around && slot->volume ? PHX_OK : PHX_ERROR_MEMORY;
    if (result == PHX_OK) {
        result = find_places(step, slot, &all);
    }
    if (result == PHX_OK) {
        find_cells(&all, slot);
        result = share_volumes(step, slot);
    }
    phxi_free(step->heap, all.items);
    return result;
}

static phx_result make_room(phxi_step* step, phxi_fem_slot* slot) {
    size_t cells = (size_t)phxi_fem_cell_blocks(slot), nodes = (size_t)phxi_fem_node_blocks(slot);
    slot->u = phxi_alloc_zero(step->heap, (size_t)slot->count, sizeof *slot->u, label);
    slot->forces = phxi_alloc_zero(step->heap, cells, sizeof *slot->forces, label);
    slot->found = phxi_alloc_zero(step->heap, cells > nodes ? cells : nodes, sizeof *slot->found, label);
    return slot->u && slot->forces && slot->found ? PHX_OK : PHX_ERROR_MEMORY;
}

/// Nodes are bonded to those of the cells around them; each of these has it in a cell, too.
static int nodes_around(const phxi_fem_slot* slot, int own, int neighbors[FEM_NEIGHBORS]) {
    int count = 0;
    for (int k = 0; k < FEM_CORNERS; ++k) {
        int cell = slot->around[own][k];
        for (int m = 0; cell >= 0 && m < FEM_CORNERS; ++m) {
            int other = slot->corner[cell][m];
            bool known = other == own;
            for (int n = 0; n < count && !known; ++n) {
                known = neighbors[n] == other;
            }
            if (!known) {
                neighbors[count++] = other;
            }
        }
    }
    return count;
}

static phx_result list_bonds(phxi_heap* heap, phxi_fem_slot* slot) {
    int neighbors[FEM_NEIGHBORS], entries = 0;
    PHXI_NEW(slot->bond_start, heap, slot->count + 1, label);
    for (int i = 0; i < slot->count; ++i) {
        slot->bond_start[i] = entries;
        entries += nodes_around(slot, i, neighbors);
    }
    slot->bond_start[slot->count] = entries;
    PHXI_NEW(slot->bond_other, heap, entries + 1, label);
    for (int i = 0; i < slot->count; ++i) {
        nodes_around(slot, i, slot->bond_other + slot->bond_start[i]);
    }
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------- step

/// A node's volume over that of the cells around it: the share of each cell's mass that stands at this corner, (5).
static double share_of_node(const phxi_step* step, const phxi_fem_slot* slot, int node) {
    double around = 0;
    for (int k = 0; k < FEM_CORNERS; ++k) {
        around += slot->around[node][k] >= 0 ? (double)slot->volume[slot->around[node][k]] : 0;
    }
    return (double)step->particles->volume[slot->begin + node] / around;
}

/// In whole cells each corner has an eighth. Where the body's surface cuts cells, light corners swing faster.
static double stiffest_cell(const phxi_step* step, const phxi_fem_slot* slot, const phxi_elastic* elastic) {
    phxi_fem_matrix matrix;
    phxi_fem_element_matrix(&slot->element, elastic, &matrix);
    double share[FEM_CORNERS];
    for (int k = 0; k < FEM_CORNERS; ++k) {
        share[k] = 1.0 / FEM_CORNERS;
    }
    const double whole = phxi_fem_element_stiffness(&matrix, share);
    double most = whole;
    for (int cell = 0; cell < slot->cell_count; ++cell) {
        double least = 1;
        for (int k = 0; k < FEM_CORNERS; ++k) {
            share[k] = share_of_node(step, slot, slot->corner[cell][k]);
            least = fmin(least, share[k]);
        }
        if (whole / (FEM_CORNERS * least) > most * (1 + 1e-5)) { // else not even if all were as light
            most = fmax(most, phxi_fem_element_stiffness(&matrix, share));
        }
    }
    return most;
}

phx_result phxi_fem_build(phxi_step* step, int index, phxi_fem_slot* slot) {
    const phxi_body* body = &step->bodies[index];
    const phxi_particles* p = step->particles;
    *slot = (phxi_fem_slot){.body = index, .begin = body->begin, .count = body->count};
    slot->params = *(const phxi_fem_params*)body->params;
    PHXI_TRY(phxi_curve_sort(step->particles, body->begin, body->count));
    slot->edge = (double)p->spacing[slot->begin];
    phxi_fem_element_make(slot->params.element, &slot->element);
    phx_result result = make_cells(step, slot);
    if (result == PHX_OK) {
        result = make_room(step, slot);
    }
    if (result == PHX_OK) {
        result = list_bonds(step->heap, slot);
    }
    if (result != PHX_OK) {
        phxi_fem_release(step->heap, slot);
        return result;
    }
    slot->rest_dt = 2 * slot->edge * sqrt(body->material.density / stiffest_cell(step, slot, &body->elastic));
    phxi_frame_rest_body(p, slot->begin, slot->count, &slot->base, &slot->frame);
    return PHX_OK;
}
