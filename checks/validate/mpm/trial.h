// SPDX-License-Identifier: MIT
// Worlds of the material point method for cases with known answers.
#pragma once

#include "methods/mpm/mpm_internal.h"
#include "validate/validate.h"
#include "world/world.h"

/// Without gravity. The world is the caller's to destroy, also on failure.
phx_result phxi_mpm_trial_world(phxi_validation* v, phx_world** world);
/// A body of the method, "body0", "body1", ...
phx_result phxi_mpm_trial_body(phx_world* world, const phx_material_def* material, const char* shape, double spacing,
                               const phx_setting* settings, int setting_count);
/// Half spaces below these points along the axes of their normals.
phx_result phxi_mpm_trial_plane(phx_world* world, phx_vec3 point, phx_vec3 normal);
phx_result phxi_mpm_trial_run(phx_world* world, int steps, double dt);
