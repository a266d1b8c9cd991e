// SPDX-License-Identifier: MIT
// The two laws of friction. Whoever touches whom, by whatever method and step, one of them applies.
//
// 1. At a known push (explicit steps). Coulomb's cone about what friction would have to do: with a the acceleration at
//    which all that acts changes the slip, v the velocity of the slip, w what is remembered of it (friction_memory.h)
//    and m the mass that slips, friction aims at dv/dt = -v / (2 dt) - q w / dt^2 and is
//      f = -m (a + v / (2 dt) + q w / dt^2), at right angles to the normal, at most mu f_n long.
//    It takes up the load and half of the slip: all of the slip at once would flicker, as current forces are felt half
//    a substep late. Where many contacts hold one body, each adds to the friction it has found so far (pair_forces.c,
//    rigid_collide.c); a particle on a collider finds it at once (collider.c). Who sets velocities and not forces
//    (nodes of mpm, the guard of fluids) has the same cone over impulses: phxi_friction_stop.
//
// 2. In implicit steps the push is unknown until the end, and the solver wants a matrix. The cone is rounded to a drag
//      f = -b slip,  b = mu f_n / max(|slip|, s),  slip: along the surface since the start of the step,
//    which holds by a stiff spring below s = 1e-5 spacings and is mu f_n beyond. b goes into the matrix along the
//    surface, as the contact's stiffness k does along its normal n: K = b 1 + (k - b) n n^T, positive.
//
// Neither gives energy. Left to itself the first takes half of the slip's velocity in a substep at most, so it never
// turns it around; stopped impulses lose energy; the second acts against the slip it has.
#pragma once

#include "contact/law/friction_memory.h"
#include "math/vec3.h"

// --------------------------------------------------------------------------------------------------- at a known push

/// What friction does of what it would have to.
typedef struct phxi_friction {
    phx_vec3 wanted; // along the surface: what would hold
    phx_vec3 force;  // what acts: the same, or as much of it as the cone allows
    double left;     // part of `wanted` that is left undone; 0: holds
} phxi_friction;

/// What friction is to act against. `acts` is a force and `mass` what it acts on; or an acceleration, with mass 1.
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

/// The velocity that is left to what has come into a collider, whose outward normal is given and which has velocity
/// `own` there: nothing goes on inward, and the impulse that stops it has its friction. *holds: it sticks.
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

/// A contact as a drag sees it.
typedef struct phxi_friction_pressed {
    double most;      // N: coefficient times push
    double stiffness; // N/m, of the contact
    double spacing;   // m, of particles
    double grip;      // how many times less than usual slips what is held; 1
    bool moving;      // comes or goes: the push of a first guess says little about friction
} phxi_friction_pressed;

/// b, N/m.
static inline double phxi_friction_drag(const phxi_friction_pressed* c, phx_vec3 slip) {
    double drag = c->most / fmax(phxi_length(slip), PHXI_FRICTION_STICK / c->grip * c->spacing);
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
