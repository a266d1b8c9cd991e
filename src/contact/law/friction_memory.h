// SPDX-License-Identifier: MIT
// What friction remembers: how far two that touch have slipped against what it meant them to.
//
// Friction that resists velocity alone lets go of a little in every substep (sweeps end before all contacts of a heap
// agree, and obstacles do not know what bodies on top exert), and a heap creeps. So it also takes back the way w that
// was slipped unmeant, as far as the coefficient allows. With v the velocity at the surface, friction aims at
//   dv/dt = -v / (2 dt) - q w / dt^2
// and means v to become v + dt dv/dt + dt r, where r is what the coefficient leaves of that aim. What comes else is
// slipped unmeant:
//   w_next = w + dt v_next - dt v / 2 - dt^2 r.
// Under a constant force that friction does not know of, w settles where it bears that force and v is zero. What slides
// and stops as it is meant to has no w, so it does not spring back. w is at right angles to the normal, turns with the
// pair, and is at most what the largest friction can take back. (With w += dt v instead, the springs of Cundall and
// Strack, bodies that slide and stop turn around.)
//
// Kept is w without its next velocity. The list is a part of the state: checkpoints have it, in order of i, then j.
#pragma once

#include "core/array.h"
#include "math/vec3.h"
#include "particles/particles.h"

#define PHXI_SLIP_TAKEN 0.25 /* q above: w goes by a quarter a substep */

/// Particles i < j; or particle i and an obstacle, j = -1.
typedef struct phxi_slip {
    int i, j;
    phx_real way[3]; // m, of j against i, or of i against the obstacle: w - dt v / 2 - dt^2 r
} phxi_slip;

typedef struct phxi_slips {
    PHXI_ARRAY(phxi_slip) now;  // ascending
    PHXI_ARRAY(phxi_slip) next; // of the substep that is being made
} phxi_slips;

/// Room for a small world; `slips` is zero before.
phx_result phxi_slips_create(phxi_slips* slips, phxi_heap* heap);
void phxi_slips_destroy(phxi_slips* slips, phxi_heap* heap);
/// The first of `now` that is not before (i, j).
int phxi_slips_from(const phxi_slips* slips, int i, int j);
/// What is kept of them; NULL: they did not touch. `at` is where to look first, and moves on: for those who ask in
/// order.
const phxi_slip* phxi_slips_find(const phxi_slips* slips, int i, int j, int* at);
/// Adds ways of this substep, in order; `next` is `now` from phxi_slips_turn on.
phx_result phxi_slips_add(phxi_slips* slips, phxi_heap* heap, const phxi_slip* more, int count);
void phxi_slips_turn(phxi_slips* slips);
/// Makes `now` what the bytes of such items say; PHX_ERROR_FORMAT if they cannot be of `particles` particles.
phx_result phxi_slips_unpack(phxi_slips* slips, phxi_heap* heap, const uint8_t* bytes, size_t size, int particles);
/// `count` particles have come before particle `at`.
void phxi_slips_shift(phxi_slips* slips, int at, int count);

/// Times that a substep knows of: its own, and how long its forces change the velocity that the last one had.
typedef struct phxi_slip_times {
    double dt, kick;
} phxi_slip_times;
/// How hard ways are taken back, 1/s^2.
static inline double phxi_slip_rate(double dt) {
    return PHXI_SLIP_TAKEN / (dt * dt);
}
/// w of now, with the velocity of the last substep; at most `most` long. `turn` is how they turn, rad/s.
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
/// What to keep of it, with the velocity before this substep and r.
static inline phxi_slip phxi_slip_ahead(int i, int j, phxi_slip_times t, phx_vec3 way, phx_vec3 velocity, phx_vec3 r) {
    way = phxi_add_scaled(way, 0.5 * t.kick - t.dt, velocity);
    way = phxi_add_scaled(way, -t.dt * t.kick, r);
    return (phxi_slip){i, j, {(phx_real)way.x, (phx_real)way.y, (phx_real)way.z}};
}
