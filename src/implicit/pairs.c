// SPDX-License-Identifier: MIT
// Bodies that touch each other or themselves, at trial positions: one more term of the residual and of the matrix, as
// colliders are (contact.c), that couples bodies.
//
// Who is near whom is asked once a step (contact/pairs.h, springs): normals n, and how members move the two sides
// against each other, U = sum c_k x_k, stay. With U0 at the start of the step and depth = gap - n.U
//   push   = max(0, k depth - b n.(U - U0)/dt),  k and b: see below
//   drag   = -h slip,  slip = U - U0 across n,  h: contact/law/friction.h
//   f_k    = c_k (push n + drag),    K = c_k c_l ((k + b/dt) n n^T + h (1 - n n^T))
// Coefficients c of a rigid motion sum to nothing: both momenta are kept, friction or not, and K is positive.
//
// k is that of the particles, but at most what stops the lighter body in a step through a single pair, and at least
// what stops the two particles: soft ones would be run over in long steps. b is a fraction of what is critical for the
// particles with their own stiffness, at most of that for the bodies with k: stacks of steel would sway for ever. In
// parts of a step these bounds are higher; what is more then acts on what a part adds to the depth only, or depth that
// was there before would be energy from nowhere. So would the depth of bodies that were put into each other: they part
// slowly (contact/pair_overlap.c), and what they are in each other at the start of a step counts no more than that
// takes.
#include "implicit/implicit_internal.h"

#include "contact/reach.h"

#include <string.h>

#define MOST  2.25       // stiffness over reduced mass of the bodies / dt^2, at most
#define LEAST 4.0        // over that of the particles, at least
#define LONG  (1.0 / 60) // s; shorter steps resolve what soft particles do, and need no more stiffness than theirs
#define SLOW  2e-4 // way along the normal in the step before over the spacing, above which something is hit or leaves
#define SOFT  0.02 // the same over g dt^2: what slides rises and sinks by less, as its particles pass over others
#define GRAIN 64

// ------------------------------------------------------------------------------------------------------------ finding

/// Particles where they are tried.
static phx_result try_places(const phxi_implicit_system* y, phxi_particles* places) {
    phx_real** const axis[3] = {&places->x, &places->y, &places->z};
    size_t count = (size_t)places->count;
    for (int k = 0; k < 3; ++k) {
        phx_real* copy = phxi_arena_take(y->step->arena, count, sizeof *copy);
        if (!copy) {
            return PHX_ERROR_MEMORY;
        }
        memcpy(copy, *axis[k], count * sizeof *copy);
        *axis[k] = copy;
    }
    for (int k = 0; k < y->count; ++k) {
        const phxi_implicit* s = y->works[k].s;
        for (int i = 0; i < s->count; ++i) {
            places->x[s->begin + i] = (phx_real)s->x[i].x;
            places->y[s->begin + i] = (phx_real)s->x[i].y;
            places->z[s->begin + i] = (phx_real)s->x[i].z;
        }
    }
    return PHX_OK;
}

/// The body of a particle; -1: none of ours.
static int work_of(const phxi_implicit_system* y, int particle) {
    for (int k = 0; k < y->count; ++k) {
        const phxi_implicit* s = y->works[k].s;
        if (particle >= s->begin && particle < s->begin + s->count) {
            return k;
        }
    }
    return -1;
}

/// 1/m of the body of a particle; 0: it is held, or moves by drivers alone.
static double inverse_mass(const phxi_implicit_system* y, int particle) {
    int k = work_of(y, particle);
    return k < 0 || y->works[k].s->any_fixed ? 0 : 1 / y->works[k].total_mass;
}

static phx_vec3 move_of(const phxi_implicit_system* y, const phxi_implicit_pair* pair, size_t field) {
    phx_vec3 sum = {0};
    for (int k = pair->begin; k < pair->end; ++k) {
        const phxi_implicit_member* m = &y->members[k];
        const phxi_implicit* s = y->works[m->work].s;
        const phx_vec3* x = *(phx_vec3* const*)(const void*)((const char*)s + field);
        sum = phxi_add_scaled(sum, m->coefficient, x[m->particle]);
    }
    return sum;
}

