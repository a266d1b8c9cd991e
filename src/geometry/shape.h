// SPDX-License-Identifier: MIT
// Implicit shapes from text: bodies, colliders and regions are all written this way.
//
//   sphere(center=(0,0,0), radius=0.5)    box(center=(0,0,0), size=(1,1,1), round=0)    ellipsoid(center=, radii=)
//   capsule(from=, to=, radius=)          cylinder(from=, to=, radius=)
//   cone(from=, to=, radius1=, radius2=)  torus(center=, axis=(0,0,1), major=, minor=)
//   plane(point=(0,0,0), normal=(0,0,1))  all()
//   union(a, b, ...)  intersection(a, b, ...)  difference(a, b, ...)  smooth_union(radius=, a, b, ...)
//   move(offset=, a)  rotate(axis=, angle=degrees, a)  scale(factor=, a)
//
// Arguments are named or in this order; defaults as written (a center is the origin); blanks are free. plane() is the
// half space below it. A shape gives a signed distance (negative inside): exact for the primitives, a bound from below
// outside for the combinations.
#pragma once

#include "geometry/mesh.h"

typedef struct phxi_shape phxi_shape;

/// Message: "column 12: ..., expected ...". At most 64 deep, 4096 nodes, 64 KiB of text.
phx_result phxi_shape_parse(phxi_heap* heap, const char* text, phxi_shape** shape);
void phxi_shape_destroy(phxi_heap* heap, phxi_shape* shape);
/// Signed distance (m), NaN never for finite points.
double phxi_shape_distance(const phxi_shape* shape, phx_vec3 point);
/// Outward unit direction: the gradient of the distance (by closed form or central differences).
phx_vec3 phxi_shape_normal(const phxi_shape* shape, phx_vec3 point);
/// Both at once, for the price of one.
double phxi_shape_distance_normal(const phxi_shape* shape, phx_vec3 point, phx_vec3* normal);
/// Whether it is a half space: one plane, however it is placed.
bool phxi_shape_is_flat(const phxi_shape* shape);
/// A box around the inside, tight for the primitives; false if it is unbounded, of size 0 at the origin if it is empty.
bool phxi_shape_bounds(const phxi_shape* shape, phxi_box* box);
/// Scales the shape, then rotates it (degrees about x, y, z in this order), then moves it, as phxi_mesh_transformed
/// does.
phx_result phxi_shape_place(phxi_heap* heap, phxi_shape* shape, double scale, phx_vec3 rotate, phx_vec3 translate);
/// Takes off the rotations and shifts that the whole shape stands in: a point p of what is left was turn p + shift.
void phxi_shape_peel(phxi_shape* shape, phxi_mat3* turn, phx_vec3* shift);
