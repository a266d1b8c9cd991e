// SPDX-License-Identifier: MIT
// Water of the material point method around an obstacle: an ellipsoid, and the same as a mesh, which stands or turns.
// Processor's time of a substep, first ones with all that is made once apart.
#include "bench/bench.h"

#include "geometry/shape_mesh.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

#define OBSTACLE "ellipsoid(center=(0,0,0.1),radii=(0.1,0.06,0.1))"
enum { WARM = 10, ROUND = 5 };

static phx_result add_obstacle(phx_world* world, const phx_mesh* mesh, bool turns) {
    phx_collider_def obstacle = phx_collider_def_default();
    phx_driver_def driver = phx_driver_def_default();
    phx_collider_id id;
    phx_driver_id drives;
    obstacle.name = driver.collider = "obstacle";
    obstacle.mesh = mesh;
    obstacle.shape = mesh ? obstacle.shape : OBSTACLE;
    driver.kind = PHX_DRIVER_SPIN;
    driver.angle = 30;
    PHXI_TRY(phx_collider_create(world, &obstacle, &id));
    return turns ? phx_driver_create(world, &driver, &drives) : PHX_OK;
}

static phx_result make_world(const phx_mesh* mesh, bool turns, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    phx_body_def body = phx_body_def_default();
    phx_body_id id;
    const phx_preset* water;
    def.threads = 1;
    body.shape = "difference(box(center=(0,0,0.12),size=(0.24,0.2,0.24)), " OBSTACLE ")";
    body.spacing = 0.008;
    body.method = "mpm";
    PHXI_TRY(phx_world_create(&def, world));
    PHXI_TRY(phx_preset_find("water", &water));
    PHXI_TRY(phx_material_create(*world, &water->def, &body.material));
    PHXI_TRY(phx_body_create(*world, &body, &id));
    return add_obstacle(*world, mesh, turns);
}

static phx_result some_substeps(phx_world* world, int count, double* seconds) {
    phx_dt_info info;
    PHXI_TRY(phx_world_dt(world, &info));
    const double begin = phxi_bench_cpu_clock();
    for (int n = 0; n < count; ++n) {
        PHXI_TRY(phx_world_substep(world, 0.9 * info.dt));
    }
    *seconds += (phxi_bench_cpu_clock() - begin) / count;
    return PHX_OK;
}

/// The two in turns, so that a machine that slows down slows both.
static phx_result time_both(phxi_bench* bench, phx_world* const worlds[2], double seconds[2]) {
    double warm = 0, begin = phxi_bench_clock();
    int rounds = 0;
    PHXI_TRY(some_substeps(worlds[0], WARM, &warm));
    PHXI_TRY(some_substeps(worlds[1], WARM, &warm));
    do {
        PHXI_TRY(some_substeps(worlds[0], ROUND, &seconds[0]));
        PHXI_TRY(some_substeps(worlds[1], ROUND, &seconds[1]));
        ++rounds;
    } while (phxi_bench_clock() - begin < bench->def->seconds);
    seconds[0] /= rounds;
    seconds[1] /= rounds;
    return PHX_OK;
}

static void report(phxi_bench* bench, const char* name, int count, const double seconds[2], double goal) {
    phx_bench_line line = {.name = name,
                           .particles = count,
                           .threads = 1,
                           .ns_per_particle = 1e9 * seconds[1] / count,
                           .ns_per_pair = NAN,
                           .x_limit = NAN,
                           .speedup = NAN,
                           .unit = "ms/substep",
                           .measured = 1e3 * seconds[1],
                           .against = "ellipsoid",
                           .reference = 1e3 * seconds[0],
                           .ratio = seconds[0] / seconds[1],
                           .goal = goal,
                           .share = NAN};
    phxi_bench_report(bench, &line);
}

static phx_result run(phxi_bench* bench, const phx_mesh* mesh, bool turns) {
    phx_world* worlds[2] = {NULL, NULL};
    double seconds[2] = {0, 0};
    phx_result result = make_world(NULL, turns, &worlds[0]);
    result = result == PHX_OK ? make_world(mesh, turns, &worlds[1]) : result;
    result = result == PHX_OK ? time_both(bench, worlds, seconds) : result;
    if (result == PHX_OK) {
        char name[64];
        snprintf(name, sizeof name, "%d triangles, %s", mesh->triangle_count, turns ? "turns" : "stands");
        report(bench, name, worlds[1]->particles.count, seconds, turns ? NAN : 1 / 1.3);
    }
    phx_world_destroy(worlds[0]);
    phx_world_destroy(worlds[1]);
    return result;
}

phx_result phxi_bench_mpm_obstacle(phxi_bench* bench) {
    static const double edges[] = {0.008, 0.0018}; // m: 4 and 70 thousand triangles
    for (int k = 0; k < 2; ++k) {
        phx_mesh* mesh = NULL;
        PHXI_TRY(phxi_mesh_from_shape(&bench->heap->allocator, OBSTACLE, edges[k], &mesh));
        phx_result result = run(bench, mesh, false);
        result = result == PHX_OK ? run(bench, mesh, true) : result;
        phx_mesh_destroy(mesh);
        PHXI_TRY(result);
    }
    return PHX_OK;
}
