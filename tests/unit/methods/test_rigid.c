// SPDX-License-Identifier: MIT
// Rigid bodies: same bits at any thread count and after a checkpoint, steps without allocation, masses, velocities that
// are set, what drivers hold and what is refused. Exact answers: phyxel validate rigid.
#include "methods/rigid/rigid_internal.h"
#include "support/points.h"
#include "world/world.h"

#include <string.h>

static phx_result add(phx_world* world, const char* name, const char* shape, const char* method, const char* mass) {
    phx_material_def material = phx_material_def_default();
    phx_body_def def = phx_body_def_default();
    phx_body_id body;
    const phx_setting setting = {"mass", mass};
    material.young = 1e6;
    PHXI_TRY(phx_material_create(world, &material, &def.material));
    def.name = name;
    def.shape = shape;
    def.spacing = 0.01;
    def.method = method;
    def.angular_velocity = phxi_vec3(1, -2, 3);
    def.settings = &setting;
    def.setting_count = mass != NULL;
    return phx_body_create(world, &def, &body);
}

/// A ball on a jelly, and a box that falls on the ground beside it.
static phx_world* scene_of(int threads) {
    phx_world_def def = phx_world_def_default();
    phx_collider_def ground = phx_collider_def_default();
    phx_collider_id id;
    phx_world* world = NULL;
    def.threads = threads;
    ground.shape = "plane((0, 0, -0.03))";
    if (phx_world_create(&def, &world) != PHX_OK || phx_collider_create(world, &ground, &id) != PHX_OK ||
        add(world, "ball", "sphere((0, 0, 0.03), 0.03)", "rigid", NULL) != PHX_OK ||
        add(world, "jelly", "box((0, 0, -0.015), (0.08, 0.08, 0.03))", "efg", NULL) != PHX_OK ||
        add(world, "box", "box((0.1, 0, -0.008), (0.04, 0.04, 0.04))", "rigid", NULL) != PHX_OK) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
        phx_world_destroy(world);
        return NULL;
    }
    return world;
}

static phxi_rigid_body* inside(const phx_world* world, int k) {
    return &((phxi_rigid_solver*)world->solvers.items[0].state)->bodies.items[k];
}

TEST(same_bits_at_any_thread_count) {
    uint64_t hash = 0;
    for (int threads = 1; threads <= 3; ++threads) {
        phx_world* world = scene_of(threads);
        REQUIRE(world);
        REQUIRE_OK(phx_world_step(world, 0.01));
        ENSURE(threads == 1 || phx_world_hash(world) == hash);
        hash = phx_world_hash(world);
        phx_world_destroy(world);
    }
}

TEST(a_checkpoint_goes_on_bit_for_bit) {
    phx_world *world = scene_of(2), *twin = scene_of(1);
    REQUIRE(world && twin);
    REQUIRE_OK(phx_world_step(world, 0.01));
    REQUIRE_OK(phx_checkpoint_save(world, phxt_path("rigid.phx")));
    REQUIRE_OK(phx_checkpoint_load(twin, phxt_path("rigid.phx")));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    REQUIRE_OK(phx_world_step(world, 0.005));
    REQUIRE_OK(phx_world_step(twin, 0.005));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    phx_world_destroy(world);
    phx_world_destroy(twin);
}

TEST(damaged_states_are_refused) {
    phx_world* world = scene_of(1);
    REQUIRE(world);
    size_t size;
    uint8_t bytes[4096];
    REQUIRE(phxi_world_packed_size(world, 0, &size) && size < sizeof bytes);
    phxi_world_pack(world, 0, bytes);
    ENSURE(phxi_world_unpack(world, 0, bytes, size - 1) == PHX_ERROR_FORMAT);
    double bad = NAN;
    memcpy(bytes, &bad, sizeof bad);
    ENSURE(phxi_world_unpack(world, 0, bytes, size) == PHX_ERROR_FORMAT);
    ENSURE(isfinite(inside(world, 0)->state.center.x));
    phx_world_destroy(world);
}

TEST(steps_allocate_nothing) {
    phx_world* world = scene_of(2);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 0.008));
    int64_t before = world->heap.allocations;
    for (int k = 0; k < 5; ++k) {
        REQUIRE_OK(phx_world_substep(world, 1e-5));
    }
    ENSURE(world->heap.allocations == before);
    phx_world_destroy(world);
}

