// SPDX-License-Identifier: MIT
// Surfaces around a block of particles at the default resolution (cells of half a spacing): the whole, and its stages.
#include "bench/bench.h"

#include "core/hash.h"

#include <phyxel/surface.h>

#include <math.h>

enum { STAGES = 5 };
static const char* const names[STAGES] = {"surface", "surface density", "surface sampling", "surface cells",
                                          "surface normals"};

static phx_result make_points(int side, phx_frame** points) {
    PHXI_TRY(phx_frame_create(side * side * side, 0, 0, NULL, points));
    double* x = phx_frame_positions(*points);
    for (int i = 0; i < side * side * side; ++i) {
        int at[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; ++k) {
            x[3 * i + k] = at[k] + 0.2 * (phxi_hash_unit(phxi_hash_pair((uint64_t)i, (uint64_t)k)) - 0.5);
        }
    }
    return PHX_OK;
}

// The best of all rounds, with its stages; `alone`: those on one thread.
static phx_result run(phxi_bench* bench, const phx_frame* points, int threads, double alone[STAGES]) {
    phx_surface_def def = phx_surface_def_default();
    def.spacing = 1;
    def.threads = threads;
    phx_surface_times best = {.total = INFINITY};
    int triangles = 0;
    double begin = phxi_bench_clock();
    while (best.total == INFINITY || phxi_bench_clock() - begin < bench->def->seconds) {
        phx_frame* surface;
        phx_surface_times times;
        PHXI_TRY(phx_surface_reconstruct(points, &def, &surface, &times));
        triangles = phx_frame_triangles(surface);
        phx_frame_destroy(surface);
        best = times.total < best.total ? times : best;
    }
    const double seconds[STAGES] = {best.total, best.density, best.sampling, best.triangulation, best.attributes};
    int count = phx_frame_points(points);
    for (int i = 0; i < STAGES; ++i) {
        alone[i] = threads == 1 ? seconds[i] : alone[i];
        phx_bench_line line = {.name = names[i],
                               .particles = count,
                               .threads = threads,
                               .ns_per_particle = 1e9 * seconds[i] / count,
                               .ns_per_pair = NAN,
                               .x_limit = NAN,
                               .speedup = alone[i] / seconds[i],
                               .triangles = i == 0 ? triangles : 0,
                               .share = i > 0 ? seconds[i] / best.total : NAN};
        phxi_bench_report(bench, &line);
    }
    return PHX_OK;
}

phx_result phxi_bench_surface(phxi_bench* bench) {
    static const int sides[] = {16, 47, 100};
    for (int i = 0; i < 3; ++i) {
        if (bench->def->max_particles > 0 && sides[i] * sides[i] * sides[i] > bench->def->max_particles) {
            continue;
        }
        phx_frame* points;
        double alone[STAGES];
        PHXI_TRY(make_points(sides[i], &points));
        phx_result result = run(bench, points, 1, alone);
        if (result == PHX_OK && bench->def->max_threads != 1) {
            result = run(bench, points, 2, alone);
        }
        phx_frame_destroy(points);
        PHXI_TRY(result);
    }
    return PHX_OK;
}
