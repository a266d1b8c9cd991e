// SPDX-License-Identifier: MIT
// A block of N particles with 26 neighbours, shaken a little, one substep after the other; beside it the bare loop.
//
// The bare loop goes over the same lists in the same order and does nothing but what every pair loop must: load the
// neighbour's offset and the pair's gradient vector, gather one padded position, multiply and add. A substep has two
// passes over the pairs (gradient, force), so `x limit` = substep / (2 bare passes), both on the same thread count.
#include "bench/bench.h"

#include "math/simd.h"
#include "neighbors/neighbors.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

enum { BLOCK = 128 };

typedef struct lists {
    int count;
    int* start;         // rows of pairs
    int* offsets;       // bytes to the neighbour's position
    phxi_r4* gradients; // one a pair
    phxi_r4* positions; // one a particle, padded
    phxi_r4* sums;      // result, so that the loop cannot be left out
} lists;

PHXI_CLONES static void bare_loop_rows(const int* restrict start, const int* restrict offsets,
                                       const phxi_r4* restrict gradients, const phxi_r4* restrict positions,
                                       phxi_r4* restrict sums, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        phxi_r4 sum = {0, 0, 0, 0};
        for (int k = start[i]; k < start[i + 1]; ++k) {
            sum += gradients[k] * *(const phxi_r4*)(const void*)((const char*)positions + offsets[k]);
        }
        sums[i] = sum;
    }
}

static void bare_block(void* context, int begin, int end, int block) {
    const lists* l = context;
    (void)block;
    bare_loop_rows(l->start, l->offsets, l->gradients, l->positions, l->sums, begin, end);
}

static phx_result make_world(int side, int threads, phx_world** world) {
    char shape[128];
    double spacing = 0.01;
    snprintf(shape, sizeof shape, "box(center=(0,0,0), size=(%.17g,%.17g,%.17g))", side * spacing, side * spacing,
             side * spacing);
    phx_world_def def = phx_world_def_default();
    def.threads = threads;
    def.gravity = (phx_vec3){0, 0, 0};
    PHXI_TRY(phx_world_create(&def, world));
    phx_material_def material = phx_material_def_default();
    phx_material_id material_id;
    PHXI_TRY(phx_material_create(*world, &material, &material_id));
    phx_body_def body = phx_body_def_default();
    body.shape = shape;
    body.spacing = spacing;
    body.material = material_id;
    body.angular_velocity = (phx_vec3){0, 0, 1};
    phx_body_id body_id;
    return phx_body_create(*world, &body, &body_id);
}

// Lists over the particles in the order in which the world keeps them.
static phx_result make_lists(phxi_heap* heap, phx_world* world, lists* l) {
    const phxi_particles* p = &world->particles;
    phxi_search* search = NULL;
    phxi_lists pairs = {0};
    PHXI_TRY(phxi_search_create(heap, PHXI_SEARCH_GRID, &search));
    phxi_points points = {p->rest_x, p->rest_y, p->rest_z, p->count};
    phx_result result = phxi_search_pairs(search, world->pool, points, NULL, 1.8 * (double)p->spacing[0], &pairs);
    phxi_search_destroy(search);
    PHXI_TRY(result);
    int64_t total = pairs.start[p->count];
    l->count = p->count;
    PHXI_NEW(l->start, heap, p->count + 1, "bench starts");
    PHXI_NEW(l->offsets, heap, total, "bench offsets");
    PHXI_NEW(l->gradients, heap, total, "bench gradients");
    PHXI_NEW(l->positions, heap, p->count, "bench positions");
    PHXI_NEW(l->sums, heap, p->count, "bench sums");
    for (int i = 0; i < p->count; ++i) {
        l->start[i] = (int)pairs.start[i];
        l->positions[i] = (phxi_r4){p->x[i], p->y[i], p->z[i], 1};
        for (int64_t k = pairs.start[i]; k < pairs.start[i + 1]; ++k) {
            int j = pairs.items[k];
            l->offsets[k] = j * (int)sizeof(phxi_r4);
            l->gradients[k] = (phxi_r4){p->x[j] - p->x[i], p->y[j] - p->y[i], p->z[j] - p->z[i], 1};
        }
    }
    l->start[p->count] = (int)total;
    phxi_lists_destroy(heap, &pairs);
    return PHX_OK;
}

// Best times of one substep and of one bare pass, measured in turns for about `seconds`.
static phx_result measure(phx_world* world, lists* l, double seconds, double* substep, double* bare) {
    phx_dt_info dt;
    PHXI_TRY(phx_world_dt(world, &dt));
    *substep = *bare = INFINITY;
    PHXI_TRY(phx_world_substep(world, dt.dt)); // first touch
    int repeat = l->count < 20000 ? 20 : l->count < 100000 ? 4 : 1;
    double begin = phxi_bench_clock();
    do {
        double t0 = phxi_bench_clock();
        for (int i = 0; i < repeat; ++i) {
            PHXI_TRY(phx_world_substep(world, dt.dt));
        }
        double t1 = phxi_bench_clock();
        for (int i = 0; i < repeat; ++i) {
            phxi_parallel_for(world->pool, l->count, BLOCK, bare_block, l);
        }
        double t2 = phxi_bench_clock();
        *substep = fmin(*substep, (t1 - t0) / repeat);
        *bare = fmin(*bare, (t2 - t1) / repeat);
    } while (phxi_bench_clock() - begin < seconds);
    return PHX_OK;
}

static phx_result run_size(phxi_bench* bench, int side, int threads, double* alone) {
    phx_world* world = NULL;
    lists l = {0};
    double substep = 0, bare = 0;
    phx_result result = make_world(side, threads, &world);
    if (result == PHX_OK) {
        result = make_lists(bench->heap, world, &l);
    }
    if (result == PHX_OK) {
        result = measure(world, &l, bench->def->seconds, &substep, &bare);
    }
    if (result == PHX_OK) {
        int used = phx_world_threads(world);
        *alone = used == 1 ? substep : *alone;
        int pairs = l.start[l.count];
        phx_bench_line line = {.name = "efg",
                               .particles = l.count,
                               .pairs = pairs,
                               .threads = used,
                               .ns_per_particle = 1e9 * substep / l.count,
                               .ns_per_pair = 1e9 * substep / pairs,
                               .x_limit = substep / (2 * bare),
                               .speedup = *alone / substep,
                               .share = NAN};
        bench->report(bench->context, &line);
    }
    phxi_free(bench->heap, l.start);
    phxi_free(bench->heap, l.offsets);
    phxi_free(bench->heap, l.gradients);
    phxi_free(bench->heap, l.positions);
    phxi_free(bench->heap, l.sums);
    phx_world_destroy(world);
    return result;
}

phx_result phxi_bench_efg(phxi_bench* bench) {
    static const int sides[] = {16, 32, 64};
    phxi_pool* pool = NULL;
    PHXI_TRY(phxi_pool_create(bench->heap, bench->def->max_threads, &pool));
    int most = phxi_pool_threads(pool);
    phxi_pool_destroy(pool);
    for (int i = 0; i < 3; ++i) {
        int count = sides[i] * sides[i] * sides[i];
        if (bench->def->max_particles > 0 && count > bench->def->max_particles) {
            continue;
        }
        double alone = 0;
        for (int threads = 1; threads <= most; threads = threads < most && 2 * threads > most ? most : 2 * threads) {
            PHXI_TRY(run_size(bench, sides[i], threads, &alone));
        }
    }
    return PHX_OK;
}
