// SPDX-License-Identifier: MIT
// Columns of sand in the per-bond form of peridynamics: specs/peridynamics.md section 7 and item 7 of section 8. Floor
// friction 0.6, E = 4e4 Pa, radius of 9 particles, as there.
#include "validate/granular_trial.h"

#include <stdio.h>

static phx_result column(phxi_validation* v, double angle, double cohesion, const char* dt, phxi_column* out) {
    phx_setting settings[] = {{"implicit_dt", dt}, {"outer", "3"}};
    phxi_column_def def = {.material = phxi_sand(4e4, angle, cohesion, PHX_CONE_COMPRESSION),
                           .radius = 9,
                           .height = 9,
                           .friction = 0.6,
                           .duration = 0.6,
                           .method = "peridynamics",
                           .settings = settings,
                           .setting_count = 2};
    def.material.saturation = 0.1;
    return phxi_column_run(v, &def, out);
}

phx_result phxi_validate_peridynamics_column_full(phxi_validation* v) {
    static const struct {
        double angle, cohesion;
        const char* dt;
    } rows[] = {{30, 0, "1e-3"}, {30, 0, "5e-4"},  {15, 0, "1e-3"},  {20, 0, "1e-3"},
                {45, 0, "1e-3"}, {30, 50, "1e-3"}, {30, 400, "1e-3"}};
    enum { COUNT = sizeof rows / sizeof rows[0] };
    phxi_column c[COUNT];
    for (int k = 0; k < COUNT; ++k) {
        PHXI_TRY(column(v, rows[k].angle, rows[k].cohesion, rows[k].dt, &c[k]));
    }
    for (int k = 0; k < COUNT; ++k) {
        char quantity[96];
        snprintf(quantity, sizeof quantity, "kinetic energy over m g h after 0.6 s, %g degrees, %g Pa", rows[k].angle,
                 rows[k].cohesion);
        phxi_validate(v, quantity, c[k].kinetic, 0, 1e-4);
    }
    phxi_validate(v, "where 98 % of the grains are with half the step over that", c[1].runout / c[0].runout, 1, 0.1);
    double wrong = !(c[2].runout > c[3].runout) + !(c[3].runout > c[0].runout) + !(c[0].runout > c[4].runout);
    phxi_validate(v, "pairs of 15, 20, 30, 45 degrees in the wrong order", wrong, 0, 0);
    phxi_validate(v, "pairs of 0, 50, 400 Pa in the wrong order",
                  !(c[0].runout > c[5].runout) + !(c[5].runout > c[6].runout), 0, 0);
    phxi_validate(v, "front with a cohesion of 400 Pa, which stands", c[6].front, 0, 0.05);
    fprintf(stderr, "%g %g %g | %g %g %g %g %g\n", c[0].runout, c[0].front, c[0].height, c[2].runout, c[3].runout,
            c[4].runout, c[5].runout, c[6].runout);
    return PHX_OK;
}
