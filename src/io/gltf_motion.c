// SPDX-License-Identifier: MIT
// The rigid motion between two sets of the same points (Kabsch): the rotation nearest to the sum of (x - mean)(X -
// mean)^T.
#include "io/gltf.h"

#include "math/decompose3.h"

static phx_vec3 at(const float* points, int i) {
    return phxi_vec3((double)points[3 * (size_t)i], (double)points[3 * (size_t)i + 1],
                     (double)points[3 * (size_t)i + 2]);
}

static phx_vec3 mean_of(const float* points, int count) {
    phx_vec3 sum = {0, 0, 0};
    for (int i = 0; i < count; ++i) {
        sum = phxi_add(sum, at(points, i));
    }
    return phxi_scale(1.0 / count, sum);
}

bool phxi_gltf_find_pose(const float* first, const float* now, int points, double tolerance, phxi_gltf_pose* pose) {
    phx_vec3 from = mean_of(first, points), to = mean_of(now, points);
    phxi_mat3 sum = {{{0}}};
    for (int i = 0; i < points; ++i) {
        phx_vec3 a = phxi_sub(at(now, i), to), b = phxi_sub(at(first, i), from);
        const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
        for (int k = 0; k < 9; ++k) {
            sum.m[k / 3][k % 3] += x[k / 3] * y[k % 3];
        }
    }
    phxi_mat3 rotation = phxi_polar_rotation(&sum);
    phx_vec3 shift = phxi_sub(to, phxi_mat3_apply(&rotation, from));
    for (int i = 0; i < points; ++i) {
        phx_vec3 there = phxi_add(phxi_mat3_apply(&rotation, at(first, i)), shift);
        if (!(phxi_distance(there, at(now, i)) <= tolerance)) {
            return false;
        }
    }
    phxi_quat q = phxi_quat_from_matrix(&rotation);
    *pose = (phxi_gltf_pose){{(float)q.x, (float)q.y, (float)q.z, (float)q.w},
                             {(float)shift.x, (float)shift.y, (float)shift.z}};
    return true;
}
