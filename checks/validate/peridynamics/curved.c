// SPDX-License-Identifier: MIT
// Sheets and rods of peridynamics that are curved at rest: rings and quarter circles against the theory of thin curved
// beams (Timoshenko), and what no shape at rest may do: push, turn itself, or mind being turned.
#include "validate/peridynamics/trial.h"

#include <stdio.h>

#define PI 3.14159265358979323846

enum { MOST = 400 };

/// Points one spacing apart: `along` a curve, `across` times beside each other.
typedef struct curve {
    phx_vec3 at[MOST];
    int along, across;
    bool closed;
    double radius; // m
} curve;

/// Arc from -half to the angle `end`, so that the first two points are as far from its beginning.
static void make_arc(curve* c, int along, int across, double end, bool closed) {
    double a = PERI_TRIAL_SPACING, step = closed ? 2 * PI / along : end / (along - 1.5);
    c->along = along, c->across = across, c->closed = closed;
    c->radius = a / (2 * sin(step / 2));
    for (int k = 0; k < along * across; ++k) {
        double angle = (k / across - (closed ? 0 : 0.5)) * step;
        c->at[k] = phxi_vec3(c->radius * (1 - cos(angle)), c->radius * sin(angle), a * (k % across));
    }
}

static phx_result create(phxi_validation* v, const curve* c, double nu, const phx_setting* settings, int count,
                         phxi_block* block) {
    phxi_block_def def = phxi_block_default(1, 1, 1);
    def.settings = settings;
    def.setting_count = count;
    def.material.poisson = nu;
    return phxi_peri_trial_points(v, c->at, c->along * c->across, &def, block);
}

static phx_result drive(phxi_block* block, int kind, phx_vec3 at, double size, phx_vec3 vector) {
    char region[128];
    snprintf(region, sizeof region, "box(center=(%.17g,%.17g,0), size=(%.17g,%.17g,100))", at.x, at.y, size, size);
    return phxi_peri_trial_drive(block, kind, region, vector);
}

/// How far particles at `at` have moved, on the mean.
static phx_vec3 moved(const phxi_block* block, phx_vec3 at) {
    phx_vec3 sum = {0};
    int count = 0;
    for (int i = 0; i < block->count; ++i) {
        phx_vec3 rest = block->rest[i];
        if (fabs(rest.x - at.x) < 0.4 * PERI_TRIAL_SPACING && fabs(rest.y - at.y) < 0.4 * PERI_TRIAL_SPACING) {
            sum = phxi_add(sum, phxi_sub(phxi_settle_place(block, i), rest));
            ++count;
        }
    }
    return phxi_scale(1.0 / count, sum);
}

/// Pulls at `end` along y until it should have moved by `wanted`; what it did over that.
static phx_result pull(phxi_validation* v, phxi_block* block, phx_vec3 end, double force, double wanted,
                       const char* quantity, double bound) {
    PHXI_TRY(drive(block, PHX_DRIVER_FORCE, end, 0.8 * PERI_TRIAL_SPACING, phxi_vec3(0, force, 0)));
    phxi_settle_def settle = phxi_settle_default();
    phx_result result = phxi_settle(block, &settle, NULL);
    if (result == PHX_OK) {
        phxi_validate_relative(v, quantity, moved(block, end).y / wanted, 1, bound);
    }
    return result;
}

/// A ring pulled by two opposite forces gets longer by P R^3 / (E I) (pi/4 - 2/pi).
static phx_result ring(phxi_validation* v) {
    static curve c;
    phxi_block block;
    const double r = 0.3 * PERI_TRIAL_SPACING, stiffness = PERI_TRIAL_YOUNG * PI * r * r * r * r / 4;
    phx_setting settings[] = {{"radius", "0.03"}, {"tolerance", "1e-6"}, {"iterations", "3000"}};
    make_arc(&c, 64, 1, 0, true);
    PHXI_TRY(create(v, &c, 0.3, settings, 3, &block));
    phx_vec3 low = c.at[48], high = c.at[16];
    double wanted = 0.001 * c.radius;
    double force = wanted * stiffness / (c.radius * c.radius * c.radius * (PI / 4 - 2 / PI));
    phx_result result = drive(&block, PHX_DRIVER_PIN, low, 0.8 * PERI_TRIAL_SPACING, phxi_vec3(0, 0, 0));
    if (result == PHX_OK) {
        result = pull(v, &block, high, force, wanted, "ring of 64 over P R^3/EI (pi/4 - 2/pi)", 0.01);
    }
    phxi_block_destroy(&block);
    return result;
}

