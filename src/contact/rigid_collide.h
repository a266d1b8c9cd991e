// SPDX-License-Identifier: MIT
// Obstacles against a rigid body: the law of collider.h, for places where the core of the body (rigid.h) is nearest to
// the obstacle, which push, hold and move the whole body.
//
// Every particle below the surface looks for such a place near it; shares (rigid.h) make one contact of those that find
// the same, so that a ball rolls smoothly however it was sampled. With all that acts on the body known, pushes that must
// stop it and friction are found by Gauss-Seidel sweeps over its places, of all obstacles together, in their order.
#pragma once

#include "contact/collider.h"
#include "contact/rigid.h"
#include "core/arena.h"

typedef struct phxi_rigid_obstacles {
    const phxi_collider* colliders;
    int count;
    const phxi_particles* particles;
    int begin, end;         // of the body
    double young;           // Pa
    double dt, kick;        // s; the substep (0: no friction), and how long forces of now change velocities
    phxi_arena* arena;      // for scratch
    phx_real* const* force; // by axis and particle, N: is added to
    double* energy;         // by particle, J: is added to; NULL: not wanted
    phxi_collider_push* pushes; // by collider, likewise
} phxi_rigid_obstacles;

phx_result phxi_rigid_collide(const phxi_rigid_obstacles* obstacles, const phxi_contact_rigid* body);
