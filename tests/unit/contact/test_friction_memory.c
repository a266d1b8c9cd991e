// SPDX-License-Identifier: MIT
// What friction remembers: the list, and worlds that go on with it.
#include "contact/law/friction_memory.h"
#include "support/test.h"
#include "world/world.h"

#include <phyxel/io.h>

#include <string.h>

static const phxi_friction_slip some[4] = {{1, -1, {1, 0, 0}}, {1, 4, {2, 0, 0}}, {3, 4, {3, 0, 0}}, {3, 9, {4, 0, 0}}};

static double slip_of(const phxi_friction_memory* memory, int i, int j, int* at) {
    const phxi_friction_slip* found = phxi_friction_memory_find(memory, i, j, at);
    return found ? (double)found->slip[0] : 0;
}

TEST(slips_are_found_in_any_order) {
    phxi_heap heap;
    phxi_friction_memory memory = {0};
    phxi_heap_init(&heap, NULL);
    REQUIRE_OK(phxi_friction_memory_add(&memory, &heap, some, 1));
    REQUIRE_OK(phxi_friction_memory_add(&memory, &heap, some + 1, 3));
    int at = 0;
    ENSURE(!phxi_friction_memory_find(&memory, 1, 4, &at)); // not yet
    phxi_friction_memory_turn(&memory);
    ENSURE(slip_of(&memory, 1, -1, &at) == 1);
    ENSURE(!phxi_friction_memory_find(&memory, 2, 3, &at));
    ENSURE(slip_of(&memory, 3, 4, &at) == 3);
    ENSURE(!phxi_friction_memory_find(&memory, 7, 8, &at));
    at = phxi_friction_memory_from(&memory, 1, 4);
    ENSURE(at == 1 && slip_of(&memory, 1, 4, &at) == 2);
    phxi_friction_memory_shift(&memory, 4, 10); // ten particles have come before the fifth
    at = phxi_friction_memory_from(&memory, 3, 14);
    ENSURE(slip_of(&memory, 3, 14, &at) == 3 && slip_of(&memory, 3, 19, &at) == 4);
    phxi_friction_memory_turn(&memory);
    ENSURE(memory.now.count == 0);
    phxi_friction_memory_destroy(&memory, &heap);
    phxi_heap_destroy(&heap);
}

TEST(a_slip_is_along_the_surface_and_bounded) {
    const phx_vec3 up = {0, 0, 1}, none = {0, 0, 0};
    const phxi_friction_times t = {0.1, 0.1};
    phxi_friction_slip slip = {0, 1, {0, 0, 5}};
    phx_vec3 w = phxi_friction_slip_now(&slip, t, (phx_vec3){3, 0, 1}, none, up, 1);
    ENSURE_NEAR(w.x, 0.3, 1e-7);
    ENSURE(w.z == 0);
    ENSURE_NEAR(phxi_length(phxi_friction_slip_now(&slip, t, (phx_vec3){30, 40, 0}, none, up, 1)), 1, 1e-12);
    ENSURE(phxi_length(phxi_friction_slip_now(NULL, t, (phx_vec3){3, 0, 1}, none, up, 1)) == 0); // they have just met
}

/// Half of the velocity goes in a substep: as meant, so nothing is to be taken back. A force that friction does not
/// know of is borne in the end, and nothing moves.
TEST(what_is_meant_is_not_taken_back) {
    const phx_vec3 up = {0, 0, 1}, none = {0, 0, 0};
    const phxi_friction_times t = {0.1, 0.1};
    for (int forced = 0; forced < 2; ++forced) {
        double v = 1;
        phx_vec3 w = none;
        for (int k = 0; k < 60; ++k) {
            phxi_friction_slip slip = phxi_friction_slip_ahead(0, 1, t, w, (phx_vec3){v, 0, 0}, none);
            v += t.dt * (forced * 2.0 - 0.5 * v / t.dt - phxi_friction_slip_rate(t.dt) * w.x);
            w = phxi_friction_slip_now(&slip, t, (phx_vec3){v, 0, 0}, none, up, 1);
            ENSURE(v > (forced ? -1 : 0) && (forced || fabs(w.x) < 1e-7));
        }
        ENSURE_NEAR(v, 0, 1e-6);
        ENSURE_NEAR(w.x, forced * 2.0 / phxi_friction_slip_rate(t.dt), 1e-6);
    }
}

