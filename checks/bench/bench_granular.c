// SPDX-License-Identifier: MIT
// A block of sand, jittered, one substep after the other: all of it, its neighbour lists, its first loop over pairs,
// what happens at each particle, its second loop; beside these the bare loop, over the same lists by the same groups.
// `x limit` is a loop over a bare pass on the same number of threads.
#include "bench/bare_granular.h"
#include "bench/bench.h"

#include "world/world.h"

enum { SUBSTEP, LISTS, RATES, FLOW, FORCES, BARE, STAGES };

typedef struct run {
    phx_world* world;
    phxi_granular* state;
    phxi_step step;
    double dt, times[STAGES];
    phxi_r4* sums;
} run;

static phx_result create(phxi_bench* bench, int side, int threads, run* r) {
    phx_world_def def = phx_world_def_default();
    phx_body_def body = phx_body_def_default();
    const phx_preset* sand;
    phx_body_id id;
    phx_dt_info info;
    char shape[64];
    def.threads = threads;
    *r = (run){.dt = 0};
    for (int stage = 0; stage < STAGES; ++stage) {
        r->times[stage] = INFINITY;
    }
    PHXI_TRY(phx_world_create(&def, &r->world));
    PHXI_TRY(phx_preset_find("wet_sand", &sand));
    PHXI_TRY(phx_material_create(r->world, &sand->def, &body.material));
    snprintf(shape, sizeof shape, "box(size=(%g,%g,%g))", 0.01 * side, 0.01 * side, 0.01 * side);
    body.method = "granular";
    body.shape = shape;
    body.spacing = 0.01;
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
    PHXI_LANES_CALL(phxi_bare_granular_rows, r->state, begin, end, r->sums);
}

static void rates_part(void* context, int begin, int end, int block) {
    (void)block;
    PHXI_LANES_CALL(phxi_granular_rates, ((run*)context)->state, begin, end);
}

static void flow_part(void* context, int begin, int end, int block) {
    (void)block;
    phxi_granular_flow(((run*)context)->state, begin, end);
}

static void forces_part(void* context, int begin, int end, int block) {
    (void)block;
    PHXI_LANES_CALL(phxi_granular_forces, ((run*)context)->state, begin, end);
}

static void keep_best(run* r, int stage, double start) {
    r->times[stage] = fmin(r->times[stage], phxi_bench_clock() - start);
}

/// One round of everything; the stages run on what the substep has packed, its neighbour lists made once more.
static phx_result measure(run* r) {
    static phxi_loop_body* const parts[STAGES] = {
        [RATES] = rates_part, [FLOW] = flow_part, [FORCES] = forces_part, [BARE] = bare_part};
    int count = r->world->particles.count;
    double start = phxi_bench_clock();
    PHXI_TRY(phx_world_substep(r->world, r->dt));
    keep_best(r, SUBSTEP, start);
    r->step = phxi_world_context(r->world, 0);
    r->state->step = &r->step;
    for (int stage = RATES; stage < STAGES; ++stage) {
        start = phxi_bench_clock();
        phxi_parallel_for(r->world->pool, count, GRANULAR_GRAIN, parts[stage], r);
        keep_best(r, stage, start);
    }
    start = phxi_bench_clock();
    const phxi_body* body = &r->world->bodies.items[0];
    phxi_near_range all = {0, count, body->reach, false, body->list_radius};
    PHXI_TRY(phxi_near_update(&r->world->near, r->world->pool, PHXI_SEARCH_GRID, &r->world->particles, &all, 1,
                              phxi_vec3(0, 0, 0)));
    keep_best(r, LISTS, start);
    return PHX_OK;
}

static void report(phxi_bench* bench, const run* r, int threads, const double* alone) {
    static const char* const names[] = {"substep", "its lists", "first loop over pairs", "strain and stress",
                                        "second loop over pairs"};
    int count = r->world->particles.count;
    int pairs = (int)r->world->near.lists.start[count];
    for (int stage = SUBSTEP; stage < BARE; ++stage) {
        double time = r->times[stage];
        bool loop = stage == RATES || stage == FORCES;
        phx_bench_line line = {.name = names[stage],
                               .particles = count,
                               .pairs = pairs,
                               .threads = threads,
                               .ns_per_particle = 1e9 * time / count,
                               .ns_per_pair = 1e9 * time / pairs,
                               .x_limit = loop ? time / r->times[BARE] : NAN,
                               .speedup = alone[stage] / time,
                               .share = stage == SUBSTEP ? NAN : time / r->times[SUBSTEP]};
        phxi_bench_report(bench, &line);
    }
}

static phx_result run_block(phxi_bench* bench, int side, int threads, double alone[STAGES]) {
    run r;
    phx_result result = create(bench, side, threads, &r);
    double begin = phxi_bench_clock();
    while (result == PHX_OK && (phxi_bench_clock() - begin < bench->def->seconds || r.times[BARE] == INFINITY)) {
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
    return result;
}

phx_result phxi_bench_granular(phxi_bench* bench) {
    static const int sides[] = {24, 48};
    int most;
    PHXI_TRY(phxi_bench_threads(bench, &most));
    for (int k = 0; k < 2; ++k) {
        double alone[STAGES] = {0};
        int count = sides[k] * sides[k] * sides[k];
        for (int threads = 1; threads <= (most > 1 ? 2 : 1); ++threads) {
            if (bench->def->max_particles == 0 || count <= bench->def->max_particles) {
                PHXI_TRY(run_block(bench, sides[k], threads, alone));
            }
        }
    }
    return PHX_OK;
}
