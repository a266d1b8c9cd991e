// SPDX-License-Identifier: MIT
// Particles against obstacles: penalty with damping and Coulomb friction (specs/corotated_sph_anisotropic.md section
// 8).
//
// A particle is a ball of half its spacing a. With phi the distance of its centre and n the outward normal,
//   f_n = max(0, k (a/2 - phi) - c v_n)      k = E V / (2 a^2), which is E a / 2 for a full cubic cell
//   f_t = min(mu f_n, |m v_t / (2 dt) + load_t + q m w / dt^2|) against that vector, with v_t the tangential velocity,
//         load_t the tangential part of all else that acts (internal forces, gravity, drivers, earlier colliders; not
//         yet other bodies) and w the way it has slipped against what was meant (slips.h)
// and c = 2 zeta sqrt(k m), at most m / (2 dt). Friction thus takes up the load and half of the slip: it cannot turn a
// particle around within a substep, and what lies on a slope below atan(mu) comes to rest and stays. (Taking all of the
// slip at once leaves an undamped flicker, as the velocity at t still has the force before in it: methods learn the
// forces of t only when the substep from t begins, see motion/explicit.h. The published min(mu f_n, c |v_t|) creeps at
// the speed load_t / c and has no friction without damping.)
//
// An obstacle that a driver moves is rigid: v_t, v_n are against its own velocity where the particle is, and what it
// accelerates with there, times m, is taken off the load. It has two poses: `now` at the start of a substep, for forces
// of time t, and `next` at its end, for methods that look ahead; outside of substeps they are the same.
//
// Particles with an `overlap` were there from the start (world/overlap.c): they are let out at a speed, by no more than
// k times the depth.
//
// A particle that comes so fast, or under such a load, that its centre would all but reach the obstacle within the
// substep is pushed as hard as it takes to stop it short of that: whatever the stiffness, nothing goes through.
//
// Forces are of time t, for positions and velocities of time t: with leap-frog a bounce without damping keeps its
// energy.
#pragma once

#include "contact/collider_pose.h"
#include "contact/law/friction_memory.h"
#include "core/params.h"
#include "geometry/distance_field.h"
#include "geometry/shape.h"
#include "parallel/parallel.h"
#include "particles/particles.h"

extern const phx_param_table phxi_collider_table;
#define PHXI_COLLIDER_STAMP 0x434f4c31u

typedef struct phxi_collider {
    char name[64];
    phxi_shape* shape;                // or
    const phxi_distance_field* field; // of a mesh
    double scale;                     // of the shape in space
    bool placed;                      // its axes are not those of space, or will not be for ever
    bool driven;                      // there is a driver for it, which wants to know what it exerts
    phxi_collider_pose now, next;
    bool inside;
    double stiffness, damping, friction;
    uint64_t plan; // over the whole definition
    phxi_slips slips;
} phxi_collider;

/// `field` is that of the definition's mesh, whose hash is `mesh`; NULL, 0: it has none.
phx_result phxi_collider_init(phxi_collider* collider, phxi_heap* heap, const phx_collider_def* def,
                              const phxi_distance_field* field, uint64_t mesh);
/// Whether the definition names both a mesh and a shape.
bool phxi_collider_has_both(const phx_collider_def* def);
void phxi_collider_destroy(phxi_collider* collider, phxi_heap* heap);
/// What an obstacle exerts on particles, all together.
typedef struct phxi_collider_push {
    phx_vec3 force; // N
    double power;   // W, of forces at the start of the substep
    /// W, of implicit steps, which know forces at the end of their parts: the mean over the parts; and that of the last
    /// part, times its share in the step.
    double mean, last;
} phxi_collider_push;
/// Particles of one body as a collider sees them.
typedef struct phxi_contact_range {
    int begin, count;
    double young;               // Pa
    unsigned motion;            // motion fields that its method keeps (particles.h)
    double last_dt;             // s, of the last substep
    bool projection;            // pushes follow from gaps, not from a stiffness (projection.h)
    double compliance;          // m/N, of projection
    double overlap_time;        // s, in which particles with an `overlap` are let out
    phxi_collider_push* pushes; // force and power of each block go here; NULL: nobody wants to know
    phxi_slip* ways;            // what friction is to remember, from the first of each block on
    int* way_counts;            // by block
} phxi_contact_range;
/// How many blocks phxi_collide makes, and where in the range one begins.
int phxi_collide_blocks(int count);
int phxi_collide_block_begin(int block);
/// Adds to fx, fy, fz of the range, for a substep of dt.
void phxi_collide(const phxi_collider* collider, phxi_pool* pool, phxi_particles* particles,
                  const phxi_contact_range* range, phx_vec3 gravity, double dt);
/// What else there is to know of a particle.
typedef struct phxi_collider_load {
    phx_vec3 force;  // N, of all else that acts
    phx_vec3 coming; // m/s, its velocity without the forces of now, as far as it can be known
    double ago;      // s: when it had that
    bool projection; // as in phxi_contact_range
    double compliance;
    double leaving;          // m/s: was put there, and is let out with this speed; 0: was not
    const phxi_slip* before; // what friction remembers of it; NULL: it did not touch
    phxi_slip after;         // and will, if it is held
    bool held;
    double dt, kick; // s; the substep, which bounds friction and damping; how long forces of now change `coming`
} phxi_collider_load;
/// What it exerts on one particle where it is now, N.
phx_vec3 phxi_collider_force(const phxi_collider* collider, const phxi_particles* particles, int i, double young,
                             phxi_collider_load* load);
/// A particle at a point of the caller's choice, for methods that look ahead.
typedef struct phxi_touch {
    double depth;      // m
    phx_vec3 normal;   // outward
    double stiffness;  // N/m
    phx_vec3 way;      // m, that what is there of the obstacle goes in this substep
    phx_vec3 velocity; // of the same at the end, m/s
} phxi_touch;
/// False if particle i would not touch at `point` at the end of this substep.
bool phxi_collider_touch(const phxi_collider* collider, const phxi_particles* particles, int i, phx_vec3 point,
                         double young, phxi_touch* touch);
/// How far a point is from the solid side at the end of this substep, m; negative in it.
double phxi_collider_distance(const phxi_collider* collider, phx_vec3 point);
/// Where an obstacle's surface is near a point.
typedef struct phxi_surface_point {
    phx_vec3 normal;   // outward
    phx_vec3 velocity; // of the obstacle there, m/s
} phxi_surface_point;
/// The same distance, with the surface.
double phxi_collider_surface(const phxi_collider* collider, phx_vec3 point, phxi_surface_point* at);
/// The same at the start of the substep, and the way out there (NULL: not wanted).
double phxi_collider_now(const phxi_collider* collider, phx_vec3 point, phx_vec3* normal);
/// False if nothing within `radius` (m) of the point can touch at the end of it.
bool phxi_collider_near(const phxi_collider* collider, phx_vec3 point, double radius);
/// Stored energy of one particle, J; and the stiffness of one particle against this collider, N/m.
double phxi_collider_energy(const phxi_collider* collider, const phxi_particles* particles, int i, double young);
double phxi_collider_stiffness(const phxi_collider* collider, double young, double volume, double spacing);
