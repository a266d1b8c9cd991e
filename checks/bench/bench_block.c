// SPDX-License-Identifier: MIT
#include "bench/bench_block.h"

#include "neighbors/neighbors.h"

#include <math.h>
#include <stdio.h>

phxi_bench_block phxi_bench_cube(int side, int threads) {
    return (phxi_bench_block){.cells = {side, side, side}, .spacing = 0.01, .young = 1e5, .threads = threads};
}

phx_result phxi_bench_world(const phxi_bench_block* block, phx_world** world) {
    char shape[160], support[32];
    // a little more than whole cells, so that rounding does not lose a layer
    double a = block->spacing * (1 + 1e-9);
    snprintf(shape, sizeof shape, "box(center=(0,0,0), size=(%.17g,%.17g,%.17g))", block->cells[0] * a,
             block->cells[1] * a, block->cells[2] * a);
    phx_world_def def = phx_world_def_default();
    def.threads = block->threads;
    def.gravity = (phx_vec3){0, 0, 0};
    PHXI_TRY(phx_world_create(&def, world));
    phx_material_def material = phx_material_def_default();
    material.young = block->young;
    material.density = 1000;
    material.poisson = 0.3;
    material.strength = block->strength;
    phx_material_id material_id;
    PHXI_TRY(phx_material_create(*world, &material, &material_id));
    phx_setting settings[3];
    phx_body_def body = phx_body_def_default();
    body.shape = block->shape ? block->shape : shape;
    body.spacing = block->spacing;
    body.sampling = block->bcc ? PHX_SAMPLING_BCC : block->fills ? PHX_SAMPLING_CONFORMING : PHX_SAMPLING_UNIFORM;
    body.jitter = block->jitter;
    body.material = material_id;
    body.angular_velocity = (phx_vec3){0, 0, 1};
    body.method = block->method;
    body.settings = settings;
    if (block->support > 0) {
        snprintf(support, sizeof support, "%.17g", block->support);
        settings[body.setting_count++] = (phx_setting){"support", support};
    }
    if (block->path) {
        settings[body.setting_count++] = (phx_setting){"path", block->path};
    }
    if (block->integrator) {
        settings[body.setting_count++] = (phx_setting){"integrator", block->integrator};
    }
    phx_body_id body_id;
    return phx_body_create(*world, &body, &body_id);
}

/// Substeps of a slice: a few tenths of a millisecond, shorter than what a busy machine leaves undisturbed.
static int repeats(int particles) {
    return particles < 16000 ? 16000 / particles : 1;
}

phx_result phxi_bench_turns(phx_world* const* worlds, int count, void (*bare)(void* context), void* context,
                            double seconds, double* times) {
    phx_dt_info dt[PHXI_BENCH_WORLDS];
    int repeat = 1;
    PHXI_ASSERT(count <= PHXI_BENCH_WORLDS);
    for (int k = 0; k < count; ++k) {
        times[k] = INFINITY;
        PHXI_TRY(phx_world_dt(worlds[k], &dt[k]));
        PHXI_TRY(phx_world_substep(worlds[k], dt[k].dt)); // first touch
    }
    times[count] = INFINITY;
    double begin = phxi_bench_clock();
    do {
        for (int k = 0; k < count; ++k) {
            repeat = repeats(worlds[k]->particles.count);
            double start = phxi_bench_clock();
            for (int i = 0; i < repeat; ++i) {
                PHXI_TRY(phx_world_substep(worlds[k], dt[k].dt));
            }
            times[k] = fmin(times[k], (phxi_bench_clock() - start) / repeat);
        }
        double start = phxi_bench_clock();
        for (int i = 0; i < repeat && bare; ++i) {
            bare(context);
        }
        times[count] = bare ? fmin(times[count], (phxi_bench_clock() - start) / repeat) : times[count];
    } while (phxi_bench_clock() - begin < seconds);
    return PHX_OK;
}

phx_result phxi_bench_pairs(phxi_heap* heap, const phx_world* world, double radius, int64_t* pairs) {
    const phxi_particles* p = &world->particles;
    phxi_search* search = NULL;
    phxi_lists lists = {0};
    PHXI_TRY(phxi_search_create(heap, PHXI_SEARCH_GRID, &search));
    phxi_points points = {p->rest_x, p->rest_y, p->rest_z, p->count};
    phx_result result = phxi_search_pairs(search, world->pool, points, NULL, radius, &lists);
    *pairs = result == PHX_OK ? lists.start[p->count] : 0;
    phxi_lists_destroy(heap, &lists);
    phxi_search_destroy(search);
    return result;
}
