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

#define PHXI_FRICTION_TAKEN 0.25 /* q above: a quarter of w per substep */

/// Particles i < j; or particle i and a collider, j = -1.
typedef struct phxi_friction_slip {
    int i, j;
    phx_real slip[3]; // m, of j relative to i, or of i relative to the collider: w - dt v / 2 - dt^2 r
} phxi_friction_slip;

typedef struct phxi_friction_memory {
    PHXI_ARRAY(phxi_friction_slip) now;  // ascending
    PHXI_ARRAY(phxi_friction_slip) next; // of the current substep
} phxi_friction_memory;

/// Reserves room for a small world; `memory` must be zeroed.
phx_result phxi_friction_memory_create(phxi_friction_memory* memory, phxi_heap* heap);
void phxi_friction_memory_destroy(phxi_friction_memory* memory, phxi_heap* heap);
/// Index of the first item of `now` that is not before (i, j).
int phxi_friction_memory_from(const phxi_friction_memory* memory, int i, int j);
/// The stored slip of (i, j); NULL: they did not touch. The search starts at `at`, which advances: for lookups in
/// order.
const phxi_friction_slip* phxi_friction_memory_find(const phxi_friction_memory* memory, int i, int j, int* at);
/// Appends slips of this substep, in order; phxi_friction_memory_turn makes `next` the new `now`.
phx_result phxi_friction_memory_add(phxi_friction_memory* memory, phxi_heap* heap, const phxi_friction_slip* more,
                                    int count);
void phxi_friction_memory_turn(phxi_friction_memory* memory);
/// Reads `now` from packed bytes; PHX_ERROR_FORMAT if they do not fit `particles` particles.
phx_result phxi_friction_memory_unpack(phxi_friction_memory* memory, phxi_heap* heap, const uint8_t* bytes, size_t size,
                                       int particles);
/// `count` particles were inserted before particle `at`.
void phxi_friction_memory_shift(phxi_friction_memory* memory, int at, int count);

/// Times of a substep: its length, and how long its forces act on the velocity left by the last one.
typedef struct phxi_friction_times {
    double dt, kick;
} phxi_friction_times;
/// How strongly slip is taken back, 1/s^2.
static inline double phxi_friction_slip_rate(double dt) {
    return PHXI_FRICTION_TAKEN / (dt * dt);
}
/// Current w, completed by the velocity of the last substep; its length is at most `most`. `turn`: spin of the pair,
/// rad/s.
static inline phx_vec3 phxi_friction_slip_now(const phxi_friction_slip* stored, phxi_friction_times t,
                                              phx_vec3 velocity, phx_vec3 turn, phx_vec3 normal, double most) {
    if (!stored) {
        return phxi_vec3(0, 0, 0);
    }
    double last = 2 * t.kick - t.dt;
    phx_vec3 slip = phxi_vec3(stored->slip[0], stored->slip[1], stored->slip[2]);
    slip = phxi_add_scaled(slip, last, phxi_add(velocity, phxi_cross(turn, slip)));
    slip = phxi_add_scaled(slip, -phxi_dot(slip, normal), normal);
    double length = phxi_length(slip);
    return length > most ? phxi_scale(most / length, slip) : slip;
}
/// What to store, from the velocity before this substep and r.
static inline phxi_friction_slip phxi_friction_slip_ahead(int i, int j, phxi_friction_times t, phx_vec3 slip,
                                                          phx_vec3 velocity, phx_vec3 r) {
    slip = phxi_add_scaled(slip, 0.5 * t.kick - t.dt, velocity);
    slip = phxi_add_scaled(slip, -t.dt * t.kick, r);
    return (phxi_friction_slip){i, j, {(phx_real)slip.x, (phx_real)slip.y, (phx_real)slip.z}};
}