static phx_vec3 place_of(const phxi_implicit_system* y, const phxi_particles* p, int i) {
    int k = work_of(y, i);
    return k < 0 ? phxi_vec3(p->x[i], p->y[i], p->z[i]) : y->works[k].s->x[i - y->works[k].s->begin];
}

/// Drivers have put it where it is at the end of the step, with the velocity it has there. About a fixed axis it is
/// accelerated by spin x v.
static void add_driven(const phxi_implicit_system* y, phxi_implicit_pair* pair, const phxi_spring_member* m) {
    const phxi_particles* p = y->step->particles;
    int i = m->particle;
    const phxi_contact_rigid* rigid = y->around->scene->bodies[p->body[i]].rigid;
    phx_vec3 v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
    pair->driven = phxi_add_scaled(pair->driven, m->coefficient, v);
    if (rigid) {
        pair->driven_rate = phxi_add_scaled(pair->driven_rate, m->coefficient, phxi_cross(rigid->spin, v));
    }
}

/// How far what drivers move goes across the normal in a step of dt: friction carries the other side along.
static phx_vec3 carried(const phxi_implicit_pair* pair, double dt) {
    phx_vec3 way = phxi_add_scaled(phxi_scale(dt, pair->driven), -0.5 * dt * dt, pair->driven_rate);
    return phxi_add_scaled(way, -phxi_dot(way, pair->normal), pair->normal);
}

/// Of a step, or part of one, of dt.
static double stiffness_of(const phxi_implicit_system* y, const phxi_implicit_pair* pair, double dt) {
    if (y->around->statics) {
        return pair->stiffness;
    }
    double long_dt = dt * fmax(1, LONG / y->dt),
           least = fmax(pair->stiffness, LEAST * pair->mass / (long_dt * long_dt));
    return fmin(least, MOST * pair->most / (dt * dt));
}

static void add_pair(phxi_implicit_system* y, const phxi_springs* springs, const phxi_spring* spring, int* members) {
    const phxi_particles* p = y->step->particles;
    phxi_implicit_pair* pair = &y->pairs[y->pair_count++];
    double both = inverse_mass(y, spring->i) + inverse_mass(y, spring->j);
    bool surfaces = phxi_is_surface(p, spring->i) && phxi_is_surface(p, spring->j);
    *pair = (phxi_implicit_pair){.begin = *members,
                                 .i = spring->i,
                                 .j = spring->j,
                                 .normal = spring->normal,
                                 .stiffness = (surfaces ? PHXI_IMPLICIT_STIFFER : 1) * spring->stiffness,
                                 .mass = spring->mass,
                                 .damping = spring->damping,
                                 .friction = spring->friction,
                                 .most = both > 0 ? 1 / both : INFINITY,
                                 .spacing = 0.5 * ((double)p->spacing[spring->i] + (double)p->spacing[spring->j])};
    for (int k = spring->begin; k < spring->end; ++k) {
        const phxi_spring_member* m = &springs->members[k];
        int work = work_of(y, m->particle);
        pair->outside = pair->outside || work < 0;
        if (work >= 0) { // others are where they will be
            y->members[(*members)++] =
                (phxi_implicit_member){work, m->particle - y->works[work].s->begin, m->coefficient,
                                       k == spring->begin       ? -1
                                       : k == spring->begin + 1 ? 1
                                                                : 0};
        } else {
            add_driven(y, pair, m);
        }
    }
    pair->end = *members;
    if (y->dt < 0.5 * LONG) { // long ones lose more than the change of shares gives
        pair->share_force = phxi_scale(fmin(1, stiffness_of(y, pair, y->dt) / pair->stiffness), spring->share_force);
    }
    phx_vec3 arm = phxi_sub(place_of(y, p, spring->j), place_of(y, p, spring->i));
    pair->gap = spring->distance - phxi_dot(arm, spring->normal);
    const phxi_contact_scene* scene = y->around->scene;
    double overlap = scene->overlap ? (double)fmax(scene->overlap[spring->i], scene->overlap[spring->j]) : 0;
    pair->overlap = overlap;
    pair->parting = overlap > 0 ? overlap / scene->overlap_time : 0;
    pair->offset = move_of(y, pair, offsetof(phxi_implicit, x));
}

