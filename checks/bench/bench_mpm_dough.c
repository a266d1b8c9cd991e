// SPDX-License-Identifier: MIT
// The material point method where it is to keep up: a ball of dough that a plate presses flat, and that is lifted and
// stretched (scenes/dough-press.yaml), simulated seconds a second. And what implicit steps cost for the same time.
#include "bench/bench.h"

#include "methods/mpm/mpm_internal.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

#define FRAME 0.02 // s

// --------------------------------------------------------------------------------------------------------------- dough

static phx_result add_body(phx_world* world, const phx_material_def* material, const char* name, const char* shape,
                           double spacing, const phx_setting* settings, int count) {
    phx_body_def body = phx_body_def_default();
    phx_body_id id;
    PHXI_TRY(phx_material_create(world, material, &body.material));
    body.name = name, body.shape = shape, body.spacing = spacing;
    body.method = "mpm", body.settings = settings, body.setting_count = count;
    return phx_body_create(world, &body, &id);
}

static phx_result add_collider(phx_world* world, const char* name, const char* shape) {
    phx_collider_def def = phx_collider_def_default();
    phx_collider_id id;
    def.name = name, def.shape = shape, def.friction = 0.6;
    return phx_collider_create(world, &def, &id);
}

typedef struct motion {
    const char *collider, *region; // one of them
    phx_vec3 way;
    double start, ramp, end; // s
} motion;

static phx_result add_motion(phx_world* world, const motion* m) {
    phx_driver_def def = phx_driver_def_default();
    phx_driver_id id;
    def.kind = PHX_DRIVER_MOVE;
    def.collider = m->collider;
    def.body = m->collider ? NULL : "dough";
    def.region = m->region;
    def.vector = m->way, def.start = m->start, def.ramp = m->ramp;
    def.end = m->end > 0 ? m->end : def.end;
    return phx_driver_create(world, &def, &id);
}

static phx_result make_dough(int threads, phx_world** world) {
    static const motion motions[] = {
        {"plate", NULL, {0, 0, -0.09}, 0.1, 0.8, 1.1},
        {"plate", NULL, {0, 0, 0.2}, 1.1, 0.4, 0},
        {NULL, "box(center=(0.03, 0, 0.06), size=(0.02, 0.05, 0.1))", {0.04, 0, 0.09}, 1.5, 0.9, 0},
        {NULL, "box(center=(-0.03, 0, 0.06), size=(0.02, 0.05, 0.1))", {-0.04, 0, 0.09}, 1.5, 0.9, 0}};
    const phx_setting settings[] = {{"boundary", "friction"}, {"courant", "0.9"}};
    phx_world_def def = phx_world_def_default();
    const phx_preset* preset;
    PHXI_TRY(phx_preset_find("dough", &preset));
    phx_material_def dough = preset->def;
    dough.yield = 0.02, dough.creep = 4, dough.damping = 2;
    def.threads = threads;
    PHXI_TRY(phx_world_create(&def, world));
    PHXI_TRY(add_collider(*world, "floor", "plane()"));
    PHXI_TRY(add_collider(*world, "plate", "box(center=(0, 0, 0.135), size=(0.2, 0.2, 0.03))"));
    PHXI_TRY(add_body(*world, &dough, "dough", "sphere(center=(0, 0, 0.06), radius=0.05)", 0.0057, settings, 2));
    for (int k = 0; k < 4; ++k) {
        PHXI_TRY(add_motion(*world, &motions[k]));
    }
    return PHX_OK;
}

static void report_real_time(phxi_bench* bench, const phx_world* world, const char* name, double simulated,
                             double taken) {
    phx_bench_line line = {.name = name,
                           .particles = world->particles.count,
                           .threads = phx_world_threads(world),
                           .ns_per_particle = 1e9 * taken / ((double)world->substeps * world->particles.count),
                           .ns_per_pair = NAN,
                           .x_limit = NAN,
                           .speedup = NAN,
                           .unit = "s/s",
                           .measured = simulated / taken,
                           .against = "real time",
                           .reference = 1,
                           .ratio = simulated / taken,
                           .goal = 1,
                           .share = NAN};
    phxi_bench_report(bench, &line);
}

