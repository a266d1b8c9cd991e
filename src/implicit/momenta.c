// SPDX-License-Identifier: MIT
// Motion of bodies as a whole in an implicit step: what it is at the start, and velocities of the end with both momenta
// exactly, of a free body or of free bodies that push each other.
#include "implicit/implicit_internal.h"

#include "math/decompose3.h"
#include "motion/rigid_motion.h"

// ---------------------------------------------------------------------------------------------- motion

static void add_cross(phxi_mat3* to, double m, phx_vec3 r, phx_vec3 x) {
    const double left[3] = {m * r.x, m * r.y, m * r.z}, right[3] = {x.x, x.y, x.z};
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            to->m[a][b] += left[a] * right[b];
        }
    }
}

static void motion_part(void* context, int begin, int end, int block) {
    phxi_implicit_work* w = context;
    phxi_implicit* s = w->s;
    const phxi_particles* p = w->step->particles;
    phxi_implicit_sums sums = {0};
    for (int i = begin; i < end; ++i) {
        int k = s->begin + i;
        double m = (double)w->mass[i];
        phx_vec3 r = phxi_sub(s->q[i], w->origin),
                 x = phxi_sub(phxi_vec3(p->rest_x[k], p->rest_y[k], p->rest_z[k]), s->rest_mean);
        phx_vec3 force = phxi_implicit_external(w, i);
        phxi_implicit_add_motion(&sums, m, r, s->v[i]);
        sums.dot[0] += m / 2 * phxi_dot(s->v[i], s->v[i]);
        sums.before = phxi_add_scaled(sums.before, m, s->d[i]);
        sums.force = phxi_add(sums.force, force);
        sums.torque = phxi_add(sums.torque, phxi_cross(r, force));
        add_cross(&sums.cross[0], m, r, x);
        add_cross(&sums.cross[1], m, phxi_sub(r, s->d[i]), x);
    }
    s->sums[block] = sums;
}

static phxi_mat3 body_rotation(const phxi_implicit* s, const phxi_mat3* cross) {
    phxi_mat3 span = phxi_sym3_full(&s->rest_span), affine = phxi_mat3_mul(cross, &span);
    return phxi_polar_rotation(&affine);
}

/// dR = Rb(q) Rb(q-)^T.
void phxi_implicit_find_motion(phxi_implicit_work* w) {
    phxi_implicit* s = w->s;
    phxi_implicit_loop(w, motion_part);
    phxi_implicit_sums all = phxi_implicit_merge(s);
    phx_vec3 mean = phxi_scale(1 / all.mass, all.first);
    w->total_mass = all.mass;
    w->center = phxi_add(w->origin, mean);
    w->velocity = phxi_scale(1 / all.mass, all.momentum);
    w->angular = phxi_sub(all.spin, phxi_cross(mean, all.momentum));
    w->spin_inverse = phxi_implicit_inertia_inverse(all.mass, mean, all.second);
    w->push = all.force;
    w->scale = s->dt * sqrt(2 * all.dot[0]) + s->dt * s->dt / sqrt(all.mass) * phxi_length(all.force);
    w->twist = phxi_sub(all.torque, phxi_cross(mean, all.force));
    w->drift = phxi_scale(1 / all.mass, all.before);
    phxi_mat3 now = body_rotation(s, &all.cross[0]), before = body_rotation(s, &all.cross[1]);
    phxi_mat3 back = phxi_mat3_transpose(&before);
    w->turned = phxi_mat3_mul(&now, &back);
}

// ------------------------------------------------------------------------------------------ velocities

void phxi_implicit_damp(phxi_implicit_work* w) {
    if (!(w->def->damping > 0)) {
        return;
    }
    phxi_implicit* s = w->s;
    phxi_particles* p = w->step->particles;
    phxi_rigid_sums sums[2] = {0};
    phx_vec3 origin = phxi_vec3(p->x[s->begin], p->y[s->begin], p->z[s->begin]);
    phxi_rigid_add(sums, p, origin, s->begin, s->begin + s->count);
    phxi_rigid_motion motion = phxi_rigid_solve(sums, origin);
    phxi_rigid_damp(&motion, p, exp(-w->def->damping * w->system->dt), s->begin, s->begin + s->count);
}