/// Entries by particle, in the order of pairs; a particle that is twice in a pair has one.
static phx_result turn_around(phxi_implicit_system* y, int members) {
    y->entries = phxi_arena_take(y->step->arena, (size_t)members, sizeof *y->entries);
    if (!y->entries) {
        return PHX_ERROR_MEMORY;
    }
    for (int k = 0; k < members; ++k) {
        const phxi_implicit_member* m = &y->members[k];
        ++y->works[m->work].s->pair_begin[m->particle];
        y->works[m->work].paired = true;
    }
    int at = 0;
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit* s = y->works[k].s;
        for (int i = 0; i < s->count; ++i) {
            int size = s->pair_begin[i];
            s->pair_begin[i] = s->pair_end[i] = at;
            at += size;
        }
    }
    for (int p = 0; p < y->pair_count; ++p) {
        for (int k = y->pairs[p].begin; k < y->pairs[p].end; ++k) {
            const phxi_implicit_member* m = &y->members[k];
            phxi_implicit* s = y->works[m->work].s;
            int end = s->pair_end[m->particle];
            if (end > s->pair_begin[m->particle] && y->entries[end - 1].pair == p) {
                y->entries[end - 1].coefficient += m->coefficient;
                y->entries[end - 1].side += m->side;
            } else {
                y->entries[s->pair_end[m->particle]++] = (phxi_implicit_entry){p, m->coefficient, m->side};
            }
        }
    }
    return PHX_OK;
}

phx_result phxi_implicit_find_pairs(phxi_implicit_system* y) {
    y->pair_count = 0;
    for (int k = 0; k < y->count; ++k) {
        y->works[k].paired = y->works[k].pressed = false;
        memset(y->works[k].s->pair_begin, 0, (size_t)y->works[k].s->count * sizeof(int));
        memset(y->works[k].s->pair_end, 0, (size_t)y->works[k].s->count * sizeof(int));
    }
    phxi_particles places = *y->step->particles;
    phxi_contact_scene scene = *y->around->scene;
    phxi_springs springs;
    PHXI_TRY(try_places(y, &places));
    scene.particles = &places;
    PHXI_TRY(phxi_pairs_find_springs(y->around->pairs, &scene, &springs));
    if (springs.count == 0) {
        return PHX_OK;
    }
    int most = springs.items[springs.count - 1].end, members = 0;
    y->pairs = phxi_arena_take(y->step->arena, (size_t)springs.count, sizeof *y->pairs);
    y->members = phxi_arena_take(y->step->arena, (size_t)most, sizeof *y->members);
    if (!y->pairs || !y->members) {
        return PHX_ERROR_MEMORY;
    }
    for (int k = 0; k < springs.count; ++k) {
        if (work_of(y, springs.items[k].i) >= 0 || work_of(y, springs.items[k].j) >= 0) {
            add_pair(y, &springs, &springs.items[k], &members);
        }
    }
    return turn_around(y, members);
}

void phxi_implicit_mark_starts_in_contact(phxi_implicit_system* y) {
    for (int p = 0; p < y->pair_count; ++p) {
        for (int k = y->pairs[p].begin; y->pairs[p].gap > 0 && k < y->pairs[p].end; ++k) {
            y->works[y->members[k].work].starts_in_contact = true;
        }
    }
}

void phxi_implicit_start_pairs(phxi_implicit_system* y) {
    for (int k = 0; k < y->pair_count; ++k) {
        phxi_implicit_pair* pair = &y->pairs[k];
        pair->start = phxi_sub(move_of(y, pair, offsetof(phxi_implicit, q)), pair->offset);
        pair->start = phxi_sub(pair->start, carried(pair, y->works[0].s->dt));
        pair->before = move_of(y, pair, offsetof(phxi_implicit, d));
        double depth = pair->gap - phxi_dot(pair->start, pair->normal);
        pair->spared = fmin(pair->overlap, fmax(0, depth - pair->parting * y->works[0].s->dt));
    }
}

// ------------------------------------------------------------------------------------------------------------- forces

