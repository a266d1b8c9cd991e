// SPDX-License-Identifier: MIT
// Viscosity of a fluid from its shear rate and temperature (docs/theory/melting.md section 3), one particle at a time
// in double, and for many at once in state precision.
//
// The shear rate is D = sqrt(1/2 sum D_ab^2) with D_ab = dv_a/dx_b + dv_b/dx_a: |du/dy| in simple shear. A law is a
// stress tau(D), and a viscosity at rest eta_0 without which the stress of a fluid with a yield stress would jump at
// D = 0. With phi(z) = (1 - exp(-z))/z, 1 at z = 0:
//
//   newtonian                     eta = viscosity
//   power_law, bingham,           eta = eta_0 phi(eta_0 D / tau), tau = tau_0 + K D^n: smoothly the smaller of
//   herschel_bulkley              eta_0 = solid_viscosity and tau / D
//   jump                          eta = eta_0 phi(eta_0 D / tau_0) (1 + (D/g)^n), g = (tau_0/K)^(1/n),
//                                 eta_0 = (J + 1) tau_0 / g; not monotone: up to 1.35 eta_0 at J = 0
//
// Between solidus and liquidus, with u from 0 to 1: tau_0 falls linearly to yield_stress_liquid; J goes from jump_solid
// to jump_liquid, or ln(J + 1) does. For jump tau_0 is the scale of all stresses: K falls with it and g stays, so that
// hotter is never more viscous at rest.
//
// Rates of either sign, infinite ones and infinite temperatures give finite viscosities; NaN comes out only where NaN
// went in.
#pragma once

#include <phyxel/types.h>

typedef struct phxi_rheology {
    int flow;                       // phx_flow
    double viscosity;               // Pa s; newtonian: all of it; others but jump: at rest
    double yield_stress;            // Pa, of the solid; jump: tau_0 / g, Pa s
    double consistency, index;      // K, n
    double per_rate;                // s; jump: 1 / g
    double solidus, per_range;      // degrees C, 1/K: u = (T - solidus) per_range; 0: no melting
    double softened;                // yield_stress_liquid / yield_stress
    double jump_solid, jump_liquid; // J + 1
    double log_solid, log_change;   // ln of the first; of the second less the first
    bool logarithmic;               // ln(J + 1) is linear in u
} phxi_rheology;

phxi_rheology phxi_rheology_from(const phx_material_def* def);
/// Pa s; shear rate in 1/s, temperature in degrees C.
double phxi_viscosity(const phxi_rheology* rheology, double shear_rate, double temperature);
/// Pa, at a temperature in degrees C; 0: newtonian, power_law.
double phxi_yield_stress(const phxi_rheology* rheology, double temperature);
/// Viscosities of `count` particles. The arrays may have any alignment; viscosity may be one of the others.
void phxi_viscosity_batch(const phxi_rheology* rheology, int count, const phx_real* shear_rate,
                          const phx_real* temperature, phx_real* viscosity);
/// Bad combinations that the ranges of the parameters do not show.
phx_result phxi_rheology_check(const phx_material_def* def);
