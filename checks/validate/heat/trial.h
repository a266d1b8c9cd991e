// SPDX-License-Identifier: MIT
// Particles that only conduct heat, put where a case wants them: no world, no method.
#pragma once

#include "heat/heat.h"
#include "validate/validate.h"

enum { PHXI_HEAT_TRIAL_BODIES = 3 };

typedef struct phxi_heat_trial {
    phxi_validation* v;
    phxi_pool* pool;
    phxi_arena arena;
    phxi_particles particles;
    phxi_near near;
    phxi_heat heat;
    phxi_heat_body bodies[PHXI_HEAT_TRIAL_BODIES];
    phxi_near_range ranges[PHXI_HEAT_TRIAL_BODIES];
    double density[PHXI_HEAT_TRIAL_BODIES];
    int body_count;
    phx_vec3 period;
    double air; // degrees C
    phxi_heat_gain gain;
} phxi_heat_trial;

/// A box of cells, the first of them centred at (x + a/2, a/2, a/2).
typedef struct phxi_heat_box {
    int cells[3];
    double spacing, x; // m
    double reach;      // spacings
    double jitter;     // of the spacing
    double noise;      // of the density, particle by particle
    int thermal;       // phx_thermal
    bool mirror;       // fixed, with normals along x towards x = 0.5
} phxi_heat_box;

phx_result phxi_heat_trial_create(phxi_validation* v, phxi_heat_trial* t);
void phxi_heat_trial_destroy(phxi_heat_trial* t);
phx_result phxi_heat_trial_add(phxi_heat_trial* t, const phxi_heat_box* box, const phx_material_def* material);
void phxi_heat_trial_set(phxi_heat_trial* t, int i, double temperature);
/// Heat flows for `duration`.
phx_result phxi_heat_trial_run(phxi_heat_trial* t, double duration);
double phxi_heat_trial_energy(const phxi_heat_trial* t); // J
/// sqrt(sum (T - exact)^2 / sum exact^2) of the particles of body 0.
double phxi_heat_trial_error(const phxi_heat_trial* t, double (*exact)(double x, double y, const void* context),
                             const void* context);
/// A slab from x = 0 to 1 of 1 at the start between walls of 0, diffusivity 1: its sine series (validate_heat.c).
double phxi_heat_quenched(double x, double time);
/// Unit conductivity and heat capacity by volume: diffusivity 1 m^2/s.
phx_material_def phxi_heat_trial_unit(void);
