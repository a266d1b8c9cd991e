// SPDX-License-Identifier: MIT
// How much of their stiffness materials keep when they are warm: all below `soften_from`, `soften_left` of it above
// `soften_to`, and between them as a power of it, so that each degree takes the same share:
//     E(T) = E left^x,   x = (T - from)/(to - from) within [0, 1].
// Moduli, cohesion and (being strains) yield stresses all fall by this factor; Poisson's ratio stays.
#pragma once

#include "materials/material.h"

static inline bool phxi_softens(const phx_material_def* def) {
    return isfinite(def->soften_from);
}
static inline double phxi_stiffness_factor(const phx_material_def* def, double temperature) {
    if (!(temperature > def->soften_from)) {
        return 1;
    }
    double x = (temperature - def->soften_from) / (def->soften_to - def->soften_from);
    return x < 1 ? pow(def->soften_left, x) : def->soften_left;
}
