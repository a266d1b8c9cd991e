// SPDX-License-Identifier: MIT
// One implicit step of bodies that are solved together, docs/theory/implicit_steps.md section 2.
//
//   motion      rigid motion at the start, and how bodies turned in the step before (momenta.c)
//   start       free bodies: moved as their momenta say and deformed on as they last did, in the body's own axes; held
//               ones: as they last moved
//   passes      residual, linear solve; again where strain or contact call for it
//   velocities  by (1); momenta of free bodies exactly (momenta.c)
//
// What a pass cannot do is left to Newton's method with a line search, and what that cannot do to smaller steps, always
// from the kept state.
#include "implicit/implicit_internal.h"

#include "core/log.h"

#include <string.h>

#define MOST_RATIO     2.0  // of a step to the one before, for BDF2 (its limit is 2.4)
#define LARGE          0.3  // |J - R| above which one pass is not enough, and det J below which
#define FAR            0.1  // displacement of a pass over the spacing above which strain is looked at again
#define STILL          1e-3 // the same, below which contact needs no second look
#define MOST_PASSES    4
#define SLIDING_PASSES 12   // where friction is not what its push says yet
#define UNSETTLED      0.05 // change of the push in a pass above which that is so
#define PAIR_PASSES    16   // where bodies push each other: who touches changes from pass to pass
#define CONTACT_MORE   4    // times as many iterations where the body touches
#define CONTACT_FINER  0.1  // of the tolerance there: weight and what carries it all but cancel
#define ROUGH          3.0  // residual over that of all motion, above which a state is no state
#define WILD           30   // the same, which no body gets away with: Newton's method is called
#define EVEN           0.1  // the same, above which drivers would feel it
#define DRAGGED        1e-9 // displacement of a pass over the spacing below which that does not matter
#define SPIN           0.5  // rad a step above which energies are compared
#define HALVINGS       7

// --------------------------------------------------------------------------------------------- history

/// State of the start from the particles; d as it was, the change of velocity since goes into past and is put into d by
/// `shift_part`, after the start has been made.
static void load_part(void* context, int begin, int end, int block) {
    phxi_implicit_work* w = context;
    phxi_implicit* s = w->s;
    const phxi_particles* p = w->step->particles;
    double history = 0;
    bool dragged = false;
    for (int i = begin; i < end; ++i) {
        int k = s->begin + i;
        phx_vec3 x = phxi_vec3(p->x[k], p->y[k], p->z[k]), v = phxi_vec3(p->vx[k], p->vy[k], p->vz[k]);
        s->v[i] = v;
        if (w->fixed[i]) {
            dragged = dragged || phxi_length(v) > 0;
            s->q[i] = x; // already where it will be
            s->d[i] = phxi_scale(s->last_dt, v);
            s->past[i] = v;
            continue;
        }
        s->q[i] = phxi_add(x, phxi_vector_at(p->low, k));
        s->d[i] = phxi_vector_at(p->carry, k);
        s->past[i] = phxi_vector_at(p->past, k);
        if (phxi_implicit_on_rail(w, i)) {
            phx_vec3 along = phxi_implicit_on_rail_only(w, i, v, phxi_vec3(0, 0, 0));
            dragged = dragged || phxi_length(phxi_sub(v, along)) > 0;
            s->d[i] = phxi_implicit_on_rail_only(w, i, s->d[i], phxi_scale(s->last_dt, v));
            s->past[i] = phxi_implicit_on_rail_only(w, i, s->past[i], v);
        }
        history += phxi_dot(s->d[i], s->d[i]) + phxi_dot(s->past[i], s->past[i]);
    }
    s->sums[block].dot[0] = history;
    s->sums[block].moving = dragged;
}

static void shift_part(void* context, int begin, int end, int block) {
    phxi_implicit_work* w = context;
    phxi_implicit* s = w->s;
    double blow = 0, motion = 0;
    for (int i = begin; i < end; ++i) {
        if (!w->fixed[i]) {
            phx_vec3 dv = phxi_sub(s->v[i], phxi_vector_at(w->step->particles->made, s->begin + i));
            dv = phxi_implicit_on_rail(w, i) ? phxi_implicit_on_rail_only(w, i, dv, phxi_vec3(0, 0, 0)) : dv;
            s->past[i] = phxi_add(s->past[i], dv);
            s->d[i] = phxi_add_scaled(s->d[i], s->last_dt, dv);
            blow += (double)w->mass[i] * phxi_dot(dv, dv);
            motion += (double)w->mass[i] * phxi_dot(s->v[i], s->v[i]);
        }
    }
    s->sums[block].dot[0] = blow;
    s->sums[block].dot[1] = motion;
}

