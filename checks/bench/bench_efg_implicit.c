// SPDX-License-Identifier: MIT
// Implicit steps of spinning blocks of 0.5 m: what one of them takes against the 16.7 ms of a frame, and how many
// explicit substeps of the same block that is (the number that integrator: auto goes by, methods/efg/implicit.c).
#include "bench/bench_block.h"
#include "methods/efg/efg_internal.h"

#include <stdio.h>

#define FRAME (1.0 / 60) // s
#define SIZE  0.5        // m

static phx_result make(int side, double young, const char* integrator, int threads, phx_world** world) {
    phxi_bench_block block = phxi_bench_cube(side, threads);
    block.spacing = SIZE / side;
    block.young = young;
    block.integrator = integrator;
    return phxi_bench_world(&block, world);
}

static void report(phxi_bench* bench, const phx_world* world, double young, int threads, const double times[2]) {
    const phxi_efg* efg = world->solvers.items[0].state;
    char name[64];
    snprintf(name, sizeof name, "%g Pa, %d iterations", young,
             phxi_implicit_last(efg->slots.items[0].implicit)->iterations);
    phx_bench_line line = {.name = name,
                           .particles = world->particles.count,
                           .threads = threads,
                           .unit = "ms a step",
                           .measured = 1e3 * times[0],
                           .against = "a frame",
                           .reference = 1e3 * FRAME,
                           .ratio = FRAME / times[0],
                           .goal = 1};
    phxi_bench_report(bench, &line);
    line.name = "cost of a step";
    line.unit = "substeps";
    line.measured = times[0] / times[1];
    line.against = "auto";
    line.reference = EFG_STEP_COST;
    line.ratio = line.reference / line.measured;
    line.goal = NAN;
    phxi_bench_report(bench, &line);
}

static phx_result run(phxi_bench* bench, int side, double young, int threads) {
    phx_world* worlds[2] = {NULL, NULL};
    double times[3];
    phx_result result = make(side, young, "bdf2", threads, &worlds[0]);
    if (result == PHX_OK) {
        result = make(side, young, "velocity_verlet", threads, &worlds[1]);
    }
    if (result == PHX_OK) { // the first step builds the preconditioner
        result = phx_world_substep(worlds[0], FRAME);
    }
    if (result == PHX_OK) {
        result = phxi_bench_turns(worlds, 2, NULL, NULL, bench->def->seconds, times);
    }
    if (result == PHX_OK) {
        report(bench, worlds[0], young, threads, times);
    }
    phx_world_destroy(worlds[0]);
    phx_world_destroy(worlds[1]);
    return result;
}

phx_result phxi_bench_efg_implicit(phxi_bench* bench) {
    static const int sides[] = {10, 17, 27};
    static const double youngs[] = {1e5, 1e7, 2e11};
    int most;
    PHXI_TRY(phxi_bench_threads(bench, &most));
    for (int k = 0; k < 9; ++k) {
        int side = sides[k / 3], count = side * side * side;
        if (bench->def->max_particles == 0 || count <= bench->def->max_particles) {
            PHXI_TRY(run(bench, side, youngs[k % 3], most));
        }
    }
    return PHX_OK;
}
