// SPDX-License-Identifier: MIT
// Which bodies of a step are solved together: those whose boxes, where they are and where they go, come near each
// other, directly or through others, those that come near what drivers alone move, and those that touch themselves.
//
// They make two systems of equations at most: one of all that are near no projective body, and one of the rest. A body
// that is near nothing is a system of its own. So what a step does to a body depends on what is around it alone, and
// pairs are looked for twice at most.
//
// Pairs are looked for where the step is tried first (pairs.c), which finds what comes by less than a spacing: bodies
// that come faster take the step in parts.
#include "implicit/implicit_internal.h"

#include <string.h>

#define APPROACH   0.4 // of a spacing, that bodies come nearer in one part of a step
#define MOST_PARTS 32

/// Particles in their motion: those of a body of the step, or of one that drivers alone move.
typedef struct outline {
    phx_vec3 low, high;
    phx_vec3 velocity;    // mean
    double spread;        // largest difference from it, m/s
    double widest, least; // spacing, m
    bool others, self;    // may touch them
    bool together;        // near something
    bool projective;      // of the lowest of a group: one of them is
    int lowest;           // of the group it belongs to
} outline;

/// Where particles are and are going to be.
static void follow(outline* o, const phxi_step* step, int begin, int end, double dt) {
    const phxi_particles* p = step->particles;
    double mass = 0;
    o->low = phxi_vec3(INFINITY, INFINITY, INFINITY);
    o->high = phxi_vec3(-INFINITY, -INFINITY, -INFINITY);
    o->least = INFINITY;
    for (int i = begin; i < end; ++i) {
        phx_vec3 x = phxi_vec3(p->x[i], p->y[i], p->z[i]), v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
        phx_vec3 there = phxi_add_scaled(x, p->fixed[i] ? -dt : dt, v); // held ones have arrived
        o->low = phxi_min(phxi_min(o->low, x), there);
        o->high = phxi_max(phxi_max(o->high, x), there);
        o->velocity = phxi_add_scaled(o->velocity, (double)p->mass[i], v);
        mass += (double)p->mass[i];
        o->widest = fmax(o->widest, (double)p->spacing[i]);
        o->least = fmin(o->least, (double)p->spacing[i]);
    }
    o->velocity = phxi_scale(1 / mass, o->velocity);
    for (int i = begin; i < end; ++i) {
        o->spread = fmax(o->spread, phxi_distance(o->velocity, phxi_vec3(p->vx[i], p->vy[i], p->vz[i])));
    }
}

/// Bodies of the world that a body of the step is made of.
static void bodies_of(const phxi_implicit_body* body, const phxi_step* step, int* first, int* last) {
    *first = step->particles->body[body->implicit->begin];
    *last = step->particles->body[body->implicit->begin + body->implicit->count - 1];
}

