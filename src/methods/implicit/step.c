// SPDX-License-Identifier: MIT
// One implicit step of one body, specs/stiff_real_time.md section 2.
//
//   motion      rigid motion at the start, and how the body turned in the step before
//   start       free bodies: moved as their momenta say and deformed on as they last did, in the body's own axes; held
//               ones: as they last moved
//   passes      residual, linear solve; again where strain or contact call for it
//   velocities  by (1); momenta of free bodies exactly
//
// What a pass cannot do is left to Newton's method with a line search, and what that cannot do to smaller steps, always
// from the kept state.
#include "methods/implicit/implicit_internal.h"

#include "math/decompose3.h"
#include "methods/rigid_motion.h"

#include <string.h>

#define MOST_RATIO    2.0  // of a step to the one before, for BDF2 (its limit is 2.4)
#define LARGE         0.3  // |J - R| above which one pass is not enough, and det J below which
#define FAR           0.1  // displacement of a pass over the spacing above which strain is looked at again
#define STILL         1e-3 // the same, below which contact needs no second look
#define MOST_PASSES   4
#define CONTACT_MORE  4   // times as many iterations where the body touches
#define CONTACT_FINER 0.1 // of the tolerance there: weight and what carries it all but cancel
#define SPIN          0.5 // rad a step above which energies are compared
#define HALVINGS      7

// --------------------------------------------------------------------------------------------- history

static phx_vec3 field_at(phx_real* const field[3], int k) {
    return phxi_vec3(field[0][k], field[1][k], field[2][k]);
}

static void set_field(phx_real* const field[3], int k, phx_vec3 value) {
    field[0][k] = (phx_real)value.x, field[1][k] = (phx_real)value.y, field[2][k] = (phx_real)value.z;
}

/// State of the start from the particles; d as it was, the change of velocity since goes into past and is put into d by
/// `shift_part`, after the start has been made.
static void load_part(void* context, int begin, int end, int block) {
    (void)block;
    phxi_implicit_work* w = context;
    phxi_implicit* s = w->s;
    const phxi_particles* p = w->step->particles;
    for (int i = begin; i < end; ++i) {
        int k = s->begin + i;
        phx_vec3 x = phxi_vec3(p->x[k], p->y[k], p->z[k]), v = phxi_vec3(p->vx[k], p->vy[k], p->vz[k]);
        s->v[i] = v;
        if (w->fixed[i]) {
            s->q[i] = x; // already where it will be
            s->d[i] = phxi_scale(s->last_dt, v);
            s->past[i] = v;
            continue;
        }
        s->q[i] = phxi_add(x, field_at(w->fields->low, k));
        s->d[i] = field_at(w->fields->step, k);
        s->past[i] = field_at(w->fields->past, k);
    }
}

static void shift_part(void* context, int begin, int end, int block) {
    (void)block;
    phxi_implicit_work* w = context;
    phxi_implicit* s = w->s;
    for (int i = begin; i < end; ++i) {
        if (!w->fixed[i]) {
            phx_vec3 dv = phxi_sub(s->v[i], field_at(w->fields->made, s->begin + i));
            s->past[i] = phxi_add(s->past[i], dv);
            s->d[i] = phxi_add_scaled(s->d[i], s->last_dt, dv);
        }
    }
}

static void damp(phxi_implicit_work* w) {
    if (!(w->def->damping > 0)) {
        return;
    }
    phxi_implicit* s = w->s;
    phxi_particles* p = w->step->particles;
    phxi_rigid_sums sums[2] = {0};
    phx_vec3 origin = phxi_vec3(p->x[s->begin], p->y[s->begin], p->z[s->begin]);
    phxi_rigid_add(sums, p, origin, s->begin, s->begin + s->count);
    phxi_rigid_motion motion = phxi_rigid_solve(sums, origin);
    phxi_rigid_damp(&motion, p, exp(-w->def->damping * w->def->dt), s->begin, s->begin + s->count);
}

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

