// SPDX-License-Identifier: MIT
// Colliders that drivers move: where they are, what goes along, what is kept of them, and what is refused.
#include "support/points.h"

#include <phyxel/io.h>

static phx_driver_def driver_of(const char* collider, phx_driver_kind kind) {
    phx_driver_def def = phx_driver_def_default();
    def.collider = collider;
    def.kind = kind;
    return def;
}

/// A soft block between a floor and a plate that comes down and then turns.
static phx_world* press(int threads, const char* integrator) {
    phx_world_def def = phx_world_def_default();
    def.threads = threads;
    phx_world* world = NULL;
    phx_material_def material = phx_material_def_default();
    phx_material_id rubber = {0};
    phx_body_def block = phx_body_def_default();
    phx_body_id body;
    phx_collider_def floor = phx_collider_def_default(), plate = phx_collider_def_default();
    phx_collider_id id;
    phx_driver_def down = driver_of("plate", PHX_DRIVER_VELOCITY), turn = driver_of("plate", PHX_DRIVER_SPIN);
    phx_driver_id driver;
    phx_setting setting = {"integrator", integrator};
    plate.name = "plate";
    plate.shape = "box(size=(1,1,0.1))";
    plate.translate = (phx_vec3){0, 0, 0.17};
    down.vector = (phx_vec3){0, 0, -0.6};
    down.ramp = 0.02;
    down.end = 0.08;
    turn.angle = 90;
    turn.start = 0.08;
    block.shape = "box(center=(0,0,0.05), size=(0.2,0.2,0.1))";
    block.spacing = 0.02;
    block.settings = &setting;
    block.setting_count = 1;
    bool good = phx_world_create(&def, &world) == PHX_OK && phx_material_create(world, &material, &rubber) == PHX_OK;
    block.material = rubber;
    good = good && phx_body_create(world, &block, &body) == PHX_OK &&
           phx_collider_create(world, &floor, &id) == PHX_OK && phx_collider_create(world, &plate, &id) == PHX_OK &&
           phx_driver_create(world, &down, &driver) == PHX_OK && phx_driver_create(world, &turn, &driver) == PHX_OK;
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return world;
}

TEST(goes_where_its_drivers_say) {
    phx_world* world = press(1, "velocity_verlet");
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 0.08));
    const phxi_collider* plate = &world->colliders.items[1];
    ENSURE_NEAR(plate->now.shift.z, 0.17 - 0.6 * 0.07, 1e-12); // a ramp of 0.02 s costs half of it
    ENSURE_NEAR(plate->now.velocity.z, -0.6, 1e-12);
    REQUIRE_OK(phx_world_step(world, 0.1));
    ENSURE_NEAR(plate->now.shift.z, 0.17 - 0.6 * 0.07, 1e-12);
    ENSURE_NEAR(plate->now.rotation.m[1][0], sin(0.05 * 3.14159265358979), 1e-9);
    ENSURE_NEAR(plate->now.spin.z, 3.14159265358979 / 2, 1e-9);
    phx_totals totals;
    REQUIRE_OK(phx_world_measure(world, &totals));
    ENSURE(totals.external_work > 0 && totals.reaction.z < 0 && totals.angular_momentum.z > 0);
    phx_world_destroy(world);
}

TEST(same_bits_at_any_thread_count) {
    static const char* const integrators[] = {"velocity_verlet", "bdf2"};
    for (int k = 0; k < 2; ++k) {
        uint64_t hash = 0;
        for (int threads = 1; threads <= 3; ++threads) {
            phx_world* world = press(threads, integrators[k]);
            REQUIRE(world);
            REQUIRE_OK(phx_world_step(world, 0.15));
            hash = threads == 1 ? phx_world_hash(world) : hash;
            ENSURE(phx_world_hash(world) == hash);
            phx_world_destroy(world);
        }
    }
}

TEST(checkpoint_goes_on_with_the_same_bits) {
    static const char* const integrators[] = {"velocity_verlet", "bdf2"};
    for (int k = 0; k < 2; ++k) {
        phx_world *a = press(1, integrators[k]), *b = press(1, integrators[k]);
        const char* path = phxt_path("moving.phx");
        REQUIRE(a && b);
        REQUIRE_OK(phx_world_step(a, 0.05));
        REQUIRE_OK(phx_checkpoint_save(a, path));
        REQUIRE_OK(phx_checkpoint_load(b, path));
        ENSURE(phx_world_hash(a) == phx_world_hash(b));
        ENSURE(b->colliders.items[1].next.shift.z == a->colliders.items[1].now.shift.z);
        REQUIRE_OK(phx_world_step(a, 0.1));
        REQUIRE_OK(phx_world_step(b, 0.1));
        ENSURE(phx_world_hash(a) == phx_world_hash(b));
        phx_world_destroy(a);
        phx_world_destroy(b);
    }
}