/// A velocity changed from outside counts as if it had been there before.
static void shift(phxi_implicit_work* w) {
    double blow = 0, motion = 0;
    phxi_implicit_loop(w, shift_part);
    for (int b = 0; b < w->s->sum_count; ++b) {
        blow += w->s->sums[b].dot[0];
        motion += w->s->sums[b].dot[1];
    }
    w->velocity_changed = blow > 1e-6 * motion;
}

void phxi_implicit_load(phxi_implicit_system* y) {
    bool fresh = false, dragged = false;
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit_damp(&y->works[k]);
        phxi_implicit_loop(&y->works[k], load_part);
        double history = 0;
        for (int b = 0; b < y->works[k].s->sum_count; ++b) {
            history += y->works[k].s->sums[b].dot[0];
            dragged = dragged || y->works[k].s->sums[b].moving;
        }
        fresh = fresh || history == 0;
    }
    // the speed that drivers reach in a step is not its mean
    y->fresh = fresh && !dragged;
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
            s->x[i] = phxi_add_scaled(s->q[i], s->ratio, s->d[i]); // on rails: across them by v, which d is made of
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
static void make_start(phxi_implicit_work* w, bool starts_in_contact) {
    phxi_implicit* s = w->s;
    double dt = s->dt;
    phx_vec3 velocity = w->velocity, angular = w->angular;
    if (!starts_in_contact) {
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
    phx_vec3 way;
    if (starts_in_contact && phxi_implicit_carried(w, &way)) {
        c.center = phxi_add(w->center, way);
    }
    phxi_parallel_for(w->step->pool, s->count, IMPLICIT_GRAIN, start_part, &c);
}

/// (3); s->force is that at q.
static void trapezoid_part(void* context, int begin, int end, int block) {
    (void)block;
    const phxi_implicit_work* w = context;
    phxi_implicit* s = w->s;
    for (int i = begin; i < end; ++i) {
        phx_vec3 force = phxi_add(s->force[i], phxi_implicit_external(w, i));
        force = phxi_implicit_on_rail(w, i) ? phxi_implicit_on_rail_only(w, i, force, phxi_vec3(0, 0, 0)) : force;
        s->xh[i] = phxi_add_scaled(phxi_add_scaled(s->q[i], s->dt, s->v[i]), s->s / (double)w->mass[i], force);
    }
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
    s->trapezoid = false;
    s->report.euler = s->euler;
    phxi_implicit_loop(w, xh_part);
}

/// (3) instead of (2), unless something touches: contact forces at the start are not known.
static void take_trapezoid(phxi_implicit_system* y) {
    bool may = y->def.trapezoid && y->pair_count == 0;
    for (int k = 0; k < y->count; ++k) {
        may = may && !y->works[k].starts_in_contact;
    }
    for (int k = 0; k < y->count && may; ++k) {
        phxi_implicit_work* w = &y->works[k];
        phxi_strain strain;
        if (w->op->forces(w->op->context, w->s->q, w->s->force, &strain)) {
            w->s->trapezoid = true;
            w->s->euler = w->s->report.euler = false;
            w->s->a0 = 2;
            w->s->s = w->s->dt * w->s->dt / 4;
            phxi_implicit_loop(w, trapezoid_part);
            // tried from where it is: where the rule leads without forces at the end, bodies are inside out
            phxi_implicit_go_to_start(w);
        }
    }
}

// ---------------------------------------------------------------------------------------------- passes

bool phxi_implicit_strained(const phxi_strain* strain) {
    return !(strain->least_det >= LARGE && strain->most <= LARGE);
}

/// The largest displacement of the last solve, over the spacing.
static double largest_move(const phxi_implicit_system* y) {
    double largest = 0;
    for (int k = 0; k < y->count; ++k) {
        const phxi_implicit_work* w = &y->works[k];
        double most = 0;
        for (int b = 0; b < w->s->sum_count; ++b) {
            most = fmax(most, w->s->sums[b].most);
        }
        double move = sqrt(most) / (double)w->spacing[0];
        largest = isfinite(move) ? fmax(largest, move) : INFINITY;
    }
    return largest;
}

static void set_current(phxi_implicit_system* y, bool current) {
    for (int k = 0; k < y->count; ++k) {
        y->works[k].s->current = current;
    }
}

/// Whether some body is strained so far that one pass is not enough, now or before in this step.
static bool any_large(phxi_implicit_system* y) {
    bool large = false;
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit* s = y->works[k].s;
        s->large = s->large || s->spins || phxi_implicit_strained(&s->report.strain);
        large = large || s->large;
    }
    return large;
}

