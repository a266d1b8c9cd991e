// SPDX-License-Identifier: MIT
// Liu et al., "Anisotropic Kernels for Meshless Elastic Solids", table I: milliseconds a step of five models on one
// core of 2.93 GHz. Ours are boxes of as many particles (one percent more at most) that lie on a floor, in mode
// membership with principal kernels, in the columns of the paper:
//
//   grid         who touches whom, for contact of the body with itself: a grid of all particles whenever one has moved
//                by an eighth of its diameter, its list in between (the body slides at 1 m/s, so that is every few
//                steps)
//   elastic      both loops over pairs, rotations, strains, stresses, kernels
//   integration  all else that a step does: frame, damping, drift, floor, kick
//
// Then what anisotropic kernels cost over isotropic ones, the elastic part taken in turns at a stretch at which no pair
// is near the edge of its kernel (2 %) and at one where all are (30 %); and what of the machine the loops over pairs
// use.
#include "bench/bench.h"

#include "methods/corotated_sph/corotated_internal.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

#define SPACING 0.0048 // m

typedef struct model {
    const char* name;
    int particles;                   // the paper's
    int cells[3];                    // of ours
    double grid, integrate, elastic; // ms, the paper's
} model;

static const model models[] = {{"bar", 792, {6, 6, 22}, 14, 4, 7},
                               {"swimming fish", 1835, {9, 12, 17}, 18, 14, 20},
                               {"plant", 2352, {12, 14, 14}, 19, 16, 22},
                               {"dropping fish", 3711, {8, 16, 29}, 26, 29, 43},
                               {"armadillo", 4152, {13, 16, 20}, 26, 27, 44}};

/// A world with one body, and room to time its parts.
typedef struct run {
    phx_world* world;
    phxi_step step;
    phxi_csph_slot* slot;
    phx_real* shape[6];
    phxi_r4* bare; // sums of the bare loop
} run;

static phx_result create(phxi_bench* bench, const int cells[3], const char* mode, const char* kernel, double stretch,
                         int threads, run* r) {
    phx_world_def def = phx_world_def_default();
    phx_material_def rubber = phx_material_def_default();
    phx_body_def body = phx_body_def_default();
    body.sampling = PHX_SAMPLING_UNIFORM; // particles of the paper
    phx_collider_def floor = phx_collider_def_default();
    const phx_setting settings[] = {{"mode", mode}, {"kernel", kernel}};
    char shape[160];
    phx_body_id id;
    phx_collider_id ground;
    *r = (run){0};
    def.threads = threads;
    rubber.young = 1e6, rubber.poisson = 0.33, rubber.density = 1000, rubber.damping = 50;
    snprintf(shape, sizeof shape, "box(center=(0,0,%.17g),size=(%.17g,%.17g,%.17g))", cells[2] * SPACING / 2,
             cells[0] * SPACING, cells[1] * SPACING, cells[2] * SPACING);
    body.shape = shape;
    body.spacing = SPACING;
    body.method = "corotated_sph";
    body.settings = settings;
    body.setting_count = 2;
    body.self_contact = true;
    body.velocity = phxi_vec3(1, 0, 0);
    floor.shape = "plane(normal=(0,0,1))";
    PHXI_TRY(phx_world_create(&def, &r->world));
    PHXI_TRY(phx_material_create(r->world, &rubber, &body.material));
    PHXI_TRY(phx_body_create(r->world, &body, &id));
    PHXI_TRY(phx_collider_create(r->world, &floor, &ground));
    phxi_particles* p = &r->world->particles;
    for (int i = 0; i < p->count; ++i) { // a little sheared: principal directions are not the axes
        p->x[i] += (phx_real)(stretch / 20) * p->z[i];
        p->z[i] *= (phx_real)(1 + stretch);
    }
    r->slot = &((phxi_csph*)r->world->solvers.items[0].state)->slots.items[0];
    PHXI_NEW(r->bare, bench->heap, p->count, "bare loop");
    return phx_world_substep(r->world, 1e-6);
}

