// SPDX-License-Identifier: MIT
// Particles against obstacles: penalty with damping and Coulomb friction (specs/corotated_sph_anisotropic.md section
// 8).
//
// A particle is a ball of half its spacing a. With phi the distance of its centre and n the outward normal,
//   f_n = max(0, k (a/2 - phi) - c v_n)      k = E V / (2 a^2), which is E a / 2 for a full cubic cell
//   f_t = min(mu f_n, |m v_t / (2 dt) + load_t|) against that vector, with v_t the tangential velocity and load_t the
//         tangential part of all else that acts: internal forces, gravity, drivers, earlier colliders
// and c = 2 zeta sqrt(k m), at most m / (2 dt). Friction thus takes up the load and half of the slip: it cannot turn a
// particle around within a substep, and what lies on a slope below atan(mu) comes to rest and stays. (Taking all of the
// slip at once leaves an undamped flicker, as the velocity at t still has the force before in it: methods learn the
// forces of t only when the substep from t begins, see methods/explicit.h. The published min(mu f_n, c |v_t|) creeps at
// the speed load_t / c and has no friction without damping.)
//
// Forces are of time t, for positions and velocities of time t: with leap-frog a bounce without damping keeps its
// energy.
#pragma once

#include "core/params.h"
#include "geometry/shape.h"
#include "parallel/parallel.h"
#include "particles/particles.h"

extern const phx_param_table phxi_collider_table;
#define PHXI_COLLIDER_STAMP 0x434f4c31u

typedef struct phxi_collider {
    char name[64];
    phxi_shape* shape;
    bool inside;
    double stiffness, damping, friction;
    uint64_t plan; // over the whole definition
} phxi_collider;

phx_result phxi_collider_init(phxi_collider* collider, phxi_heap* heap, const phx_collider_def* def);
void phxi_collider_destroy(phxi_collider* collider, phxi_heap* heap);
/// Particles of one body as a collider sees them.
typedef struct phxi_contact_range {
    int begin, count;
    double young;                    // Pa
    const phx_real* acceleration[3]; // by internal forces, of all particles, m/s^2; NULL: not known
} phxi_contact_range;
/// Adds to fx, fy, fz of the range, for a substep of dt.
void phxi_collide(const phxi_collider* collider, phxi_pool* pool, phxi_particles* particles,
                  const phxi_contact_range* range, phx_vec3 gravity, double dt);
/// What it exerts on one particle where it is now, N, if `load` (N) acts besides; dt bounds friction and damping.
phx_vec3 phxi_collider_force(const phxi_collider* collider, const phxi_particles* particles, int i, double young,
                             phx_vec3 load, double dt);
/// A particle at a point of the caller's choice, for methods that look ahead.
typedef struct phxi_touch {
    double depth;     // m
    phx_vec3 normal;  // outward
    double stiffness; // N/m
} phxi_touch;
/// False if particle i would not touch at `point`.
bool phxi_collider_touch(const phxi_collider* collider, const phxi_particles* particles, int i, phx_vec3 point,
                         double young, phxi_touch* touch);
/// False if nothing within `radius` (m) of the point can touch.
bool phxi_collider_near(const phxi_collider* collider, phx_vec3 point, double radius);
/// Stored energy of one particle, J; and the stiffness of one particle against this collider, N/m.
double phxi_collider_energy(const phxi_collider* collider, const phxi_particles* particles, int i, double young);
double phxi_collider_stiffness(const phxi_collider* collider, double young, double volume, double spacing);