static void contact_part(void* context, int begin, int end, int block) {
    (void)block;
    const phxi_implicit_system* y = context;
    double dt = y->works[0].s->dt, weight = SOFT * phxi_length(y->step->gravity) * dt * dt;
    for (int p = begin; p < end; ++p) {
        phxi_implicit_pair* pair = &y->pairs[p];
        phx_vec3 u = phxi_sub(move_of(y, pair, offsetof(phxi_implicit, x)), pair->offset);
        phx_vec3 moved = phxi_sub(u, pair->start);
        double k = stiffness_of(y, pair, y->dt), more = fmax(0, stiffness_of(y, pair, dt) - k);
        double b = 2 * pair->damping * sqrt(fmin(fmax(k, pair->stiffness) * pair->mass, k * pair->most));
        double depth = pair->gap - pair->spared - phxi_dot(u, pair->normal), along = phxi_dot(moved, pair->normal);
        double deeper = fmax(0, fmin(-along, depth)), push = k * depth - b * along / dt + more * deeper;
        pair->pushes = depth > 0 && push > 0;
        pair->moving = depth > 0 && fabs(phxi_dot(pair->before, pair->normal)) > fmax(SLOW * pair->spacing, weight);
        pair->force = phxi_vec3(0, 0, 0);
        pair->drag = pair->matrix.across;
        pair->matrix = (phxi_contact_matrix){.normal = pair->normal};
        pair->potential = 0;
        if (!pair->pushes) {
            continue;
        }
        phx_vec3 slip = phxi_add_scaled(moved, -along, pair->normal);
        phxi_friction_pressed pressed = {
            .most = pair->friction * push, .stiffness = k, .spacing = pair->spacing, .grip = 1, .moving = pair->moving};
        double rest = push - more * deeper;
        pair->push = push;
        pair->slip = slip;
        pair->matrix.along = k + b / dt + (deeper > 0 ? more : 0);
        pair->matrix.across = phxi_friction_drag(&pressed, slip);
        pair->potential = rest * rest / (2 * (k + b / dt)) + 0.5 * more * deeper * deeper;
        pair->potential += 0.5 * pair->matrix.across * phxi_dot(slip, slip);
        pair->force = phxi_add_scaled(phxi_scale(push, pair->normal), -pair->matrix.across, slip);
    }
}

/// To the two bodies; one that touches itself is not moved by that.
static void add_grip(phxi_implicit_system* y, const phxi_implicit_pair* pair) {
    int sides[2] = {-1, -1};
    for (int k = pair->begin; pair->pushes && k < pair->end; ++k) {
        const phxi_implicit_member* m = &y->members[k];
        if (m->side != 0) {
            sides[m->side > 0] = m->work;
        }
    }
    for (int side = 0; side < 2 && sides[0] != sides[1]; ++side) {
        if (sides[side] >= 0) {
            phxi_implicit_grip* grip = &y->works[sides[side]].grip;
            phxi_implicit_grip_add(grip, pair->push, pair->normal);
            phxi_implicit_grip_rub(grip, pair->drag, phxi_scale(side ? 1 : -1, pair->slip), pair->friction * pair->push,
                                   PHXI_FRICTION_STICK * pair->spacing);
        }
    }
}

void phxi_implicit_add_contact_forces(phxi_implicit_system* y) {
    if (y->pair_count == 0) {
        return;
    }
    phxi_parallel_for(y->step->pool, y->pair_count, GRAIN, contact_part, y);
    bool moving = false;
    for (int k = 0; k < y->count; ++k) {
        y->works[k].pressed = false;
    }
    for (int p = 0; p < y->pair_count; ++p) {
        const phxi_implicit_pair* pair = &y->pairs[p];
        for (int k = pair->begin; pair->pushes && k < pair->end; ++k) {
            y->works[y->members[k].work].pressed = true;
        }
        add_grip(y, pair);
        y->touching = y->touching || pair->pushes;
        moving = moving || (pair->pushes && pair->moving);
        y->works[y->members[pair->begin].work].s->report.contacts += pair->pushes;
    }
    for (int k = 0; k < y->count; ++k) {
        y->works[k].s->report.impact = y->works[k].s->report.impact || moving;
    }
}

