// SPDX-License-Identifier: MIT
// Eight pairs at once: the quintic spline against kernel.c, and rows gathered into lanes.
#include "math/gather.h"
#include "neighbors/kernel.h"
#include "neighbors/kernel_wide.h"

#include "support/test.h"

#ifdef PHX_DOUBLE
#define BOUND 1e-14
#else
#define BOUND 1e-6
#endif

TEST(quintic_is_that_of_the_table) {
    uint64_t seed = 3;
    for (int n = 0; n < 2000; ++n) {
        phxi_r8 square, inverse, value, slope;
        double support[8], r[8];
        for (int k = 0; k < 8; ++k) {
            support[k] = (double)(phx_real)pow(10, 6 * phxt_random(&seed) - 3);
            square[k] = (phx_real)pow(1.05 * support[k] * phxt_random(&seed), 2);
            inverse[k] = (phx_real)(1 / support[k]);
            r[k] = sqrt((double)square[k]);
        }
        phxi_quintic_lanes(&square, &inverse, &value, &slope);
        for (int k = 0; k < 8; ++k) {
            double w = phxi_kernel_value(PHXI_KERNEL_QUINTIC, r[k], support[k]) * pow(support[k], 3);
            double s = phxi_kernel_slope(PHXI_KERNEL_QUINTIC, r[k], support[k]) * pow(support[k], 4);
            double q = r[k] / support[k];
            ENSURE_NEAR(value[k], w, BOUND * phxi_kernel_value(PHXI_KERNEL_QUINTIC, 0, 1));
            // times q: the table's own slope cancels near zero
            ENSURE_NEAR((double)slope[k] * q, s, BOUND * 240 * PHXI_QUINTIC_FACTOR);
            ENSURE(r[k] < support[k] * (1 + 1e-6) || (value[k] == 0 && slope[k] == 0));
        }
    }
}

TEST(quintic_is_finite_at_zero_and_takes_one_output) {
    phxi_r8 square = {0}, inverse = {1, 2, 3, 4, 5, 6, 7, 8}, value, slope, other;
    phxi_quintic_lanes(&square, &inverse, &value, &slope);
    ENSURE_NEAR(value[3], 66 * PHXI_QUINTIC_FACTOR, 10 * BOUND);
    ENSURE_NEAR(slope[3], -1080 * PHXI_QUINTIC_FACTOR, 200 * BOUND);
    phxi_quintic_lanes(&square, &inverse, &other, NULL);
    ENSURE(other[5] == value[5]);
    phxi_quintic_lanes(&square, &inverse, NULL, &other);
    ENSURE(other[5] == slope[5]);
}

TEST(gathered_rows_are_lanes) {
    _Alignas(64) phxi_r4 rows[20];
    for (int i = 0; i < 20; ++i) {
        rows[i] = (phxi_r4){(phx_real)i, (phx_real)(100 + i), (phx_real)(200 + i), (phx_real)(300 + i)};
    }
    const int item[8] = {3, 19, 0, 7, 7, 11, 2, 5};
    phxi_r8 out[4];
    phxi_lanes_gather(rows, item, out);
    for (int c = 0; c < 4; ++c) {
        for (int k = 0; k < 8; ++k) {
            ENSURE_NEAR(out[c][k], 100 * c + item[k], 0);
        }
    }
    ENSURE_NEAR(phxi_sum8(&out[0]), 54, 0);
}
