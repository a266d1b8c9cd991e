// SPDX-License-Identifier: MIT
// What holds for fluids that melt (docs/theory/melting.md H5, H6).
#include "validate/wcsph/fluid_trial.h"

#include <stdio.h>

/// The material of section 7.
static phx_material_def wax(double jump) {
    phx_material_def material = phx_material_def_default();
    material.flow = PHX_FLOW_JUMP;
    material.yield_stress = 2000;
    material.consistency = 2000 / sqrt(200);
    material.flow_index = 0.5;
    material.jump_solid = jump;
    material.jump_liquid = 0;
    material.jump_scale = 0;
    material.solidus = 0.4;
    material.liquidus = 0.6;
    material.conductivity = 100; // 1e-4 m^2/s
    material.heat_capacity = 1000;
    return material;
}

/// A cube of 0.16 m, cold below and hot above, on a floor.
static phx_result make_block(phxi_validation* v, int cells, double jump, const char* viscosity, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    phx_material_def melting = wax(jump), stone = phx_material_def_default();
    char shape[240];
    double a = 0.16 / cells, wide = a * 3 * cells + a * (cells % 2);
    def.threads = v->threads;
    *world = NULL;
    PHXI_TRY(phx_world_create(&def, world));
    phx_body_def block = phxi_fluid_trial_body("wax", "wcsph", "box(center=(0,0,0.08),size=(0.16,0.16,0.16))", a);
    block.temperature = 0;
    block.temperature_gradient = phxi_vec3(0, 0, 1 / 0.16);
    PHXI_TRY(phxi_fluid_trial_add(*world, block, &melting,
                                  (const char*[]){"sound_speed", "12", "viscosity", viscosity, NULL}));
    snprintf(shape, sizeof shape, "box(center=(0,0,%.17g),size=(%.17g,%.17g,%.17g))", -1.5 * a, wide, wide, 3 * a);
    return phxi_fluid_trial_add(*world, phxi_fluid_trial_body("floor", "wall", shape, a), &stone,
                                (const char*[]){"surface", "plane()", NULL});
}

// ----------------------------------------------------------------------------------------------------------- the block

/// The current state of the block, as in docs/theory/melting.md.
typedef struct picture {
    double top, foot, cold, warmth; // m, m, m, K kg
    double density[2];              // summation density of inner particles: mean, most
} picture;

static picture look(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    const phxi_near* near = &world->near;
    picture r = {0};
    int inner = 0;
    for (int k = 0; k < near->count; ++k) {
        int i = near->particle[k];
        if (p->body[i] != 0) {
            continue;
        }
        double x = (double)p->x[i], y = (double)p->y[i], z = (double)p->z[i], support = (double)near->reach[k], sum;
        phx_vec3 way = phxi_sub(phxi_vec3(x, y, z), phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]));
        r.top = fmax(r.top, z);
        r.foot = fmax(r.foot, sqrt(x * x + y * y));
        r.cold = p->temperature[i] < (phx_real)0.4 ? fmax(r.cold, phxi_length(way)) : r.cold;
        r.warmth += (double)p->mass[i] * (double)p->temperature[i];
        sum = (double)p->volume[i] * phxi_kernel_value(PHXI_KERNEL_QUINTIC, 0, support);
        int64_t begin = near->lists.start[k], end = near->lists.start[k + 1];
        for (int64_t n = begin; n < end; ++n) {
            double distance = phxi_length(phxi_near_delta(near, k, near->lists.items[n]));
            sum += (double)p->volume[i] * phxi_kernel_value(PHXI_KERNEL_QUINTIC, distance, support);
        }
        if (end - begin >= 85) { // of 92 on a lattice
            ++inner;
            r.density[0] += sum;
            r.density[1] = fmax(r.density[1], sum);
        }
    }
    r.density[0] /= inner > 0 ? inner : 1;
    return r;
}

/// Runs the block; its picture at the start and at the end, and its fastest particle on the way.
static phx_result run_block(phxi_validation* v, int cells, double duration, picture pictures[2], double* fastest) {
    phx_world* world;
    phx_result result = make_block(v, cells, 2e4, "auto", &world);
    *fastest = 0;
    for (int k = 0; result == PHX_OK && k <= 20; ++k) {
        phx_totals totals;
        result = phx_world_step(world, k == 0 ? 1e-6 : duration / 20);
        if (result == PHX_OK) {
            pictures[k > 0] = look(world);
            result = phx_world_measure(world, &totals);
            *fastest = fmax(*fastest, totals.max_speed);
        }
    }
    phx_world_destroy(world);
    return result;
}

