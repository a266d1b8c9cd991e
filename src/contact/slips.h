// SPDX-License-Identifier: MIT
// Friction with memory (docs/theory/contact.md section 4): how far two touching sides have slipped beyond what friction
// intended.
//
// Friction that resists velocity alone yields a little in every substep (sweeps end before all contacts of a heap
// agree, and colliders do not know what lies on top of a particle), and a heap creeps. So friction also takes back this
// slip w, as far as the coefficient allows. With v the tangential velocity, it aims at
//   dv/dt = -v / (2 dt) - q w / dt^2
// and intends v to become v + dt dv/dt + dt r, where r is the part of that aim that the coefficient does not allow. Any
// other motion is unintended slip:
//   w_next = w + dt v_next - dt v / 2 - dt^2 r.
// Under a constant force that friction does not know of, w settles where it balances that force and v is zero. Sliding
// and stopping as intended leaves no w, so nothing springs back. w is tangential, turns with the pair, and is at most
// what the largest friction can take back. (With w += dt v instead, the springs of Cundall and Strack, bodies that
// slide and stop reverse their motion.)
//
// Stored is w without its next velocity. The list is part of the state: checkpoints contain it, sorted by i, then j.
#pragma once

#include "core/array.h"
#include "math/vec3.h"
#include "particles/particles.h"

#define PHXI_SLIP_TAKEN 0.25 /* q above: a quarter of w per substep */

/// Particles i < j; or particle i and a collider, j = -1.
typedef struct phxi_slip {
    int i, j;
    phx_real way[3]; // m, of j relative to i, or of i relative to the collider: w - dt v / 2 - dt^2 r
} phxi_slip;

typedef struct phxi_slips {
    PHXI_ARRAY(phxi_slip) now;  // ascending
    PHXI_ARRAY(phxi_slip) next; // of the current substep
} phxi_slips;

/// Reserves room for a small world; `slips` must be zeroed.
phx_result phxi_slips_create(phxi_slips* slips, phxi_heap* heap);
void phxi_slips_destroy(phxi_slips* slips, phxi_heap* heap);
/// Index of the first item of `now` that is not before (i, j).
int phxi_slips_from(const phxi_slips* slips, int i, int j);
/// The stored slip of (i, j); NULL: they did not touch. The search starts at `at`, which advances: for lookups in
/// order.
const phxi_slip* phxi_slips_find(const phxi_slips* slips, int i, int j, int* at);
/// Appends slips of this substep, in order; phxi_slips_turn makes `next` the new `now`.
phx_result phxi_slips_add(phxi_slips* slips, phxi_heap* heap, const phxi_slip* more, int count);
void phxi_slips_turn(phxi_slips* slips);
/// Reads `now` from packed bytes; PHX_ERROR_FORMAT if they do not fit `particles` particles.
phx_result phxi_slips_unpack(phxi_slips* slips, phxi_heap* heap, const uint8_t* bytes, size_t size, int particles);
/// `count` particles were inserted before particle `at`.
void phxi_slips_shift(phxi_slips* slips, int at, int count);

/// Times of a substep: its length, and how long its forces act on the velocity left by the last one.
typedef struct phxi_slip_times {
    double dt, kick;
} phxi_slip_times;
/// How strongly slip is taken back, 1/s^2.
static inline double phxi_slip_rate(double dt) {
    return PHXI_SLIP_TAKEN / (dt * dt);
}
/// Current w, completed by the velocity of the last substep; its length is at most `most`. `turn`: spin of the pair,
/// rad/s.
static inline phx_vec3 phxi_slip_now(const phxi_slip* slip, phxi_slip_times t, phx_vec3 velocity, phx_vec3 turn,
                                     phx_vec3 normal, double most) {
    if (!slip) {
        return phxi_vec3(0, 0, 0);
    }
    double last = 2 * t.kick - t.dt;
    phx_vec3 way = phxi_vec3(slip->way[0], slip->way[1], slip->way[2]);
    way = phxi_add_scaled(way, last, phxi_add(velocity, phxi_cross(turn, way)));
    way = phxi_add_scaled(way, -phxi_dot(way, normal), normal);
    double length = phxi_length(way);
    return length > most ? phxi_scale(most / length, way) : way;
}
/// What to store, from the velocity before this substep and r.
static inline phxi_slip phxi_slip_ahead(int i, int j, phxi_slip_times t, phx_vec3 way, phx_vec3 velocity, phx_vec3 r) {
    way = phxi_add_scaled(way, 0.5 * t.kick - t.dt, velocity);
    way = phxi_add_scaled(way, -t.dt * t.kick, r);
    return (phxi_slip){i, j, {(phx_real)way.x, (phx_real)way.y, (phx_real)way.z}};
}
