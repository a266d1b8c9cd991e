// SPDX-License-Identifier: MIT
// Hash, plan, and the list of state items that checkpoints are made of.
#include "support/points.h"

static phx_world* chain(const char* spring, double friction) {
    phx_world_def def = phx_world_def_default();
    phx_material_id material;
    phx_body_id body;
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id collider;
    phx_driver_def move = phx_driver_def_default();
    phx_driver_id driver;
    def.threads = 1;
    floor.friction = friction;
    move.kind = PHX_DRIVER_MOVE;
    move.vector.x = 0.1;
    move.ramp = 0.1;
    move.start = 0.02;
    move.region = "plane(point=(-0.15,0,0), normal=(1,0,0))";
    phx_world* world = phxt_world(&def, &material);
    bool good = world && phxt_body(world, "chain", "box(size=(0.5,0.1,0.1))", 0.1, spring, &body) == PHX_OK &&
                phx_collider_create(world, &floor, &collider) == PHX_OK &&
                phx_driver_create(world, &move, &driver) == PHX_OK;
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return world;
}

TEST(hash_sees_everything) {
    phx_world* world = chain("1000", 0.3);
    REQUIRE(world);
    uint64_t hash = phx_world_hash(world);
    ENSURE(phx_world_hash(world) == hash);
    phxi_state_item item;
    int items = 0;
    for (; phxi_world_state_item(world, items, &item); ++items) {
        ENSURE(item.name[0] && item.size > 0);
        ((uint8_t*)item.data)[item.size - 1] ^= 1;
        ENSURE(phx_world_hash(world) != hash);
        ((uint8_t*)item.data)[item.size - 1] ^= 1;
        ENSURE(phx_world_hash(world) == hash);
    }
    ENSURE(items == 7 + 1 + 5);
    ENSURE(!phxi_world_state_item(world, -1, &item));
    world->particles.x[3] += (phx_real)1e-6;
    ENSURE(phx_world_hash(world) != hash);
    phx_world_destroy(world);
}

TEST(plan_tells_worlds_apart) {
    phx_world *a = chain("1000", 0.3), *b = chain("1000", 0.3), *c = chain("1001", 0.3), *d = chain("1000", 0.4);
    REQUIRE(a && b && c && d);
    ENSURE(phxi_world_plan(a) == phxi_world_plan(b));
    ENSURE(phxi_world_plan(a) != phxi_world_plan(c));
    ENSURE(phxi_world_plan(a) != phxi_world_plan(d));
    ENSURE_OK(phx_world_step(a, 0.1)); // the plan is not the state
    ENSURE(phxi_world_plan(a) == phxi_world_plan(b));
    phx_world_destroy(a);
    phx_world_destroy(b);
    phx_world_destroy(c);
    phx_world_destroy(d);
}

// Copies fields, items and packed parts from one world to a twin: what a checkpoint does.
static void copy_state(const phx_world* from, phx_world* to) {
    for (int f = 0; f < from->particles.field_count; ++f) {
        const phxi_field* field = &from->particles.fields[f];
        if (field->def.saved) {
            memcpy(to->particles.fields[f].data, field->data,
                   phxi_field_size(field->def.type) * (size_t)from->particles.count);
        }
    }
    phxi_state_item source, target;
    for (int i = 0; phxi_world_state_item((phx_world*)from, i, &source); ++i) {
        REQUIRE(phxi_world_state_item(to, i, &target) && target.size == source.size);
        REQUIRE(strcmp(source.name, target.name) == 0);
        memcpy(target.data, source.data, source.size);
    }
    for (int s = 0; s < phxi_world_packed_count(from); ++s) {
        size_t size;
        if (phxi_world_packed_size(from, s, &size)) {
            uint8_t bytes[4096];
            REQUIRE(size <= sizeof bytes);
            phxi_world_pack(from, s, bytes);
            ENSURE_OK(phxi_world_unpack(to, s, bytes, size));
        }
    }
    ENSURE_OK(phxi_world_restored(to));
}

TEST(a_copied_state_goes_on_with_the_same_bits) {
    phx_world *a = chain("1000", 0.3), *b = chain("1000", 0.3);
    REQUIRE(a && b);
    REQUIRE_OK(phx_world_step(a, 0.05)); // in the middle of the drive
    copy_state(a, b);
    ENSURE(phx_world_hash(a) == phx_world_hash(b));
    REQUIRE_OK(phx_world_step(a, 0.2));
    REQUIRE_OK(phx_world_step(b, 0.2));
    ENSURE(phx_world_hash(a) == phx_world_hash(b));
    phx_world_destroy(a);
    phx_world_destroy(b);
}
