// SPDX-License-Identifier: MIT
// A boundary moves as one, so three of its particles tell where all of it is.
#include "boundary/boundary.h"

#include "geometry/solid.h"

/// Columns: along the first two marks, across them in the plane of the third, normal to the plane.
static phxi_mat3 axes_of(const phx_vec3 at[3]) {
    phx_vec3 along = phxi_normalize(phxi_sub(at[1], at[0]), phxi_vec3(1, 0, 0));
    phx_vec3 other = phxi_sub(at[2], at[0]);
    // marks on one line: any direction across will do, as nothing tells how the body has turned about the line
    phx_vec3 spare = fabs(along.x) < 0.6 ? phxi_vec3(1, 0, 0) : phxi_vec3(0, 1, 0);
    spare = phxi_normalize(phxi_cross(along, spare), spare);
    phx_vec3 normal = phxi_normalize(phxi_cross(along, other), spare);
    phx_vec3 across = phxi_cross(normal, along);
    return (phxi_mat3){{{along.x, across.x, normal.x}, {along.y, across.y, normal.y}, {along.z, across.z, normal.z}}};
}

phxi_boundary_pose phxi_boundary_pose_of(const phxi_particles* p, int begin, const int mark[3]) {
    phx_vec3 rest[3], now[3];
    for (int k = 0; k < 3; ++k) {
        int i = begin + mark[k];
        rest[k] = phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]);
        now[k] = phxi_vec3(p->x[i], p->y[i], p->z[i]);
    }
    phxi_mat3 before = axes_of(rest), after = axes_of(now), back = phxi_mat3_transpose(&before);
    bool moved = phxi_distance(phxi_sub(now[1], now[0]), phxi_sub(rest[1], rest[0])) > 0 ||
                 phxi_distance(phxi_sub(now[2], now[0]), phxi_sub(rest[2], rest[0])) > 0;
    return (phxi_boundary_pose){moved ? phxi_mat3_mul(&after, &back) : phxi_identity(), rest[0], now[0]};
}

double phxi_boundary_distance(const phxi_boundary_view* view, phx_vec3 point, phx_vec3* normal) {
    const phxi_boundary_pose* pose = &view->pose;
    phxi_mat3 back = phxi_mat3_transpose(&pose->rotation);
    phx_vec3 at = phxi_add(pose->rest, phxi_mat3_apply(&back, phxi_sub(point, pose->now))), out;
    double distance = phxi_solid_distance(view->solid, at, &out);
    *normal = phxi_mat3_apply(&pose->rotation, out);
    return distance;
}

const char* const phxi_sph_kernel_words[] = {"quintic", "cubic", NULL};

double phxi_sph_support(int kernel) {
    return kernel == PHXI_SPH_CUBIC ? 2 : 3;
}

double phxi_sph_list_radius(int kernel) {
    return phxi_sph_support(kernel) * (kernel == PHXI_SPH_QUINTIC && sizeof(phx_real) == 4 ? 0.99 : 1);
}

phxi_kernel phxi_sph_kernel_of(int kernel) {
    return kernel == PHXI_SPH_CUBIC ? PHXI_KERNEL_CUBIC : PHXI_KERNEL_QUINTIC;
}
