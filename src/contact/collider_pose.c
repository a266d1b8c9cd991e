// SPDX-License-Identifier: MIT
#include "contact/collider_pose.h"

/// q with a part of its angle.
static phxi_quat shorten(phxi_quat q, double part) {
    double sine = sqrt(q.x * q.x + q.y * q.y + q.z * q.z), sign = q.w < 0 ? -1 : 1; // the shorter way
    double angle = 2 * atan2(sine, sign * q.w);
    return phxi_quat_from_axis(phxi_vec3(sign * q.x, sign * q.y, sign * q.z), part * angle);
}

// Turns about the centre of the motion, which goes straight.
phxi_collider_pose phxi_pose_between(const phxi_collider_pose* a, const phxi_collider_pose* b, double part) {
    if (part <= 0 || part >= 1) {
        return part <= 0 ? *a : *b;
    }
    phxi_mat3 back = phxi_mat3_transpose(&a->rotation), turn = phxi_mat3_mul(&b->rotation, &back);
    phxi_mat3 partly = phxi_quat_matrix(shorten(phxi_quat_from_matrix(&turn), part));
    phxi_collider_pose made = *b;
    made.rotation = phxi_mat3_mul(&partly, &a->rotation);
    phx_vec3 from = phxi_pose_world(a, phxi_pose_local(b, b->center));
    phx_vec3 middle = phxi_add_scaled(phxi_scale(1 - part, from), part, b->center);
    made.shift = phxi_sub(middle, phxi_mat3_apply(&made.rotation, phxi_pose_local(b, b->center)));
    return made;
}
