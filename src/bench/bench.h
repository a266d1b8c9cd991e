// SPDX-License-Identifier: MIT
#pragma once

#include <phyxel/check.h>
#include "core/heap.h"

typedef struct phxi_bench {
    const phx_bench_def* def;
    phxi_heap* heap;
    void (*report)(void* context, const phx_bench_line* line);
    void* context;
} phxi_bench;

phx_result phxi_bench_efg(phxi_bench* bench);
phx_result phxi_bench_neighbors(phxi_bench* bench);
phx_result phxi_bench_surface(phxi_bench* bench);

/// Seconds of a clock that never jumps.
double phxi_bench_clock(void);
