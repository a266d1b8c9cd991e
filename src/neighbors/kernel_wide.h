// SPDX-License-Identifier: MIT
// The quintic and cubic splines (kernel.c) for eight pairs at once, without a branch: w and w'/r, which a gradient
// needs as grad w = (w'/r) x. In their inner part the two are polynomials in r, so that nothing cancels, and w'/r is
// finite at r = 0.
//
//   quintic  s = 3 r / R   s < 1     66 - 60 s^2 + 30 s^4 - 10 s^5   its slope by s over s: -120 + 120 s^2 - 50 s^3
//                          else      (3 - s)^5 - 6 (2 - s)+^5        -5 ((3 - s)^4 - 6 (2 - s)+^4) / s
//            times 27 / (120 pi R^3) for w, and 9 / R^2 more for w'/r
//   cubic    q = r / R     q < 1/2   1 + 6 (q^3 - q^2)               18 q - 12
//                          else      2 (1 - q)+^3                    -6 (1 - q)+^2 / q
//            times 8 / (pi R^3) for w, and 1 / R^2 more for w'/r
#pragma once

#include "math/simd.h"

#include <stdint.h>

#define PHXI_QUINTIC_FACTOR 0.07161972439135291 // 27 / (120 pi)
#define PHXI_CUBIC_FACTOR   2.546479089470325   // 8 / pi

#ifdef PHX_DOUBLE
typedef int64_t phxi_mask8 __attribute__((vector_size(64)));
#define PHXI_LANE_SQRT __builtin_sqrt
#else
typedef int32_t phxi_mask8 __attribute__((vector_size(32)));
#define PHXI_LANE_SQRT __builtin_sqrtf
#endif

/// yes where the mask is set, no elsewhere.
PHXI_INLINE void phxi_select8(const phxi_mask8* mask, const phxi_r8* yes, const phxi_r8* no, phxi_r8* out) {
    *out = (phxi_r8)((*mask & (phxi_mask8)*yes) | (~*mask & (phxi_mask8)*no));
}

/// What is positive in a, zero elsewhere.
PHXI_INLINE void phxi_positive8(phxi_r8* a) {
    *a = (phxi_r8)((phxi_mask8)*a & (phxi_mask8)(*a > 0));
}

PHXI_INLINE void phxi_sqrt8(const phxi_r8* a, phxi_r8* out) {
    for (int k = 0; k < 8; ++k) {
        (*out)[k] = PHXI_LANE_SQRT((*a)[k]);
    }
}

/// For distances with these squares and supports R = 1 / inverse: w R^3 and (w'/r) R^5, numbers of order one at any
/// scale of length. Either output may be NULL.
PHXI_INLINE void phxi_quintic8(const phxi_r8* square, const phxi_r8* inverse, phxi_r8* value, phxi_r8* slope) {
    const phx_real factor = (phx_real)PHXI_QUINTIC_FACTOR;
    phxi_r8 root;
    phxi_sqrt8(square, &root);
    phxi_r8 s = 3 * (root * *inverse), s2 = s * s;
    phxi_r8 a = 3 - s, b = 2 - s;
    phxi_positive8(&a);
    phxi_positive8(&b);
    phxi_r8 a2 = a * a, b2 = b * b, a4 = a2 * a2, b4 = 6 * (b2 * b2);
    phxi_mask8 inner = (phxi_mask8)(s < 1);
    if (value) {
        phxi_r8 low = 66 + s2 * (s2 * (30 - 10 * s) - 60), high = a4 * a - b4 * b, w;
        phxi_select8(&inner, &low, &high, &w);
        *value = factor * w;
    }
    if (slope) {
        phxi_r8 low = s2 * (120 - 50 * s) - 120, one = (phxi_r8){0} + 1, by;
        phxi_select8(&inner, &one, &s, &by); // no division by zero in lanes that are not used
        phxi_r8 high = 5 * (b4 - a4) / by, g;
        phxi_select8(&inner, &low, &high, &g);
        *slope = 9 * factor * g;
    }
}

/// As phxi_quintic8.
PHXI_INLINE void phxi_cubic8(const phxi_r8* square, const phxi_r8* inverse, phxi_r8* value, phxi_r8* slope) {
    const phx_real factor = (phx_real)PHXI_CUBIC_FACTOR, half = (phx_real)0.5;
    phxi_r8 root;
    phxi_sqrt8(square, &root);
    phxi_r8 q = root * *inverse, a = 1 - q;
    phxi_positive8(&a);
    phxi_mask8 inner = (phxi_mask8)(q < half);
    if (value) {
        phxi_r8 low = 1 + 6 * ((q - 1) * (q * q)), high = 2 * (a * a * a), w;
        phxi_select8(&inner, &low, &high, &w);
        *value = factor * w;
    }
    if (slope) {
        phxi_r8 low = 18 * q - 12, one = (phxi_r8){0} + 1, by, g;
        phxi_select8(&inner, &one, &q, &by);
        phxi_r8 high = -6 * (a * a) / by;
        phxi_select8(&inner, &low, &high, &g);
        *slope = factor * g;
    }
}
