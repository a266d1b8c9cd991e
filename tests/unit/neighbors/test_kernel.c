// SPDX-License-Identifier: MIT
#include "neighbors/kernel.h"

#include "support/test.h"

#define PI 3.14159265358979323846

// Gauss-Legendre with five points on each of many pieces; pieces end at q = 1/3, 1/2, 2/3 where the splines do.
static double integral(phxi_kernel kernel, double h) {
    static const double at[] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640};
    static const double weight[] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                    0.2369268850561891};
    enum { PIECES = 60 };
    double sum = 0;
    for (int piece = 0; piece < PIECES; ++piece) {
        for (int k = 0; k < 5; ++k) {
            double r = h * (piece + 0.5 + 0.5 * at[k]) / PIECES;
            sum += weight[k] * 0.5 * h / PIECES * 4 * PI * r * r * phxi_kernel_value(kernel, r, h);
        }
    }
    return sum;
}

TEST(integral_is_one) {
    const double sizes[] = {1e-3, 0.7, 1, 25};
    for (int kernel = 0; kernel < PHXI_KERNEL_COUNT; ++kernel) {
        for (int k = 0; k < 4; ++k) {
            ENSURE_NEAR(integral(kernel, sizes[k]), 1, 1e-12);
        }
    }
}

TEST(slope_is_the_derivative) {
    double h = 0.8, step = 1e-5;
    for (int kernel = 0; kernel < PHXI_KERNEL_COUNT; ++kernel) {
        double scale = phxi_kernel_value(kernel, 0, h) / h;
        for (int k = 1; k < 200; ++k) {
            double r = h * k / 200.0 + 1e-4; // not on the joints of the splines
            if (r + step >= h) {
                continue;
            }
            double difference =
                (phxi_kernel_value(kernel, r + step, h) - phxi_kernel_value(kernel, r - step, h)) / (2 * step);
            ENSURE_NEAR(phxi_kernel_slope(kernel, r, h), difference, 1e-7 * scale);
        }
    }
}

TEST(positive_falling_and_zero_outside) {
    double h = 1.3;
    for (int kernel = 0; kernel < PHXI_KERNEL_COUNT; ++kernel) {
        double before = INFINITY;
        for (int k = 0; k < 1000; ++k) {
            double r = h * k / 1000.0, value = phxi_kernel_value(kernel, r, h);
            ENSURE(value > 0 && value <= before);
            ENSURE(phxi_kernel_slope(kernel, r, h) <= 0);
            before = value;
        }
        const double outside[] = {h, 1.0001 * h, 10 * h, INFINITY, NAN};
        for (int k = 0; k < 5; ++k) {
            ENSURE(phxi_kernel_value(kernel, outside[k], h) == 0);
            ENSURE(phxi_kernel_slope(kernel, outside[k], h) == 0);
        }
        // no jump at the edge
        ENSURE(phxi_kernel_value(kernel, 0.99999 * h, h) < 1e-8 * phxi_kernel_value(kernel, 0, h));
        bool kink = kernel == PHXI_KERNEL_SPIKY || kernel == PHXI_KERNEL_COSINE;
        ENSURE((phxi_kernel_slope(kernel, 0, h) == 0) == !kink);
        ENSURE(phxi_kernel_value(kernel, 0, 0) == 0);
    }
}

TEST(scales_with_h) {
    for (int kernel = 0; kernel < PHXI_KERNEL_COUNT; ++kernel) {
        for (double q = 0; q < 1; q += 0.0625) {
            double value = phxi_kernel_value(kernel, q, 1), slope = phxi_kernel_slope(kernel, q, 1);
            for (double h = 0.125; h <= 8; h *= 2) {
                ENSURE_NEAR(phxi_kernel_value(kernel, q * h, h) * h * h * h, value, 1e-14 * value);
                ENSURE_NEAR(phxi_kernel_slope(kernel, q * h, h) * h * h * h * h, slope, -1e-14 * slope);
            }
        }
    }
}

TEST(known_values) {
    ENSURE_NEAR(phxi_kernel_value(PHXI_KERNEL_POLY6, 0, 1), 1.56668147106, 1e-10);     // 315/(64 pi)
    ENSURE_NEAR(phxi_kernel_value(PHXI_KERNEL_SPIKY, 0, 1), 4.77464829276, 1e-10);     // 15/pi
    ENSURE_NEAR(phxi_kernel_value(PHXI_KERNEL_CUBIC, 0.5, 1), 0.63661977237, 1e-10);   // 2/pi
    ENSURE_NEAR(phxi_kernel_value(PHXI_KERNEL_QUINTIC, 0, 3), 66 / (120 * PI), 1e-14); // 1/(120 pi) at h/3
    ENSURE_NEAR(phxi_kernel_value(PHXI_KERNEL_COSINE, 0, 1), 2.0515783, 1e-7);
    ENSURE_NEAR(phxi_kernel_value(PHXI_KERNEL_WENDLAND_C2, 0, 1), 3.34225380493, 1e-10); // 21/(2 pi)
}

TEST(words_name_every_kernel) {
    for (int kernel = 0; kernel < PHXI_KERNEL_COUNT; ++kernel) {
        REQUIRE(phxi_kernel_words[kernel] != NULL);
    }
    ENSURE(phxi_kernel_words[PHXI_KERNEL_COUNT] == NULL);
    ENSURE(strcmp(phxi_kernel_words[PHXI_KERNEL_WENDLAND_C2], "wendland_c2") == 0);
}