/// The first residual; where something is hit, by backward Euler: BDF2 would throw back half of it.
static bool begin_passes(phxi_implicit_system* y) {
    bool leaves = false, hit = false, euler = true;
    if (!phxi_implicit_residual(y)) {
        return false;
    }
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit_work* w = &y->works[k];
        if (w->starts_in_contact && !w->touching && !w->paired) { // it leaves the ground
            make_start(w, false);
            leaves = true;
        }
    }
    if (leaves && !phxi_implicit_residual(y)) {
        return false;
    }
    for (int k = 0; k < y->count; ++k) {
        hit = hit || y->works[k].s->report.impact;
        euler = euler && y->works[k].s->euler;
    }
    for (int k = 0; k < y->count; ++k) {
        y->works[k].s->hit = y->works[k].s->hit || hit; // in this part or one before
        y->works[k].s->large = false;
        if (hit && !euler) {
            set_scheme(&y->works[k], true, y->works[k].s->dt);
        }
    }
    return !hit || euler || phxi_implicit_balance(y);
}

/// BDF2 by one linear solve, or a few. False if that is not good enough. s->current: forces are those at s->x.
static bool linear_passes(phxi_implicit_system* y) {
    bool fixed = false, velocity_changed = false;
    set_current(y, false);
    if (!begin_passes(y)) {
        return false;
    }
    for (int k = 0; k < y->count; ++k) {
        fixed = fixed || y->works[k].s->any_fixed;
        velocity_changed = velocity_changed || y->works[k].velocity_changed;
    }
    double first = y->norm;
    bool large = any_large(y);
    for (int pass = 1;; ++pass) {
        bool touching = y->touching;
        // contact: an iteration too few and the body sinks in
        int most = touching ? CONTACT_MORE * y->def.iterations : y->def.iterations;
        phxi_implicit_solve(y, most, touching ? CONTACT_FINER * y->def.tolerance : y->def.tolerance);
        double move = largest_move(y);
        if (!isfinite(move)) {
            return false;
        }
        bool look = large || fixed || touching || move > FAR || y->coarse;
        if (!look) {
            return true;
        }
        double slid, pushed;
        if (!phxi_implicit_residual_sliding(y, &slid, &pushed)) {
            return false;
        }
        move = fmax(move, slid);
        set_current(y, true);
        large = any_large(y);
        bool still = move < (y->pair_count > 0 ? 0.1 : 1) * STILL && y->reached < 0.1;
        // a blow to a stiff body that touches something, or drivers that drag a stiff body along: what a solve leaves
        // may be more than all motion
        double left = y->norm / phxi_implicit_scale(y);
        bool dragged = fixed && move > DRAGGED && left > EVEN, wild = left > WILD && move > DRAGGED;
        bool rough = wild || dragged || (touching && velocity_changed && left > ROUGH);
        bool settled = !large && !rough && ((!touching && !y->touching) || still);
        int passes = rough || (y->pair_count > 0 && y->touching) ? PAIR_PASSES : MOST_PASSES;
        passes = (slid > STILL || pushed > UNSETTLED) && passes < SLIDING_PASSES ? SLIDING_PASSES : passes;
        bool halved = pass >= 2 && y->norm <= 0.5 * first && pass >= (y->touching ? passes : 2);
        if (settled || (halved && !dragged && !wild)) {
            return true;
        }
        if (pass >= passes) { // what sticks and what slides may change
                              // forever, at no harm
            return !rough && (y->norm <= first || (y->touching && !large));
        }
        set_current(y, false);
    }
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

/// The way of a step at the pace of its end: turning is not stretching.
static phx_vec3 steady_displacement(const phxi_implicit_work* w, phx_vec3 x, phx_vec3 v) {
    const phxi_implicit_pace* pace = &w->pace;
    phx_vec3 r = phxi_sub(x, pace->center), turned = phxi_sub(r, phxi_mat3_apply(&pace->back, r));
    return phxi_add_scaled(turned, w->system->dt, phxi_sub(v, phxi_cross(pace->spin, r)));
}

static void store_part(void* context, int begin, int end, int block) {
    phxi_implicit_work* w = context;
    phxi_implicit* s = w->s;
    phxi_particles* p = w->step->particles;
    int bad = -1;
    for (int i = begin; i < end; ++i) {
        int k = s->begin + i;
        phx_vec3 a = acceleration_of(w, i), x = s->x[i], v = s->v[i];
        phxi_vector_set(p->acceleration, k, a);
        if (!phxi_finite(a) || !phxi_finite(x) || !phxi_finite(v)) {
            bad = bad < 0 ? i : bad;
        }
        if (w->fixed[i]) {
            phxi_vector_set(p->low, k, phxi_vec3(0, 0, 0));
            phxi_vector_set(p->carry, k, phxi_scale(w->system->dt, v));
            phxi_vector_set(p->past, k, v);
            phxi_vector_set(p->made, k, v);
            continue;
        }
        phx_vec3 way = phxi_sub(x, phxi_particles_place(p, k));
        phx_vec3 before = phxi_vec3(p->vx[k], p->vy[k], p->vz[k]);
        p->x[k] = (phx_real)x.x, p->y[k] = (phx_real)x.y, p->z[k] = (phx_real)x.z;
        phxi_vector_set(p->low, k, phxi_vec3(x.x - (double)p->x[k], x.y - (double)p->y[k], x.z - (double)p->z[k]));
        p->vx[k] = (phx_real)v.x, p->vy[k] = (phx_real)v.y, p->vz[k] = (phx_real)v.z;
        // a stop is not a motion to carry on, but what a load has brought is
        phxi_vector_set(p->carry, k, s->restart ? steady_displacement(w, x, v) : way);
        phxi_vector_set(p->past, k, s->hit || s->restart ? phxi_sub(v, w->smooth) : before);
        phxi_vector_set(p->made, k, v);
    }
    s->sums[block].contacts = bad;
}

void phxi_implicit_store(phxi_implicit_system* y, int parts, phxi_trouble* trouble) {
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit_work* w = &y->works[k];
        w->s->restart = (parts > 1 && w->s->hit) || w->s->report.halvings > 0 || w->s->rebounds;
        w->pace = phxi_implicit_pace_of(w);
        w->smooth = phxi_implicit_smooth_change(w);
        phxi_implicit_balance_held(w);
        phxi_implicit_loop(w, store_part);
        for (int b = 0; b < w->s->sum_count; ++b) {
            int bad = w->s->sums[b].contacts;
            if (bad >= 0 && (trouble->particle < 0 || w->s->begin + bad < trouble->particle)) {
                *trouble = (phxi_trouble){w->s->begin + bad, "implicit step"};
            }
        }
    }
}

