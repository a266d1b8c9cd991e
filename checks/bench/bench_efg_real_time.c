// SPDX-License-Identifier: MIT
// How large a block can be and still take less than 1/60 s of real time for 1/60 s of its own: cubes of 0.5 m, jelly
// and rubber, finer and finer. Explicit substeps grow with the fourth power of the particles along an edge.
#include "bench/bench_block.h"
#include "bench/bench_largest.h"

#include "core/hash.h"

#include <math.h>

#define FRAME PHXI_BENCH_FRAME
#define SIZE  0.5 // m

static phxi_bench_block cube(int side, double young, const char* integrator, int threads) {
    phxi_bench_block block = phxi_bench_cube(side, threads);
    block.spacing = SIZE / side;
    block.young = young;
    block.integrator = integrator;
    return block;
}

/// A block of which the side is still to be said.
static phx_result time_frame(const void* context, int side, double seconds, double* frame, int* particles) {
    const phxi_bench_block *like = context, block = cube(side, like->young, like->integrator, like->threads);
    phx_world* world = NULL;
    phx_result result = phxi_bench_world(&block, &world);
    *frame = INFINITY;
    *particles = side * side * side;
    double begin = phxi_bench_clock();
    for (int k = 0; result == PHX_OK && (k < 2 || phxi_bench_clock() - begin < seconds); ++k) {
        double start = phxi_bench_clock();
        result = phx_world_step(world, FRAME);
        *frame = k > 0 ? fmin(*frame, phxi_bench_clock() - start) : *frame;
    }
    phx_world_destroy(world);
    return result;
}

static phx_result find_largest(phxi_bench* bench, const char* name, double young, const char* integrator, int threads) {
    phxi_bench_block like = cube(2, young, integrator, threads);
    return phxi_bench_largest(bench, &(phxi_bench_largest_def){name, "frames/s", threads, time_frame, &like});
}

// ------------------------------------------------------------------------------------------------------- impulses

/// A blow of up to 5 m/s to the particles within 2.5 spacings of one of them.
static void strike(phx_world* world, int blow) {
    phxi_particles* p = &world->particles;
    uint64_t seed = (uint64_t)blow;
    world->energy.known = false; // a blow puts energy in
    int at = (int)(phxi_hash_pair(seed, 0) % (uint64_t)p->count);
    double speed[3], reach = 2.5 * (double)p->spacing[0];
    for (int k = 0; k < 3; ++k) {
        speed[k] = 5 * (2 * phxi_hash_unit(phxi_hash_pair(seed, (uint64_t)k + 1)) - 1);
    }
    for (int i = 0; i < p->count; ++i) {
        double dx = (double)(p->rest_x[i] - p->rest_x[at]), dy = (double)(p->rest_y[i] - p->rest_y[at]);
        double dz = (double)(p->rest_z[i] - p->rest_z[at]);
        if (dx * dx + dy * dy + dz * dz < reach * reach) {
            p->vx[i] += (phx_real)speed[0], p->vy[i] += (phx_real)speed[1], p->vz[i] += (phx_real)speed[2];
        }
    }
}

enum { BLOWS = 41 };

/// Puts a number in its place among `count` sorted ones.
static void insert(double* numbers, int count, double number) {
    for (; count > 0 && numbers[count - 1] > number; --count) {
        numbers[count] = numbers[count - 1];
    }
    numbers[count] = number;
}

static void report_blows(phxi_bench* bench, const char* name, const char* unit, const phx_world* world, double median) {
    phx_bench_line line = {.name = name,
                           .particles = world->particles.count,
                           .threads = phx_world_threads(world),
                           .unit = unit,
                           .measured = 1e3 * median,
                           .against = "S7",
                           .reference = 16,
                           .ratio = 16e-3 / median,
                           .goal = 1};
    phxi_bench_report(bench, &line);
}

/// Implicit steps of a free block that is struck every tenth (docs/theory/implicit_steps.md S7): medians of the time
/// that passed, and of the processor's time a thread, which a busy machine does not stretch.
static phx_result run_blows(phxi_bench* bench, const char* name, double young, int side, int threads) {
    phxi_bench_block block = cube(side, young, "bdf2", threads);
    phx_world* world = NULL;
    double wall[BLOWS], cpu[BLOWS];
    phx_result result = phxi_bench_world(&block, &world);
    if (result == PHX_OK) {
        result = phx_world_step(world, FRAME); // sets the solver up
    }
    for (int k = 0; k < BLOWS && result == PHX_OK; ++k) {
        if (k % 10 == 0) {
            strike(world, k);
        }
        double start = phxi_bench_clock(), begin = phxi_bench_cpu_clock();
        result = phx_world_step(world, FRAME);
        insert(wall, k, phxi_bench_clock() - start);
        insert(cpu, k, (phxi_bench_cpu_clock() - begin) / threads);
    }
    if (result == PHX_OK) {
        report_blows(bench, name, "ms a step", world, wall[BLOWS / 2]);
        report_blows(bench, name, "ms cpu/thread", world, cpu[BLOWS / 2]);
    }
    phx_world_destroy(world);
    return result;
}

phx_result phxi_bench_efg_real_time(phxi_bench* bench) {
    int most, side = bench->def->max_particles > 0 && bench->def->max_particles < 27 * 27 * 27 ? 8 : 27;
    PHXI_TRY(phxi_bench_threads(bench, &most));
    PHXI_TRY(find_largest(bench, "jelly explicit", 1e5, "velocity_verlet", most));
    PHXI_TRY(find_largest(bench, "rubber explicit", 1e7, "velocity_verlet", most));
    PHXI_TRY(find_largest(bench, "jelly implicit", 1e5, "bdf2", most));
    PHXI_TRY(find_largest(bench, "rubber implicit", 1e7, "bdf2", most));
    PHXI_TRY(run_blows(bench, "jelly, blows", 1e5, side, most));
    PHXI_TRY(run_blows(bench, "rubber, blows", 1e7, side, most));
    return run_blows(bench, "steel, blows", 2e11, side, most);
}
