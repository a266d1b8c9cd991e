// SPDX-License-Identifier: MIT
// Smoothing kernels as functions of q = r/h alone, w = factor/h^3 f(q) and dw/dr = factor/h^4 f'(q), with factor =
// 1 / int 4 pi q^2 f dq in closed form: docs/theory/discretisation.md (2).
#include "neighbors/kernel.h"

#include <math.h>

#define PI 3.14159265358979323846

const char* const phxi_kernel_words[] = {"poly6", "spiky", "cubic", "quintic", "cosine", "wendland_c2", NULL};

static double square(double a) {
    return a * a;
}
static double cube(double a) {
    return a * a * a;
}
static double fourth(double a) {
    return square(square(a));
}
static double fifth(double a) {
    return fourth(a) * a;
}
// The part of a that is positive: the pieces of a spline end where it does.
static double positive(double a) {
    return a > 0 ? a : 0;
}

static double poly6(double q) {
    return cube(1 - q * q);
}
static double poly6_slope(double q) {
    return -6 * q * square(1 - q * q);
}
static double spiky(double q) {
    return cube(1 - q);
}
static double spiky_slope(double q) {
    return -3 * square(1 - q);
}
static double cubic(double q) {
    return q < 0.5 ? 6 * q * q * (q - 1) + 1 : 2 * cube(1 - q);
}
static double cubic_slope(double q) {
    return q < 0.5 ? 6 * q * (3 * q - 2) : -6 * square(1 - q);
}
static double quintic(double q) {
    double s = 3 * q;
    return fifth(3 - s) - 6 * fifth(positive(2 - s)) + 15 * fifth(positive(1 - s));
}
static double quintic_slope(double q) {
    double s = 3 * q;
    return -15 * (fourth(3 - s) - 6 * fourth(positive(2 - s)) + 15 * fourth(positive(1 - s)));
}
static double cosine(double q) {
    return 1 - sin(0.5 * PI * q);
}
static double cosine_slope(double q) {
    return -0.5 * PI * cos(0.5 * PI * q);
}
static double wendland_c2(double q) {
    return fourth(1 - q) * (4 * q + 1);
}
static double wendland_c2_slope(double q) {
    return -20 * q * cube(1 - q);
}

static const struct {
    double factor;
    double (*value)(double q);
    double (*slope)(double q);
} kernels[PHXI_KERNEL_COUNT] = {
    [PHXI_KERNEL_POLY6] = {315 / (64 * PI), poly6, poly6_slope},
    [PHXI_KERNEL_SPIKY] = {15 / PI, spiky, spiky_slope},
    [PHXI_KERNEL_CUBIC] = {8 / PI, cubic, cubic_slope},
    [PHXI_KERNEL_QUINTIC] = {27 / (120 * PI), quintic, quintic_slope},
    [PHXI_KERNEL_COSINE] = {1 / (4 * (PI / 3 - 8 / PI + 16 / (PI * PI))), cosine, cosine_slope},
    [PHXI_KERNEL_WENDLAND_C2] = {21 / (2 * PI), wendland_c2, wendland_c2_slope},
};

double phxi_kernel_value(phxi_kernel kernel, double r, double h) {
    return r < h ? kernels[kernel].factor / cube(h) * kernels[kernel].value(r / h) : 0;
}

double phxi_kernel_slope(phxi_kernel kernel, double r, double h) {
    return r < h ? kernels[kernel].factor / fourth(h) * kernels[kernel].slope(r / h) : 0;
}