static void destroy(phxi_bench* bench, run* r) {
    phxi_free(bench->heap, r->bare);
    phx_world_destroy(r->world);
}

// --------------------------------------------------------------------------------------------------------------- parts

static void stress_part(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const run* r = context;
    phxi_csph_block b;
    phxi_csph_stress(r->slot, &r->world->bodies.items[0].elastic, r->shape, begin, &b);
}

static void force_part(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const run* r = context;
    _Alignas(64) phx_real force[3][CSPH_BLOCK];
    phxi_csph_force(r->slot, begin, force);
}

/// The elastic part of a substep, the mean of a round of turns; s.
static double elastic(run* r) {
    r->step = phxi_world_context(r->world, 0);
    phxi_csph_shapes(&r->step, r->shape);
    double start = phxi_bench_clock();
    for (int turn = 0; turn < CSPH_TURNS; ++turn) {
        r->slot->turn = turn;
        phxi_parallel_for(r->world->pool, phxi_csph_blocks(r->slot), 1, stress_part, r);
        phxi_parallel_for(r->world->pool, phxi_csph_blocks(r->slot), 1, force_part, r);
    }
    return (phxi_bench_clock() - start) / CSPH_TURNS;
}

static PHXI_CLONES void bench_corotated_bare(const phxi_csph_slot* slot, phxi_r4* out, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        phxi_r4 sum = {0};
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            sum += slot->near[k] * slot->u[slot->other[k]];
        }
        out[i] = sum;
    }
}

static void bare_part(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const run* r = context;
    int first = begin * CSPH_BLOCK;
    bench_corotated_bare(r->slot, r->bare, first, first + phxi_csph_count(r->slot, begin));
}

static double bare(run* r) {
    double start = phxi_bench_clock();
    phxi_parallel_for(r->world->pool, phxi_csph_blocks(r->slot), 1, bare_part, r);
    return phxi_bench_clock() - start;
}

// ------------------------------------------------------------------------------------------------------------- table I

enum { GRID, INTEGRATION, ELASTIC, WHOLE, BARE, PARTS };

/// The least times. Who touches whom is asked before each substep, so that it does not ask again; the time of that is
/// the mean of twenty, because it is larger whenever the list is rebuilt.
static phx_result measure(run* r, double seconds, double times[PARTS]) {
    enum { GROUP = 20 };
    phx_dt_info info;
    PHXI_TRY(phx_world_dt(r->world, &info));
    for (int k = 0; k < PARTS; ++k) {
        times[k] = INFINITY;
    }
    double begin = phxi_bench_clock();
    while (times[WHOLE] == INFINITY || phxi_bench_clock() - begin < seconds) {
        double touch = 0;
        for (int k = 0; k < GROUP; ++k) {
            double start = phxi_bench_clock();
            phxi_particles* p = &r->world->particles;
            PHXI_TRY(phxi_world_touch(r->world, info.dt, (phx_real* const[3]){p->fx, p->fy, p->fz}));
            touch += phxi_bench_clock() - start;
            phxi_arena_reset(&r->world->arena);
            start = phxi_bench_clock();
            PHXI_TRY(phx_world_substep(r->world, info.dt));
            times[WHOLE] = fmin(times[WHOLE], phxi_bench_clock() - start);
        }
        times[GRID] = fmin(times[GRID], touch / GROUP);
        for (int k = 0; k < 10; ++k) {
            times[ELASTIC] = fmin(times[ELASTIC], elastic(r));
            times[BARE] = fmin(times[BARE], bare(r));
        }
    }
    times[INTEGRATION] = fmax(0, times[WHOLE] - times[ELASTIC]);
    return PHX_OK;
}

