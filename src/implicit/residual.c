// SPDX-License-Identifier: MIT
// What is out of balance at trial positions x: g = M (xh - x) + s (f(x) + external + contact), in double.
//
// Of a free body the rigid part of g is taken out: the start has moved the body as its momenta say, and a tolerance
// spent on rigid motion would leave false strains (docs/theory/implicit_steps.md (8)).
#include "implicit/implicit_internal.h"

#include "math/decompose3.h"

phx_vec3 phxi_implicit_external(const phxi_implicit_work* w, int i) {
    const phxi_particles* p = w->step->particles;
    int k = w->s->begin + i;
    return phxi_add_scaled(phxi_vec3(p->fx[k], p->fy[k], p->fz[k]), (double)w->mass[i], w->step->gravity);
}

void phxi_implicit_add_motion(phxi_implicit_sums* sums, double m, phx_vec3 r, phx_vec3 v) {
    sums->mass += m;
    sums->first = phxi_add_scaled(sums->first, m, r);
    sums->momentum = phxi_add_scaled(sums->momentum, m, v);
    sums->spin = phxi_add_scaled(sums->spin, m, phxi_cross(r, v));
    sums->second.xx += m * r.x * r.x, sums->second.yy += m * r.y * r.y, sums->second.zz += m * r.z * r.z;
    sums->second.xy += m * r.x * r.y, sums->second.xz += m * r.x * r.z, sums->second.yz += m * r.y * r.z;
}

phxi_implicit_sums phxi_implicit_merge(const phxi_implicit* s) {
    phxi_implicit_sums all = {0};
    for (int b = 0; b < s->sum_count; ++b) {
        const phxi_implicit_sums* t = &s->sums[b];
        all.dot[0] += t->dot[0];
        all.dot[1] += t->dot[1];
        all.mass += t->mass;
        all.first = phxi_add(all.first, t->first);
        all.before = phxi_add(all.before, t->before);
        all.momentum = phxi_add(all.momentum, t->momentum);
        all.spin = phxi_add(all.spin, t->spin);
        all.force = phxi_add(all.force, t->force);
        all.torque = phxi_add(all.torque, t->torque);
        for (int k = 0; k < 18; ++k) {
            all.cross[k / 9].m[k % 9 / 3][k % 3] += t->cross[k / 9].m[k % 9 / 3][k % 3];
        }
        all.second.xx += t->second.xx, all.second.yy += t->second.yy, all.second.zz += t->second.zz;
        all.second.xy += t->second.xy, all.second.xz += t->second.xz, all.second.yz += t->second.yz;
    }
    return all;
}

static void balance_part(void* context, int begin, int end, int block) {
    phxi_implicit_work* w = context;
    phxi_implicit* s = w->s;
    phxi_implicit_sums sums = {.contacts = s->sums[block].contacts};
    for (int i = begin; i < end; ++i) {
        if (w->fixed[i]) {
            s->g[i] = phxi_vec3(0, 0, 0);
            continue;
        }
        double m = (double)w->mass[i];
        phx_vec3 force = phxi_add(s->force[i], phxi_implicit_external(w, i));
        if (w->touching) {
            force = phxi_add(force, s->contact_force[i]);
        }
        if (w->paired) {
            force = phxi_add(force, phxi_implicit_pair_force(w, i));
        }
        phx_vec3 g = phxi_add_scaled(phxi_scale(s->s, force), m, phxi_sub(s->xh[i], s->x[i]));
        g = phxi_implicit_on_rail(w, i) ? phxi_implicit_on_rail_only(w, i, g, phxi_vec3(0, 0, 0)) : g;
        phx_vec3 r = phxi_sub(s->x[i], w->origin);
        s->g[i] = g;
        sums.force = phxi_add(sums.force, g);
        sums.torque = phxi_add(sums.torque, phxi_cross(r, g));
        sums.dot[0] += phxi_dot(g, g) / m;
        phxi_implicit_add_motion(&sums, m, r, phxi_vec3(0, 0, 0));
    }
    s->sums[block] = sums;
}

/// g_i -= m_i (a + b x r_i) with the acceleration and turning that leave no net force and torque.
typedef struct projection {
    phxi_implicit_work* w;
    phx_vec3 center, shift, turn;
} projection;

