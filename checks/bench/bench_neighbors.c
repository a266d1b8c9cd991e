// SPDX-License-Identifier: MIT
// Building neighbour lists from scratch, with the memory of the last build: cell grid against octree. The search that
// solids use once, on sorted points with 24 neighbours; and that of fluids every substep, order included, on particles
// that have flowed into disorder, with some 92 neighbours.
#include "bench/bench.h"

#include "core/hash.h"
#include "neighbors/near.h"

#include <math.h>

// A jittered lattice, sorted.
static phx_result make_points(phxi_heap* heap, int side, phx_real** coordinates) {
    PHXI_NEW(*coordinates, heap, 3 * side * side * side, "bench points");
    phx_real* x = *coordinates;
    int count = side * side * side;
    for (int i = 0; i < count; ++i) {
        int cell[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; ++k) {
            double jitter = 0.2 * (phxi_hash_unit(phxi_hash_pair((uint64_t)i, (uint64_t)k)) - 0.5);
            x[k * count + i] = (phx_real)(cell[k] + jitter);
        }
    }
    return PHX_OK;
}

static void report_lists(phxi_bench* bench, const char* name, const phxi_lists* lists, int threads, double best,
                         double* alone) {
    PHXI_ASSERT(lists->start);
    double pairs = (double)lists->start[lists->count];
    *alone = threads == 1 ? best : *alone;
    phx_bench_line line = {.name = name,
                           .particles = lists->count,
                           .pairs = (int)pairs,
                           .threads = threads,
                           .ns_per_particle = 1e9 * best / lists->count,
                           .ns_per_pair = 1e9 * best / pairs,
                           .x_limit = NAN,
                           .speedup = *alone / best,
                           .share = NAN};
    phxi_bench_report(bench, &line);
}

static phx_result run_search(phxi_bench* bench, phxi_search_engine engine, phxi_points points, int threads,
                             double* alone) {
    phxi_search* search = NULL;
    phxi_pool* pool = NULL;
    phxi_lists lists = {0};
    phx_result result = phxi_search_create(bench->heap, engine, &search);
    if (result == PHX_OK) {
        result = phxi_pool_create(bench->heap, threads, &pool);
    }
    double best = INFINITY, begin = phxi_bench_clock();
    while (result == PHX_OK && (best == INFINITY || phxi_bench_clock() - begin < bench->def->seconds)) {
        double start = phxi_bench_clock();
        result = phxi_search_pairs(search, pool, points, NULL, 1.8, &lists);
        best = fmin(best, phxi_bench_clock() - start);
    }
    if (result == PHX_OK) {
        const char* name = engine == PHXI_SEARCH_GRID ? "neighbors grid" : "neighbors octree";
        report_lists(bench, name, &lists, threads, best, alone);
    }
    phxi_lists_destroy(bench->heap, &lists);
    phxi_search_destroy(search);
    phxi_pool_destroy(pool);
    return result;
}

// Particle i at some other point's place: a stride without a common divisor with the count goes through all of them.
static phx_result scatter(phxi_particles* particles, phxi_points points) {
    PHXI_TRY(phxi_particles_add(particles, points.count));
    for (int i = 0; i < points.count; ++i) {
        int from = (int)((int64_t)i * 7919 % points.count);
        particles->x[i] = points.x[from];
        particles->y[i] = points.y[from];
        particles->z[i] = points.z[from];
        particles->spacing[i] = 1;
    }
    return PHX_OK;
}

static phx_result run_near(phxi_bench* bench, phxi_search_engine engine, phxi_points points, int threads,
                           double* alone) {
    phxi_particles particles = {0};
    phxi_near near;
    phxi_pool* pool = NULL;
    phxi_near_init(&near, bench->heap);
    phx_result result = phxi_particles_init(&particles, bench->heap);
    if (result == PHX_OK) {
        result = scatter(&particles, points);
    }
    if (result == PHX_OK) {
        result = phxi_pool_create(bench->heap, threads, &pool);
    }
    double best = INFINITY, begin = phxi_bench_clock();
    phxi_near_range all = {0, points.count, 3, false, 0};
    while (result == PHX_OK && (best == INFINITY || phxi_bench_clock() - begin < bench->def->seconds)) {
        double start = phxi_bench_clock();
        result = phxi_near_update(&near, pool, engine, &particles, &all, 1, phxi_vec3(0, 0, 0));
        best = fmin(best, phxi_bench_clock() - start);
    }
    if (result == PHX_OK) {
        report_lists(bench, engine == PHXI_SEARCH_GRID ? "near grid" : "near octree", &near.lists, threads, best,
                     alone);
    }
    phxi_near_destroy(&near);
    phxi_particles_destroy(&particles);
    phxi_pool_destroy(pool);
    return result;
}

static phx_result run_sizes(phxi_bench* bench, phxi_points points) {
    typedef phx_result runner(phxi_bench*, phxi_search_engine, phxi_points, int, double*);
    static runner* const runners[2] = {run_search, run_near};
    for (int kind = 0; kind < 4; ++kind) {
        double alone = NAN;
        for (int threads = 1; threads <= (bench->def->max_threads == 1 ? 1 : 2); ++threads) {
            PHXI_TRY(
                runners[kind / 2](bench, kind % 2 ? PHXI_SEARCH_OCTREE : PHXI_SEARCH_GRID, points, threads, &alone));
        }
    }
    return PHX_OK;
}

phx_result phxi_bench_neighbors(phxi_bench* bench) {
    static const int sides[] = {16, 32, 64};
    for (int i = 0; i < 3; ++i) {
        int count = sides[i] * sides[i] * sides[i];
        if (bench->def->max_particles > 0 && count > bench->def->max_particles) {
            continue;
        }
        phx_real* x = NULL;
        PHXI_TRY(make_points(bench->heap, sides[i], &x));
        phxi_points points = {x, x + count, x + 2 * count, count};
        phx_result result = run_sizes(bench, points);
        phxi_free(bench->heap, x);
        PHXI_TRY(result);
    }
    return PHX_OK;
}