static void rebound(phxi_implicit_system* y) {
    y->out_of_memory = phxi_implicit_rebound(y) != PHX_OK || y->out_of_memory;
}

/// Newton's method over 2^halvings steps from the state at the start of this one, which is `part` of `parts`.
static bool small_steps(phxi_implicit_system* y, int part, int parts, int halvings) {
    int steps = 1 << halvings;
    double dt = y->dt / parts;
    phxi_implicit_end_pushes(y, false);
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit* s = y->works[k].s;
        size_t size = (size_t)s->count * sizeof *s->q;
        s->report.halvings = halvings;
        memcpy(s->q, s->kept_q, size);
        memcpy(s->v, s->kept_v, size);
    }
    for (int step = 0; step < steps; ++step) {
        if (y->coarse) {
            y->coarse->contacts = -1;
        }
        phxi_implicit_place_colliders(y, (part + (double)step / steps) / parts,
                                      (part + (double)(step + 1) / steps) / parts);
        for (int k = 0; k < y->count; ++k) {
            phxi_implicit_work* w = &y->works[k];
            set_scheme(w, true, dt / steps);
            phxi_implicit_find_motion(w);
            phxi_implicit_go_to_start(w);
            memset(w->s->drag, 0, (size_t)w->s->count * sizeof *w->s->drag);
        }
        phxi_implicit_start_pairs(y);
        if (!phxi_implicit_newton(y)) {
            return false;
        }
        set_current(y, true);
        phxi_implicit_add_pushes(y, 1.0 / (parts * steps), part + 1 == parts && step + 1 == steps);
        phxi_implicit_velocities(y);
        rebound(y);
        for (int k = 0; k < y->count && step + 1 < steps; ++k) {
            memcpy(y->works[k].s->q, y->works[k].s->x, (size_t)y->works[k].s->count * sizeof *y->works[k].s->q);
        }
    }
    return true;
}

/// Particles that drivers hold are where they will be at the end of the step, which is `left` away.
static void hold(phxi_implicit_work* w, double left) {
    const phxi_particles* p = w->step->particles;
    for (int i = 0; w->s->any_fixed && i < w->s->count; ++i) {
        if (w->fixed[i]) {
            int k = w->s->begin + i;
            w->s->q[i] = phxi_add_scaled(phxi_vec3(p->x[k], p->y[k], p->z[k]), -left, w->s->v[i]);
        }
    }
}

