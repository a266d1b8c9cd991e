// SPDX-License-Identifier: MIT
// Rigid bodies: particles that keep their places in a body which moves as one.
//
//   rigid.c  the method: building, measuring, saving      step.c  from forces on particles to the next state
//   hold.c   what drivers that hold particles leave free  free_rotation.c  how a free one turns
//
// The state of a body is where its centre is, how it is turned, and its velocity and angular momentum of half a substep
// ago, all in double; particles are placed from these in every substep, so that nothing drifts. Forces are known at t
// alone (motion/explicit.h), so a substep is that of leap-frog:
//   V(mid) += (dt_old + dt)/2 (F/M + g)      L(mid) += (dt_old + dt)/2 T
//   c += dt V(mid)                           R turned by the free motion with L(mid), free_rotation.h
//   V(t + dt) = V(mid) + dt/2 (F/M + g)      L(t + dt) = L(mid) + dt/2 T
// Where drivers hold particles of it, what they hold decides: one point (or several at one place) leaves the turning
// about it, a line leaves the angle about it, anything else leaves nothing and the body follows. About a point P that
// is moved with the mean velocity u in this substep, r = c - P,
//   L_P = L(mid) + M r x (V(mid) - u) + (dt_old + dt)/2 (T + r x (F + M g)),
// which holds too when the driver has just begun: its impulse acts at P and has no torque about it.
#pragma once

#include "core/array.h"
#include "methods/method.h"
#include "methods/rigid/free_rotation.h"

typedef struct phxi_rigid_params {
    double mass;    // kg; 0: density times volume
    double modulus; // Pa; 0: Young's of its material
} phxi_rigid_params;

/// Fields of particles, not saved: all follow from the solid at rest.
enum { PHXI_RIGID_NORMAL, PHXI_RIGID_DEPTH = 3, PHXI_RIGID_FLATNESS, PHXI_RIGID_FIELDS };
extern const phxi_field_def phxi_rigid_fields[PHXI_RIGID_FIELDS];

/// What is saved of a body.
typedef struct phxi_rigid_motion_state {
    phx_vec3 center;
    phxi_quat orientation;               // from rest
    phx_vec3 velocity, angular_momentum; // of half a substep ago; the latter about the centre
    phx_vec3 velocity_now, angular_now;  // the same as others see them
    double last_dt;                      // s; 0: there was no substep yet
} phxi_rigid_motion_state;

typedef struct phxi_rigid_body {
    int index; // in the world
    double mass;
    phx_vec3 rest;     // centre of mass at rest
    phxi_sym3 inertia; // about it, at rest
    phxi_principal_inertia principal;
    double contact_mass, skin;
    int chunk_begin, chunk_end;
    phxi_rigid_motion_state state;
} phxi_rigid_body;

/// Particles that are summed and placed together.
typedef struct phxi_rigid_chunk {
    int body;       // own number
    int begin, end; // from the first particle of the body
} phxi_rigid_chunk;

typedef struct phxi_rigid_solver {
    phxi_heap* heap;
    PHXI_ARRAY(phxi_rigid_body) bodies;
    PHXI_ARRAY(phxi_rigid_chunk) chunks;
} phxi_rigid_solver;

/// hold.c: what drivers leave of a body's freedom in this substep.
typedef enum phxi_hold_kind { PHXI_HOLD_NONE, PHXI_HOLD_POINT, PHXI_HOLD_LINE, PHXI_HOLD_ALL } phxi_hold_kind;
typedef struct phxi_hold {
    phxi_hold_kind kind;
    int count;               // particles that are held
    double mass;             // of these
    phx_vec3 rest;           // their centre of mass at rest
    phx_vec3 now;            // and where drivers have put it for the end of the substep
    phx_vec3 velocity, spin; // at the end; the spin is known if all is held
    phx_vec3 axis;           // at rest, of a line: a unit vector
    phx_vec3 turned;         // where the line points at the end of the substep
    phxi_mat3 rotation;      // from rest, if all is held
    double misfit;           // m: root of the mean square by which held particles do not fit a rigid motion
} phxi_hold;
phxi_hold phxi_hold_of(const phxi_particles* particles, const phxi_body* body, const phxi_rigid_body* rigid);
/// Where a place of the body at rest is now.
phx_vec3 phxi_rigid_where(const phxi_rigid_body* body, phx_vec3 rest);
/// Inertia about another place of the body, at rest.
phxi_sym3 phxi_rigid_inertia_about(const phxi_rigid_body* body, phx_vec3 rest);

/// step.c
phx_result phxi_rigid_substep(void* state, phxi_step* step, double dt, phxi_trouble* trouble);
