// SPDX-License-Identifier: MIT
// The two laws of friction; one of them applies to every contact, whatever the method and the kind of step.
//
// 1. At a known push (explicit steps). Coulomb's cone applied to the friction that would hold: with a the acceleration
// of
//    the slip by all other forces, v the velocity of the slip, w what is remembered of it (friction_memory.h)
//    and m the mass that slips, friction aims at dv/dt = -v / (2 dt) - q w / dt^2 and is
//      f = -m (a + v / (2 dt) + q w / dt^2), at right angles to the normal, at most mu f_n long.
//    It takes up the load and half of the slip. Taking up all of the slip would flicker, because current forces act on
//    the velocity half a substep late. Where many contacts hold one body, each adds to the friction it has found so far
//    (pair_forces.c, rigid_collide.c); a particle on a collider finds it at once (collider.c). Code that sets
//    velocities instead of forces (nodes of mpm, the guard of fluids) uses the same cone for impulses:
//    phxi_friction_stop.
//
// 2. In implicit steps the push is unknown until the end, and the solver needs a matrix. The cone is rounded to a drag
//      f = -b slip,  b = mu f_n / max(|slip|, s),  slip: along the surface since the start of the step,
//    which holds by a stiff spring below s = 1e-5 spacings and is mu f_n beyond. b goes into the matrix along the
//    surface, as the contact's stiffness k does along its normal n: K = b 1 + (k - b) n n^T, positive.
//
// Neither adds energy. The first removes at most half of the slip velocity per substep, so it never reverses the slip;
// impulses that stop a particle lose energy; the second acts against the current slip.
#pragma once

#include "contact/law/friction_memory.h"
#include "math/vec3.h"

// --------------------------------------------------------------------------------------------------- at a known push

/// Friction that would hold, and friction that acts.
typedef struct phxi_friction {
    phx_vec3 wanted; // along the surface: what would hold
    phx_vec3 force;  // what acts: the same, or as much of it as the cone allows
    double left;     // part of `wanted` beyond the cone; 0: holds
} phxi_friction;

/// What friction has to balance. `acts` is a force and `mass` what it acts on; or an acceleration, with mass 1.
static inline phx_vec3 phxi_friction_urge(phx_vec3 acts, double mass, phx_vec3 velocity, phx_vec3 slip, double dt) {
    phx_vec3 urge = phxi_add_scaled(acts, 0.5 * mass / dt, velocity);
    return phxi_add_scaled(urge, phxi_friction_slip_rate(dt) * mass, slip);
}

/// Coulomb's cone: of a force (or impulse) that would hold, what lies along the surface, at most `most`.
static inline phxi_friction phxi_friction_cone(phx_vec3 wanted, phx_vec3 normal, double most) {
    phxi_friction f = {.wanted = phxi_add_scaled(wanted, -phxi_dot(wanted, normal), normal)};
    double strength = phxi_length(f.wanted);
    bool slides = strength > most;
    f.force = slides ? phxi_scale(most / strength, f.wanted) : f.wanted;
    f.left = slides ? 1 - most / strength : 0;
    return f;
}

/// The velocity left to a point inside a collider that has velocity `own` there: its inward part is removed, and the
/// impulse that does so has friction. *holds: it sticks.
static inline phx_vec3 phxi_friction_stop(phx_vec3 velocity, phx_vec3 own, phx_vec3 normal, double coefficient,
                                          bool* holds) {
    phx_vec3 against = phxi_sub(velocity, own);
    double inward = fmax(0, -phxi_dot(against, normal));
    phxi_friction f = phxi_friction_cone(phxi_scale(-1, against), normal, coefficient * inward);
    *holds = coefficient > 0 && f.left == 0;
    return phxi_add_scaled(own, -f.left, f.wanted);
}

// ------------------------------------------------------------------------------------------------- in implicit steps

#define PHXI_FRICTION_STICK 1e-5 /* slip over the spacing below which it holds */
#define PHXI_FRICTION_HOLD  100  /* stiffness of what holds over that of contact, at most */

/// A contact, for the drag.
typedef struct phxi_friction_pressed {
    double most;      // N: coefficient times push
    double stiffness; // N/m, of the contact
    double spacing;   // m, of particles
    double grip;      // how many times less than usual a held contact slips; 1
    bool moving;      // closing or opening: the push of a first guess says little about friction
} phxi_friction_pressed;

/// The slip below which it holds, m.
static inline double phxi_friction_least(const phxi_friction_pressed* c) {
    return PHXI_FRICTION_STICK / c->grip * c->spacing;
}

/// b, N/m.
static inline double phxi_friction_drag(const phxi_friction_pressed* c, phx_vec3 slip) {
    double drag = c->most / fmax(phxi_length(slip), phxi_friction_least(c));
    return fmin(drag, (c->moving ? 1 : PHXI_FRICTION_HOLD * c->grip) * c->stiffness);
}

/// K of a contact, N/m.
typedef struct phxi_contact_matrix {
    phx_vec3 normal;
    double along, across; // k, b
} phxi_contact_matrix;

/// K u.
static inline phx_vec3 phxi_contact_matrix_apply(const phxi_contact_matrix* k, phx_vec3 u) {
    double along = phxi_dot(u, k->normal);
    return phxi_add_scaled(phxi_scale(k->across, u), (k->along - k->across) * along, k->normal);
}

/// Adds `scale` times K: xx yy zz xy xz yz.
static inline void phxi_contact_matrix_add(const phxi_contact_matrix* k, double scale, double block[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const double n[3] = {k->normal.x, k->normal.y, k->normal.z};
    for (int a = 0; a < 6; ++a) {
        block[a] += scale * (k->along - k->across) * n[row[a]] * n[column[a]];
        block[a] += a < 3 ? scale * k->across : 0;
    }
}
