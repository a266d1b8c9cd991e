// SPDX-License-Identifier: MIT
// Blows on stiff bodies are shorter than a step, which swallows them (docs/theory/implicit_steps.md (18)): what comes
// off a blow is given by a coefficient of restitution e, the `restitution` of materials.
//
// A step, or part of one, ends with velocities that contact has made: the body lies still, or not quite yet. Where two
// bodies, or one and a collider, touch and came at each other faster than resting contact does, they get impulses p >=
// 0 along the normal n, at one point for both, until they part there at e times the speed they came with (Newton):
//   n.(v_a - v_b) + sum of what the p do >= wanted,   p (n.(v_a - v_b) - wanted) = 0
//   wanted = -e n.(v_a - v_b) before the step, or where they were at rest: what they have
// Bodies answer as if they were rigid, which is what makes their blows short: no strain comes of it. Both momenta are
// kept, as impulses are equal and opposite. Of all p the share is given that takes no more energy than the step has
// lost.
#include "implicit/implicit_internal.h"

#include "contact/collider.h"
#include "contact/reach.h"

#define FAST   3.0 // speed over gravity times dt, above which bodies are not at rest on each other
#define ROUNDS 60  // of Gauss and Seidel
#define ENOUGH 1e-6

/// A body in the step as if it were rigid.
typedef struct rigid {
    double restitution; // 0: it does not take part
    phx_vec3 center, velocity, spin, angular;
    phx_vec3 velocity_before, spin_before; // of the step
    double inverse_mass;                   // 0: it is held
    phxi_mat3 inverse_inertia;
    phx_vec3 push, twist; // impulses so far, kg m/s and kg m^2/s
} rigid;

/// A place where body a touches body b, or (b < 0) something that no impulse moves.
typedef struct touch {
    int a, b;
    phx_vec3 at, normal;   // m; from b to a
    phx_vec3 other;        // m/s, of what is not a body
    int collider;          // -1: it is none
    double wanted, effect; // m/s; m/s gained by 1 kg m/s
    double impulse;        // kg m/s
} touch;

typedef struct touches {
    touch* items;
    int count, capacity;
    bool fast;
} touches;

// ---------------------------------------------------------------------------------------------------------------
// bodies

/// Of pieces that have come apart, and of several bodies that are stepped as one, there is no rigid motion.
static double restitution_of(const phxi_implicit_work* w) {
    const int* body = w->step->particles->body + w->s->begin;
    const phxi_contact_scene* scene = w->system->around->scene;
    const bool whole = body[0] == body[w->s->count - 1] && (!scene || scene->bodies[body[0]].bonds.version == 0);
    return whole ? w->step->bodies[body[0]].material.restitution : 0;
}

static rigid rigid_of(const phxi_implicit_work* w) {
    const phxi_implicit_pace pace = phxi_implicit_pace_of(w);
    const phxi_implicit_sums* t = &w->after;
    const phx_vec3 mean = phxi_sub(pace.center, w->origin);
    rigid r = {.restitution = restitution_of(w),
               .center = pace.center,
               .velocity = pace.velocity,
               .spin = pace.spin,
               .angular = phxi_sub(t->spin, phxi_cross(mean, t->momentum)),
               .velocity_before = w->velocity,
               .spin_before = phxi_mat3_apply(&w->spin_inverse, w->angular)};
    if (!w->s->any_fixed) {
        r.inverse_mass = 1 / t->mass;
        r.inverse_inertia = phxi_implicit_inertia_inverse(t->mass, mean, t->second);
    }
    return r;
}

static phx_vec3 velocity_at(const rigid* r, phx_vec3 at) {
    phx_vec3 velocity = phxi_add_scaled(r->velocity, r->inverse_mass, r->push);
    phx_vec3 spin = phxi_add(r->spin, phxi_mat3_apply(&r->inverse_inertia, r->twist));
    return phxi_add(velocity, phxi_cross(spin, phxi_sub(at, r->center)));
}

static phx_vec3 velocity_before(const rigid* r, phx_vec3 at) {
    return phxi_add(r->velocity_before, phxi_cross(r->spin_before, phxi_sub(at, r->center)));
}

