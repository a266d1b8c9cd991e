// SPDX-License-Identifier: MIT
// The smoothing kernels of the five source documents: value and radial derivative, in 3-D, normalised to int w dV = 1.
// All have support radius h (the cubic and quintic splines are written for that radius too).
#pragma once

#include <phyxel/types.h>

typedef enum phxi_kernel {
    PHXI_KERNEL_POLY6,
    PHXI_KERNEL_SPIKY,
    PHXI_KERNEL_CUBIC,
    PHXI_KERNEL_QUINTIC,
    PHXI_KERNEL_COSINE, // c (1 - sin(pi r / 2h)), docs/theory/discretisation.md (2)
    PHXI_KERNEL_WENDLAND_C2,
    PHXI_KERNEL_COUNT
} phxi_kernel;

extern const char* const phxi_kernel_words[]; // "poly6", ..., NULL

double phxi_kernel_value(phxi_kernel kernel, double r, double h);
/// dw/dr <= 0. At r = 0 the one-sided limit (0 for all smooth ones).
double phxi_kernel_slope(phxi_kernel kernel, double r, double h);
