// SPDX-License-Identifier: MIT
// Implicit steps of spinning blocks of 0.5 m: what one of them takes against the 16.7 ms of a frame, and how many
// explicit substeps of the same block that is (the number that integrator: auto goes by: EFG_STEP_COST,
// CSPH_STEP_COST).
#include "bench/bench_block.h"
#include "methods/corotated_sph/corotated_internal.h"
#include "methods/efg/efg_internal.h"

#include <stdio.h>
#include <string.h>

#define FRAME (1.0 / 60) // s
#define SIZE  0.5        // m

typedef struct kind {
    const char *method, *explicit_one;
    double cost;
} kind;

static phx_result make(const kind* k, int side, double young, const char* integrator, int threads, phx_world** world) {
    phxi_bench_block block = phxi_bench_cube(side, threads);
    block.spacing = SIZE / side;
    block.young = young;
    block.method = k->method;
    block.integrator = integrator;
    return phxi_bench_world(&block, world);
}

static const phxi_implicit* implicit_of(const phx_world* world, const kind* k) {
    const void* state = world->solvers.items[0].state;
    return strcmp(k->method, "efg") == 0 ? ((const phxi_efg*)state)->slots.items[0].implicit
                                         : ((const phxi_csph*)state)->slots.items[0].implicit;
}

static void report(phxi_bench* bench, const kind* k, const phx_world* world, double young, int threads,
                   const double times[2]) {
    char name[64];
    snprintf(name, sizeof name, "%g Pa, %d iterations", young, phxi_implicit_last(implicit_of(world, k))->iterations);
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
    line.reference = k->cost;
    line.ratio = line.reference / line.measured;
    line.goal = NAN;
    phxi_bench_report(bench, &line);
}

static phx_result run(phxi_bench* bench, const kind* k, int side, double young, int threads) {
    phx_world* worlds[2] = {NULL, NULL};
    double times[3];
    phx_result result = make(k, side, young, "bdf2", threads, &worlds[0]);
    if (result == PHX_OK) {
        result = make(k, side, young, k->explicit_one, threads, &worlds[1]);
    }
    if (result == PHX_OK) { // the first step builds the preconditioner
        result = phx_world_substep(worlds[0], FRAME);
    }
    if (result == PHX_OK) {
        result = phxi_bench_turns(worlds, 2, NULL, NULL, bench->def->seconds, times);
    }
    if (result == PHX_OK) {
        report(bench, k, worlds[0], young, threads, times);
    }
    phx_world_destroy(worlds[0]);
    phx_world_destroy(worlds[1]);
    return result;
}

static phx_result run_all(phxi_bench* bench, const kind* what) {
    static const int sides[] = {10, 17, 27};
    static const double youngs[] = {1e5, 1e7, 2e11};
    int most;
    PHXI_TRY(phxi_bench_threads(bench, &most));
    for (int k = 0; k < 9; ++k) {
        int side = sides[k / 3], count = side * side * side;
        if (bench->def->max_particles == 0 || count <= bench->def->max_particles) {
            PHXI_TRY(run(bench, what, side, youngs[k % 3], most));
        }
    }
    return PHX_OK;
}

phx_result phxi_bench_efg_implicit(phxi_bench* bench) {
    const kind what = {"efg", "velocity_verlet", EFG_STEP_COST};
    return run_all(bench, &what);
}

phx_result phxi_bench_corotated_implicit(phxi_bench* bench) {
    const kind what = {"corotated_sph", "leapfrog", CSPH_STEP_COST};
    return run_all(bench, &what);
}
