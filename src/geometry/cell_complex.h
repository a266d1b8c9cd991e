// SPDX-License-Identifier: MIT
// A body cut into cells, one for each particle: what cracks in it open up (docs/theory/surfaces.md section 4).
//
// The cell of a particle is the part of the body nearer to it than to any other: cut cubes for a cubic lattice,
// truncated octahedra for a body-centred one, Voronoi cells for any other set. The closed mesh of the body is cut into
// pieces, each owned by one particle; between the cells of two particles lie walls inside of the body. Neighbouring
// pieces and walls share their vertices by number, so the boundary of any union of cells, made of its pieces and of the
// walls towards the rest, is closed by construction. Nothing is cut afterwards: cracks open walls.
#pragma once

#include "geometry/mesh.h"

/// What a vertex is the meeting of, hence how it may move.
typedef enum phxi_cell_vertex_kind {
    PHXI_CELL_FIXED,   // a vertex of the mesh
    PHXI_CELL_ON_EDGE, // of the mesh, crossing a wall
    PHXI_CELL_ON_SIDE, // in a triangle of the mesh, where walls meet
    PHXI_CELL_INNER,   // a corner of cells in the body
} phxi_cell_vertex_kind;

typedef struct phxi_cell_triangle {
    int v[3];
} phxi_cell_triangle;

/// What lies between the cells of two particles: a polygon, maybe with holes, in triangles.
typedef struct phxi_cell_wall {
    int particle[2];  // lower, higher
    int begin, count; // in wall_triangles, counter-clockwise seen from the higher particle: outward from the lower
} phxi_cell_wall;

typedef struct phxi_cell_complex {
    phxi_heap* heap;
    int particle_count;
    double* volumes; // of the cells, m^3: their sum is the mesh's volume

    int vertex_count;
    phx_vec3* vertices;
    uint8_t* kinds;    // phxi_cell_vertex_kind
    int (*anchors)[2]; // by kind: mesh vertex | the mesh edge's two | mesh triangle | nothing

    int piece_count; // of the mesh, in triangles that turn like those of the mesh
    phxi_cell_triangle* pieces;
    int* piece_particle;
    int* piece_source; // triangle of the mesh

    int wall_count;
    phxi_cell_wall* walls;
    phxi_cell_triangle* wall_triangles;
    int wall_triangle_count;

    int mesh_vertex_count, mesh_triangle_count; // the mesh, for what slides along it
    phx_vec3* mesh_vertices;
    int* mesh_triangles;
} phxi_cell_complex;

/// `spacings`: local distance of particles (m). The mesh is closed and does not cross itself, else this fails; edges
/// used by more than two triangles are fine if both directions are used equally often. Particles may be outside. Fails
/// for two particles at one place.
phx_result phxi_cell_complex_create(phxi_heap* heap, const phx_mesh* mesh, int count, const phx_vec3* positions,
                                    const double* spacings, phxi_cell_complex** complex);
/// Volumes of the cells, but none below `least` times the cube of the particle's spacing: what one lacks is taken from
/// the largest of its neighbours. Their sum stays.
phx_result phxi_cell_volumes(phxi_heap* heap, const phxi_cell_complex* complex, const double* spacings, double least,
                             double* volumes);
void phxi_cell_complex_destroy(phxi_cell_complex* complex);
