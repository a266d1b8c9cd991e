// SPDX-License-Identifier: MIT
// One Voronoi cell: a convex polyhedron around a site, cut by one half space after the other.
//
// It is kept as its dual: a corner is the triple of planes that meet there (as in Levy's and Ray's meshless Voronoi
// diagrams). A plane takes away the corners beyond it; they form a disc of the dual, and each edge of its rim makes a
// new corner with the plane. Planes must be in general position, which the caller sees to.
#pragma once

#include "math/vec3.h"

enum { PHXI_CELL_CORNERS = 1024, PHXI_CELL_PLANES = 512 };

typedef struct phxi_voronoi_cell {
    phx_vec3 normal[PHXI_CELL_PLANES]; // to the other site; all is relative to this one
    double offset[PHXI_CELL_PLANES];
    int site[PHXI_CELL_PLANES]; // behind the plane; -1: a wall
    int plane_count;
    phx_vec3 corner[PHXI_CELL_CORNERS];
    int16_t planes[PHXI_CELL_CORNERS][3]; // counter-clockwise seen from outside
    int corner_count;
    double reach2; // square of the distance of the farthest corner
    // scratch of a cut: the plane that follows each plane on the rim, -1 elsewhere
    int16_t rim[PHXI_CELL_PLANES];
} phxi_voronoi_cell;

/// A cube of edge 2 `half` around the site.
void phxi_voronoi_cell_start(phxi_voronoi_cell* cell, double half);
/// Keeps what is nearer to the site than to `other` (relative to it). False if rounding made it impossible.
bool phxi_voronoi_cell_cut(phxi_voronoi_cell* cell, phx_vec3 other, int site);
/// Corners around a plane, counter-clockwise seen from outside; their number, 0 if the plane is no face, -1 if they do
/// not form a ring.
int phxi_voronoi_cell_ring(const phxi_voronoi_cell* cell, int plane, int ring[PHXI_CELL_CORNERS]);