static phx_world* lone(const char* mass) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    def.threads = 1;
    def.gravity = phxi_vec3(0, 0, 0);
    if (phx_world_create(&def, &world) != PHX_OK ||
        add(world, "box", "box((0, 0, 0), (0.06, 0.04, 0.02))", "rigid", mass) != PHX_OK) {
        phx_world_destroy(world);
        return NULL;
    }
    return world;
}

TEST(masses_are_as_asked_for) {
    phx_world *world = lone(NULL), *heavy = lone("7");
    REQUIRE(world && heavy);
    ENSURE_NEAR(inside(world, 0)->mass, 1000 * 0.06 * 0.04 * 0.02, 1e-7);
    ENSURE_NEAR(inside(heavy, 0)->mass, 7, 1e-5);
    ENSURE_NEAR(inside(heavy, 0)->inertia.xx / inside(world, 0)->inertia.xx, 7 / inside(world, 0)->mass, 1e-3);
    phx_world_destroy(world);
    phx_world_destroy(heavy);
}

TEST(velocities_that_are_set_count) {
    phx_world* world = lone(NULL);
    REQUIRE(world);
    REQUIRE_OK(phx_world_substep(world, 1e-3));
    phx_body_id body = {0, world->bodies.items[0].generation};
    REQUIRE_OK(phx_body_set_velocity(world, body, phxi_vec3(1, 2, 3), phxi_vec3(0, 0, 5)));
    const phxi_rigid_motion_state* s = &inside(world, 0)->state;
    ENSURE_NEAR(s->velocity.y, 2, 1e-6);
    REQUIRE_OK(phx_world_substep(world, 1e-3));
    ENSURE_NEAR(s->velocity_now.z, 3, 1e-6);
    ENSURE_NEAR(s->angular_now.z / inside(world, 0)->inertia.zz, 5, 0.05);
    phx_world_destroy(world);
}

static phx_result drive(phx_world* world, phx_driver_kind kind, const char* region, phx_vec3 vector, const char* name) {
    phx_driver_def def = phx_driver_def_default();
    phx_driver_id id;
    def.name = name;
    def.kind = kind;
    def.region = region;
    def.vector = vector;
    return phx_driver_create(world, &def, &id);
}

TEST(a_part_that_is_moved_takes_all_along) {
    phx_world* world = lone(NULL);
    REQUIRE(world);
    REQUIRE_OK(drive(world, PHX_DRIVER_VELOCITY, "box((-0.025, 0, 0), (0.01, 1, 1))", phxi_vec3(0.5, 0, 0.1), "hand"));
    for (int k = 0; k < 20; ++k) {
        REQUIRE_OK(phx_world_substep(world, 1e-3));
    }
    const phxi_rigid_body* body = inside(world, 0);
    ENSURE_NEAR(body->state.center.x - body->rest.x, 0.5 * 0.02, 1e-6);
    ENSURE_NEAR(body->state.velocity_now.z, 0.1, 1e-6);
    ENSURE_NEAR(phxi_length(body->state.angular_now), 0, 1e-9);
    ENSURE_NEAR((double)world->particles.vx[0], 0.5, 1e-6);
    phx_world_destroy(world);
}

TEST(a_pin_of_one_particle_is_a_joint) {
    phx_world* world = lone(NULL);
    REQUIRE(world);
    REQUIRE_OK(drive(world, PHX_DRIVER_PIN, "sphere((-0.025, -0.015, -0.005), 0.002)", phxi_vec3(0, 0, 0), "joint"));
    const phxi_rigid_body* body = inside(world, 0);
    for (int k = 0; k < 200; ++k) {
        REQUIRE_OK(phx_world_substep(world, 1e-3));
    }
    phx_vec3 place = phxi_rigid_where(body, phxi_vec3((phx_real)-0.025, (phx_real)-0.015, (phx_real)-0.005));
    ENSURE_NEAR(phxi_distance(place, phxi_vec3(-0.025, -0.015, -0.005)), 0, 1e-8);
    ENSURE(phxi_length(body->state.angular_now) > 0);
    phx_world_destroy(world);
}

TEST(drivers_that_pull_it_apart_are_refused) {
    phx_world* world = lone(NULL);
    REQUIRE(world);
    REQUIRE_OK(drive(world, PHX_DRIVER_VELOCITY, "box((-0.025, 0, 0), (0.01, 1, 1))", phxi_vec3(-1, 0, 0), "left"));
    REQUIRE_OK(drive(world, PHX_DRIVER_VELOCITY, "box((0.025, 0, 0), (0.01, 1, 1))", phxi_vec3(1, 0, 0), "right"));
    ENSURE(phx_world_step(world, 0.01) == PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("apart");
    phx_world_destroy(world);
}