/// From the start of a step to where it is tried first.
static phx_result begin_part(phxi_implicit_system* y, int part, int parts) {
    double dt = y->dt / parts;
    bool backward = y->def.newton || y->def.outer > 0 || y->has_explicit_contact || parts > 1 || y->fresh;
    if (y->coarse) {
        y->coarse->contacts = -1;
    }
    phxi_implicit_place_colliders(y, (double)part / parts, (double)(part + 1) / parts);
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit_work* w = &y->works[k];
        phxi_implicit* s = w->s;
        size_t size = (size_t)s->count * sizeof *s->q;
        if (parts > 1) {
            hold(w, y->dt - (part + 1) * dt);
        }
        memcpy(s->kept_q, s->q, size);
        memcpy(s->kept_v, s->v, size);
        memcpy(s->x, s->q, size);
        memset(s->drag, 0, (size_t)s->count * sizeof *s->drag);
        set_scheme(w, backward, dt);
        phxi_implicit_find_motion(w);
        w->starts_in_contact = phxi_implicit_contacts_before(w) > 0;
    }
    if (y->around->statics) {
        return phxi_implicit_start_static(y);
    }
    if (y->may_touch) {
        PHXI_TRY(phxi_implicit_find_pairs(y));
        phxi_implicit_mark_starts_in_contact(y);
    }
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit_work* w = &y->works[k];
        make_start(w, w->starts_in_contact);
        if (part == 0) {
            shift(w);
        }
        phxi_implicit_loop(w, xh_part);
    }
    if (y->may_touch) {
        PHXI_TRY(phxi_implicit_find_pairs(y));
        phxi_implicit_start_pairs(y);
    }
    if (parts == 1 && !y->has_explicit_contact) {
        take_trapezoid(y);
    }
    return PHX_OK;
}

/// The last resort: everything that is not held stops where it was. False if that is no state either.
static bool stop(phxi_implicit_system* y) {
    const phxi_body* first = &y->step->bodies[y->step->particles->body[y->works[0].s->begin]];
    phxi_log(y->step->log, PHX_LOG_WARNING,
             "t = %g s: no implicit step was found for body '%s'%s; it stops where it is (shorter steps may help: "
             "implicit_dt)",
             y->step->time, first->name, y->count > 1 ? " and those that are solved with it" : "");
    for (int k = 0; k < y->count; ++k) {
        const phxi_implicit_work* w = &y->works[k];
        phxi_implicit* s = w->s;
        y->works[k].after = (phxi_implicit_sums){.mass = 0}; // nothing moves
        for (int i = 0; i < s->count; ++i) {
            s->q[i] = s->x[i] = s->kept_q[i];
            s->v[i] = w->fixed[i] ? s->kept_v[i] : phxi_vec3(0, 0, 0);
        }
    }
    set_current(y, true);
    return phxi_implicit_residual(y);
}

/// By the scheme that is asked for, and what it falls back to.
static bool take_part(phxi_implicit_system* y, int part, int parts) {
    if (y->around->statics) {
        return phxi_implicit_equilibrium(y);
    }
    bool plain = y->def.outer == 0 || y->mixed; // passes of projective bodies alone always lead down
    set_current(y, y->def.newton);
    bool good = y->def.newton      ? phxi_implicit_newton(y)
                : y->def.outer > 0 ? phxi_implicit_projective(y)
                                   : linear_passes(y);
    if (y->def.newton) {
        set_current(y, true);
    }
    if (good) {
        phxi_implicit_add_pushes(y, 1.0 / parts, part + 1 == parts);
        phxi_implicit_velocities(y);
        good = !plain || y->mixed || y->def.newton || !phxi_implicit_energy_grew(y); // energies of some are not known
    }
    if (good) {
        rebound(y);
    }
    for (int halvings = 0; !good && plain && halvings <= HALVINGS; ++halvings) {
        good = small_steps(y, part, parts, halvings);
    }
    phxi_implicit_end_pushes(y, good);
    return good || stop(y);
}

phx_result phxi_implicit_part(phxi_implicit_system* y, int part, int parts, bool* good) {
    PHXI_TRY(begin_part(y, part, parts));
    *good = take_part(y, part, parts);
    if (y->out_of_memory) {
        return PHX_ERROR_MEMORY;
    }
    for (int k = 0; k < y->count && part + 1 < parts; ++k) { // the next one goes on from here
        phxi_implicit* s = y->works[k].s;
        for (int i = 0; i < s->count; ++i) {
            s->d[i] = phxi_sub(s->x[i], s->kept_q[i]);
            s->q[i] = s->x[i];
        }
        s->last_dt = y->dt / parts;
    }
    return PHX_OK;
}
