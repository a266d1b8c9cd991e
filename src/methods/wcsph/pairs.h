// SPDX-License-Identifier: MIT
// What the two loops over pairs share: eight neighbours at a time, their distance, kernel, and how a wall is seen.
//
// Loops are written once, with constant switches that the compiler takes apart (phxi_wcsph_loop): `cubic` kernel, else
// quintic; `general`: supports differ or the world is periodic; `mixed`: the row has walls or strangers.
#pragma once

#include "methods/wcsph/wcsph_internal.h"
#include "neighbors/kernel_wide.h"
#include "neighbors/near_wide.h"

typedef struct phxi_wcsph_loop {
    bool cubic, general, mixed;
} phxi_wcsph_loop;

/// Eight neighbours from `at` on; where the row ends, the particle itself, which adds nothing.
PHXI_INLINE const int* phxi_wcsph_eight(const int* items, int64_t at, int64_t end, int self, int pad[WCSPH_LANES]) {
    if (end - at >= WCSPH_LANES) {
        return items + at;
    }
    for (int k = 0; k < WCSPH_LANES; ++k) {
        pad[k] = at + k < end ? items[at + k] : self;
    }
    return pad;
}

/// d = x_i - x_j, |d|^2, w and w'/r up to the solver's factors, 0.01 h^2.
typedef struct phxi_wcsph_pair {
    phxi_r8 d[3], square, soft, value, slope;
} phxi_wcsph_pair;

PHXI_INLINE void phxi_wcsph_measure_pair(const phxi_wcsph* s, phxi_wcsph_loop loop, int i, const int* item,
                                         const phxi_r4* own, const phxi_r8 x[4], bool value, phxi_wcsph_pair* pair) {
    for (int a = 0; a < 3; ++a) {
        pair->d[a] = (*own)[a] - x[a];
        if (loop.general) {
            phxi_image8(s->period[a], s->per_period[a], &pair->d[a]);
        }
    }
    pair->square = pair->d[0] * pair->d[0] + pair->d[1] * pair->d[1] + pair->d[2] * pair->d[2];
    phxi_r8 inverse = (phxi_r8){0} + s->inverse;
    pair->soft = (phxi_r8){0} + s->soft;
    if (loop.general) {
        phxi_r8 support;
        phx_real scale = (phx_real)(0.5 * s->scale), part = loop.cubic ? (phx_real)(0.01 / 4) : (phx_real)(0.01 / 9);
        for (int k = 0; k < WCSPH_LANES; ++k) {
            support[k] = scale * (s->near->reach[i] + s->near->reach[item[k]]);
        }
        inverse = 1 / support;
        pair->soft = part * (support * support);
    }
    if (loop.cubic) {
        phxi_cubic8(&pair->square, &inverse, value ? &pair->value : NULL, &pair->slope);
    } else {
        phxi_quintic8(&pair->square, &inverse, value ? &pair->value : NULL, &pair->slope);
    }
    if (loop.general) {
        phxi_r8 cube = inverse * inverse * inverse;
        pair->slope *= cube * (inverse * inverse);
        if (value) {
            pair->value *= cube;
        }
    }
}

/// Of a row with walls: who is what, and by how much differences of velocity count against walls (1 + b; 0: slips).
typedef struct phxi_wcsph_lanes {
    phxi_mask8 fluid, wall, slips;
    phxi_r8 mirror;
} phxi_wcsph_lanes;

PHXI_INLINE void phxi_wcsph_keep8(const phxi_mask8* mask, phxi_r8* a) {
    *a = (phxi_r8)((phxi_mask8)*a & *mask);
}

PHXI_INLINE void phxi_wcsph_look_at_walls(const phxi_wcsph* s, const int* item, const phxi_wcsph_pair* pair,
                                          phxi_wcsph_lanes* lanes) {
    phxi_r8 n[4], one = (phxi_r8){0} + 1, most = one * (phx_real)1.5;
    phxi_gather8(s->n, item, n);
    lanes->fluid = (phxi_mask8)(n[3] == WCSPH_IS_FLUID);
    lanes->wall = (phxi_mask8)(n[3] >= 0);
    lanes->slips = (phxi_mask8)(n[3] >= (phx_real)WCSPH_SLIPS);
    phxi_r8 height = pair->d[0] * n[0] + pair->d[1] * n[1] + pair->d[2] * n[2] - n[3], by;
    phxi_mask8 near = (phxi_mask8)(n[3] < (phx_real)1.5 * height), sticks = ~lanes->slips & lanes->wall;
    phxi_select8(&near, &height, &one, &by); // no division by zero
    phxi_r8 share = n[3] / by, b;
    phxi_select8(&near, &share, &most, &b);
    b += 1;
    phxi_wcsph_keep8(&sticks, &b);
    phxi_select8(&lanes->fluid, &one, &b, &lanes->mirror);
}
