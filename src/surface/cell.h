// SPDX-License-Identifier: MIT
// The surface in one cell of a grid: triangles between crossed edges, with the topology of the trilinear function.
//
// Corner c of a cell is at (c & 1, c >> 1 & 1, c >> 2 & 1). Edge 4 a + k runs along axis a; k counts its place on the
// other two axes, the lower one first:
//
//   edge  0..3 along x at (y, z), 4..7 along y at (x, z), 8..11 along z at (x, y) = (0,0), (1,0), (0,1), (1,1)
#pragma once

#include <phyxel/base.h>

enum {
    PHXI_CELL_EDGES = 12,
    PHXI_CELL_CENTERS = 8,    // at most: six in a tube, one in each of two loops beside it; four without a tube
    PHXI_CELL_TRIANGLES = 24, // at most: a tube between two loops of six; without one, a triangle a crossed edge
};

typedef struct phxi_cell {
    int triangle_count, center_count, loop_count;
    bool tunnel;                               // two loops are the ends of one tube
    uint8_t triangles[PHXI_CELL_TRIANGLES][3]; // edges, or PHXI_CELL_EDGES + center; counter-clockwise seen
                                               // from where the values are low
    float centers[PHXI_CELL_CENTERS][3];       // vertices inside the cell, in [0,1]^3
} phxi_cell;

/// `values`: at the 8 corners, minus the level; a corner is inside where its value is 0 or more.
void phxi_cell_build(const float values[8], phxi_cell* cell);

/// The lower corner of an edge; the other one is at + (1 << edge / 4).
static inline int phxi_cell_edge_corner(int edge) {
    int axis = edge >> 2, first = edge & 1, second = edge >> 1 & 1;
    return axis == 0 ? first << 1 | second << 2 : axis == 1 ? first | second << 2 : first | second << 1;
}

/// Where a crossed edge is cut, in [0,1] from its lower corner: linear, kept off the corners by a little so that no two
/// vertices of a surface are at one place.
static inline float phxi_cell_cut(float low, float high) {
    const float margin = 0x1p-14f;
    float t = low / (low - high);
    return t > margin ? (t < 1 - margin ? t : 1 - margin) : margin;
}