/// n . dv at a point by an impulse n there.
static double effect_of(const rigid* r, phx_vec3 at, phx_vec3 n) {
    phx_vec3 arm = phxi_sub(at, r->center), turn = phxi_mat3_apply(&r->inverse_inertia, phxi_cross(arm, n));
    return r->inverse_mass + phxi_dot(n, phxi_cross(turn, arm));
}

static void give(rigid* r, phx_vec3 at, phx_vec3 impulse) {
    r->push = phxi_add(r->push, impulse);
    r->twist = phxi_add(r->twist, phxi_cross(phxi_sub(at, r->center), impulse));
}

// --------------------------------------------------------------------------------------------------------------
// touches

static double closing(const rigid* bodies, const touch* t, bool before) {
    const rigid *a = &bodies[t->a], *b = t->b < 0 ? NULL : &bodies[t->b];
    phx_vec3 one = before ? velocity_before(a, t->at) : velocity_at(a, t->at);
    phx_vec3 two = !b ? t->other : before ? velocity_before(b, t->at) : velocity_at(b, t->at);
    return -phxi_dot(phxi_sub(one, two), t->normal);
}

/// Takes a touch down, if there is room, with what is wanted of it. False: no room.
static bool add_touch(const phxi_implicit_system* y, const rigid* bodies, touches* all, touch t) {
    const rigid *a = &bodies[t.a], *b = t.b < 0 ? NULL : &bodies[t.b];
    t.effect = effect_of(a, t.at, t.normal) + (b ? effect_of(b, t.at, t.normal) : 0);
    if (!(t.effect > 0)) {
        return true;
    }
    if (all->count == all->capacity) {
        return false;
    }
    const double came = closing(bodies, &t, true), now = -closing(bodies, &t, false);
    const double e = b ? fmin(a->restitution, b->restitution) : a->restitution;
    const bool fast = came > FAST * phxi_length(y->step->gravity) * y->works[t.a].s->dt;
    t.wanted = fast ? e * came : fmin(0, now);
    all->fast = all->fast || (fast && now < t.wanted);
    all->items[all->count++] = t;
    return true;
}

static bool touch_colliders(const phxi_implicit_system* y, int work, const rigid* bodies, touches* all) {
    const phxi_implicit_work* w = &y->works[work];
    for (int i = 0; w->touching && i < w->s->count; ++i) {
        if (!w->s->touched[i] || w->fixed[i] || w->step->particles->overlap[w->s->begin + i] > 0) {
            continue;
        }
        for (int c = 0; c < y->step->collider_count; ++c) {
            phxi_collider_contact t;
            if (phxi_collider_find_contact(&y->colliders[c], w->step->particles, w->s->begin + i, w->s->x[i],
                                           w->def->young, &t) &&
                !add_touch(y, bodies, all,
                           (touch){.a = work,
                                   .b = -1,
                                   .at = phxi_add_scaled(
                                       w->s->x[i], -phxi_contact_radius(w->step->particles, w->s->begin + i), t.normal),
                                   .normal = t.normal,
                                   .other = t.velocity,
                                   .collider = c})) {
                return false;
            }
        }
    }
    return true;
}

/// Where a particle is tried, and which body of the system it belongs to.
static phx_vec3 place_of(const phxi_implicit_system* y, int particle, int* work) {
    for (*work = 0; *work < y->count; ++*work) {
        const phxi_implicit* s = y->works[*work].s;
        if (particle >= s->begin && particle < s->begin + s->count) {
            return s->x[particle - s->begin];
        }
    }
    *work = -1;
    return phxi_particles_place(y->step->particles, particle);
}

static bool touch_pairs(const phxi_implicit_system* y, const rigid* bodies, touches* all) {
    const phxi_particles* p = y->step->particles;
    for (int k = 0; k < y->pair_count; ++k) {
        const phxi_implicit_pair* pair = &y->pairs[k];
        int i, j;
        phx_vec3 one = place_of(y, pair->i, &i), two = place_of(y, pair->j, &j);
        const bool stiff = (i < 0 || bodies[i].restitution > 0) && (j < 0 || bodies[j].restitution > 0);
        if (!pair->pushes || pair->overlap > 0 || i == j || !stiff) {
            continue;
        }
        touch t = {.a = j,
                   .b = i,
                   .at = phxi_scale(0.5, phxi_add(one, two)),
                   .normal = pair->normal,
                   .collider = -1,
                   .other = phxi_vec3(p->vx[pair->i], p->vy[pair->i], p->vz[pair->i])};
        if (j < 0) {
            t.a = i, t.b = -1;
            t.normal = phxi_scale(-1, pair->normal);
            t.other = phxi_vec3(p->vx[pair->j], p->vy[pair->j], p->vz[pair->j]);
        }
        if (!add_touch(y, bodies, all, t)) {
            return false;
        }
    }
    return true;
}

