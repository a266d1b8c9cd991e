// SPDX-License-Identifier: MIT
// Bodies with implicit steps that touch each other in worlds: momenta, threads, restart, memory, walls, who is solved
// with whom.
#include "methods/efg/efg_internal.h"
#include "support/test.h"
#include "world/world.h"

#include <phyxel/io.h>

typedef struct block {
    const char *name, *shape, *method;
    double young;
    phx_vec3 velocity;
} block;

static phx_result add_block(phx_world* world, const block* b) {
    phx_material_def material = phx_material_def_default();
    material.young = b->young;
    material.density = 2000;
    phx_material_id id;
    PHXI_TRY(phx_material_create(world, &material, &id));
    phx_setting setting = {"integrator", "bdf2"};
    phx_body_def def = phx_body_def_default();
    def.name = b->name;
    def.shape = b->shape;
    def.method = b->method ? b->method : "efg";
    def.spacing = 0.025;
    def.material = id;
    def.velocity = b->velocity;
    def.friction = 0.4;
    def.settings = &setting;
    def.setting_count = b->method ? 0 : 1;
    phx_body_id body;
    return phx_body_create(world, &def, &body);
}

static phx_world* make(int threads, phx_vec3 gravity, const block* blocks, int count) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    def.threads = threads;
    def.gravity = gravity;
    ENSURE_OK(phx_world_create(&def, &world));
    for (int k = 0; world && k < count; ++k) {
        ENSURE_OK(add_block(world, &blocks[k]));
    }
    return world;
}

static const block oblique[2] = {
    {"left", "box(center=(-0.06,0,0), size=(0.1,0.08,0.1))", NULL, 2e11, {1, 0.4, 0}},
    {"right", "box(center=(0.05,0.033,0.02), size=(0.1,0.1,0.08), round=0.02)", NULL, 1e6, {-1, 0, 0.3}},
};

static phx_result advance(phx_world* world, int count) {
    for (int k = 0; k < count; ++k) {
        PHXI_TRY(phx_world_substep(world, 1.0 / 60));
    }
    return PHX_OK;
}

TEST(momenta_through_a_frictional_collision) {
    phx_world* world = make(1, (phx_vec3){0, 0, 0}, oblique, 2);
    phx_totals before, after = {0};
    ENSURE_OK(phx_world_measure(world, &before));
    double small = sizeof(phx_real) == sizeof(float) ? 1e-6 : 1e-13, energy = before.kinetic;
    for (int k = 0; k < 20; ++k) {
        REQUIRE_OK(advance(world, 1));
        ENSURE_OK(phx_world_measure(world, &after));
        ENSURE_NEAR(phxi_distance(after.momentum, before.momentum), 0, small);
        ENSURE_NEAR(phxi_distance(after.angular_momentum, before.angular_momentum), 0, small);
        ENSURE(after.kinetic + after.elastic < 1.001 * before.kinetic);
        energy = fmin(energy, after.kinetic + after.elastic);
    }
    ENSURE(energy < 0.95 * before.kinetic); // they have met
    phx_world_destroy(world);
}

TEST(same_bits_at_any_thread_count) {
    const int threads[4] = {1, 2, 3, 8};
    uint64_t first = 0;
    for (int k = 0; k < 4; ++k) {
        phx_world* world = make(threads[k], (phx_vec3){0, 0, -9.81}, oblique, 2);
        REQUIRE_OK(advance(world, 4));
        uint64_t hash = phx_world_hash(world);
        first = k == 0 ? hash : first;
        ENSURE(hash == first);
        phx_world_destroy(world);
    }
}

TEST(restart_goes_on_with_the_same_bits) {
    phx_world* a = make(1, (phx_vec3){0, 0, 0}, oblique, 2);
    phx_world* b = make(1, (phx_vec3){0, 0, 0}, oblique, 2);
    REQUIRE_OK(advance(a, 2));
    REQUIRE_OK(phx_checkpoint_save(a, phxt_path("half.phx")));
    REQUIRE_OK(advance(a, 3));
    REQUIRE_OK(phx_checkpoint_load(b, phxt_path("half.phx")));
    REQUIRE_OK(advance(b, 3));
    ENSURE(phx_world_hash(a) == phx_world_hash(b));
    phx_world_destroy(a);
    phx_world_destroy(b);
}

TEST(allocates_nothing_after_warm_up) {
    const block stack[2] = {{"below", "box(center=(0,0,0), size=(0.1,0.1,0.1))", "wall", 1e9, {0, 0, 0}},
                            {"above", "box(center=(0,0,0.1), size=(0.1,0.1,0.1))", NULL, 2e11, {0, 0, 0}}};
    phx_world* world = make(1, (phx_vec3){0, 0, -9.81}, stack, 2);
    REQUIRE_OK(advance(world, 10));
    int64_t before = phx_world_allocations(world);
    REQUIRE_OK(advance(world, 10));
    ENSURE(phx_world_allocations(world) == before);
    phx_world_destroy(world);
}

// What moves by drivers alone carries bodies with implicit steps.
TEST(a_wall_carries) {
    const block stack[3] = {{"below", "box(center=(0,0,0), size=(0.3,0.3,0.1))", "wall", 1e9, {0, 0, 0}},
                            {"middle", "box(center=(0,0,0.1), size=(0.1,0.1,0.1))", NULL, 1e7, {0, 0, 0}},
                            {"above", "box(center=(0.01,0,0.2), size=(0.1,0.1,0.1))", NULL, 2e11, {0, 0, 0}}};
    phx_world* world = make(1, (phx_vec3){0, 0, -9.81}, stack, 3);
    REQUIRE_OK(advance(world, 120));
    const phxi_particles* p = &world->particles;
    double lowest[3] = {INFINITY, INFINITY, INFINITY}, speed = 0;
    for (int i = 0; i < p->count; ++i) {
        lowest[p->body[i]] = fmin(lowest[p->body[i]], (double)p->z[i]);
        speed = fmax(speed, fabs((double)p->vz[i]));
    }
    ENSURE_NEAR(lowest[1], 0.05, 0.001);
    ENSURE_NEAR(lowest[2], 0.15, 0.001);
    ENSURE_NEAR(speed, 0, 1e-3);
    phx_world_destroy(world);
}

