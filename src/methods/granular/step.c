// SPDX-License-Identifier: MIT
// The stages of an explicit substep from t to t + dt. Positions are of t; u is the velocity of t - dt_old/2, which
// brought them here.
//
//   pack      rows by place
//   rates     shape of neighbourhoods and gradient of u; strain and stress of t (flow.c)
//   forces    accelerations of t; u(t + dt/2) = u + (dt_old + dt)/2 a; x += dt u
//
// Strain is advanced by the velocity that moved the particles, so stress and velocity leap over each other: elastic
// waves neither grow nor fade by the scheme. Others see v(t + dt) with the acceleration of t.
#include "methods/granular/granular_internal.h"

#include "motion/rigid_motion.h"

static const char label[] = "granular";

// ------------------------------------------------------------------------------------------------------------- memory

static void drop(phxi_granular* s) {
    void** const all[] = {(void**)&s->ordinal, (void**)&s->x,  (void**)&s->u,      (void**)&s->sums,
                          (void**)&s->rows,    (void**)&s->a,  (void**)&s->blocks, (void**)&s->supports,
                          (void**)&s->dense,   (void**)&s->tau};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        phxi_free(s->heap, *all[k]);
        *all[k] = NULL;
    }
    s->capacity = 0;
}

void phxi_granular_release(phxi_granular* s) {
    drop(s);
    phxi_granular_drop_bonds(s);
    phxi_granular_release_implicit(s);
}