/// Rigid motion, and dR = Rb(q) Rb(q-)^T.
static void find_motion(phxi_implicit_work* w) {
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

// ----------------------------------------------------------------------------------------------- start

typedef struct start_context {
    phxi_implicit_work* w;
    phxi_mat3 turned, turn; // dR, Q
    phx_vec3 drift, center; // mean of d; the new centre
    bool held;
} start_context;

/// x = c' + Q (r + (r - dR r-)), or x = q + d; d is scaled to this step.
static void start_part(void* context, int begin, int end, int block) {
    (void)block;
    const start_context* c = context;
    phxi_implicit* s = c->w->s;
    for (int i = begin; i < end; ++i) {
        if (c->w->fixed[i]) {
            s->x[i] = s->q[i];
        } else if (c->held) {
            s->x[i] = phxi_add_scaled(s->q[i], s->ratio, s->d[i]);
        } else {
            phx_vec3 r = phxi_sub(s->q[i], c->w->center);
            phx_vec3 before = phxi_sub(r, phxi_sub(s->d[i], c->drift));
            phx_vec3 change = phxi_sub(r, phxi_mat3_apply(&c->turned, before));
            s->x[i] = phxi_add(c->center, phxi_mat3_apply(&c->turn, phxi_add_scaled(r, s->ratio, change)));
        }
    }
}

/// The spin in the middle of the step: that of the angular momentum with the inertia turned half-way, by which the body
/// keeps its energy of rotation (to second order) as well as its angular momentum.
static phx_vec3 middle_spin(const phxi_implicit_work* w, phx_vec3 angular) {
    phx_vec3 spin = phxi_mat3_apply(&w->spin_inverse, angular);
    for (int k = 0; k < 4; ++k) {
        phxi_mat3 half = phxi_rotation(spin, phxi_length(spin) * w->s->dt / 2), back = phxi_mat3_transpose(&half);
        spin = phxi_mat3_apply(&half, phxi_mat3_apply(&w->spin_inverse, phxi_mat3_apply(&back, angular)));
    }
    return spin;
}

/// `lying`: what lies on something is not in free fall.
static void make_start(phxi_implicit_work* w, bool lying) {
    phxi_implicit* s = w->s;
    double dt = s->dt;
    phx_vec3 velocity = w->velocity, angular = w->angular;
    if (!lying) {
        velocity = phxi_add_scaled(velocity, dt / 2 / w->total_mass, w->push);
        angular = phxi_add_scaled(angular, dt / 2, w->twist);
    }
    phx_vec3 spin = middle_spin(w, angular);
    s->spins = phxi_length(spin) * dt > SPIN;
    start_context c = {w,
                       w->turned,
                       phxi_rotation(spin, phxi_length(spin) * dt),
                       w->drift,
                       phxi_add_scaled(w->center, dt, velocity),
                       s->any_fixed};
    phxi_parallel_for(w->step->pool, s->count, IMPLICIT_GRAIN, start_part, &c);
}

static void xh_part(void* context, int begin, int end, int block) {
    (void)block;
    phxi_implicit* s = ((phxi_implicit_work*)context)->s;
    double r = s->euler ? 0 : s->ratio, by_d = s->a2 / s->a0, scale = s->dt / (s->a0 * s->a0);
    for (int i = begin; i < end; ++i) {
        phx_vec3 v = phxi_add_scaled(phxi_scale(1 + r, s->v[i]), -s->a2, s->past[i]);
        s->xh[i] = phxi_add_scaled(phxi_add_scaled(s->q[i], by_d, s->d[i]), scale, v);
    }
}

/// (1) or (2), and xh.
static void set_scheme(phxi_implicit_work* w, bool euler, double dt) {
    phxi_implicit* s = w->s;
    s->dt = dt;
    s->ratio = dt / s->last_dt;
    s->euler = euler || s->ratio > MOST_RATIO;
    double r = s->euler ? 0 : s->ratio;
    s->a0 = (1 + 2 * r) / (1 + r);
    s->a2 = r * r / (1 + r);
    s->s = (dt / s->a0) * (dt / s->a0);
    s->report.euler = s->euler;
    phxi_implicit_loop(w, xh_part);
}

// ---------------------------------------------------------------------------------------------- passes

bool phxi_implicit_strained(const phxi_strain* strain) {
    return !(strain->least_det >= LARGE && strain->most <= LARGE);
}

/// The largest displacement of the last solve, m.
static double largest_move(const phxi_implicit* s) {
    double most = 0;
    for (int b = 0; b < s->sum_count; ++b) {
        most = fmax(most, s->sums[b].most);
    }
    return sqrt(most);
}

/// BDF2 by one linear solve, or a few. False if that is not good enough. s->current: forces are those at s->x.
static bool linear_passes(phxi_implicit_work* w) {
    phxi_implicit* s = w->s;
    double spacing = (double)w->spacing[0], first = 0;
    s->current = false;
    if (!phxi_implicit_residual(w)) {
        return false;
    }
    if (w->lying && !w->touching) { // it leaves the ground
        make_start(w, false);
        if (!phxi_implicit_residual(w)) {
            return false;
        }
    }
    s->struck = s->report.impact;
    if (s->struck && !s->euler) { // BDF2 would throw back half of what hits
        set_scheme(w, true, s->dt);
        if (!phxi_implicit_balance(w)) {
            return false;
        }
    }
    first = s->norm;
    s->large = s->spins || phxi_implicit_strained(&s->report.strain);
    for (int pass = 1;; ++pass) {
        bool touching = w->touching;
        // contact: an iteration too few and the body sinks in
        int most = touching ? CONTACT_MORE * w->def->iterations : w->def->iterations;
        phxi_implicit_solve(w, most, touching ? CONTACT_FINER * w->def->tolerance : w->def->tolerance);
        double move = largest_move(s);
        if (!isfinite(move)) {
            return false;
        }
        bool look = s->large || s->any_fixed || touching || move > FAR * spacing || w->step->collider_count > 0;
        if (!look) {
            return true;
        }
        if (!phxi_implicit_residual(w)) {
            return false;
        }
        s->current = true;
        s->large = s->large || phxi_implicit_strained(&s->report.strain);
        bool still = move < STILL * spacing && s->reached < 0.1;
        bool settled = !s->large && ((!touching && !w->touching) || still);
        if (settled || (pass >= 2 && s->norm <= 0.5 * first && pass >= (w->touching ? MOST_PASSES : 2))) {
            return true;
        }
        if (pass >= MOST_PASSES) { // what sticks and what slides may change
                                   // forever, at no harm
            return s->norm <= first || (w->touching && !s->large);
        }
        s->current = false;
    }
}

// ------------------------------------------------------------------------------------------ velocities

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
            s->v[i] = phxi_add_scaled(way, -s->a2 / s->dt, s->d[i]);
        }
        sums.dot[1] += half * phxi_dot(s->v[i], s->v[i]);
        phxi_implicit_add_motion(&sums, (double)w->mass[i], phxi_sub(s->x[i], w->origin), s->v[i]);
    }
    s->sums[block] = sums;
}

