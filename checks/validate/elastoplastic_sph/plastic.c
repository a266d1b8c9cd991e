// SPDX-License-Identifier: MIT
// Plastic bars of elastoplastic SPH, docs/theory/elastoplastic_sph.md E9: pulled or pressed between slip grips, held,
// let go. Irregular points that flow and keep quiet.
//
// 5 x 1 x 1 m, d = 0.5 m, E = 100 Pa, nu = 0.2, rho = 100 kg/m^3, yield stress 5 Pa, hardening 10 Pa, dt = 0.15 s. With
// Hencky's law the axial stress is E (ln s - alpha): alpha = (E |ln s| - P_y)/(E + K), set exp(+-alpha) - 1.
#include "validate/elastoplastic_sph/bar.h"

#include <math.h>
#include <stdio.h>

static const double yield_stress = 5, modulus = 10, length = 5, dt = 0.15, ramp = 160, hold = 40, rest = 200;

/// A grip that slides: nodes at X go to `x` along x and where they like across. What is left of the last substep, force
/// and velocity along x, is replaced by the velocity that leads there; returns that force, N.
static double grip(phxi_block* block, double at, double x) {
    phxi_particles* p = &block->world->particles;
    double force = 0;
    for (int i = 0; i < block->count; ++i) {
        if (fabs(block->rest[i].x - at) < 0.25 * block->spacing) {
            force += (double)p->mass[i] * (double)block->acceleration[0][i];
            block->acceleration[0][i] = 0;
            p->vx[i] = (phx_real)((x - (double)p->x[i] - (double)block->low[0][i]) / dt);
        }
    }
    return force;
}

/// Velocities against `rate` X along x fade with 0.5/s.
static void damp(phxi_block* block, double rate) {
    phxi_particles* p = &block->world->particles;
    double keep = exp(-0.5 * dt);
    for (int i = 0; i < block->count; ++i) {
        double along = rate * block->rest[i].x;
        p->vx[i] = (phx_real)(along + keep * ((double)p->vx[i] - along));
        p->vy[i] = (phx_real)(keep * (double)p->vy[i]);
        p->vz[i] = (phx_real)(keep * (double)p->vz[i]);
    }
}

/// The quintic step and its slope.
static void quintic(double u, double* value, double* slope) {
    u = fmin(u, 1);
    *value = u * u * u * (10 + u * (6 * u - 15));
    *slope = 30 * u * u * (1 - u) * (1 - u);
}

typedef struct outcome {
    double set, force, det, amount, spread, growth; // 1; N; |det F_p - 1|; alpha; of alpha; energy over that stored
} outcome;

static void look_at_state(const phxi_block* block, outcome* o) {
    const phxi_particles* p = &block->world->particles;
    static const char* const names[6] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    const phx_real* e[6];
    const phx_real* amount = phxi_particles_field(p, "elastoplastic_sph.plastic");
    for (int k = 0; k < 6; ++k) {
        char name[64];
        snprintf(name, sizeof name, "elastoplastic_sph.p_%s", names[k]);
        e[k] = phxi_particles_field(p, name);
    }
    o->det = 0;
    for (int i = 0; i < block->count; ++i) {
        phxi_sym3 c = {1 + 2 * (double)e[0][i], 1 + 2 * (double)e[1][i], 1 + 2 * (double)e[2][i],
                       2 * (double)e[3][i],     2 * (double)e[4][i],     2 * (double)e[5][i]};
        phxi_mat3 full = phxi_sym3_full(&c);
        o->det = fmax(o->det, fabs(sqrt(phxi_mat3_det(&full)) - 1));
        o->amount += (double)amount[i] / block->count;
    }
    double squares = 0;
    for (int i = 0; i < block->count; ++i) {
        squares += ((double)amount[i] - o->amount) * ((double)amount[i] - o->amount);
    }
    o->spread = sqrt(squares / block->count);
}

/// Ramp and hold between grips.
static phx_result pull(phxi_block* block, double stretch, outcome* o) {
    double value = 0, slope = 0;
    grip(block, 0, 0);
    grip(block, length, length);
    for (double t = 0; t < ramp + hold; t += dt) {
        quintic((t + dt) / ramp, &value, &slope);
        damp(block, (stretch - 1) * slope / ramp);
        grip(block, 0, 0);
        grip(block, length, length * (1 + (stretch - 1) * value));
        PHXI_TRY(phx_world_substep(block->world, dt));
    }
    o->force = -grip(block, length, length * stretch);
    look_at_state(block, o);
    return PHX_OK;
}

/// One end let go, until all is quiet.
static phx_result let_go(phxi_block* block, outcome* o) {
    double start = phxi_esph_energy(block);
    for (double t = 0; t < rest; t += dt) {
        damp(block, 0);
        grip(block, 0, 0);
        PHXI_TRY(phx_world_substep(block->world, dt));
        o->growth = fmax(o->growth, phxi_esph_energy(block) / start);
    }
    o->set = phxi_esph_tip(block, length) / length;
    return PHX_OK;
}

static phx_result bar_of(phxi_validation* v, double stretch, double rate, double time, outcome* o) {
    phxi_esph_bar def = phxi_esph_long(0.5);
    def.held = false;
    def.law = PHX_LAW_HENCKY;
    def.poisson = 0.2;
    def.yield_stress = yield_stress, def.modulus = modulus, def.flow_rate = rate, def.time = time;
    phxi_block block;
    *o = (outcome){0};
    PHXI_TRY(phxi_esph_create(v, &def, &block));
    phx_result result = pull(&block, stretch, o);
    result = result == PHX_OK ? let_go(&block, o) : result;
    phxi_block_destroy(&block);
    return result;
}

