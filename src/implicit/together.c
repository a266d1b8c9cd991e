// SPDX-License-Identifier: MIT
// Which bodies of a step are solved together: those whose boxes, where they are and where they go, come near each
// other, and those that touch themselves. All of these make one system; every other body is one of its own.
//
// Pairs are looked for where the step is tried first (pairs.c), which finds what comes by less than a spacing: bodies
// that come faster take the step in parts.
#include "implicit/implicit_internal.h"

#include <string.h>

#define APPROACH   0.4 // of a spacing, that bodies come nearer in one part of a step
#define MOST_PARTS 32

/// A body in its motion.
typedef struct outline {
    phx_vec3 low, high;
    phx_vec3 velocity;    // mean
    double spread;        // largest difference from it, m/s
    double widest, least; // spacing, m
    bool others, self;    // may touch them
    bool together;
} outline;

/// Where it is going to be, if anyone needs to know: a body alone is near nobody but itself.
static outline outline_of(const phxi_implicit_body* body, const phxi_step* step, double dt, bool alone) {
    const phxi_particles* p = step->particles;
    int begin = body->implicit->begin, end = begin + body->implicit->count;
    const phxi_contact_body* contact = &step->scene->bodies[p->body[begin]];
    outline o = {.low = {INFINITY, INFINITY, INFINITY},
                 .high = {-INFINITY, -INFINITY, -INFINITY},
                 .least = INFINITY,
                 .others = contact->traits.others,
                 .self = contact->traits.self || contact->version != 0};
    if (alone && !o.self) {
        return o;
    }
    double mass = 0;
    for (int i = begin; i < end; ++i) {
        phx_vec3 x = phxi_vec3(p->x[i], p->y[i], p->z[i]), v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
        phx_vec3 there = phxi_add_scaled(x, p->fixed[i] ? -dt : dt, v); // held ones have arrived
        o.low = phxi_min(phxi_min(o.low, x), there);
        o.high = phxi_max(phxi_max(o.high, x), there);
        o.velocity = phxi_add_scaled(o.velocity, (double)p->mass[i], v);
        mass += (double)p->mass[i];
        o.widest = fmax(o.widest, (double)p->spacing[i]);
        o.least = fmin(o.least, (double)p->spacing[i]);
    }
    o.velocity = phxi_scale(1 / mass, o.velocity);
    for (int i = begin; i < end; ++i) {
        o.spread = fmax(o.spread, phxi_distance(o.velocity, phxi_vec3(p->vx[i], p->vy[i], p->vz[i])));
    }
    return o;
}

static bool near(const outline* a, const outline* b) {
    double reach = 2 * fmax(a->widest, b->widest);
    return a->others && b->others && a->low.x - b->high.x < reach && b->low.x - a->high.x < reach &&
           a->low.y - b->high.y < reach && b->low.y - a->high.y < reach && a->low.z - b->high.z < reach &&
           b->low.z - a->high.z < reach;
}

/// Parts that two bodies need, or one against itself.
static double parts_for(const outline* a, const outline* b, double dt) {
    double speed = phxi_distance(a->velocity, b->velocity) + a->spread + b->spread;
    return dt * speed / (APPROACH * fmin(a->least, b->least));
}

static bool is_own(const phxi_step* step, int body) {
    bool own = false;
    for (int k = 0; k < step->own_count; ++k) {
        own = own || step->own[k] == body;
    }
    return own;
}

/// Marks who is solved together; returns the number of parts.
static int find_together(outline* list, int count, const phxi_step* step, double dt) {
    double parts = 1;
    bool walls = false;
    for (int b = 0; b < step->scene->body_count; ++b) { // of other methods too, who look back when it is their turn
        walls = walls || (step->scene->bodies[b].traits.others && !is_own(step, b));
    }
    for (int a = 0; a < count; ++a) {
        if (list[a].self || (walls && list[a].others)) {
            list[a].together = true;
            parts = fmax(parts, list[a].self ? parts_for(&list[a], &list[a], dt) : 1);
        }
        for (int b = a + 1; b < count; ++b) {
            if (near(&list[a], &list[b])) {
                list[a].together = list[b].together = true;
                parts = fmax(parts, parts_for(&list[a], &list[b], dt));
            }
        }
    }
    return isfinite(parts) ? (int)fmin(ceil(parts), MOST_PARTS) : MOST_PARTS;
}

// ------------------------------------------------------------------------------------------------------------- systems

