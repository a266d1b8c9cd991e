// SPDX-License-Identifier: MIT
// Differences of positions for eight pairs at once, to the nearest image (near.h).
#pragma once

#include "math/simd.h"

#ifdef PHX_DOUBLE
#define PHXI_LANE_MAGIC 0x1.8p52 // adding it leaves a whole number
#else
#define PHXI_LANE_MAGIC 0x1.8p23f
#endif

/// As phxi_near_image: `period` and its inverse in the unit of the difference, both 0: none.
PHXI_INLINE void phxi_image8(phx_real period, phx_real per_period, phxi_r8* difference) {
    phxi_r8 periods = *difference * per_period + PHXI_LANE_MAGIC;
    *difference -= period * (periods - PHXI_LANE_MAGIC);
}