TEST(failed_step_puts_it_back) {
    phx_world* world = press(1, "velocity_verlet");
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 0.05));
    double z = world->colliders.items[1].now.shift.z;
    uint64_t hash = phx_world_hash(world);
    world->def.dt = 0.01; // far above what is stable
    world->def.force_dt = true;
    ENSURE(phx_world_step(world, 0.5) != PHX_OK);
    ENSURE(world->colliders.items[1].now.shift.z == z && world->colliders.items[1].next.shift.z == z);
    ENSURE(phx_world_hash(world) == hash);
    phx_world_destroy(world);
}

TEST(pin_feels_the_weight) {
    phx_world_def def = phx_world_def_default();
    phx_material_id material;
    phx_body_id body;
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id id;
    phx_driver_def pin = driver_of("collider", PHX_DRIVER_PIN);
    phx_driver_id driver;
    phx_world* world = phxt_world(&def, &material);
    REQUIRE(world);
    floor.damping = 1;
    REQUIRE_OK(phxt_body(world, "chain", "box(center=(0,0,0.05), size=(0.5,0.1,0.1))", 0.1, "1000", &body));
    REQUIRE_OK(phx_collider_create(world, &floor, &id));
    REQUIRE_OK(phx_driver_create(world, &pin, &driver));
    REQUIRE_OK(phx_world_step(world, 2));
    phx_totals totals;
    REQUIRE_OK(phx_world_measure(world, &totals));
    ENSURE_NEAR(totals.reaction.z, 9.81 * totals.mass, 0.01 * 9.81 * totals.mass);
    ENSURE(totals.external_work == 0);
    phx_world_destroy(world);
}

TEST(bad_definitions) {
    phx_world* world = press(1, "velocity_verlet");
    REQUIRE(world);
    phx_driver_id id;
    phx_driver_def bad = driver_of("plat", PHX_DRIVER_PIN);
    ENSURE_RESULT(phx_driver_create(world, &bad, &id), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("there is no collider 'plat', did you mean 'plate'?");
    bad = driver_of("plate", PHX_DRIVER_PIN);
    bad.body = "body";
    ENSURE_RESULT(phx_driver_create(world, &bad, &id), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("both a collider and a body");
    bad = driver_of("plate", PHX_DRIVER_FORCE);
    ENSURE_RESULT(phx_driver_create(world, &bad, &id), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("expected pin, move, velocity, twist or spin");
    bad = driver_of("plate", PHX_DRIVER_MOVE);
    bad.start = 0.05;
    ENSURE_RESULT(phx_driver_create(world, &bad, &id), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("moves collider 'plate' at the same time");
    ENSURE(world->drivers.count == 2);
    phx_world_destroy(world);
}

TEST(poses_between) {
    phxi_collider_pose a = {.rotation = phxi_identity(), .shift = {1, 2, 3}, .center = {0, 1, 0}};
    phxi_collider_pose b = a;
    b.rotation = phxi_rotation(phxi_vec3(0, 0, 1), 1.2);
    b.shift = phxi_add(b.center, phxi_mat3_apply(&b.rotation, phxi_sub(a.shift, a.center)));
    phxi_collider_pose half = phxi_pose_between(&a, &b, 0.5);
    phxi_mat3 turn = phxi_rotation(phxi_vec3(0, 0, 1), 0.6);
    phx_vec3 x = {0.3, -0.2, 0.1}, start = phxi_pose_world(&a, x);
    phx_vec3 wanted = phxi_add(a.center, phxi_mat3_apply(&turn, phxi_sub(start, a.center)));
    ENSURE(phxi_distance(phxi_pose_world(&half, x), wanted) < 1e-12);
    ENSURE(phxi_distance(phxi_pose_local(&half, phxi_pose_world(&half, x)), x) < 1e-12);
    phxi_collider_pose same = phxi_pose_between(&a, &a, 0.3);
    ENSURE(phxi_distance(phxi_pose_world(&same, x), start) < 1e-12);
}
