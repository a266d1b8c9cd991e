// SPDX-License-Identifier: MIT
// Colliders against a rigid body: the law of collider.h, at places where the core of the body (rigid.h) is nearest to
// the collider; forces there act on the whole body. By projection, which knows no stiffness and so leaves the substep
// as large as other things allow, pushes are those that leave no overlap at its end, by Gauss-Seidel sweeps.
//
// Every particle below the surface looks for such a place near it. Shares (rigid.h) merge the particles that find the
// same place into one contact, so a ball rolls smoothly however it was sampled. Pushes come first, including those that
// stop the body. Friction is found by Gauss-Seidel sweeps over its places, of all colliders together and in order. If
// the body also touches particles, these sweeps alternate with those over its particle contacts (what lies on a box
// must feel that the ground holds the box, and vice versa; done one after the other they chatter).
#pragma once

#include "contact/collider.h"
#include "contact/rigid.h"
#include "core/arena.h"

typedef struct phxi_rigid_colliders {
    const phxi_collider* colliders;
    int count;
    const phxi_particles* particles;
    int begin, end;             // particles of the body
    double young;               // Pa
    double dt, kick;            // s; the substep (0: no friction), and how long current forces act on velocities
    bool projection;            // pushes follow from gaps, not from a stiffness (projection.h)
    double compliance;          // m/N, of projection
    double overlap_time;        // s, in which what was put into a collider is let out; 0: nothing was
    phxi_arena* arena;          // for scratch
    phx_real* force[3];         // by particle, N: added to
    double* energy;             // by particle, J: added to; NULL: not wanted
    phxi_collider_push* pushes; // by collider, likewise
} phxi_rigid_colliders;

/// Adds pushes. *grip (in the arena) is what friction can act on afterwards; NULL: nothing.
phx_result phxi_rigid_collide(const phxi_rigid_colliders* colliders, const phxi_contact_rigid* body,
                              phxi_rigid_grip** grip);
/// Adds the effect of the current friction to the body's acceleration (of its pivot, and rad/s^2).
void phxi_rigid_grip_act(const phxi_rigid_grip* grip, phx_vec3* rate, phx_vec3* spin);
/// One sweep; `rate` and `spin` are the accelerations by all forces and are updated. False if friction has settled.
bool phxi_rigid_grip_sweep(phxi_rigid_grip* grip, phx_vec3* rate, phx_vec3* spin);
/// Adds friction to the forces of the colliders. If there was no sweep yet, `body` must have all other forces in its
/// rates.
void phxi_rigid_grip_finish(phxi_rigid_grip* grip, const phxi_contact_rigid* body);
