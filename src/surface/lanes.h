// SPDX-License-Identifier: MIT
// Eight lanes of float, whatever the precision of the state: surfaces are made of single precision.
#pragma once

#include "math/simd.h"

typedef float phxi_f8 __attribute__((vector_size(32)));
typedef float phxi_f8u __attribute__((vector_size(32), aligned(4), may_alias)); // anywhere in an array
typedef int32_t phxi_i8 __attribute__((vector_size(32)));

enum { PHXI_LANES = 8 };

/// max(0, x) in every lane.
#define PHXI_F8_POSITIVE(x) ((phxi_f8)((phxi_i8)(x) & ((x) > 0)))

/// The sum of the lanes, in a fixed order.
PHXI_INLINE float phxi_f8_sum(const phxi_f8* a) {
    return (((*a)[0] + (*a)[4]) + ((*a)[2] + (*a)[6])) + (((*a)[1] + (*a)[5]) + ((*a)[3] + (*a)[7]));
}
