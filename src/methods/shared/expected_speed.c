// SPDX-License-Identifier: MIT
// See expected_speed.h.
#include "methods/shared/expected_speed.h"

/// How far a point falls until it meets a collider, m; 0: it does not.
static double fall_on_colliders(const phxi_step* step, phx_vec3 top, phx_vec3 down) {
    double most = 0;
    for (int c = 0; c < step->collider_count; ++c) {
        const phxi_collider* collider = &step->colliders[c];
        double way = 0, distance = INFINITY;
        for (int k = 0; k < 64 && distance > 1e-4 * way + 1e-9 && way < 1e9; ++k) {
            distance = phxi_collider_distance(collider, phxi_add_scaled(top, way, down));
            way += fmax(distance, 0);
        }
        most = distance <= 1e-3 * way && way > most ? way : most;
    }
    return most;
}

typedef struct extent {
    double low, high, square; // along the gravity, upwards; v^2
    phx_vec3 top;
} extent;

static void add_body_extent(extent* e, const phxi_particles* p, const phxi_body* body, phx_vec3 up, bool fluid) {
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        phx_vec3 x = phxi_vec3(p->x[i], p->y[i], p->z[i]), v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
        double height = phxi_dot(x, up);
        e->low = fmin(e->low, height);
        if (fluid && height > e->high) {
            e->high = height;
            e->top = x;
        }
        e->square = fmax(e->square, phxi_dot(v, v));
    }
}

static extent extent_of(const phxi_step* step, int family, phx_vec3 down) {
    phx_vec3 up = phxi_scale(-1, down);
    extent e = {INFINITY, -INFINITY, 0, {0, 0, 0}};
    int bodies = step->particles->count > 0 ? step->particles->body[step->particles->count - 1] + 1 : 0;
    for (int b = 0; b < bodies; ++b) {
        const phxi_body* body = &step->bodies[b];
        if (body->contact.family == family || body->kinematic) {
            add_body_extent(&e, step->particles, body, up, !body->kinematic);
        }
    }
    return e;
}

static double height_of(const phxi_step* step, const extent* e, phx_vec3 down) {
    return fmax(e->high - e->low, fall_on_colliders(step, e->top, down));
}

double phxi_expected_speed(const phxi_step* step, int family) {
    phx_vec3 down = phxi_normalize(step->gravity, phxi_vec3(0, 0, -1));
    extent e = extent_of(step, family, down);
    return fmax(sqrt(e.square), sqrt(2 * phxi_length(step->gravity) * height_of(step, &e, down)));
}

double phxi_lowest_fall(const phxi_step* step, int family) {
    phx_vec3 down = phxi_normalize(step->gravity, phxi_vec3(0, 0, -1));
    extent e = extent_of(step, family, down);
    return height_of(step, &e, down) - e.high;
}
