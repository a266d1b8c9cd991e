// SPDX-License-Identifier: MIT
// A closed mesh cut by the cells of sites: the work behind cell_complex.h, in four stages that share this struct.
//
//   cell_ghosts.c   sites outside of the body, so that no cell reaches far
//   cell_cut.c      the mesh: each triangle cut into convex pieces, one for each cell it passes
//   cell_faces.c    the inside: which corners are in the body, and what of each face between two cells is
//   cell_owners.c   the result: checked to be closed, split into parts that hang together, given to particles
//
// Points are made once, from what they are the meeting of, and have one number wherever they are used:
//   mesh vertex | mesh edge and cell face | triangle and cell edge | cell corner in the body
//
// Decisions are taken in floating point; the sites are shifted a little against the mesh, so that nothing touches by
// accident. Where rounding still decided something in two ways the stages end with `degenerate` set and the caller
// tries another shift: the last stage accepts nothing that is not closed.
#pragma once

#include "geometry/cell_complex.h"
#include "geometry/ear_clip.h"
#include "geometry/voronoi.h"

typedef struct phxi_cut_vertex {
    phx_vec3 position;
    phxi_cell_vertex_kind kind;
    int from[2]; // mesh vertex | two mesh vertices | triangle | corner
} phxi_cut_vertex;

/// A convex part of a triangle.
typedef struct phxi_cut_piece {
    int cell, triangle;
    int begin, count; // in piece_vertices, as the triangle turns
} phxi_cut_piece;

/// A part of a face between two cells, in the body.
typedef struct phxi_cut_wall {
    int cell[2];                // lower, higher
    int begin, count;           // in wall_triangles, counter-clockwise seen from the higher cell
    int edge_begin, edge_count; // in wall_edges, likewise
} phxi_cut_wall;

typedef struct phxi_cut_edge {
    int from, to; // vertices
} phxi_cut_edge;

/// A side of a piece on a face between cells, the other way round: a side of the wall there, seen from the higher cell.
typedef struct phxi_cut_segment {
    int face;
    phxi_cut_edge edge;
} phxi_cut_segment;

typedef struct phxi_cut_crossing {
    int edge;  // of the cells
    double at; // 0 to 1 along it
    int vertex;
    bool leaves; // the body
} phxi_cut_crossing;

typedef struct phxi_cutting {
    phxi_heap* heap;
    const phx_mesh* mesh;
    phx_vec3 center; // of all sheared coordinates
    bool degenerate;
    phxi_voronoi voronoi;
    int particle_count; // the first sites

    int* weld;            // mesh vertex by mesh vertex
    phx_vec3* sheared;    // mesh vertices
    int (*mesh_edges)[2]; // lower, higher mesh vertex
    int mesh_edge_count;
    int (*triangle_edges)[3];

    PHXI_ARRAY(phxi_cut_vertex) vertices;
    phxi_key_table by_mesh_vertex, by_edge_face, by_triangle_edge, by_corner;
    PHXI_ARRAY(phxi_cut_piece) pieces;
    PHXI_ARRAY(int) piece_vertices;
    PHXI_ARRAY(phxi_cut_segment) segments;
    PHXI_ARRAY(phxi_cut_crossing) crossings;
    PHXI_ARRAY(phxi_cut_wall) walls;
    PHXI_ARRAY(phxi_cell_triangle) wall_triangles;
    PHXI_ARRAY(phxi_cut_edge) wall_edges;
    phxi_ear_clipper clipper;
} phxi_cutting;

/// Sites outside, as many as needed: appended to `sites`, of which the first `count` are particles.
typedef PHXI_ARRAY(phx_vec3) phxi_site_list;
phx_result phxi_cut_add_ghosts(phxi_heap* heap, const phx_mesh* mesh, const double* spacings, phxi_site_list* sites);

phx_result phxi_cut_mesh(phxi_cutting* cut);
phx_result phxi_cut_faces(phxi_cutting* cut);
phx_result phxi_cut_owners(phxi_cutting* cut, phxi_cell_complex* complex);
/// PHX_ERROR_ARGUMENT, and `degenerate` set.
phx_result phxi_cut_degenerate(phxi_cutting* cut, const char* what, phx_vec3 where);
