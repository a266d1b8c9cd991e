// SPDX-License-Identifier: MIT
// Bending of rods and sheets of peridynamics against beams, the elastica and plates: docs/theory/peridynamics.md
// section 4 and D8.
//
// Two rows of particles are clamped; the clamp acts half-way between them.
#include "validate/peridynamics/trial.h"

#include <stdio.h>

/// Of a rod or strip of `along` particles.
static double free_length(int along) {
    return (along - 1.5) * PERI_TRIAL_SPACING;
}

/// Sag of the last row of a strip under a force on it, m.
static phx_result bend(phxi_validation* v, const int cells[3], double nu, double thickness, double force, double* sag) {
    char text[32];
    snprintf(text, sizeof text, "%.17g", thickness);
    phx_setting settings[] = {{"thickness", text}, {"tolerance", "1e-6"}, {"iterations", "3000"}};
    phxi_block block;
    const double a = PERI_TRIAL_SPACING, end = cells[0] * a;
    PHXI_TRY(phxi_peri_trial(v, cells, nu, settings, 3, &block));
    PHXI_TRY(phxi_peri_trial_pin(&block, -a, 2 * a));
    PHXI_TRY(phxi_peri_trial_pull(&block, end - a, end + a, (phx_vec3){0, 0, -force}));
    phxi_settle_def settle = phxi_settle_default();
    phx_result result = phxi_settle(&block, &settle, NULL);
    *sag = 0;
    int rows = 0;
    for (int i = 0; i < block.count; ++i) {
        if (block.rest[i].x > end - a) {
            *sag += block.rest[i].z - phxi_settle_place(&block, i).z;
            ++rows;
        }
    }
    *sag /= rows;
    phxi_block_destroy(&block);
    return result;
}

static phx_result rod(phxi_validation* v) {
    static const struct {
        int along;
        double thickness; // over the spacing
    } rows[] = {{9, 1}, {17, 1}, {32, 1}, {32, 0.3}};
    for (int k = 0; k < 4; ++k) {
        const int cells[3] = {rows[k].along, 1, 1};
        double t = rows[k].thickness * PERI_TRIAL_SPACING, length = free_length(rows[k].along), sag;
        double stiffness = PERI_TRIAL_YOUNG * t * t * t * t / 12, wanted = 0.02 * length;
        char quantity[96];
        PHXI_TRY(bend(v, cells, 0.3, t, wanted * 3 * stiffness / (length * length * length), &sag));
        snprintf(quantity, sizeof quantity, "sag of a rod of %d particles over P L^3/3EI, t = %g dx", rows[k].along,
                 rows[k].thickness);
        phxi_validate_relative(v, quantity, sag / wanted, 1, 0.005);
    }
    static const double loads[] = {1, 2, 5}, exact[] = {0.3017, 0.4935, 0.7138};
    for (int k = 0; k < 3; ++k) {
        const int cells[3] = {32, 1, 1};
        double t = 0.3 * PERI_TRIAL_SPACING, length = free_length(32), sag;
        char quantity[96];
        PHXI_TRY(bend(v, cells, 0.3, t, loads[k] * PERI_TRIAL_YOUNG * t * t * t * t / 12 / (length * length), &sag));
        snprintf(quantity, sizeof quantity, "elastica, sag over length, P L^2/EI = %g", loads[k]);
        phxi_validate_relative(v, quantity, sag / length, exact[k], 0.001);
    }
    return PHX_OK;
}

static phx_result strip(phxi_validation* v) {
    static const struct {
        int along, across;
        double nu, thickness, exact, bound;
    } rows[] = {{26, 6, 0, 1, 1, 0.003}, {26, 6, 0.3, 1, 0.975, 0.025}, {26, 6, 0.3, 0.3, 0.975, 0.025}};
    for (int k = 0; k < 3; ++k) {
        const int cells[3] = {rows[k].along, rows[k].across, 1};
        double t = rows[k].thickness * PERI_TRIAL_SPACING, length = free_length(rows[k].along), sag;
        double stiffness = PERI_TRIAL_YOUNG * rows[k].across * PERI_TRIAL_SPACING * t * t * t / 12;
        double wanted = 0.02 * length;
        char quantity[96];
        PHXI_TRY(bend(v, cells, rows[k].nu, t, wanted * 3 * stiffness / (length * length * length), &sag));
        snprintf(quantity, sizeof quantity, "strip %dx%d, nu %g, t = %g dx, over P L^3 / 3 E b t^3/12", rows[k].along,
                 rows[k].across, rows[k].nu, rows[k].thickness);
        phxi_validate(v, quantity, sag / wanted, rows[k].exact, rows[k].bound);
    }
    return PHX_OK;
}

/// A square plate with all edges clamped under its own weight: 0.00126 q a^4 / D in its middle.
static phx_result plate(phxi_validation* v) {
    enum { SIDE = 19 };
    static const int cells[3] = {SIDE, SIDE, 1};
    const double a = PERI_TRIAL_SPACING, t = a, nu = 0.3, side = (SIDE - 2) * a, end = SIDE * a;
    phx_setting settings[] = {{"tolerance", "1e-6"}, {"iterations", "3000"}};
    phxi_block block;
    PHXI_TRY(phxi_peri_trial(v, cells, nu, settings, 2, &block));
    phx_driver_def rim = phx_driver_def_default();
    char region[160];
    snprintf(region, sizeof region,
             "difference(box(size=(100,100,100)), box(center=(%.17g,%.17g,0), size=(%.17g,%.17g,9)))", end / 2, end / 2,
             end - 4 * a, end - 4 * a);
    rim.region = region;
    phx_driver_id id;
    PHXI_TRY(phx_driver_create(block.world, &rim, &id));
    double stiffness = PERI_TRIAL_YOUNG * t * t * t / (12 * (1 - nu * nu)), wanted = 0.05 * t;
    block.world->def.gravity =
        (phx_vec3){0, 0, -wanted * stiffness / (0.00126 * side * side * side * side) / (1000 * t)};
    phxi_settle_def settle = phxi_settle_default();
    PHXI_TRY(phxi_settle(&block, &settle, NULL));
    double sag = 0;
    for (int i = 0; i < block.count; ++i) {
        sag = fmax(sag, block.rest[i].z - phxi_settle_place(&block, i).z);
    }
    phxi_block_destroy(&block);
    phxi_validate_relative(v, "clamped plate over 0.00126 q a^4/D", sag / wanted, 1, 0.02);
    return PHX_OK;
}

const phxi_validation_case phxi_cases_peridynamics_thin[] = {
    {"peridynamics.rod", "rods that bend, little and far", rod},
    {"peridynamics.strip", "strips that bend", strip},
    {"peridynamics.plate", "a clamped plate", plate},
    {NULL, NULL, NULL},
};
