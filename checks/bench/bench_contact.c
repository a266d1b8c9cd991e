// SPDX-License-Identifier: MIT
// What contact between particles costs: two blocks of 50 000 particles that touch along a face, against the same two
// that do not; the share of a substep is what is told. Both are timed in turns, and the best of each counts. Substeps
// of corotated_sph are the ones to compare with; those of efg on a lattice cost half as much.
#include "bench/bench.h"

#include <phyxel/world.h>

#include <math.h>

enum { SIDE = 37 };

typedef struct pair_def {
    const char* method;
    bool contact;
    phx_material_id material;
} pair_def;

static phx_result add_block(phx_world* world, const char* name, double shift, const pair_def* pair) {
    phx_body_def def = phx_body_def_default();
    def.sampling = PHX_SAMPLING_UNIFORM; // as many particles as figures of before
    phx_body_id body;
    def.name = name;
    def.shape = "box(center=(0, 0, 0), size=(0.37, 0.37, 0.37))";
    def.spacing = 0.37 / SIDE;
    def.translate = (phx_vec3){shift, 0.3 * shift / SIDE, 0};
    def.contact = pair->contact;
    def.method = pair->method;
    def.material = pair->material;
    return phx_body_create(world, &def, &body);
}

static phx_result make_world(int threads, pair_def pair, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    phx_material_def material = phx_material_def_default();
    def.threads = threads;
    def.gravity = (phx_vec3){0, 0, 0};
    PHXI_TRY(phx_world_create(&def, world));
    PHXI_TRY(phx_material_create(*world, &material, &pair.material));
    PHXI_TRY(add_block(*world, "left", 0, &pair));
    return add_block(*world, "right", 0.369, &pair);
}

/// Seconds of a substep, the least so far; 4 substeps make one slice.
static phx_result slice(phx_world* world, double dt, double* least) {
    double begin = phxi_bench_clock();
    for (int k = 0; k < 4; ++k) {
        PHXI_TRY(phx_world_substep(world, dt));
    }
    *least = fmin(*least, (phxi_bench_clock() - begin) / 4);
    return PHX_OK;
}

static phx_result compare(phxi_bench* bench, phx_world* worlds[2], double times[2]) {
    phx_dt_info info;
    PHXI_TRY(phx_world_dt(worlds[1], &info));
    double begin = phxi_bench_clock();
    do {
        PHXI_TRY(slice(worlds[0], info.dt, &times[0]));
        PHXI_TRY(slice(worlds[1], info.dt, &times[1]));
    } while (phxi_bench_clock() - begin < bench->def->seconds);
    return PHX_OK;
}

static phx_result bench_method(phxi_bench* bench, const char* method, const char* name) {
    phx_world* worlds[2] = {NULL, NULL};
    double times[2] = {INFINITY, INFINITY};
    phx_result result = PHX_OK;
    for (int k = 0; k < 2 && result == PHX_OK; ++k) {
        result = make_world(bench->def->max_threads, (pair_def){.method = method, .contact = k == 1}, &worlds[k]);
    }
    result = result == PHX_OK ? compare(bench, worlds, times) : result;
    if (result == PHX_OK) {
        int count = phx_world_particles(worlds[1]).count;
        phx_bench_line line = {.name = name,
                               .particles = count,
                               .threads = phx_world_threads(worlds[1]),
                               .ns_per_particle = 1e9 * times[1] / count,
                               .speedup = NAN,
                               .reference = NAN,
                               .ratio = NAN,
                               .goal = NAN,
                               .share = 1 - times[0] / times[1]};
        phxi_bench_report(bench, &line);
    }
    phx_world_destroy(worlds[0]);
    phx_world_destroy(worlds[1]);
    return result;
}

phx_result phxi_bench_contact(phxi_bench* bench) {
    if (bench->def->max_particles > 0 && 2 * SIDE * SIDE * SIDE > bench->def->max_particles) {
        return PHX_OK;
    }
    PHXI_TRY(bench_method(bench, "corotated_sph", "contact"));
    return bench_method(bench, "efg", "contact, efg");
}