double phxi_implicit_pair_energy(phxi_implicit_system* y) {
    double sum = 0;
    for (int p = 0; p < y->pair_count; ++p) {
        const phxi_implicit_pair* pair = &y->pairs[p];
        double depth = fmax(0, pair->gap - pair->spared - phxi_dot(pair->start, pair->normal));
        sum += 0.5 * stiffness_of(y, pair, y->dt) * depth * depth;
    }
    return sum;
}

phx_vec3 phxi_implicit_pair_force(const phxi_implicit_work* w, int i) {
    const phxi_implicit_system* y = w->system;
    phx_vec3 sum = {0};
    for (int k = w->s->pair_begin[i]; k < w->s->pair_end[i]; ++k) {
        const phxi_implicit_entry* entry = &y->entries[k];
        const phxi_implicit_pair* pair = &y->pairs[entry->pair];
        sum = phxi_add_scaled(phxi_add_scaled(sum, entry->coefficient, pair->force), entry->side, pair->share_force);
    }
    return sum;
}

// ------------------------------------------------------------------------------------------------------------- matrix

void phxi_implicit_pair_block(const phxi_implicit_work* w, int i, double block[6]) {
    const phxi_implicit_system* y = w->system;
    phxi_mat3 back = phxi_mat3_transpose(&w->axes);
    for (int k = w->s->pair_begin[i]; k < w->s->pair_end[i]; ++k) {
        const phxi_implicit_pair* pair = &y->pairs[y->entries[k].pair];
        phxi_contact_matrix turned = pair->matrix;
        turned.normal = phxi_mat3_apply(&back, pair->normal);
        double scale = w->s->s * y->entries[k].coefficient * y->entries[k].coefficient;
        phxi_contact_matrix_add(&turned, scale, block);
    }
}

static void product_part(void* context, int begin, int end, int block) {
    (void)block;
    const phxi_implicit_system* y = context;
    for (int p = begin; p < end; ++p) {
        phxi_implicit_pair* pair = &y->pairs[p];
        phx_vec3 u = {0};
        for (int k = pair->begin; pair->pushes && k < pair->end; ++k) {
            const phxi_implicit_member* m = &y->members[k];
            const phxi_implicit_work* w = &y->works[m->work];
            phx_real* const* q = w->s->p;
            phx_vec3 here = phxi_vec3(q[0][m->particle], q[1][m->particle], q[2][m->particle]);
            u = phxi_add_scaled(u, m->coefficient, phxi_mat3_apply(&w->axes, here));
        }
        pair->reaction = phxi_contact_matrix_apply(&pair->matrix, u);
    }
}

void phxi_implicit_pair_product(phxi_implicit_system* y) {
    if (y->pair_count > 0) {
        phxi_parallel_for(y->step->pool, y->pair_count, GRAIN, product_part, y);
    }
}

phx_vec3 phxi_implicit_pair_reaction(const phxi_implicit_work* w, int i) {
    const phxi_implicit_system* y = w->system;
    phx_vec3 sum = {0};
    for (int k = w->s->pair_begin[i]; k < w->s->pair_end[i]; ++k) {
        sum = phxi_add_scaled(sum, w->s->s * y->entries[k].coefficient, y->pairs[y->entries[k].pair].reaction);
    }
    phxi_mat3 back = phxi_mat3_transpose(&w->axes);
    return phxi_mat3_apply(&back, sum);
}

// ----------------------------------------------------------------------------------------------------------- clusters

static int root_of(const phxi_implicit_system* y, int k) {
    while (y->works[k].cluster != k) {
        k = y->works[k].cluster;
    }
    return k;
}

void phxi_implicit_clusters(phxi_implicit_system* y) {
    for (int k = 0; k < y->count; ++k) {
        y->works[k].cluster = k;
        y->works[k].anchored = false;
    }
    for (int p = 0; p < y->pair_count; ++p) {
        const phxi_implicit_pair* pair = &y->pairs[p];
        for (int k = pair->begin; pair->pushes && k < pair->end; ++k) {
            int a = root_of(y, y->members[pair->begin].work), b = root_of(y, y->members[k].work);
            y->works[a > b ? a : b].cluster = a < b ? a : b;
            y->works[y->members[k].work].anchored |= pair->outside;
        }
    }
    for (int k = 0; k < y->count; ++k) {
        y->works[k].cluster = root_of(y, k);
    }
}