// --------------------------------------------------------------------------------------------------------------
// impulses

static void find_impulses(rigid* bodies, touches* all) {
    for (int round = 0; round < ROUNDS; ++round) {
        double change = 0, most = 0;
        for (int k = 0; k < all->count; ++k) {
            touch* t = &all->items[k];
            const double lacks = t->wanted + closing(bodies, t, false);
            const double more = fmax(-t->impulse, lacks / t->effect);
            t->impulse += more;
            give(&bodies[t->a], t->at, phxi_scale(more, t->normal));
            if (t->b >= 0) {
                give(&bodies[t->b], t->at, phxi_scale(-more, t->normal));
            }
            change = fmax(change, fabs(more));
            most = fmax(most, t->impulse);
        }
        if (change <= ENOUGH * most) {
            return;
        }
    }
}

/// Elastic energy that a body has gained in the step, J; 0: that is not known. Its forces are left as those at the end.
static double elastic_gain(const phxi_implicit_work* w) {
    phxi_strain strain;
    w->op->forces(w->op->context, w->s->q, w->s->best, &strain);
    const double before = w->op->energy(w->op->context);
    w->op->forces(w->op->context, w->s->x, w->s->best, &strain);
    const double gain = w->op->energy(w->op->context) - before;
    return isfinite(gain) ? gain : 0;
}

/// The velocity of what no impulse moves: the mean, by impulse.
static phx_vec3 velocity_outside(const touches* all) {
    phx_vec3 sum = {0, 0, 0};
    double weight = 0;
    for (int k = 0; k < all->count; ++k) {
        const touch* t = &all->items[k];
        if (t->b < 0) {
            sum = phxi_add_scaled(sum, t->impulse, t->other);
            weight += t->impulse;
        }
    }
    return weight > 0 ? phxi_scale(1 / weight, sum) : sum;
}

/// The share s <= 1 of impulses, which takes s linear + s^2 square, J, that there is `room` for.
static double affordable(double linear, double square, double room) {
    if (!(linear + square > room)) {
        return 1;
    }
    double root = linear * linear + 4 * square * fmax(0, room);
    return fmax(0, fmin(1, (sqrt(root) - linear) / (2 * square)));
}

/// The share of all impulses that takes no more energy than the step has lost: as seen from what no impulse moves,
/// which may be a bat.
static double share_of(const phxi_implicit_system* y, const rigid* bodies, const touches* all) {
    const phx_vec3 frame = velocity_outside(all);
    double linear = 0, square = 0, room = 0;
    for (int k = 0; k < y->count; ++k) {
        const phxi_implicit_work* w = &y->works[k];
        const rigid* r = &bodies[k];
        if (!(phxi_length(r->push) > 0)) {
            continue;
        }
        const phx_vec3 turn = phxi_mat3_apply(&r->inverse_inertia, r->twist);
        const phx_vec3 before = phxi_add_scaled(phxi_scale(w->total_mass, w->velocity), w->s->dt, w->push);
        linear += phxi_dot(phxi_sub(r->velocity, frame), r->push) + phxi_dot(turn, r->angular);
        square += 0.5 * (r->inverse_mass * phxi_dot(r->push, r->push) + phxi_dot(turn, r->twist));
        room += w->after.dot[0] - w->after.dot[1] - phxi_dot(frame, phxi_sub(before, w->after.momentum));
        room -= elastic_gain(w);
    }
    return affordable(linear, square, room);
}

/// Velocities of one body, which move on from here as they are.
typedef struct throw_context {
    phxi_implicit_work* w;
    phx_vec3 center, shift, turn;
} throw_context;

