// SPDX-License-Identifier: MIT
// How large a block can be and still take less than 1/60 s of real time for 1/60 s of its own: cubes of 0.5 m, jelly
// and rubber, finer and finer. Explicit substeps grow with the fourth power of the particles along an edge.
#include "bench/bench_block.h"

#include <math.h>

#define FRAME (1.0 / 60) // s
#define SIZE  0.5        // m

static phx_result time_frame(const phxi_bench_block* block, double seconds, double* frame) {
    phx_world* world = NULL;
    phx_result result = phxi_bench_world(block, &world);
    *frame = INFINITY;
    double begin = phxi_bench_clock();
    for (int k = 0; result == PHX_OK && (k < 2 || phxi_bench_clock() - begin < seconds); ++k) {
        double start = phxi_bench_clock();
        result = phx_world_step(world, FRAME);
        *frame = k > 0 ? fmin(*frame, phxi_bench_clock() - start) : *frame;
    }
    phx_world_destroy(world);
    return result;
}

static phxi_bench_block cube(int side, double young, const char* integrator, int threads) {
    phxi_bench_block block = phxi_bench_cube(side, threads);
    block.spacing = SIZE / side;
    block.young = young;
    block.integrator = integrator;
    return block;
}

/// Bisection over the particles along an edge, up to `limit`.
static phx_result find_largest(phxi_bench* bench, const char* name, double young, const char* integrator, int threads) {
    int low = 2, high = 4, limit = 80;
    double best = 0, frame = 0;
    while (bench->def->max_particles > 0 && limit > low && limit * limit * limit > bench->def->max_particles) {
        --limit;
    }
    for (bool growing = true; high - low > 1 && low < limit;) {
        int side = growing ? (high < limit ? high : limit) : (low + high) / 2;
        phxi_bench_block block = cube(side, young, integrator, threads);
        PHXI_TRY(time_frame(&block, bench->def->seconds / 4, &frame));
        if (frame <= FRAME) {
            low = side, best = frame;
            high = growing ? 2 * side : high;
        } else {
            high = side, growing = false;
        }
    }
    phx_bench_line line = {.name = name,
                           .particles = low * low * low,
                           .threads = threads,
                           .unit = "frames/s",
                           .measured = 1 / best,
                           .against = "real time",
                           .reference = 1 / FRAME,
                           .ratio = FRAME / best,
                           .goal = 1};
    phxi_bench_report(bench, &line);
    return PHX_OK;
}

phx_result phxi_bench_efg_real_time(phxi_bench* bench) {
    int most;
    PHXI_TRY(phxi_bench_threads(bench, &most));
    PHXI_TRY(find_largest(bench, "jelly 1e5 Pa", 1e5, "velocity_verlet", most));
    return find_largest(bench, "rubber 1e7 Pa", 1e7, "velocity_verlet", most);
}
