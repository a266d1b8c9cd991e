// SPDX-License-Identifier: MIT
// Implicit steps of grains: backward Euler by a few solves with the matrix of stiffness.c, as an operator of the
// implicit solver (implicit/implicit.h), whose contact, drivers and linear solver it shares.
//
// Forces at positions y that are tried are those of the explicit form with the velocity (y - q)/dt, q the start of the
// step, and all bonds as they are half-way: a rotation strains nothing then, however large. Strain and what bonds
// remember begin as they were at q for every try; they are kept for where the step ends.
#include "methods/granular/granular_internal.h"

#include <stdio.h>
#include <string.h>

static const char label[] = "granular implicit";
#define GRIP 100 // a thousand steps a second, each of which slips a little: beds would creep on the floor

// ------------------------------------------------------------------------------------------------------------- memory

static void drop_places(phxi_granular* s) {
    phxi_granular_implicit* m = &s->implicit;
    phxi_free(s->heap, m->moved);
    phxi_free(s->heap, m->stiff);
    m->moved = NULL;
    m->stiff = m->firm = NULL;
    m->capacity = 0;
}

void phxi_granular_release_implicit(phxi_granular* s) {
    phxi_granular_implicit* m = &s->implicit;
    phxi_implicit_destroy(m->solver);
    phxi_free(s->heap, m->start);
    phxi_free(s->heap, m->diagonal);
    phxi_free(s->heap, m->stiffness);
    drop_places(s);
    *m = (phxi_granular_implicit){.active = m->active};
}

static phx_result reserve(phxi_granular* s) {
    phxi_granular_implicit* m = &s->implicit;
    const phxi_step* step = s->step;
    int begin = step->bodies[step->own[0]].begin;
    if (!m->solver || m->begin != begin || m->count != s->grains) {
        phxi_granular_release_implicit(s);
        PHXI_TRY(phxi_implicit_create(s->heap, step->particles, begin, s->grains, 1, false, &m->solver));
        PHXI_NEW(m->start, s->heap, s->grains, label);
        PHXI_NEW(m->diagonal, s->heap, s->grains, label);
        m->begin = begin;
        m->count = s->grains;
    }
    if (s->near->count > m->capacity) {
        drop_places(s);
        PHXI_NEW(m->moved, s->heap, s->near->count, label);
        PHXI_NEW(m->stiff, s->heap, 2 * (size_t)s->near->count, label);
        m->firm = m->stiff + s->near->count;
        m->capacity = s->near->count;
    }
    int64_t entries = s->near->lists.start[s->near->count];
    if (entries > m->entries) {
        phxi_free(s->heap, m->stiffness);
        m->entries = 0;
        PHXI_NEW(m->stiffness, s->heap, (size_t)(entries + entries / 4), label);
        m->entries = entries + entries / 4;
    }
    return PHX_OK;
}

// ----------------------------------------------------------------------------------------------------- what it refuses

phx_result phxi_granular_check_implicit(const phxi_step* step) {
    const phxi_body* first = &step->bodies[step->own[0]];
    for (int k = 0; k < step->own_count; ++k) {
        const phxi_body* body = &step->bodies[step->own[k]];
        const phxi_granular_params* params = phxi_granular_params_of(body);
        if (params->integrator != phxi_granular_params_of(first)->integrator) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "its integrator is not that of body '%s', expected the same: grains are one continuum",
                             first->name);
        }
        if (params->integrator != GRANULAR_IMPLICIT) {
            continue;
        }
        if (params->freeze > 0 || params->redistribute != 0) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "freeze or redistribute with integrator implicit, expected both to be 0");
        }
        const phxi_body* last = k > 0 ? &step->bodies[step->own[k - 1]] : NULL;
        if (last && last->begin + last->count != body->begin) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "bodies of other methods were created between '%s' and it, expected those of grains with "
                             "implicit steps one after another",
                             last->name);
        }
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- forces

