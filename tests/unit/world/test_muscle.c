// SPDX-License-Identifier: MIT
// Drivers of kind muscle: they neither push nor turn a body, water slows it down by what is said, and together they
// drive it along its axis. Same bits at any thread count and after a checkpoint.
#include "support/points.h"
#include "validate/trial.h"
#include "world/world.h"

#include <string.h>

/// A bar along x, its head at +x, with muscles; `speed`: m/s at the start.
static phx_world* swimmer(int threads, const phx_driver_def* def, phx_vec3 speed) {
    phx_world_def world_def = phx_world_def_default();
    world_def.threads = threads;
    world_def.gravity = phxi_vec3(0, 0, 0);
    phx_world* world = NULL;
    phx_material_def material = phx_material_def_default();
    material.young = 2e4, material.density = 1000;
    phx_body_def body = phx_body_def_default();
    body.shape = "box(size=(0.2,0.02,0.04))";
    body.spacing = 0.01;
    body.method = "corotated_sph";
    body.velocity = speed;
    phx_body_id id;
    phx_driver_id driver;
    bool good = phx_world_create(&world_def, &world) == PHX_OK &&
                phx_material_create(world, &material, &body.material) == PHX_OK &&
                phx_body_create(world, &body, &id) == PHX_OK && phx_driver_create(world, def, &driver) == PHX_OK;
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return world;
}

static phx_driver_def muscle(double force, double along, double across) {
    phx_driver_def def = phx_driver_def_default();
    def.kind = PHX_DRIVER_MUSCLE;
    def.axis = phxi_vec3(2, 0, 0);
    def.vector = phxi_vec3(0, force, 0);
    def.wavelength = 0.2;
    def.period = 0.2;
    def.drag_along = along;
    def.drag_across = across;
    return def;
}

TEST(muscles_neither_push_nor_turn) {
    phx_driver_def def = muscle(10, 0, 0);
    phx_world* world = swimmer(2, &def, phxi_vec3(0, 0, 0));
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 0.15));
    phx_totals totals;
    REQUIRE_OK(phx_world_measure(world, &totals));
    double size = sqrt(2 * totals.kinetic * totals.mass); // momentum if all went one way
    ENSURE(totals.kinetic > 1e-4);
    ENSURE_NEAR(phxi_length(totals.momentum) / size, 0, sizeof(phx_real) == 4 ? 1e-5 : 1e-13);
    ENSURE_NEAR(phxi_length(phxi_trial_turning(world)) / (0.1 * size), 0, sizeof(phx_real) == 4 ? 1e-4 : 1e-12);
    phx_world_destroy(world);
}

TEST(water_slows_down_by_what_is_said) {
    phx_driver_def def = muscle(0, 2, 5);
    for (int axis = 0; axis < 2; ++axis) {
        phx_world* world = swimmer(2, &def, axis == 0 ? phxi_vec3(1, 0, 0) : phxi_vec3(0, 0.6, 0.8));
        REQUIRE(world);
        REQUIRE_OK(phx_world_step(world, 0.2));
        phx_totals totals;
        REQUIRE_OK(phx_world_measure(world, &totals));
        ENSURE_NEAR(phxi_length(totals.momentum) / totals.mass, exp(-0.2 * (axis == 0 ? 2 : 5)), 2e-3);
        phx_world_destroy(world);
    }
}

TEST(a_wave_drives_it_to_its_head) {
    for (int side = -1; side <= 1; side += 2) {
        phx_driver_def def = muscle(20, 1, 40);
        def.axis = phxi_vec3(side, 0, 0);
        phx_world* world = swimmer(2, &def, phxi_vec3(0, 0, 0));
        REQUIRE(world);
        REQUIRE_OK(phx_world_step(world, 0.6));
        phx_totals totals;
        REQUIRE_OK(phx_world_measure(world, &totals));
        ENSURE(side * totals.momentum.x / totals.mass > 0.005);
        phx_world_destroy(world);
    }
}

TEST(same_bits_at_any_thread_count_and_after_a_checkpoint) {
    phx_driver_def def = muscle(10, 1, 15);
    phx_world *world = swimmer(1, &def, phxi_vec3(0, 0, 0)), *twin = swimmer(3, &def, phxi_vec3(0, 0, 0));
    REQUIRE(world && twin);
    REQUIRE_OK(phx_world_step(world, 0.03));
    REQUIRE_OK(phx_world_step(twin, 0.03));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    phx_world_destroy(twin);
    twin = swimmer(2, &def, phxi_vec3(0, 0, 0));
    REQUIRE_OK(phx_checkpoint_save(world, phxt_path("muscle.phx")));
    REQUIRE_OK(phx_checkpoint_load(twin, phxt_path("muscle.phx")));
    REQUIRE_OK(phx_world_step(world, 0.02));
    REQUIRE_OK(phx_world_step(twin, 0.02));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    phx_world_destroy(world);
    phx_world_destroy(twin);
}

TEST(bad_muscles_are_answered) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_driver_id id;
    REQUIRE_OK(phx_world_create(&def, &world));
    phx_driver_def bad = muscle(1, 0, 0);
    bad.axis = phxi_vec3(0, 0, 0);
    ENSURE_RESULT(phx_driver_create(world, &bad, &id), PHX_ERROR_ARGUMENT);
    ENSURE(strstr(phx_error_message(), "axis") != NULL);
    bad = muscle(1, -1, 0);
    ENSURE_RESULT(phx_driver_create(world, &bad, &id), PHX_ERROR_ARGUMENT);
    ENSURE(strstr(phx_error_message(), "drag_along") != NULL);
    bad = muscle(1, 0, 0);
    bad.period = 0;
    ENSURE_RESULT(phx_driver_create(world, &bad, &id), PHX_ERROR_ARGUMENT);
    ENSURE(strstr(phx_error_message(), "period") != NULL);
    phx_world_destroy(world);
}
