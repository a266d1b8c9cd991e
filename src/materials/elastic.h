// SPDX-License-Identifier: MIT
// Elastic laws, one particle at a time, in double: the reference of all faster forms (elastic_batch.h).
// Formulas and numbers: docs/theory/materials.md section 1.
#pragma once

#include "math/vec3.h"

typedef struct phxi_elastic {
    int law; // phx_law
    double mu, lambda, kappa;
    double mu1, mu2; // mooney_rivlin
    double bound;    // neo_hookean_bounded
} phxi_elastic;

phxi_elastic phxi_elastic_from(const phx_material_def* def);
/// Energy per rest volume, J/m^3; INFINITY where the law has none (J <= 0).
double phxi_elastic_energy(const phxi_elastic* elastic, const phxi_mat3* f);
/// First Piola stress dPsi/dF, Pa. False where the law has none.
bool phxi_elastic_stress(const phxi_elastic* elastic, const phxi_mat3* f, phxi_mat3* p);
/// dPsi/ds_a of principal stretches s. False where the law has none.
bool phxi_elastic_principal(const phxi_elastic* elastic, const double s[3], double psi[3]);
/// Cauchy stress P F^T / det F and its von Mises norm (0 where there is none).
double phxi_von_mises(const phxi_mat3* f, const phxi_mat3* p);
/// How much stiffer than at rest, at least 1, a body may be whose principal stretches are between the two; with an
/// extra energy k/2 (det F - 1)^2.
double phxi_elastic_stiffening(const phxi_elastic* elastic, double least, double most, double volume_stiffness);
/// Wave speeds at rest, m/s.
double phxi_sound_speed(const phx_material_def* def); // sqrt((lambda + 2 mu) / rho)
