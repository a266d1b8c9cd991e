// SPDX-License-Identifier: MIT
// Particles against colliders: penalty with damping and Coulomb friction (docs/theory/contact.md (1) to (3)).
//
// A particle is a ball of half its spacing a, or the point that it is if it stands on the surface of its body
// (reach.h). With phi the distance of its centre, r its radius and n the outward normal,
//   f_n = max(0, k (r - phi) - c v_n)        k = E V / (2 a^2), which is E a / 2 for a full cubic cell; 5 E A / a at
//   the
//                                            surface
//   f_t = min(mu f_n, |u|) against u,  u = m v_t / (2 dt) + load_t + q m w / dt^2
// where v_t is the tangential velocity, load_t the tangential part of all other forces (internal forces, gravity,
// drivers, earlier colliders, but not yet other bodies), w the slip that friction remembers (law/friction_memory.h),
// and c = 2 zeta sqrt(k m), at most m / (2 dt). Friction takes up the load and half of the velocity: it cannot reverse
// a particle within a substep, and a particle on a slope below atan(mu) comes to rest and stays. Taking up the whole
// velocity at once would leave an undamped flicker, because the velocity at t still contains the previous force:
// methods learn the forces of t only when the substep from t begins (motion/explicit.h). The published min(mu f_n, c
// |v_t|) creeps at the speed load_t / c and vanishes without damping.
//
// A collider that a driver moves is rigid: v_t and v_n are relative to its own velocity at the particle, and m times
// its acceleration there is subtracted from the load. It has two poses: `now` at the start of a substep, for forces of
// time t, and `next` at its end, for methods that look ahead; outside of substeps both are the same.
//
// Particles with an `overlap` were inside the collider from the start (world/overlap.c): they are let out at a given
// speed, with at most k times the depth.
//
// A particle whose centre would nearly reach the collider within the substep, because it is fast or under a large load,
// is pushed as hard as it takes to stop it before that: nothing passes through, whatever the stiffness.
//
// Forces are of time t, for positions and velocities of time t: with leap-frog an undamped bounce keeps its energy.
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
    bool flat;                        // one plane everywhere
    bool placed;                      // its axes differ from those of space, now or later
    bool driven;                      // a driver moves it and needs the force it exerts
    bool watched;                     // a probe wants the force it exerts on each body
    phxi_collider_pose now, next;
    bool inside;
    double stiffness, damping, friction;
    uint64_t plan; // hash of the whole definition
    phxi_friction_memory friction_memory;
} phxi_collider;

/// `field` is the distance field of the definition's mesh and `mesh` its hash; NULL and 0 if it has no mesh.
phx_result phxi_collider_init(phxi_collider* collider, phxi_heap* heap, const phx_collider_def* def,
                              const phxi_distance_field* field, uint64_t mesh);
/// Whether the definition names both a mesh and a shape.
bool phxi_collider_has_both(const phx_collider_def* def);
void phxi_collider_destroy(phxi_collider* collider, phxi_heap* heap);
/// What a collider exerts on all particles together.
typedef struct phxi_collider_push {
    phx_vec3 force; // N
    double power;   // W, of forces at the start of the substep
    /// W, from implicit steps, which know forces at the end of their parts: the mean over the parts, and that of the
    /// last part times its share of the step.
    double mean, last;
} phxi_collider_push;
/// Particles of one body as a collider sees them.
typedef struct phxi_contact_range {
    int begin, count;
    double young;               // Pa
    unsigned motion;            // motion fields that its method keeps (particles.h)
    double last_dt;             // s, of the last substep
    bool projection;            // contact without stiffness (projection.h)
    double compliance;          // m/N, of projection
    double overlap_time;        // s, in which particles with an `overlap` are let out
    phxi_collider_push* pushes; // output: force and power of each block; NULL: not wanted
    phxi_friction_slip* slips;  // output: what friction remembers, starting at the first of each block
    int* slip_counts;           // by block
} phxi_contact_range;
/// Number of blocks of phxi_collide, and where a block begins in the range.
int phxi_collide_blocks(int count);
int phxi_collide_block_begin(int block);
/// Adds to fx, fy, fz of the range, for a substep of dt.
void phxi_collide(const phxi_collider* collider, phxi_pool* pool, phxi_particles* particles,
                  const phxi_contact_range* range, phx_vec3 gravity, double dt);
/// Further input and output of one particle.
typedef struct phxi_collider_load {
    phx_vec3 force;  // N, all other forces
    phx_vec3 coming; // m/s, its velocity without the current forces, as far as known
    double ago;      // s: how long ago it had that velocity
    bool projection; // as in phxi_contact_range
    double compliance;
    double leaving;                   // m/s: it overlapped at the start and is let out at this speed; 0: it did not
    const phxi_friction_slip* before; // what friction remembers; NULL: no contact before
    phxi_friction_slip after;         // output: what to remember, if held
    bool held;
    double dt, kick; // s; the substep, which bounds friction and damping; how long current forces act on `coming`
} phxi_collider_load;
/// Force on one particle at its current position, N.
phx_vec3 phxi_collider_force(const phxi_collider* collider, const phxi_particles* particles, int i, double young,
                             phxi_collider_load* load);
/// Contact of a particle at a point chosen by the caller, for methods that look ahead.
typedef struct phxi_collider_contact {
    double depth;          // m
    phx_vec3 normal;       // outward
    double stiffness;      // N/m
    phx_vec3 displacement; // m, how far the touched point of the collider moves in this substep
    phx_vec3 velocity;     // of that point at the end, m/s
} phxi_collider_contact;
/// False if particle i would not touch at `point` at the end of this substep.
bool phxi_collider_find_contact(const phxi_collider* collider, const phxi_particles* particles, int i, phx_vec3 point,
                                double young, phxi_collider_contact* touch);
/// Distance of a point from the collider at the end of this substep, m; negative inside.
double phxi_collider_distance(const phxi_collider* collider, phx_vec3 point);
/// The same where it is at most `reach`; farther away any number above that.
double phxi_collider_distance_within(const phxi_collider* collider, phx_vec3 point, double reach);
/// The collider's surface near a point.
typedef struct phxi_surface_point {
    phx_vec3 normal;   // outward
    phx_vec3 velocity; // of the collider there, m/s
} phxi_surface_point;
/// The same distance, and the surface.
double phxi_collider_surface(const phxi_collider* collider, phx_vec3 point, phxi_surface_point* at);
/// The distance at the start of the substep, and the outward direction there (NULL: not wanted).
double phxi_collider_now(const phxi_collider* collider, phx_vec3 point, phx_vec3* normal);
/// How far something may go in a step that is not to pass through unseen, m: half of the narrowest side of its box;
/// INFINITY: it has no other side. 0 of meshes, which may be thin anywhere.
double phxi_collider_thickness(const phxi_collider* collider);
/// False if nothing within `radius` (m) of the point can touch at the end of the substep.
bool phxi_collider_near(const phxi_collider* collider, phx_vec3 point, double radius);
/// Stored energy of one particle, J, by a spring of this stiffness, N/m; 0: its own. And that: the stiffness of one
/// particle against this collider, N/m; `width`: phxi_collider_width.
double phxi_collider_energy(const phxi_collider* collider, const phxi_particles* particles, int i, double young,
                            double spring);
double phxi_collider_stiffness(const phxi_collider* collider, double young, double width);
