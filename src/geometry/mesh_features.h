// SPDX-License-Identifier: MIT
// The sharp edges of a mesh and the corners where they meet: what a sampler must not round off.
#pragma once

#include "core/array.h"
#include "geometry/mesh.h"

typedef struct phxi_sharp_edge {
    phx_vec3 from, to;
} phxi_sharp_edge;

typedef struct phxi_features {
    PHXI_ARRAY(phxi_sharp_edge) edges; // where the surface turns by more than the angle
    PHXI_ARRAY(phx_vec3) corners;      // where three or more of them meet, or two at an angle of their own
} phxi_features;

/// `angle` in degrees. Triangles without area are passed over.
phx_result phxi_features_find(phxi_heap* heap, const phx_mesh* mesh, double angle, phxi_features* features);
void phxi_features_destroy(phxi_heap* heap, phxi_features* features); // fine on a zeroed one