/// As far as the time allows that the benchmark has, at most to the end. The processor's time a thread is what a free
/// machine takes if the threads share the work evenly.
phx_result phxi_bench_mpm_dough(phxi_bench* bench) {
    int most;
    PHXI_TRY(phxi_bench_threads(bench, &most));
    for (int threads = 1; threads <= most; threads = threads < most ? most : most + 1) {
        phx_world* world = NULL;
        phx_result result = make_dough(threads, &world);
        double begin = phxi_bench_clock(), processor = phxi_bench_cpu_clock(), simulated = 0;
        while (result == PHX_OK && simulated < 2.6 - 1e-9 &&
               (simulated < FRAME || phxi_bench_clock() - begin < 5 * bench->def->seconds)) {
            result = phx_world_step(world, FRAME);
            simulated += FRAME;
        }
        if (result == PHX_OK) {
            report_real_time(bench, world, "dough", simulated, phxi_bench_clock() - begin);
            report_real_time(bench, world, "dough, processor's time a thread", simulated,
                             (phxi_bench_cpu_clock() - processor) / threads);
        }
        phx_world_destroy(world);
        PHXI_TRY(result);
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------ implicit

/// A block of 16^3 that is struck; seconds of processor for one simulated one.
static phx_result cost(const char* implicit, double seconds, int threads, double* taken, double* iterations) {
    const phx_setting settings[] = {{"implicit", implicit}};
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_material_def steel = phx_material_def_default();
    steel.young = 1e9, steel.law = PHX_LAW_NEO_HOOKEAN;
    def.threads = threads;
    PHXI_TRY(phx_world_create(&def, &world));
    phx_result result = add_body(world, &steel, "block", "box(size=(0.16,0.16,0.16))", 0.01, settings, 1);
    for (int i = 0; result == PHX_OK && i < world->particles.count; ++i) {
        world->particles.vx[i] = world->particles.z[i] > 0 ? 1 : 0;
    }
    double begin = phxi_bench_cpu_clock(), spent = 0;
    while (result == PHX_OK && spent < seconds) {
        result = phx_world_step(world, 2e-3);
        spent = phxi_bench_cpu_clock() - begin;
    }
    if (result == PHX_OK) {
        const phxi_mpm* s = world->solvers.items[0].state;
        *taken = spent / world->time;
        *iterations = s->words[MPM_WORD_SOLVES] / s->words[MPM_WORD_STEPS];
    }
    phx_world_destroy(world);
    return result;
}

phx_result phxi_bench_mpm_implicit(phxi_bench* bench) {
    static const char* const longer[] = {"0", "10", "30", "100"};
    double explicit_time = 0;
    for (int k = 0; k < 4; ++k) {
        double taken, iterations;
        char name[64];
        PHXI_TRY(cost(longer[k], 0.5 * bench->def->seconds, 1, &taken, &iterations));
        explicit_time = k == 0 ? taken : explicit_time;
        snprintf(name, sizeof name, k == 0 ? "explicit" : "implicit %s, %.0f iterations", longer[k], iterations);
        phx_bench_line line = {.name = name,
                               .particles = 4096,
                               .threads = 1,
                               .ns_per_particle = NAN,
                               .ns_per_pair = NAN,
                               .x_limit = NAN,
                               .speedup = NAN,
                               .unit = "s/s",
                               .measured = taken,
                               .against = "explicit",
                               .reference = explicit_time,
                               .ratio = explicit_time / taken,
                               .goal = NAN,
                               .share = NAN};
        phxi_bench_report(bench, &line);
    }
    return PHX_OK;
}
