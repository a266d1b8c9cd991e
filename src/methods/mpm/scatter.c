// SPDX-License-Identifier: MIT
// Particles to the tile of their block. Those of one cell stand one behind the other and give to the same rows: their
// sum is kept in registers, 16 of them with AVX-512, and added to the tile when the cell changes.
#include "methods/mpm/mpm_internal.h"

enum { PARTS = MPM_ROW / PHXI_LANE_COUNT };

typedef phx_real row_lanes
    __attribute__((vector_size(PHXI_LANE_COUNT * sizeof(phx_real)), aligned(sizeof(phx_real)), may_alias));

/// Adds the sums of a cell to the tile.
PHXI_INLINE void flush(phx_real* tile, int side, const phxi_lanes sum[4][4][PARTS]) {
    for (int i = 0; i < side; ++i) {
        for (int j = 0; j < side; ++j) {
            for (int part = 0; part < PARTS; ++part) {
                row_lanes* row = (row_lanes*)(tile + i * MPM_ALONG_X + j * MPM_ALONG_Y + part * PHXI_LANE_COUNT);
                *row += sum[i][j][part];
            }
        }
    }
}

/// Gifts [*from, ...) of one cell; `side` is a constant where this is called.
PHXI_INLINE void give_cell(phx_real* tile, const phxi_mpm_gift* gifts, int count, int side, int* from) {
    phxi_lanes sum[4][4][PARTS] = {{{{0}}}};
    const int base = gifts[*from].base;
    int n = *from;
    do {
        const phxi_mpm_gift* gift = &gifts[n];
        const phxi_lanes *k = (const phxi_lanes*)gift->k, *x = (const phxi_lanes*)gift->x,
                         *y = (const phxi_lanes*)gift->y;
#pragma GCC unroll 4
        for (int i = 0; i < side; ++i) {
            phxi_lanes u[PARTS], v[PARTS];
#pragma GCC unroll 2
            for (int part = 0; part < PARTS; ++part) {
                u[part] = gift->wx[i] * (k[part] + (phx_real)i * x[part]);
                v[part] = gift->wx[i] * y[part];
            }
#pragma GCC unroll 4
            for (int j = 0; j < side; ++j) {
                const phx_real w = gift->wy[j], jw = (phx_real)j * w;
#pragma GCC unroll 2
                for (int part = 0; part < PARTS; ++part) {
                    sum[i][j][part] += w * u[part] + jw * v[part];
                }
            }
        }
        ++n;
    } while (n < count && gifts[n].base == base);
    flush(tile + base, side, (const phxi_lanes(*)[4][PARTS])sum);
    *from = n;
}

static PHXI_LOOP_CLONES void PHXI_LANES_NAME(phxi_mpm_scatter_cubic)(phx_real* tile, const phxi_mpm_gift* gifts,
                                                                     int count) {
    for (int n = 0; n < count;) {
        give_cell(tile, gifts, count, 4, &n);
    }
}

static PHXI_LOOP_CLONES void PHXI_LANES_NAME(phxi_mpm_scatter_quadratic)(phx_real* tile, const phxi_mpm_gift* gifts,
                                                                         int count) {
    for (int n = 0; n < count;) {
        give_cell(tile, gifts, count, 3, &n);
    }
}

void PHXI_LANES_NAME(phxi_mpm_scatter)(phx_real* tile, const phxi_mpm_gift* gifts, int count, bool cubic) {
    if (cubic) {
        PHXI_LANES_NAME(phxi_mpm_scatter_cubic)(tile, gifts, count);
    } else {
        PHXI_LANES_NAME(phxi_mpm_scatter_quadratic)(tile, gifts, count);
    }
}
