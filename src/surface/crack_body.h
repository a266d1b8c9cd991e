// SPDX-License-Identifier: MIT
// The surface of a body with cracks, from its cell complex (docs/theory/surfaces.md section 5), in double. phx_cracks
// wraps this for worlds.
//
//   crack_topology.c   which walls are open, and what that makes of vertices
//   crack_smooth.c     vertices of open walls drawn onto the planes of the cracks
//   crack_skin.c       the surface carried by the particles
//   crack_surface.c    frames
//
// A wall is open if its two particles' bond is broken, or if they are in different fragments. The surface is made of
// the pieces of the mesh and of both sides of the open walls. Where open walls meet a vertex the cells around it are
// sorted into those that still hang together there, across closed walls, and each lot has a copy of the vertex.
// Each fragment's surface is the boundary of a union of cells and hence closed, and a crack that ends in the body does
// so along vertices that have only one copy.
//
// All of it depends on the cracks alone and is rebuilt only when they change; a frame only moves the copies.
#pragma once

#include "core/array.h"
#include "geometry/cell_complex.h"
#include "geometry/key_table.h"
#include "methods/method.h"

/// Of a vertex, for the cells around it that hang together.
typedef struct phxi_crack_copy {
    int vertex, fragment;
    int begin, count; // of its carriers
} phxi_crack_copy;

/// A corner of the surface: a copy with a normal.
typedef struct phxi_crack_point {
    int copy;
    int wall;        // 2 wall + side, -1: on the mesh
    phx_vec3 normal; // of the mesh, at rest
} phxi_crack_point;

typedef struct phxi_crack_body {
    phxi_heap* heap;
    const phxi_cell_complex* cells;
    const phx_vec3* rest;   // by cell: the particles when the complex was made, and their spacings; of the caller
    const double* spacings; // m
    // what never changes
    int *vertex_wall_begin, *vertex_walls;
    int *particle_wall_begin, *particle_walls;
    int* mesh_groups;       // by mesh triangle: those joined smoothly have one number
    phx_vec3* mesh_normals; // three a triangle
    // what the cracks make of it
    bool made;
    uint64_t state; // a number of the cracks that this is of
    int* wall_cut;  // the cut that opened the wall; -1: it is closed; -2: open without one
    int* fragment;  // by cell
    int* fragment_size;
    phx_vec3* positions; // of vertices, smoothed
    PHXI_ARRAY(phxi_crack_copy) copies;
    PHXI_ARRAY(int) carriers;
    PHXI_ARRAY(double) weights; // sum 1 for each copy
    PHXI_ARRAY(phxi_crack_point) points;
    PHXI_ARRAY(phxi_cell_triangle) triangles; // of points
    PHXI_ARRAY(phxi_cell_triangle) copy_triangles;
} phxi_crack_body;

phx_result phxi_crack_body_create(phxi_heap* heap, const phxi_cell_complex* cells, const phx_vec3* rest,
                                  const double* spacings, phxi_crack_body* body);
/// Fine on a zeroed one.
void phxi_crack_body_destroy(phxi_crack_body* body);
/// Particles of `cracks` are numbered like the cells; NULL: nothing is broken. Does nothing if the cracks are those of
/// the last call. After a failure the next call starts over.
phx_result phxi_crack_body_update(phxi_crack_body* body, const phxi_cracks* cracks, bool smooth);
/// Copies and normals of points, carried by particles at `positions` with these deformation gradients.
void phxi_crack_body_move(const phxi_crack_body* body, phxi_pool* pool, const phx_vec3* positions,
                          const phxi_mat3* deformations, phx_vec3* copies, phx_vec3* normals);

// between the files
phx_result phxi_crack_smooth(phxi_crack_body* body, const phxi_cracks* cracks);
/// Carriers of the last copy: the given cells, and those across their closed walls.
phx_result phxi_crack_carry(phxi_crack_body* body, const int* around, int count);

static inline bool phxi_crack_open(const phxi_crack_body* body, int wall) {
    return body->wall_cut[wall] != -1;
}
