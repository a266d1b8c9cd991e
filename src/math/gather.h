// SPDX-License-Identifier: MIT
// Rows of four numbers that stand anywhere in memory become four vectors of eight lanes: what a wide loop over
// neighbours needs. Loads of whole rows and shuffles within halves; the gather instructions of AVX2 are slower.
#pragma once

#include "math/simd.h"

#define PHXI_JOIN_ROWS(rows, a, b) __builtin_shufflevector((rows)[a], (rows)[b], 0, 1, 2, 3, 4, 5, 6, 7)

/// out[c] = number c of rows[item[0]] ... rows[item[7]].
PHXI_INLINE void phxi_gather8(const phxi_r4* rows, const int* item, phxi_r8 out[4]) {
    phxi_r8 a = PHXI_JOIN_ROWS(rows, item[0], item[4]), b = PHXI_JOIN_ROWS(rows, item[1], item[5]);
    phxi_r8 c = PHXI_JOIN_ROWS(rows, item[2], item[6]), d = PHXI_JOIN_ROWS(rows, item[3], item[7]);
    phxi_r8 ac_low = __builtin_shufflevector(a, c, 0, 8, 1, 9, 4, 12, 5, 13);
    phxi_r8 ac_high = __builtin_shufflevector(a, c, 2, 10, 3, 11, 6, 14, 7, 15);
    phxi_r8 bd_low = __builtin_shufflevector(b, d, 0, 8, 1, 9, 4, 12, 5, 13);
    phxi_r8 bd_high = __builtin_shufflevector(b, d, 2, 10, 3, 11, 6, 14, 7, 15);
    out[0] = __builtin_shufflevector(ac_low, bd_low, 0, 8, 1, 9, 4, 12, 5, 13);
    out[1] = __builtin_shufflevector(ac_low, bd_low, 2, 10, 3, 11, 6, 14, 7, 15);
    out[2] = __builtin_shufflevector(ac_high, bd_high, 0, 8, 1, 9, 4, 12, 5, 13);
    out[3] = __builtin_shufflevector(ac_high, bd_high, 2, 10, 3, 11, 6, 14, 7, 15);
}

/// Sum of the lanes, always in the same order.
PHXI_INLINE phx_real phxi_sum8(const phxi_r8* a) {
    phxi_r8 v = *a;
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}
