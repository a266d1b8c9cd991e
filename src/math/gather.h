// SPDX-License-Identifier: MIT
// Rows of four numbers that stand anywhere in memory become four vectors of lanes: what a loop over neighbours needs.
// Loads of whole rows and shuffles within quarters; the gather instructions of AVX2 and AVX-512 are slower. And lanes
// become sums.
#pragma once

#include "math/lanes.h"

#include <stddef.h>

#ifdef PHXI_LANES_WIDE

#include <immintrin.h>

#define PHXI_LANES_LOW(a, b)  __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define PHXI_LANES_HIGH(a, b) __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)

/// Rows of item[0], [4], [8], [12]. For the compilers' own vectors gcc takes twice the instructions.
PHXI_INLINE void phxi_join_rows(const phxi_r4* rows, int stride, const int* item, phxi_lanes* out) {
    __m512 joined = _mm512_castps128_ps512((__m128)rows[(ptrdiff_t)stride * item[0]]);
    joined = _mm512_insertf32x4(joined, (__m128)rows[(ptrdiff_t)stride * item[4]], 1);
    joined = _mm512_insertf32x4(joined, (__m128)rows[(ptrdiff_t)stride * item[8]], 2);
    *out = (phxi_lanes)_mm512_insertf32x4(joined, (__m128)rows[(ptrdiff_t)stride * item[12]], 3);
}

#else

#define PHXI_LANES_LOW(a, b)  __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define PHXI_LANES_HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)

/// Rows of item[0], [4].
PHXI_INLINE void phxi_join_rows(const phxi_r4* rows, int stride, const int* item, phxi_lanes* out) {
    *out = __builtin_shufflevector(rows[(ptrdiff_t)stride * item[0]], rows[(ptrdiff_t)stride * item[4]], 0, 1, 2, 3, 4,
                                   5, 6, 7);
}

#endif

/// out[c] = number c of rows[stride item[0]], rows[stride item[1]], ...
PHXI_INLINE void phxi_lanes_gather_every(const phxi_r4* rows, int stride, const int* item, phxi_lanes out[4]) {
    phxi_lanes a, b, c, d;
    phxi_join_rows(rows, stride, item, &a);
    phxi_join_rows(rows, stride, item + 1, &b);
    phxi_join_rows(rows, stride, item + 2, &c);
    phxi_join_rows(rows, stride, item + 3, &d);
    phxi_lanes ac_low = PHXI_LANES_LOW(a, c), ac_high = PHXI_LANES_HIGH(a, c);
    phxi_lanes bd_low = PHXI_LANES_LOW(b, d), bd_high = PHXI_LANES_HIGH(b, d);
    out[0] = PHXI_LANES_LOW(ac_low, bd_low);
    out[1] = PHXI_LANES_HIGH(ac_low, bd_low);
    out[2] = PHXI_LANES_LOW(ac_high, bd_high);
    out[3] = PHXI_LANES_HIGH(ac_high, bd_high);
}

PHXI_INLINE void phxi_lanes_gather(const phxi_r4* rows, const int* item, phxi_lanes out[4]) {
    phxi_lanes_gather_every(rows, 1, item, out);
}

/// A group of neighbours from `at` on in a list that ends at `end`; behind the end the particle itself, which adds
/// nothing.
PHXI_INLINE const int* phxi_group_of(const int* items, int64_t at, int64_t end, int self, int pad[PHXI_GROUP]) {
    if (end - at >= PHXI_GROUP) {
        return items + at;
    }
    for (int k = 0; k < PHXI_GROUP; ++k) {
        pad[k] = at + k < end ? items[at + k] : self;
    }
    return pad;
}

/// The parts of a group become eight sums: lane k and lane k + 8. `stride` lanes from part to part.
PHXI_INLINE void phxi_fold_lanes(const phxi_lanes* parts, size_t stride, phxi_r8* out) {
#ifdef PHXI_LANES_WIDE
    (void)stride;
    *out = __builtin_shufflevector(*parts, *parts, 0, 1, 2, 3, 4, 5, 6, 7) +
           __builtin_shufflevector(*parts, *parts, 8, 9, 10, 11, 12, 13, 14, 15);
#else
    *out = PHXI_PARTS > 1 ? parts[0] + parts[stride * (PHXI_PARTS - 1)] : parts[0];
#endif
}

/// Sums of all lanes of four quantities that stand one behind the other, always in the same order.
PHXI_INLINE void phxi_sum_lanes4(const phxi_lanes* parts, size_t stride, phxi_r4* out) {
    phxi_r4 h[4];
    for (int c = 0; c < 4; ++c) {
        phxi_r8 v;
        phxi_fold_lanes(parts + c, stride, &v);
        h[c] = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
    }
    phxi_r4 ab_low = __builtin_shufflevector(h[0], h[1], 0, 4, 1, 5);
    phxi_r4 ab_high = __builtin_shufflevector(h[0], h[1], 2, 6, 3, 7);
    phxi_r4 cd_low = __builtin_shufflevector(h[2], h[3], 0, 4, 1, 5);
    phxi_r4 cd_high = __builtin_shufflevector(h[2], h[3], 2, 6, 3, 7);
    phxi_r4 ab = ab_low + ab_high, cd = cd_low + cd_high; // lanes 0 + 2, 1 + 3
    *out = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

/// Sum of the lanes of eight, in the same order.
PHXI_INLINE phx_real phxi_sum8(const phxi_r8* a) {
    phxi_r8 v = *a;
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}
