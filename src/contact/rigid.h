// SPDX-License-Identifier: MIT
// Rigid bodies as contact sees them (docs/theory/contact.md section 6): a push moves the whole body, and what is
// touched is the solid that was sampled, not its particles.
//
// A force f at x gives the point y of the body the acceleration
//   f / M + (I^-1 ((x - pivot) x f)) x (y - pivot)
// about the centre of mass. A body held at a point turns about that point (1/M = 0, I about the point), one on a hinge
// about its axis (I^-1 = e e^T / I_e); one moved by drivers does neither.
//
// Its surface is made of its core, what lies `skin` or deeper below the surface of the solid, with a ball of that
// radius around each point: smooth where the solid is smooth, rounded at edges as if by its particles. Cores of
// touching bodies are separated by both skins, so closest points of two bodies are found by going back and forth
// between the cores, even while the surfaces overlap.
#pragma once

#include "math/vec3.h"
#include "particles/particles.h"

typedef struct phxi_solid phxi_solid;           // geometry/solid.h
typedef struct phxi_rigid_grip phxi_rigid_grip; // contact/rigid_collide.h

/// Particles this many skins below the surface have others above them and are ignored.
#define PHXI_RIGID_DEEP 2.1

typedef struct phxi_contact_rigid {
    double mass;              // kg
    phx_vec3 center;          // of mass
    phxi_mat3 spread;         // inverse inertia about the centre: couples are forces m (spread tau) x (x - center)
    bool able;                // can take couples: it is not a rod
    phx_vec3 pivot;           // m
    double inverse_mass;      // 1/M; 0: the pivot is held
    phxi_mat3 inverse;        // I^-1 about the pivot; zero: it does not turn
    phx_vec3 velocity, spin;  // of the pivot; rad/s; without the current forces
    phx_vec3 gyration;        // N m about the pivot: gyroscopic torque, -w x (I w)
    phx_vec3 rate, spin_rate; // acceleration of the pivot, and rad/s^2, by all forces but particle contact
    const phxi_solid* solid;  // at rest: x = now + rotation (X - rest)
    phxi_mat3 rotation;
    phx_vec3 rest, now;
    double skin;           // m
    double overlap;        // m, how deep it was put into something that it has not left yet
    phxi_rigid_grip* grip; // where colliders hold it, which friction of its other contacts must know; NULL: nowhere
    // by particle of the world: unit normal of the surface above it at rest, its depth, weight (pair_nodes.c)
    const phx_real *normal[3], *depth, *flatness;
} phxi_contact_rigid;

/// True if it neither moves nor turns, whatever pushes it.
static inline bool phxi_rigid_held(const phxi_contact_rigid* body) {
    const double(*q)[3] = body->inverse.m;
    return body->inverse_mass == 0 && q[0][0] + q[1][1] + q[2][2] == 0;
}
static inline phx_vec3 phxi_rigid_velocity_at(const phxi_contact_rigid* body, phx_vec3 point) {
    return phxi_add(body->velocity, phxi_cross(body->spin, phxi_sub(point, body->pivot)));
}
/// Distance of a point from the surface of the solid (negative inside), and the outward direction there.
double phxi_rigid_surface(const phxi_contact_rigid* body, phx_vec3 point, phx_vec3* normal);
/// The point of its core nearest to `point`, and the outward direction there; a point inside the core is its own.
phx_vec3 phxi_rigid_core(const phxi_contact_rigid* body, phx_vec3 point, phx_vec3* normal);
/// Where contact places particle i: on the core, straight below the surface above it.
phx_vec3 phxi_rigid_seen(const phxi_contact_rigid* body, const phxi_particles* particles, int i);
/// Current normal of the surface above particle i.
phx_vec3 phxi_rigid_normal(const phxi_contact_rigid* body, int i);

/// Anything that has a nearest point to a given point.
typedef struct phxi_closest_to {
    phx_vec3 (*nearest)(const void* context, phx_vec3 point);
    const void* context;
} phxi_closest_to;
/// Closest points of two, starting the search at `*on_a`.
void phxi_rigid_closest_points(const phxi_closest_to* a, const phxi_closest_to* b, phx_vec3* on_a, phx_vec3* on_b);
phxi_closest_to phxi_rigid_closest_to(const phxi_contact_rigid* body);

/// Acceleration of a point, along `direction` (a unit vector), by a force of 1 N that acts there along it.
double phxi_rigid_inverse_mass(const phxi_contact_rigid* body, phx_vec3 point, phx_vec3 direction);
/// The largest of these over all directions at right angles to the normal.
double phxi_rigid_inverse_mass_across(const phxi_contact_rigid* body, phx_vec3 point, phx_vec3 normal);

/// Weight of a contact place that lies `apart` spacings from its particle: from 1 down to 0 at 1.41.
double phxi_rigid_weight(double apart);
/// A place where two bodies, or a body and a collider, touch: `group` identifies the two. On a round surface many
/// particles find the same place, on a flat one each its own: shares are weights over the sum of weights nearby, by a
/// kernel that is 1 at its centre and has the area of a particle.
typedef struct phxi_rigid_spot {
    int64_t group;
    int index; // for the caller's use
    phx_vec3 at;
    double weight, width; // m, of a particle
    double share;         // output
} phxi_rigid_spot;
/// Sorts them.
void phxi_rigid_share_spots(phxi_rigid_spot* spots, int count);