static void project_part(void* context, int begin, int end, int block) {
    const projection* c = context;
    phxi_implicit* s = c->w->s;
    double norm = 0;
    for (int i = begin; i < end; ++i) {
        double m = (double)c->w->mass[i];
        phx_vec3 r = phxi_sub(s->x[i], c->center);
        s->g[i] = phxi_add_scaled(s->g[i], -m, phxi_add(c->shift, phxi_cross(c->turn, r)));
        norm += phxi_dot(s->g[i], s->g[i]) / m;
    }
    s->sums[block].dot[0] = norm;
}

phxi_mat3 phxi_implicit_inertia_inverse(double mass, phx_vec3 mean, phxi_sym3 second) {
    phxi_sym3 c = {second.xx - mass * mean.x * mean.x, second.yy - mass * mean.y * mean.y,
                   second.zz - mass * mean.z * mean.z, second.xy - mass * mean.x * mean.y,
                   second.xz - mass * mean.x * mean.z, second.yz - mass * mean.y * mean.z};
    phxi_sym3 inertia = {c.yy + c.zz, c.xx + c.zz, c.xx + c.yy, -c.xy, -c.xz, -c.yz}, inverse;
    phxi_pseudo_inverse_sym3(&inertia, 1e-9, &inverse, NULL);
    return phxi_sym3_full(&inverse);
}

static void project(phxi_implicit_work* w) {
    phxi_implicit* s = w->s;
    phxi_implicit_sums all = phxi_implicit_merge(s);
    phx_vec3 mean = phxi_scale(1 / all.mass, all.first);
    phxi_mat3 inverse = phxi_implicit_inertia_inverse(all.mass, mean, all.second);
    projection c = {w, phxi_add(w->origin, mean), phxi_scale(1 / all.mass, all.force),
                    phxi_mat3_apply(&inverse, phxi_sub(all.torque, phxi_cross(mean, all.force)))};
    phxi_parallel_for(w->step->pool, s->count, IMPLICIT_GRAIN, project_part, &c);
}

bool phxi_implicit_balance(phxi_implicit_system* y) {
    double sum = 0;
    y->touching = false;
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit_contact(&y->works[k]);
        y->touching = y->touching || y->works[k].touching;
    }
    phxi_implicit_add_contact_forces(y);
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit_work* w = &y->works[k];
        phxi_implicit_loop(w, balance_part);
        if (!w->s->any_fixed && !w->touching && !w->pressed && !w->s->report.careful) {
            project(w);
        }
        sum += phxi_implicit_merge(w->s).dot[0];
    }
    y->norm = sqrt(sum);
    return isfinite(y->norm);
}

bool phxi_implicit_residual(phxi_implicit_system* y) {
    bool tame = true;
    for (int k = 0; k < y->count && tame; ++k) {
        const phxi_implicit_work* w = &y->works[k];
        tame = w->op->forces(w->op->context, w->s->x, w->s->force, &w->s->report.strain);
    }
    return tame && phxi_implicit_balance(y);
}

double phxi_implicit_scale(const phxi_implicit_system* y) {
    double sum = 0;
    for (int k = 0; k < y->count; ++k) {
        sum += y->works[k].scale * y->works[k].scale;
    }
    return sqrt(sum);
}

static void potential_part(void* context, int begin, int end, int block) {
    phxi_implicit_work* w = context;
    phxi_implicit* s = w->s;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        phx_vec3 from = phxi_sub(s->x[i], s->xh[i]);
        sum += w->fixed[i] ? 0 : (double)w->mass[i] * phxi_dot(from, from) / (2 * s->s);
        sum -= w->fixed[i] ? 0 : phxi_dot(phxi_implicit_external(w, i), phxi_sub(s->x[i], w->origin));
    }
    s->sums[block].dot[1] = sum;
}

double phxi_implicit_elastic(phxi_implicit_system* y) {
    double sum = 0;
    for (int k = 0; k < y->count; ++k) {
        sum += y->works[k].op->energy(y->works[k].op->context);
    }
    return sum;
}

double phxi_implicit_potential(phxi_implicit_system* y) {
    double sum = phxi_implicit_elastic(y);
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit_work* w = &y->works[k];
        phxi_implicit_loop(w, potential_part);
        for (int b = 0; b < w->s->sum_count; ++b) {
            sum += w->s->sums[b].dot[1];
        }
        sum += w->potential;
    }
    for (int k = 0; k < y->pair_count; ++k) {
        sum += y->pairs[k].potential;
    }
    return sum;
}
