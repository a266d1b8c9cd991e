// SPDX-License-Identifier: MIT
// A block of water, jittered, one substep after the other: all of it, its neighbour lists, its two loops over pairs;
// beside these the bare loop.
//
// The bare loop goes over the same lists by the same groups and does what every loop of SPH over pairs must: gather the
// neighbours' positions and velocities, the distance, the kernel's slope, and add one vector. There are two loops over
// pairs, so `x limit` = both / (2 bare passes) on the same number of threads.
#include "bench/bare_wcsph.h"
#include "bench/bench.h"

#include "world/world.h"

enum { SUBSTEP, LISTS, LOOPS, BARE, STAGES };

typedef struct run {
    phx_world* world;
    phxi_wcsph* state;
    phxi_step step;
    double dt, times[STAGES];
    phxi_r4* sums;
} run;

static phx_result create(phxi_bench* bench, int side, int threads, run* r) {
    phx_world_def def = phx_world_def_default();
    phx_material_def water = phx_material_def_default();
    phx_body_def body = phx_body_def_default();
    phx_body_id id;
    phx_dt_info info;
    char shape[64];
    def.threads = threads;
    water.viscosity = 1e-3;
    *r = (run){.times = {INFINITY, INFINITY, INFINITY, INFINITY}};
    PHXI_TRY(phx_world_create(&def, &r->world));
    PHXI_TRY(phx_material_create(r->world, &water, &body.material));
    snprintf(shape, sizeof shape, "box(size=(%d,%d,%d))", side, side, side);
    body.method = "wcsph";
    body.shape = shape;
    body.spacing = 1;
    body.jitter = 0.1;
    PHXI_TRY(phx_body_create(r->world, &body, &id));
    PHXI_NEW(r->sums, bench->heap, r->world->particles.count, "bench sums");
    PHXI_TRY(phx_world_dt(r->world, &info));
    r->dt = info.dt;
    r->state = r->world->solvers.items[0].state;
    return PHX_OK;
}

static void bare_part(void* context, int begin, int end, int block) {
    const run* r = context;
    (void)block;
    PHXI_LANES_CALL(phxi_bare_wcsph_rows, r->state, begin, end, r->sums);
}

static void rates_part(void* context, int begin, int end, int block) {
    (void)block;
    PHXI_LANES_CALL(phxi_wcsph_rates, ((run*)context)->state, begin, end);
}

static void forces_part(void* context, int begin, int end, int block) {
    (void)block;
    PHXI_LANES_CALL(phxi_wcsph_forces, ((run*)context)->state, begin, end);
}

static void keep_best(run* r, int stage, double start) {
    r->times[stage] = fmin(r->times[stage], phxi_bench_clock() - start);
}

/// One round of everything; the loops run on what the substep has packed.
static phx_result measure(run* r) {
    int count = r->world->particles.count;
    double start = phxi_bench_clock();
    PHXI_TRY(phx_world_substep(r->world, r->dt));
    keep_best(r, SUBSTEP, start);
    start = phxi_bench_clock();
    const phxi_body* body = &r->world->bodies.items[0];
    phxi_near_range all = {0, count, body->reach, false, body->list_radius};
    PHXI_TRY(phxi_near_update(&r->world->near, r->world->pool, PHXI_SEARCH_GRID, &r->world->particles, &all, 1,
                              phxi_vec3(0, 0, 0)));
    keep_best(r, LISTS, start);
    r->step = phxi_world_context(r->world, 0);
    r->state->step = &r->step;
    start = phxi_bench_clock();
    phxi_parallel_for(r->world->pool, count, WCSPH_GRAIN, rates_part, r);
    phxi_parallel_for(r->world->pool, count, WCSPH_GRAIN, forces_part, r);
    keep_best(r, LOOPS, start);
    start = phxi_bench_clock();
    phxi_parallel_for(r->world->pool, count, WCSPH_GRAIN, bare_part, r);
    keep_best(r, BARE, start);
    return PHX_OK;
}

static void report(phxi_bench* bench, const run* r, int threads, const double* alone) {
    static const char* const names[] = {"substep", "its lists", "its loops over pairs"};
    int count = r->world->particles.count;
    int pairs = (int)r->world->near.lists.start[count];
    for (int stage = SUBSTEP; stage < BARE; ++stage) {
        double time = r->times[stage];
        phx_bench_line line = {.name = names[stage],
                               .particles = count,
                               .pairs = pairs,
                               .threads = threads,
                               .ns_per_particle = 1e9 * time / count,
                               .ns_per_pair = 1e9 * time / pairs,
                               .x_limit = stage == LOOPS ? time / (2 * r->times[BARE]) : NAN,
                               .speedup = alone[stage] / time,
                               .share = stage == SUBSTEP ? NAN : time / r->times[SUBSTEP]};
        phxi_bench_report(bench, &line);
    }
}

phx_result phxi_bench_wcsph(phxi_bench* bench) {
    static const int sides[] = {32, 64};
    int most;
    PHXI_TRY(phxi_bench_threads(bench, &most));
    for (int k = 0; k < 2; ++k) {
        double alone[STAGES] = {0};
        for (int threads = 1; threads <= (most > 1 ? 2 : 1); ++threads) {
            int count = sides[k] * sides[k] * sides[k];
            if (bench->def->max_particles > 0 && count > bench->def->max_particles) {
                continue;
            }
            run r;
            phx_result result = create(bench, sides[k], threads, &r);
            double begin = phxi_bench_clock();
            while (result == PHX_OK &&
                   (phxi_bench_clock() - begin < bench->def->seconds || r.times[BARE] == INFINITY)) {
                result = measure(&r);
            }
            for (int stage = 0; threads == 1 && stage < STAGES; ++stage) {
                alone[stage] = r.times[stage];
            }
            if (result == PHX_OK) {
                report(bench, &r, threads, alone);
            }
            phxi_free(bench->heap, r.sums);
            phx_world_destroy(r.world);
            PHXI_TRY(result);
        }
    }
    return PHX_OK;
}
