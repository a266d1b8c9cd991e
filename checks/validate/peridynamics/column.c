// SPDX-License-Identifier: MIT
// Columns of sand in the per-bond form of peridynamics: docs/theory/peridynamics.md D7. Floor friction 0.6, E = 4e4 Pa,
// steps of 1 ms with 3 passes. The floor is as stiff as the sand, rho c0^2 dx, as grains hop on a softer one and run
// farther.
#include "validate/granular/trial.h"

static const double young = 4e4, poisson = 0.3;

static phx_result column(phxi_validation* v, double angle, double cohesion, const char* dt, phxi_column_def def,
                         phxi_column* out) {
    phx_setting settings[] = {{"implicit_dt", dt}, {"outer", "3"}};
    def.material = phxi_sand(young, angle, cohesion, PHX_CONE_COMPRESSION);
    def.material.poisson = poisson;
    def.material.saturation = 0.1;
    def.height = def.radius;
    def.friction = 0.6;
    def.floor = young * (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson)) * PHXI_GRAIN_SPACING; // rho c0^2 dx
    def.method = "peridynamics";
    def.settings = settings, def.setting_count = 2;
    return phxi_column_run(v, &def, out);
}

/// Five particles a radius: grains stay together and come to rest.
static phx_result small_column(phxi_validation* v) {
    phxi_column c;
    PHXI_TRY(column(v, 30, 0, "1e-3", (phxi_column_def){.radius = 5, .duration = 0.35}, &c));
    phxi_validate_between(v, "run-out of 98 %, 5 particles a radius", c.runout, 0.45, 0.75);
    phxi_validate_between(v, "front", c.front, 0.5, 0.9);
    phxi_validate_between(v, "height over radius", c.height, 0.68, 0.82);
    phxi_validate(v, "kinetic energy over m g h after 0.35 s", c.kinetic, 0, 1e-4);
    return PHX_OK;
}

/// Sand and slime in steps that are larger by far.
static phx_result large_steps(phxi_validation* v) {
    const phxi_column_def def = {.radius = 6, .duration = 0.5};
    phxi_column small, large;
    PHXI_TRY(column(v, 30, 0, "1e-3", def, &small));
    PHXI_TRY(column(v, 30, 0, "4e-3", def, &large));
    phxi_validate_relative(v, "run-out of 98 %, 6 particles a radius, 4 ms over 1 ms", large.runout, small.runout, 0.1);
    PHXI_TRY(column(v, 0, 100, "1e-3", def, &small));
    PHXI_TRY(column(v, 0, 100, "0.0166667", def, &large));
    phxi_validate_relative(v, "the same of slime, 100 Pa, 1/60 s over 1 ms", large.runout, small.runout, 0.1);
    phxi_validate_relative(v, "its height", large.height, small.height, 0.05);
    return PHX_OK;
}

phx_result phxi_validate_peridynamics_column_full(phxi_validation* v) {
    static const struct {
        double angle, cohesion;
        const char* dt;
    } rows[] = {{30, 0, "1e-3"}, {30, 0, "5e-4"},  {15, 0, "1e-3"},  {20, 0, "1e-3"},
                {45, 0, "1e-3"}, {30, 50, "1e-3"}, {30, 400, "1e-3"}};
    enum { SAND, FINER, FLAT, LOW, STEEP, MOIST, WET, COUNT };
    phxi_column c[COUNT];
    for (int k = 0; k < COUNT; ++k) {
        PHXI_TRY(column(v, rows[k].angle, rows[k].cohesion, rows[k].dt, (phxi_column_def){.radius = 9, .duration = 0.6},
                        &c[k]));
    }
    phxi_validate_between(v, "front, 30 degrees", c[SAND].front, 0.65, 0.9);
    phxi_validate(v, "run-out of 98 %, 0.705 of the prototype", c[SAND].runout, 0.705, 0.1);
    phxi_validate(v, "height over radius, 0.74 there", c[SAND].height, 0.74, 0.06);
    phxi_validate(v, "kinetic energy over m g h after 0.6 s", c[SAND].kinetic, 0, 1e-4);
    phxi_validate_relative(v, "front with half the step", c[FINER].front, c[SAND].front, 0.1);
    phxi_validate_relative(v, "run-out of 98 % with half the step", c[FINER].runout, c[SAND].runout, 0.1);
    phxi_validate(v, "fronts of 15, 20, 30, 45 degrees in the wrong order",
                  !(c[FLAT].front > c[LOW].front) + !(c[LOW].front > c[SAND].front) + !(c[SAND].front > c[STEEP].front),
                  0, 0);
    phxi_validate(v, "fronts of 0, 50, 400 Pa in the wrong order",
                  !(c[SAND].front > c[MOIST].front) + !(c[MOIST].front > c[WET].front), 0, 0);
    phxi_validate(v, "front with a cohesion of 400 Pa, which stands", c[WET].front, 0, 0.05);
    phxi_validate(v, "height with a cohesion of 400 Pa", c[WET].height, 1, 0.05);
    return large_steps(v);
}

const phxi_validation_case phxi_cases_peridynamics_column[] = {
    {"peridynamics.column", "a small column of sand by bonds that yield", small_column},
    {NULL, NULL, NULL},
};
