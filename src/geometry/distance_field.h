// SPDX-License-Identifier: MIT
// The signed distance of a mesh, made once so that it is known anywhere within some ten nanoseconds.
//
//   +----+----+----+----+   a grid of blocks of 8^3 cells over the box of the mesh
//   |    |####|####|    |   #: blocks near the surface keep distance and direction at the 9^3 corners of their cells
//   +----+-/--+--\-+----+      (exact: closest point of all triangles, sign by the generalised winding number)
//   |####|/   |###\|####|   others know the distance of their middle alone, which says how far the surface is at least
//   +----+----+----+----+
//
// Within a cell, with weights w of the trilinear interpolation and x - x_i from corner i, distance and direction are
//   d(x) = sum w_i (d_i + n_i.(x - x_i) / 2),   n(x) = sum w_i n_i / |...|,
// both continuous, exact for a plane, and d also for every quadratic function: half a step along the gradients takes
// the error out that trilinear interpolation makes with a curved surface. Away from blocks near the surface the answer
// is exact, from the triangles, for whoever comes close enough to need it.
//
// Parts thinner than two cells lose their inside; those thinner than one act like a sheet that pushes both ways.
#pragma once

#include "geometry/mesh.h"
#include "parallel/parallel.h"

typedef struct phxi_distance_field phxi_distance_field;

/// `resolution` is the edge of a cell, m; 0: 1/96 of the largest side of the mesh's box, or what fits in 48 MB. A mesh
/// without area, and a resolution that needs more than 400 MB, are refused. The mesh is copied.
phx_result phxi_distance_field_create(phxi_heap* heap, phxi_pool* pool, const phx_mesh* mesh, double resolution,
                                      phxi_distance_field** field);
void phxi_distance_field_destroy(phxi_distance_field* field); // NULL is fine

/// Signed distance (m, negative inside) and the outward unit direction (NULL: not wanted). Any thread may ask.
double phxi_distance_field_at(const phxi_distance_field* field, phx_vec3 point, phx_vec3* normal);
/// The answer of phxi_distance_field_at has at least this size, and this sign; 0: not known. Quick; knows nothing near
/// the surface.
double phxi_distance_field_far(const phxi_distance_field* field, phx_vec3 point);
/// The same for all points within any `r` of this one, less r.
double phxi_distance_field_bound(const phxi_distance_field* field, phx_vec3 point);

/// The mesh it was made of; its open edges (0: closed), the edge of a cell, and the memory of its blocks.
const phx_mesh* phxi_distance_field_mesh(const phxi_distance_field* field);
int phxi_distance_field_open_edges(const phxi_distance_field* field);
double phxi_distance_field_cell(const phxi_distance_field* field);
size_t phxi_distance_field_bytes(const phxi_distance_field* field);
