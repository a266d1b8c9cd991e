// SPDX-License-Identifier: MIT
#include "materials/expansion.h"

#include "materials/tangent.h"
#include "parallel/parallel.h"

enum { FIRST_STIFFNESS = 18 }; // of a tangent's numbers, after U and V

static PHXI_CLONES void thermal_take(const phx_real* restrict t, int count, phx_real* restrict g, phx_real one) {
    PHXI_SIMD
    for (int i = 0; i < count; ++i) {
        g[i] = (g[i] - one * t[i]) / (1 + t[i]);
    }
}

static PHXI_CLONES void thermal_put(const phx_real* restrict t, int count, phx_real* restrict g, phx_real one) {
    PHXI_SIMD
    for (int i = 0; i < count; ++i) {
        g[i] = g[i] * (1 + t[i]) + one * t[i];
    }
}

static PHXI_CLONES void thermal_scale(const phx_real* restrict t, int count, int power, phx_real* restrict values) {
    PHXI_SIMD
    for (int i = 0; i < count; ++i) {
        const phx_real th = 1 + t[i];
        values[i] *= power == 1 ? th : power == 2 ? th * th : th * th * th;
    }
}

void phxi_thermal_take(const phx_real* thermal, int count, int stride, phx_real* g) {
    for (int k = 0; thermal && k < 9; ++k) {
        thermal_take(thermal, count, g + k * stride, k % 4 == 0);
    }
}

void phxi_thermal_put(const phx_real* thermal, int count, int stride, phx_real* g) {
    for (int k = 0; thermal && k < 9; ++k) {
        thermal_put(thermal, count, g + k * stride, k % 4 == 0);
    }
}

void phxi_thermal_stress(const phx_real* thermal, int count, int stride, phx_real* p) {
    for (int k = 0; thermal && k < 9; ++k) {
        thermal_scale(thermal, count, 2, p + k * stride);
    }
}

void phxi_thermal_energy(const phx_real* thermal, int count, int stride, int planes, phx_real* energy) {
    for (int k = 0; thermal && energy && k < planes; ++k) {
        thermal_scale(thermal, count, 3, energy + k * stride);
    }
}

void phxi_thermal_tangent(const phx_real* thermal, int count, int stride, phx_real* t) {
    for (int k = FIRST_STIFFNESS; thermal && k < PHXI_TANGENT_NUMBERS; ++k) {
        thermal_scale(thermal, count, 1, t + k * stride);
    }
}
