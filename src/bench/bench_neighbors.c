// SPDX-License-Identifier: MIT
// Building neighbour lists from scratch, with the memory of the last build: cell grid against octree.
#include "bench/bench.h"

#include "core/hash.h"
#include "neighbors/neighbors.h"

#include <math.h>

// A jittered lattice in random order would flatter nobody: fluids keep their particles roughly sorted, so this is
// sorted.
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

static phx_result run_engine(phxi_bench* bench, phxi_search_engine engine, const char* name, phxi_points points,
                             int threads, double* alone) {
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
        PHXI_ASSERT(lists.start);
        double pairs = (double)lists.start[points.count];
        *alone = threads == 1 ? best : *alone;
        phx_bench_line line = {.name = name,
                               .particles = points.count,
                               .pairs = (int)pairs,
                               .threads = threads,
                               .ns_per_particle = 1e9 * best / points.count,
                               .ns_per_pair = 1e9 * best / pairs,
                               .x_limit = NAN,
                               .speedup = *alone / best,
                               .share = NAN};
        phxi_bench_report(bench, &line);
    }
    phxi_lists_destroy(bench->heap, &lists);
    phxi_search_destroy(search);
    phxi_pool_destroy(pool);
    return result;
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
        phx_result result = PHX_OK;
        for (int engine = 0; engine < 2 && result == PHX_OK; ++engine) {
            double alone = 0;
            for (int threads = 1; threads <= 2 && result == PHX_OK; ++threads) {
                if (bench->def->max_threads == 1 && threads == 2) {
                    continue;
                }
                result = run_engine(bench, engine ? PHXI_SEARCH_OCTREE : PHXI_SEARCH_GRID,
                                    engine ? "neighbors octree" : "neighbors grid", points, threads, &alone);
            }
        }
        phxi_free(bench->heap, x);
        PHXI_TRY(result);
    }
    return PHX_OK;
}
