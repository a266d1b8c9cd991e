// SPDX-License-Identifier: MIT
// The four explicit integrators, for every method that has an acceleration per particle.
//
// A substep is drift, new internal accelerations at the new positions, kick:
//
//     phxi_explicit_drift:  v(t) -> v(t+dt/2),  x(t) -> x(t+dt)
//     the method:           a(t+dt) into acceleration[]
//     phxi_explicit_kick:   v(t+dt), of the same time as x
//
// Total acceleration is a + g + e, with e = f/m of the external forces. They are known at t only, so v(t+dt) is
// made with the old e and the difference is put right by the next drift: positions are those of the leap-frog scheme
// with f(t) at t, which is symplectic (adding half of an outdated contact force is not; it pumps energy in).
//
//     velocity_verlet  v(mid) = v + dt/2 (a+g+e) + dt_old/2 (e - e_old)
//     leapfrog         carries v(mid): v(mid) += (dt_old+dt)/2 (a+g+e)
//     verlet           carries the displacement d of a substep: d = d dt/dt_old + dt (dt_old+dt)/2 (a+g+e)
//     damped_verlet    the same with exp(-c dt) d: plain damping -c m v with the material's c
//
// All four give the same trajectory up to rounding (docs/theory/discretisation.md (4) to (8)). If v was changed from
// outside (a driver let go, a velocity was set), it no longer equals what the carried number gave; this is detected and
// v wins.
//
// Positions are sums of thousands of tiny displacements: `low` holds what rounding x cut off (Kahan, Moller), without
// which a float body at x = 1 m stands still below 6e-8 m per substep.
#pragma once

#include "math/simd.h"
#include "motion/integrator.h"
#include "particles/particles.h"

/// Arrays of whole particle sets and the numbers of one substep of one body.
typedef struct phxi_explicit {
    phxi_integrator kind;
    double dt, last_dt; // s; last_dt 0: there was no substep yet
    double damping;     // 1/s, of damped_verlet
    phx_vec3 gravity;
    phxi_particles* particles; // with PHXI_MOTION_EXPLICIT; `carry` is v(mid) or d, see above
} phxi_explicit;

/// Both for particles [begin, end). fixed[] ones keep x and v; their `external` is kept up to date. Those on rails go
/// across them with the velocity that they have, whatever pushes.
void phxi_explicit_drift(const phxi_explicit* scheme, int begin, int end);
void phxi_explicit_kick(const phxi_explicit* scheme, int begin, int end);

/// x + low + d, split again into what x can hold and the rest (Knuth's two-sum: exact, no branch). Fixed ones get a d
/// that takes the rest away instead of a store that is left out: compilers make that wide without detours.
PHXI_INLINE void phxi_explicit_move(phx_real* restrict x, phx_real* restrict low, phx_real d, int fixed) {
    phx_real from = *x, rest = *low + (fixed ? -*low : d);
    phx_real to = from + rest;
    phx_real seen = to - from;
    *x = to;
    *low = (from - (to - seen)) + (rest - seen);
}
