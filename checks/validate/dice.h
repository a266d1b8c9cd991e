// SPDX-License-Identifier: MIT
// Random numbers of random scenes: the same ones every time.
#pragma once

#include "core/hash.h"
#include "math/vec3.h"

#include <math.h>

typedef struct phxi_dice {
    uint64_t state;
} phxi_dice;

static inline double phxi_roll(phxi_dice* d, double low, double high) {
    d->state = phxi_hash_pair(d->state, 1);
    return low + (high - low) * phxi_hash_unit(d->state);
}

/// Each power of ten as often as the others.
static inline double phxi_roll_log(phxi_dice* d, double low, double high) {
    return exp(phxi_roll(d, log(low), log(high)));
}

/// 0 ... count - 1.
static inline int phxi_pick(phxi_dice* d, int count) {
    int k = (int)phxi_roll(d, 0, count);
    return k < count ? k : count - 1;
}

/// Inside a ball of radius `size`.
static inline phx_vec3 phxi_roll_vector(phxi_dice* d, double size) {
    phx_vec3 v;
    do {
        v = phxi_vec3(phxi_roll(d, -1, 1), phxi_roll(d, -1, 1), phxi_roll(d, -1, 1));
    } while (phxi_dot(v, v) > 1);
    return phxi_scale(size, v);
}
