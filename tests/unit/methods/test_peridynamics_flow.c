// SPDX-License-Identifier: MIT
// Projective peridynamics whose bonds change: they yield, find other neighbours, break, soften. Same bits at any thread
// count and after a checkpoint, damaged checkpoints, what touches and what is refused. Numbers: phyxel validate
// peridynamics.
#include "methods/peridynamics/breaking.h"
#include "methods/peridynamics/flow.h"
#include "support/points.h"
#include "world/world.h"

#include <string.h>

#define BLOCK "box(center=(0,0,0.051),size=(0.1,0.1,0.1))"
#define SHEET "box(center=(0,0,0.05),size=(0.2,0.1,0.02))"

typedef enum kind { CLAY, SAND, GLASS, CLOTH, METAL, WAX } kind;

static phx_material_def material_of(kind k) {
    phx_material_def m = phx_material_def_default();
    m.young = 1e5, m.poisson = 0.3, m.density = 1500;
    switch (k) {
    case CLAY:
        m.yield = 0.02, m.plastic_limit = 1000;
        break;
    case SAND:
        m.friction_angle = 30;
        break;
    case GLASS:
    case CLOTH:
        m.strength = 1500, m.strength_noise = 0.1;
        break;
    case METAL:
        m.yield = 0.02, m.ductile_strain = 0.1;
        break;
    default:
        m.soften_from = 10, m.soften_to = 20, m.soften_left = 0.1;
        m.yield = 0.05;
    }
    return m;
}

/// A body on a floor, half of which is pulled aside, so that it flows far or breaks.
static phx_world* pulled(int threads, kind k) {
    phx_world_def def = phx_world_def_default();
    def.threads = threads;
    phx_world* world = NULL;
    phx_collider_def floor = phx_collider_def_default();
    floor.shape = "plane()";
    phx_collider_id collider;
    phx_material_def material = material_of(k);
    phx_body_def body = phx_body_def_default();
    body.shape = k == CLOTH ? SHEET : BLOCK;
    body.spacing = 0.02;
    body.method = "peridynamics";
    phx_body_id id;
    phx_driver_def left = phx_driver_def_default(), right = left;
    phx_driver_id drivers[2];
    left.name = "left", left.kind = right.kind = PHX_DRIVER_VELOCITY;
    left.region = "box(center=(-0.1,0,0.05),size=(0.14,1,1))", left.vector = phxi_vec3(-0.3, 0, 0);
    right.name = "right", right.region = "box(center=(0.1,0,0.05),size=(0.14,1,1))";
    right.vector = phxi_vec3(0.3, 0, 0);
    bool good = phx_world_create(&def, &world) == PHX_OK && phx_collider_create(world, &floor, &collider) == PHX_OK &&
                phx_material_create(world, &material, &body.material) == PHX_OK &&
                phx_body_create(world, &body, &id) == PHX_OK &&
                phx_driver_create(world, &left, &drivers[0]) == PHX_OK &&
                phx_driver_create(world, &right, &drivers[1]) == PHX_OK;
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return world;
}

static phxi_peri_slot* slot_of(const phx_world* world) {
    return &((phxi_peri*)world->solvers.items[0].state)->slots.items[0];
}

/// One world goes on, one from its checkpoint, one with as many threads.
static void compare(const kind* kinds, int count) {
    for (int n = 0; n < count; ++n) {
        kind k = kinds[n];
        phx_world* worlds[3];
        for (int t = 0; t < 3; ++t) {
            worlds[t] = pulled(t + 1, k);
            REQUIRE(worlds[t]);
        }
        int bonds = slot_of(worlds[0])->bond_count;
        REQUIRE_OK(phx_world_step(worlds[0], 0.1));
        REQUIRE_OK(phx_checkpoint_save(worlds[0], phxt_path("flow.phx")));
        REQUIRE_OK(phx_checkpoint_load(worlds[1], phxt_path("flow.phx")));
        ENSURE(phx_world_hash(worlds[0]) == phx_world_hash(worlds[1]));
        REQUIRE_OK(phx_world_step(worlds[2], 0.1));
        ENSURE(phx_world_hash(worlds[0]) == phx_world_hash(worlds[2]));
        for (int t = 0; t < 3; ++t) {
            REQUIRE_OK(phx_world_step(worlds[t], 0.05));
        }
        ENSURE(phx_world_hash(worlds[0]) == phx_world_hash(worlds[1]));
        ENSURE(phx_world_hash(worlds[0]) == phx_world_hash(worlds[2]));
        ENSURE(k == WAX || slot_of(worlds[0])->bond_count != bonds); // lists did change
        for (int t = 0; t < 3; ++t) {
            phx_world_destroy(worlds[t]);
        }
    }
}

