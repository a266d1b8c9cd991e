// SPDX-License-Identifier: MIT
// Paiva et al. (2006), table 2: seconds an iteration of four melting models on a Pentium 4 of 2.4 GHz. Ours are cubes
// of about as many particles of the wax of specs/melting.md section 7, cold below and hot above, on a floor:
// neighbours, heat, everything that a substep does. The paper's iterations are explicit. So there is a line for one of
// these, and one for an implicit one, which does the work of thousands.
//
// Then what 4 s of the animation of the largest take on the clock by implicit steps, and by explicit ones: these would
// be so many (their size is that of the first step, when the cold part is thickest) that their time is their number
// times that of one.
#include "bench/bench.h"

#include "world/world.h"

#include <math.h>
#include <stdio.h>

typedef struct model {
    const char* name;
    int particles;
    double paper; // s an iteration
} model;

static const model models[] = {
    {"hare", 9727, 0.94}, {"chair", 10000, 0.75}, {"gargoyle", 6976, 1.06}, {"logo", 12900, 0.92}};

static phx_result add(phx_world* world, const char* name, const char* method, double side, double height, double below,
                      double spacing, const phx_material_def* material, const phx_setting* settings, int count) {
    phx_body_def body = phx_body_def_default();
    phx_body_id id;
    char shape[200];
    PHXI_TRY(phx_material_create(world, material, &body.material));
    snprintf(shape, sizeof shape, "box(center=(0,0,%.17g),size=(%.17g,%.17g,%.17g))", height / 2 - below, side, side,
             height);
    body.name = name;
    body.method = method;
    body.shape = shape;
    body.spacing = spacing;
    body.temperature = 0;
    body.temperature_gradient = (phx_vec3){0, 0, below > 0 ? 0 : 1 / height};
    body.settings = settings;
    body.setting_count = count;
    return phx_body_create(world, &body, &id);
}

static phx_result create(const model* m, int threads, const char* viscosity, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    phx_material_def wax = phx_material_def_default(), stone = wax;
    double size = 0.16, spacing = size / cbrt(m->particles);
    const phx_setting settings[] = {{"sound_speed", "12"}, {"viscosity", viscosity}};
    def.threads = threads;
    wax.flow = PHX_FLOW_JUMP;
    wax.yield_stress = 2000;
    wax.consistency = 141;
    wax.flow_index = 0.5;
    wax.jump_scale = 0;
    wax.solidus = 0.4;
    wax.liquidus = 0.6;
    wax.conductivity = 100;
    *world = NULL;
    PHXI_TRY(phx_world_create(&def, world));
    PHXI_TRY(add(*world, "wax", "wcsph", size, size, 0, spacing, &wax, settings, 2));
    return add(*world, "floor", "wall", 2 * size, 3 * spacing, 3 * spacing, spacing, &stone, NULL, 0);
}

/// Time of a substep, s: the least mean of five, as others may use the machine; and the size of one.
static phx_result measure(phx_world* world, double seconds, double* time, double* dt) {
    enum { GROUP = 5 };
    phx_dt_info info;
    PHXI_TRY(phx_world_dt(world, &info));
    *dt = info.dt;
    *time = INFINITY;
    double begin = phxi_bench_clock();
    for (int count = 0; count < 3 || phxi_bench_clock() - begin < seconds; ++count) {
        double start = phxi_bench_clock();
        for (int k = 0; k < GROUP; ++k) {
            PHXI_TRY(phx_world_substep(world, info.dt));
        }
        *time = count > 0 ? fmin(*time, (phxi_bench_clock() - start) / GROUP) : INFINITY;
    }
    return PHX_OK;
}

static phx_result run(phxi_bench* bench, const model* m, int threads, const char* viscosity, double* time, double* dt,
                      int* particles) {
    phx_world* world;
    phx_result result = create(m, threads, viscosity, &world);
    if (result == PHX_OK) {
        result = measure(world, bench->def->seconds, time, dt);
        *particles = world->bodies.items[0].count;
    }
    phx_world_destroy(world);
    return result;
}

static void report(phxi_bench* bench, const model* m, const char* kind, int particles, int threads, double time,
                   double goal) {
    char name[40];
    snprintf(name, sizeof name, "%s, %s", m->name, kind);
    phxi_bench_report(bench, &(phx_bench_line){.name = name,
                                               .particles = particles,
                                               .threads = threads,
                                               .unit = "ms/iteration",
                                               .measured = 1e3 * time,
                                               .against = "Pentium 4",
                                               .reference = 1e3 * m->paper,
                                               .ratio = m->paper / time,
                                               .goal = goal});
}

phx_result phxi_bench_melt(phxi_bench* bench) {
    int threads, particles = 0;
    double time = 0, dt = 0, slow_time = 0, slow_dt = 0;
    PHXI_TRY(phxi_bench_threads(bench, &threads));
    for (size_t k = 0; k < sizeof models / sizeof models[0]; ++k) {
        const model* m = &models[k];
        if (bench->def->max_particles > 0 && m->particles > bench->def->max_particles) {
            continue;
        }
        PHXI_TRY(run(bench, m, threads, "explicit", &slow_time, &slow_dt, &particles));
        report(bench, m, "explicit", particles, threads, slow_time, 200);
        PHXI_TRY(run(bench, m, threads, "implicit", &time, &dt, &particles));
        report(bench, m, "implicit", particles, threads, time, NAN);
        if (k == 3) {
            phxi_bench_report(bench, &(phx_bench_line){.name = "4 s of it, implicit",
                                                       .particles = particles,
                                                       .threads = threads,
                                                       .unit = "s",
                                                       .measured = 4 / dt * time,
                                                       .against = "explicit, by its steps",
                                                       .reference = 4 / slow_dt * slow_time,
                                                       .ratio = slow_time / slow_dt * dt / time,
                                                       .goal = NAN});
        }
    }
    return PHX_OK;
}
