// SPDX-License-Identifier: MIT
// Bodies that move as one, as contact sees them: what a push moves is the whole body, and what is touched is the solid
// that was sampled, not its particles.
//
// A force f at x gives the point y of the body the acceleration
//   f / M + (I^-1 ((x - pivot) x f)) x (y - pivot)
// about the centre of mass. One that is held at a point turns about that (1/M = 0, I about the point), one on a hinge
// about its axis (I^-1 = e e^T / I_e), one that drivers move does neither.
//
// For its surface a rigid body is its core, what lies `skin` or deeper below the surface of the solid, with a ball of
// that radius around each point: smooth where the solid is, rounded at edges as if by its particles. Cores of bodies
// that touch are apart by both skins, so that closest points of two of them are found by going back and forth between
// them, even while their surfaces overlap.
#pragma once

#include "math/vec3.h"
#include "particles/particles.h"

typedef struct phxi_solid phxi_solid;           // geometry/solid.h
typedef struct phxi_rigid_grip phxi_rigid_grip; // contact/rigid_collide.h

/// Particles that are this many skins below the surface have another one above, and are not seen.
#define PHXI_RIGID_DEEP 2.1

typedef struct phxi_contact_rigid {
    double mass;       // kg
    phx_vec3 center;   // of mass
    phxi_mat3 spread;  // inverse of its inertia about the centre: couples are forces m (spread tau) x (x - center)
    bool able;         // takes couples: it is no rod
    phx_vec3 pivot;    // m
    double lightness;  // 1/M; 0: the pivot is held
    phxi_mat3 inverse; // I^-1 about the pivot; zero: it does not turn
    phx_vec3 velocity, spin;  // of the pivot; rad/s; without the forces of now
    phx_vec3 gyration;        // N m about the pivot: what turns its axes without a torque, -w x (I w)
    phx_vec3 rate, spin_rate; // acceleration of the pivot and rad/s^2 by all that acts but contact of particles
    const phxi_solid* solid;  // as it was at rest: x = now + rotation (X - rest)
    phxi_mat3 rotation;
    phx_vec3 rest, now;
    double skin;           // m
    phxi_rigid_grip* grip; // where obstacles hold it, which friction of its other contacts must know; NULL: nowhere
    // by particle of the world: unit normal of the surface above at rest, how far below, weight (see pair_nodes.c)
    const phx_real *normal[3], *depth, *flatness;
} phxi_contact_rigid;

/// Neither moves nor turns, whatever pushes it.
static inline bool phxi_rigid_held(const phxi_contact_rigid* body) {
    const double(*q)[3] = body->inverse.m;
    return body->lightness == 0 && q[0][0] + q[1][1] + q[2][2] == 0;
}
static inline phx_vec3 phxi_rigid_velocity_at(const phxi_contact_rigid* body, phx_vec3 point) {
    return phxi_add(body->velocity, phxi_cross(body->spin, phxi_sub(point, body->pivot)));
}
/// How far a point is from the surface of the solid (below 0: inside), and the way out there.
double phxi_rigid_surface(const phxi_contact_rigid* body, phx_vec3 point, phx_vec3* normal);
/// The point of its core nearest to `point`, and the way out there; a point inside of the core stays where it is.
phx_vec3 phxi_rigid_core(const phxi_contact_rigid* body, phx_vec3 point, phx_vec3* normal);
/// Where particle i is seen: on the core, straight below the surface above it.
phx_vec3 phxi_rigid_seen(const phxi_contact_rigid* body, const phxi_particles* particles, int i);
/// Normal of the surface above particle i as it is now.
phx_vec3 phxi_rigid_normal(const phxi_contact_rigid* body, int i);

/// Something that has a nearest point to any other.
typedef struct phxi_meeting {
    phx_vec3 (*nearest)(const void* context, phx_vec3 point);
    const void* context;
} phxi_meeting;
/// Points of two that are closest to each other, near `*on_a`, which is the start.
void phxi_rigid_meet(const phxi_meeting* a, const phxi_meeting* b, phx_vec3* on_a, phx_vec3* on_b);
phxi_meeting phxi_rigid_meeting(const phxi_contact_rigid* body);

/// Acceleration of a point, along `direction` (a unit vector), by a force of 1 N that acts there along it.
double phxi_rigid_lightness(const phxi_contact_rigid* body, phx_vec3 point, phx_vec3 direction);
/// The largest of these of all directions at right angles to the normal.
double phxi_rigid_ease(const phxi_contact_rigid* body, phx_vec3 point, phx_vec3 normal);

/// Weight of a place in contact that lies `apart` spacings from the particle it is of: 1 to 0 at a reach of 1.41.
double phxi_rigid_weight(double apart);
/// Places where two bodies, or a body and an obstacle, touch: `group` tells which two. Where a surface is round, many
/// particles find the same place, where it is flat each its own: shares are weights over the sum of weights around, by
/// a kernel that is 1 at its middle and has the area of a particle.
typedef struct phxi_rigid_spot {
    int64_t group;
    int index; // of the caller
    phx_vec3 at;
    double weight, width; // m, of a particle
    double share;         // the answer
} phxi_rigid_spot;
/// Sorts them.
void phxi_rigid_share_spots(phxi_rigid_spot* spots, int count);