static outline outline_of(const phxi_implicit_body* body, const phxi_implicit_surroundings* around,
                          const phxi_step* step, bool alone) {
    int begin = body->implicit->begin, first, last;
    outline o = {.projective = body->def.outer > 0};
    bodies_of(body, step, &first, &last);
    for (int b = first; b <= last; ++b) {
        const phxi_contact_body* contact = &around->scene->bodies[b];
        o.others = o.others || contact->traits.others;
        o.self = o.self || contact->traits.self || contact->bonds.version != 0;
    }
    if (!alone || o.self) { // a body alone is near itself only
        follow(&o, step, begin, begin + body->implicit->count, around->dt);
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

/// Marks who comes near a body that drivers alone move: contact knows of no others besides those of the step.
static void meet_kinematic(outline* list, const phxi_implicit_list* bodies, const phxi_implicit_surroundings* around,
                           const phxi_step* step) {
    int at = 0, first = 0, last = -1; // of the body of the step that comes next
    for (int b = 0; b < around->scene->body_count; ++b) {
        while (at < bodies->count && b > last) {
            bodies_of(&bodies->items[at++], step, &first, &last);
        }
        const phxi_contact_body* contact = &around->scene->bodies[b];
        if ((b >= first && b <= last) || !contact->traits.others || contact->count == 0) {
            continue;
        }
        outline kinematic = {.others = true};
        follow(&kinematic, step, contact->begin, contact->begin + contact->count, around->dt);
        for (int k = 0; k < bodies->count; ++k) {
            list[k].together = list[k].together || near(&list[k], &kinematic);
        }
    }
}

static int lowest_of(const outline* list, int k) {
    while (list[k].lowest != k) {
        k = list[k].lowest;
    }
    return k;
}

/// Who is near whom.
static void find_groups(outline* list, int count) {
    for (int k = 0; k < count; ++k) {
        list[k].lowest = k;
        list[k].together = list[k].together || list[k].self;
    }
    for (int a = 0; a < count; ++a) {
        for (int b = a + 1; b < count; ++b) {
            if (near(&list[a], &list[b])) {
                int one = lowest_of(list, a), two = lowest_of(list, b), low = one < two ? one : two;
                list[a].together = list[b].together = true;
                list[low].projective = list[one].projective || list[two].projective;
                list[one].lowest = list[two].lowest = low;
            }
        }
    }
    for (int k = 0; k < count; ++k) {
        list[k].lowest = lowest_of(list, k);
    }
}

static bool is_in(const outline* list, int k, bool projective) {
    return list[k].together && list[list[k].lowest].projective == projective;
}

static int parts_of(const outline* list, int count, bool projective, double dt) {
    double parts = 1;
    for (int a = 0; a < count; ++a) {
        if (!is_in(list, a, projective)) {
            continue;
        }
        parts = fmax(parts, list[a].self ? parts_for(&list[a], &list[a], dt) : 1);
        for (int b = a + 1; b < count; ++b) {
            if (list[b].lowest == list[a].lowest && near(&list[a], &list[b])) {
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

/// The most careful of all definitions. Bodies with other matrices than a projective one want conjugate gradients.
static void join_def(phxi_implicit_system* y, const phxi_implicit_def* one) {
    phxi_implicit_def* all = &y->def;
    y->mixed = y->mixed || (all->outer > 0) != (one->outer > 0);
    all->newton = all->newton || one->newton;
    all->trapezoid = all->trapezoid && one->trapezoid;
    all->outer = all->outer > one->outer ? all->outer : one->outer;
    all->spin_fades = all->spin_fades && one->spin_fades;
    all->solver = y->mixed || all->solver != one->solver ? PHXI_SOLVER_PCG : all->solver;
    all->kappa = fmax(all->kappa, one->kappa);
    all->iterations = all->iterations > one->iterations ? all->iterations : one->iterations;
    all->newton_steps = all->newton_steps > one->newton_steps ? all->newton_steps : one->newton_steps;
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
        y->mixed = y->has_explicit_contact = false;
    } else {
        origin = y->works[0].origin;
        join_def(y, &body->def);
    }
    int first, last;
    bodies_of(body, y->step, &first, &last);
    for (int b = first; b <= last && y->around->has_explicit_contact; ++b) {
        y->has_explicit_contact = y->has_explicit_contact || y->around->has_explicit_contact[b];
    }
    phxi_implicit_work* w = &y->works[y->count++];
    *w = work_of(body, y, origin);
    s->report = (phxi_implicit_report){0};
    s->hit = s->restart = s->rebounds = false;
    s->last_dt = y->around->last_dt > 0 ? y->around->last_dt : y->dt;
    s->any_fixed = false;
    for (int i = 0; i < s->count; ++i) {
        w->railed = w->railed || phxi_on_rail(p, s->begin + i);
        s->any_fixed = s->any_fixed || w->fixed[i] || w->railed;
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

/// Room for the colliders as parts of the step see them, and what is asked of them.
static phx_result take_colliders(phxi_implicit_system* y, size_t works) {
    size_t count = (size_t)y->step->collider_count;
    y->colliders = phxi_arena_take(y->step->arena, count + 1, sizeof *y->colliders);
    y->pushes = y->step->pushes ? phxi_arena_take(y->step->arena, count, sizeof *y->pushes) : NULL;
    size_t all = count * works + 1;
    y->body_pushes = y->step->body_pushes ? phxi_arena_take(y->step->arena, all, sizeof *y->body_pushes) : NULL;
    if (!y->colliders || (y->step->pushes && !y->pushes) || (y->step->body_pushes && !y->body_pushes)) {
        return PHX_ERROR_MEMORY;
    }
    if (y->body_pushes) {
        memset(y->body_pushes, 0, all * sizeof *y->body_pushes);
    }
    phxi_implicit_end_pushes(y, false);
    return PHX_OK;
}

/// The bodies that are near others: near projective ones, or not.
static phx_result advance_together(phxi_implicit_system* y, const phxi_implicit_list* bodies, const outline* list,
                                   bool projective, phxi_trouble* trouble) {
    y->count = y->pair_count = 0;
    for (int k = 0; k < bodies->count; ++k) {
        if (is_in(list, k, projective)) {
            add_work(y, &bodies->items[k]);
        }
    }
    const int parts = y->around->statics ? 1 : parts_of(list, bodies->count, projective, y->dt);
    return y->count > 0 ? advance(y, parts, trouble) : PHX_OK;
}

static phx_result advance_alone(phxi_implicit_system* y, const phxi_implicit_body* body, phxi_trouble* trouble) {
    y->count = y->pair_count = 0;
    add_work(y, body);
    return advance(y, 1, trouble);
}

phx_result phxi_implicit_step(const phxi_implicit_list* bodies, const phxi_implicit_surroundings* around,
                              phxi_step* step, phxi_trouble* trouble) {
    size_t count = (size_t)bodies->count;
    phxi_implicit_system y = {.step = step, .around = around, .dt = around->dt};
    outline* list = phxi_arena_take(step->arena, count, sizeof *list);
    y.works = phxi_arena_take(step->arena, count, sizeof *y.works);
    bool contact_force = step->collider_count > 0 || around->scene;
    phxi_coarse_contact* coarse = contact_force ? phxi_arena_take(step->arena, 1, sizeof *coarse) : NULL;
    if (!list || !y.works || (contact_force && !coarse)) {
        return PHX_ERROR_MEMORY;
    }
    PHXI_TRY(take_colliders(&y, count));
    memset(list, 0, count * sizeof *list);
    if (around->scene) {
        bool alone = count == 1 && around->scene->body_count == 1;
        for (int k = 0; k < bodies->count; ++k) {
            list[k] = outline_of(&bodies->items[k], around, step, alone);
        }
        meet_kinematic(list, bodies, around, step);
        find_groups(list, bodies->count);
        y.may_touch = true;
        y.coarse = coarse;
        PHXI_TRY(advance_together(&y, bodies, list, false, trouble));
        y.coarse = NULL; // made of bricks, which projective bodies do not have
        PHXI_TRY(advance_together(&y, bodies, list, true, trouble));
    }
    y.may_touch = false;
    for (int k = 0; k < bodies->count; ++k) {
        if (!list[k].together) {
            y.coarse = step->collider_count > 0 && bodies->items[k].def.outer == 0 ? coarse : NULL;
            PHXI_TRY(advance_alone(&y, &bodies->items[k], trouble));
        }
    }
    return PHX_OK;
}
