// SPDX-License-Identifier: MIT
// The six kernels integrate to one, and their slope is their derivative.
#include "validate/validate.h"

#include "neighbors/kernel.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

// Midpoint sums over thin shells; an even number of pieces between the kernels' knots keeps second order.
static double integral(phxi_kernel kernel, double h) {
    enum { SHELLS = 60000 };
    double sum = 0;
    for (int i = 0; i < SHELLS; ++i) {
        double r = h * (i + 0.5) / SHELLS;
        sum += 4 * pi * r * r * phxi_kernel_value(kernel, r, h);
    }
    return sum * h / SHELLS;
}

static double slope_error(phxi_kernel kernel, double h) {
    enum { POINTS = 1000 };
    double worst = 0, largest = 0, step = 1e-5 * h;
    for (int i = 1; i < POINTS; ++i) {
        double r = h * (i + 0.37) / (POINTS + 1);
        double difference =
            (phxi_kernel_value(kernel, r + step, h) - phxi_kernel_value(kernel, r - step, h)) / (2 * step);
        worst = fmax(worst, fabs(difference - phxi_kernel_slope(kernel, r, h)));
        largest = fmax(largest, fabs(difference));
    }
    return worst / largest;
}

static phx_result kernels(phxi_validation* v) {
    for (int kernel = 0; kernel < PHXI_KERNEL_COUNT; ++kernel) {
        char quantity[96];
        snprintf(quantity, sizeof quantity, "integral of %s", phxi_kernel_words[kernel]);
        phxi_validate(v, quantity, integral((phxi_kernel)kernel, 0.37), 1, 1e-6);
        snprintf(quantity, sizeof quantity, "slope of %s, relative", phxi_kernel_words[kernel]);
        phxi_validate(v, quantity, slope_error((phxi_kernel)kernel, 0.37), 0, 1e-7);
    }
    return PHX_OK;
}

const phxi_validation_case phxi_cases_kernels[] = {
    {"kernels", "smoothing kernels integrate to 1 and have the right slope", kernels},
    {NULL, NULL, NULL},
};
