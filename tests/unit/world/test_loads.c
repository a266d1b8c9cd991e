// SPDX-License-Identifier: MIT
// Loads: their sums, and profiles from formulas and tables: impulses, heat and ways against integrals in closed form.
#include "support/points.h"

#include <stdio.h>

static const double EXACT = sizeof(phx_real) == sizeof(float) ? 3e-6 : 1e-9;
static const phx_vec3 ZERO = {0, 0, 0};

// A block of 4 x 3 x 2 particles at spacing 0.1 m, masses of 1 kg, that fly on their own.
static phx_world* block(double dt) {
    phx_world_def def = phx_world_def_default();
    phx_material_id material;
    phx_body_id body;
    def.gravity = ZERO;
    def.dt = dt;
    phx_world* world = phxt_world(&def, &material);
    if (world &&
        !phxt_result(__FILE__, __LINE__, "body",
                     phxt_body(world, "block", "box(center=(3,0,0), size=(0.4,0.3,0.2))", 0.1, NULL, &body), PHX_OK)) {
        phx_world_destroy(world);
        return NULL;
    }
    return world;
}

static phx_result drive(phx_world* world, const phx_driver_def* def) {
    phx_driver_id id;
    return phx_driver_create(world, def, &id);
}

static phx_totals totals(phx_world* world) {
    phx_totals t = {0};
    ENSURE_OK(phx_world_measure(world, &t));
    return t;
}

/// Angular momentum about the middle of mass.
static phx_vec3 spin_of(const phx_totals* t) {
    return phxi_sub(t->angular_momentum, phxi_cross(t->mean_position, t->momentum));
}

TEST(a_torque_turns_without_a_push) {
    phx_world* world = block(1e-4);
    REQUIRE(world);
    phx_driver_def def = phx_driver_def_default();
    def.kind = PHX_DRIVER_TORQUE;
    def.torque = 5;
    def.axis = phxi_vec3(0, 0, 2);
    REQUIRE_OK(drive(world, &def));
    REQUIRE_OK(phx_world_step(world, 0.02));
    phx_totals t = totals(world);
    phx_vec3 spin = spin_of(&t);
    ENSURE_NEAR(spin.z, 5 * 0.02, 1e-3 * 0.1);
    ENSURE_NEAR(phxi_length(t.momentum), 0, 0.1 * EXACT);
    ENSURE_NEAR(hypot(spin.x, spin.y), 0, 0.1 * EXACT);
    ENSURE_NEAR(t.external_work, t.kinetic, 2e-2 * t.kinetic);
    phx_world_destroy(world);
}