/// Positions of the middle of the step, velocities of the step.
static void try_part(void* context, int begin, int end, int block) {
    phxi_granular* s = context;
    const phxi_particles* p = s->step->particles;
    const phxi_near* near = s->near;
    (void)block;
    for (int k = begin; k < end; ++k) {
        int o = s->ordinal[k];
        if (o < 0) {
            continue;
        }
        phx_vec3 way = phxi_sub(s->implicit.x[o], s->implicit.start[o]), u = phxi_scale(1 / s->dt, way);
        double half = p->fixed[near->particle[k]] ? -0.5 : 0.5; // what is held was put to the end of the step before
        phx_vec3 x = phxi_add_scaled(phxi_vec3(near->x[k], near->y[k], near->z[k]), half, way);
        s->x[k] =
            (phxi_r4){(phx_real)(s->scale * x.x), (phx_real)(s->scale * x.y), (phx_real)(s->scale * x.z), s->x[k][3]};
        s->u[k] = (phxi_r4){(phx_real)u.x, (phx_real)u.y, (phx_real)u.z, 1};
    }
}

static void force_part(void* context, int begin, int end, int block) {
    phxi_granular* s = context;
    (void)block;
    PHXI_LANES_CALL(phxi_granular_forces, s, begin, end);
    for (int k = begin; k < end; ++k) {
        if (s->ordinal[k] >= 0) {
            s->implicit.force[s->ordinal[k]] = phxi_scale(s->mass_unit, phxi_vec3(s->a[k][0], s->a[k][1], s->a[k][2]));
        }
    }
}

static void run(phxi_granular* s, phxi_loop_body* body) {
    phxi_parallel_for(s->step->pool, s->near->count, GRANULAR_GRAIN, body, s);
}

static bool forces(void* context, const phx_vec3* x, phx_vec3* force, phxi_strain* strain) {
    phxi_granular* s = context;
    s->implicit.x = x;
    s->implicit.force = force;
    run(s, try_part);
    run(s, phxi_granular_rates_part);
    run(s, force_part);
    if (s->implicit.trial) {
        phxi_granular_stiffness(s);
    }
    *strain = (phxi_strain){1, 0};
    return true;
}

// ----------------------------------------------------------------------------------------------------------- operator

/// The law dissipates.
static double energy(void* context) {
    (void)context;
    return INFINITY;
}

static bool project(void* context, bool exact) {
    (void)context, (void)exact;
    return false;
}

static phxi_mat3 axes(void* context) {
    (void)context;
    return phxi_identity();
}

static void rotation(void* context, int particle, phx_real r[9]) {
    (void)context, (void)particle;
    for (int k = 0; k < 9; ++k) {
        r[k] = k % 4 == 0;
    }
}

static void product(void* context, const phx_real* const q[3], phx_real* const kq[3]) {
    phxi_granular_product(context, q, kq);
}

/// There is no rest: nothing to build a preconditioner from but the current diagonal.
static void stencil(void* context, int particle, phxi_stencil* t) {
    (void)context, (void)particle;
    t->count = 0;
    t->volume = t->mu = t->lambda = t->hourglass = 0;
}

static void diagonal(void* context, int particle, double block[6]) {
    const phxi_granular* s = context;
    for (int k = 0; k < 6; ++k) {
        block[k] = k < 3 ? (double)s->implicit.diagonal[particle] : 0;
    }
}

static phxi_operator operator_of(phxi_granular* s) {
    return (phxi_operator){.context = s,
                           .stencil_size = 1,
                           .forces = forces,
                           .energy = energy,
                           .project = project,
                           .axes = axes,
                           .rotation = rotation,
                           .product = product,
                           .stencil = stencil,
                           .diagonal = diagonal};
}

// --------------------------------------------------------------------------------------------------------------- step

