// SPDX-License-Identifier: MIT
// The bars of docs/theory/elastoplastic_sph.md section 3: E = 100 Pa, rho = 100 kg/m^3, c = 1 m/s, nodes at the corners
// of cubic cells. 5 x 1 x 1 m, held at x = 0, T = 4 L/c = 20 s; or one cell of 1 cm.
#pragma once

#include "validate/block.h"

typedef struct phxi_esph_bar {
    int cells[3];
    double spacing; // m
    int law;
    double poisson;
    double yield_stress, modulus; // Pa, of plasticity hencky; 0: elastic
    double flow_rate, time;       // mu_f; tau, s; 0: none
    const char* integrator;       // NULL: velocity_verlet
    const char* tolerance;        // NULL: the method's own
    bool held;                    // at x = 0
} phxi_esph_bar;

/// The long one, co-rotated, nu = 0.
phxi_esph_bar phxi_esph_long(double spacing);
phx_result phxi_esph_create(phxi_validation* v, const phxi_esph_bar* def, phxi_block* block);
/// x = (1 + eps) X along x, at rest.
void phxi_esph_stretch(phxi_block* block, double eps);
/// sum m u sin(pi X/2L): the first mode; `context` is L.
double phxi_esph_mode(const phxi_block* block, const void* length);
/// Kinetic and elastic, J.
double phxi_esph_energy(const phxi_block* block);
/// Displacement along x of the face at X = `length`, mean by mass: nodes stand for areas.
double phxi_esph_tip(const phxi_block* block, double length);
