// SPDX-License-Identifier: MIT
// Constants of bodies whose bonds change: they yield, find other neighbours, or break. All follows from slot->start,
// other and rest, in whatever order of events these came about: so a body goes on from a checkpoint as it was.
#include "methods/peridynamics/thin.h"

#include "methods/peridynamics/softening.h"

static const char* const label = "peridynamics";

void phxi_peri_positions(phxi_step* step, const phxi_peri_slot* slot, phx_vec3* x) {
    const phxi_particles* p = step->particles;
    for (int i = 0; i < slot->count; ++i) {
        int k = slot->begin + i;
        x[i] = phxi_particles_place(p, k);
    }
}

void phxi_peri_renew_particle(phxi_step* step, phxi_peri_slot* slot, int i) {
    phx_vec3 bonds[PERI_MOST_BONDS];
    double weights[PERI_MOST_BONDS];
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        bonds[k - slot->start[i]] = phxi_vec3(slot->rest[k][0], slot->rest[k][1], slot->rest[k][2]);
    }
    phxi_peri_set_particle(slot, step->particles, &step->bodies[slot->body].material, i, bonds, weights);
    phxi_peri_soften_particle(slot, i);
}

typedef struct renewing {
    phxi_step* step;
    phxi_peri_slot* slot;
} renewing;

static void renew_block(void* context, int begin, int end, int index) {
    (void)index;
    const renewing* c = context;
    for (int i = begin; i < end; ++i) {
        phxi_peri_renew_particle(c->step, c->slot, i);
    }
}

/// Arrays by bond that nothing is to be kept of.
static phx_result reserve(phxi_heap* heap, phxi_peri_slot* slot) {
    if (slot->bond_count <= slot->bond_capacity) {
        return PHX_OK;
    }
    int capacity = slot->bond_count + slot->bond_count / 4;
    phxi_free(heap, slot->mirror);
    phxi_free(heap, slot->near);
    phxi_free(heap, slot->far);
    phxi_free(heap, slot->link);
    phxi_free(heap, slot->shrink);
    slot->mirror = NULL, slot->near = slot->far = NULL, slot->link = slot->shrink = NULL;
    slot->bond_capacity = 0;
    PHXI_NEW(slot->mirror, heap, capacity, label);
    PHXI_NEW(slot->near, heap, capacity, label);
    PHXI_NEW(slot->far, heap, capacity, label);
    PHXI_NEW(slot->link, heap, capacity, label);
    PHXI_NEW(slot->shrink, heap, capacity, label);
    slot->bond_capacity = capacity;
    return PHX_OK;
}

phx_result phxi_peri_renew(phxi_step* step, phxi_peri_slot* slot) {
    PHXI_TRY(reserve(step->heap, slot));
    int* next = phxi_arena_take(step->arena, (size_t)slot->count, sizeof *next);
    if (!next) {
        return PHX_ERROR_MEMORY;
    }
    phxi_peri_find_mirrors(slot, next);
    renewing c = {step, slot};
    phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, renew_block, &c);
    if (!slot->flow) {
        slot->kappa = 0;
        phxi_peri_set_links(slot, step->particles);
    }
    if (slot->thin) {
        phxi_peri_renew_thin(step, slot);
    }
    if (slot->pack) {
        phxi_peri_fill_pack(slot);
    }
    if (slot->implicit) {
        phxi_implicit_rebuild(slot->implicit);
    }
    return PHX_OK;
}
