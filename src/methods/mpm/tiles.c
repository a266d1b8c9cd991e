// SPDX-License-Identifier: MIT
// Tiles, as they are kept between stages: of what a block of particles gave, only rows that they see, one behind the
// other, octant by octant. Memory that a substep goes through is in proportion to the nodes that particles see, however
// they are scattered.
#include "methods/mpm/rows.h"

#include <string.h>

void phxi_mpm_clear_tile(const phxi_mpm_rows* rows, phx_real* tile) {
    for (int half = 0; half < 2; ++half) {
        for (uint64_t left = rows->half[half]; left;) {
            memset(tile + phxi_mpm_row_in_tile(phxi_mpm_next_row(&left)) + half * MPM_ROW, 0, MPM_ROW * sizeof *tile);
        }
    }
}

void phxi_mpm_keep_tile(phxi_mpm_block* block, const phx_real* tile, phx_real* tiles) {
    phx_real *const first = tiles + (ptrdiff_t)block->tile * MPM_ROW, *to = first;
    for (int octant = 0; octant < 8; ++octant) {
        const phx_real* from = tile + phxi_mpm_octant_begin(octant);
        block->starts[octant] = (uint8_t)((to - first) / MPM_ROW);
        for (uint64_t left = phxi_mpm_octant_rows(&block->rows, octant); left; to += MPM_ROW) {
            memcpy(to, from + phxi_mpm_row_in_tile(phxi_mpm_next_row(&left)), MPM_ROW * sizeof *to);
        }
    }
}

void phxi_mpm_restore_tile(const phxi_mpm_block* block, const phx_real* tiles, phx_real* tile) {
    const phx_real* from = tiles + (ptrdiff_t)block->tile * MPM_ROW;
    for (int octant = 0; octant < 8; ++octant) {
        phx_real* to = tile + phxi_mpm_octant_begin(octant);
        for (uint64_t left = phxi_mpm_octant_rows(&block->rows, octant); left; from += MPM_ROW) {
            memcpy(to + phxi_mpm_row_in_tile(phxi_mpm_next_row(&left)), from, MPM_ROW * sizeof *to);
        }
    }
}

/// Rows of one octant that are added to a block of nodes, in the order of their bits.
typedef struct source {
    uint32_t rows;
    const phxi_r4* next;
} source;

static int find_sources(const phxi_mpm* s, const phxi_mpm_nodes* nodes, const phx_real* tiles, bool held,
                        source sources[8]) {
    int count = 0;
    for (int octant = 0; octant < 8; ++octant) {
        const phxi_mpm_block* block = nodes->blocks[octant] < 0 ? NULL : &s->blocks.items[nodes->blocks[octant]];
        const uint32_t rows =
            block && !block->alone && (!held || block->held > 0) ? phxi_mpm_octant_rows(&block->rows, octant) : 0;
        if (rows) {
            const ptrdiff_t row = (ptrdiff_t)block->tile + block->starts[octant];
            sources[count++] = (source){rows, (const phxi_r4*)(tiles + row * MPM_ROW)};
        }
    }
    return count;
}

void phxi_mpm_add_tiles(const phxi_mpm* s, const phxi_mpm_nodes* nodes, const phx_real* tiles, bool held,
                        phx_real* sum) {
    source sources[8];
    const int count = find_sources(s, nodes, tiles, held, sources);
    for (uint64_t left = nodes->rows; left;) {
        const int row = phxi_mpm_next_row(&left);
        phxi_r4 total[MPM_SIDE] = {{0}};
        for (int k = 0; k < count; ++k) {
            if (sources[k].rows >> row & 1) {
                for (int n = 0; n < MPM_SIDE; ++n) {
                    total[n] += *sources[k].next++;
                }
            }
        }
        memcpy(sum + phxi_mpm_row_in_block(row), total, sizeof total);
    }
}

void phxi_mpm_fill_tile(const phx_real* numbers, const int blocks[8], const phxi_mpm_rows* rows, phx_real* tile) {
    for (int octant = 0; octant < 8; ++octant) {
        phx_real* to = tile + phxi_mpm_octant_begin(octant);
        const phx_real* from = numbers + (ptrdiff_t)blocks[octant] * MPM_BLOCK;
        for (uint64_t left = phxi_mpm_octant_rows(rows, octant); left;) {
            const int row = phxi_mpm_next_row(&left);
            if (blocks[octant] < 0) {
                memset(to + phxi_mpm_row_in_tile(row), 0, MPM_ROW * sizeof *to);
            } else {
                memcpy(to + phxi_mpm_row_in_tile(row), from + phxi_mpm_row_in_block(row), MPM_ROW * sizeof *to);
            }
        }
    }
}

phx_result phxi_mpm_place_tiles(phxi_mpm* s, int* total) {
    enum { ALL = 2 * MPM_TILE * MPM_TILE, OF_ONE = 32 }; // 16 columns of two rows
    int64_t count = 0;
    for (int h = 0; h < s->blocks.count; ++h) {
        phxi_mpm_block* block = &s->blocks.items[h];
        block->tile = (int)count;
        count += s->every_row || block->count >= ALL / OF_ONE ? ALL : OF_ONE * block->count;
        if (count > INT32_MAX / MPM_ROW) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "particles see %lld rows of nodes, expected at most %d",
                             (long long)count, INT32_MAX / MPM_ROW);
        }
    }
    *total = (int)count * MPM_ROW;
    return PHX_OK;
}
