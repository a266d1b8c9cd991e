// SPDX-License-Identifier: MIT
// The rigid motion of a group of particles, and damping against it: what is left of the velocities decays, momentum and
// angular momentum stay. Where drivers hold particles, theirs is the motion that counts (a clamped beam comes to rest
// against its clamp).
#pragma once

#include "core/arena.h"
#include "math/vec3.h"
#include "parallel/parallel.h"
#include "particles/particles.h"

/// Sums over particles, about `origin`. Made per block, merged in block order.
typedef struct phxi_rigid_sums {
    double mass;
    phx_vec3 first, momentum, spin; // sum m r, sum m v, sum m r x v
    phxi_sym3 second;               // sum m r r^T
} phxi_rigid_sums;

typedef struct phxi_rigid_motion {
    phx_vec3 center, velocity, spin; // m, m/s, rad/s
} phxi_rigid_motion;

/// Adds particles [begin, end): free ones to sums[0], fixed ones to sums[1].
void phxi_rigid_add(phxi_rigid_sums sums[2], const phxi_particles* particles, phx_vec3 origin, int begin, int end);
void phxi_rigid_merge(phxi_rigid_sums* sums, const phxi_rigid_sums* more);
/// The motion with the same momentum and angular momentum; of the fixed ones alone if there are any.
phxi_rigid_motion phxi_rigid_solve(const phxi_rigid_sums sums[2], phx_vec3 origin);
/// v -> w + keep (v - w) with w the motion at x, for the free particles of [begin, end).
void phxi_rigid_damp(const phxi_rigid_motion* motion, phxi_particles* particles, double keep, int begin, int end);
/// The same for all of a body, against its own motion.
phx_result phxi_rigid_damp_body(phxi_pool* pool, phxi_arena* arena, phxi_particles* particles, double keep, int begin,
                                int count);