TEST(what_flows_has_the_same_bits_at_any_thread_count_and_after_a_checkpoint) {
    compare((const kind[]){CLAY, SAND, WAX}, 3);
}

TEST(what_breaks_has_the_same_bits_at_any_thread_count_and_after_a_checkpoint) {
    compare((const kind[]){GLASS, CLOTH, METAL}, 3);
}

static double energy_of(const phx_world* world) {
    phx_totals t;
    ENSURE(phx_world_measure((phx_world*)world, &t) == PHX_OK);
    return t.kinetic + t.elastic + t.potential + t.contact;
}

/// What yields gives energy away, in large and in small steps: here a block of sand that spreads.
TEST(sand_gains_no_energy) {
    static const char* const steps[] = {"0.0166667", "1e-3"};
    static const double length[] = {0.0166667, 1e-3};
    for (int n = 0; n < 2; ++n) {
        phx_world_def def = phx_world_def_default();
        phx_world* world = NULL;
        phx_collider_def floor = phx_collider_def_default();
        phx_collider_id collider;
        phx_material_def material = material_of(SAND);
        phx_body_def body = phx_body_def_default();
        phx_body_id id;
        phx_setting step = {"implicit_dt", steps[n]};
        floor.shape = "plane()";
        floor.friction = 0.6;
        body.shape = BLOCK;
        body.spacing = 0.0125;
        body.method = "peridynamics";
        body.settings = &step;
        body.setting_count = 1;
        REQUIRE_OK(phx_world_create(&def, &world));
        REQUIRE_OK(phx_collider_create(world, &floor, &collider));
        REQUIRE_OK(phx_material_create(world, &material, &body.material));
        REQUIRE_OK(phx_body_create(world, &body, &id));
        double start = energy_of(world), last = start, gains = 0;
        for (double time = 0; time < 0.25; time += length[n]) {
            REQUIRE_OK(phx_world_step(world, length[n]));
            double now = energy_of(world);
            gains += fmax(0, now - last);
            last = now;
        }
        ENSURE_NEAR(gains / start, 0, 2e-4);
        ENSURE(last < 0.8 * start);
        phx_world_destroy(world);
    }
}

TEST(memory_is_taken_only_when_lists_grow) {
    phx_world* world = pulled(1, CLAY);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 0.2));
    REQUIRE_OK(phx_world_step(world, 0.1));
    world->def.gravity = phxi_vec3(0, 0, 0);
    int64_t before = world->heap.allocations;
    const phxi_peri_slot* slot = slot_of(world);
    int capacity = slot->bond_capacity + slot->row_capacity + slot->flow->next_capacity;
    REQUIRE_OK(phx_world_step(world, 0.1));
    bool grew = slot->bond_capacity + slot->row_capacity + slot->flow->next_capacity != capacity;
    ENSURE(grew || world->heap.allocations == before);
    phx_world_destroy(world);
}

static double distance_of(phx_world* world, int i, int j) {
    phxi_bond_view bonds = phxi_world_bonds(world, 0);
    return phxi_bond_distance(&bonds, &world->particles, 0, i, j);
}