static void velocity_part(void* context, int begin, int end, int block) {
    phxi_implicit_work* w = context;
    phxi_implicit* s = w->s;
    phxi_implicit_sums sums = {0};
    for (int i = begin; i < end; ++i) {
        double half = (double)w->mass[i] / 2;
        sums.dot[0] += half * phxi_dot(s->v[i], s->v[i]);
        sums.dot[0] += phxi_dot(phxi_implicit_external(w, i), phxi_sub(s->x[i], s->q[i]));
        if (!w->fixed[i]) {
            phx_vec3 way = phxi_scale(s->a0 / s->dt, phxi_sub(s->x[i], s->q[i]));
            s->past[i] = s->v[i]; // d and past have done their duty
            s->v[i] = s->trapezoid ? phxi_sub(way, s->v[i]) : phxi_add_scaled(way, -s->a2 / s->dt, s->d[i]);
            s->v[i] = phxi_implicit_on_rail(w, i) ? phxi_implicit_on_rail_only(w, i, s->v[i], s->past[i]) : s->v[i];
        }
        sums.dot[1] += half * phxi_dot(s->v[i], s->v[i]);
        phxi_implicit_add_motion(&sums, (double)w->mass[i], phxi_sub(s->x[i], w->origin), s->v[i]);
    }
    s->sums[block] = sums;
}

/// A rigid motion to add to the bodies of a cluster.
typedef struct correction {
    phxi_implicit_system* system;
    phxi_implicit_work* work; // the body at hand
    int cluster;
    phx_vec3 center, shift, turn;
    double keep; // of what differs from it, where velocities are drawn to it
} correction;

static phx_vec3 correction_at(const correction* c, int i) {
    return phxi_add(c->shift, phxi_cross(c->turn, phxi_sub(c->work->s->x[i], c->center)));
}

/// Kinetic energy that adding it takes, J: dot[0] + dot[1].
static void cost_part(void* context, int begin, int end, int block) {
    const correction* c = context;
    phxi_implicit* s = c->work->s;
    double linear = 0, square = 0;
    for (int i = begin; i < end; ++i) {
        phx_vec3 more = correction_at(c, i);
        linear += (double)c->work->mass[i] * phxi_dot(s->v[i], more);
        square += (double)c->work->mass[i] / 2 * phxi_dot(more, more);
    }
    s->sums[block].dot[0] = linear;
    s->sums[block].dot[1] = square;
}

static void correct_part(void* context, int begin, int end, int block) {
    (void)block;
    const correction* c = context;
    phxi_implicit* s = c->work->s;
    for (int i = begin; i < end; ++i) {
        s->v[i] = phxi_add(s->v[i], correction_at(c, i));
    }
}

static void draw_part(void* context, int begin, int end, int block) {
    (void)block;
    const correction* c = context;
    phxi_implicit* s = c->work->s;
    for (int i = begin; i < end; ++i) {
        phx_vec3 rigid = correction_at(c, i);
        s->v[i] = phxi_add_scaled(rigid, c->keep, phxi_sub(s->v[i], rigid));
    }
}

/// Runs a loop over all bodies of the cluster; sums up what it leaves in the blocks.
static void run(correction* c, phxi_loop_body* body, double sums[2]) {
    sums[0] = sums[1] = 0;
    for (int k = 0; k < c->system->count; ++k) {
        c->work = &c->system->works[k];
        if (c->work->cluster != c->cluster) {
            continue;
        }
        phxi_parallel_for(c->work->step->pool, c->work->s->count, IMPLICIT_GRAIN, body, c);
        for (int b = 0; b < c->work->s->sum_count; ++b) {
            sums[0] += c->work->s->sums[b].dot[0];
            sums[1] += c->work->s->sums[b].dot[1];
        }
    }
}

/// What a cluster is and should be.
typedef struct cluster_sums {
    phxi_implicit_sums all;
    phx_vec3 momentum, angular; // wanted; about the origin
    double energy[2];           // elastic
    bool free, careful;
} cluster_sums;

/// How far the centre falls in the step, over g dt^2: backward Euler falls too far, where its residual is not freed of
/// rigid motions.
static double fall_of(const phxi_implicit_work* w) {
    bool freed = !w->touching && !w->pressed && !w->s->report.careful && !w->system->def.newton;
    return w->s->euler && !freed ? 1 : 0.5;
}

