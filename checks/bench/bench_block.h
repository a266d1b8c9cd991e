// SPDX-License-Identifier: MIT
// Blocks of particles for the benchmarks of efg, and their substeps timed in turns.
#pragma once

#include "bench/bench.h"
#include "world/world.h"

typedef struct phxi_bench_block {
    int cells[3];   // BCC: two particles each
    double spacing; // m
    double young;   // Pa; density 1000, Poisson's ratio 0.3
    bool bcc;
    double jitter;      // spacings
    double support;     // 0: the default
    const char* shape;  // in the place of a box of `cells`
    bool fills;         // sampling: conforming
    const char* method; // NULL: efg
    const char* path;   // of efg
    const char* integrator;
    double strength; // Pa; 0: it does not break
    int threads;
} phxi_bench_block;

/// Jelly of 1e5 Pa, 0.01 m apart, on its default path.
phxi_bench_block phxi_bench_cube(int side, int threads);
/// A world with that block alone, without gravity, turning at 1 rad/s.
phx_result phxi_bench_world(const phxi_bench_block* block, phx_world** world);
#define PHXI_BENCH_WORLDS 8
/// Best times of a substep of each of `count` worlds and of `bare` (may be NULL), taken in turns for about `seconds`.
/// The last time is that of `bare`.
phx_result phxi_bench_turns(phx_world* const* worlds, int count, void (*bare)(void* context), void* context,
                            double seconds, double* times);
/// Pairs of particles of a world nearer than `radius`, both ways.
phx_result phxi_bench_pairs(phxi_heap* heap, const phx_world* world, double radius, int64_t* pairs);
