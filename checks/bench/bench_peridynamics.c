// SPDX-License-Identifier: MIT
// Projective peridynamics: what the local step (both passes: targets and forces), a product with the scalar matrix, and
// one with the tangent cost a bond, beside a bare loop over the same bonds: read a neighbour and a weight, add what the
// neighbour has, once for a product with the scalar matrix, twice for the others. And a whole step of 1/60 s of a block
// that spins, with the iterations of its linear solves. Horizons: ours, and that of most of the literature
// (bench/peers/peridynamics.py).
#include "bench/bench.h"

#include "methods/peridynamics/peri_internal.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SPACING 0.0125 // m

typedef struct run {
    phx_world* world;
    phxi_step step;
    phxi_peri_slot* slot;
    phx_vec3 *x, *force;
    phx_real *q[3], *kq[3];
    phxi_r4* bare;
} run;

typedef struct trial {
    int side;
    const char *model, *horizon, *integrator;
    double jitter; // spacings; 0: a lattice, whose loops need no indices
} trial;

static phx_result create(phxi_bench* bench, const trial* t, int threads, run* r) {
    *r = (run){0};
    int side = t->side;
    phx_world_def def = phx_world_def_default();
    def.threads = threads;
    def.gravity = phxi_vec3(0, 0, 0);
    phx_material_def rubber = phx_material_def_default();
    rubber.young = 1e6, rubber.poisson = 0.3, rubber.density = 1000;
    phx_body_def body = phx_body_def_default();
    body.sampling = PHX_SAMPLING_UNIFORM; // as many particles as figures of before
    const phx_setting settings[] = {{"integrator", t->integrator}, {"model", t->model}, {"horizon", t->horizon}};
    char shape[96];
    snprintf(shape, sizeof shape, "box(size=(%.17g,%.17g,%.17g))", side * SPACING, side * SPACING, side * SPACING);
    body.shape = shape;
    body.spacing = SPACING;
    body.method = "peridynamics";
    body.settings = settings;
    body.setting_count = 3;
    body.angular_velocity = phxi_vec3(1, 2, 3);
    body.jitter = t->jitter;
    phx_body_id id;
    PHXI_TRY(phx_world_create(&def, &r->world));
    PHXI_TRY(phx_material_create(r->world, &rubber, &body.material));
    PHXI_TRY(phx_body_create(r->world, &body, &id));
    r->slot = &((phxi_peri*)r->world->solvers.items[0].state)->slots.items[0];
    int count = r->world->particles.count;
    PHXI_NEW(r->x, bench->heap, 2 * count, "bench");
    r->force = r->x + count;
    PHXI_NEW(r->q[0], bench->heap, 6 * count, "bench");
    PHXI_NEW(r->bare, bench->heap, count, "bench");
    for (int k = 0; k < 3; ++k) {
        r->q[k] = r->q[0] + (size_t)k * (size_t)count;
        r->kq[k] = r->q[0] + (size_t)(k + 3) * (size_t)count;
        for (int i = 0; i < count; ++i) {
            r->q[k][i] = (phx_real)sin(12.9898 * i + k);
        }
    }
    const phxi_particles* p = &r->world->particles;
    for (int i = 0; i < count; ++i) {
        r->x[i] = phxi_vec3(1.01 * (double)p->x[i], p->y[i], p->z[i]);
    }
    return phx_world_substep(r->world, 1.0 / 60);
}

static void destroy(phxi_bench* bench, run* r) {
    phxi_free(bench->heap, r->x);
    phxi_free(bench->heap, r->q[0]);
    phxi_free(bench->heap, r->bare);
    phx_world_destroy(r->world);
}

static PHXI_CLONES void bench_peridynamics_bare(const phxi_peri_slot* slot, phxi_r4* out, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        phxi_r4 sum = {0};
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            sum += slot->link[k] * slot->u[slot->other[k]];
        }
        out[i] = sum;
    }
}

static void bare_part(void* context, int begin, int end, int index) {
    (void)index;
    const run* r = context;
    bench_peridynamics_bare(r->slot, r->bare, begin, end);
}

enum { STEPS = 10 };
enum { LOCAL, SCALAR, TANGENT, WHOLE, BARE, PARTS };

/// The processor's time of a part, a thread: parts run one after the other, so waiting for others does not count.
static void clock_in(const run* r, double start, double* best) {
    *best = fmin(*best, (phxi_bench_cpu_clock() - start) / phx_world_threads(r->world));
}

