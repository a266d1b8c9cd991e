// SPDX-License-Identifier: MIT
#include "materials/yield.h"

bool phxi_yield_is(const phx_material_def* def) {
    return def->yield > 0 || phxi_drucker_prager_is(def);
}

phxi_yield phxi_yield_from(const phx_material_def* def) {
    return (phxi_yield){
        .grains = phxi_drucker_prager_is(def), .flow = phxi_plastic_from(def), .cone = phxi_drucker_prager_from(def)};
}

/// Any deviator of this norm will do: the law is isotropic.
static phxi_yielded grains(const phxi_yield* law, double stiff, double dt, double mean, double deviator,
                           const phxi_yield_past* past) {
    phxi_drucker_prager cone = law->cone;
    cone.mu *= stiff, cone.bulk *= stiff, cone.a *= stiff; // the largest tension p_t falls along: `cut` is p_t/K
    double d = deviator / sqrt(2);
    phxi_sym3 strain = {mean + d, mean - d, mean, 0, 0, 0}, stress;
    double opening = past->opening;
    phxi_grain_state state = phxi_drucker_prager_return(&cone, dt, &strain, &opening, &stress);
    double left = (strain.xx + strain.yy + strain.zz) / 3, pressure = -(stress.xx + stress.yy + stress.zz) / 3;
    double plain = -3 * cone.bulk * left;
    return (phxi_yielded){.kept = d > 0 ? (strain.xx - strain.yy) / (2 * d) : 1,
                          .mean = left,
                          .growth = plain > 0 ? pressure / plain : 1,
                          .opening = opening,
                          .flows = state != PHXI_GRAIN_ELASTIC || past->opening > 0 || cone.relaxation > 0,
                          .root_j2 = sqrt(2) * cone.mu * deviator,
                          .most = phxi_drucker_prager_strength(&cone, pressure)};
}

phxi_yielded phxi_yield_return(const phxi_yield* law, double stiff, double dt, double mean, double deviator,
                               const phxi_yield_past* past) {
    if (law->grains) {
        return grains(law, stiff, dt, mean, deviator, past);
    }
    double norm = law->flow.volumetric ? sqrt(deviator * deviator + 3 * mean * mean) : deviator;
    double share = past->full ? 0 : phxi_plastic_share(&law->flow, norm, past->amount, dt);
    return (phxi_yielded){
        .kept = 1 - share, .mean = law->flow.volumetric ? (1 - share) * mean : mean, .growth = 1, .flows = share > 0};
}
