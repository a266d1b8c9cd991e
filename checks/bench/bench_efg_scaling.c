// SPDX-License-Identifier: MIT
// Time of a substep against the number of particles (the thesis' figure 5.1) and of neighbours (5.2), with straight
// lines fitted to them: t = a n for particles, t = a n + b for neighbours.
#include "bench/bench_block.h"

#include <math.h>

/// Blocks that differ in one thing, measured in turns.
typedef struct series {
    const char* name;
    int count;
    phx_world* worlds[PHXI_BENCH_WORLDS];
    int64_t pairs[PHXI_BENCH_WORLDS];
    double times[PHXI_BENCH_WORLDS + 1];
} series;

static phx_result add_block(phxi_bench* bench, const phxi_bench_block* block, series* s) {
    double support = block->support > 0 ? block->support : 1.8;
    int k = s->count++;
    PHXI_TRY(phxi_bench_world(block, &s->worlds[k]));
    return phxi_bench_pairs(bench->heap, s->worlds[k], support * block->spacing, &s->pairs[k]);
}

/// Slope of the line fitted to y(x), through zero or not, and R^2 in `quality`.
static double fit(int count, const double* x, const double* y, bool through_zero, double* quality) {
    double mx = 0, my = 0, xx = 0, xy = 0, rest = 0, all = 0;
    for (int k = 0; k < count; ++k) {
        mx += x[k] / count;
        my += y[k] / count;
    }
    double x0 = through_zero ? 0 : mx, y0 = through_zero ? 0 : my;
    for (int k = 0; k < count; ++k) {
        xx += (x[k] - x0) * (x[k] - x0);
        xy += (x[k] - x0) * (y[k] - y0);
    }
    double slope = xy / xx;
    for (int k = 0; k < count; ++k) {
        double e = y[k] - y0 - slope * (x[k] - x0);
        rest += e * e;
        all += (y[k] - my) * (y[k] - my);
    }
    *quality = 1 - rest / all;
    return slope;
}

static void report(phxi_bench* bench, const series* s, bool by_pairs) {
    double x[PHXI_BENCH_WORLDS], y[PHXI_BENCH_WORLDS], quality;
    for (int k = 0; k < s->count; ++k) {
        int count = s->worlds[k]->particles.count;
        x[k] = by_pairs ? (double)s->pairs[k] / count : count;
        y[k] = 1e9 * s->times[k] / (by_pairs ? count : 1);
        phx_bench_line line = {.name = s->name,
                               .particles = count,
                               .pairs = (int)s->pairs[k],
                               .threads = 1,
                               .ns_per_particle = 1e9 * s->times[k] / count,
                               .ns_per_pair = 1e9 * s->times[k] / (double)s->pairs[k],
                               .x_limit = NAN,
                               .speedup = NAN,
                               .share = NAN};
        phxi_bench_report(bench, &line);
    }
    if (s->count > 2) {
        phx_bench_line line = {.name = s->name,
                               .threads = 1,
                               .unit = by_pairs ? "ns a neighbour" : "ns a particle",
                               .measured = fit(s->count, x, y, !by_pairs, &quality),
                               .against = "R^2",
                               .reference = NAN,
                               .goal = 0.99};
        line.ratio = quality;
        phxi_bench_report(bench, &line);
    }
}

/// Measures, reports and ends the series that `result` says was set up well.
static phx_result run(phxi_bench* bench, series* s, bool by_pairs, phx_result result) {
    if (result == PHX_OK && s->count > 0) {
        result = phxi_bench_turns(s->worlds, s->count, NULL, NULL, s->count * bench->def->seconds, s->times);
    }
    if (result == PHX_OK) {
        report(bench, s, by_pairs);
    }
    for (int k = 0; k < PHXI_BENCH_WORLDS; ++k) {
        phx_world_destroy(s->worlds[k]);
    }
    return result;
}

static phx_result against_particles(phxi_bench* bench, const char* path) {
    static const int sides[] = {10, 16, 25, 40, 63, 100};
    series s = {.name = path};
    phx_result result = PHX_OK;
    for (int k = 0; k < 6 && result == PHX_OK; ++k) {
        phxi_bench_block block = phxi_bench_cube(sides[k], 1);
        block.path = path;
        if (bench->def->max_particles == 0 || sides[k] * sides[k] * sides[k] <= bench->def->max_particles) {
            result = add_block(bench, &block, &s);
        }
    }
    return run(bench, &s, false, result);
}

static phx_result against_neighbors(phxi_bench* bench) {
    static const double supports[] = {1.5, 1.8, 2.1, 2.3, 2.6, 2.9, 3.2, 3.4};
    series s = {.name = "rows by support"};
    phx_result result = PHX_OK;
    for (int k = 0; k < PHXI_BENCH_WORLDS && result == PHX_OK; ++k) {
        phxi_bench_block block = phxi_bench_cube(12, 1);
        block.path = "rows";
        block.support = supports[k];
        if (bench->def->max_particles == 0 || bench->def->max_particles >= 12 * 12 * 12) {
            result = add_block(bench, &block, &s);
        }
    }
    return run(bench, &s, true, result);
}

phx_result phxi_bench_efg_scaling(phxi_bench* bench) {
    PHXI_TRY(against_particles(bench, "lattice"));
    PHXI_TRY(against_particles(bench, "rows"));
    return against_neighbors(bench);
}