/// The most careful of what bodies ask for; they are one.
static phxi_implicit_def def_of(const phxi_granular* s) {
    const phxi_step* step = s->step;
    phxi_implicit_def def = {.solver = PHXI_SOLVER_PCG, .tolerance = 1, .grip = GRIP};
    for (int k = 0; k < step->own_count; ++k) {
        const phxi_granular_params* params = phxi_granular_params_of(&step->bodies[step->own[k]]);
        def.outer = params->outer > def.outer ? params->outer : def.outer;
        def.iterations = params->iterations > def.iterations ? params->iterations : def.iterations;
        def.tolerance = fmin(def.tolerance, params->tolerance);
        def.young = fmax(def.young, step->bodies[step->own[k]].modulus);
    }
    return def;
}

static void start_part(void* context, int begin, int end, int block) {
    const phxi_granular* s = context;
    const phxi_particles* p = s->step->particles;
    (void)block;
    for (int o = begin; o < end; ++o) {
        int i = s->implicit.begin + o;
        phx_vec3 x = phxi_vec3(p->x[i], p->y[i], p->z[i]);
        phx_vec3 low = phxi_vec3(p->low[0][i], p->low[1][i], p->low[2][i]);
        phx_vec3 v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
        s->implicit.start[o] = p->fixed[i] ? phxi_add_scaled(x, -s->dt, v) : phxi_add(x, low);
    }
}

/// Strain, bonds and acceleration of where the step has ended.
static phx_result keep(phxi_granular* s, phxi_trouble* trouble) {
    const phxi_particles* p = s->step->particles;
    phx_vec3* place = phxi_arena_take(s->step->arena, 2 * (size_t)s->grains, sizeof *place);
    if (!place) {
        return PHX_ERROR_MEMORY;
    }
    for (int o = 0; o < s->grains; ++o) {
        int i = s->implicit.begin + o;
        place[o] = phxi_add(phxi_vec3(p->x[i], p->y[i], p->z[i]), phxi_vec3(p->low[0][i], p->low[1][i], p->low[2][i]));
    }
    phxi_strain strain;
    forces(s, place, place + s->grains, &strain);
    for (int k = 0; k < s->near->count; ++k) {
        int o = s->ordinal[k], i = s->near->particle[k];
        if (o < 0) {
            continue;
        }
        phx_vec3 a = phxi_scale(1 / (double)p->mass[i], place[s->grains + o]);
        phxi_vector_set(p->acceleration, i, a);
        const char* fault = phxi_granular_fault(s, k);
        if (fault && (trouble->particle < 0 || i < trouble->particle)) {
            *trouble = (phxi_trouble){i, fault};
        }
    }
    return PHX_OK;
}

/// The substep has made all ready.
static phx_result offer(void* state, phxi_step* step, double dt, phxi_implicit_list* list) {
    phxi_granular* s = state;
    (void)dt;
    if (!s->implicit.active) {
        return PHX_OK;
    }
    s->step = step;
    PHXI_TRY(reserve(s));
    phxi_parallel_for(step->pool, s->grains, GRANULAR_GRAIN, start_part, s);
    s->last_dt = s->dt; // strain is that of this step
    s->implicit.trial = true;
    memset(s->implicit.firm, 0, (size_t)s->near->count * sizeof *s->implicit.firm);
    phxi_implicit_list_add(list, (phxi_implicit_body){s->implicit.solver, operator_of(s), def_of(s)});
    return PHX_OK;
}

static phx_result finish(void* state, phxi_step* step, double dt, phxi_trouble* trouble) {
    phxi_granular* s = state;
    if (!s->implicit.active) {
        return PHX_OK;
    }
    s->step = step;
    s->implicit.trial = false;
    s->words[GRANULAR_WORD_LAST_DT] = dt;
    return keep(s, trouble);
}

static double step_length(void* state, phxi_step* step, int body, char reason[160]) {
    const phxi_granular_params* params = phxi_granular_params_of(&step->bodies[body]);
    (void)state;
    if (params->integrator != GRANULAR_IMPLICIT) {
        return 0;
    }
    snprintf(reason, 160, "implicit steps of body '%.64s'", step->bodies[body].name);
    return params->implicit_dt;
}

const phxi_implicit_table phxi_granular_implicit_steps = {.dt = step_length, .offer = offer, .finish = finish};
