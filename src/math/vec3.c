// SPDX-License-Identifier: MIT
// The parts of vec3.h that are too long to inline. Scaling before squaring keeps them right at any magnitude.
#include "math/vec3.h"

#include <float.h>

phx_vec3 phxi_normalize(phx_vec3 a, phx_vec3 fallback) {
    double largest = fmax(fmax(fabs(a.x), fabs(a.y)), fabs(a.z));
    if (!phxi_finite(a) || largest == 0) {
        return fallback;
    }
    phx_vec3 scaled = {a.x / largest, a.y / largest, a.z / largest};
    return phxi_scale(1 / phxi_length(scaled), scaled);
}

phx_vec3 phxi_perpendicular(phx_vec3 unit) {
    // across the axis that is farthest from the vector
    double x = fabs(unit.x), y = fabs(unit.y), z = fabs(unit.z);
    phx_vec3 axis = x <= y && x <= z ? phxi_vec3(1, 0, 0) : y <= z ? phxi_vec3(0, 1, 0) : phxi_vec3(0, 0, 1);
    return phxi_normalize(phxi_cross(unit, axis), phxi_vec3(1, 0, 0));
}

phxi_mat3 phxi_mat3_cofactor(const phxi_mat3* a) {
    phxi_mat3 c;
    for (int i = 0; i < 3; ++i) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            c.m[i][j] = a->m[i1][j1] * a->m[i2][j2] - a->m[i1][j2] * a->m[i2][j1];
        }
    }
    return c;
}

bool phxi_mat3_inverse(const phxi_mat3* a, phxi_mat3* inverse) {
    double largest = 0;
    bool finite = true;
    for (int i = 0; i < 9; ++i) {
        largest = fmax(largest, fabs(a->m[i / 3][i % 3]));
        finite = finite && isfinite(a->m[i / 3][i % 3]);
    }
    *inverse = (phxi_mat3){0};
    if (!finite || largest == 0) {
        return false;
    }
    int exponent;
    frexp(largest, &exponent);
    phxi_mat3 scaled;
    for (int i = 0; i < 9; ++i) {
        scaled.m[i / 3][i % 3] = ldexp(a->m[i / 3][i % 3], -exponent);
    }
    phxi_mat3 cofactor = phxi_mat3_cofactor(&scaled);
    double det = 0, terms = 0; // the sum of the six products, and of their magnitudes: its rounding error
    for (int j = 0; j < 3; ++j) {
        int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        det += scaled.m[0][j] * cofactor.m[0][j];
        terms +=
            fabs(scaled.m[0][j]) * (fabs(scaled.m[1][j1] * scaled.m[2][j2]) + fabs(scaled.m[1][j2] * scaled.m[2][j1]));
    }
    if (!(fabs(det) > 8 * DBL_EPSILON * terms)) {
        return false;
    }
    for (int i = 0; i < 9; ++i) {
        double value = ldexp(cofactor.m[i % 3][i / 3] / det, -exponent);
        if (!isfinite(value)) {
            *inverse = (phxi_mat3){0};
            return false;
        }
        inverse->m[i / 3][i % 3] = value;
    }
    return true;
}

phxi_mat3 phxi_rotation(phx_vec3 axis, double angle) {
    return phxi_quat_matrix(phxi_quat_from_axis(axis, angle));
}

phxi_quat phxi_quat_from_axis(phx_vec3 axis, double angle) {
    phx_vec3 zero = {0, 0, 0}, unit = phxi_normalize(axis, zero);
    if (phxi_dot(unit, unit) == 0) {
        return (phxi_quat){1, 0, 0, 0};
    }
    double s = sin(angle / 2);
    return phxi_quat_normalize((phxi_quat){cos(angle / 2), s * unit.x, s * unit.y, s * unit.z});
}

phxi_quat phxi_quat_from_matrix(const phxi_mat3* rotation) {
    // From the largest of the four components, so that nothing cancels (Shepperd, J. Guidance and Control 1, 1978).
    const double(*m)[3] = rotation->m;
    double trace = m[0][0] + m[1][1] + m[2][2];
    phxi_quat q;
    if (trace > m[0][0] && trace > m[1][1] && trace > m[2][2]) {
        q = (phxi_quat){1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
    } else if (m[0][0] >= m[1][1] && m[0][0] >= m[2][2]) {
        q = (phxi_quat){m[2][1] - m[1][2], 1 + 2 * m[0][0] - trace, m[0][1] + m[1][0], m[0][2] + m[2][0]};
    } else if (m[1][1] >= m[2][2]) {
        q = (phxi_quat){m[0][2] - m[2][0], m[0][1] + m[1][0], 1 + 2 * m[1][1] - trace, m[1][2] + m[2][1]};
    } else {
        q = (phxi_quat){m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1], 1 + 2 * m[2][2] - trace};
    }
    q = phxi_quat_normalize(q);
    return q.w < 0 ? (phxi_quat){-q.w, -q.x, -q.y, -q.z} : q;
}

phxi_mat3 phxi_quat_matrix(phxi_quat q) {
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (phxi_mat3){{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
                        {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
                        {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}

phxi_quat phxi_quat_mul(phxi_quat a, phxi_quat b) {
    return (phxi_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                       a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

phxi_quat phxi_quat_normalize(phxi_quat q) {
    double largest = fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z)));
    double w = q.w / largest, x = q.x / largest, y = q.y / largest, z = q.z / largest;
    double length = sqrt(w * w + x * x + y * y + z * z);
    if (!(length >= 1 && length <= 2)) { // zero, infinite or NaN
        return (phxi_quat){1, 0, 0, 0};
    }
    return (phxi_quat){w / length, x / length, y / length, z / length};
}

phx_vec3 phxi_quat_rotate(phxi_quat q, phx_vec3 v) {
    phx_vec3 u = {q.x, q.y, q.z}, t = phxi_scale(2, phxi_cross(u, v));
    return phxi_add(phxi_add_scaled(v, q.w, t), phxi_cross(u, t));
}