/// A rigid motion to add, in full or in part.
typedef struct correction {
    phxi_implicit_work* w;
    phx_vec3 center, shift, turn;
    double share;
} correction;

static phx_vec3 correction_at(const correction* c, int i) {
    return phxi_add(c->shift, phxi_cross(c->turn, phxi_sub(c->w->s->x[i], c->center)));
}

/// Kinetic energy of a share t of it is that without it + t dot[0] + t^2 dot[1].
static void cost_part(void* context, int begin, int end, int block) {
    const correction* c = context;
    phxi_implicit* s = c->w->s;
    double linear = 0, square = 0;
    for (int i = begin; i < end; ++i) {
        phx_vec3 more = correction_at(c, i);
        linear += (double)c->w->mass[i] * phxi_dot(s->v[i], more);
        square += (double)c->w->mass[i] / 2 * phxi_dot(more, more);
    }
    s->sums[block].dot[0] = linear;
    s->sums[block].dot[1] = square;
}

/// The share of a correction that adds no more than `room`, J.
static double affordable(correction* c, double room) {
    phxi_implicit* s = c->w->s;
    phxi_parallel_for(c->w->step->pool, s->count, IMPLICIT_GRAIN, cost_part, c);
    double linear = 0, square = 0;
    for (int b = 0; b < s->sum_count; ++b) {
        linear += s->sums[b].dot[0];
        square += s->sums[b].dot[1];
    }
    if (!(linear + square > room)) {
        return 1;
    }
    double root = linear * linear + 4 * square * fmax(0, room);
    return fmax(0, fmin(1, (sqrt(root) - linear) / (2 * square)));
}

