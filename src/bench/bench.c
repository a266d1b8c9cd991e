// SPDX-License-Identifier: MIT
// Speed, as ratios within one run: the machines we meet are noisy, so the best of many short slices of the measured
// work and of the bare loop, taken in turns, are compared.
#include <phyxel/check.h>

#include "bench/bench.h"

#include <string.h>
#include <time.h>

enum { BENCH_STAMP = 0x42454e31 };

static const struct {
    const char* name;
    phx_result (*run)(phxi_bench* bench);
} benches[] = {{"efg", phxi_bench_efg}, {"neighbors", phxi_bench_neighbors}, {"surface", phxi_bench_surface}};
enum { BENCH_COUNT = sizeof benches / sizeof benches[0] };

phx_bench_def phx_bench_def_default(void) {
    return (phx_bench_def){.seconds = 1, .stamp = BENCH_STAMP};
}

double phxi_bench_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

phx_result phx_bench_run(const phx_bench_def* def, void (*report)(void* context, const phx_bench_line* line),
                         void* context) {
    if (!def || def->stamp != BENCH_STAMP || !report) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "benchmark: expected a definition from phx_bench_def_default() and a report function");
    }
    if (!(def->seconds > 0) || def->seconds > 3600 || def->max_particles < 0 || def->max_threads < 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "benchmark: %g s, %d particles, %d threads: expected 0 < s <= 3600, others 0 or more",
                         def->seconds, def->max_particles, def->max_threads);
    }
    bool found = false;
    for (int i = 0; i < BENCH_COUNT; ++i) {
        if (def->name && strcmp(def->name, benches[i].name) != 0) {
            continue;
        }
        found = true;
        phxi_heap heap;
        phxi_heap_init(&heap, NULL);
        phxi_bench bench = {def, &heap, report, context};
        phx_result result = benches[i].run(&bench);
        phxi_heap_destroy(&heap);
        if (result != PHX_OK) {
            return phxi_fail_within(result, "benchmark %s", benches[i].name);
        }
    }
    return found ? PHX_OK
                 : phxi_fail(PHX_ERROR_ARGUMENT, "there is no benchmark '%s', expected efg, neighbors or surface",
                             def->name);
}