static void add_body(cluster_sums* c, const phxi_implicit_work* w) {
    const phxi_implicit_sums* t = &w->after;
    double mass = t->mass;
    phx_vec3 momentum = phxi_add_scaled(phxi_scale(mass, w->velocity), w->s->dt, w->push);
    // angular momentum and torque are about the body's centre at the start
    phx_vec3 at = phxi_sub(w->center, w->origin), angular = phxi_add_scaled(w->angular, w->s->dt, w->twist);
    c->free = c->free && !w->s->any_fixed && !w->touching && !w->anchored;
    c->careful = c->careful || w->s->report.careful;
    c->all.mass += mass;
    c->all.first = phxi_add(c->all.first, t->first);
    c->all.momentum = phxi_add(c->all.momentum, t->momentum);
    c->all.spin = phxi_add(c->all.spin, t->spin);
    c->all.second.xx += t->second.xx, c->all.second.yy += t->second.yy, c->all.second.zz += t->second.zz;
    c->all.second.xy += t->second.xy, c->all.second.xz += t->second.xz, c->all.second.yz += t->second.yz;
    c->all.dot[0] += t->dot[0];
    c->all.dot[1] += t->dot[1];
    c->momentum = phxi_add(c->momentum, momentum);
    c->angular = phxi_add(c->angular, phxi_add(angular, phxi_cross(at, phxi_scale(mass, w->velocity))));
    // weight acts where its torque about the origin is what the fall of the centre makes of the momentum, or the body
    // would begin to spin; other bodies have felt what they exert at the start
    phx_vec3 arm = phxi_add_scaled(at, (1 - fall_of(w)) * w->s->dt, w->velocity);
    phx_vec3 weight = phxi_scale(mass, w->step->gravity);
    c->angular = phxi_add_scaled(c->angular, w->s->dt, phxi_cross(arm, weight));
    c->angular = phxi_add_scaled(c->angular, w->s->dt, phxi_cross(at, phxi_sub(w->push, weight)));
    c->energy[0] += w->s->energy[0];
    c->energy[1] += w->s->energy[1];
}

/// Adds a correction in full. What it takes beyond `room` J comes out of the motion of the cluster that is not rigid,
/// so that both momenta stay what they then are.
static void add_and_calm(correction* move, const cluster_sums* c, double room) {
    double cost[2], unused[2], mass = c->all.mass;
    run(move, cost_part, cost);
    run(move, correct_part, unused);
    double excess = cost[0] + cost[1] - fmax(0, room);
    if (!(excess > 0)) {
        return;
    }
    phx_vec3 mean = phxi_scale(1 / mass, c->all.first);
    phx_vec3 angular = phxi_sub(c->angular, phxi_cross(mean, c->momentum));
    phxi_mat3 inverse = phxi_implicit_inertia_inverse(mass, mean, c->all.second);
    move->shift = phxi_scale(1 / mass, c->momentum);
    move->turn = phxi_mat3_apply(&inverse, angular);
    double rigid = (phxi_dot(move->shift, c->momentum) + phxi_dot(move->turn, angular)) / 2;
    double inner = c->all.dot[1] + cost[0] + cost[1] - rigid;
    move->keep = inner > excess ? sqrt(1 - excess / inner) : 0;
    run(move, draw_part, unused);
}

