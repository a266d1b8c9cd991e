// SPDX-License-Identifier: MIT
// The budget of 60 frames a second: the largest elastic, plastic and granular body that takes less than 1/60 s of a
// machine for 1/60 s of its own. A cube of 0.3 m lies on a floor and gives way under its weight, finer and finer.
//
// Time is the processors' over the number of threads, of the median frame: what the machine would take if it had
// nothing else to do and all parts were parallel.
#include "bench/bench_largest.h"

#include "world/world.h"

#include <math.h>
#include <stdio.h>

#define SIZE 0.3 // m

enum { MOST_SETTINGS = 2, FRAMES = 9, WARM_UP = 3 };

/// One row of the table. A row more is a line more.
typedef struct budget {
    const char *name, *method;
    phx_setting settings[MOST_SETTINGS];
    int setting_count;
    double young, yield, friction_angle; // Pa, -, degrees
} budget;

static const budget rows[] = {
    {"elastic, peridynamics projective", "peridynamics", {{"integrator", "projective"}}, 1, 1e5, 0, 0},
    {"elastic, peridynamics bdf2", "peridynamics", {{"integrator", "bdf2"}}, 1, 1e5, 0, 0},
    {"elastic, efg bdf2", "efg", {{"integrator", "bdf2"}}, 1, 1e5, 0, 0},
    {"elastic, efg explicit", "efg", {{NULL, NULL}}, 0, 1e5, 0, 0},
    {"elastic, mpm", "mpm", {{NULL, NULL}}, 0, 1e5, 0, 0},
    {"plastic, efg", "efg", {{NULL, NULL}}, 0, 1e5, 0.02, 0},
    {"plastic, mpm", "mpm", {{NULL, NULL}}, 0, 1e5, 0.02, 0},
    {"plastic, peridynamics", "peridynamics", {{NULL, NULL}}, 0, 1e5, 0.02, 0},
    {"granular, granular", "granular", {{NULL, NULL}}, 0, 2e5, 0, 30},
    {"granular, mpm", "mpm", {{NULL, NULL}}, 0, 2e5, 0, 30},
    {"granular, peridynamics", "peridynamics", {{NULL, NULL}}, 0, 2e5, 0, 30},
};

typedef struct trial {
    const budget* row;
    int threads;
} trial;

static phx_result create(const trial* t, int side, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.threads = t->threads;
    phx_material_def material = phx_material_def_default();
    material.young = t->row->young;
    material.yield = t->row->yield;
    material.friction_angle = t->row->friction_angle;
    phx_collider_def floor = phx_collider_def_default();
    floor.shape = "plane()";
    floor.friction = 0.6;
    phx_body_def body = phx_body_def_default();
    char shape[96];
    snprintf(shape, sizeof shape, "box(center=(0,0,%g),size=(%g,%g,%g))", SIZE / 2, SIZE, SIZE, SIZE);
    body.shape = shape;
    body.spacing = SIZE / side;
    body.method = t->row->method;
    body.settings = t->row->settings;
    body.setting_count = t->row->setting_count;
    phx_collider_id collider;
    phx_body_id id;
    PHXI_TRY(phx_world_create(&def, world));
    PHXI_TRY(phx_collider_create(*world, &floor, &collider));
    PHXI_TRY(phx_material_create(*world, &material, &body.material));
    return phx_body_create(*world, &body, &id);
}

/// Frames that take three times too long are too slow whatever follows.
static phx_result time_frame(const void* context, int side, double seconds, double* frame, int* particles) {
    const trial* t = context;
    phx_world* world = NULL;
    (void)seconds;
    double sorted[FRAMES];
    int count = 0;
    phx_result result = create(t, side, &world);
    *particles = result == PHX_OK ? world->particles.count : 0;
    for (int k = 0; result == PHX_OK && k < WARM_UP + FRAMES; ++k) {
        double start = phxi_bench_cpu_clock();
        result = phx_world_step(world, PHXI_BENCH_FRAME);
        double time = (phxi_bench_cpu_clock() - start) / t->threads;
        if (k >= WARM_UP || time > 3 * PHXI_BENCH_FRAME) {
            int at = count++;
            for (; at > 0 && sorted[at - 1] > time; --at) {
                sorted[at] = sorted[at - 1];
            }
            sorted[at] = time;
        }
        if (time > 3 * PHXI_BENCH_FRAME && k > 0) {
            break;
        }
    }
    *frame = count > 0 ? sorted[count / 2] : INFINITY;
    phx_world_destroy(world);
    return result;
}

phx_result phxi_bench_real_time(phxi_bench* bench) {
    int most;
    PHXI_TRY(phxi_bench_threads(bench, &most));
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        trial t = {&rows[k], most};
        PHXI_TRY(
            phxi_bench_largest(bench, &(phxi_bench_largest_def){rows[k].name, "frames/s cpu", most, time_frame, &t}));
    }
    return PHX_OK;
}
