// SPDX-License-Identifier: MIT
#include "materials/laws.h"

#include "core/error.h"
#include "materials/drucker_prager.h"
#include "materials/expansion.h"
#include "materials/fluid.h"
#include "materials/snow.h"
#include "materials/softening.h"

uint32_t phxi_material_laws(const phx_material_def* def) {
    uint32_t laws = 0;
    laws |= def->yield > 0 ? PHXI_LAW_YIELD : 0;
    laws |= phxi_drucker_prager_is(def) ? PHXI_LAW_GRAINS : 0;
    laws |= phxi_snow_is(def) ? PHXI_LAW_SNOW : 0;
    laws |= phxi_fluid_melts(def) ? PHXI_LAW_MELT : phxi_fluid_is(def) ? PHXI_LAW_FLUID : 0;
    laws |= laws == 0 ? PHXI_LAW_ELASTIC : 0;
    laws |= def->strength > 0 ? PHXI_LAW_STRENGTH : 0;
    laws |= def->yield > 0 && def->ductile_strain > 0 ? PHXI_LAW_DUCTILE : 0;
    laws |= phxi_softens(def) ? PHXI_LAW_SOFTEN : 0;
    laws |= def->damping > 0 ? PHXI_LAW_DAMPING : 0;
    laws |= phxi_expands(def) ? PHXI_LAW_EXPAND : 0;
    return laws;
}

/// Key and what switches it off, in one place.
static const char* describe(const phx_material_def* def, uint32_t law, const char** off) {
    static const struct {
        const char *key, *off;
    } words[] = {{"elasticity", ""},
                 {"yield", "yield: 0"},
                 {"friction_angle", "friction_angle: 0"},
                 {"critical_compression", "critical_compression: 0"},
                 {"fluid", "fluid: false"},
                 {"solidus", "solidus: inf"},
                 {"strength", "strength: 0"},
                 {"ductile_strain", "ductile_strain: 0"},
                 {"soften_from", "soften_from: inf"},
                 {"damping", "damping: 0"},
                 {"expansion", "expansion: 0"},
                 {"cohesion", "cohesion: 0"},
                 {"viscosity", "viscosity: 0"},
                 {"flow", "flow: newtonian"}};
    enum { COHESION = PHXI_LAW_COUNT, VISCOSITY, FLOW };
    int k = 0;
    while (k + 1 < PHXI_LAW_COUNT && !(law & 1u << k)) {
        ++k;
    }
    if (law == PHXI_LAW_GRAINS && !(def->friction_angle > 0)) {
        k = COHESION;
    }
    if (law == PHXI_LAW_FLUID && !def->fluid) {
        k = def->viscosity > 0 ? VISCOSITY : FLOW;
    }
    *off = words[k].off;
    return words[k].key;
}

const char* phxi_law_key(const phx_material_def* def, uint32_t law) {
    const char* off;
    return describe(def, law, &off);
}

const char* phxi_law_off(const phx_material_def* def, uint32_t law) {
    const char* off;
    describe(def, law, &off);
    return off;
}

const char* phxi_law_given_by(uint32_t law) {
    switch (law) {
    case PHXI_LAW_GRAINS:
        return "a friction_angle or a cohesion";
    case PHXI_LAW_FLUID:
        return "a viscosity or fluid: true";
    default: { // the others have one key each
        const phx_material_def none = {.fluid = true, .friction_angle = 1};
        return phxi_law_key(&none, law);
    }
    }
}

phx_result phxi_material_check_laws(const phx_material_def* def) {
    const uint32_t ways = PHXI_LAW_YIELD | PHXI_LAW_GRAINS | PHXI_LAW_SNOW | PHXI_LAW_FLUID | PHXI_LAW_MELT;
    uint32_t laws = phxi_material_laws(def) & ways;
    uint32_t first = laws & (~laws + 1), rest = laws & ~first, second = rest & (~rest + 1);
    if (second) {
        return phxi_fail(
            PHX_ERROR_ARGUMENT, "%s and %s are two ways to flow, and no method has both: expected %s, or %s",
            phxi_law_key(def, first), phxi_law_key(def, second), phxi_law_off(def, first), phxi_law_off(def, second));
    }
    const uint32_t solid = PHXI_LAW_ELASTIC | PHXI_LAW_YIELD;
    uint32_t what = phxi_material_laws(def);
    if ((what & PHXI_LAW_EXPAND) && !(what & solid)) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "expansion is %g 1/K, which only solids have, that keep their shape or yield, and this has "
                         "%s; expected expansion: 0, or %s",
                         def->expansion, phxi_law_key(def, first), phxi_law_off(def, first));
    }
    return PHX_OK;
}
