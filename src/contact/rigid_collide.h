// SPDX-License-Identifier: MIT
// Obstacles against a rigid body: the law of collider.h, for places where the core of the body (rigid.h) is nearest to
// the obstacle, which push, hold and move the whole body.
//
// Every particle below the surface looks for such a place near it; shares (rigid.h) make one contact of those that find
// the same, so that a ball rolls smoothly however it was sampled. Pushes come first, with those that it takes to stop
// the body. Friction is found by Gauss-Seidel sweeps over its places, of all obstacles together, in their order: in
// turn with sweeps over contacts of particles where it has such (what lies on a box must feel that the ground holds the
// box, and the ground what lies on it; one after the other they chatter), else alone.
#pragma once

#include "contact/collider.h"
#include "contact/rigid.h"
#include "core/arena.h"

typedef struct phxi_rigid_obstacles {
    const phxi_collider* colliders;
    int count;
    const phxi_particles* particles;
    int begin, end;             // of the body
    double young;               // Pa
    double dt, kick;            // s; the substep (0: no friction), and how long forces of now change velocities
    phxi_arena* arena;          // for scratch
    phx_real* force[3];         // by particle, N: is added to
    double* energy;             // by particle, J: is added to; NULL: not wanted
    phxi_collider_push* pushes; // by collider, likewise
} phxi_rigid_obstacles;

/// Adds pushes. What friction may do then is in *grip, of the arena; NULL: nothing.
phx_result phxi_rigid_collide(const phxi_rigid_obstacles* obstacles, const phxi_contact_rigid* body,
                              phxi_rigid_grip** grip);
/// Adds what friction as it is does to the body's acceleration (of its pivot, and rad/s^2).
void phxi_rigid_grip_act(const phxi_rigid_grip* grip, phx_vec3* rate, phx_vec3* spin);
/// One sweep, with all that acts in rate and spin, which change along; false if it is settled.
bool phxi_rigid_grip_sweep(phxi_rigid_grip* grip, phx_vec3* rate, phx_vec3* spin);
/// Adds friction to the forces of the obstacles; `body` has all else that acts in its rates, should there not have been
/// any sweep yet.
void phxi_rigid_grip_finish(phxi_rigid_grip* grip, const phxi_contact_rigid* body);
