// SPDX-License-Identifier: MIT
// A number at every node of a sparse grid, in tiles of 16^3 nodes, and what is done to all of them at once. A node
// belongs to one tile (blocks of marching_cubes.h share theirs). Nodes that no tile has are outside of everything and
// have one value, `beyond`. Nothing depends on the number of threads.
#pragma once

#include "surface/marching_cubes.h"

/// Nodes a side and in all; nodes on either side that a pass may look at.
enum { PHXI_TILE_NODES = 16, PHXI_TILE_VALUES = 16 * 16 * 16, PHXI_FIELD_REACH = 8 };

typedef struct phxi_tile_field {
    phxi_heap* heap;
    const phxi_place* tiles; // of the caller, ascending: nodes 16 tile ... 16 tile + 15
    int count;
    int (*neighbors)[6]; // -x, +x, -y, +y, -z, +z; -1: none
    float* values;       // PHXI_TILE_VALUES a tile, x fastest
    float* next;         // where passes write before the two change places
    float beyond;
} phxi_tile_field;

/// Values are not set.
phx_result phxi_tile_field_create(phxi_heap* heap, phxi_pool* pool, const phxi_place* tiles, int count,
                                  phxi_tile_field* field);
void phxi_tile_field_destroy(phxi_tile_field* field);

static inline float* phxi_tile_values(const phxi_tile_field* field, int tile) {
    return field->values + (size_t)PHXI_TILE_VALUES * (size_t)tile;
}
/// -1: there is none.
int phxi_tile_find(const phxi_tile_field* field, phxi_place tile);

/// Each value becomes the square of the distance, in cells, to the nearest node whose value is 0; nodes further than
/// `reach` along an axis are not seen. On entry a value is 0 or at least 3 reach^2, which is what stays where none is
/// seen.
void phxi_tile_field_distance(phxi_tile_field* field, phxi_pool* pool, int reach);
/// Convolution with a Gaussian of this standard deviation, in cells, cut at three of them.
void phxi_tile_field_blur(phxi_tile_field* field, phxi_pool* pool, double deviation);

/// Changes marks (a byte a node, in the order of the values) from 0 to 1 for all nodes that can be reached from outside
/// of the tiles by steps to one of six neighbours whose mark is 0.
phx_result phxi_tile_field_flood(const phxi_tile_field* field, uint8_t* marks);
