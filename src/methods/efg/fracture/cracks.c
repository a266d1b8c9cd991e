// SPDX-License-Identifier: MIT
// What others see of broken bodies: the surface asks for fragments and cut bonds, contact for distances and bonds,
// files for fields.
#include "methods/efg/fracture/fracture.h"

#include "math/decompose3.h"

#include <stdlib.h>

/// The slot of a body that has fracture, NULL: it cannot break.
static phxi_efg_slot* breaking_slot(const phxi_efg* efg, int body) {
    phxi_efg_slot* slot = phxi_efg_slot_of((phxi_efg*)efg, body);
    return slot->fracture ? slot : NULL;
}

// -------------------------------------------------------------------------------------------------------- surface

phx_result phxi_efg_reserve_cracks(phxi_efg_crack_stage* s) {
    phxi_efg_fracture* f = s->fracture;
    phxi_heap* heap = s->step->heap;
    if (f->bonds.capacity <= f->cut_capacity) {
        return PHX_OK;
    }
    size_t count = (size_t)f->bonds.capacity;
    phxi_efg_cut_bond* order = phxi_alloc(heap, count, sizeof *order, "efg fracture");
    int(*cut)[2] = phxi_alloc(heap, count, sizeof *cut, "efg fracture");
    phx_vec3* points = phxi_alloc(heap, count, sizeof *points, "efg fracture");
    phx_vec3* normals = phxi_alloc(heap, count, sizeof *normals, "efg fracture");
    bool made = order && cut && points && normals;
    phxi_free(heap, made ? f->order : order);
    phxi_free(heap, made ? (void*)f->cut : (void*)cut);
    phxi_free(heap, made ? f->plane_point : points);
    phxi_free(heap, made ? f->plane_normal : normals);
    if (!made) {
        return PHX_ERROR_MEMORY;
    }
    f->order = order, f->cut = cut, f->plane_point = points, f->plane_normal = normals;
    f->cut_capacity = f->bonds.capacity;
    f->listed = 0;
    return PHX_OK;
}

static int compare_cuts(const void* a, const void* b) {
    const phxi_efg_cut_bond *x = a, *y = b;
    return x->i != y->i ? (x->i > y->i) - (x->i < y->i) : (x->j > y->j) - (x->j < y->j);
}

static void list_cuts(phxi_efg_fracture* f) {
    int count = 0;
    for (int b = 0; b < f->bonds.count; ++b) {
        const phxi_efg_bond* bond = &f->bonds.items[b];
        if (bond->state == EFG_BOND_CUT) {
            f->order[count++] = (phxi_efg_cut_bond){bond->i, bond->j, bond->facet};
        }
    }
    qsort(f->order, (size_t)count, sizeof *f->order, compare_cuts);
    for (int k = 0; k < count; ++k) {
        const phxi_efg_cut_bond* cut = &f->order[k];
        const phxi_efg_facet* facet = cut->facet < 0 ? NULL : &f->facets.items[cut->facet];
        f->cut[k][0] = cut->i, f->cut[k][1] = cut->j;
        f->plane_point[k] = facet ? facet->center : (phx_vec3){0};
        f->plane_normal[k] = facet ? facet->normal : (phx_vec3){0};
    }
    f->cracks.cut_count = count;
}

const phxi_cracks* phxi_efg_cracks_of(const void* state, phxi_step* step, int body) {
    (void)step;
    phxi_efg_slot* slot = breaking_slot(state, body);
    if (!slot || slot->fracture->cuts == 0) {
        return NULL;
    }
    phxi_efg_fracture* f = slot->fracture;
    if (f->listed != f->version) {
        list_cuts(f);
        f->listed = f->version;
    }
    f->cracks.fragment_count = f->fragment_size.count;
    f->cracks.fragment = f->fragment;
    f->cracks.cut = (const int(*)[2])f->cut;
    f->cracks.plane_point = f->plane_point;
    f->cracks.plane_normal = f->plane_normal;
    return &f->cracks;
}