TEST(what_has_broken_touches) {
    phx_world* world = pulled(1, GLASS);
    REQUIRE(world);
    ENSURE(phxi_world_bonds(world, 0).version == 0);
    const phxi_peri_slot* slot = slot_of(world);
    int i = 0, j = slot->other[slot->start[0]];
    ENSURE(distance_of(world, i, j) == 0);
    REQUIRE_OK(phx_world_step(world, 0.25));
    ENSURE(slot->breaking->broken > 0);
    ENSURE(phxi_world_bonds(world, 0).version != 0);
    phx_real damage[512];
    REQUIRE(world->particles.count <= 512);
    REQUIRE_OK(phx_world_field(world, "damage", damage));
    double most = 0;
    for (int n = 0; n < world->particles.count; ++n) {
        most = fmax(most, (double)damage[n]);
    }
    ENSURE(most > 0 && most <= 1);
    phx_world_destroy(world);
}

/// Clay is one body again where it meets itself.
TEST(what_flows_does_not_touch_itself) {
    phx_world* world = pulled(1, CLAY);
    REQUIRE(world);
    int last = world->particles.count - 1;
    ENSURE(distance_of(world, 0, last) == 0);
    phx_world_destroy(world);
}

TEST(damaged_bonds_are_refused) {
    phx_world* world = pulled(1, CLAY);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 0.05));
    size_t size;
    ENSURE(phxi_world_packed_size(world, 0, &size));
    uint8_t* bytes = phxi_alloc(&world->heap, size, 1, "test");
    phxi_world_pack(world, 0, bytes);
    uint64_t hash = phx_world_hash(world);
    ENSURE(phxi_world_unpack(world, 0, bytes, size - 1) == PHX_ERROR_FORMAT);
    ENSURE(phxi_world_unpack(world, 0, bytes, 4) == PHX_ERROR_FORMAT);
    static const size_t places[] = {0, 4, 24, 28, 200};
    for (size_t k = 0; k < sizeof places / sizeof places[0]; ++k) {
        bytes[places[k]] ^= 0x55;
        ENSURE(phxi_world_unpack(world, 0, bytes, size) == PHX_ERROR_FORMAT);
        bytes[places[k]] ^= 0x55;
    }
    ENSURE(phx_world_hash(world) == hash);
    ENSURE(phxi_world_unpack(world, 0, bytes, size) == PHX_OK);
    ENSURE(phx_world_hash(world) == hash);
    phxi_free(&world->heap, bytes);
    phx_world_destroy(world);
}

TEST(what_cannot_flow_or_break_is_refused) {
    static const struct {
        const char* shape;
        phx_setting setting;
        const char* says;
        double strength; // Pa; 0: it yields instead
    } bad[] = {{BLOCK, {"integrator", "bdf2"}, "the material yields and integrator is bdf2, expected projective", 0},
               {BLOCK, {"model", "bond"}, "the material yields and model is bond, expected state", 0},
               {SHEET, {"start", "rest"}, "one layer of particles", 0},
               {BLOCK, {"start", "mirrored"}, "start is mirrored, expected rest: the material yields", 0},
               {BLOCK, {"start", "flat"}, "start is flat, expected rest or breaks: false", 1e5}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        phx_world_def def = phx_world_def_default();
        phx_world* world = NULL;
        REQUIRE_OK(phx_world_create(&def, &world));
        phx_material_def material = material_of(CLAY);
        material.strength = bad[k].strength;
        material.yield = bad[k].strength > 0 ? 0 : material.yield;
        phx_body_def body = phx_body_def_default();
        phx_body_id id;
        body.shape = bad[k].shape, body.spacing = 0.02, body.method = "peridynamics";
        body.settings = &bad[k].setting, body.setting_count = 1;
        REQUIRE_OK(phx_material_create(world, &material, &body.material));
        ENSURE(phx_body_create(world, &body, &id) == PHX_ERROR_ARGUMENT);
        ENSURE(strstr(phx_error_message(), bad[k].says));
        ENSURE(world->bodies.count == 0 && world->particles.count == 0);
        phx_world_destroy(world);
    }
}
