// SPDX-License-Identifier: MIT
// Vectors and colours of pictures, in single precision.
#pragma once

#include <math.h>

typedef struct phxi_f3 {
    float x, y, z;
} phxi_f3;

static inline phxi_f3 phxi_f3_of(const float v[3]) {
    return (phxi_f3){v[0], v[1], v[2]};
}
static inline phxi_f3 phxi_f3_all(float s) {
    return (phxi_f3){s, s, s};
}
static inline phxi_f3 phxi_f3_add(phxi_f3 a, phxi_f3 b) {
    return (phxi_f3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline phxi_f3 phxi_f3_sub(phxi_f3 a, phxi_f3 b) {
    return (phxi_f3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline phxi_f3 phxi_f3_scale(float s, phxi_f3 a) {
    return (phxi_f3){s * a.x, s * a.y, s * a.z};
}
/// a + s b.
static inline phxi_f3 phxi_f3_along(phxi_f3 a, float s, phxi_f3 b) {
    return (phxi_f3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
/// Component by component: a colour seen through another.
static inline phxi_f3 phxi_f3_mul(phxi_f3 a, phxi_f3 b) {
    return (phxi_f3){a.x * b.x, a.y * b.y, a.z * b.z};
}
static inline phxi_f3 phxi_f3_mix(phxi_f3 a, phxi_f3 b, float t) {
    return phxi_f3_along(phxi_f3_scale(1 - t, a), t, b);
}
static inline float phxi_f3_dot(phxi_f3 a, phxi_f3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline phxi_f3 phxi_f3_cross(phxi_f3 a, phxi_f3 b) {
    return (phxi_f3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline phxi_f3 phxi_f3_unit(phxi_f3 a) {
    float length = sqrtf(phxi_f3_dot(a, a));
    return length > 0 ? phxi_f3_scale(1 / length, a) : (phxi_f3){0, 0, 1};
}
static inline float phxi_f3_most(phxi_f3 a) {
    return fmaxf(a.x, fmaxf(a.y, a.z));
}
/// How bright a linear colour looks.
static inline float phxi_f3_brightness(phxi_f3 c) {
    return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
}

/// Two unit vectors at right angles to a unit vector n and to each other.
static inline void phxi_f3_frame(phxi_f3 n, phxi_f3* a, phxi_f3* b) {
    float sign = n.z >= 0 ? 1.0f : -1.0f, s = -1 / (sign + n.z), t = n.x * n.y * s;
    *a = (phxi_f3){1 + sign * n.x * n.x * s, sign * t, -sign * n.x};
    *b = (phxi_f3){t, sign + n.y * n.y * s, -n.y};
}
/// (x, y, z) in the frame of n.
static inline phxi_f3 phxi_f3_about(phxi_f3 n, float x, float y, float z) {
    phxi_f3 a, b;
    phxi_f3_frame(n, &a, &b);
    return phxi_f3_along(phxi_f3_along(phxi_f3_scale(x, a), y, b), z, n);
}
static inline float phxi_smoothstep(float low, float high, float x) {
    float t = fminf(fmaxf((x - low) / (high - low), 0), 1);
    return t * t * (3 - 2 * t);
}
