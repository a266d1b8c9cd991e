// SPDX-License-Identifier: MIT
// What reconstruction and splats share: checked numbers and the cloud of a frame.
#pragma once

#include <phyxel/surface.h>
#include "surface/cloud.h"
#include "surface/frame.h"

/// The definition is stamped and its numbers make sense.
phx_result phxi_surface_def_check(const phx_surface_def* def);
/// The cloud of the points of a frame (checked to be finite), with volumes and, if asked for, stretched kernels.
phx_result phxi_surface_cloud(phxi_heap* heap, phxi_pool* pool, const phx_frame* points, const phx_surface_def* def,
                              phxi_cloud* cloud);

/// Kernels stretched along the surface (anisotropy.c): replaces the cloud by one of smoothed centres with shapes.
phx_result phxi_cloud_stretch(phxi_cloud* cloud, phxi_pool* pool, const double* positions);

/// Mean (relative to `at`) and covariance of the staged points within reach of a place where one of them is, both in
/// cells; returns how many there are.
int phxi_neighbour_moments(const phxi_stage* stage, float reach, const float at[3], double mean[3],
                           phxi_sym3* covariance);

/// Rounds of smoothing that keep the volume (smooth.c); normals are recomputed from the triangles.
phx_result phxi_surface_smooth(phxi_heap* heap, phxi_pool* pool, phx_frame* surface, int rounds);
