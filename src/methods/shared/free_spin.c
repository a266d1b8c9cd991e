// SPDX-License-Identifier: MIT
#include "methods/shared/free_spin.h"

#include "contact/collider.h"

void phxi_spin_merge(phxi_spin_sums* s, const phxi_spin_sums* more) {
    s->low = phxi_min(s->low, more->low);
    s->high = phxi_max(s->high, more->high);
    s->reach = fmax(s->reach, more->reach);
    s->any = s->any || more->any;
    s->held = s->held || more->held;
    phxi_rigid_merge(&s->made, &more->made);
}

static bool is_free(const phxi_spin_sums* all, const phxi_step* step) {
    bool is = all->any && !all->held && phxi_dot(step->period, step->period) == 0;
    phx_vec3 middle = phxi_scale(0.5, phxi_add(all->low, all->high));
    double radius = 0.5 * phxi_distance(all->low, all->high) + sqrt(3) * all->reach;
    for (int c = 0; c < step->collider_count && is; ++c) {
        is = !phxi_collider_near(&step->colliders[c], middle, radius);
    }
    return is;
}

bool phxi_spin_solve(const phxi_spin_sums* sums, const phxi_step* step, phxi_rigid_motion* motion) {
    const phxi_rigid_sums made[2] = {sums->made, {.mass = 0}};
    *motion = phxi_rigid_solve(made, phxi_vec3(0, 0, 0));
    return is_free(sums, step) && phxi_finite(motion->spin);
}

void phxi_spin_take_off(const phxi_rigid_motion* motion, phxi_particles* p, int i) {
    phx_vec3 r = phxi_sub(phxi_vec3(p->x[i], p->y[i], p->z[i]), motion->center), w = phxi_cross(motion->spin, r);
    p->vx[i] = (phx_real)((double)p->vx[i] - w.x);
    p->vy[i] = (phx_real)((double)p->vy[i] - w.y);
    p->vz[i] = (phx_real)((double)p->vz[i] - w.z);
}

typedef struct own_range {
    const phxi_rigid_motion* motion;
    phxi_particles* particles;
    int begin;
} own_range;

static void take_off_part(void* context, int begin, int end, int block) {
    const own_range* c = context;
    (void)block;
    for (int i = c->begin + begin; i < c->begin + end; ++i) {
        phxi_spin_take_off(c->motion, c->particles, i);
    }
}

void phxi_spin_give_back(const phxi_spin_sums* sums, phxi_step* step) {
    enum { GRAIN = 1024 };
    phxi_rigid_motion motion;
    for (int k = phxi_spin_solve(sums, step, &motion) ? 0 : step->own_count; k < step->own_count; ++k) {
        const phxi_body* body = &step->bodies[step->own[k]];
        own_range c = {&motion, step->particles, body->begin};
        phxi_parallel_for(step->pool, body->count, GRAIN, take_off_part, &c);
    }
}
