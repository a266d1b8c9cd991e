// SPDX-License-Identifier: MIT
// Thermal expansion (docs/theory/materials.md section 8): warmed by dT, a body that nothing holds grows by
// th = exp(expansion dT) in every direction, without stress. F = F_e F_t with F_t = th I, so an elastic law Psi(F_e)
// becomes
//     th^3 Psi(F / th),   first Piola stress th^2 P_e(F / th),   stiffness th C(F / th).
// Plastic flow sees F / th as it sees F without heat: F_t commutes with everything.
//
// What particles keep is th - 1 (particles.h: thermal), which is small and would lose its digits as th in float.
#pragma once

#include "materials/material.h"
#include "math/simd.h"
#include "math/vec3.h"

static inline bool phxi_expands(const phx_material_def* def) {
    return def->expansion != 0;
}
/// th - 1 of a material that is `kelvin` warmer than where it has the size it was made with.
static inline double phxi_thermal_stretch(const phx_material_def* def, double kelvin) {
    return expm1(def->expansion * kelvin);
}

/// Planes as in elastic_batch.h; `thermal` is th - 1 by particle, NULL: nothing happens. Any count, any alignment.
/// F - I to F_e - I, and back.
void phxi_thermal_take(const phx_real* thermal, int count, int stride, phx_real* g);
void phxi_thermal_put(const phx_real* thermal, int count, int stride, phx_real* g);
/// P_e to P; Psi to th^3 Psi; `planes` of Kirchhoff stress, which grow as energy does; tangents of F_e (tangent.h) to
/// those of F.
void phxi_thermal_stress(const phx_real* thermal, int count, int stride, phx_real* p);
void phxi_thermal_energy(const phx_real* thermal, int count, int stride, int planes, phx_real* energy);
void phxi_thermal_tangent(const phx_real* thermal, int count, int stride, phx_real* t);

/// m over th, for one particle.
static inline phxi_mat3 phxi_thermal_part(double thermal, const phxi_mat3* m) {
    phxi_mat3 part = *m;
    for (int k = 0; k < 9; ++k) {
        part.m[k / 3][k % 3] /= 1 + thermal;
    }
    return part;
}
/// m times th^power.
static inline phxi_mat3 phxi_thermal_times(double thermal, int power, const phxi_mat3* m) {
    phxi_mat3 times = *m;
    double by = 1;
    for (int k = 0; k < power; ++k) {
        by *= 1 + thermal;
    }
    for (int k = 0; k < 9; ++k) {
        times.m[k / 3][k % 3] *= by;
    }
    return times;
}