static void throw_part(void* context, int begin, int end, int block) {
    const throw_context* c = context;
    phxi_implicit* s = c->w->s;
    phxi_implicit_sums sums = {0};
    for (int i = begin; i < end; ++i) {
        if (!c->w->fixed[i]) {
            phx_vec3 more = phxi_add(c->shift, phxi_cross(c->turn, phxi_sub(s->x[i], c->center)));
            phx_vec3 thrown = phxi_add(s->v[i], more);
            s->v[i] = phxi_implicit_on_rail(c->w, i) ? phxi_implicit_on_rail_only(c->w, i, thrown, s->v[i]) : thrown;
        }
        sums.dot[1] += (double)c->w->mass[i] / 2 * phxi_dot(s->v[i], s->v[i]);
        phxi_implicit_add_motion(&sums, (double)c->w->mass[i], phxi_sub(s->x[i], c->w->origin), s->v[i]);
    }
    s->sums[block] = sums;
}

/// Adds to the velocities of a body and sums up its motion.
static void sum_motion(phxi_implicit_work* w, throw_context* c) {
    const double before = w->after.dot[0];
    phxi_parallel_for(w->step->pool, w->s->count, IMPLICIT_GRAIN, throw_part, c);
    w->after = phxi_implicit_merge(w->s);
    w->after.dot[0] = before;
}

static void throw_back(phxi_implicit_work* w, const rigid* r, double share) {
    if (!(phxi_length(r->push) > 0)) {
        return;
    }
    throw_context c = {w, r->center, phxi_scale(share * r->inverse_mass, r->push),
                       phxi_scale(share, phxi_mat3_apply(&r->inverse_inertia, r->twist))};
    sum_motion(w, &c);
    w->s->rebounds = w->s->hit = true;
}

/// What drivers of colliders feel of it.
static void tell_colliders(phxi_implicit_system* y, const touches* all, double share) {
    for (int k = 0; y->pushes && k < all->count; ++k) {
        const touch* t = &all->items[k];
        if (t->collider >= 0 && y->colliders[t->collider].driven) {
            phx_vec3 force = phxi_scale(share * t->impulse / y->dt, t->normal);
            y->pushes[t->collider].force = phxi_add(y->pushes[t->collider].force, force);
            y->pushes[t->collider].mean += phxi_dot(force, t->other);
        }
    }
}

/// Room for all places where something may touch; 0: nothing does, or nothing comes off it.
static int most_touches(const phxi_implicit_system* y, const rigid* bodies) {
    int most = 0, springy = 0;
    for (int k = 0; k < y->count; ++k) {
        springy += bodies[k].restitution > 0 && bodies[k].inverse_mass > 0;
        most += y->works[k].touching ? y->works[k].s->report.contacts * y->step->collider_count : 0;
    }
    return springy > 0 && y->touching ? most + y->pair_count : 0;
}

phx_result phxi_implicit_rebound(phxi_implicit_system* y) {
    rigid* bodies = phxi_arena_take(y->step->arena, (size_t)y->count, sizeof *bodies);
    if (!bodies) {
        return PHX_ERROR_MEMORY;
    }
    for (int k = 0; k < y->count; ++k) {
        bodies[k] = rigid_of(&y->works[k]);
    }
    touches all = {.capacity = most_touches(y, bodies)};
    if (all.capacity == 0) {
        return PHX_OK;
    }
    all.items = phxi_arena_take(y->step->arena, (size_t)all.capacity, sizeof *all.items);
    if (!all.items) {
        return PHX_ERROR_MEMORY;
    }
    for (int k = 0; k < y->count; ++k) { // impulses turn a body about where its centre is, not where it was tried
        sum_motion(&y->works[k], &(throw_context){.w = &y->works[k]});
        bodies[k] = rigid_of(&y->works[k]);
    }
    bool fits = touch_pairs(y, bodies, &all);
    for (int k = 0; fits && k < y->count; ++k) {
        fits = !(bodies[k].restitution > 0) || touch_colliders(y, k, bodies, &all);
    }
    if (!all.fast) {
        return PHX_OK;
    }
    find_impulses(bodies, &all);
    const double share = share_of(y, bodies, &all);
    for (int k = 0; k < y->count; ++k) {
        throw_back(&y->works[k], &bodies[k], share);
    }
    tell_colliders(y, &all, share);
    return PHX_OK;
}
