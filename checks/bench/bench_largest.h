// SPDX-License-Identifier: MIT
// The largest body that keeps up with 60 frames a second, by bisection over its particles along an edge.
#pragma once

#include "bench/bench.h"

#define PHXI_BENCH_FRAME (1.0 / 60) // s

/// How long a frame of the body with `side` particles along an edge takes, s; and how many particles it has.
typedef phx_result phxi_bench_frame_time(const void* context, int side, double seconds, double* frame, int* particles);
typedef struct phxi_bench_largest_def {
    const char* name;
    const char* unit; // of what is reported: "frames/s"
    int threads;
    phxi_bench_frame_time* time;
    const void* context;
} phxi_bench_largest_def;
/// Finds it and reports a line.
phx_result phxi_bench_largest(phxi_bench* bench, const phxi_bench_largest_def* def);
