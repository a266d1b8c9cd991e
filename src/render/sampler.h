// SPDX-License-Identifier: MIT
// Random numbers of one sample of one pixel: pairs of Sobol's sequence, scrambled as Owen proposed and put in another
// order for every pair, so that all pairs of a pixel are well spread and none knows of another. Pairs depend on the
// pixel, the number of the sample and the number of the pair alone: pictures have the same bits at any number of
// threads, and grain stands still from frame to frame instead of flickering.
//
// The scrambling by a hash of the reversed bits is that of Laine and Karras, "Stratified sampling for stochastic
// transparency" (2011), with the constants of Burley, "Practical hash-based Owen scrambling" (2020).
#pragma once

#include <stdint.h>

typedef struct phxi_sampler {
    uint32_t pixel, sample, pair;
} phxi_sampler;

static inline uint32_t phxi_reverse_bits(uint32_t x) {
    x = __builtin_bswap32(x);
    x = (x & 0x0F0F0F0Fu) << 4 | (x >> 4 & 0x0F0F0F0Fu);
    x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
    return (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
}

static inline uint32_t phxi_mix_bits(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7FEB352Du;
    x ^= x >> 15;
    x *= 0x846CA68Bu;
    return x ^ x >> 16;
}

static inline uint32_t phxi_owen_scramble(uint32_t x, uint32_t seed) {
    x = phxi_reverse_bits(x);
    x += seed;
    x ^= x * 0x6C50B47Cu;
    x ^= x * 0xB82F1E52u;
    x ^= x * 0xC7AFE638u;
    x ^= x * 0x8D22F6E6u;
    return phxi_reverse_bits(x);
}

/// The next pair of numbers in [0, 1).
static inline void phxi_sampler_pair(phxi_sampler* s, float* a, float* b) {
    uint32_t seed = phxi_mix_bits(s->pixel ^ phxi_mix_bits(++s->pair * 0x9E3779B9u));
    uint32_t index = phxi_owen_scramble(s->sample, seed), second = 0;
    for (uint32_t rest = index, v = 0x80000000u; rest; rest >>= 1, v ^= v >> 1) {
        second ^= rest & 1 ? v : 0;
    }
    uint32_t x = phxi_owen_scramble(phxi_reverse_bits(index), phxi_mix_bits(seed ^ 0x68BC21EBu));
    uint32_t y = phxi_owen_scramble(second, phxi_mix_bits(seed ^ 0x02E5BE93u));
    *a = (float)(x >> 8) * 0x1p-24f;
    *b = (float)(y >> 8) * 0x1p-24f;
}

static inline float phxi_sampler_one(phxi_sampler* s) {
    float a, b;
    phxi_sampler_pair(s, &a, &b);
    return a;
}
