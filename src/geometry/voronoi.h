// SPDX-License-Identifier: MIT
// Space cut into the cells of sites: each point belongs to the site nearest to it. Cubes for a cubic lattice, truncated
// octahedra for a body-centred one, and whatever fits between for octrees and irregular sites.
//
// Lattices are as degenerate as can be: eight cubes meet at a corner, and rounding would decide which of them touch.
// So distances are measured in a metric that is sheared by 1e-8: then at most four cells meet, on a lattice everywhere
// in the same way, and each cell can be made on its own. The corners that fall together but for this shear are one
// corner in the end, faces between them vanish, and what remains is the exact complex of the lattice.
//
// Cells are made when they are asked for; corners, edges and faces are shared and numbered. All is in sheared
// coordinates (phxi_voronoi_shear).
#pragma once

#include "core/array.h"
#include "geometry/key_table.h"
#include "geometry/voronoi_cell.h"

typedef struct phxi_voronoi_face {
    int cell[2];      // lower, higher
    phx_vec3 normal;  // from lower to higher, not of unit length
    phx_vec3 middle;  // a point of the plane
    int begin, count; // its ring in `rings` and `ring_edges`, counter-clockwise seen from the higher cell
} phxi_voronoi_face;

typedef struct phxi_voronoi {
    phxi_heap* heap;
    int site_count;
    phx_vec3* sites;
    double tolerance; // corners nearer than this are one
    double wall;      // cells end here at the latest; nothing of interest may come near
    // sites by bricks
    phx_vec3 low;
    double brick;
    int bricks[3];
    int *first, *items;
    // the complex
    PHXI_ARRAY(phx_vec3) corners; // sheared
    PHXI_ARRAY(int) next_corner;  // in the same bucket, -1: last
    struct phxi_voronoi_edge {
        int corner[2];
    } * edges;
    int edge_count, edge_capacity;
    PHXI_ARRAY(phxi_voronoi_face) faces;
    PHXI_ARRAY(int) rings;      // corners
    PHXI_ARRAY(int) ring_edges; // 2 edge + 1 if it goes from the edge's second corner to its first
    PHXI_ARRAY(int) cell_faces;
    int* cell_begin; // in cell_faces; -1: the cell is not made yet
    int* cell_count;
    phxi_key_table buckets, edge_keys, face_keys;
    phxi_voronoi_cell* work;
    PHXI_ARRAY(struct phxi_voronoi_near {
        double distance2;
        int site;
    })
    near;
    bool degenerate; // why the last call failed: try other sites
} phxi_voronoi;

/// Copies the sites, sheared. `spacing` is their least distance, about; cells reach at most `wall` from their sites.
phx_result phxi_voronoi_create(phxi_voronoi* voronoi, phxi_heap* heap, int count, const phx_vec3* sites, double spacing,
                               double wall);
void phxi_voronoi_destroy(phxi_voronoi* voronoi);
/// The cell nearest to a (sheared) point.
int phxi_voronoi_nearest(const phxi_voronoi* voronoi, phx_vec3 point);
/// Makes a cell if it is not there.
phx_result phxi_voronoi_need(phxi_voronoi* voronoi, int cell);

phx_vec3 phxi_voronoi_shear(phx_vec3 point);
phx_vec3 phxi_voronoi_unshear(phx_vec3 point);
/// The edge of a cell that two of its faces share, as in ring_edges of the first; -1: none.
int phxi_voronoi_edge_between(const phxi_voronoi* voronoi, int face, int other);
/// Below 0 on the lower cell's side.
static inline double phxi_voronoi_side(const phxi_voronoi_face* face, phx_vec3 point) {
    return phxi_dot(face->normal, phxi_sub(point, face->middle));
}
