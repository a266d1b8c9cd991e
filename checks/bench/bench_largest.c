// SPDX-License-Identifier: MIT
#include "bench/bench_largest.h"

#include <stdbool.h>

phx_result phxi_bench_largest(phxi_bench* bench, const phxi_bench_largest_def* def) {
    int low = 2, high = 4, limit = 80, particles = 0, most = 0;
    double best = 0, frame = 0;
    while (bench->def->max_particles > 0 && limit > low && limit * limit * limit > bench->def->max_particles) {
        --limit;
    }
    for (bool growing = true; high - low > 1 && low < limit;) {
        int side = growing ? (high < limit ? high : limit) : (low + high) / 2;
        PHXI_TRY(def->time(def->context, side, bench->def->seconds / 4, &frame, &particles));
        if (frame <= PHXI_BENCH_FRAME) {
            low = side, best = frame, most = particles;
            high = growing ? 2 * side : high;
        } else {
            high = side, growing = false;
        }
    }
    phx_bench_line line = {.name = def->name,
                           .particles = most,
                           .threads = def->threads,
                           .unit = def->unit,
                           .measured = best > 0 ? 1 / best : 0,
                           .against = "real time",
                           .reference = 1 / PHXI_BENCH_FRAME,
                           .ratio = best > 0 ? PHXI_BENCH_FRAME / best : 0,
                           .goal = 1};
    phxi_bench_report(bench, &line);
    return PHX_OK;
}
