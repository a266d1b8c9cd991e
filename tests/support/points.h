// SPDX-License-Identifier: MIT
// The smallest method there can be: mass points, and springs from each particle of a body to the next. For tests of the
// world, where exact trajectories are wanted and the mechanics of a real method would be in the way.
#pragma once

#include "support/test.h"
#include "world/world.h"

/// Name "points"; parameter `spring` in N/m (0: free flight). Kick-drift-kick with external forces of the start.
extern const phxi_method phxt_points;

/// A world with this method, and a material of density 1000 kg/m^3. NULL (and a failure) if that cannot be had.
phx_world* phxt_world(const phx_world_def* def, phx_material_id* material);
/// A body of it from a shape; settings "spring" if not NULL.
phx_result phxt_body(phx_world* world, const char* name, const char* shape, double spacing, const char* spring,
                     phx_body_id* body);
