// SPDX-License-Identifier: MIT
// What is inside a mesh. Closed meshes: one ray along x per (y,z) column, signed crossings sorted, inside where the
// winding is not 0 (docs/theory/discretisation.md section 1). Open or badly oriented ones: generalised winding number
// beyond 1/2.
#pragma once

#include "geometry/mesh.h"

typedef struct phxi_inside phxi_inside;

/// Chooses the test by phx_mesh_open_edges. The mesh must outlive the object. One thread at a time may ask it.
phx_result phxi_inside_create(phxi_heap* heap, const phx_mesh* mesh, phxi_inside** inside);
void phxi_inside_destroy(phxi_heap* heap, phxi_inside* inside);
bool phxi_inside_uses_winding_number(const phxi_inside* inside);
/// Marks (1/0) the points (x0 + i dx, y, z), i < count: one column at a time is what the samplers ask for. dx > 0
/// unless count < 2. A point on the surface falls to either side, always the same.
phx_result phxi_inside_column(phxi_inside* inside, double x0, double dx, int count, double y, double z, uint8_t* marks);
/// Sum of solid angles over 4 pi at one point; 1 deep inside a closed outward mesh.
double phxi_winding_number(const phx_mesh* mesh, phx_vec3 point);
