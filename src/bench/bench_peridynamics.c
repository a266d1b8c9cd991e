// SPDX-License-Identifier: MIT
// Projective peridynamics: what the local step (both passes: targets and forces), a product with the scalar matrix, and
// one with the tangent cost a bond, beside a bare loop over the same lists; and a whole step of 1/60 s of a block that
// spins, with the iterations of its linear solves.
#include "bench/bench.h"

#include "methods/peridynamics/peri_internal.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

#define SPACING 0.0125 // m

typedef struct run {
    phx_world* world;
    phxi_step step;
    phxi_peri_slot* slot;
    phx_vec3 *x, *force;
    phx_real *q[3], *kq[3];
    phxi_r4* bare;
} run;

static phx_result create(phxi_bench* bench, int side, const char* integrator, int threads, run* r) {
    *r = (run){0};
    phx_world_def def = phx_world_def_default();
    def.threads = threads;
    def.gravity = phxi_vec3(0, 0, 0);
    phx_material_def rubber = phx_material_def_default();
    rubber.young = 1e6, rubber.poisson = 0.3, rubber.density = 1000;
    phx_body_def body = phx_body_def_default();
    const phx_setting settings[] = {{"integrator", integrator}};
    char shape[96];
    snprintf(shape, sizeof shape, "box(size=(%.17g,%.17g,%.17g))", side * SPACING, side * SPACING, side * SPACING);
    body.shape = shape;
    body.spacing = SPACING;
    body.method = "peridynamics";
    body.settings = settings;
    body.setting_count = 1;
    body.angular_velocity = phxi_vec3(1, 2, 3);
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
            sum += slot->near[k] * slot->u[slot->other[k]];
        }
        out[i] = sum;
    }
}

static void bare_part(void* context, int begin, int end, int index) {
    (void)index;
    const run* r = context;
    bench_peridynamics_bare(r->slot, r->bare, begin, end);
}

enum { LOCAL, SCALAR, TANGENT, WHOLE, BARE, PARTS };

static void time_parts(run* r, double times[PARTS]) {
    phxi_peri_binding binding = {.step = &r->step, .slot = r->slot};
    phxi_operator op = phxi_peri_operator(&binding);
    phxi_strain strain;
    r->step = phxi_world_context(r->world, 0);
    double start = phxi_bench_clock();
    op.forces(op.context, r->x, r->force, &strain);
    times[LOCAL] = fmin(times[LOCAL], phxi_bench_clock() - start);
    start = phxi_bench_clock();
    phxi_peri_laplacian(&r->step, r->slot, (const phx_real* const*)r->q, r->kq);
    times[SCALAR] = fmin(times[SCALAR], phxi_bench_clock() - start);
    start = phxi_bench_clock();
    phxi_peri_tangent(&r->step, r->slot, (const phx_real* const*)r->q, r->kq);
    times[TANGENT] = fmin(times[TANGENT], phxi_bench_clock() - start);
    start = phxi_bench_clock();
    phxi_parallel_for(r->world->pool, r->slot->count, PERI_BLOCK, bare_part, r);
    times[BARE] = fmin(times[BARE], phxi_bench_clock() - start);
}

static phx_result measure(run* r, double seconds, double times[PARTS], double* iterations) {
    for (int k = 0; k < PARTS; ++k) {
        times[k] = INFINITY;
    }
    double begin = phxi_bench_clock();
    *iterations = 0;
    int steps = 0;
    while (steps < 10 || phxi_bench_clock() - begin < seconds) {
        double start = phxi_bench_clock();
        PHXI_TRY(phx_world_substep(r->world, 1.0 / 60));
        times[WHOLE] = fmin(times[WHOLE], phxi_bench_clock() - start);
        *iterations += phxi_implicit_last(r->slot->implicit)->iterations;
        ++steps;
        time_parts(r, times);
    }
    *iterations /= steps;
    return PHX_OK;
}

static void report(phxi_bench* bench, const run* r, const char* integrator, int threads, const double times[PARTS],
                   double iterations) {
    static const char* const names[] = {"local step and forces", "product, scalar matrix", "product, tangent"};
    int count = r->world->particles.count, bonds = r->slot->bond_count;
    for (int k = LOCAL; k <= WHOLE; ++k) {
        char name[64];
        snprintf(name, sizeof name, "%s step, %.1f iterations", integrator, iterations);
        phxi_bench_report(bench, &(phx_bench_line){.name = k == WHOLE ? name : names[k],
                                                   .particles = count,
                                                   .pairs = bonds,
                                                   .threads = threads,
                                                   .ns_per_particle = 1e9 * times[k] / count,
                                                   .ns_per_pair = 1e9 * times[k] / bonds,
                                                   .x_limit = times[k] / (2 * times[BARE]),
                                                   .speedup = NAN,
                                                   .share = NAN});
    }
}

phx_result phxi_bench_peridynamics(phxi_bench* bench) {
    static const char* const integrators[] = {"projective", "bdf2"};
    static const int sides[] = {13, 24};
    int most;
    PHXI_TRY(phxi_bench_threads(bench, &most));
    for (int k = 0; k < 4; ++k) {
        int side = sides[k / 2];
        if (bench->def->max_particles > 0 && side * side * side > bench->def->max_particles) {
            continue;
        }
        run r;
        double times[PARTS], iterations = 0;
        phx_result result = create(bench, side, integrators[k % 2], most, &r);
        result = result == PHX_OK ? measure(&r, bench->def->seconds, times, &iterations) : result;
        if (result == PHX_OK) {
            report(bench, &r, integrators[k % 2], most, times, iterations);
        }
        destroy(bench, &r);
        PHXI_TRY(result);
    }
    return PHX_OK;
}
