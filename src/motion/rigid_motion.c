// SPDX-License-Identifier: MIT
#include "motion/rigid_motion.h"

#include "math/decompose3.h"

void phxi_rigid_add(phxi_rigid_sums sums[2], const phxi_particles* p, phx_vec3 origin, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        phxi_rigid_sums* s = &sums[p->fixed[i] ? 1 : 0];
        double m = (double)p->mass[i];
        phx_vec3 r = phxi_sub(phxi_vec3(p->x[i], p->y[i], p->z[i]), origin);
        phx_vec3 v = {p->vx[i], p->vy[i], p->vz[i]};
        s->mass += m;
        s->first = phxi_add_scaled(s->first, m, r);
        s->momentum = phxi_add_scaled(s->momentum, m, v);
        s->spin = phxi_add_scaled(s->spin, m, phxi_cross(r, v));
        s->second.xx += m * r.x * r.x;
        s->second.yy += m * r.y * r.y;
        s->second.zz += m * r.z * r.z;
        s->second.xy += m * r.x * r.y;
        s->second.xz += m * r.x * r.z;
        s->second.yz += m * r.y * r.z;
    }
}

void phxi_rigid_merge(phxi_rigid_sums* s, const phxi_rigid_sums* more) {
    s->mass += more->mass;
    s->first = phxi_add(s->first, more->first);
    s->momentum = phxi_add(s->momentum, more->momentum);
    s->spin = phxi_add(s->spin, more->spin);
    s->second.xx += more->second.xx;
    s->second.yy += more->second.yy;
    s->second.zz += more->second.zz;
    s->second.xy += more->second.xy;
    s->second.xz += more->second.xz;
    s->second.yz += more->second.yz;
}

phxi_rigid_motion phxi_rigid_solve(const phxi_rigid_sums sums[2], phx_vec3 origin) {
    const phxi_rigid_sums* s = &sums[sums[1].mass > 0 ? 1 : 0];
    if (!(s->mass > 0)) {
        return (phxi_rigid_motion){.center = origin};
    }
    phx_vec3 r = phxi_scale(1 / s->mass, s->first);
    phx_vec3 v = phxi_scale(1 / s->mass, s->momentum);
    phx_vec3 l = phxi_sub(s->spin, phxi_cross(r, s->momentum));
    // second moment about the centre, then the inertia tensor tr(C) I - C
    double m = s->mass;
    phxi_sym3 c = {s->second.xx - m * r.x * r.x, s->second.yy - m * r.y * r.y, s->second.zz - m * r.z * r.z,
                   s->second.xy - m * r.x * r.y, s->second.xz - m * r.x * r.z, s->second.yz - m * r.y * r.z};
    phxi_sym3 inertia = {c.yy + c.zz, c.xx + c.zz, c.xx + c.yy, -c.xy, -c.xz, -c.yz}, inverse;
    // one particle or a line of them cannot spin about itself
    phxi_pseudo_inverse_sym3(&inertia, 1e-9, &inverse, NULL);
    phxi_mat3 full = phxi_sym3_full(&inverse);
    return (phxi_rigid_motion){phxi_add(origin, r), v, phxi_mat3_apply(&full, l)};
}

void phxi_rigid_damp(const phxi_rigid_motion* motion, phxi_particles* p, double keep, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        if (p->fixed[i]) {
            continue;
        }
        phx_vec3 r = phxi_sub(phxi_vec3(p->x[i], p->y[i], p->z[i]), motion->center);
        phx_vec3 w = phxi_add(motion->velocity, phxi_cross(motion->spin, r));
        if (phxi_on_rail(p, i)) { // across it the velocity is its driver's
            phx_vec3 v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
            w = phxi_add(v, phxi_along_rail(p, i, phxi_sub(w, v)));
        }
        p->vx[i] = (phx_real)(w.x + keep * ((double)p->vx[i] - w.x));
        p->vy[i] = (phx_real)(w.y + keep * ((double)p->vy[i] - w.y));
        p->vz[i] = (phx_real)(w.z + keep * ((double)p->vz[i] - w.z));
    }
}

// -------------------------------------------------------------------------------------------------------- whole bodies

enum { GRAIN = 128 };

typedef struct body_context {
    phxi_particles* particles;
    phxi_rigid_motion motion;
    phx_vec3 origin;
    double keep;
    int begin;
    phxi_rigid_sums (*sums)[2]; // by block
} body_context;

static void sum_block(void* context, int begin, int end, int block) {
    const body_context* c = context;
    c->sums[block][0] = c->sums[block][1] = (phxi_rigid_sums){0};
    phxi_rigid_add(c->sums[block], c->particles, c->origin, c->begin + begin, c->begin + end);
}

static void damp_block(void* context, int begin, int end, int block) {
    const body_context* c = context;
    (void)block;
    phxi_rigid_damp(&c->motion, c->particles, c->keep, c->begin + begin, c->begin + end);
}

phx_result phxi_rigid_damp_body(phxi_pool* pool, phxi_arena* arena, phxi_particles* p, double keep, int begin,
                                int count) {
    int blocks = phxi_block_count(count, GRAIN);
    body_context c = {.particles = p, .keep = keep, .begin = begin};
    c.origin = phxi_vec3(p->x[begin], p->y[begin], p->z[begin]); // near the body, so that moments do not cancel
    c.sums = phxi_arena_take(arena, (size_t)blocks, sizeof *c.sums);
    if (!c.sums) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(pool, count, GRAIN, sum_block, &c);
    phxi_rigid_sums all[2] = {0};
    for (int b = 0; b < blocks; ++b) {
        phxi_rigid_merge(&all[0], &c.sums[b][0]);
        phxi_rigid_merge(&all[1], &c.sums[b][1]);
    }
    c.motion = phxi_rigid_solve((const phxi_rigid_sums*)all, c.origin);
    phxi_parallel_for(pool, count, GRAIN, damp_block, &c);
    return PHX_OK;
}