TEST(a_torque_needs_an_arm) {
    phx_world* world = block(1e-3);
    REQUIRE(world);
    phx_driver_def def = phx_driver_def_default();
    def.kind = PHX_DRIVER_TORQUE;
    def.torque = 5;
    def.axis = phxi_vec3(0, 0, 1);
    def.region = "box(center=(2.85,0.1,0), size=(0.1,0.1,1))";
    REQUIRE_OK(drive(world, &def));
    ENSURE_RESULT(phx_world_step(world, 1e-3), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("stand on the axis of its torque");
    phx_world_destroy(world);
}

TEST(a_formula_of_time_and_place) {
    phx_world* world = block(1e-3);
    REQUIRE(world);
    phx_driver_def def = phx_driver_def_default();
    def.vector = phxi_vec3(24, 0, 0); // 1 N each
    def.kind = PHX_DRIVER_FORCE;
    def.profile = "sin(20*pi*t) * (x - 2)";
    def.end = 0.05;
    REQUIRE_OK(drive(world, &def));
    REQUIRE_OK(phx_world_step(world, 0.06));
    const phxi_particles* p = &world->particles;
    for (int i = 0; i < p->count; ++i) {
        ENSURE_NEAR((double)p->vx[i], ((double)p->rest_x[i] - 2) * 2 / (20 * 3.14159265358979), 0.1 * EXACT);
    }
    phx_world_destroy(world);
}

TEST(a_table_is_straight_between_its_lines) {
    static const char path[] = "profile_of_test_loads.csv";
    FILE* file = fopen(path, "w");
    REQUIRE(file);
    fputs("time,value\n0.01, 0\n0.0253, 2\n\n# a note\n0.04 ; -1\n", file);
    fclose(file);
    phx_world* world = block(7e-3); // bends fall amid substeps
    REQUIRE(world);
    phx_driver_def def = phx_driver_def_default();
    def.kind = PHX_DRIVER_FORCE;
    def.vector = phxi_vec3(0, 24, 0);
    def.profile = path;
    REQUIRE_OK(drive(world, &def));
    REQUIRE_OK(phx_world_step(world, 0.1));
    double exact = 0.0153 * 1 + 0.0147 * 0.5 - 0.06;
    ENSURE_NEAR(totals(world).momentum.y / 24, exact, EXACT);
    phx_world_destroy(world);
    remove(path);
}

TEST(moves_follow_a_profile) {
    phx_world* world = block(1e-3);
    REQUIRE(world);
    phx_driver_def def = phx_driver_def_default();
    def.kind = PHX_DRIVER_MOVE;
    def.vector = phxi_vec3(0, 0, 0.1);
    def.profile = "sin(5*t)";
    REQUIRE_OK(drive(world, &def));
    REQUIRE_OK(phx_world_step(world, 0.3));
    const phxi_particles* p = &world->particles;
    ENSURE_NEAR((double)(p->z[0] - p->rest_z[0]), 0.1 * sin(1.5), EXACT);
    ENSURE_NEAR((double)p->vz[0], 0.5 * cos(1.5), EXACT);
    phx_world_destroy(world);
}

static phx_result mistake(const char* profile, int kind) {
    phx_world* world = block(1e-3);
    phx_driver_def def = phx_driver_def_default();
    def.kind = kind;
    def.profile = profile;
    phx_result result = world ? drive(world, &def) : PHX_ERROR_MEMORY;
    phx_world_destroy(world);
    return result;
}

TEST(profiles_that_cannot_be) {
    ENSURE_RESULT(mistake("sin(2*", PHX_DRIVER_FORCE), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("profile: column 7: the end");
    ENSURE_RESULT(mistake("t", PHX_DRIVER_PIN), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("no strength that a profile could change");
    ENSURE_RESULT(mistake("t*x", PHX_DRIVER_MOVE), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("expected a formula of t alone");
    ENSURE(mistake("is_not_there.csv", PHX_DRIVER_FORCE) != PHX_OK);
    ENSURE_MESSAGE("is_not_there.csv");
    phx_world* world = block(1e-3);
    REQUIRE(world);
    phx_driver_def def = phx_driver_def_default();
    def.kind = PHX_DRIVER_FORCE;
    def.vector = phxi_vec3(1, 0, 0);
    def.profile = "log(0.01 - t)";
    REQUIRE_OK(drive(world, &def));
    ENSURE_RESULT(phx_world_step(world, 0.02), PHX_ERROR_UNSTABLE);
    ENSURE_MESSAGE("mind its profile");
    phx_world_destroy(world);
}

// Drivers that heat, blow and swim through the same window give what its length and ramp say, whoever asks when.
TEST(what_a_window_gives_depends_on_no_interval) {
    static const double intervals[] = {0.05, 0.01, 0.0037};
    double wind[3], heat[3];
    for (int k = 0; k < 3; ++k) {
        phx_world* world = block(0);
        REQUIRE(world);
        world->def.dt = 7e-4;
        phx_driver_def def = phx_driver_def_default();
        def.kind = PHX_DRIVER_WIND;
        def.vector = phxi_vec3(2, 0, 0);
        def.air = 0.01; // so little that it stays the same
        def.start = 0.0113, def.end = 0.0303, def.ramp = 0.004;
        def.profile = k == 2 ? "1" : NULL;
        REQUIRE_OK(drive(world, &def));
        def.kind = PHX_DRIVER_HEAT;
        def.power = 100;
        REQUIRE_OK(drive(world, &def));
        while (world->time < 0.0499) {
            REQUIRE_OK(phx_world_step(world, fmin(intervals[k], 0.05 - world->time)));
        }
        phx_totals t = totals(world);
        wind[k] = t.momentum.x, heat[k] = t.heat_driven;
        phx_world_destroy(world);
    }
    for (int k = 0; k < 3; ++k) {
        ENSURE_NEAR(heat[k] / 1.7, 1, 1e-6);
        ENSURE_NEAR(wind[k] / wind[0], 1, 2e-3); // as the square of the ramp, by its mean over each substep
    }
}
