// SPDX-License-Identifier: MIT
// Walls: bodies of particles that move by drivers alone, and that fluids flow along (docs/theory/fluids.md section 3).
//
// A wall particle knows the unit normal of the surface above it and its depth below, from the shape or mesh the body
// was made of (fields of neighbors/wall_mirror.h). Normals turn with the body. Its volume is what fluids take for their
// sums: its own, or, by Akinci et al. (2012), gamma / sum_k W_bk over the walls around it.
#pragma once

#include "methods/method.h"
#include "neighbors/kernel.h"
#include "neighbors/wall_mirror.h"

#define PHXI_WALL_VOLUME "wall.volume"

/// Kernels that fluids and walls choose from.
typedef enum phxi_sph_kernel { PHXI_SPH_QUINTIC, PHXI_SPH_CUBIC } phxi_sph_kernel;
extern const char* const phxi_sph_kernel_words[];
/// Support in spacings; the kernel of neighbors/kernel.h.
double phxi_sph_support(int kernel);
/// How far pairs are listed, in spacings. The quintic ends as (3 - s)^5: in single precision its last percent, where
/// slopes are 8e-8 of the largest, is less than rounding, and on a lattice holds a quarter of all pairs.
double phxi_sph_sight(int kernel);
phxi_kernel phxi_sph_kernel_of(int kernel);

typedef enum phxi_wall_masses { PHXI_WALL_MASS_VOLUME, PHXI_WALL_MASS_AKINCI } phxi_wall_masses;

typedef struct phxi_wall_params {
    int kernel; // phxi_sph_kernel
    double layers;
    int masses; // phxi_wall_masses
    double gamma;
    bool slip;
    const char* surface; // a shape, or NULL
} phxi_wall_params;

extern const phxi_method phxi_method_wall;

/// Where a wall is now: x = now + rotation (X - rest).
typedef struct phxi_wall_pose {
    phxi_mat3 rotation;
    phx_vec3 rest, now;
} phxi_wall_pose;

/// From three of its particles.
phxi_wall_pose phxi_wall_pose_of(const phxi_body* body, const phxi_particles* particles);
/// How far a point of space is above the surface of a wall, and the outward unit normal there.
double phxi_wall_distance(const phxi_body* body, const phxi_wall_pose* pose, phx_vec3 point, phx_vec3* normal);
