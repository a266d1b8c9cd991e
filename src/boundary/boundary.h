// SPDX-License-Identifier: MIT
// How fluids feel a body: as points below its surface, each with a normal, a depth and a volume (boundary fields of
// particles.h), and as the surface itself. Its method offers the view, the world builds it once per substep, and
// fluids read it without knowing what the body is. They write the reaction to the acceleration of its particles.
#pragma once

#include "neighbors/kernel.h"
#include "particles/particles.h"

typedef struct phxi_solid phxi_solid; // geometry/solid.h

/// Kernels that fluids and boundaries choose from.
typedef enum phxi_sph_kernel { PHXI_SPH_QUINTIC, PHXI_SPH_CUBIC } phxi_sph_kernel;
extern const char* const phxi_sph_kernel_words[];
/// Support in spacings; the kernel of neighbors/kernel.h.
double phxi_sph_support(int kernel);
/// How far pairs are listed, in spacings. The quintic ends as (3 - s)^5: in single precision its last percent, where
/// slopes are 8e-8 of the largest, is less than rounding, and on a lattice holds a quarter of all pairs.
double phxi_sph_list_radius(int kernel);
phxi_kernel phxi_sph_kernel_of(int kernel);

/// Pose of a body that moves rigidly: x = now + rotation (X - rest).
typedef struct phxi_boundary_pose {
    phxi_mat3 rotation;
    phx_vec3 rest, now;
} phxi_boundary_pose;
/// From three particles of a body, counted from its first.
phxi_boundary_pose phxi_boundary_pose_of(const phxi_particles* particles, int begin, const int mark[3]);

/// One body, for a substep.
typedef struct phxi_boundary_view {
    bool present; // false: fluids do not feel this body
    int kernel;   // phxi_sph_kernel that its volumes were computed for
    bool slip;    // fluids glide along it without friction
    phxi_boundary_pose pose;
    const phxi_solid* solid; // its surface at rest
} phxi_boundary_view;
/// Distance of a point above the surface of a boundary, m, and the outward unit normal there.
double phxi_boundary_distance(const phxi_boundary_view* view, phx_vec3 point, phx_vec3* normal);
