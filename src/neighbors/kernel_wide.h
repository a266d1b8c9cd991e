// SPDX-License-Identifier: MIT
// The quintic and cubic splines (kernel.c) for as many pairs at once as there are lanes, without a branch: w and w'/r,
// which a gradient needs as grad w = (w'/r) x. In their inner part the two are polynomials in r, so that nothing
// cancels, and w'/r is finite at r = 0.
//
//   quintic  s = 3 r / R   s < 1     66 - 60 s^2 + 30 s^4 - 10 s^5   its slope by s over s: -120 + 120 s^2 - 50 s^3
//                          else      (3 - s)^5 - 6 (2 - s)+^5        -5 ((3 - s)^4 - 6 (2 - s)+^4) / s
//            times 27 / (120 pi R^3) for w, and 9 / R^2 more for w'/r
//   cubic    q = r / R     q < 1/2   1 + 6 (q^3 - q^2)               18 q - 12
//                          else      2 (1 - q)+^3                    -6 (1 - q)+^2 / q
//            times 8 / (pi R^3) for w, and 1 / R^2 more for w'/r
#pragma once

#include "math/lanes.h"

#define PHXI_QUINTIC_FACTOR 0.07161972439135291 // 27 / (120 pi)
#define PHXI_CUBIC_FACTOR   2.546479089470325   // 8 / pi

/// For distances with these squares and supports R = 1 / inverse: w R^3 and (w'/r) R^5, numbers of order one at any
/// scale of length. Either output may be NULL.
PHXI_INLINE void phxi_quintic_lanes(const phxi_lanes* square, const phxi_lanes* inverse, phxi_lanes* value,
                                    phxi_lanes* slope) {
    const phx_real factor = (phx_real)PHXI_QUINTIC_FACTOR;
    phxi_lanes root;
    phxi_lanes_sqrt(square, &root);
    phxi_lanes s = root * (3 * *inverse), s2 = s * s;
    phxi_lanes a = 3 - s, b = 2 - s;
    phxi_lanes_positive(&a);
    phxi_lanes_positive(&b);
    phxi_lanes a2 = a * a, b2 = b * b, a4 = a2 * a2, b4 = 6 * (b2 * b2);
    phxi_lane_mask inner = (phxi_lane_mask)(s < 1);
    if (value) {
        phxi_lanes low = 66 + s2 * (s2 * (30 - 10 * s) - 60), high = a4 * a - b4 * b, w;
        phxi_lanes_select(&inner, &low, &high, &w);
        *value = factor * w;
    }
    if (slope) {
        phxi_lanes low = s2 * (24 - 10 * s) - 24, one = (phxi_lanes){0} + 1, by;
        phxi_lanes_select(&inner, &one, &s, &by); // no division by zero in lanes that are not used
        phxi_lanes high = (b4 - a4) / by, g;
        phxi_lanes_select(&inner, &low, &high, &g);
        *slope = (45 * factor) * g;
    }
}

/// As phxi_quintic_lanes.
PHXI_INLINE void phxi_cubic_lanes(const phxi_lanes* square, const phxi_lanes* inverse, phxi_lanes* value,
                                  phxi_lanes* slope) {
    const phx_real factor = (phx_real)PHXI_CUBIC_FACTOR, half = (phx_real)0.5;
    phxi_lanes root;
    phxi_lanes_sqrt(square, &root);
    phxi_lanes q = root * *inverse, a = 1 - q;
    phxi_lanes_positive(&a);
    phxi_lane_mask inner = (phxi_lane_mask)(q < half);
    if (value) {
        phxi_lanes low = 1 + 6 * ((q - 1) * (q * q)), high = 2 * (a * a * a), w;
        phxi_lanes_select(&inner, &low, &high, &w);
        *value = factor * w;
    }
    if (slope) {
        phxi_lanes low = 18 * q - 12, one = (phxi_lanes){0} + 1, by, g;
        phxi_lanes_select(&inner, &one, &q, &by);
        phxi_lanes high = -6 * (a * a) / by;
        phxi_lanes_select(&inner, &low, &high, &g);
        *slope = factor * g;
    }
}
