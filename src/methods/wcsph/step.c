// SPDX-License-Identifier: MIT
// The stages of a substep from t to t + dt. Positions are of t; u is the velocity of t - dt_old/2, which brought them
// here.
//
//   pack        rows by place
//   rates       compression at t from u, or from positions; shear rate
//   viscosity   eta from shear rate and temperature; whether its step is explicit
//   forces      accelerations of t
//   walls       what fluids do to them, if needed
//   move        u(t + dt/2) = u + (dt_old + dt)/2 a, by an implicit step of viscosity if need be; x += dt (u + XSPH)
//
// The compression is advanced with the velocity that moved the particles, so pressure and velocity leap over each
// other: waves neither grow nor fade by the scheme. (With one loop and the older velocity it is Euler's forward scheme
// for sound, held by the diffusion of density.) The step that begins halfway through its interval is dt/2 long at the
// start.
#include "methods/wcsph/wcsph_internal.h"

#include "motion/explicit.h"

static const char label[] = "wcsph";

// ------------------------------------------------------------------------------------------------------------- memory

static void drop(phxi_wcsph* s) {
    void** const all[] = {(void**)&s->kind,     (void**)&s->mixed,       (void**)&s->role,
                          (void**)&s->position, (void**)&s->velocity,    (void**)&s->hydrostatic,
                          (void**)&s->pressure, (void**)&s->wall_normal, (void**)&s->acceleration,
                          (void**)&s->drift,    (void**)&s->sums};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        phxi_free(s->heap, *all[k]);
        *all[k] = NULL;
    }
    s->capacity = 0;
}

static void drop_stress(phxi_wcsph* s) {
    phxi_free(s->heap, s->stress_xx);
    phxi_free(s->heap, s->stress_xz);
    s->stress_xx = s->stress_xz = NULL;
    s->stress_capacity = 0;
}

static void drop_solve(phxi_wcsph* s) {
    for (int k = 0; k < WCSPH_SOLVE_COUNT; ++k) {
        phxi_free(s->heap, s->solve[k]);
        s->solve[k] = NULL;
    }
    s->solve_capacity = 0;
}

void phxi_wcsph_release(phxi_wcsph* s) {
    drop(s);
    drop_stress(s);
    drop_solve(s);
    phxi_wcsph_drop_walls(s);
    phxi_viscous_destroy(s->viscous);
    s->viscous = NULL;
}

static phx_result reserve(phxi_wcsph* s, int places) {
    if (places > s->capacity) {
        drop(s);
        PHXI_NEW(s->kind, s->heap, places, label);
        s->mixed = phxi_alloc_zero(s->heap, (size_t)places, sizeof *s->mixed, label);
        if (!s->mixed) {
            return PHX_ERROR_MEMORY;
        }
        PHXI_NEW(s->role, s->heap, places, label);
        PHXI_NEW(s->position, s->heap, places, label);
        PHXI_NEW(s->velocity, s->heap, places, label);
        PHXI_NEW(s->hydrostatic, s->heap, places, label);
        PHXI_NEW(s->pressure, s->heap, places, label);
        PHXI_NEW(s->wall_normal, s->heap, places, label);
        PHXI_NEW(s->acceleration, s->heap, places, label);
        PHXI_NEW(s->drift, s->heap, places, label);
        PHXI_NEW(s->sums, s->heap, phxi_block_count(places, WCSPH_GRAIN), label);
        s->capacity = places;
    }
    if (s->params->form == WCSPH_STRESS && places > s->stress_capacity) {
        drop_stress(s);
        PHXI_NEW(s->stress_xx, s->heap, places, label);
        PHXI_NEW(s->stress_xz, s->heap, places, label);
        s->stress_capacity = places;
    }
    return PHX_OK;
}