static phx_result collide_within(phxt_heap* heap, int64_t* made) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    def.threads = 1;
    def.allocator = heap->allocator;
    phx_result result = phx_world_create(&def, &world);
    const block near[2] = {{"a", "box(center=(0,0,0), size=(0.05,0.05,0.05))", NULL, 1e9, {0, 0, 0}},
                           {"b", "box(center=(0.048,0.01,0), size=(0.05,0.05,0.05))", NULL, 1e9, {0, 0, 0}}};
    for (int k = 0; k < 2 && result == PHX_OK; ++k) {
        result = add_block(world, &near[k]);
    }
    *made = heap->allocations; // what comes before is tested elsewhere
    if (result == PHX_OK) {
        result = phx_world_substep(world, 1.0 / 60);
    }
    phx_world_destroy(world);
    return result;
}

TEST(every_failing_allocation) {
    phxt_heap heap;
    phxt_heap_init(&heap, -1);
    int64_t made;
    REQUIRE_OK(collide_within(&heap, &made));
    int64_t count = heap.allocations, first = made;
    ENSURE(count > first);
    ENSURE(heap.live == 0);
    int survived = 0; // scratch that could not be merged into one piece is no failure
    for (int64_t n = first; n < count; ++n) {
        phxt_heap_init(&heap, n);
        phx_result result = collide_within(&heap, &made);
        survived += result == PHX_OK;
        ENSURE(result == PHX_OK || result == PHX_ERROR_MEMORY);
        ENSURE(heap.live == 0);
    }
    ENSURE(survived <= 1);
}

// ------------------------------------------------------------------------------------------------------ energy and way

/// A step of 1/60 s goes farther than the bar is thick.
TEST(a_thin_bar_is_not_jumped_over) {
    static const block plates[2] = {
        {"plate", "box(center=(0,0,0.3), size=(0.2,0.2,0.05))", NULL, 1e6, {0, 0, -6}},
        {"plate", "box(center=(0,0,0.3), size=(0.2,0.2,0.05))", "peridynamics", 1e6, {0, 0, -6}}};
    for (int k = 0; k < 2; ++k) {
        phx_world* world = make(1, (phx_vec3){0, 0, 0}, &plates[k], 1);
        phx_collider_def bar = phx_collider_def_default();
        bar.shape = "cylinder(from=(0,-1,0), to=(0,1,0), radius=0.02)";
        phx_collider_id id;
        phx_totals totals = {0};
        REQUIRE_OK(phx_collider_create(world, &bar, &id));
        REQUIRE_OK(phx_world_step(world, 0.1));
        ENSURE_OK(phx_world_measure(world, &totals));
        ENSURE(totals.mean_position.z > 0); // -0.3 without the bar
        phx_world_destroy(world);
    }
}

/// Steel that a driver drags along by one end: the solve must carry all of it along (14 kJ of stress before), and what
/// the driver did is what moves.
TEST(stiff_bodies_follow_their_drivers) {
    static const block steel = {"steel", "box(size=(0.15,0.1,0.1))", NULL, 2e11, {0, 0, 0}};
    phx_world* world = make(1, (phx_vec3){0, 0, 0}, &steel, 1);
    phx_driver_def move = phx_driver_def_default();
    move.kind = PHX_DRIVER_MOVE;
    move.region = "box(center=(-0.05,0,0), size=(0.06,1,1))";
    move.vector = (phx_vec3){0.02, -0.08, 0.01};
    move.ramp = 0.06;
    phx_driver_id id;
    REQUIRE_OK(phx_driver_create(world, &move, &id));
    double work = 0;
    for (int k = 0; k < 100; ++k) {
        phx_totals totals;
        REQUIRE_OK(phx_world_substep(world, 2e-4));
        ENSURE_OK(phx_world_measure(world, &totals));
        ENSURE(totals.elastic <= 1e-3 * totals.kinetic + 1e-5);
        work = world->drivers.items[0].work;
        ENSURE_NEAR(work, totals.kinetic, 0.02 * totals.kinetic + 2e-3);
    }
    ENSURE(work > 0.1);
    phx_world_destroy(world);
}

/// Soft bodies that collide in short steps leave with no more than they came with (more than twice that before).
TEST(short_steps_make_no_energy) {
    static const block balls[2] = {
        {"left", "sphere(center=(-0.065,0.01,0), radius=0.0625)", "peridynamics", 2e6, {1, 0, 0}},
        {"right", "sphere(center=(0.065,0,0), radius=0.0625)", "peridynamics", 2e6, {-1, 0, 0}},
    };
    phx_world* world = make(1, (phx_vec3){0, 0, 0}, balls, 2);
    phx_totals before, after = {0};
    ENSURE_OK(phx_world_measure(world, &before));
    double least = before.kinetic;
    for (int k = 0; k < 1000; ++k) {
        REQUIRE_OK(phx_world_substep(world, 2e-5));
        ENSURE_OK(phx_world_measure(world, &after));
        ENSURE(after.kinetic + after.elastic < 1.05 * before.kinetic);
        least = fmin(least, after.kinetic);
    }
    ENSURE(least < 0.9 * before.kinetic); // they have met
    phx_world_destroy(world);
}