/// A quarter of a circle, clamped where it rises: pi P R^3 / (4 E I).
static phx_result quarter(phxi_validation* v) {
    static const struct {
        int along, across;
        const char *setting, *text, *quantity;
        double inertia, bound; // over dx^4
    } rows[] = {
        {17, 1, "radius", "0.03", "quarter circle of 17, a rod, over pi P R^3/4EI", PI * 0.0081 / 4, 0.01},
        {33, 1, "radius", "0.03", "quarter circle of 33, a rod, over pi P R^3/4EI", PI * 0.0081 / 4, 0.005},
        {33, 5, "thickness", "0.1", "quarter of 33x5, a shell, nu 0, t = 1 dx, over pi P R^3/4EI", 5.0 / 12, 0.005},
        {33, 5, "thickness", "0.03", "quarter of 33x5, a shell, nu 0, t = 0.3 dx, over pi P R^3/4EI", 0.135 / 12, 0.01},
    };
    for (int k = 0; k < 4; ++k) {
        static curve c;
        phxi_block block;
        phx_setting settings[] = {{rows[k].setting, rows[k].text}, {"tolerance", "1e-6"}, {"iterations", "3000"}};
        make_arc(&c, rows[k].along, rows[k].across, PI / 2, false);
        PHXI_TRY(create(v, &c, 0, settings, 3, &block));
        const double a = PERI_TRIAL_SPACING, stiffness = PERI_TRIAL_YOUNG * rows[k].inertia * a * a * a * a;
        double wanted = -0.001 * c.radius, force = wanted * 4 * stiffness / (PI * c.radius * c.radius * c.radius);
        phx_result result = drive(&block, PHX_DRIVER_PIN, phxi_vec3(0, 0, 0), 1.8 * a, phxi_vec3(0, 0, 0));
        if (result == PHX_OK) {
            result = pull(v, &block, c.at[rows[k].along * rows[k].across - 1], force, wanted, rows[k].quantity,
                          rows[k].bound);
        }
        phxi_block_destroy(&block);
        PHXI_TRY(result);
    }
    return PHX_OK;
}

/// Forces of a ring and of a shell: turned, shaken.
static phx_result rigid(phxi_validation* v) {
    for (int k = 0; k < 2; ++k) {
        static curve c;
        phxi_block block;
        phxi_peri_rigidity r;
        phx_setting settings[] = {{k == 0 ? "radius" : "thickness", "0.03"}};
        const char* name = k == 0 ? "ring" : "shell";
        k == 0 ? make_arc(&c, 40, 1, 0, true) : make_arc(&c, 25, 7, PI, false);
        PHXI_TRY(create(v, &c, 0.3, settings, 1, &block));
        phx_result result = phxi_peri_trial_rigidity(&block, 0.02 * PERI_TRIAL_SPACING, &r);
        phxi_block_destroy(&block);
        PHXI_TRY(result);
        char quantity[96];
        snprintf(quantity, sizeof quantity, "largest force / (E t^2) of a turned %s", name);
        phxi_validate(v, quantity, r.largest / (PERI_TRIAL_YOUNG * 0.03 * 0.03), 0, phxi_by_precision(1e-10, 1e-5));
        snprintf(quantity, sizeof quantity, "sum of forces over sum of sizes, shaken %s", name);
        phxi_validate(v, quantity, r.force, 0, phxi_by_precision(1e-12, 1e-6));
        snprintf(quantity, sizeof quantity, "sum of torques over sum of sizes, shaken %s", name);
        phxi_validate(v, quantity, r.torque, 0, k == 0 ? phxi_by_precision(1e-12, 1e-6) : 2e-4);
    }
    return PHX_OK;
}

const phxi_validation_case phxi_cases_peridynamics_curved[] = {
    {"peridynamics.ring", "a ring pulled by two forces", ring},
    {"peridynamics.quarter", "a quarter of a circle, clamped", quarter},
    {"peridynamics.curved", "curved at rest: no force, no torque", rigid},
    {NULL, NULL, NULL},
};