phx_result phxi_validate_wcsph_block_full(phxi_validation* v) {
    picture r[2];
    double fastest, a = 0.16 / 12;
    PHXI_TRY(run_block(v, 12, 0.8, r, &fastest));
    phxi_validate_relative(v, "block: height at 0.8 s, m", r[1].top, 0.107, 0.1);
    phxi_validate_relative(v, "block: radius of its foot at 0.8 s, m", r[1].foot, 0.235, 0.15);
    phxi_validate(v, "block: way of cold particles over the spacing", r[1].cold / a, 0, 0.40);
    phxi_validate_relative(v, "block: fastest at impact, m/s", fastest, 0.9, 0.2);
    phxi_validate(v, "block: thermal energy over that of the start, less one", r[1].warmth / r[0].warmth - 1, 0,
                  phxi_by_precision(1e-12, 1e-6));
    phxi_validate(v, "block: mean density of inner particles", r[1].density[0], 0.994, 0.010);
    phxi_validate(v, "block: largest density of inner particles", r[1].density[1], 1, 0.13);
    return PHX_OK;
}

static phx_result block(phxi_validation* v) {
    picture r[2];
    double fastest, a = 0.16 / 8;
    PHXI_TRY(run_block(v, 8, 0.3, r, &fastest));
    phxi_validate(v, "block of 8^3 at 0.3 s: way of cold particles over the spacing", r[1].cold / a, 0, 0.40);
    phxi_validate(v, "block of 8^3: thermal energy over that of the start, less one", r[1].warmth / r[0].warmth - 1, 0,
                  phxi_by_precision(1e-12, 1e-6));
    phxi_validate(v, "block of 8^3: the liquid has run down, m less than 0.15", fmax(0, r[1].top - 0.13), 0, 0);
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------ explicit and
// implicit

static phx_result both_ways(phxi_validation* v) {
    phx_world* world[2] = {NULL, NULL};
    phx_result result = make_block(v, 10, 100, "explicit", &world[0]);
    if (result == PHX_OK) {
        result = make_block(v, 10, 100, "implicit", &world[1]);
    }
    for (int k = 0; result == PHX_OK && k < 2; ++k) {
        result = phx_world_step(world[k], 0.03);
    }
    if (result == PHX_OK) {
        const phxi_particles *p = &world[0]->particles, *q = &world[1]->particles;
        double mean = 0, most = 0, a = 0.016;
        for (int i = 0; i < 1000; ++i) {
            phx_vec3 gap = phxi_sub(phxi_vec3(p->x[i], p->y[i], p->z[i]), phxi_vec3(q->x[i], q->y[i], q->z[i]));
            mean += phxi_length(gap) / 1000 / a;
            most = fmax(most, phxi_length(gap) / a);
        }
        phxi_validate(v, "explicit against implicit, 10^3 particles, 0.03 s: mean distance over the spacing", mean, 0,
                      0.02);
        phxi_validate(v, "the same, largest", most, 0, 0.05);
    }
    phx_world_destroy(world[0]);
    phx_world_destroy(world[1]);
    return result;
}

// ------------------------------------------------------------------------------------------------------------ momentum

/// A jittered drop that turns and shears in the void, with every form of viscosity: sums over m a.
static phx_result momentum(phxi_validation* v) {
    static const char* const forms[] = {"angular", "morris", "stress"};
    for (int k = 0; k < 3; ++k) {
        phx_world_def def = phx_world_def_default();
        phx_material_def honey = phx_material_def_default();
        phx_world* world = NULL;
        honey.viscosity = 10;
        def.gravity = phxi_vec3(0, 0, 0);
        def.threads = v->threads;
        PHXI_TRY(phx_world_create(&def, &world));
        phx_body_def drop = phxi_fluid_trial_body("drop", "wcsph", "sphere(radius=0.1)", 0.02);
        drop.angular_velocity = phxi_vec3(3, 4, 5);
        drop.jitter = 0.2;
        phx_result result = phxi_fluid_trial_add(world, drop, &honey,
                                                 (const char*[]){"sound_speed", "10", "form", forms[k], "viscosity",
                                                                 "explicit", "density", "summation", NULL});
        for (int n = 0; result == PHX_OK && n < 20; ++n) {
            result = phx_world_substep(world, 1e-4);
        }
        const phxi_particles* p = &world->particles;
        const phx_real* a = p->acceleration[0];
        double sum = 0, gross = 0;
        for (int i = 0; result == PHX_OK && i < p->count; ++i) {
            sum += (double)p->mass[i] * (double)a[i];
            gross += (double)p->mass[i] * fabs((double)a[i]);
        }
        char quantity[96];
        snprintf(quantity, sizeof quantity, "sum of forces between particles over their sizes, %s", forms[k]);
        phxi_validate(v, quantity, sum / gross, 0, phxi_by_precision(1e-12, 1e-5));
        phx_world_destroy(world);
        PHXI_TRY(result);
    }
    return PHX_OK;
}

const phxi_validation_case phxi_cases_wcsph_melt[] = {
    {"wcsph.block", "a block that is cold below and hot above melts: the cold part stands", block},
    {"wcsph.both_ways", "explicit and implicit viscosity lead to the same place", both_ways},
    {"wcsph.momentum", "forces between particles sum to nothing", momentum},
    {0},
};
