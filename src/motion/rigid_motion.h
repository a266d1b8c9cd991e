// SPDX-License-Identifier: MIT
// The rigid motion of a group of particles, and damping relative to it: the rest of the velocities decays, momentum and
// angular momentum stay (docs/theory/discretisation.md (9)). If drivers hold particles, their motion is used instead (a
// clamped beam comes to rest relative to its clamp).
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
/// The rigid motion with the same momentum and angular momentum; that of the fixed particles if there are any.
phxi_rigid_motion phxi_rigid_solve(const phxi_rigid_sums sums[2], phx_vec3 origin);
/// v -> w + keep (v - w) with w the motion at x, for the free particles of [begin, end).
void phxi_rigid_damp(const phxi_rigid_motion* motion, phxi_particles* particles, double keep, int begin, int end);
/// The same for a whole body, relative to its own motion.
phx_result phxi_rigid_damp_body(phxi_pool* pool, phxi_arena* arena, phxi_particles* particles, double keep, int begin,
                                int count);
