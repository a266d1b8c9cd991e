// SPDX-License-Identifier: MIT
// Thermal expansion, docs/theory/peridynamics.md (23a): warmth stretches a bond at rest by the mean of what it does to
// both ends. Targets follow the mean stretch s of a particle whatever it is, so only the energy of e = sum w (|Y|/r -
// 1) has to know: it is that of e less the mean over the bonds.
#include "methods/peridynamics/peri_internal.h"

typedef struct warming {
    const phxi_peri_slot* slot;
    const phx_real* thermal; // of its particles
} warming;

static void warm_block(void* context, int begin, int end, int index) {
    const warming* c = context;
    const phxi_peri_slot* slot = c->slot;
    (void)index;
    for (int i = begin; i < end; ++i) {
        double own = (double)c->thermal[i], sum = 0, weight = 0;
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            double r = (double)slot->rest[k][3], w = (double)slot->near[k][3] * r * r;
            sum += w * (own + (double)c->thermal[slot->other[k]]) / 2;
            weight += w;
        }
        slot->thermal[i] = (phx_real)(weight > 0 ? sum / weight : own);
    }
}

phx_result phxi_peri_make_warmth(phxi_step* step, phxi_peri_slot* slot) {
    size_t room = (size_t)phxi_peri_blocks(slot) * PERI_BLOCK;
    if (step->bodies[slot->body].expands) {
        slot->thermal = phxi_alloc_zero(step->heap, room, sizeof *slot->thermal, "peridynamics");
    }
    return slot->thermal || !step->bodies[slot->body].expands ? PHX_OK : PHX_ERROR_MEMORY;
}

void phxi_peri_warm(phxi_step* step, const phxi_peri_slot* slot) {
    if (slot->thermal) {
        warming c = {slot, step->particles->thermal + slot->begin};
        phxi_parallel_for(step->pool, slot->count, PERI_BLOCK, warm_block, &c);
    }
}
