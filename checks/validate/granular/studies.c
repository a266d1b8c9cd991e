// SPDX-License-Identifier: MIT
// Sand beside the material point method, most of it in the slow list: run-out by resolution and aspect ratio, slopes of
// heaps (docs/theory/granular.md section 5).
#include "validate/granular/trial.h"

#include <stdio.h>

// -------------------------------------------------------------------------------------------------------------- heaps

/// The surface of a heap that is poured stands at the friction angle, or a little below: batches come down at up to 3
/// m/s. That of 45 degrees may be steeper, see below. Its triangle is one of volume and says how it is packed, too.
static phx_result poured(phxi_validation* v, double phi, double bound) {
    phxi_heap_shape out;
    char quantity[96];
    PHXI_TRY(phxi_pour_run(v, phi, &out));
    snprintf(quantity, sizeof quantity, "surface of a poured heap, friction angle %g (triangle %.1f, flank %.1f)", phi,
             out.slope, out.flank);
    phxi_validate(v, quantity, out.surface, phi, bound);
    phxi_validate(v, "its kinetic energy over weight and height", out.kinetic, 0, 1e-4);
    return PHX_OK;
}

/// A wedge let go comes down below the friction angle (prototype: 3.8, 16, 37), and as it does by mpm.
static phx_result wedge(phxi_validation* v, double phi, int cone, bool beside_mpm) {
    static const char* const cones[] = {"repose", "plane"};
    phxi_wedge_def def = {.friction_angle = phi, .cone = cone};
    phxi_heap_shape out, points;
    char quantity[96];
    PHXI_TRY(phxi_wedge_run(v, &def, &out));
    snprintf(quantity, sizeof quantity, "slope of a wedge of 70 degrees let go, friction angle %g, %s, degrees", phi,
             cones[cone]);
    phxi_validate_between(v, quantity, out.slope, 0.3 * phi, phi);
    phxi_validate(v, "its kinetic energy over weight and height", out.kinetic, 0, 1e-4);
    if (beside_mpm) {
        def.method = "mpm";
        PHXI_TRY(phxi_wedge_run(v, &def, &points));
        phxi_validate(v, "that beside the slope by mpm, degrees", out.slope, points.slope, 2);
    }
    return PHX_OK;
}

/// The cone `repose` of 45 degrees is that of Mohr and Coulomb with 90 in plane strain (sin phi' = tan phi): nothing
/// but tension makes it fail, and a wedge of 70 degrees may stand. By mpm it does, by grains if they start as a
/// lattice; when they are disordered it comes down.
static phx_result wedge_that_stands(phxi_validation* v) {
    phxi_wedge_def def = {.method = "mpm", .friction_angle = 45, .cone = PHX_CONE_REPOSE};
    phxi_heap_shape out;
    PHXI_TRY(phxi_wedge_run(v, &def, &out));
    phxi_validate_between(v, "45 degrees, repose, by mpm: it stands", out.slope, 55, 72);
    return PHX_OK;
}

phx_result phxi_validate_granular_heap_full(phxi_validation* v) {
    PHXI_TRY(poured(v, 15, 2.5));
    PHXI_TRY(poured(v, 30, 2.5));
    PHXI_TRY(poured(v, 45, 8));
    PHXI_TRY(wedge(v, 15, PHX_CONE_REPOSE, true));
    PHXI_TRY(wedge(v, 30, PHX_CONE_REPOSE, true));
    PHXI_TRY(wedge(v, 45, PHX_CONE_PLANE, true));
    PHXI_TRY(wedge(v, 45, PHX_CONE_REPOSE, false));
    return wedge_that_stands(v);
}

// --------------------------------------------------------------------------------------------------------- resolution

/// A column of radius 0.09 m, by grains, or by mpm whose cells are as wide as the grains: particles at half of that.
static phx_result collapse(phxi_validation* v, const char* method, double grains, double ratio, phxi_column* out) {
    static const phx_setting first[] = {{"order", "first"}};
    bool points = method != NULL;
    double ring = 0.09 / grains, fine = points ? 2 : 1;
    phxi_column_def def = {.method = method,
                           .material = phxi_sand(2e5, 30, 0, PHX_CONE_REPOSE),
                           .radius = fine * grains,
                           .height = fine * grains * ratio,
                           .friction = 0.7,
                           .duration = ratio > 1 ? 0.9 : 0.7,
                           .spacing = ring / fine,
                           .ring = ring,
                           .settings = first,
                           .setting_count = points};
    return phxi_column_run(v, &def, out);
}

/// The promise: within 15 % of mpm by transfers of first order at equal resolution. Velocities of grains are those of
/// grains, of mpm those of the nodes of its grid: resolution is the same where cells are as wide as grains are apart,
/// as in the prototype's table (grains r0/9, cells r0/8 with particles r0/16). Of tall columns the last 2 to 5 % lie in
/// a toe that is less than one layer deep, which no grid can show: there it is the radius of 95 % that is held to the
/// promise, and that of 98 % to what was measured (1.13 to 1.19; the prototype's own two are 1.17 apart).
static phx_result beside_mpm(phxi_validation* v, double grains, double ratio, double lube) {
    phxi_column sand, points;
    char quantity[120];
    PHXI_TRY(collapse(v, NULL, grains, ratio, &sand));
    PHXI_TRY(collapse(v, "mpm", grains, ratio, &points));
    snprintf(quantity, sizeof quantity, "run-out of 98 %%, a = %g, %g grains a radius: %.3f, over that of mpm, %.3f",
             ratio, grains, sand.runout, points.runout);
    phxi_validate(v, quantity, sand.runout / points.runout, 1, ratio > 1 ? 0.25 : 0.15);
    snprintf(quantity, sizeof quantity, "run-out of 95 %%: %.3f, over that of mpm, %.3f", sand.most, points.most);
    phxi_validate(v, quantity, sand.most / points.most, 1, 0.15);
    snprintf(quantity, sizeof quantity, "run-out of 98 %%, to be below Lube's %g", lube);
    phxi_validate_between(v, quantity, sand.runout, 0, lube);
    return PHX_OK;
}

/// As small as it can be and still mean something.
phx_result phxi_validate_granular_beside_mpm(phxi_validation* v) {
    return beside_mpm(v, 6, 0.5, 0.62);
}

phx_result phxi_validate_granular_resolution_full(phxi_validation* v) {
    static const double grains[] = {6, 9, 14}, ratios[] = {0.5, 1, 2}, lube[] = {0.62, 1.24, 2.26};
    for (int a = 0; a < 3; ++a) {
        for (int r = 0; r < 3; ++r) {
            double count = ratios[a] < 1 && grains[r] == 9 ? 10 : grains[r]; // whole layers
            if (count * ratios[a] < 20) {                                    // or it takes a quarter of an hour
                PHXI_TRY(beside_mpm(v, count, ratios[a], lube[a]));
            }
        }
    }
    return PHX_OK;
}
