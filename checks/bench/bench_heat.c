// SPDX-License-Identifier: MIT
// What heat costs in a block of disordered particles: finding neighbours (which fluids have found already), making the
// conductances, and one explicit step over them. A flush of heat is one of each and as many steps as it needs.
#include "bench/bench.h"

#include "core/hash.h"
#include "heat/heat.h"

#include <math.h>

typedef struct block {
    phxi_pool* pool;
    phxi_arena arena;
    phxi_particles particles;
    phxi_near near;
    phxi_heat heat;
    phxi_heat_body body;
    int count;
    double times[3]; // s: neighbours, conductances, step
} block;

static phx_result create(phxi_bench* bench, int side, int threads, block* b) {
    *b = (block){.times = {INFINITY, INFINITY, INFINITY}};
    phxi_arena_init(&b->arena, bench->heap, "bench heat");
    phxi_near_init(&b->near, bench->heap);
    phxi_heat_init(&b->heat, bench->heap);
    PHXI_TRY(phxi_particles_init(&b->particles, bench->heap));
    PHXI_TRY(phxi_pool_create(bench->heap, threads, &b->pool));
    b->count = side * side * side;
    PHXI_TRY(phxi_particles_add(&b->particles, b->count));
    phx_material_def material = phx_material_def_default();
    b->body = (phxi_heat_body){.law = phxi_heat_law_of(&material), .conductivity = 1};
    for (int i = 0; i < b->count; ++i) {
        phxi_particles* p = &b->particles;
        phx_real* const axes[3] = {p->x, p->y, p->z};
        const int cell[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; ++k) {
            double jitter = 0.2 * (phxi_hash_unit(phxi_hash_pair((uint64_t)i, (uint64_t)k)) - 0.5);
            axes[k][i] = (phx_real)(cell[k] + jitter);
        }
        p->spacing[i] = p->volume[i] = 1;
        p->mass[i] = 1000;
        phxi_enthalpy_set(p, i, &b->body.law, phxi_enthalpy_at(&b->body.law, cell[0]));
    }
    return PHX_OK;
}

static void destroy(block* b) {
    phxi_heat_destroy(&b->heat);
    phxi_near_destroy(&b->near);
    phxi_particles_destroy(&b->particles);
    phxi_arena_destroy(&b->arena);
    phxi_pool_destroy(b->pool);
}

/// A flush of about `steps` steps, s.
static phx_result flush(block* b, int steps, double* time) {
    double rate = 3 * 3.35 * b->body.conductivity * b->body.law.per_capacity / 1000;
    phxi_heat_gain gain = {0};
    phxi_heat_input input = {.pool = b->pool,
                             .arena = &b->arena,
                             .particles = &b->particles,
                             .bodies = &b->body,
                             .near = &b->near,
                             .duration = 0.8 * steps / rate};
    double begin = phxi_bench_clock();
    phx_result result = phxi_heat_advance(&b->heat, &input, &gain);
    *time = phxi_bench_clock() - begin;
    phxi_arena_reset(&b->arena);
    return result;
}

/// Times of the stages by flushes of one and of many steps, the best of each.
static phx_result measure(phxi_bench* bench, block* b) {
    enum { MANY = 21 };
    double one = INFINITY, many = INFINITY, begin = phxi_bench_clock();
    phxi_near_range all = {0, b->count, 3, false, 0};
    do {
        double start = phxi_bench_clock(), time;
        PHXI_TRY(phxi_near_update(&b->near, b->pool, PHXI_SEARCH_GRID, &b->particles, &all, 1, phxi_vec3(0, 0, 0)));
        b->times[0] = fmin(b->times[0], phxi_bench_clock() - start);
        PHXI_TRY(flush(b, 1, &time));
        one = fmin(one, time);
        PHXI_TRY(flush(b, MANY, &time));
        many = fmin(many, time);
    } while (phxi_bench_clock() - begin < bench->def->seconds);
    b->times[2] = fmax(0, many - one) / (MANY - 1);
    b->times[1] = fmax(0, one - b->times[2]);
    return PHX_OK;
}

static void report(phxi_bench* bench, const block* b, double alone[3]) {
    static const char* const names[3] = {"heat neighbours", "heat conductances", "heat step"};
    double pairs = (double)b->near.lists.start[b->count], whole = b->times[0] + b->times[1] + b->times[2];
    int threads = phxi_pool_threads(b->pool);
    for (int k = 0; k < 3; ++k) {
        alone[k] = threads == 1 ? b->times[k] : alone[k];
        phx_bench_line line = {.name = names[k],
                               .particles = b->count,
                               .pairs = (int)pairs,
                               .threads = threads,
                               .ns_per_particle = 1e9 * b->times[k] / b->count,
                               .ns_per_pair = 1e9 * b->times[k] / pairs,
                               .x_limit = NAN,
                               .speedup = alone[k] / b->times[k],
                               .share = b->times[k] / whole};
        phxi_bench_report(bench, &line);
    }
}

phx_result phxi_bench_heat(phxi_bench* bench) {
    static const int sides[] = {32, 64};
    for (int n = 0; n < 2; ++n) {
        double alone[3] = {NAN, NAN, NAN};
        for (int threads = 1; threads <= (bench->def->max_threads == 1 ? 1 : 2); ++threads) {
            if (bench->def->max_particles > 0 && sides[n] * sides[n] * sides[n] > bench->def->max_particles) {
                continue;
            }
            block b;
            phx_result result = create(bench, sides[n], threads, &b);
            result = result == PHX_OK ? measure(bench, &b) : result;
            if (result == PHX_OK) {
                report(bench, &b, alone);
            }
            destroy(&b);
            PHXI_TRY(result);
        }
    }
    return PHX_OK;
}