// -------------------------------------------------------------------------------------------------------- contact

const int* phxi_efg_fragments_of(const void* state, phxi_step* step, int body, int* count) {
    (void)step;
    const phxi_efg_slot* slot = breaking_slot(state, body);
    if (!slot || slot->fracture->cuts == 0) {
        return NULL;
    }
    *count = slot->fracture->fragment_size.count;
    return slot->fracture->fragment;
}

/// What contact sees of the bonds, kept in step with them.
static phx_result show_bonds(phxi_efg_fracture* f, phxi_heap* heap) {
    if (f->cuts == 0 || f->shown == f->version) {
        return PHX_OK;
    }
    if (f->cut_distance_count != f->pair_count) {
        phxi_free(heap, f->cut_distance);
        f->cut_distance_count = 0;
        PHXI_NEW(f->cut_distance, heap, f->pair_count, "efg fracture");
        f->cut_distance_count = f->pair_count;
    }
    for (int k = 0; k < f->pair_count; ++k) {
        f->cut_distance[k] = phxi_efg_pair_holds(f, k) ? -1 : (phx_real)f->bonds.items[f->bond[k]].distance;
    }
    f->shown = f->version;
    return PHX_OK;
}

phx_result phxi_efg_show_bonds(phxi_efg* efg, phxi_heap* heap) {
    for (int k = 0; k < efg->slots.count; ++k) {
        if (efg->slots.items[k].fracture) {
            PHXI_TRY(show_bonds(efg->slots.items[k].fracture, heap));
        }
    }
    return PHX_OK;
}

void phxi_efg_bonds(const void* state, const phxi_step* step, int body, phxi_bond_view* view) {
    const phxi_efg* efg = state;
    const phxi_efg_slot* slot = phxi_efg_slot_of((phxi_efg*)efg, body);
    const phxi_efg_fracture* f = slot->fracture; // NULL: the body does not break, but may touch itself
    (void)step;
    *view = (phxi_bond_view){.start = efg->start.items + slot->row,
                             .other = efg->offset.items,
                             .shift = sizeof(phxi_r4) == 16 ? 4 : 5,
                             .first = slot->row,
                             .cut_distance = f && f->cuts > 0 ? f->cut_distance : NULL,
                             .layer = f ? f->layer : 1,
                             .cuts = f ? (const int(*)[2])f->cut_log.items : NULL,
                             .cuts_from = f ? f->logged_from : 0,
                             .version = f && f->cuts > 0 ? f->version : 0};
}

// --------------------------------------------------------------------------------------------------------- fields

double phxi_efg_damage(const phxi_efg* efg, const phxi_efg_slot* slot, int i) {
    if (!slot->fracture || slot->fracture->scar[i] < 0) {
        return 0;
    }
    // broken ones may have left the row with a reset
    int row = slot->row + i, first = efg->start.items[slot->row], whole = 0;
    int broken = slot->fracture->scars.items[slot->fracture->scar[i]].broken;
    for (int k = efg->start.items[row]; k < efg->start.items[row + 1]; ++k) {
        whole += efg->offset.items[k] != row * (int)sizeof(phxi_r4) && slot->fracture->bond[k - first] < 0;
    }
    return (double)broken / (broken + whole > 0 ? broken + whole : 1);
}

double phxi_efg_principal_stress(const phxi_efg_local* at) {
    phxi_mat3 turned = phxi_mat3_transpose(&at->elastic), t = phxi_mat3_mul(&at->p, &turned), vectors;
    double value[3], det = phxi_mat3_det(&at->elastic);
    phxi_eigen_sym3(&(phxi_sym3){t.m[0][0], t.m[1][1], t.m[2][2], t.m[0][1], t.m[0][2], t.m[1][2]}, value, &vectors);
    return det > 0 ? value[0] / det : 0;
}
