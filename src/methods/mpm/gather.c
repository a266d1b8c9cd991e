// SPDX-License-Identifier: MIT
// The tile of a block to its particles: sums of rows of four nodes, weighted along x and y. What is left, the sum along
// z, is of four numbers and made by the caller.
#include "methods/mpm/mpm_internal.h"

enum { PARTS = MPM_ROW / PHXI_LANE_COUNT };

typedef phx_real row_lanes
    __attribute__((vector_size(PHXI_LANE_COUNT * sizeof(phx_real)), aligned(sizeof(phx_real)), may_alias));

/// `side` is a constant where this is called.
PHXI_INLINE void take_rows(const phx_real* tile, const phxi_mpm_chunk* chunk, int begin, int end, int side,
                           phxi_mpm_take* takes) {
    for (int n = begin; n < end; ++n) {
        const phx_real* corner = tile + chunk->base[n];
        phxi_lanes s[PARTS] = {{0}}, x[PARTS] = {{0}}, y[PARTS] = {{0}};
#pragma GCC unroll 4
        for (int i = 0; i < side; ++i) {
            phxi_lanes t[PARTS] = {{0}}, u[PARTS] = {{0}};
#pragma GCC unroll 4
            for (int j = 0; j < side; ++j) {
                const phx_real w = chunk->w[1][j][n], jw = (phx_real)j * w;
#pragma GCC unroll 2
                for (int part = 0; part < PARTS; ++part) {
                    const phxi_lanes row =
                        *(const row_lanes*)(corner + i * MPM_ALONG_X + j * MPM_ALONG_Y + part * PHXI_LANE_COUNT);
                    t[part] += w * row;
                    u[part] += jw * row;
                }
            }
            const phx_real w = chunk->w[0][i][n], iw = (phx_real)i * w;
#pragma GCC unroll 2
            for (int part = 0; part < PARTS; ++part) {
                s[part] += w * t[part];
                x[part] += iw * t[part];
                y[part] += w * u[part];
            }
        }
        for (int part = 0; part < PARTS; ++part) {
            ((phxi_lanes*)takes[n].s)[part] = s[part];
            ((phxi_lanes*)takes[n].x)[part] = x[part];
            ((phxi_lanes*)takes[n].y)[part] = y[part];
        }
    }
}

static PHXI_LOOP_CLONES void PHXI_LANES_NAME(phxi_mpm_gather_cubic)(const phx_real* tile, const phxi_mpm_chunk* chunk,
                                                                    int begin, int end, phxi_mpm_take* takes) {
    take_rows(tile, chunk, begin, end, 4, takes);
}

static PHXI_LOOP_CLONES void PHXI_LANES_NAME(phxi_mpm_gather_quadratic)(const phx_real* tile,
                                                                        const phxi_mpm_chunk* chunk, int begin, int end,
                                                                        phxi_mpm_take* takes) {
    take_rows(tile, chunk, begin, end, 3, takes);
}

void PHXI_LANES_NAME(phxi_mpm_gather)(const phx_real* tile, const phxi_mpm_chunk* chunk, int begin, int end, bool cubic,
                                      phxi_mpm_take* takes) {
    if (cubic) {
        PHXI_LANES_NAME(phxi_mpm_gather_cubic)(tile, chunk, begin, end, takes);
    } else {
        PHXI_LANES_NAME(phxi_mpm_gather_quadratic)(tile, chunk, begin, end, takes);
    }
}
