// SPDX-License-Identifier: MIT
// The placed shape or mesh of a body, kept: how far a point is from its surface, and which way is out.
//
// Shapes answer by their distance. Meshes answer by the closest point of all triangles, found in a tree of boxes; what
// is inside is told by the generalised winding number, so that open and badly oriented meshes have an inside too.
#pragma once

#include "geometry/shape.h"
#include "geometry/winding.h"

typedef struct phxi_solid phxi_solid;

/// Reads mesh or shape, scale, rotate, translate of the definition, and keeps nothing of it.
phx_result phxi_solid_create(phxi_heap* heap, const phx_body_def* def, phxi_solid** solid);
void phxi_solid_destroy(phxi_solid* solid); // NULL is fine
/// Signed distance (m, negative inside) and the outward unit direction there (NULL: not wanted). Any thread may ask.
double phxi_solid_distance(const phxi_solid* solid, phx_vec3 point, phx_vec3* normal);

// What the distance of a mesh is made of, for those who ask many points in a row; `solid` must be of a mesh.

/// Distance without a sign, and the unit direction away from the surface (of its triangle, if the point is on it).
/// `most` is a distance that there is for sure, INFINITY: not known. A good one makes it fast.
double phxi_solid_closest(const phxi_solid* solid, phx_vec3 point, double most, phx_vec3* away);
/// The closest point of the surface and the normal of its triangle, if it is nearer than `most`; false if not.
bool phxi_solid_near(const phxi_solid* solid, phx_vec3 point, double most, phx_vec3* on, phx_vec3* normal);
/// Inside by the generalised winding number.
bool phxi_solid_inside(const phxi_solid* solid, phx_vec3 point);
const phx_mesh* phxi_solid_mesh(const phxi_solid* solid); // NULL: of a shape
