// SPDX-License-Identifier: MIT
// Which rows of four nodes along z the particles of a block see. Where few particles are, most rows of a tile are not
// seen by any: they are not cleared, added up, moved, or read, and hold whatever they held before.
//
// Rows of a tile are bits 8 i + j of two words, nodes z = 0..3 and 4..7; those of a block of nodes bits 8 i + j, i and
// j below 4, of one.
#pragma once

#include "methods/mpm/mpm_internal.h"

#define MPM_ALL_ROWS  UINT64_MAX // of a tile, in one of its words
#define MPM_CUBE_ROWS UINT32_C(0x0f0f0f0f)

/// Adds the rows of a particle whose first number in the tile is `base`.
static inline void phxi_mpm_see(phxi_mpm_rows* rows, int base, bool cubic) {
    const uint64_t square = (cubic ? UINT64_C(0x0f0f0f0f) : UINT64_C(0x070707)) << (base / MPM_ALONG_Y);
    const int z = base / 4 % MPM_TILE;
    rows->half[0] |= z < MPM_SIDE ? square : 0;
    rows->half[1] |=
        z + 3 >= MPM_SIDE ? square : 0; // four nodes along z, though the fourth of a quadratic one weighs 0
}

/// Rows of the block of nodes that an octant of a tile is of.
static inline uint32_t phxi_mpm_octant_rows(const phxi_mpm_rows* rows, int octant) {
    return (uint32_t)(rows->half[octant & 1] >> ((octant & 4) * 8 + (octant & 2) * 2)) & MPM_CUBE_ROWS;
}

/// First number of an octant in its tile.
static inline int phxi_mpm_octant_begin(int octant) {
    return (octant >> 2) * MPM_SIDE * MPM_ALONG_X + (octant >> 1 & 1) * MPM_SIDE * MPM_ALONG_Y + (octant & 1) * MPM_ROW;
}

/// The lowest of some rows (not none), which is taken out of them.
static inline int phxi_mpm_next_row(uint64_t* rows) {
    const int row = __builtin_ctzll(*rows);
    *rows &= *rows - 1;
    return row;
}

/// Where a row stands in the numbers of a block of nodes, and in an octant of a tile.
static inline int phxi_mpm_row_in_block(int row) {
    return ((row >> 3) * MPM_SIDE + (row & 7)) * MPM_ROW;
}
static inline int phxi_mpm_row_in_tile(int row) {
    return row * MPM_ALONG_Y;
}

/// The first of the next four nodes of a cube; -1: there are no more.
static inline int phxi_mpm_next_nodes(uint64_t* rows) {
    return *rows ? phxi_mpm_row_in_block(phxi_mpm_next_row(rows)) / 4 : -1;
}

// Nodes 0..63 of a cube.
static inline int phxi_mpm_node_x(int n) {
    return n / (MPM_SIDE * MPM_SIDE);
}
static inline int phxi_mpm_node_y(int n) {
    return n / MPM_SIDE % MPM_SIDE;
}
static inline int phxi_mpm_node_z(int n) {
    return n % MPM_SIDE;
}
static inline phxi_r4* phxi_mpm_node_of(const phxi_mpm_cube* cube, int n) {
    return (phxi_r4*)(cube->numbers + phxi_mpm_node_x(n) * cube->along_x + phxi_mpm_node_y(n) * cube->along_y +
                      4 * phxi_mpm_node_z(n));
}
static inline phx_vec3 phxi_mpm_node_position(const phxi_mpm* s, const phxi_mpm_cube* cube, int n) {
    return phxi_vec3(s->origin.x + s->h * (cube->at[0] + phxi_mpm_node_x(n)),
                     s->origin.y + s->h * (cube->at[1] + phxi_mpm_node_y(n)),
                     s->origin.z + s->h * (cube->at[2] + phxi_mpm_node_z(n)));
}
