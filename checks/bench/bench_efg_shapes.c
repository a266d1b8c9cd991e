// SPDX-License-Identifier: MIT
// One substep of bodies that fill their shape (sampling: conforming) against such with particles in the middle of
// their cells, of the same shape and about as many particles, a particle and second of time simulated. Boxes stay on
// the lattice path; of other shapes one moved particle makes all of them rows.
#include "bench/bench_block.h"

#include <math.h>
#include <stdio.h>

typedef struct sight {
    const char *name, *shape; // %g three times: a
    int across;               // of cells of the conforming body, its spacing is a / across
} sight;

#define BOX   "box(size=(%g,%g,%g))"
#define BALL  "scale(%g, sphere(radius=0.5))"
#define TORUS "scale(%g, torus(major=0.35, minor=0.15))"

static phx_result make(const sight* s, bool fills, double spacing, int threads, phx_world** world) {
    char shape[96];
    snprintf(shape, sizeof shape, s->shape, 0.5, 0.5, 0.5);
    phxi_bench_block block = phxi_bench_cube(1, threads);
    block.shape = shape;
    block.fills = fills;
    block.spacing = spacing;
    return phxi_bench_world(&block, world);
}

/// The uniform body of the two gets the spacing that gives it as many particles, nearly.
static phx_result make_pair(const sight* s, int threads, phx_world* worlds[2]) {
    double spacing = 0.5 / s->across;
    PHXI_TRY(make(s, true, spacing, threads, &worlds[0]));
    for (int k = 0; k < 4; ++k) {
        phx_world_destroy(worlds[1]);
        worlds[1] = NULL;
        PHXI_TRY(make(s, false, spacing, threads, &worlds[1]));
        spacing *= cbrt((double)worlds[1]->particles.count / worlds[0]->particles.count);
    }
    return PHX_OK;
}

static phx_result run(phxi_bench* bench, const sight* s, int threads) {
    phx_world* worlds[2] = {NULL, NULL};
    double times[3], each[2];
    phx_result result = make_pair(s, threads, worlds);
    if (result == PHX_OK) {
        result = phxi_bench_turns(worlds, 2, NULL, NULL, 2 * bench->def->seconds, times);
    }
    for (int k = 0; k < 2 && result == PHX_OK; ++k) {
        each[k] = 1e9 * times[k] / worlds[k]->particles.count;
    }
    if (result == PHX_OK) {
        phx_bench_line line = {.name = s->name,
                               .particles = worlds[0]->particles.count,
                               .threads = threads,
                               .unit = "ns/particle",
                               .measured = each[0],
                               .against = "uniform",
                               .reference = each[1],
                               .ratio = each[1] / each[0],
                               .goal = 0.9};
        phxi_bench_report(bench, &line);
    }
    phx_world_destroy(worlds[0]);
    phx_world_destroy(worlds[1]);
    return result;
}

phx_result phxi_bench_efg_shapes(phxi_bench* bench) {
    static const sight sights[] = {{"box", BOX, 15}, {"ball", BALL, 16}, {"torus", TORUS, 24},
                                   {"box", BOX, 31}, {"ball", BALL, 32}, {"torus", TORUS, 48}};
    static const int counts[] = {4096, 3000, 3500, 32768, 19000, 23000};
    for (int k = 0; k < 6; ++k) {
        if (bench->def->max_particles == 0 || counts[k] <= bench->def->max_particles) {
            PHXI_TRY(run(bench, &sights[k], 1));
        }
    }
    return PHX_OK;
}
