// SPDX-License-Identifier: MIT
// Seconds of a clock that never jumps, for the times of phx_surface_times.
#pragma once

#include <time.h>

static inline double phxi_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