static phx_result sets(phxi_validation* v) {
    static const struct {
        const char* name;
        double rate, time;
    } forms[] = {{"return", 0, 0}, {"flow_rate 0.1", 0.1, 0}, {"rate 2/s", 0, 0.5}};
    char quantity[96];
    for (int way = 0; way < 2; ++way) {
        double stretch = way ? 0.7 : 1.3, sign = way ? -1 : 1;
        double alpha = (100 * fabs(log(stretch)) - yield_stress) / (100 + modulus);
        for (int k = 0; k < 3; ++k) {
            outcome o;
            PHXI_TRY(bar_of(v, stretch, forms[k].rate, forms[k].time, &o));
            snprintf(quantity, sizeof quantity, "to %g, %s: what stays", stretch, forms[k].name);
            phxi_validate_relative(v, quantity, o.set, exp(sign * alpha) - 1, 3e-3);
            if (k > 0) {
                continue;
            }
            snprintf(quantity, sizeof quantity, "to %g: force of the grip, N", stretch);
            phxi_validate_relative(v, quantity, o.force, sign * (yield_stress + modulus * alpha) / stretch, 5e-3);
            snprintf(quantity, sizeof quantity, "to %g: plastic strain", stretch);
            phxi_validate_relative(v, quantity, o.amount, alpha, 3e-3);
            snprintf(quantity, sizeof quantity, "to %g: its standard deviation over the bar", stretch);
            phxi_validate(v, quantity, o.spread, 0, 4e-3);
            snprintf(quantity, sizeof quantity, "to %g: |det F_p - 1|", stretch);
            phxi_validate(v, quantity, o.det, 0, phxi_by_precision(1e-10, 1e-5));
            snprintf(quantity, sizeof quantity, "to %g: most energy once let go, over that before", stretch);
            phxi_validate(v, quantity, o.growth, 1, 0.01);
        }
    }
    return PHX_OK;
}

// ----------------------------------------------------------------------------------------------------------- irregular

/// Points of the thesis' sizes, shaken by 0.3 spacings and thrown on a floor, so that they flow.
static phx_result drop(phxi_validation* v, const char* shape, double spacing, int count, double duration) {
    phx_world* world = NULL;
    phx_world_def def = phx_world_def_default();
    phx_collider_def floor = phx_collider_def_default();
    phx_material_def clay = phx_material_def_default();
    phx_body_def body = phx_body_def_default();
    phx_collider_id ground;
    phx_body_id id;
    phx_totals totals = {0};
    def.threads = v->threads;
    clay.young = 2e5, clay.law = PHX_LAW_HENCKY, clay.plasticity = PHX_PLASTICITY_HENCKY;
    clay.yield = 0.03, clay.hardening = 0.1, clay.damping = 5;
    body.shape = shape, body.spacing = spacing, body.jitter = 0.3, body.method = "elastoplastic_sph";
    body.velocity = phxi_vec3(0, 0, -1), body.angular_velocity = phxi_vec3(2, 1, 0);
    phx_result result = phx_world_create(&def, &world);
    result = result == PHX_OK ? phx_collider_create(world, &floor, &ground) : result;
    result = result == PHX_OK ? phx_material_create(world, &clay, &body.material) : result;
    result = result == PHX_OK ? phx_body_create(world, &body, &id) : result;
    result = result == PHX_OK ? phx_world_step(world, duration) : result;
    result = result == PHX_OK ? phx_world_measure(world, &totals) : result;
    if (result == PHX_OK) {
        char quantity[96];
        const phx_real* amount = phxi_particles_field(&world->particles, "elastoplastic_sph.plastic");
        double flowed = 0;
        for (int i = 0; i < totals.count; ++i) {
            flowed += amount[i] > (phx_real)0.01;
        }
        snprintf(quantity, sizeof quantity, "%d points: how many there are", count);
        phxi_validate(v, quantity, totals.count, count, 0);
        if (duration > 5) {
            snprintf(quantity, sizeof quantity, "%d points: fastest after %g s, m/s", count, duration);
            phxi_validate(v, quantity, totals.max_speed, 0, 0.1);
        }
        snprintf(quantity, sizeof quantity, "%d points: smallest det F", count);
        phxi_validate(v, quantity, totals.min_det, 1, 0.7);
        snprintf(quantity, sizeof quantity, "%d points: share of those with plastic strain above 0.01", count);
        phxi_validate(v, quantity, flowed / totals.count, 0.6, 0.4);
    }
    phx_world_destroy(world);
    return result;
}

static phx_result irregular(phxi_validation* v) {
    return drop(v, "box(center=(0,0,0.5), size=(0.8,0.5,0.2))", 0.1, 162, 1.5);
}

phx_result phxi_validate_esph_irregular_full(phxi_validation* v) {
    PHXI_TRY(drop(v, "box(center=(0,0,0.5), size=(0.8,0.5,0.2))", 0.1, 162, 10));
    PHXI_TRY(
        drop(v, "union(box(center=(0,0,0.525), size=(0.45,0.45,0.45)), box(center=(0,0,0.775), size=(0.15,0.15,0.05)))",
             0.05, 1016, 10));
    return drop(v, "box(center=(0,0,0.7), size=(0.7,0.7,0.4))", 0.05, 2025, 10);
}

const phxi_validation_case phxi_cases_esph_plastic[] = {
    {"esph.set", "bars pulled and pressed beyond yield: what stays, in three forms of flow", sets},
    {"esph.irregular", "irregular points that are thrown, flow and lie still", irregular},
    {NULL, NULL, NULL},
};
