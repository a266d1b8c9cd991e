// SPDX-License-Identifier: MIT
// Marching cubes over a sparse set of blocks.
//
// Space is a grid of nodes with whole coordinates. A block is 15^3 cells with their 16^3 nodes; neighbouring blocks
// share a layer of nodes. A source gives the values of a block; nodes shared by two blocks must get the same bits from
// both, and every block that holds a node inside must be listed. The work has two parts:
//
//   phxi_iso_build   samples and triangulates each block on its own, then numbers the vertices: block by block, in
//                    a block by axis, z, y, x of the crossed edge. The edge belongs to the block where its lower node
//                    is not on an upper border.
//   phxi_iso_fill    writes positions and triangles; blocks look up the numbers that belong to their neighbours.
//
// A block keeps a sign bit a node and, a row of nodes, how many vertices come before: the number of a vertex is a sum
// and a popcount. Nothing depends on the number of threads.
#pragma once

#include "math/vec3.h"
#include "parallel/parallel.h"

enum { PHXI_BLOCK_CELLS = 15, PHXI_BLOCK_NODES = 16, PHXI_BLOCK_VALUES = 16 * 16 * 16 };

/// A node, a bin of particles or a block, by whole coordinates.
typedef struct phxi_place {
    int x, y, z;
} phxi_place;

/// By z, then y, then x.
static inline int phxi_place_compare(phxi_place a, phxi_place b) {
    return a.z != b.z ? (a.z > b.z) - (a.z < b.z) : a.y != b.y ? (a.y > b.y) - (a.y < b.y) : (a.x > b.x) - (a.x < b.x);
}

typedef struct phxi_iso_source {
    /// Fills the values of a block, x fastest; false: nothing is inside. Called on any thread.
    bool (*sample)(void* context, phxi_place block, float* values);
    void* context;
    const phxi_place* blocks; // ascending (phxi_place_compare), no two alike; nodes 15 place ... 15 place + 15
    int block_count;
    float level; // inside: value >= level
} phxi_iso_source;

/// The surface in one block.
typedef struct phxi_iso_part {
    phxi_place place;
    int first_vertex, vertex_count;
    int first_triangle, triangle_count;
    struct phxi_iso_data* data; // NULL: no surface here
} phxi_iso_part;

typedef struct phxi_iso {
    phxi_heap* heap;
    phxi_iso_part* parts; // one a block, in their order
    int part_count;
    int vertex_count, triangle_count;
    int cell_count;                 // crossed by the surface
    double sampling, triangulation; // s, over all threads
} phxi_iso;

/// Triangles see the outside (values below the level) counter-clockwise.
phx_result phxi_iso_build(phxi_heap* heap, phxi_pool* pool, const phxi_iso_source* source, phxi_iso* iso);
void phxi_iso_destroy(phxi_iso* iso);
/// Position of node n: origin + cell n. 3 doubles a vertex, 3 numbers a triangle.
void phxi_iso_fill(const phxi_iso* iso, phxi_pool* pool, phx_vec3 origin, double cell, double* positions, int* indices);
