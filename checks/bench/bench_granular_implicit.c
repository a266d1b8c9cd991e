// SPDX-License-Identifier: MIT
// A column of sand that collapses: the processor's time for a second of it by explicit steps, and by implicit ones.
#include "bench/bench.h"
#include "validate/granular/trial.h"

/// From the start of the collapse, for a simulated time: seconds of the processor for one.
static phx_result cost(const phx_setting* settings, int count, double seconds, double* taken, phx_world** world) {
    phx_material_def sand = phxi_sand(2e5, 30, 0, PHX_CONE_REPOSE);
    phxi_validation one = {.threads = 1};
    phxi_grain_setup column = {.material = &sand,
                               .shape = "cylinder(from=(0,0,0),to=(0,0,0.09),radius=0.09)",
                               .settings = settings,
                               .setting_count = count,
                               .friction = 0.7,
                               .gravity = phxi_vec3(0, 0, -9.81)};
    PHXI_TRY(phxi_grain_world(&one, &column, world));
    double start = phxi_bench_cpu_clock();
    PHXI_TRY(phx_world_step(*world, seconds));
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
