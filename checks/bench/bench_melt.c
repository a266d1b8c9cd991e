// SPDX-License-Identifier: MIT
// Paiva et al. (2006), table 2: seconds an iteration of four melting models on a Pentium 4 of 2.4 GHz. Ours are boxes
// of as many particles (one percent more at most) of the wax of docs/theory/melting.md H6, cold below and hot above, on
// a floor: neighbours, heat, everything that a substep does, in steps as runs make them: the size of substeps is asked
// for every eighth time, and heat is advanced when it is due, as its own explicit step is that of thousands of these.
// So there is another line for iterations that each advance heat, as the paper's do.
//
// The paper's iterations are explicit. An implicit one does the work of thousands.
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
    int cells[3]; // of ours
    double paper; // s an iteration
} model;

static const model models[] = {{"hare", 9727, {17, 24, 24}, 0.94},
                               {"chair", 10000, {20, 20, 25}, 0.75},
                               {"gargoyle", 6976, {16, 21, 21}, 1.06},
                               {"logo", 12900, {20, 24, 27}, 0.92}};

/// How substeps are made: as runs do, or one by one, each with heat.
typedef enum manner { IN_STEPS, ONE_BY_ONE } manner;

/// What was measured of a model.
typedef struct result {
    double time, dt;   // s a substep, and its size
    double neighbours; // s of `time`
    int particles;
} result;

static phx_result add(phx_world* world, phx_body_def* body, const phx_material_def* material, phx_vec3 center,
                      phx_vec3 size) {
    phx_body_id id;
    char shape[200];
    PHXI_TRY(phx_material_create(world, material, &body->material));
    snprintf(shape, sizeof shape, "box(center=(%.17g,%.17g,%.17g),size=(%.17g,%.17g,%.17g))", center.x, center.y,
             center.z, size.x, size.y, size.z);
    body->shape = shape;
    return phx_body_create(world, body, &id);
}

static phx_result create(const model* m, int threads, const char* viscosity, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    phx_material_def wax = phx_material_def_default(), stone = wax;
    phx_body_def block = phx_body_def_default(), floor = block;
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
    double a = 0.16 / cbrt(m->particles);
    phx_vec3 size = phxi_vec3(a * m->cells[0], a * m->cells[1], a * m->cells[2]);
    block.name = "wax";
    block.method = "wcsph";
    block.spacing = floor.spacing = a;
    block.temperature = floor.temperature = 0;
    block.temperature_gradient = phxi_vec3(0, 0, 1 / size.z);
    block.settings = settings;
    block.setting_count = 2;
    floor.name = "floor";
    floor.method = "wall";
    *world = NULL;
    PHXI_TRY(phx_world_create(&def, world));
    PHXI_TRY(add(*world, &block, &wax, phxi_vec3(0, 0, size.z / 2), size));
    return add(*world, &floor, &stone, phxi_vec3(0, 0, -1.5 * a), phxi_vec3(2 * size.x, 2 * size.y, 3 * a));
}

static phx_result advance(phx_world* world, manner how, double dt, int count) {
    if (how == IN_STEPS) {
        return phx_world_step(world, count * dt);
    }
    for (int k = 0; k < count; ++k) {
        PHXI_TRY(phx_world_substep(world, dt));
    }
    return PHX_OK;
}

/// Time of a substep and of its neighbours, s: the least mean of a group, as others may use the machine. A group in
/// steps is one step: a frame of a run has thousands of explicit iterations, so what is done once a step (heat, a copy
/// to go back to) must not be counted every few.
static phx_result measure(phx_world* world, manner how, double seconds, result* r) {
    enum { GROUP = 100 };
    phx_dt_info info;
    PHXI_TRY(phx_world_dt(world, &info));
    *r = (result){INFINITY, info.dt, INFINITY, world->bodies.items[0].count};
    double begin = phxi_bench_clock();
    for (int count = 0; count < 3 || phxi_bench_clock() - begin < seconds; ++count) {
        int64_t before = world->substeps;
        double start = phxi_bench_clock();
        PHXI_TRY(advance(world, how, info.dt, GROUP));
        double mean = (phxi_bench_clock() - start) / (double)(world->substeps - before);
        r->time = count > 0 ? fmin(r->time, mean) : INFINITY;
        start = phxi_bench_clock();
        PHXI_TRY(phxi_world_update_neighbors(world, &world->near, 0));
        r->neighbours = fmin(r->neighbours, phxi_bench_clock() - start);
        phxi_arena_reset(&world->arena);
    }
    return PHX_OK;
}

static phx_result run(phxi_bench* bench, const model* m, int threads, const char* viscosity, manner how, result* r) {
    phx_world* world;
    phx_result made = create(m, threads, viscosity, &world);
    made = made == PHX_OK ? measure(world, how, bench->def->seconds, r) : made;
    phx_world_destroy(world);
    return made;
}

static void report(phxi_bench* bench, const model* m, const char* kind, const result* r, double time, int threads,
                   double goal) {
    char name[40];
    snprintf(name, sizeof name, "%s, %s", m->name, kind);
    phxi_bench_report(bench, &(phx_bench_line){.name = name,
                                               .particles = r->particles,
                                               .threads = threads,
                                               .unit = "ms/iteration",
                                               .measured = 1e3 * time,
                                               .against = "Pentium 4",
                                               .reference = 1e3 * m->paper,
                                               .ratio = m->paper / time,
                                               .goal = goal});
}

/// All kinds of iterations of a model; explicit and implicit ones are given back.
static phx_result run_model(phxi_bench* bench, const model* m, int threads, result* slow, result* fast) {
    result heated;
    PHXI_TRY(run(bench, m, threads, "explicit", IN_STEPS, slow));
    report(bench, m, "explicit", slow, slow->time, threads, 200);
    report(bench, m, "of which neighbours", slow, slow->neighbours, threads, NAN);
    PHXI_TRY(run(bench, m, threads, "explicit", ONE_BY_ONE, &heated));
    report(bench, m, "each with heat", &heated, heated.time, threads, NAN);
    PHXI_TRY(run(bench, m, threads, "implicit", IN_STEPS, fast));
    report(bench, m, "implicit", fast, fast->time, threads, NAN);
    return PHX_OK;
}

phx_result phxi_bench_melt(phxi_bench* bench) {
    int threads;
    PHXI_TRY(phxi_bench_threads(bench, &threads));
    for (size_t k = 0; k < sizeof models / sizeof models[0]; ++k) {
        const model* m = &models[k];
        result slow, fast;
        if (bench->def->max_particles > 0 && m->particles > bench->def->max_particles) {
            continue;
        }
        PHXI_TRY(run_model(bench, m, threads, &slow, &fast));
        if (k == 3) {
            double taken = 4 / fast.dt * fast.time, otherwise = 4 / slow.dt * slow.time;
            phxi_bench_report(bench, &(phx_bench_line){.name = "4 s of it, implicit",
                                                       .particles = fast.particles,
                                                       .threads = threads,
                                                       .unit = "s",
                                                       .measured = taken,
                                                       .against = "explicit, by its steps",
                                                       .reference = otherwise,
                                                       .ratio = otherwise / taken,
                                                       .goal = NAN});
        }
    }
    return PHX_OK;
}
