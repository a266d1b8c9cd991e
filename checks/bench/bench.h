// SPDX-License-Identifier: MIT
#pragma once

#include <checks/check.h>
#include "core/heap.h"

typedef struct phxi_bench {
    const phx_bench_def* def;
    phxi_heap* heap;
    void (*report)(void* context, const phx_bench_line* line);
    void* context;
    const char* section; // that runs
} phxi_bench;

phx_result phxi_bench_efg_paths(phxi_bench* bench);
phx_result phxi_bench_efg_shapes(phxi_bench* bench);
phx_result phxi_bench_efg_thesis(phxi_bench* bench);
phx_result phxi_bench_efg_real_time(phxi_bench* bench);
phx_result phxi_bench_efg_scaling(phxi_bench* bench);
phx_result phxi_bench_efg_implicit(phxi_bench* bench);
phx_result phxi_bench_corotated_implicit(phxi_bench* bench);
phx_result phxi_bench_efg_fracture(phxi_bench* bench);
phx_result phxi_bench_contact(phxi_bench* bench);
phx_result phxi_bench_neighbors(phxi_bench* bench);
phx_result phxi_bench_heat(phxi_bench* bench);
phx_result phxi_bench_wcsph(phxi_bench* bench);
phx_result phxi_bench_mpm(phxi_bench* bench);
phx_result phxi_bench_mpm_dough(phxi_bench* bench);
phx_result phxi_bench_mpm_implicit(phxi_bench* bench);
phx_result phxi_bench_mpm_obstacle(phxi_bench* bench);
phx_result phxi_bench_granular(phxi_bench* bench);
phx_result phxi_bench_granular_implicit(phxi_bench* bench);
phx_result phxi_bench_melt(phxi_bench* bench);
phx_result phxi_bench_surface(phxi_bench* bench);
phx_result phxi_bench_pictures(phxi_bench* bench);
phx_result phxi_bench_corotated(phxi_bench* bench);
phx_result phxi_bench_peridynamics(phxi_bench* bench);
phx_result phxi_bench_swing(phxi_bench* bench);
phx_result phxi_bench_real_time(phxi_bench* bench);

/// Hands a line to the caller, with the section it belongs to.
void phxi_bench_report(phxi_bench* bench, const phx_bench_line* line);
/// Threads that a benchmark may use.
phx_result phxi_bench_threads(phxi_bench* bench, int* threads);
/// Seconds of a clock that never jumps.
double phxi_bench_clock(void);
/// Seconds of processors that this program had: what a busy machine does not stretch.
double phxi_bench_cpu_clock(void);
