// SPDX-License-Identifier: MIT
#pragma once

#include <checks/check.h>
#include "cli.h"

enum { BENCH_PLOT_POINTS = 64 };

/// Points of `phyxel bench efg.scaling`, for a picture.
typedef struct bench_plot {
    int count;
    struct {
        char name[32];
        double particles, neighbors, nanoseconds; // ns a particle
    } points[BENCH_PLOT_POINTS];
} bench_plot;

void bench_plot_add(bench_plot* plot, const phx_bench_line* line);
/// Writes an SVG; CLI_OK, or CLI_BAD_INPUT with a message.
int bench_plot_write(const bench_plot* plot, const char* path);
