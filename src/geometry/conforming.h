// SPDX-License-Identifier: MIT
// The surface that the sampling `conforming` puts nodes on, in the body's own frame: a closed mesh with its sharp edges
// and, of a shape, the shape itself, which tells more exactly where curved faces are.
#pragma once

#include "geometry/key_table.h"
#include "geometry/mesh_features.h"
#include "geometry/region.h"
#include "geometry/solid.h"

typedef struct phxi_conforming {
    phxi_heap* heap;
    const phxi_shape* shape; // NULL: of a mesh
    phx_mesh* mesh;          // closed
    bool turned;             // inside out
    phxi_solid* solid;       // of it
    phxi_features features;
    double reach; // up to which distance edges are found
    // pieces of edges, no longer than the reach, by the cube of that size that their middle is in
    PHXI_ARRAY(phxi_sharp_edge) pieces;
    PHXI_ARRAY(int) next;
    phxi_key_table cubes;
    phx_vec3 low; // of the cubes
} phxi_conforming;

/// Which surface: as given (open meshes are closed), or made again around what is inside, for those who cannot use a
/// mesh that crosses itself: with its creases, or without.
typedef enum phxi_conforming_care {
    PHXI_CONFORMING_GIVEN,
    PHXI_CONFORMING_AGAIN,
    PHXI_CONFORMING_BEVELLED,
} phxi_conforming_care;

/// `region` is of the definition before rotations and shifts, peeled, and outlives this. `reach`, m: of
/// phxi_conforming_edge.
phx_result phxi_conforming_create(phxi_heap* heap, const phx_body_def* def, const phxi_region* region, double reach,
                                  phxi_conforming_care care, phxi_conforming* surface);
void phxi_conforming_destroy(phxi_conforming* surface); // fine on a zeroed one
/// The closest point of the surface, with the outward normal there, if it is nearer than `most`.
bool phxi_conforming_face(const phxi_conforming* surface, phx_vec3 point, double most, phx_vec3* on, phx_vec3* normal);
/// The closest point of all sharp edges, if it is within the reach.
bool phxi_conforming_edge(const phxi_conforming* surface, phx_vec3 point, phx_vec3* on);
/// Where the inward normal at a point of the surface leaves the body again, if that is nearer than `most`; else `most`.
double phxi_conforming_thickness(const phxi_conforming* surface, phx_vec3 on, phx_vec3 normal, double most);
/// That of half of the surface, by particles and what they own of it.
phx_result phxi_conforming_median_thickness(const phxi_conforming* surface, int count, const phx_vec3* positions,
                                            const phx_vec3* areas, double most, double* median);
bool phxi_conforming_inside(const phxi_conforming* surface, phx_vec3 point);