TEST(damaged_bytes_are_refused) {
    phxi_heap heap;
    phxi_friction_memory memory = {0};
    phxi_heap_init(&heap, NULL);
    phxi_friction_slip bad[4];
    memcpy(bad, some, sizeof bad);
    REQUIRE_OK(phxi_friction_memory_unpack(&memory, &heap, (const uint8_t*)bad, sizeof bad, 10));
    ENSURE_RESULT(phxi_friction_memory_unpack(&memory, &heap, (const uint8_t*)bad, sizeof bad - 1, 10),
                  PHX_ERROR_FORMAT);
    ENSURE_RESULT(phxi_friction_memory_unpack(&memory, &heap, (const uint8_t*)bad, sizeof bad, 9), PHX_ERROR_FORMAT);
    bad[1].slip[2] = (phx_real)NAN;
    ENSURE_RESULT(phxi_friction_memory_unpack(&memory, &heap, (const uint8_t*)bad, sizeof bad, 10), PHX_ERROR_FORMAT);
    memcpy(bad, some, sizeof bad);
    bad[2].i = 1; // the same two twice
    ENSURE_RESULT(phxi_friction_memory_unpack(&memory, &heap, (const uint8_t*)bad, sizeof bad, 10), PHX_ERROR_FORMAT);
    bad[2].i = 7; // of itself with one before
    ENSURE_RESULT(phxi_friction_memory_unpack(&memory, &heap, (const uint8_t*)bad, sizeof bad, 10), PHX_ERROR_FORMAT);
    ENSURE(memory.now.count == 4 && memcmp(memory.now.items, some, sizeof some) == 0);
    phxi_friction_memory_destroy(&memory, &heap);
    phxi_heap_destroy(&heap);
}

/// Two blocks on each other on a slope of 0.2, friction 0.4: with friction that forgets the lower one creeps.
static void make_stack(int threads, phx_world** made) {
    static const char* const shapes[2] = {"box(center=(0,0,0.06), size=(0.12,0.1,0.12))",
                                          "box(center=(0.02,0,0.17), size=(0.1,0.1,0.1))"};
    phx_world_def def = phx_world_def_default();
    def.threads = threads;
    def.gravity = (phx_vec3){2, 0, -9.8};
    REQUIRE_OK(phx_world_create(&def, made));
    phx_material_def material = phx_material_def_default();
    material.young = 1e6, material.damping = 10;
    phx_material_id id;
    REQUIRE_OK(phx_material_create(*made, &material, &id));
    for (int k = 0; k < 2; ++k) {
        phx_body_def body = phx_body_def_default();
        body.name = k ? "high" : "low";
        body.shape = shapes[k];
        body.spacing = 0.02;
        body.material = id;
        body.friction = 0.4;
        phx_body_id id_of_body;
        REQUIRE_OK(phx_body_create(*made, &body, &id_of_body));
    }
    phx_collider_def floor = phx_collider_def_default();
    floor.friction = 0.4;
    phx_collider_id id_of_floor;
    REQUIRE_OK(phx_collider_create(*made, &floor, &id_of_floor));
}

static phx_world* stack_on_slope(int threads) {
    phx_world* world = NULL;
    make_stack(threads, &world);
    return world;
}

TEST(friction_goes_on_after_a_restart) {
    phx_world *a = stack_on_slope(1), *b = stack_on_slope(2);
    REQUIRE_OK(phx_world_step(a, 0.1));
    ENSURE(a->friction_memory.now.count > 0 && a->colliders.items[0].friction_memory.now.count > 0);
    REQUIRE_OK(phx_checkpoint_save(a, phxt_path("half.phx")));
    REQUIRE_OK(phx_checkpoint_load(b, phxt_path("half.phx")));
    REQUIRE_OK(phx_world_step(a, 0.05));
    REQUIRE_OK(phx_world_step(b, 0.05));
    ENSURE(phx_world_hash(a) == phx_world_hash(b));
    phx_world_destroy(a);
    phx_world_destroy(b);
}

/// The lower block swings with the upper one, so what counts is the mean over its swings.
TEST(a_stack_on_a_slope_does_not_creep) {
    phx_world* world = stack_on_slope(1);
    double early = 0, late = 0;
    REQUIRE_OK(phx_world_step(world, 0.2));
    for (int k = 0; k < 100; ++k) {
        phx_totals low;
        REQUIRE_OK(phx_world_step(world, 0.02));
        REQUIRE_OK(phx_body_measure(world, phx_world_body_id(world, 0), &low));
        early += k < 50 ? low.mean_position.x / 50 : 0;
        late += k < 50 ? 0 : low.mean_position.x / 50;
    }
    ENSURE_NEAR(late, early, 5e-5); // with friction that forgets it goes 4e-4 in the next two seconds
    phx_world_destroy(world);
}

/// Forces of the current state are found without updating the memory.
TEST(a_measurement_changes_nothing) {
    phx_world* world = stack_on_slope(1);
    phx_totals totals;
    REQUIRE_OK(phx_world_step(world, 0.05));
    uint64_t hash = phx_world_hash(world);
    REQUIRE_OK(phx_world_measure(world, &totals));
    ENSURE(phx_world_hash(world) == hash);
    phx_world_destroy(world);
}
