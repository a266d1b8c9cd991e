// SPDX-License-Identifier: MIT
// What the two loops over pairs share: the distance of as many neighbours as there are lanes, their kernel, and how a
// wall is seen.
//
// Loops are written once, with constant switches that the compiler takes apart (phxi_wcsph_loop): `cubic` kernel, else
// quintic; `general`: supports differ or the world is periodic; `mixed`: the row has walls or others.
#pragma once

#include "methods/wcsph/wcsph_internal.h"
#include "neighbors/kernel_wide.h"
#include "neighbors/near_wide.h"

typedef struct phxi_wcsph_loop {
    bool cubic, general, mixed;
} phxi_wcsph_loop;

/// d = x_i - x_j, |d|^2, w and w'/r up to the solver's factors, 0.01 h^2.
typedef struct phxi_wcsph_pair {
    phxi_lanes d[3], square, soft, value, slope;
} phxi_wcsph_pair;

PHXI_INLINE void phxi_wcsph_measure_pair(const phxi_wcsph* s, phxi_wcsph_loop loop, int i, const int* item,
                                         const phxi_r4* own, const phxi_lanes x[4], bool value, phxi_wcsph_pair* pair) {
    for (int a = 0; a < 3; ++a) {
        pair->d[a] = (*own)[a] - x[a];
        if (loop.general) {
            phxi_image_lanes(s->period[a], s->per_period[a], &pair->d[a]);
        }
    }
    pair->square = pair->d[0] * pair->d[0] + pair->d[1] * pair->d[1] + pair->d[2] * pair->d[2];
    phxi_lanes inverse = (phxi_lanes){0} + s->inverse;
    pair->soft = (phxi_lanes){0} + s->soft;
    if (loop.general) {
        phxi_lanes support;
        phx_real scale = (phx_real)(0.5 * s->scale), part = loop.cubic ? (phx_real)(0.01 / 4) : (phx_real)(0.01 / 9);
        for (int k = 0; k < PHXI_LANE_COUNT; ++k) {
            support[k] = scale * (s->near->reach[i] + s->near->reach[item[k]]);
        }
        inverse = 1 / support;
        pair->soft = part * (support * support);
    }
    if (loop.cubic) {
        phxi_cubic_lanes(&pair->square, &inverse, value ? &pair->value : NULL, &pair->slope);
    } else {
        phxi_quintic_lanes(&pair->square, &inverse, value ? &pair->value : NULL, &pair->slope);
    }
    if (loop.general) {
        phxi_lanes cube = inverse * inverse * inverse;
        pair->slope *= cube * (inverse * inverse);
        if (value) {
            pair->value *= cube;
        }
    }
}

/// Of a row with walls: who is what, and by how much differences of velocity count against walls (1 + b; 0: slips).
typedef struct phxi_wcsph_lanes {
    phxi_lane_mask fluid, wall, slips;
    phxi_lanes mirror;
} phxi_wcsph_lanes;

PHXI_INLINE void phxi_wcsph_measure_walls(const phxi_wcsph* s, const int* item, const phxi_wcsph_pair* pair,
                                          phxi_wcsph_lanes* lanes) {
    phxi_lanes n[4], one = (phxi_lanes){0} + 1, most = one * (phx_real)1.5;
    phxi_lanes_gather(s->wall_normal, item, n);
    lanes->fluid = (phxi_lane_mask)(n[3] == WCSPH_IS_FLUID);
    lanes->wall = (phxi_lane_mask)(n[3] >= 0);
    lanes->slips = (phxi_lane_mask)(n[3] >= (phx_real)WCSPH_SLIPS);
    phxi_lanes height = pair->d[0] * n[0] + pair->d[1] * n[1] + pair->d[2] * n[2] - n[3], by;
    phxi_lane_mask near = (phxi_lane_mask)(n[3] < (phx_real)1.5 * height), sticks = ~lanes->slips & lanes->wall;
    phxi_lanes_select(&near, &height, &one, &by); // no division by zero
    phxi_lanes share = n[3] / by, b;
    phxi_lanes_select(&near, &share, &most, &b);
    b += 1;
    phxi_lanes_keep(&sticks, &b);
    phxi_lanes_select(&lanes->fluid, &one, &b, &lanes->mirror);
}
