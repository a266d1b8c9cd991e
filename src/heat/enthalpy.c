// SPDX-License-Identifier: MIT
#include "heat/enthalpy.h"

phxi_heat_law phxi_heat_law_of(const phx_material_def* material) {
    double c = material->heat_capacity, span = material->liquidus - material->solidus;
    phxi_heat_law law = {c, 1 / c, material->solidus, material->liquidus, INFINITY, INFINITY, 1 / c};
    if (isfinite(material->solidus) && isfinite(material->liquidus)) {
        law.solid = c * material->solidus;
        law.liquid = c * material->liquidus + material->latent_heat;
        law.per_melting = span / (law.liquid - law.solid);
    } else {
        law.solidus = law.liquidus = INFINITY; // no latent heat without both
    }
    return law;
}