static void correct_part(void* context, int begin, int end, int block) {
    (void)block;
    const correction* c = context;
    phxi_implicit* s = c->w->s;
    for (int i = begin; i < end; ++i) {
        s->v[i] = phxi_add_scaled(s->v[i], c->share, correction_at(c, i));
    }
}

/// Velocities of the end; of a free body with momentum P + dt F and angular momentum L + dt T exactly, unless Newton's
/// method had to be called and that would take more energy than there is.
static void make_velocities(phxi_implicit_work* w) {
    phxi_implicit* s = w->s;
    phxi_implicit_loop(w, velocity_part);
    if (s->any_fixed || w->touching) {
        return;
    }
    phxi_implicit_sums all = phxi_implicit_merge(s);
    phx_vec3 mean = phxi_scale(1 / all.mass, all.first);
    phx_vec3 wanted = phxi_add_scaled(phxi_scale(all.mass, w->velocity), s->dt, w->push);
    phx_vec3 angular = phxi_sub(all.spin, phxi_cross(mean, all.momentum));
    phxi_mat3 inverse = phxi_implicit_inertia_inverse(all.mass, mean, all.second);
    phx_vec3 lack = phxi_sub(phxi_add_scaled(w->angular, s->dt, w->twist), angular);
    correction c = {w, phxi_add(w->origin, mean), phxi_scale(1 / all.mass, phxi_sub(wanted, all.momentum)),
                    phxi_mat3_apply(&inverse, lack), 1};
    double room = all.dot[0] + s->energy[0] - s->energy[1] - all.dot[1];
    c.share = s->report.careful && isfinite(room) ? affordable(&c, room) : 1;
    phxi_parallel_for(w->step->pool, s->count, IMPLICIT_GRAIN, correct_part, &c);
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

/// More energy than before, external work taken off. Only looked at in strained states of free bodies: small strains
/// cannot run away, and what drivers do is not known here.
static bool energy_grew(phxi_implicit_work* w) {
    phxi_implicit* s = w->s;
    if (!s->large || s->any_fixed) {
        return false;
    }
    phxi_strain strain;
    double after = w->op->energy(w->op->context);
    w->op->forces(w->op->context, s->q, s->best, &strain);
    double before = w->op->energy(w->op->context), grown = after - before, kinetic = 0;
    phxi_implicit_loop(w, growth_part);
    for (int b = 0; b < s->sum_count; ++b) {
        grown += s->sums[b].dot[0];
        kinetic += s->sums[b].dot[1];
    }
    return !(grown <= 1e-4 * (before + kinetic));
}

// -------------------------------------------------------------------------------------------- the step

/// Internal acceleration at the end: what was evaluated there, or f(x0) - K dx, which the solve has left in g - r - m
/// dx.
static phx_vec3 acceleration_of(const phxi_implicit_work* w, int i) {
    const phxi_implicit* s = w->s;
    double m = (double)w->mass[i];
    if (s->current) {
        return phxi_scale(1 / m, s->force[i]);
    }
    phx_vec3 left = phxi_mat3_apply(&w->axes, phxi_vec3((double)s->r[0][i] + m * (double)s->dx[0][i],
                                                        (double)s->r[1][i] + m * (double)s->dx[1][i],
                                                        (double)s->r[2][i] + m * (double)s->dx[2][i]));
    return phxi_scale(1 / m, phxi_add_scaled(s->force[i], -1 / s->s, phxi_sub(s->g[i], left)));
}

static void store_part(void* context, int begin, int end, int block) {
    phxi_implicit_work* w = context;
    phxi_implicit* s = w->s;
    phxi_particles* p = w->step->particles;
    int bad = -1;
    for (int i = begin; i < end; ++i) {
        int k = s->begin + i;
        phx_vec3 a = acceleration_of(w, i), x = s->x[i], v = s->v[i];
        set_field(w->fields->acceleration, k, a);
        if (!phxi_finite(a) || !phxi_finite(x) || !phxi_finite(v)) {
            bad = bad < 0 ? i : bad;
        }
        if (w->fixed[i]) {
            set_field(w->fields->low, k, phxi_vec3(0, 0, 0));
            set_field(w->fields->step, k, phxi_scale(w->def->dt, v));
            set_field(w->fields->past, k, v);
            set_field(w->fields->made, k, v);
            continue;
        }
        p->x[k] = (phx_real)x.x, p->y[k] = (phx_real)x.y, p->z[k] = (phx_real)x.z;
        set_field(w->fields->low, k, phxi_vec3(x.x - (double)p->x[k], x.y - (double)p->y[k], x.z - (double)p->z[k]));
        p->vx[k] = (phx_real)v.x, p->vy[k] = (phx_real)v.y, p->vz[k] = (phx_real)v.z;
        // a stop is not a motion to carry on
        set_field(w->fields->step, k, s->report.halvings > 0 ? phxi_scale(w->def->dt, v) : phxi_sub(x, s->q[i]));
        set_field(w->fields->past, k, s->struck ? v : s->past[i]);
        set_field(w->fields->made, k, v);
    }
    s->sums[block].contacts = bad;
}

/// Newton's method over 2^halvings steps from the state at the start, which the particles still hold.
static bool small_steps(phxi_implicit_work* w, int halvings) {
    phxi_implicit* s = w->s;
    int steps = 1 << halvings;
    s->report.halvings = halvings;
    phxi_implicit_loop(w, load_part);
    for (int k = 0; k < steps; ++k) {
        set_scheme(w, true, w->def->dt / steps);
        find_motion(w);
        memcpy(s->x, s->q, (size_t)s->count * sizeof *s->x);
        if (!phxi_implicit_newton(w)) {
            return false;
        }
        s->current = true;
        make_velocities(w);
        if (k + 1 < steps) {
            memcpy(s->q, s->x, (size_t)s->count * sizeof *s->x);
        }
    }
    return true;
}

static void advance(phxi_implicit_work* w) {
    phxi_implicit* s = w->s;
    phxi_implicit_loop(w, load_part);
    set_scheme(w, w->def->newton, w->def->dt);
    find_motion(w);
    w->lying = phxi_implicit_contacts_before(w) > 0;
    make_start(w, w->lying);
    phxi_implicit_loop(w, shift_part);
    phxi_implicit_loop(w, xh_part);
    bool good = w->def->newton ? phxi_implicit_newton(w) : linear_passes(w);
    if (w->def->newton) {
        s->current = true;
    }
    if (good) {
        make_velocities(w);
        good = w->def->newton || !energy_grew(w);
    }
    for (int halvings = 0; !good && halvings <= HALVINGS; ++halvings) {
        good = small_steps(w, halvings);
    }
}

void phxi_implicit_step(phxi_implicit* s, const phxi_operator* op, const phxi_implicit_fields* fields, phxi_step* step,
                        const phxi_implicit_def* def, phxi_trouble* trouble) {
    const phxi_particles* p = step->particles;
    phxi_implicit_work w = {.s = s,
                            .op = op,
                            .fields = fields,
                            .step = step,
                            .def = def,
                            .fixed = p->fixed + s->begin,
                            .mass = p->mass + s->begin,
                            .spacing = p->spacing + s->begin,
                            .origin = phxi_vec3(p->x[s->begin], p->y[s->begin], p->z[s->begin]),
                            .axes = phxi_identity()};
    s->report = (phxi_implicit_report){0};
    s->struck = false;
    s->last_dt = def->last_dt > 0 ? def->last_dt : def->dt;
    s->any_fixed = false;
    for (int i = 0; i < s->count; ++i) {
        s->any_fixed = s->any_fixed || w.fixed[i];
    }
    phxi_implicit_prepare(&w);
    damp(&w);
    advance(&w);
    phxi_implicit_loop(&w, store_part);
    for (int b = 0; b < s->sum_count && trouble->particle < 0; ++b) {
        if (s->sums[b].contacts >= 0) {
            *trouble = (phxi_trouble){s->begin + s->sums[b].contacts, "implicit step"};
        }
    }
}