static void report(phxi_bench* bench, const run* r, const model* m, int threads, const double times[PARTS]) {
    static const char* const names[] = {"grid", "integration", "elastic"};
    const double paper[] = {m->grid, m->integrate, m->elastic};
    for (int k = GRID; k <= ELASTIC; ++k) {
        char name[48];
        snprintf(name, sizeof name, "%s, %s", m->name, names[k]);
        phxi_bench_report(bench, &(phx_bench_line){.name = name,
                                                   .particles = r->world->particles.count,
                                                   .pairs = r->slot->pair_count,
                                                   .threads = threads,
                                                   .unit = "ms/step",
                                                   .measured = 1e3 * times[k],
                                                   .against = "paper",
                                                   .reference = paper[k],
                                                   .ratio = 1e-3 * paper[k] / times[k],
                                                   .goal = threads > 1 ? 100 : NAN});
    }
}

static phx_result table_1(phxi_bench* bench, int threads) {
    for (size_t k = 0; k < sizeof models / sizeof models[0]; ++k) {
        if (bench->def->max_particles > 0 && models[k].particles > bench->def->max_particles) {
            continue;
        }
        run r;
        double times[PARTS];
        phx_result result = create(bench, models[k].cells, "membership", "principal", 0, threads, &r);
        result = result == PHX_OK ? measure(&r, bench->def->seconds, times) : result;
        if (result == PHX_OK) {
            report(bench, &r, &models[k], threads, times);
            int count = r.world->particles.count, pairs = r.slot->pair_count;
            phxi_bench_report(bench, &(phx_bench_line){.name = "elastic",
                                                       .particles = count,
                                                       .pairs = pairs,
                                                       .threads = threads,
                                                       .ns_per_particle = 1e9 * times[ELASTIC] / count,
                                                       .ns_per_pair = 1e9 * times[ELASTIC] / pairs,
                                                       .x_limit = times[ELASTIC] / (2 * times[BARE]),
                                                       .speedup = NAN,
                                                       .share = times[ELASTIC] / times[WHOLE]});
        }
        destroy(bench, &r);
        PHXI_TRY(result);
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------ overhead

static phx_result overhead(phxi_bench* bench, double stretch) {
    static const char* const kernels[] = {"isotropic", "diagonal", "principal"};
    static const double goals[] = {NAN, 1 / 1.10, 1 / 1.15};
    enum { KINDS = 3 };
    run r[KINDS] = {0};
    double best[KINDS] = {INFINITY, INFINITY, INFINITY};
    phx_result result = PHX_OK;
    for (int k = 0; k < KINDS && result == PHX_OK; ++k) {
        result = create(bench, models[0].cells, "membership", kernels[k], stretch, 1, &r[k]);
    }
    double begin = phxi_bench_clock();
    while (result == PHX_OK && phxi_bench_clock() - begin < bench->def->seconds) {
        for (int k = 0; k < KINDS; ++k) {
            best[k] = fmin(best[k], elastic(&r[k]));
        }
    }
    for (int k = 1; k < KINDS && result == PHX_OK; ++k) {
        char name[48];
        snprintf(name, sizeof name, "%s, stretched by %g", kernels[k], stretch);
        phxi_bench_report(bench, &(phx_bench_line){.name = name,
                                                   .particles = r[k].world->particles.count,
                                                   .pairs = r[k].slot->pair_count,
                                                   .threads = 1,
                                                   .unit = "us/step",
                                                   .measured = 1e6 * best[k],
                                                   .against = "isotropic",
                                                   .reference = 1e6 * best[0],
                                                   .ratio = best[0] / best[k],
                                                   .goal = goals[k]});
    }
    for (int k = 0; k < KINDS; ++k) {
        destroy(bench, &r[k]);
    }
    return result;
}

phx_result phxi_bench_corotated(phxi_bench* bench) {
    int most;
    PHXI_TRY(phxi_bench_threads(bench, &most));
    PHXI_TRY(table_1(bench, bench->def->max_threads == 1 || most == 1 ? 1 : 2));
    PHXI_TRY(overhead(bench, 0.02));
    return overhead(bench, 0.3);
}