static phx_result reserve(phxi_granular* s, int places) {
    if (places > s->capacity) {
        drop(s);
        PHXI_NEW(s->ordinal, s->heap, places, label);
        PHXI_NEW(s->x, s->heap, places, label);
        PHXI_NEW(s->u, s->heap, places, label);
        PHXI_NEW(s->supports, s->heap, places, label);
        PHXI_NEW(s->dense, s->heap, places, label);
        PHXI_NEW(s->tau, s->heap, places, label);
        PHXI_NEW(s->sums, s->heap, places, label);
        PHXI_NEW(s->rows, s->heap, places, label);
        PHXI_NEW(s->a, s->heap, places, label);
        PHXI_NEW(s->blocks, s->heap, phxi_block_count(places, GRANULAR_GRAIN), label);
        s->capacity = places;
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- begin

/// Which bodies are grains, and their supports; updated when bodies were added.
static phx_result look_at_bodies(phxi_granular* s, phxi_step* step) {
    const phxi_particles* p = step->particles;
    int count = p->count > 0 ? p->body[p->count - 1] + 1 : 0;
    if (count > s->bodies.count && !phxi_array_reserve(&s->bodies, count - s->bodies.count, s->heap, label)) {
        return PHX_ERROR_MEMORY;
    }
    s->bodies.count = count;
    for (int b = 0; b < count; ++b) {
        s->bodies.items[b] = (phxi_granular_body){.grain = false};
    }
    double most = 0, least = INFINITY;
    s->mass_unit = 0;
    s->grains = 0;
    for (int k = 0; k < step->own_count; ++k) {
        const phxi_body* body = &step->bodies[step->own[k]];
        phxi_granular_body* made = &s->bodies.items[step->own[k]];
        *made = phxi_granular_describe(body);
        made->first = s->grains;
        s->grains += body->count;
        for (int i = body->begin; i < body->begin + body->count; ++i) {
            double support = GRANULAR_SUPPORT * (double)p->spacing[i];
            most = fmax(most, support);
            least = fmin(least, support);
            s->mass_unit = fmax(s->mass_unit, (double)p->mass[i]);
        }
    }
    s->support = most;
    s->uniform = least == most;
    s->known = p->count;
    return PHX_OK;
}

static phx_result begin(phxi_granular* s, phxi_step* step, double dt) {
    if (s->known != step->particles->count) {
        PHXI_TRY(look_at_bodies(s, step));
    }
    s->step = step;
    s->near = step->near;
    s->dt = dt;
    s->last_dt = s->words[GRANULAR_WORD_LAST_DT];
    PHXI_TRY(reserve(s, s->near->count));
    int power;
    frexp(s->support, &power);
    s->unit = ldexp(1, power);
    s->scale = 1 / s->unit;
    s->general = !s->uniform;
    for (int a = 0; a < 3; ++a) {
        s->period[a] = s->near->period[a] * (phx_real)s->scale;
        s->per_period[a] = s->near->per_period[a] * (phx_real)s->unit;
        s->general = s->general || s->period[a] > 0;
    }
    double support = s->support * s->scale;
    s->per_square = (phx_real)(1 / (support * support));
    s->memory = s->squeezes = s->springs = s->frozen = s->redistributes = false;
    for (int k = 0; k < step->own_count; ++k) {
        const phxi_granular_params* params = phxi_granular_params_of(&step->bodies[step->own[k]]);
        s->memory = s->memory || params->chi > 0;
        s->squeezes = s->squeezes || phxi_granular_describe(&step->bodies[step->own[k]]).squeeze > 0;
        s->springs = s->springs || params->spring > 0;
        s->frozen = s->frozen || params->freeze > 0;
        s->redistributes = s->redistributes || params->redistribute != 0;
    }
    s->memory = s->memory || s->frozen;
    s->others = s->near->count != s->grains;
    s->implicit.active = phxi_granular_is_implicit(step);
    for (int k = 0; k < GRANULAR_FIELD_COUNT; ++k) {
        s->field[k] = phxi_granular_field(step, k);
    }
    return s->springs && !s->uniform
               ? phxi_fail(PHX_ERROR_ARGUMENT, "density_spring needs grains of one spacing, expected it to be 0")
               : PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------ damping

/// The material's damping: against the rigid motion of each body.
static phx_result damp(phxi_step* step, double dt) {
    for (int k = 0; k < step->own_count; ++k) {
        const phxi_body* body = &step->bodies[step->own[k]];
        if (body->material.damping > 0) {
            PHXI_TRY(phxi_rigid_damp_body(step->pool, step->arena, step->particles, exp(-body->material.damping * dt),
                                          body->begin, body->count));
        }
    }
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------- pack

/// Half a substep back: the velocity that moved it here.
static phx_vec3 moving_velocity(const phxi_granular* s, int i) {
    const phxi_particles* p = s->step->particles;
    phx_vec3 v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
    if (p->fixed[i]) {
        return v;
    }
    phx_vec3 sum = phxi_add(phxi_vector_at(p->acceleration, i), phxi_vector_at(p->external, i));
    return phxi_add_scaled(v, -0.5 * s->last_dt, phxi_add(sum, s->step->gravity));
}

static void pack_part(void* context, int begin, int end, int block) {
    phxi_granular* s = context;
    const phxi_near* near = s->near;
    const phxi_particles* p = s->step->particles;
    phx_real scale = (phx_real)s->scale;
    int longest = 0;
    for (int k = begin; k < end; ++k) {
        int i = near->particle[k], b = p->body[i];
        const phxi_granular_body* body = &s->bodies.items[b];
        double volume = (double)p->volume[i] * s->scale * s->scale * s->scale;
        s->ordinal[k] = body->grain ? body->first + i - s->step->bodies[b].begin : -1;
        s->x[k] = (phxi_r4){scale * near->x[k], scale * near->y[k], scale * near->z[k], (phx_real)volume};
        s->u[k] = (phxi_r4){0};
        s->supports[k] = (phx_real)GRANULAR_SUPPORT * scale * p->spacing[i];
        if (body->grain) {
            phx_vec3 v = moving_velocity(s, i);
            int length = (int)(near->lists.start[k + 1] - near->lists.start[k]);
            s->u[k] = (phxi_r4){(phx_real)v.x, (phx_real)v.y, (phx_real)v.z, 1};
            longest = length > longest ? length : longest;
        }
    }
    s->blocks[block].longest = longest;
}

static phx_result reserve_memory(phxi_granular* s) {
    int longest = 0;
    for (int b = 0; b < phxi_block_count(s->near->count, GRANULAR_GRAIN); ++b) {
        longest = s->blocks[b].longest > longest ? s->blocks[b].longest : longest;
    }
    return s->memory ? phxi_granular_reserve_bonds(s, longest) : PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- stages

void phxi_granular_rates_part(void* context, int begin, int end, int block) {
    phxi_granular* s = context;
    (void)block;
    PHXI_LANES_CALL(phxi_granular_rates, s, begin, end);
    phxi_granular_flow(s, begin, end);
}

static phx_vec3 row_vector(const phxi_r4* row) {
    return phxi_vec3((*row)[0], (*row)[1], (*row)[2]);
}

const char* phxi_granular_fault(const phxi_granular* s, int k) {
    int i = s->near->particle[k];
    if (!phxi_finite(row_vector(&s->x[k]))) {
        return "neighbours";
    }
    double strain = 0;
    for (int c = 0; c < 6; ++c) {
        strain += (double)s->field[GRANULAR_STRAIN + c][i];
    }
    if (!isfinite(strain)) {
        return "strain";
    }
    return phxi_finite(row_vector(&s->a[k])) && phxi_finite(row_vector(&s->u[k])) ? NULL : "forces";
}

/// To t + dt.
static void move(phxi_granular* s, int k, int i, phxi_spin_sums* spin) {
    phxi_particles* p = s->step->particles;
    double by = 1 / (double)p->mass[i];
    phx_vec3 a = phxi_scale(s->mass_unit * by, row_vector(&s->a[k]));
    phx_vec3 e = phxi_vec3((double)p->fx[i] * by, (double)p->fy[i] * by, (double)p->fz[i] * by);
    phx_vec3 sum = phxi_add(phxi_add(a, e), s->step->gravity);
    phx_vec3 u = phxi_add_scaled(row_vector(&s->u[k]), 0.5 * (s->last_dt + s->dt), sum);
    phx_vec3 v = phxi_add_scaled(u, 0.5 * s->dt, sum), way = phxi_scale(s->dt, u);
    const phx_vec3 from = phxi_vec3(p->x[i], p->y[i], p->z[i]);
    const double impulse = 0.5 * (s->last_dt + s->dt) * (double)p->mass[i];
    bool fixed = p->fixed[i];
    phxi_explicit_move(&p->x[i], &p->low[0][i], (phx_real)way.x, fixed);
    phxi_explicit_move(&p->y[i], &p->low[1][i], (phx_real)way.y, fixed);
    phxi_explicit_move(&p->z[i], &p->low[2][i], (phx_real)way.z, fixed);
    if (!fixed) {
        p->vx[i] = (phx_real)v.x, p->vy[i] = (phx_real)v.y, p->vz[i] = (phx_real)v.z;
    }
    phxi_vector_set(p->acceleration, i, a);
    phxi_vector_set(p->external, i, e);
    phxi_spin_add(spin, (double)p->mass[i], phxi_vec3(p->x[i], p->y[i], p->z[i]),
                  phxi_scale(impulse, phxi_cross(from, a)), 0.5 * (double)p->spacing[i], fixed);
}

/// Rows hold all that others read of a place, so each block may move its particles at once.
static void forces_part(void* context, int begin, int end, int block) {
    phxi_granular* s = context;
    PHXI_LANES_CALL(phxi_granular_forces, s, begin, end);
    phxi_granular_block sums = {.bad = -1, .spin = PHXI_SPIN_NONE};
    for (int k = begin; k < end; ++k) {
        if (s->ordinal[k] < 0) {
            continue;
        }
        int i = s->near->particle[k];
        const char* fault = phxi_granular_fault(s, k);
        if (fault && (sums.bad < 0 || i < sums.bad)) {
            sums.bad = i, sums.stage = fault;
        }
        move(s, k, i, &sums.spin);
    }
    s->blocks[block] = sums;
}

/// Residual forces are not along the bonds.
static void keep_spin(const phxi_granular* s) {
    phxi_spin_sums all = PHXI_SPIN_NONE;
    for (int b = 0; b < phxi_block_count(s->near->count, GRANULAR_GRAIN); ++b) {
        phxi_spin_merge(&all, &s->blocks[b].spin);
    }
    phxi_spin_give_back(&all, s->step);
}

static void find_trouble(const phxi_granular* s, phxi_trouble* trouble) {
    for (int b = 0; b < phxi_block_count(s->near->count, GRANULAR_GRAIN); ++b) {
        const phxi_granular_block* block = &s->blocks[b];
        if (block->bad >= 0 && (trouble->particle < 0 || block->bad < trouble->particle)) {
            *trouble = (phxi_trouble){block->bad, block->stage};
        }
    }
}

phx_result phxi_granular_substep(void* state, phxi_step* step, double dt, phxi_trouble* trouble) {
    phxi_granular* s = state;
    PHXI_TRY(begin(s, step, dt));
    PHXI_TRY(damp(step, dt));
    int places = s->near->count;
    phxi_parallel_for(step->pool, places, GRANULAR_GRAIN, pack_part, s);
    PHXI_TRY(reserve_memory(s));
    if (s->implicit.active) {
        return PHX_OK; // the world goes on (implicit.c)
    }
    phxi_parallel_for(step->pool, places, GRANULAR_GRAIN, phxi_granular_rates_part, s);
    phxi_parallel_for(step->pool, places, GRANULAR_GRAIN, forces_part, s);
    if (s->redistributes) {
        phxi_granular_redistribute(s);
    }
    find_trouble(s, trouble);
    s->words[GRANULAR_WORD_LAST_DT] = dt;
    keep_spin(s);
    return PHX_OK;
}