static void time_parts(run* r, double times[PARTS]) {
    phxi_peri_binding binding = {.step = &r->step, .slot = r->slot};
    phxi_operator op = phxi_peri_operator(&binding);
    phxi_strain strain;
    r->step = phxi_world_context(r->world, 0);
    double start = phxi_bench_cpu_clock();
    op.forces(op.context, r->x, r->force, &strain);
    clock_in(r, start, &times[LOCAL]);
    start = phxi_bench_cpu_clock();
    phxi_peri_laplacian(&r->step, r->slot, (const phx_real* const*)r->q, r->kq);
    clock_in(r, start, &times[SCALAR]);
    start = phxi_bench_cpu_clock();
    phxi_peri_tangent(&r->step, r->slot, (const phx_real* const*)r->q, r->kq);
    clock_in(r, start, &times[TANGENT]);
    start = phxi_bench_cpu_clock();
    phxi_parallel_for(r->world->pool, r->slot->count, PERI_BLOCK, bare_part, r);
    clock_in(r, start, &times[BARE]);
}

/// Steps and parts in turn: the best of each.
static phx_result measure(run* r, double seconds, double times[PARTS], double* iterations) {
    for (int k = 0; k < PARTS; ++k) {
        times[k] = INFINITY;
    }
    double begin = phxi_bench_clock();
    *iterations = 0;
    for (int steps = 0; steps < STEPS || phxi_bench_clock() - begin < seconds; ++steps) {
        if (steps < STEPS) {
            double start = phxi_bench_cpu_clock();
            PHXI_TRY(phx_world_substep(r->world, 1.0 / 60));
            clock_in(r, start, &times[WHOLE]);
            *iterations += phxi_implicit_last(r->slot->implicit)->iterations / (double)STEPS;
        }
        time_parts(r, times);
    }
    return PHX_OK;
}

static void report(phxi_bench* bench, const run* r, const trial* t, int threads, const double times[PARTS],
                   double iterations) {
    bool scalar = strcmp(t->integrator, "projective") == 0;
    const char* how = t->jitter > 0 ? ", jittered" : "";
    int count = r->world->particles.count, bonds = r->slot->bond_count;
    for (int k = LOCAL; k <= WHOLE; ++k) {
        if (k == (scalar ? TANGENT : SCALAR)) {
            continue; // not of this integrator
        }
        char name[96];
        if (k == WHOLE) {
            snprintf(name, sizeof name, "%s, horizon %s%s, %s step, %.1f iterations", t->model, t->horizon, how,
                     t->integrator, iterations);
        } else {
            snprintf(name, sizeof name, "%s, horizon %s%s, %s", t->model, t->horizon, how,
                     k == LOCAL ? "local step and forces"
                     : scalar   ? "product, scalar matrix"
                                : "product, tangent");
        }
        phxi_bench_report(bench, &(phx_bench_line){.name = name,
                                                   .particles = count,
                                                   .pairs = bonds,
                                                   .threads = threads,
                                                   .ns_per_particle = 1e9 * times[k] / count,
                                                   .ns_per_pair = 1e9 * times[k] / bonds,
                                                   .x_limit = times[k] / ((k == SCALAR ? 1 : 2) * times[BARE]),
                                                   .speedup = NAN,
                                                   .share = NAN});
    }
}

phx_result phxi_bench_peridynamics(phxi_bench* bench) {
    static const trial trials[] = {
        {13, "state", "1.8", "projective", 0},   {13, "state", "1.8", "bdf2", 0},
        {24, "state", "1.8", "projective", 0},   {24, "state", "1.8", "projective", 0.1},
        {24, "state", "1.8", "bdf2", 0},         {24, "bond", "1.8", "projective", 0},
        {31, "state", "3.015", "projective", 0}, {31, "state", "3.015", "projective", 0.1},
        {31, "state", "3.015", "bdf2", 0},       {31, "bond", "3.015", "projective", 0},
    };
    int most;
    PHXI_TRY(phxi_bench_threads(bench, &most));
    for (size_t k = 0; k < sizeof trials / sizeof trials[0]; ++k) {
        const trial* t = &trials[k];
        if (bench->def->max_particles > 0 && t->side * t->side * t->side > bench->def->max_particles) {
            continue;
        }
        run r;
        double times[PARTS], iterations = 0;
        phx_result result = create(bench, t, most, &r);
        result = result == PHX_OK ? measure(&r, bench->def->seconds, times, &iterations) : result;
        if (result == PHX_OK) {
            report(bench, &r, t, most, times, iterations);
        }
        destroy(bench, &r);
        PHXI_TRY(result);
    }
    return PHX_OK;
}