static phx_result reserve_solve(phxi_wcsph* s, int places) {
    if (!s->viscous) {
        PHXI_TRY(phxi_viscous_create(s->heap, &s->viscous));
    }
    if (places > s->solve_capacity) {
        drop_solve(s);
        for (int k = 0; k < WCSPH_SOLVE_COUNT; ++k) {
            PHXI_NEW(s->solve[k], s->heap, places, label);
        }
        s->solve_capacity = places;
    }
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------- pack

/// What all loops need to know: who is what, units, whether supports are all the same.
static phx_result begin(phxi_wcsph* s, phxi_step* step, double dt) {
    s->step = step;
    s->near = step->near;
    s->dt = dt;
    s->last_dt = s->words[WCSPH_WORD_LAST_DT];
    PHXI_TRY(phxi_wcsph_update_bodies(s, step));
    PHXI_TRY(reserve(s, s->near->count));
    int power;
    frexp(s->support, &power);
    s->unit = ldexp(1, power);
    s->scale = 1 / s->unit;
    s->periodic = false;
    for (int a = 0; a < 3; ++a) {
        s->period[a] = s->near->period[a] * (phx_real)s->scale;
        s->per_period[a] = s->near->per_period[a] * (phx_real)s->unit;
        s->periodic = s->periodic || s->period[a] > 0;
    }
    bool general = s->periodic || !s->uniform;
    double inverse = s->unit / s->support, inverse3 = inverse * inverse * inverse;
    s->spacing = s->support / phxi_sph_support(s->params->kernel);
    s->inverse = (phx_real)inverse;
    s->soft = (phx_real)(0.01 * s->spacing * s->spacing * s->scale * s->scale);
    double slope = general ? 1 : inverse3 * inverse * inverse;
    s->slope_unit = slope * s->scale;
    s->value_unit = general ? 1 : inverse3;
    s->spread_unit = 2 * s->params->delta * s->spacing * s->sound * slope * s->scale * s->scale;
    s->force_unit = slope * s->unit * s->unit;
    s->hat_unit = 0.5 * s->params->xsph * s->value_unit;
    return PHX_OK;
}

/// Of the last substep.
static phx_vec3 total_acceleration(const phxi_wcsph* s, int i) {
    phx_real* const* a = s->step->particles->acceleration;
    phx_real* const* e = s->step->particles->external;
    phx_vec3 sum = phxi_add(phxi_vec3(a[0][i], a[1][i], a[2][i]), phxi_vec3(e[0][i], e[1][i], e[2][i]));
    return phxi_add(sum, s->step->gravity);
}

/// Half a substep back: the velocity that moved it here.
static phx_vec3 moving_velocity(const phxi_wcsph* s, int i) {
    const phxi_particles* p = s->step->particles;
    phx_vec3 v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
    return p->fixed[i] ? v : phxi_add_scaled(v, -0.5 * s->last_dt, total_acceleration(s, i));
}

static void pack_fluid(phxi_wcsph* s, int k, int i) {
    const phxi_particles* p = s->step->particles;
    phx_real compression = s->field[WCSPH_COMPRESSION][i];
    double cell = s->scale * s->scale * s->scale, volume = (double)p->volume[i] * cell;
    bool sums = s->params->density == WCSPH_SUMMATION;
    phx_vec3 v = moving_velocity(s, i);
    s->position[k][3] = (phx_real)(sums ? volume : volume / (1 + (double)compression));
    s->velocity[k] = (phxi_r4){(phx_real)v.x, (phx_real)v.y, (phx_real)v.z, compression};
    s->wall_normal[k] = (phxi_r4){0, 0, 0, WCSPH_IS_FLUID};
    phx_real* const* a = s->step->particles->acceleration;
    double sound = s->bodies.items[p->body[i]].sound;
    phx_real by = (phx_real)(0.5 * s->unit / (sound * sound));
    s->hydrostatic[k] = (phxi_r4){by * a[0][i], by * a[1][i], by * a[2][i], 0};
}

static void pack_wall(phxi_wcsph* s, int k, int i, bool slip) {
    const phxi_particles* p = s->step->particles;
    double cell = s->scale * s->scale * s->scale, volume = (double)p->boundary_volume[i];
    s->position[k][3] = (phx_real)(volume * cell);
    s->velocity[k] = (phxi_r4){p->vx[i], p->vy[i], p->vz[i], 0};
    phx_real depth = p->boundary_depth[i] * (phx_real)s->scale + (slip ? (phx_real)WCSPH_SLIPS : 0);
    s->wall_normal[k] = (phxi_r4){p->boundary_normal[0][i], p->boundary_normal[1][i], p->boundary_normal[2][i], depth};
    s->pressure[k] =
        (phxi_r4){0, (phx_real)(1 / s->rest_density), 1, (phx_real)(s->rest_density * volume / s->mass_unit)};
}

static void pack_part(void* context, int begin, int end, int block) {
    phxi_wcsph* s = context;
    const phxi_near* near = s->near;
    phx_real scale = (phx_real)s->scale;
    (void)block;
    for (int k = begin; k < end; ++k) {
        int i = near->particle[k];
        const phxi_wcsph_body* body = &s->bodies.items[s->step->particles->body[i]];
        s->kind[k] = (uint8_t)body->kind;
        s->position[k] = (phxi_r4){scale * near->x[k], scale * near->y[k], scale * near->z[k], 0};
        s->hydrostatic[k] = (phxi_r4){0, 0, 0, 1};
        if (body->kind == WCSPH_FLUID) {
            pack_fluid(s, k, i);
        } else if (body->kind == WCSPH_WALL) {
            pack_wall(s, k, i, body->slip);
        } else {
            s->velocity[k] = s->pressure[k] = (phxi_r4){0};
            s->wall_normal[k] = (phxi_r4){0, 0, 0, WCSPH_IS_OTHER};
        }
    }
}

// -------------------------------------------------------------------------------------------------------------- rates

static void rates_part(void* context, int begin, int end, int block) {
    (void)block;
    PHXI_LANES_CALL(phxi_wcsph_rates, context, begin, end);
}

/// Writes compression and shear rate back to the particles.
static void compress_part(void* context, int begin, int end, int block) {
    phxi_wcsph* s = context;
    double least = s->params->floor - 1;
    bool sums = s->params->density == WCSPH_SUMMATION;
    (void)block;
    for (int k = begin; k < end; ++k) {
        if (s->kind[k] != WCSPH_FLUID) {
            continue;
        }
        int i = s->near->particle[k];
        double next = sums ? (double)s->acceleration[k][2] / s->lattice - 1
                           : (double)s->velocity[k][3] + s->last_dt * (double)s->acceleration[k][0];
        s->velocity[k][3] = s->field[WCSPH_COMPRESSION][i] = (phx_real)(next < least ? least : next); // NaN stays
        s->field[WCSPH_SHEAR_RATE][i] = s->acceleration[k][1];
    }
}

// ---------------------------------------------------------------------------------------------------------- viscosity

typedef struct viscosity_context {
    phxi_wcsph* s;
    const phxi_wcsph_fluid* fluid;
} viscosity_context;

static void viscosity_part(void* context, int begin, int end, int block) {
    const viscosity_context* c = context;
    phxi_wcsph* s = c->s;
    (void)block;
    int first = s->step->bodies[c->fluid->body].begin + begin;
    phxi_viscosity_batch(&c->fluid->rheology, end - begin, s->field[WCSPH_SHEAR_RATE] + first,
                         s->step->particles->temperature + first, s->field[WCSPH_VISCOSITY] + first);
}

/// Writes current volumes, pressures and viscosities into the rows; eta / (rho h^2).
static void state_part(void* context, int begin, int end, int block) {
    phxi_wcsph* s = context;
    const phxi_particles* p = s->step->particles;
    double cell = s->scale * s->scale * s->scale, most = 0;
    for (int k = begin; k < end; ++k) {
        if (s->kind[k] != WCSPH_FLUID) {
            continue;
        }
        int i = s->near->particle[k];
        const phxi_wcsph_body* body = &s->bodies.items[p->body[i]];
        double compression = (double)s->velocity[k][3], ratio = 1 + compression,
               volume = (double)p->volume[i] * cell / ratio;
        double viscosity = (double)s->field[WCSPH_VISCOSITY][i], density = body->density * ratio;
        double spacing = (double)p->spacing[i], rate = viscosity / (density * spacing * spacing);
        most = rate > most ? rate : most;
        s->position[k][3] = (phx_real)volume;
        s->pressure[k] =
            (phxi_r4){(phx_real)(volume * volume * phxi_wcsph_pressure(body, compression)), (phx_real)(1 / density),
                      (phx_real)(1 / viscosity), (phx_real)((double)p->mass[i] / s->mass_unit)};
    }
    s->sums[block].viscosity = most;
}

/// Where its step is explicit no viscosity may be beyond what it can take: it has grown since the step was chosen.
static void bound_part(void* context, int begin, int end, int block) {
    phxi_wcsph* s = context;
    (void)block;
    for (int k = begin; k < end; ++k) {
        if (s->kind[k] == WCSPH_FLUID) {
            const phxi_particles* p = s->step->particles;
            double spacing = (double)p->spacing[s->near->particle[k]];
            double most = phxi_wcsph_viscous_dt(1) / s->dt * spacing * spacing / (double)s->pressure[k][1];
            double viscosity = fmin(1 / (double)s->pressure[k][2], most);
            s->pressure[k][2] = (phx_real)(1 / viscosity);
            if (s->params->form == WCSPH_STRESS) {
                s->stress_xx[k] *= (phx_real)viscosity;
                s->stress_xz[k] *= (phx_real)viscosity;
            }
        }
    }
}

static void find_viscosity(phxi_wcsph* s) {
    for (int f = 0; f < s->fluids.count; ++f) {
        viscosity_context c = {s, &s->fluids.items[f]};
        phxi_parallel_for(s->step->pool, s->step->bodies[c.fluid->body].count, 2048, viscosity_part, &c);
    }
    phxi_parallel_for(s->step->pool, s->near->count, WCSPH_GRAIN, state_part, s);
    double rate = 0;
    for (int b = 0; b < phxi_block_count(s->near->count, WCSPH_GRAIN); ++b) {
        rate = fmax(rate, s->sums[b].viscosity);
    }
    s->inviscid = !(rate > 0);
    int choice = s->params->viscosity;
    s->implicit =
        !s->inviscid && (choice == WCSPH_IMPLICIT || (choice == WCSPH_AUTO && s->params->form != WCSPH_STRESS &&
                                                      s->dt > phxi_wcsph_viscous_dt(rate) * (1 + 1e-9)));
    if (!s->inviscid && !s->implicit) {
        phxi_parallel_for(s->step->pool, s->near->count, WCSPH_GRAIN, bound_part, s);
    }
}

// ------------------------------------------------------------------------------------------------------------- forces

static void forces_part(void* context, int begin, int end, int block) {
    (void)block;
    PHXI_LANES_CALL(phxi_wcsph_forces, context, begin, end);
}

// ----------------------------------------------------------------------------------------------------------- implicit

static phx_vec3 external_of(const phxi_particles* p, int i) {
    double by = 1 / (double)p->mass[i];
    return phxi_vec3((double)p->fx[i] * by, (double)p->fy[i] * by, (double)p->fz[i] * by);
}

static phx_vec3 row_vector(const phxi_r4* row) {
    return phxi_vec3((*row)[0], (*row)[1], (*row)[2]);
}

/// v* = u + dt_k (a + g + e) and all else that the solver asks for. Fluid that drivers hold is a wall without a mirror.
static void aim_part(void* context, int begin, int end, int block) {
    phxi_wcsph* s = context;
    const phxi_particles* p = s->step->particles;
    double dt = 0.5 * (s->last_dt + s->dt), volume_unit = s->unit * s->unit * s->unit;
    (void)block;
    for (int k = begin; k < end; ++k) {
        int i = s->near->particle[k];
        bool fluid = s->kind[k] == WCSPH_FLUID;
        phx_vec3 u = row_vector(&s->velocity[k]), v = u, guess = u, n = row_vector(&s->wall_normal[k]);
        if (fluid && !p->fixed[i]) {
            phx_vec3 a = phxi_add(row_vector(&s->acceleration[k]), phxi_add(s->step->gravity, external_of(p, i)));
            v = phxi_add_scaled(u, dt, a);
            guess = phxi_add_scaled(u, dt, total_acceleration(s, i)); // as if nothing had changed
        }
        const phx_real numbers[WCSPH_SOLVE_COUNT] = {
            [WCSPH_SOLVE_TARGET] = (phx_real)v.x,
            [WCSPH_SOLVE_TARGET + 1] = (phx_real)v.y,
            [WCSPH_SOLVE_TARGET + 2] = (phx_real)v.z,
            [WCSPH_SOLVE_GUESS] = (phx_real)guess.x,
            [WCSPH_SOLVE_GUESS + 1] = (phx_real)guess.y,
            [WCSPH_SOLVE_GUESS + 2] = (phx_real)guess.z,
            [WCSPH_SOLVE_NORMAL] = (phx_real)n.x,
            [WCSPH_SOLVE_NORMAL + 1] = (phx_real)n.y,
            [WCSPH_SOLVE_NORMAL + 2] = (phx_real)n.z,
            [WCSPH_SOLVE_DEPTH] = fluid ? 0 : s->wall_normal[k][3] * (phx_real)s->unit,
            [WCSPH_SOLVE_MASS] = fluid ? p->mass[i] : 0,
            [WCSPH_SOLVE_VOLUME] = (phx_real)((double)s->position[k][3] * volume_unit),
            [WCSPH_SOLVE_VISCOSITY] = fluid ? s->field[WCSPH_VISCOSITY][i] : 0,
        };
        for (int c = 0; c < WCSPH_SOLVE_COUNT; ++c) {
            s->solve[c][k] = numbers[c];
        }
        bool held = fluid && p->fixed[i], slips = s->wall_normal[k][3] >= (phx_real)WCSPH_SLIPS;
        s->role[k] = (uint8_t)(held || s->kind[k] == WCSPH_WALL ? (slips ? PHXI_VISCOUS_OTHER : PHXI_VISCOUS_WALL)
                               : fluid                          ? PHXI_VISCOUS_FLUID
                                                                : PHXI_VISCOUS_OTHER);
    }
}

/// a becomes what takes u to the solution, external forces taken off.
static void reach_part(void* context, int begin, int end, int block) {
    phxi_wcsph* s = context;
    const phxi_particles* p = s->step->particles;
    double per = 2 / (s->last_dt + s->dt);
    (void)block;
    for (int k = begin; k < end; ++k) {
        int i = s->near->particle[k];
        if (s->kind[k] == WCSPH_FLUID && !p->fixed[i]) {
            phx_real* const* v = &s->solve[WCSPH_SOLVE_TARGET];
            phx_vec3 a = phxi_scale(per, phxi_sub(phxi_vec3(v[0][k], v[1][k], v[2][k]), row_vector(&s->velocity[k])));
            a = phxi_sub(a, phxi_add(s->step->gravity, external_of(p, i)));
            s->acceleration[k] = (phxi_r4){(phx_real)a.x, (phx_real)a.y, (phx_real)a.z, s->acceleration[k][3]};
        }
    }
}

static phx_result solve(phxi_wcsph* s) {
    PHXI_TRY(reserve_solve(s, s->near->count));
    phxi_parallel_for(s->step->pool, s->near->count, WCSPH_GRAIN, aim_part, s);
    phx_real** r = s->solve;
    phx_real* const velocity[3] = {r[WCSPH_SOLVE_TARGET], r[WCSPH_SOLVE_TARGET + 1], r[WCSPH_SOLVE_TARGET + 2]};
    phxi_viscous_input input = {
        .near = s->near,
        .form = s->params->form == WCSPH_MORRIS ? PHXI_VISCOUS_MORRIS : PHXI_VISCOUS_ANGULAR,
        .cubic = s->params->kernel == PHXI_SPH_CUBIC,
        .dt = 0.5 * (s->last_dt + s->dt),
        .kind = s->role,
        .mass = r[WCSPH_SOLVE_MASS],
        .volume = r[WCSPH_SOLVE_VOLUME],
        .viscosity = r[WCSPH_SOLVE_VISCOSITY],
        .target = {r[WCSPH_SOLVE_TARGET], r[WCSPH_SOLVE_TARGET + 1], r[WCSPH_SOLVE_TARGET + 2]},
        .guess = {r[WCSPH_SOLVE_GUESS], r[WCSPH_SOLVE_GUESS + 1], r[WCSPH_SOLVE_GUESS + 2]},
        .normal = {r[WCSPH_SOLVE_NORMAL], r[WCSPH_SOLVE_NORMAL + 1], r[WCSPH_SOLVE_NORMAL + 2]},
        .depth = r[WCSPH_SOLVE_DEPTH],
        .tolerance = s->params->tolerance,
    };
    PHXI_TRY(phxi_viscous_solve(s->viscous, s->step->pool, &input, velocity, &s->report));
    phxi_parallel_for(s->step->pool, s->near->count, WCSPH_GRAIN, reach_part, s);
    s->iterations += s->report.iterations;
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------- move

static const char* fault_of(const phxi_wcsph* s, int k) {
    const phxi_r4 nothing = 0 * (s->position[k] + s->velocity[k] + s->acceleration[k]);
    if ((nothing[0] + nothing[1]) + (nothing[2] + nothing[3]) == 0) {
        return NULL; // one look at all of them; which one it is does not matter then
    }
    phx_vec3 x = row_vector(&s->position[k]), a = row_vector(&s->acceleration[k]), u = row_vector(&s->velocity[k]);
    if (!phxi_finite(x)) {
        return "neighbours";
    }
    if (!isfinite((double)s->velocity[k][3])) {
        return "density";
    }
    return phxi_finite(a) && phxi_finite(u) ? NULL : "forces";
}

/// What external forces add to the acceleration at the end of the substep.
static phx_vec3 late_of(const phxi_step* step, int i) {
    phx_real* const* late = step->late_force;
    return late ? phxi_scale(1 / (double)step->particles->mass[i], phxi_vec3(late[0][i], late[1][i], late[2][i]))
                : phxi_vec3(0, 0, 0);
}

/// To t + dt; what walls keep off afterwards.
static void move_fluid(phxi_wcsph* s, int k, int i, phxi_spin_sums* spin) {
    phxi_particles* p = s->step->particles;
    phx_vec3 e = external_of(p, i), a = row_vector(&s->acceleration[k]), hat = row_vector(&s->drift[k]);
    phx_vec3 sum = phxi_add(phxi_add(a, e), s->step->gravity);
    phx_vec3 u = phxi_add_scaled(row_vector(&s->velocity[k]), 0.5 * (s->last_dt + s->dt), sum);
    phx_vec3 late = late_of(s->step, i), v = phxi_add_scaled(u, 0.5 * s->dt, phxi_add(sum, late)),
             way = phxi_scale(s->dt, phxi_add(u, hat));
    const double mass = p->mass[i];
    // by forces of pairs, which viscosity may turn aside, and as XSPH moves it
    phx_vec3 made = phxi_scale(0.5 * (s->last_dt + s->dt) * mass, phxi_cross(phxi_vec3(p->x[i], p->y[i], p->z[i]), a));
    made = phxi_add_scaled(made, s->dt * mass, phxi_cross(hat, u));
    bool fixed = p->fixed[i];
    phxi_explicit_move(&p->x[i], &p->low[0][i], (phx_real)way.x, fixed);
    phxi_explicit_move(&p->y[i], &p->low[1][i], (phx_real)way.y, fixed);
    phxi_explicit_move(&p->z[i], &p->low[2][i], (phx_real)way.z, fixed);
    if (!fixed) {
        p->vx[i] = (phx_real)v.x, p->vy[i] = (phx_real)v.y, p->vz[i] = (phx_real)v.z;
    }
    phxi_vector_set(p->acceleration, i, a);
    phxi_vector_set(p->external, i, phxi_add(e, late));
    phxi_spin_add(spin, mass, phxi_vec3(p->x[i], p->y[i], p->z[i]), made, 0.5 * (double)p->spacing[i],
                  fixed || s->acceleration[k][3] < 1);
}

static void move_part(void* context, int begin, int end, int block) {
    phxi_wcsph* s = context;
    phxi_wcsph_sums sums = {.bad = -1, .spin = PHXI_SPIN_NONE};
    for (int k = begin; k < end; ++k) {
        if (s->kind[k] != WCSPH_FLUID) {
            continue;
        }
        const char* fault = fault_of(s, k);
        int i = s->near->particle[k];
        if (fault && (sums.bad < 0 || i < sums.bad)) {
            sums.bad = i, sums.stage = fault;
        }
        move_fluid(s, k, i, &sums.spin);
        if (!fault) {
            phxi_wcsph_guard(s, k);
        }
    }
    s->sums[block] = sums;
}

static void keep_spin(const phxi_wcsph* s) {
    phxi_spin_sums all = PHXI_SPIN_NONE;
    for (int b = 0; b < phxi_block_count(s->near->count, WCSPH_GRAIN); ++b) {
        phxi_spin_merge(&all, &s->sums[b].spin);
    }
    phxi_spin_give_back(&all, s->step);
}

static void find_trouble(const phxi_wcsph* s, phxi_trouble* trouble) {
    for (int b = 0; b < phxi_block_count(s->near->count, WCSPH_GRAIN); ++b) {
        const phxi_wcsph_sums* sums = &s->sums[b];
        if (sums->bad >= 0 && (trouble->particle < 0 || sums->bad < trouble->particle)) {
            *trouble = (phxi_trouble){sums->bad, sums->stage};
        }
    }
}

phx_result phxi_wcsph_substep(void* state, phxi_step* step, double dt, phxi_trouble* trouble) {
    phxi_wcsph* s = state;
    phxi_wcsph_choose_sound(s, step);
    PHXI_TRY(begin(s, step, dt));
    int places = s->near->count;
    phxi_parallel_for(step->pool, places, 1024, pack_part, s);
    phxi_parallel_for(step->pool, places, WCSPH_GRAIN, rates_part, s);
    phxi_parallel_for(step->pool, places, WCSPH_GRAIN, compress_part, s);
    find_viscosity(s);
    phxi_parallel_for(step->pool, places, WCSPH_GRAIN, forces_part, s);
    if (s->implicit) {
        PHXI_TRY(solve(s));
    }
    PHXI_TRY(phxi_wcsph_push_walls(s));
    phxi_parallel_for(step->pool, places, WCSPH_GRAIN, move_part, s);
    find_trouble(s, trouble);
    keep_spin(s);
    phxi_wcsph_follow_sound(s);
    s->words[WCSPH_WORD_LAST_DT] = dt;
    *(s->implicit ? &s->implicit_steps : &s->explicit_steps) += 1;
    return PHX_OK;
}
