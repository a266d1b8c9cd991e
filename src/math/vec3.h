// SPDX-License-Identifier: MIT
// Small vectors and matrices, in double: set-up, measuring and the reference versions of the fast loops use them.
// Row-major: m[row][column].
#pragma once

#include <phyxel/types.h>

#include <math.h>

typedef struct phxi_mat3 {
    double m[3][3];
} phxi_mat3;

/// Symmetric: xx, yy, zz, xy, xz, yz.
typedef struct phxi_sym3 {
    double xx, yy, zz, xy, xz, yz;
} phxi_sym3;

typedef struct phxi_quat {
    double w, x, y, z;
} phxi_quat;

static inline phx_vec3 phxi_vec3(double x, double y, double z) {
    return (phx_vec3){x, y, z};
}
static inline phx_vec3 phxi_add(phx_vec3 a, phx_vec3 b) {
    return (phx_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline phx_vec3 phxi_sub(phx_vec3 a, phx_vec3 b) {
    return (phx_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline phx_vec3 phxi_scale(double s, phx_vec3 a) {
    return (phx_vec3){s * a.x, s * a.y, s * a.z};
}
/// a + s b
static inline phx_vec3 phxi_add_scaled(phx_vec3 a, double s, phx_vec3 b) {
    return (phx_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double phxi_dot(phx_vec3 a, phx_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline phx_vec3 phxi_cross(phx_vec3 a, phx_vec3 b) {
    return (phx_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double phxi_length(phx_vec3 a) {
    return sqrt(phxi_dot(a, a));
}
static inline double phxi_distance(phx_vec3 a, phx_vec3 b) {
    return phxi_length(phxi_sub(a, b));
}
static inline phx_vec3 phxi_min(phx_vec3 a, phx_vec3 b) {
    return (phx_vec3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)};
}
static inline phx_vec3 phxi_max(phx_vec3 a, phx_vec3 b) {
    return (phx_vec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)};
}
static inline bool phxi_finite(phx_vec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
/// a / |a|; `fallback` for zero or not finite. Safe at any scale.
phx_vec3 phxi_normalize(phx_vec3 a, phx_vec3 fallback);
/// Any unit vector at a right angle to a unit vector.
phx_vec3 phxi_perpendicular(phx_vec3 unit);

static inline phxi_mat3 phxi_identity(void) {
    return (phxi_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}
static inline phxi_mat3 phxi_mat3_mul(const phxi_mat3* a, const phxi_mat3* b) {
    phxi_mat3 c;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
        }
    }
    return c;
}
static inline phx_vec3 phxi_mat3_apply(const phxi_mat3* a, phx_vec3 v) {
    return (phx_vec3){a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                      a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                      a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z};
}
static inline phxi_mat3 phxi_mat3_transpose(const phxi_mat3* a) {
    phxi_mat3 t;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            t.m[i][j] = a->m[j][i];
        }
    }
    return t;
}
static inline double phxi_mat3_det(const phxi_mat3* a) {
    return a->m[0][0] * (a->m[1][1] * a->m[2][2] - a->m[1][2] * a->m[2][1]) -
           a->m[0][1] * (a->m[1][0] * a->m[2][2] - a->m[1][2] * a->m[2][0]) +
           a->m[0][2] * (a->m[1][0] * a->m[2][1] - a->m[1][1] * a->m[2][0]);
}
/// Transposed adjugate: det(a) a^-T where that exists. Exact polynomials, no division.
phxi_mat3 phxi_mat3_cofactor(const phxi_mat3* a);
/// False (and zero) if singular to working precision.
bool phxi_mat3_inverse(const phxi_mat3* a, phxi_mat3* inverse);
static inline phxi_mat3 phxi_sym3_full(const phxi_sym3* s) {
    return (phxi_mat3){{{s->xx, s->xy, s->xz}, {s->xy, s->yy, s->yz}, {s->xz, s->yz, s->zz}}};
}

/// Rotation by `angle` (rad) about `axis` (any length; zero axis gives identity).
phxi_mat3 phxi_rotation(phx_vec3 axis, double angle);
phxi_quat phxi_quat_from_axis(phx_vec3 axis, double angle);
phxi_quat phxi_quat_from_matrix(const phxi_mat3* rotation);
phxi_mat3 phxi_quat_matrix(phxi_quat q);
phxi_quat phxi_quat_mul(phxi_quat a, phxi_quat b);
/// Unit length; identity for zero or not finite.
phxi_quat phxi_quat_normalize(phxi_quat q);
phx_vec3 phxi_quat_rotate(phxi_quat q, phx_vec3 v);
