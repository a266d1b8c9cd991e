// SPDX-License-Identifier: MIT
// Cameras that see everything.
#include <phyxel/render.h>

#include "math/vec3.h"
#include "surface/frame.h"

phx_camera phx_camera_framing(phx_vec3 low, phx_vec3 high, phx_vec3 direction, double aspect) {
    phx_camera camera = {.up = {0, 0, 1}, .field_of_view = 35};
    phx_vec3 center = phxi_scale(0.5, phxi_add(low, high)), half = phxi_scale(0.5, phxi_sub(high, low));
    phx_vec3 back = phxi_normalize(direction, (phx_vec3){0, -1, 0});
    if (fabs(back.z) > 0.999) {
        camera.up = (phx_vec3){0, 1, 0};
    }
    phx_vec3 right = phxi_normalize(phxi_cross(camera.up, back), (phx_vec3){1, 0, 0});
    phx_vec3 up = phxi_cross(back, right);
    // Far enough that each corner of the box is inside both half angles, with a margin for bar and title.
    double tangent_y = 0.86 * tan(camera.field_of_view * 3.14159265358979323846 / 360);
    double tangent_x = tangent_y * (aspect > 0 ? aspect : 1), distance = 1e-6;
    for (int corner = 0; corner < 8; ++corner) {
        phx_vec3 c = {corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y, corner & 4 ? half.z : -half.z};
        double towards = phxi_dot(c, back);
        distance = fmax(distance, towards + fabs(phxi_dot(c, right)) / tangent_x);
        distance = fmax(distance, towards + fabs(phxi_dot(c, up)) / tangent_y);
    }
    camera.target = center;
    camera.eye = phxi_add_scaled(center, distance, back);
    return camera;
}

bool phx_frame_bounds(const phx_frame* frame, phx_vec3* low, phx_vec3* high) {
    bool any = false;
    for (int i = 0; frame && low && high && i < frame->points; ++i) {
        phx_vec3 p = {frame->positions[3 * i], frame->positions[3 * i + 1], frame->positions[3 * i + 2]};
        if (!phxi_finite(p)) {
            continue;
        }
        if (!any && low->x > high->x) {
            *low = *high = p;
        }
        *low = phxi_min(*low, p);
        *high = phxi_max(*high, p);
        any = true;
    }
    return any;
}
