// SPDX-License-Identifier: MIT
// Worlds of fluids and walls for cases with known answers.
#pragma once

#include "methods/wcsph/wcsph_internal.h"
#include "validate/validate.h"
#include "world/world.h"

enum { PHXI_FLUID_TRIAL_SETTINGS = 12 };

/// A fluid between plates at z = 0 and z = 1 that goes on along x and y: cells across, driven along x.
typedef struct phxi_channel_def {
    int cells;
    phx_material_def material;
    double push;  // m/s^2
    double speed; // m/s, of the plate at z = 1
    double sound; // m/s
    const char *form, *viscosity;
    bool plain; // walls are not mirrored
} phxi_channel_def;

/// Runs it for `duration`; `world` is the caller's to destroy, also on failure. The fluid is body 0.
phx_result phxi_channel_run(phxi_validation* v, const phxi_channel_def* def, double duration, phx_world** world);
/// sqrt(sum (v_x - exact(z))^2 / sum exact^2), and the largest v_x.
double phxi_channel_error(const phx_world* world, double (*exact)(double z, const void* context), const void* context);
double phxi_channel_fastest(const phx_world* world);

phx_body_def phxi_fluid_trial_body(const char* name, const char* method, const char* shape, double spacing);
/// Adds a body; settings are pairs of names and values, ending with NULL.
phx_result phxi_fluid_trial_add(phx_world* world, phx_body_def body, const phx_material_def* material,
                                const char* const* settings);
/// The method's state.
phxi_wcsph* phxi_fluid_trial_state(const phx_world* world);
