// SPDX-License-Identifier: MIT
// Vectors for loops over neighbours, in two widths from one source. A file of such loops, `name.c`, is written for
// PHXI_LANE_COUNT lanes: eight. Where the program may meet registers for sixteen floats (PHXI_AVX512), the build
// compiles it once more with PHXI_LANES_WIDE (cmake/wide_loops.cmake lists such files); what others call is named by
// PHXI_LANES_NAME, and called by PHXI_LANES_CALL. Chains of root and division are what such loops wait for, and sixteen
// at a time wait half as often: 1.5 times as fast on Zen 4, whose registers of 512 bits are worked on in two halves.
//
// Rows of neighbours are taken in groups of PHXI_GROUP, whatever the width: narrow loops take a group in PHXI_PARTS
// parts, each with sums of its own. So both widths give the same bits, and so does a build that has the narrow loops
// only (tests/plain).
//
// Wide values go by pointer (simd.h).
#pragma once

#include "math/simd.h"

#include <stdint.h>

#ifdef PHXI_LANES_WIDE
#define PHXI_LANE_COUNT       16
#define PHXI_LANES_NAME(name) name##_avx512
#define PHXI_LOOP_CLONES
#else
#define PHXI_LANE_COUNT       8
#define PHXI_LANES_NAME(name) name
#ifdef PHXI_AVX512
#define PHXI_LOOP_CLONES PHXI_NARROW_CLONES
#else
#define PHXI_LOOP_CLONES PHXI_CLONES
#endif
#endif

#ifdef PHX_DOUBLE
#define PHXI_GROUP 8 // there are no wide loops of doubles (cmake/wide_loops.cmake)
#else
#define PHXI_GROUP 16
#endif
#ifdef PHXI_AVX512
#define PHXI_LANES_CALL(name, ...) (phxi_lanes_are_wide() ? name##_avx512(__VA_ARGS__) : name(__VA_ARGS__))
static inline bool phxi_lanes_are_wide(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}
#else
#define PHXI_LANES_CALL(name, ...) name(__VA_ARGS__)
#endif
#define PHXI_PARTS (PHXI_GROUP / PHXI_LANE_COUNT)

typedef phx_real phxi_lanes __attribute__((vector_size(PHXI_LANE_COUNT * sizeof(phx_real))));
typedef double phxi_double_lanes __attribute__((vector_size(PHXI_LANE_COUNT * sizeof(double))));
#ifdef PHX_DOUBLE
typedef int64_t phxi_lane_mask __attribute__((vector_size(PHXI_LANE_COUNT * sizeof(phx_real))));
#define PHXI_LANE_SQRT __builtin_sqrt
#else
typedef int32_t phxi_lane_mask __attribute__((vector_size(PHXI_LANE_COUNT * sizeof(phx_real))));
#define PHXI_LANE_SQRT __builtin_sqrtf
#endif

/// yes where the mask is set, no elsewhere.
PHXI_INLINE void phxi_lanes_select(const phxi_lane_mask* mask, const phxi_lanes* yes, const phxi_lanes* no,
                                   phxi_lanes* out) {
    *out = (phxi_lanes)((*mask & (phxi_lane_mask)*yes) | (~*mask & (phxi_lane_mask)*no));
}

/// Zero where the mask is not set.
PHXI_INLINE void phxi_lanes_keep(const phxi_lane_mask* mask, phxi_lanes* a) {
    *a = (phxi_lanes)((phxi_lane_mask)*a & *mask);
}

/// What is positive in a, zero elsewhere.
PHXI_INLINE void phxi_lanes_positive(phxi_lanes* a) {
    *a = (phxi_lanes)((phxi_lane_mask)*a & (phxi_lane_mask)(*a > 0));
}

PHXI_INLINE void phxi_lanes_sqrt(const phxi_lanes* a, phxi_lanes* out) {
    for (int k = 0; k < PHXI_LANE_COUNT; ++k) {
        (*out)[k] = PHXI_LANE_SQRT((*a)[k]);
    }
}
