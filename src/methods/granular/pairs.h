// SPDX-License-Identifier: MIT
// What the two loops over pairs share: as many neighbours as there are lanes, how far they are and their weight
// (1 - (r/H)^2)^2. Loops are written once, with constant switches that the compiler takes apart; `general`: supports
// differ or the world is periodic.
#pragma once

#include "methods/granular/granular_internal.h"
#include "neighbors/near_wide.h"

/// X = x_j - x_i, its square, the weight, 1/H^2. The place itself, which fills groups up, weighs nothing.
typedef struct phxi_granular_pair {
    phxi_lanes x[3], square, weight, per;
} phxi_granular_pair;

PHXI_INLINE void phxi_granular_measure_pair(const phxi_granular* s, bool general, int i, const int* item,
                                            const phxi_r4* own, const phxi_lanes x[4], phxi_granular_pair* pair) {
    for (int a = 0; a < 3; ++a) {
        pair->x[a] = x[a] - (*own)[a];
        if (general) {
            phxi_image_lanes(s->period[a], s->per_period[a], &pair->x[a]);
        }
    }
    pair->square = pair->x[0] * pair->x[0] + pair->x[1] * pair->x[1] + pair->x[2] * pair->x[2];
    phxi_lanes per = (phxi_lanes){0} + s->per_square;
    if (general) {
        phxi_lanes support;
        for (int k = 0; k < PHXI_LANE_COUNT; ++k) {
            support[k] = PHXI_R(0.5) * (s->supports[i] + s->supports[item[k]]);
        }
        per = 1 / (support * support);
    }
    pair->per = per;
    phxi_lanes inner = 1 - pair->square * per;
    phxi_lanes_positive(&inner);
    phxi_lane_mask other = (phxi_lane_mask)(pair->square > 0);
    pair->weight = inner * inner;
    phxi_lanes_keep(&other, &pair->weight);
}
