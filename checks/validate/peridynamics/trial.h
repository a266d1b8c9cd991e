// SPDX-License-Identifier: MIT
// Blocks, sheets and rods of the method peridynamics on a lattice of 0.1 m, E = 1e6 Pa, rho = 1000 kg/m^3: what the
// cases about it are made of.
#pragma once

#include "methods/peridynamics/peri_internal.h"
#include "validate/settle.h"

#define PERI_TRIAL_YOUNG   1e6
#define PERI_TRIAL_SPACING 0.1

phx_result phxi_peri_trial(phxi_validation* v, const int cells[3], double poisson, const phx_setting* settings,
                           int count, phxi_block* block);
/// Particles at the given points; all else is as `def` says.
phx_result phxi_peri_trial_points(phxi_validation* v, const phx_vec3* points, int count, const phxi_block_def* def,
                                  phxi_block* block);
phxi_peri_slot* phxi_peri_trial_slot(const phxi_block* block);
/// Internal forces at x, N.
void phxi_peri_trial_forces(phxi_block* block, const phx_vec3* x, phx_vec3* force);
/// A body turned and moved, then shaken by up to `shake` m: largest force, N; sums of forces and torques over their
/// sizes.
typedef struct phxi_peri_rigidity {
    double largest, force, torque;
} phxi_peri_rigidity;
phx_result phxi_peri_trial_rigidity(phxi_block* block, double shake, phxi_peri_rigidity* out);
/// A driver of all particles in a region.
phx_result phxi_peri_trial_drive(phxi_block* block, int kind, const char* region, phx_vec3 vector);
/// Holds all particles with low < x < high.
phx_result phxi_peri_trial_pin(phxi_block* block, double low, double high);
/// Pulls them with a total force, N.
phx_result phxi_peri_trial_pull(phxi_block* block, double low, double high, phx_vec3 force);
