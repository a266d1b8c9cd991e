// SPDX-License-Identifier: MIT
// Differences of positions of as many pairs of phxi_near at once as there are lanes, to the nearest image: the same
// operations as phxi_near_delta, so that wide and scalar loops agree.
#pragma once

#include "math/gather.h"
#include "neighbors/near.h"

#ifdef PHX_DOUBLE
#define PHXI_NEAR_MAGIC 0x1.8p52 // adding and taking it away rounds to whole numbers
#else
#define PHXI_NEAR_MAGIC 0x1.8p23f
#endif

static inline bool phxi_near_periodic(const phxi_near* near) {
    return near->period[0] > 0 || near->period[1] > 0 || near->period[2] > 0;
}

/// As phxi_near_image: `period` and its inverse in the unit of the difference, both 0: none.
PHXI_INLINE void phxi_image_lanes(phx_real period, phx_real per_period, phxi_lanes* difference) {
    phxi_lanes periods = *difference * per_period + PHXI_NEAR_MAGIC;
    *difference -= period * (periods - PHXI_NEAR_MAGIC);
}

/// x[0..2] = x_i - x_j of the rows at[item[0..]], `own` that of i; x[3] = what else the rows hold.
PHXI_INLINE void phxi_near_delta_lanes(const phxi_near* near, const phxi_r4* at, const phxi_r4* own, const int* item,
                                       bool periodic, phxi_lanes x[4]) {
    phxi_lanes_gather(at, item, x);
    for (int a = 0; a < 3; ++a) {
        x[a] = (*own)[a] - x[a];
        if (periodic) {
            phxi_image_lanes(near->period[a], near->per_period[a], &x[a]);
        }
    }
}
