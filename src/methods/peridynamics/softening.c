// SPDX-License-Identifier: MIT
#include "methods/peridynamics/softening.h"

#include "materials/softening.h"

void phxi_peri_soften_particle(phxi_peri_slot* slot, int i) {
    if (slot->stiff) {
        phxi_peri_rest* rest = &slot->constants[i / PERI_BLOCK];
        rest->dev[i % PERI_BLOCK] *= slot->stiff[i];
        rest->iso[i % PERI_BLOCK] *= slot->stiff[i];
    }
}

phx_result phxi_peri_soften(phxi_step* step, phxi_peri_slot* slot) {
    const phx_material_def* material = &step->bodies[slot->body].material;
    if (!phxi_softens(material)) {
        return PHX_OK;
    }
    bool first = !slot->stiff, changed = first;
    if (first) {
        PHXI_NEW(slot->stiff, step->heap, slot->count, "peridynamics");
    }
    for (int i = 0; i < slot->count; ++i) {
        double temperature = (double)step->particles->temperature[slot->begin + i];
        phx_real stiff = (phx_real)phxi_stiffness_factor(material, temperature);
        if (!first && stiff == slot->stiff[i]) {
            continue;
        }
        phxi_peri_rest* rest = &slot->constants[i / PERI_BLOCK];
        int lane = i % PERI_BLOCK;
        phxi_peri_moduli moduli = phxi_peri_moduli_of(material, slot->params.model, (int)rest->rank[lane]);
        rest->dev[lane] = (phx_real)moduli.dev, rest->iso[lane] = (phx_real)moduli.iso;
        slot->stiff[i] = stiff;
        phxi_peri_soften_particle(slot, i);
        changed = true;
    }
    if (changed && !slot->flow) {
        slot->kappa = 0;
        phxi_peri_set_links(slot, step->particles);
    }
    if (changed && slot->thin) {
        phxi_peri_renew_thin(step, slot);
    }
    if (changed && slot->pack) {
        phxi_peri_fill_pack(slot);
    }
    if (changed && slot->implicit) {
        phxi_implicit_rebuild(slot->implicit);
    }
    return PHX_OK;
}
