// SPDX-License-Identifier: MIT
// Fluids in channels against exact profiles (docs/theory/fluids.md W1, W2): density 1 kg/m^3 and width 1 m, so that
// numbers are those of the dimensionless problem.
#include "validate/wcsph/fluid_trial.h"

#include <stdio.h>

static const double PI = 3.14159265358979323846;

static phx_material_def unit_fluid(int flow) {
    phx_material_def material = phx_material_def_default();
    material.density = 1;
    material.viscosity = 1;
    material.flow = flow;
    material.yield_stress = 1;
    material.consistency = 1;
    return material;
}

typedef double profile(double z, const void* context);

/// One channel, its error and fastest particle.
static phx_result channel(phxi_validation* v, const phxi_channel_def* def, double duration, profile* exact,
                          const void* context, double result[2]) {
    phx_world* world;
    phx_result r = phxi_channel_run(v, def, duration, &world);
    if (r == PHX_OK) {
        result[0] = phxi_channel_error(world, exact, context);
        result[1] = phxi_channel_fastest(world);
    }
    phx_world_destroy(world);
    return r;
}

// ---------------------------------------------------------------------------------------------------------- poiseuille

static double parabola(double z, const void* context) {
    return *(const double*)context * 0.5 * z * (1 - z);
}

static phx_result poiseuille_at(phxi_validation* v, int cells, const char* form, bool plain, double* error) {
    phxi_channel_def def = {.cells = cells,
                            .material = unit_fluid(PHX_FLOW_NEWTONIAN),
                            .push = 1,
                            .sound = 1.25,
                            .form = form,
                            .viscosity = "implicit",
                            .plain = plain};
    double result[2];
    PHXI_TRY(channel(v, &def, 1, parabola, &def.push, result));
    *error = result[0];
    return PHX_OK;
}

static phx_result poiseuille(phxi_validation* v) {
    double error;
    PHXI_TRY(poiseuille_at(v, 20, "morris", false, &error));
    phxi_validate(v, "L2 error of plane Poiseuille flow, 20 across, morris", error, 0, 0.03);
    PHXI_TRY(poiseuille_at(v, 20, "angular", false, &error));
    phxi_validate(v, "L2 error of plane Poiseuille flow, 20 across, angular", error, 0, 0.08);
    PHXI_TRY(poiseuille_at(v, 20, "morris", true, &error));
    phxi_validate(v, "the same, morris, without mirrors: is to be wrong", error, 0.20, 0.05);
    PHXI_TRY(poiseuille_at(v, 20, "angular", true, &error));
    phxi_validate(v, "the same, angular, without mirrors: is to be wrong", error, 0.20, 0.05);
    return PHX_OK;
}

phx_result phxi_validate_wcsph_poiseuille_full(phxi_validation* v) {
    double error;
    PHXI_TRY(poiseuille_at(v, 40, "morris", false, &error));
    phxi_validate(v, "L2 error of plane Poiseuille flow, 40 across, morris", error, 0, 0.015);
    PHXI_TRY(poiseuille_at(v, 40, "angular", false, &error));
    phxi_validate(v, "L2 error of plane Poiseuille flow, 40 across, angular", error, 0, 0.08);
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------
// couette

/// Start-up between a plate at rest and one that moves with 1 m/s, at the time *context.
static double start_up(double z, const void* context) {
    double time = *(const double*)context, sum = z;
    for (int n = 1; n < 200; ++n) {
        double sign = n % 2 ? -1 : 1;
        sum += 2 / (n * PI) * sign * exp(-n * n * PI * PI * time) * sin(n * PI * z);
    }
    return sum;
}

static phx_result couette(phxi_validation* v) {
    static const double times[] = {0.02, 0.1};
    for (int k = 0; k < 2; ++k) {
        phxi_channel_def def = {.cells = 20,
                                .material = unit_fluid(PHX_FLOW_NEWTONIAN),
                                .speed = 1,
                                .sound = 5,
                                .form = "morris",
                                .viscosity = "explicit"};
        double result[2];
        char quantity[96];
        PHXI_TRY(channel(v, &def, times[k], start_up, &times[k], result));
        snprintf(quantity, sizeof quantity, "L2 error of plane Couette flow, nu t = %g w^2", times[k]);
        phxi_validate(v, quantity, result[0], 0, 0.03);
    }
    return PHX_OK;
}

// ----------------------------------------------------------------------------------------------------------------
// plugs

/// tau = 1 + D^n, pushed with 4: the yield stress is reached at half of the way from the middle to the plates.
static double plug(double z, const void* context) {
    double n = *(const double*)context, from = fabs(z - 0.5), push = 4, power = 1 / n + 1;
    double whole = pow(0.25, power), here = from > 0.25 ? pow(from - 0.25, power) : 0;
    return n / (n + 1) * pow(push, 1 / n) * (whole - here);
}

static phx_result plug_at(phxi_validation* v, int cells, double n, double duration, double result[2]) {
    phxi_channel_def def = {.cells = cells,
                            .material = unit_fluid(n == 1 ? PHX_FLOW_JUMP : PHX_FLOW_HERSCHEL_BULKLEY),
                            .push = 4,
                            .sound = 1.25,
                            .form = "morris",
                            .viscosity = "implicit"};
    def.material.flow_index = n;
    def.material.jump_solid = def.material.jump_liquid = 1000;
    def.material.solid_viscosity = 1000;
    return channel(v, &def, duration, plug, &n, result);
}

static phx_result bingham(phxi_validation* v) {
    double result[2];
    PHXI_TRY(plug_at(v, 20, 1, 1, result));
    phxi_validate(v, "L2 error of a Bingham plug, 20 across", result[0], 0, 0.05);
    phxi_validate_relative(v, "its velocity, m/s", result[1], 0.125, 0.06);
    return PHX_OK;
}

static phx_result herschel_bulkley(phxi_validation* v) {
    double result[2];
    PHXI_TRY(plug_at(v, 40, 0.5, 1, result));
    phxi_validate(v, "L2 error of a Herschel-Bulkley plug, n = 1/2, 40 across", result[0], 0, 0.05);
    phxi_validate_relative(v, "its velocity, m/s", result[1], plug(0.5, &(double){0.5}), 0.06);
    return PHX_OK;
}

const phxi_validation_case phxi_cases_wcsph[] = {
    {"wcsph.poiseuille", "flow between plates, driven; two forms of viscosity, and walls without mirrors", poiseuille},
    {"wcsph.couette", "flow between plates, one of which begins to move", couette},
    {"wcsph.bingham", "the plug of a fluid with a yield stress", bingham},
    {"wcsph.herschel_bulkley", "the same, thinner where it shears", herschel_bulkley},
    {0},
};
