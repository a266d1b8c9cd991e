// SPDX-License-Identifier: MIT
// The thesis' table 5.1 (Stegmayr 2008, 4 cores of 2.33 GHz): frames a second for blocks of so many phyxels with so
// many neighbours, a frame being 0.01 s. Ours are body-centred blocks of jelly (E = 1e5 Pa, 1000 kg/m^3), 0.5 m along
// their longest side, with the support that gives the nearest mean number of neighbours; a frame is as many stable
// substeps as 0.01 s takes, and everything that phx_world_step does.
#include "bench/bench_block.h"

#include <math.h>

#define FRAME 0.01 // s
#define SIZE  0.5  // m

typedef struct row {
    int phyxels;
    double neighbors, fps;
    int cells[3];
} row;

static const row rows[] = {
    {48, 37.9, 227.8, {2, 3, 4}},   {100, 74.9, 83.5, {2, 5, 5}},  {180, 104.4, 44.0, {3, 5, 6}},
    {294, 133.5, 21.6, {3, 7, 7}},  {448, 127.7, 12.3, {4, 7, 8}}, {448, 248.3, 8.2, {4, 7, 8}},
    {1210, 66.6, 7.2, {5, 11, 11}},
};

/// The support whose mean number of neighbours is nearest to the thesis', by bisection: they come in shells.
static phx_result find_support(phxi_bench* bench, const row* r, phxi_bench_block* block, int64_t* pairs) {
    phx_world* world = NULL;
    phx_result result = phxi_bench_world(block, &world);
    double low = 1, high = 6, best = INFINITY;
    for (int k = 0; k < 12 && result == PHX_OK; ++k) {
        double support = (low + high) / 2;
        int64_t found;
        result = phxi_bench_pairs(bench->heap, world, support * block->spacing, &found);
        double error = (double)found / world->particles.count - r->neighbors;
        if (result == PHX_OK && fabs(error) < best) {
            best = fabs(error);
            block->support = support;
            *pairs = found;
        }
        *(error < 0 ? &low : &high) = support;
    }
    phx_world_destroy(world);
    return result;
}

static phx_result measure(phx_world* world, double seconds, double* frame) {
    *frame = INFINITY;
    PHXI_TRY(phx_world_step(world, FRAME));
    double begin = phxi_bench_clock();
    do {
        double start = phxi_bench_clock();
        PHXI_TRY(phx_world_step(world, FRAME));
        *frame = fmin(*frame, phxi_bench_clock() - start);
    } while (phxi_bench_clock() - begin < seconds);
    return PHX_OK;
}

static phx_result run_row(phxi_bench* bench, const row* r, int threads) {
    phxi_bench_block block = {.cells = {r->cells[0], r->cells[1], r->cells[2]},
                              .spacing = SIZE / r->cells[2],
                              .young = 1e5,
                              .bcc = true,
                              .threads = threads};
    int64_t pairs = 0;
    double frame = INFINITY;
    PHXI_TRY(find_support(bench, r, &block, &pairs));
    phx_world* world = NULL;
    phx_result result = phxi_bench_world(&block, &world);
    if (result == PHX_OK) {
        result = measure(world, bench->def->seconds, &frame);
    }
    if (result == PHX_OK) {
        phx_bench_line line = {.name = "block",
                               .particles = world->particles.count,
                               .pairs = (int)pairs,
                               .threads = phx_world_threads(world),
                               .unit = "frames/s",
                               .measured = 1 / frame,
                               .against = "thesis",
                               .reference = r->fps,
                               .ratio = 1 / frame / r->fps,
                               .goal = 100};
        phxi_bench_report(bench, &line);
    }
    phx_world_destroy(world);
    return result;
}

phx_result phxi_bench_efg_thesis(phxi_bench* bench) {
    int most;
    PHXI_TRY(phxi_bench_threads(bench, &most));
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        if (bench->def->max_particles == 0 || rows[k].phyxels <= bench->def->max_particles) {
            PHXI_TRY(run_row(bench, &rows[k], most));
        }
    }
    return PHX_OK;
}
