// SPDX-License-Identifier: MIT
// A column of sand that collapses: the processor's time for a second of it by explicit steps, and by implicit ones.
#include "bench/bench.h"
#include "world/world.h"

#include <stdio.h>

/// From the start of the collapse, for a simulated time.
static phx_result cost(const phx_setting* settings, int count, double seconds, double* taken, phx_world** made) {
    phx_world_def def = phx_world_def_default();
    phx_material_def sand = phx_material_def_default();
    phx_body_def body = phx_body_def_default();
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id collider;
    phx_body_id id;
    sand.density = 1500;
    sand.young = 2e5;
    sand.friction_angle = 30;
    def.threads = 1;
    floor.friction = 0.7;
    floor.damping = 0.5;
    PHXI_TRY(phx_world_create(&def, made));
    PHXI_TRY(phx_collider_create(*made, &floor, &collider));
    PHXI_TRY(phx_material_create(*made, &sand, &body.material));
    body.method = "granular";
    body.shape = "cylinder(from=(0,0,0),to=(0,0,0.09),radius=0.09)";
    body.spacing = 0.01;
    body.settings = settings;
    body.setting_count = count;
    PHXI_TRY(phx_body_create(*made, &body, &id));
    double start = phxi_bench_cpu_clock();
    PHXI_TRY(phx_world_step(*made, seconds));
    *taken = (phxi_bench_cpu_clock() - start) / seconds;
    return PHX_OK;
}

phx_result phxi_bench_granular_implicit(phxi_bench* bench) {
    static const phx_setting settings[][3] = {{{"integrator", "explicit"}},
                                              {{"integrator", "implicit"}, {"implicit_dt", "1e-3"}, {"outer", "3"}},
                                              {{"integrator", "implicit"}, {"implicit_dt", "1e-3"}, {"outer", "1"}},
                                              {{"integrator", "implicit"}, {"implicit_dt", "2e-3"}, {"outer", "3"}}};
    static const char* const names[] = {"explicit", "implicit, 1 ms, 3 solves", "implicit, 1 ms, 1 solve",
                                        "implicit, 2 ms, 3 solves"};
    double seconds = fmin(0.3, 0.1 * bench->def->seconds), alone = NAN;
    for (int k = 0; k < 4; ++k) {
        phx_world* world = NULL;
        double taken = NAN;
        phx_result result = cost(settings[k], k == 0 ? 1 : 3, seconds, &taken, &world);
        phx_bench_line line = {.name = names[k],
                               .particles = world ? world->particles.count : 0,
                               .threads = 1,
                               .unit = "s a second",
                               .measured = taken,
                               .against = k == 0 ? NULL : "explicit",
                               .reference = alone,
                               .ratio = alone / taken,
                               .goal = NAN};
        phx_world_destroy(world);
        PHXI_TRY(result);
        alone = k == 0 ? taken : alone;
        phxi_bench_report(bench, &line);
    }
    return PHX_OK;
}
