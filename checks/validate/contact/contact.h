// SPDX-License-Identifier: MIT
// What cases of contact share: bodies of soft material in a world of their own.
#pragma once

#include "validate/validate.h"

#include <phyxel/world.h>

#include <math.h>

/// Rubber without damping of its own, unless told otherwise.
typedef struct phxi_contact_thing {
    const char* name;
    const char* shape;
    double spacing, friction, contact_damping;
    double young, poisson, drag; // Pa, -, 1/s; 0: as usual; damping of all motion
    phx_vec3 velocity, spin;
    bool pinned, self;
    const char* method; // NULL: efg
    phx_law law;
} phxi_contact_thing;

phx_result phxi_contact_add(phx_world* world, const phxi_contact_thing* thing);
phx_result phxi_contact_world(const phxi_validation* v, phx_vec3 gravity, const phxi_contact_thing* things, int count,
                              phx_world** world);
/// Soft bodies come down on other things, `count` of them: nothing passes through (validate_contact_drops.c).
phx_result phxi_validate_contact_drops(phxi_validation* v, int count);