/// Momentum P + dt F and angular momentum L + dt T of what is free exactly, with one exception for the latter:
/// projective bodies whose spin is to fade. Where Newton's method had to be called, or energies are not known, it may
/// take no more energy than there is.
static void correct_cluster(phxi_implicit_system* y, int cluster) {
    cluster_sums c = {.free = true};
    for (int k = cluster; k < y->count; ++k) {
        if (y->works[k].cluster == cluster) {
            add_body(&c, &y->works[k]);
        }
    }
    if (!c.free) {
        return;
    }
    const phxi_implicit_sums* all = &c.all;
    phx_vec3 mean = phxi_scale(1 / all->mass, all->first);
    phxi_mat3 inverse = phxi_implicit_inertia_inverse(all->mass, mean, all->second);
    // about the centre where it has come to: a solve leaves it a little aside of where the momentum would have it
    phx_vec3 is = phxi_sub(all->spin, phxi_cross(mean, all->momentum));
    phx_vec3 wanted = phxi_sub(c.angular, phxi_cross(mean, c.momentum));
    correction move = {.system = y,
                       .cluster = cluster,
                       .center = phxi_add(y->works[cluster].origin, mean),
                       .shift = phxi_scale(1 / all->mass, phxi_sub(c.momentum, all->momentum)),
                       .turn = phxi_mat3_apply(&inverse, phxi_sub(wanted, is))};
    const bool projective = y->def.outer > 0 && !y->def.newton; // elastic energies are not known
    double room = all->dot[0] - all->dot[1] + (projective ? 0 : c.energy[0] - c.energy[1]), unused[2];
    if (projective && y->def.spin_fades) {
        move.turn = phxi_vec3(0, 0, 0);
        run(&move, correct_part, unused);
    } else if (projective || (c.careful && isfinite(room))) {
        add_and_calm(&move, &c, room);
    } else {
        run(&move, correct_part, unused);
    }
}

phxi_implicit_pace phxi_implicit_pace_of(const phxi_implicit_work* w) {
    const phxi_implicit_sums* t = &w->after;
    if (!(t->mass > 0)) {
        return (phxi_implicit_pace){.center = w->origin, .back = phxi_identity()};
    }
    phx_vec3 mean = phxi_scale(1 / t->mass, t->first);
    phxi_mat3 inverse = phxi_implicit_inertia_inverse(t->mass, mean, t->second);
    phxi_implicit_pace pace = {.center = phxi_add(w->origin, mean), .velocity = phxi_scale(1 / t->mass, t->momentum)};
    pace.spin = phxi_mat3_apply(&inverse, phxi_sub(t->spin, phxi_cross(mean, t->momentum)));
    pace.back = phxi_rotation(pace.spin, -phxi_length(pace.spin) * w->system->dt);
    return pace;
}

void phxi_implicit_velocities(phxi_implicit_system* y) {
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit_loop(&y->works[k], velocity_part);
        y->works[k].after = phxi_implicit_merge(y->works[k].s);
    }
    phxi_implicit_clusters(y);
    for (int k = 0; k < y->count; ++k) {
        if (y->works[k].cluster == k) {
            correct_cluster(y, k);
        }
    }
}

static void growth_part(void* context, int begin, int end, int block) {
    phxi_implicit_work* w = context;
    const phxi_implicit* s = w->s;
    double grown = 0, before = 0;
    for (int i = begin; i < end; ++i) {
        double half = (double)w->mass[i] / 2, start = half * phxi_dot(s->past[i], s->past[i]);
        before += start;
        grown += half * phxi_dot(s->v[i], s->v[i]) - start;
        grown -= phxi_dot(phxi_implicit_external(w, i), phxi_sub(s->x[i], s->q[i]));
    }
    s->sums[block].dot[0] = grown;
    s->sums[block].dot[1] = before;
}

/// Only looked at in strained states of free bodies: small strains cannot run away, and what drivers do is not known
/// here, nor what colliders that move do.
bool phxi_implicit_energy_grew(phxi_implicit_system* y) {
    bool large = false, fixed = false;
    for (int k = 0; k < y->count; ++k) {
        large = large || y->works[k].s->large;
        fixed = fixed || y->works[k].s->any_fixed;
    }
    if (!large || fixed || phxi_implicit_driven_collider_pushes(y)) {
        return false;
    }
    double after = phxi_implicit_elastic(y), kinetic = 0;
    for (int k = 0; k < y->count; ++k) {
        const phxi_implicit_work* w = &y->works[k];
        phxi_strain strain;
        w->op->forces(w->op->context, w->s->q, w->s->best, &strain);
    }
    double before = phxi_implicit_elastic(y), grown = after - before, stored = phxi_implicit_pair_energy(y);
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit_work* w = &y->works[k];
        phxi_implicit_loop(w, growth_part);
        for (int b = 0; b < w->s->sum_count; ++b) {
            grown += w->s->sums[b].dot[0];
            kinetic += w->s->sums[b].dot[1];
        }
    }
    return !(grown <= stored + 1e-4 * (before + kinetic));
}
