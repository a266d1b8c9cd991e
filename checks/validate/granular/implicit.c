// SPDX-License-Identifier: MIT
// Implicit steps of sand beside explicit ones (docs/theory/granular.md (11), (12)): the column, beds that rest and
// flow, slime. The prototype's numbers are for another matrix and without what bonds remember.
#include "validate/granular/trial.h"

#include <stdio.h>

static const phx_setting implicit[] = {{"integrator", "implicit"}, {"implicit_dt", "5e-4"}, {"chi", "0"}};
static const phx_setting longest[] = {{"integrator", "implicit"}, {"implicit_dt", "2e-3"}};
enum { USUAL = 1, HALF = 2, FORGETFUL = 3 };

static phxi_column_def column_of(double radius, double duration, const phx_setting* settings, int count) {
    return (phxi_column_def){.material = phxi_sand(2e5, 30, 0, PHX_CONE_REPOSE),
                             .radius = radius,
                             .height = radius,
                             .friction = 0.7,
                             .duration = duration,
                             .settings = settings,
                             .setting_count = count};
}

/// The bounds of granular.column, of which steps are four times as long.
static phx_result column(phxi_validation* v) {
    phxi_column_def def = column_of(6, 0.45, implicit, USUAL);
    phxi_column out;
    PHXI_TRY(phxi_column_run(v, &def, &out));
    phxi_validate_between(v, "run-out of 98 %, 6 particles a radius, a = 1, steps of 1 ms", out.runout, 0.64, 0.78);
    phxi_validate_between(v, "height over radius", out.height, 0.68, 0.80);
    phxi_validate(v, "kinetic energy over m g h at 0.45 s", out.kinetic, 0, 1e-5);
    return PHX_OK;
}

/// Prototype, a = 1, 9 a radius, without memory of bonds: r98 0.87 (1 ms) and 0.78 (0.5 ms), front 0.78, H 0.68.
static phx_result columns(phxi_validation* v) {
    phxi_column_def def = column_of(9, 0.7, NULL, 0);
    phxi_column explicit, out;
    PHXI_TRY(phxi_column_run(v, &def, &explicit));
    const struct {
        const char* what;
        const phx_setting* settings;
        int count;
        double height, bound;
    } runs[] = {{"2 ms", longest, 2, 0.72, 0.1},
                {"1 ms", implicit, USUAL, 0.72, 0.1},
                {"0.5 ms", implicit, HALF, 0.72, 0.05},
                {"0.5 ms, no memory of bonds", implicit, FORGETFUL, 0.68, 0.1}};
    for (int k = 0; k < 4; ++k) {
        char quantity[120];
        def.settings = runs[k].settings;
        def.setting_count = runs[k].count;
        PHXI_TRY(phxi_column_run(v, &def, &out));
        snprintf(quantity, sizeof quantity, "run-out of 98 %%, steps of %s, beside explicit ones", runs[k].what);
        phxi_validate_relative(v, quantity, out.runout, explicit.runout, runs[k].bound);
        phxi_validate(v, "depth of half a grain, (r - r0)/r0 (prototype 0.78)", out.edge, 0.78, 0.11);
        phxi_validate(v, "height over radius", out.height, runs[k].height, 0.04);
        phxi_validate(v, "kinetic energy over m g h at 0.7 s (prototype 1e-5)", out.kinetic, 0, 1e-5);
    }
    return PHX_OK;
}

static phx_result beds(phxi_validation* v) {
    phxi_bed_def def = {.material = phxi_sand(2e5, 30, 0, PHX_CONE_REPOSE),
                        .depth = 12,
                        .rate = 8,
                        .angle = 28,
                        .hold = 1,
                        .settings = implicit,
                        .setting_count = USUAL};
    phxi_bed out;
    PHXI_TRY(phxi_bed_run(v, &def, &out));
    phxi_validate(v, "speed of a bed held at 28 degrees, spacings a second", out.speed, 0, 2e-3);
    phxi_validate(v, "its slip, spacings", out.slip, 0, 0.4);
    def.angle = 45;
    PHXI_TRY(phxi_bed_run(v, &def, &out));
    phxi_validate_between(v, "slope at which it has moved a spacing, degrees", out.onset, 28.5, 32.5);
    return PHX_OK;
}

phx_result phxi_validate_granular_implicit_full(phxi_validation* v) {
    PHXI_TRY(columns(v));
    PHXI_TRY(beds(v));
    phxi_ball_def ball = {
        .cohesion = 300, .drop = 10, .duration = 0.45, .spring = true, .settings = implicit, .setting_count = USUAL};
    phxi_ball out;
    PHXI_TRY(phxi_ball_run(v, &ball, &out));
    phxi_validate_relative(v, "height of a ball of slime, c = 300 Pa, spacings", out.height, 4.6, 0.15);
    phxi_validate_relative(v, "its radius, spacings", out.radius, 10.1, 0.15);
    phxi_validate(v, "largest density after the impact over that at rest", out.density, 1, 0.05);
    return PHX_OK;
}

const phxi_validation_case phxi_cases_granular_implicit[] = {
    {"granular.implicit", "a column of sand collapses by implicit steps", column},
    {NULL, NULL, NULL},
};
