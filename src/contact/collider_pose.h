// SPDX-License-Identifier: MIT
// Pose and motion of a collider at one moment: x = rotation X + shift, with X in its own axes.
#pragma once

#include "math/vec3.h"

typedef struct phxi_collider_pose {
    phxi_mat3 rotation;
    phx_vec3 shift;                   // m
    phx_vec3 center;                  // m, in space: the rates below are about it
    phx_vec3 velocity, spin;          // m/s, rad/s
    phx_vec3 acceleration, spin_rate; // m/s^2, rad/s^2
} phxi_collider_pose;

/// To its own axes, and back.
static inline phx_vec3 phxi_pose_local(const phxi_collider_pose* pose, phx_vec3 x) {
    const double(*m)[3] = pose->rotation.m;
    phx_vec3 d = phxi_sub(x, pose->shift);
    return phxi_vec3(m[0][0] * d.x + m[1][0] * d.y + m[2][0] * d.z, m[0][1] * d.x + m[1][1] * d.y + m[2][1] * d.z,
                     m[0][2] * d.x + m[1][2] * d.y + m[2][2] * d.z);
}
static inline phx_vec3 phxi_pose_world(const phxi_collider_pose* pose, phx_vec3 local) {
    return phxi_add(phxi_mat3_apply(&pose->rotation, local), pose->shift);
}

/// Velocity (m/s) and acceleration (m/s^2) of the material point at x.
static inline phx_vec3 phxi_pose_velocity(const phxi_collider_pose* pose, phx_vec3 x) {
    return phxi_add(pose->velocity, phxi_cross(pose->spin, phxi_sub(x, pose->center)));
}
static inline phx_vec3 phxi_pose_acceleration(const phxi_collider_pose* pose, phx_vec3 x) {
    phx_vec3 arm = phxi_sub(x, pose->center);
    phx_vec3 turning = phxi_add(phxi_cross(pose->spin_rate, arm), phxi_cross(pose->spin, phxi_cross(pose->spin, arm)));
    return phxi_add(pose->acceleration, turning);
}

/// The same pose without motion.
static inline phxi_collider_pose phxi_pose_at_rest(const phxi_collider_pose* pose) {
    return (phxi_collider_pose){.rotation = pose->rotation, .shift = pose->shift};
}

/// Interpolates between two poses of one motion: a at part = 0, b at 1; the rates are those of b.
phxi_collider_pose phxi_pose_between(const phxi_collider_pose* a, const phxi_collider_pose* b, double part);
