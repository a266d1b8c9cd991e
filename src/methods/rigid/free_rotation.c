// SPDX-License-Identifier: MIT
#include "methods/rigid/free_rotation.h"

#include "math/decompose3.h"

static const double thin = 1e-9;          // a moment below this part of the largest is none
static const double largest_angle = 0.05; // rad, that one part may turn by
enum { MOST_PARTS = 100000 };

phxi_principal_inertia phxi_principal_inertia_of(const phxi_sym3* inertia) {
    phxi_principal_inertia principal;
    phxi_eigen_sym3(inertia, principal.moments, &principal.axes);
    for (int k = 0; k < 3; ++k) {
        principal.moments[k] = principal.moments[k] > thin * principal.moments[0] ? principal.moments[k] : 0;
    }
    return principal;
}

static phxi_mat3 by_axes(const phxi_principal_inertia* principal, const phxi_mat3* rotation, const double values[3]) {
    phxi_mat3 q = phxi_mat3_mul(rotation, &principal->axes), sum;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            sum.m[i][j] = values[0] * q.m[i][0] * q.m[j][0] + values[1] * q.m[i][1] * q.m[j][1] +
                          values[2] * q.m[i][2] * q.m[j][2];
        }
    }
    return sum;
}

static double inverse_of(double moment) {
    return moment > 0 ? 1 / moment : 0;
}

phxi_mat3 phxi_principal_inverse(const phxi_principal_inertia* principal, const phxi_mat3* rotation) {
    const double values[3] = {inverse_of(principal->moments[0]), inverse_of(principal->moments[1]),
                              inverse_of(principal->moments[2])};
    return by_axes(principal, rotation, values);
}

phxi_mat3 phxi_principal_tensor(const phxi_principal_inertia* principal, const phxi_mat3* rotation) {
    return by_axes(principal, rotation, principal->moments);
}

/// About one principal axis: the body by the angle, the angular momentum in its frame by the opposite.
static void turn_about(const double rates[3], int axis, double h, phxi_quat* q, double l[3]) {
    int next = (axis + 1) % 3, other = (axis + 2) % 3;
    double angle = h * rates[axis] * l[axis], c = cos(angle), s = sin(angle);
    double a = l[next], b = l[other], half = 0.5 * angle;
    double part[3] = {0, 0, 0};
    l[next] = c * a + s * b;
    l[other] = c * b - s * a;
    part[axis] = sin(half);
    *q = phxi_quat_mul(*q, (phxi_quat){cos(half), part[0], part[1], part[2]});
}

static void second_order(const double rates[3], double h, phxi_quat* q, double l[3]) {
    turn_about(rates, 0, h / 2, q, l);
    turn_about(rates, 1, h / 2, q, l);
    turn_about(rates, 2, h, q, l);
    turn_about(rates, 1, h / 2, q, l);
    turn_about(rates, 0, h / 2, q, l);
}

static void fourth_order(const double rates[3], double h, phxi_quat* q, double l[3]) {
    const double part = 1 / (4 - cbrt(4));
    for (int k = 0; k < 5; ++k) {
        second_order(rates, (k == 2 ? 1 - 4 * part : part) * h, q, l);
    }
}

phxi_quat phxi_free_rotation(const phxi_principal_inertia* principal, phxi_quat orientation, phx_vec3 momentum,
                             double dt) {
    phxi_quat axes = phxi_quat_from_matrix(&principal->axes), q = phxi_quat_mul(orientation, axes);
    phx_vec3 own = phxi_quat_rotate((phxi_quat){q.w, -q.x, -q.y, -q.z}, momentum);
    double l[3] = {own.x, own.y, own.z}, rates[3], fastest = 0;
    for (int k = 0; k < 3; ++k) {
        rates[k] = inverse_of(principal->moments[k]);
        fastest = fmax(fastest, rates[k]);
    }
    double parts = ceil(fastest * phxi_length(momentum) * fabs(dt) / largest_angle);
    int count = parts < MOST_PARTS ? (int)fmax(1, parts) : MOST_PARTS;
    for (int k = 0; k < count; ++k) {
        fourth_order(rates, dt / count, &q, l);
    }
    return phxi_quat_normalize(phxi_quat_mul(q, (phxi_quat){axes.w, -axes.x, -axes.y, -axes.z}));
}
