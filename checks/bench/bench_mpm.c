// SPDX-License-Identifier: MIT
// The material point method: ns per particle and substep of a block that turns slowly, and of its stages:
// particles to grid, grid, grid to particles, and assigning particles to blocks. The reference is a bare loop that
// reads and writes what a substep must: positions, velocities, F and C read twice and written once.
#include "bench/bench.h"

#include "methods/mpm/mpm_internal.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

enum { STREAM_READ = 2 * (3 + 3 + 3 + 9) + 9 + 2, STREAM_WRITE = 3 + 3 + 3 + 3 + 9 + 9 };

typedef struct stages {
    double to_grid, grid, to_particles, sort, all, stream; // s, the least of each
} stages;

static phx_result make_world(int side, const char* kernel, int threads, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.threads = threads;
    def.gravity = (phx_vec3){0}; // substeps are all those of rest
    PHXI_TRY(phx_world_create(&def, world));
    phx_material_def material = phx_material_def_default();
    material.law = PHX_LAW_NEO_HOOKEAN;
    phx_material_id stuff;
    PHXI_TRY(phx_material_create(*world, &material, &stuff));
    const phx_setting settings[] = {{"kernel", kernel}};
    char shape[64];
    snprintf(shape, sizeof shape, "box(size=(%d,%d,%d))", side, side, side);
    phx_body_def body = phx_body_def_default();
    body.shape = shape;
    body.spacing = 1;
    body.material = stuff;
    body.method = "mpm";
    body.settings = settings;
    body.setting_count = 1;
    body.angular_velocity = (phx_vec3){0.01, 0.02, 0.03};
    phx_body_id id;
    return phx_body_create(*world, &body, &id);
}

static void least(double* best, double* from) {
    double now = phxi_bench_clock();
    *best = fmin(*best, now - *from);
    *from = now;
}

/// Arrays of as many numbers, read and written once, in blocks on all threads.
typedef struct stream {
    const phx_real* from;
    phx_real* to;
} stream;

static void stream_part(void* context, int begin, int end, int block) {
    const stream* c = context;
    (void)block;
    for (int i = begin; i < end; ++i) {
        phx_real sum = 0;
        for (int k = 0; k < STREAM_READ; ++k) {
            sum += c->from[(ptrdiff_t)i * STREAM_READ + k];
        }
        for (int k = 0; k < STREAM_WRITE; ++k) {
            c->to[(ptrdiff_t)i * STREAM_WRITE + k] = sum;
        }
    }
}

static phx_result time_stages(phxi_bench* bench, phx_world* world, stages* t) {
    phx_dt_info info;
    PHXI_TRY(phx_world_dt(world, &info));
    int count = world->particles.count;
    stream c = {phxi_alloc_zero(bench->heap, (size_t)count * STREAM_READ, sizeof(phx_real), "bench"),
                phxi_alloc_zero(bench->heap, (size_t)count * STREAM_WRITE, sizeof(phx_real), "bench")};
    phx_result result = c.from && c.to ? PHX_OK : PHX_ERROR_MEMORY;
    *t = (stages){INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
    phxi_mpm* s = world->solvers.items[0].state;
    double begin = phxi_bench_clock();
    do {
        double from = phxi_bench_clock(), first = from;
        result = result == PHX_OK ? phx_world_substep(world, info.dt) : result;
        least(&t->all, &first);
        phxi_step step = phxi_world_context(world, 0);
        phxi_trouble trouble = {-1, NULL};
        phxi_mpm_bind(s, &step);
        s->dt = 1e-12 * info.dt; // neither pushes nor moves anything to speak of: forces twice a substep would blow up
        from = phxi_bench_clock();
        phxi_mpm_to_grid(s);
        least(&t->to_grid, &from);
        result = result == PHX_OK ? phxi_mpm_advance_grid(s) : result;
        least(&t->grid, &from);
        phxi_mpm_to_particles(s);
        least(&t->to_particles, &from);
        s->placed = s->settled = false;
        result = result == PHX_OK ? phxi_mpm_settle(s, &trouble) : result;
        least(&t->sort, &from);
        phxi_parallel_for(world->pool, result == PHX_OK ? count : 0, 4096, stream_part, &c);
        least(&t->stream, &from);
        phxi_arena_reset(&world->arena);
    } while (result == PHX_OK && phxi_bench_clock() - begin < bench->def->seconds);
    phxi_free(bench->heap, (void*)c.from);
    phxi_free(bench->heap, c.to);
    return result;
}

static void report(phxi_bench* bench, const char* name, int count, int threads, double seconds, double reference) {
    phx_bench_line line = {.name = name,
                           .particles = count,
                           .threads = threads,
                           .ns_per_particle = 1e9 * seconds / count,
                           .ns_per_pair = NAN,
                           .x_limit = reference > 0 ? seconds / reference : NAN,
                           .speedup = NAN,
                           .reference = NAN,
                           .ratio = NAN,
                           .goal = NAN,
                           .share = NAN};
    phxi_bench_report(bench, &line);
}

static phx_result run(phxi_bench* bench, int side, const char* kernel, int threads) {
    phx_world* world = NULL;
    stages t;
    phx_result result = make_world(side, kernel, threads, &world);
    result = result == PHX_OK ? time_stages(bench, world, &t) : result;
    if (result == PHX_OK) {
        int count = world->particles.count;
        const struct {
            const char* what;
            double seconds, reference;
        } rows[] = {{"substep", t.all, t.stream},
                    {"to grid", t.to_grid, 0},
                    {"grid", t.grid, 0},
                    {"to particles", t.to_particles, 0},
                    {"blocks", t.sort, 0}};
        for (int k = 0; k < 5; ++k) {
            char name[48];
            snprintf(name, sizeof name, "%s, %s", kernel, rows[k].what);
            report(bench, name, count, threads, rows[k].seconds, rows[k].reference);
        }
    }
    phx_world_destroy(world);
    return result;
}

phx_result phxi_bench_mpm(phxi_bench* bench) {
    int most;
    PHXI_TRY(phxi_bench_threads(bench, &most));
    for (int side = 32; side <= 100; side = side == 64 ? 100 : 2 * side) {
        int count = side * side * side;
        bool fits = bench->def->max_particles <= 0 || count <= bench->def->max_particles;
        for (int kernel = 0; fits && kernel < 2; ++kernel) {
            for (int threads = 1; threads <= most; threads = threads < most ? most : most + 1) {
                PHXI_TRY(run(bench, side, kernel == 0 ? "cubic" : "quadratic", threads));
            }
        }
    }
    return PHX_OK;
}