static phxi_implicit_work work_of(const phxi_implicit_body* body, phxi_implicit_system* y, phx_vec3 origin) {
    phxi_implicit* s = body->implicit;
    const phxi_particles* p = y->step->particles;
    return (phxi_implicit_work){.s = s,
                                .system = y,
                                .op = &body->op,
                                .step = y->step,
                                .def = &body->def,
                                .fixed = p->fixed + s->begin,
                                .mass = p->mass + s->begin,
                                .spacing = p->spacing + s->begin,
                                .origin = origin,
                                .axes = phxi_identity()};
}

/// The most careful of all definitions.
static void join_def(phxi_implicit_def* all, const phxi_implicit_def* one) {
    all->newton = all->newton || one->newton;
    all->trapezoid = all->trapezoid && one->trapezoid;
    all->pushed = all->pushed || one->pushed;
    all->iterations = all->iterations > one->iterations ? all->iterations : one->iterations;
    all->newton_iterations =
        all->newton_iterations > one->newton_iterations ? all->newton_iterations : one->newton_iterations;
    all->tolerance = fmin(all->tolerance, one->tolerance);
}

static void add_work(phxi_implicit_system* y, const phxi_implicit_body* body) {
    phxi_implicit* s = body->implicit;
    const phxi_particles* p = y->step->particles;
    phx_vec3 origin = phxi_vec3(p->x[s->begin], p->y[s->begin], p->z[s->begin]);
    if (y->count == 0) {
        y->def = body->def;
    } else {
        origin = y->works[0].origin;
        join_def(&y->def, &body->def);
    }
    phxi_implicit_work* w = &y->works[y->count++];
    *w = work_of(body, y, origin);
    s->report = (phxi_implicit_report){0};
    s->struck = s->restart = false;
    s->last_dt = body->def.last_dt > 0 ? body->def.last_dt : body->def.dt;
    s->any_fixed = false;
    for (int i = 0; i < s->count; ++i) {
        s->any_fixed = s->any_fixed || w->fixed[i];
    }
}

static phx_result advance(phxi_implicit_system* y, int parts, phxi_trouble* trouble) {
    bool good = true;
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit_prepare(&y->works[k]);
    }
    phxi_implicit_load(y);
    for (int part = 0; part < parts && good; ++part) {
        PHXI_TRY(phxi_implicit_part(y, part, parts, &good));
    }
    phxi_implicit_store(y, parts, trouble);
    return PHX_OK;
}

/// Room for the obstacles as parts of the step see them, and what is asked of them.
static phx_result take_colliders(phxi_implicit_system* y) {
    size_t count = (size_t)y->step->collider_count;
    y->colliders = phxi_arena_take(y->step->arena, count + 1, sizeof *y->colliders);
    y->pushes = y->step->pushes ? phxi_arena_take(y->step->arena, count, sizeof *y->pushes) : NULL;
    if (!y->colliders || (y->step->pushes && !y->pushes)) {
        return PHX_ERROR_MEMORY;
    }
    phxi_implicit_end_pushes(y, false);
    return PHX_OK;
}

phx_result phxi_implicit_step(const phxi_implicit_body* bodies, int count, phxi_step* step, phxi_trouble* trouble) {
    double dt = count > 0 ? bodies[0].def.dt : 0;
    phxi_implicit_system y = {.step = step, .dt = dt};
    outline* list = phxi_arena_take(step->arena, (size_t)count, sizeof *list);
    y.works = phxi_arena_take(step->arena, (size_t)count, sizeof *y.works);
    phxi_coarse_contact* coarse = NULL;
    bool bricks = count > 0 && bodies[0].def.outer == 0 && (step->collider_count > 0 || step->scene);
    if (bricks) {
        coarse = phxi_arena_take(step->arena, 1, sizeof *coarse);
    }
    if (!list || !y.works || (bricks && !coarse)) {
        return PHX_ERROR_MEMORY;
    }
    PHXI_TRY(take_colliders(&y));
    int parts = 1;
    memset(list, 0, (size_t)count * sizeof *list);
    for (int k = 0; k < count && step->scene; ++k) {
        list[k] = outline_of(&bodies[k], step, dt, count == 1);
    }
    if (step->scene) {
        parts = find_together(list, count, step, dt);
    }
    y.coarse = coarse;
    y.may_touch = true;
    for (int k = 0; k < count; ++k) {
        if (list[k].together) {
            add_work(&y, &bodies[k]);
        }
    }
    PHXI_TRY(y.count > 0 ? advance(&y, parts, trouble) : PHX_OK);
    y.may_touch = false;
    y.coarse = step->collider_count > 0 ? coarse : NULL;
    for (int k = 0; k < count; ++k) {
        if (!list[k].together) {
            y.count = y.pair_count = 0;
            add_work(&y, &bodies[k]);
            PHXI_TRY(advance(&y, 1, trouble));
        }
    }
    return PHX_OK;
}
