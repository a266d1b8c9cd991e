// SPDX-License-Identifier: MIT
// Worlds for the cases of rigid bodies: a ground, things on it, and what the method knows of them.
#pragma once

#include "methods/rigid/rigid_internal.h"
#include "validate/validate.h"
#include "world/world.h"

/// A body: rigid unless a method is named.
typedef struct phxi_thing {
    const char* name;
    const char* shape;
    const char* method; // NULL: rigid
    double spacing;     // m; 0: 0.01
    double young;       // Pa; 0: 1e7
    double friction, contact_damping;
    double drag; // 1/s, of motion of bodies that are not rigid
    phx_vec3 velocity, spin;
    const char* held; // a region that is pinned; "": all of it; NULL: nothing
    bool implicit;    // bdf2 steps
} phxi_thing;

phx_result phxi_rigid_world(const phxi_validation* v, phx_vec3 gravity, const phxi_thing* things, int count,
                            phx_world** world);
/// A plane z < 0.
phx_result phxi_rigid_ground(phx_world* world, double friction, double damping);
/// What the method has of its k-th body.
const phxi_rigid_body* phxi_rigid_inside(const phx_world* world, int k);
