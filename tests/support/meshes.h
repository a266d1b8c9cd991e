// SPDX-License-Identifier: MIT
// Meshes with known volumes for tests. Closed and outward unless said otherwise; NULL only when memory runs out.
#pragma once

#include <phyxel/phyxel.h>

phx_mesh* phxt_box_mesh(phx_vec3 low, phx_vec3 high);
/// Latitude bands and longitude sectors; 2 sectors (bands - 1) triangles.
phx_mesh* phxt_sphere_mesh(phx_vec3 center, double radius, int bands, int sectors);
/// Around z; 2 rings sectors triangles.
phx_mesh* phxt_torus_mesh(double major, double minor, int rings, int sectors);
/// Both in one; a and b are destroyed.
phx_mesh* phxt_joined_mesh(phx_mesh* a, phx_mesh* b);
/// Every triangle turned over; `mesh` is destroyed.
phx_mesh* phxt_inverted_mesh(phx_mesh* mesh);
/// Without the triangles whose middle has z above `height`; `mesh` is destroyed.
phx_mesh* phxt_cut_mesh(phx_mesh* mesh, double height);
