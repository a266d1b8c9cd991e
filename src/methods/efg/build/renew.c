// SPDX-License-Identifier: MIT
// Rows of bodies that flow or split, kept in step with their particles. Rows are functions of reference positions,
// spacings, volumes and parameters, in the order of the particles, and of nothing else: after a restart, or when a
// state is taken back, they are made from these with the same bits. A hash tells whether they still belong to them.
#include "methods/efg/efg_internal.h"

#include "core/hash.h"

static uint64_t hash_of(const phxi_efg_slot* slot, const phxi_particles* p) {
    const phx_real* const fields[5] = {phxi_efg_reference(slot, p, 0), phxi_efg_reference(slot, p, 1),
                                       phxi_efg_reference(slot, p, 2), p->spacing, p->volume};
    uint64_t hash = (uint64_t)slot->count;
    for (int k = 0; k < 5; ++k) {
        hash = phxi_hash_bytes(fields[k] + slot->begin, (size_t)slot->count * sizeof(phx_real), hash);
    }
    return hash;
}

static bool changes(const phxi_efg_slot* slot) {
    return slot->params.adaptive || slot->plastic.yield > 0;
}

void phxi_efg_rows_added(phxi_efg* efg, phxi_step* step, int index) {
    phxi_efg_slot* slot = &efg->slots.items[index];
    slot->built_from = changes(slot) ? hash_of(slot, step->particles) : 0;
}

phx_result phxi_efg_renew_rows(phxi_efg* efg, phxi_step* step, int index) {
    PHXI_TRY(phxi_efg_rebuild_rows(efg, step, index));
    phxi_efg_slot* slot = &efg->slots.items[index];
    phxi_efg_implicit_destroy(slot, step->heap); // rebuilt by the next implicit step
    slot->stale = false;
    slot->built_from = hash_of(slot, step->particles);
    return PHX_OK;
}

phx_result phxi_efg_catch_up(phxi_efg* efg, phxi_step* step) {
    for (int k = 0; k < efg->slots.count; ++k) {
        if (efg->slots.items[k].stale) {
            PHXI_TRY(phxi_efg_renew_rows(efg, step, k));
        }
    }
    return PHX_OK;
}

phx_result phxi_efg_rows_restored(phxi_efg* efg, phxi_step* step) {
    for (int k = 0; k < efg->slots.count; ++k) {
        phxi_efg_slot* slot = &efg->slots.items[k];
        slot->stale = changes(slot) && (slot->count != step->bodies[slot->body].count ||
                                        slot->built_from != hash_of(slot, step->particles));
    }
    return phxi_efg_catch_up(efg, step);
}
