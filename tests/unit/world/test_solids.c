// SPDX-License-Identifier: MIT
// The world with a real method: contact, drivers, totals, restarts and threads of elastic bodies.
#include "support/test.h"
#include "world/world.h"

typedef struct scene {
    phx_world_def world;
    phx_material_def material;
    phx_body_def body;
    phx_collider_def floor;
    bool has_floor;
} scene;

// A jelly cube of 0.1 m, 8 particles wide, resting 0.01 m above a floor at z = 0.
static scene jelly(void) {
    scene s = {phx_world_def_default(), phx_material_def_default(), phx_body_def_default(), phx_collider_def_default(),
               true};
    s.world.threads = 1;
    s.body.name = "jelly";
    s.body.shape = "box(center=(0, 0, 0.06), size=(0.1, 0.1, 0.1))";
    s.body.spacing = 0.0125;
    return s;
}

static phx_world* build(scene s) {
    phx_world* world = NULL;
    phx_body_id body;
    phx_collider_id collider;
    phx_result result = phx_world_create(&s.world, &world);
    if (result == PHX_OK) {
        result = phx_material_create(world, &s.material, &s.body.material);
    }
    if (result == PHX_OK) {
        result = phx_body_create(world, &s.body, &body);
    }
    if (result == PHX_OK && s.has_floor) {
        result = phx_collider_create(world, &s.floor, &collider);
    }
    if (!phxt_result(__FILE__, __LINE__, "build", result, PHX_OK)) {
        phx_world_destroy(world);
        return NULL;
    }
    return world;
}

static double energy(const phx_world* world) {
    phx_totals t;
    ENSURE_OK(phx_world_measure(world, &t));
    return t.kinetic + t.elastic + t.potential + t.contact - t.external_work;
}

TEST(free_flight_is_exact) {
    scene s = jelly();
    s.has_floor = false;
    s.body.velocity = (phx_vec3){1, 0, 2};
    s.body.angular_velocity = (phx_vec3){0, 3, 0};
    phx_world* world = build(s);
    REQUIRE(world);
    phx_totals a, b;
    REQUIRE_OK(phx_world_measure(world, &a));
    REQUIRE_OK(phx_world_step(world, 0.2));
    REQUIRE_OK(phx_world_measure(world, &b));
    ENSURE_NEAR(b.mean_position.x - a.mean_position.x, 0.2, 1e-6);
    ENSURE_NEAR(b.mean_position.z - a.mean_position.z, 0.4 - 0.5 * 9.81 * 0.04, 1e-6);
    ENSURE_NEAR(b.momentum.z, a.momentum.z - a.mass * 9.81 * 0.2, 1e-4 * a.mass);
    ENSURE_NEAR(b.force.z, -9.81 * a.mass, 1e-3 * a.mass);
    ENSURE(b.elastic < 1e-3 * b.kinetic);
    phx_world_destroy(world);
}

TEST(a_dropped_cube_keeps_its_energy) {
    scene s = jelly();
    s.floor.damping = 0;
    s.floor.friction = 0;
    s.world.safety = 0.7; // contact limits the substep; at 0.9 three bounces gain 1.1 %
    phx_world* world = build(s);
    REQUIRE(world);
    double before = energy(world), scale = 9.81 * 0.06; // J: 1 kg falling from its middle's height
    phx_totals t;
    double highest_contact = 0;
    for (int frame = 0; frame < 30; ++frame) {
        REQUIRE_OK(phx_world_step(world, 0.01));
        REQUIRE_OK(phx_world_measure(world, &t));
        highest_contact = fmax(highest_contact, t.contact);
        ENSURE_NEAR(energy(world), before, 0.01 * scale);
    }
    ENSURE(highest_contact > 0.01 * scale);
    phx_world_destroy(world);
}

TEST(a_block_at_rest_weighs_on_the_floor) {
    scene s = jelly();
    s.material.damping = 50;
    s.floor.damping = 1;
    phx_world* world = build(s);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 1));
    phx_totals t;
    REQUIRE_OK(phx_world_measure(world, &t));
    ENSURE_NEAR(t.force.z, 0, 0.02 * 9.81 * t.mass); // floor against gravity
    ENSURE(t.kinetic < 1e-5 && t.max_stress > 0 && t.min_det < 1 && t.min_det > 0.9);
    phx_world_destroy(world);
}

TEST(a_hanging_bar_pulls_with_its_weight) {
    scene s = jelly();
    s.has_floor = false;
    s.material.damping = 40;
    phx_world* world = build(s);
    REQUIRE(world);
    phx_driver_def pin = phx_driver_def_default();
    phx_driver_id id;
    pin.region = "plane(point=(0,0,0.1), normal=(0,0,-1))"; // the topmost layer
    REQUIRE_OK(phx_driver_create(world, &pin, &id));
    REQUIRE_OK(phx_world_step(world, 1));
    phx_totals t;
    REQUIRE_OK(phx_world_measure(world, &t));
    ENSURE_NEAR(t.reaction.z, 9.81 * t.mass, 1e-3 * 9.81 * t.mass);
    ENSURE_NEAR(t.reaction.x, 0, 1e-3);
    ENSURE_NEAR(t.external_work, 0, 1e-9);
    ENSURE(t.elastic > 0);
    phx_world_destroy(world);
}

TEST(work_of_drivers_is_stored_or_moving) {
    scene s = jelly();
    s.has_floor = false;
    s.world.gravity = (phx_vec3){0, 0, 0};
    phx_world* world = build(s);
    REQUIRE(world);
    phx_driver_def pin = phx_driver_def_default(), twist = pin, push = pin;
    phx_driver_id id;
    pin.region = "plane(point=(0,0,0.02))";
    twist.kind = PHX_DRIVER_TWIST;
    twist.region = "plane(point=(0,0,0.1), normal=(0,0,-1))";
    twist.angle = 40;
    twist.ramp = 0.2;
    push.kind = PHX_DRIVER_FORCE;
    push.vector = (phx_vec3){2, 0, 0};
    push.ramp = 0.1;
    push.region = "plane(point=(0,0,0.05))";
    REQUIRE_OK(phx_driver_create(world, &pin, &id));
    REQUIRE_OK(phx_driver_create(world, &twist, &id));
    REQUIRE_OK(phx_driver_create(world, &push, &id));
    REQUIRE_OK(phx_world_step(world, 0.3));
    phx_totals t;
    REQUIRE_OK(phx_world_measure(world, &t));
    ENSURE(t.external_work > 0.05);
    ENSURE_NEAR(t.elastic + t.kinetic, t.external_work, 0.01 * t.external_work);
    phx_world_destroy(world);
}

// Distance slid by the middle in 0.5 s on a slope (gravity tilted by theta), friction 0.5.
static double slide(double theta) {
    scene s = jelly();
    s.body.shape = "box(center=(0, 0, 0.0249), size=(0.1, 0.1, 0.05))"; // about where floor and weight balance
    s.world.gravity = (phx_vec3){9.81 * sin(theta), 0, -9.81 * cos(theta)};
    s.material.damping = 20;
    s.floor.damping = 0.5;
    s.floor.friction = 0.5;
    phx_world* world = build(s);
    if (!world) {
        return NAN;
    }
    phx_totals a, b;
    ENSURE_OK(phx_world_measure(world, &a));
    ENSURE_OK(phx_world_step(world, 0.5));
    ENSURE_OK(phx_world_measure(world, &b));
    phx_world_destroy(world);
    return b.mean_position.x - a.mean_position.x;
}

TEST(blocks_slide_above_the_angle_of_friction_and_stick_below) {
    double limit = atan(0.5), above = limit + 0.2, below = limit - 0.2;
    double free_way = 0.5 * 9.81 * 0.25;
    ENSURE_NEAR(slide(above), free_way * (sin(above) - 0.5 * cos(above)), 0.02 * free_way);
    ENSURE_NEAR(slide(below), 0, 5e-4); // it leans a little, and stays
}

TEST(blow_ups_go_back_to_the_last_good_state) {
    scene s = jelly();
    s.world.dt = 0.01;
    s.world.force_dt = true;
    phx_world* world = build(s);
    REQUIRE(world);
    REQUIRE_OK(phx_body_set_velocity(world, phx_world_body_id(world, 0), (phx_vec3){0, 0, -1}, (phx_vec3){1, 2, 3}));
    uint64_t hash = phx_world_hash(world);
    ENSURE_RESULT(phx_world_step(world, 10), PHX_ERROR_UNSTABLE);
    ENSURE_MESSAGE("of body 'jelly' (efg) is not finite");
    ENSURE(phx_world_hash(world) == hash);
    ENSURE(isfinite(energy(world)));
    phx_world_destroy(world);
}

TEST(too_large_a_fixed_substep_is_refused) {
    scene s = jelly();
    s.world.dt = 0.01;
    phx_world* world = build(s);
    REQUIRE(world);
    ENSURE_RESULT(phx_world_step(world, 0.1), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("dt is 0.01 s, expected at most the stable substep of");
    ENSURE_MESSAGE("body 'jelly'");
    phx_world_destroy(world);
}

static phx_world* busy(int threads, const phx_allocator* allocator) {
    scene s = jelly();
    s.world.threads = threads;
    if (allocator) {
        s.world.allocator = *allocator;
    }
    s.material.damping = 1;
    s.body.angular_velocity = (phx_vec3){3, 2, 1};
    phx_world* world = build(s);
    phx_driver_def twist = phx_driver_def_default();
    phx_driver_id id;
    twist.kind = PHX_DRIVER_TWIST;
    twist.region = "plane(point=(0,0,0.1), normal=(0,0,-1))";
    twist.angle = 30;
    twist.ramp = 0.1;
    ENSURE_OK(phx_driver_create(world, &twist, &id));
    return world;
}

TEST(same_bits_at_any_thread_count) {
    static const int threads[] = {1, 2, 3, 8};
    uint64_t first = 0;
    for (int k = 0; k < 4; ++k) {
        phx_world* world = busy(threads[k], NULL);
        REQUIRE(world);
        phx_dt_info info;
        REQUIRE_OK(phx_world_dt(world, &info));
        for (int i = 0; i < 500; ++i) {
            REQUIRE_OK(phx_world_substep(world, 0.9 * info.dt));
        }
        uint64_t hash = phx_world_hash(world);
        first = k == 0 ? hash : first;
        ENSURE(hash == first);
        phx_world_destroy(world);
    }
}

TEST(steps_allocate_nothing_once_warm) {
    phxt_heap heap;
    phxt_heap_init(&heap, -1);
    phx_world* world = busy(2, &heap.allocator);
    REQUIRE(world);
    phx_totals t;
    REQUIRE_OK(phx_world_step(world, 0.01));
    REQUIRE_OK(phx_world_measure(world, &t));
    int64_t before = heap.allocations;
    for (int i = 0; i < 5; ++i) {
        REQUIRE_OK(phx_world_step(world, 0.01));
        REQUIRE_OK(phx_world_measure(world, &t));
    }
    ENSURE(heap.allocations == before);
    phx_world_destroy(world);
    ENSURE(heap.live == 0);
}

// Copies the state of one world to a twin: what a checkpoint does.
static void copy_state(phx_world* from, phx_world* to) {
    for (int f = 0; f < from->particles.field_count; ++f) {
        const phxi_field* field = &from->particles.fields[f];
        if (field->def.saved) {
            size_t size = phxi_field_size(field->def.type) * (size_t)from->particles.count;
            memcpy(to->particles.fields[f].data, field->data, size);
        }
    }
    phxi_state_item source, target;
    for (int i = 0; phxi_world_state_item(from, i, &source); ++i) {
        REQUIRE(phxi_world_state_item(to, i, &target) && target.size == source.size);
        memcpy(target.data, source.data, source.size);
    }
    ENSURE_OK(phxi_world_restored(to));
}

TEST(a_copied_state_goes_on_with_the_same_bits) {
    phx_world *a = busy(1, NULL), *b = busy(2, NULL);
    REQUIRE(a && b);
    ENSURE(phxi_world_plan(a) == phxi_world_plan(b));
    REQUIRE_OK(phx_world_step(a, 0.06));
    copy_state(a, b);
    ENSURE(phx_world_hash(a) == phx_world_hash(b));
    for (int frame = 0; frame < 3; ++frame) {
        REQUIRE_OK(phx_world_step(a, 0.02));
        REQUIRE_OK(phx_world_step(b, 0.02));
        ENSURE(phx_world_hash(a) == phx_world_hash(b));
    }
    phx_world_destroy(a);
    phx_world_destroy(b);
}

TEST(every_failing_allocation_leaves_the_world_unchanged) {
    static const double positions[12] = {0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1};
    static const int triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    phx_mesh* mesh = NULL;
    REQUIRE_OK(phx_mesh_create(4, positions, 4, triangles, &mesh));
    int64_t needed = -1;
    for (int64_t n = 0; needed < 0; ++n) {
        phxt_heap heap;
        phxt_heap_init(&heap, -1);
        scene s = jelly();
        s.world.threads = 1;
        s.world.allocator = heap.allocator;
        s.body.shape = NULL;
        s.body.mesh = mesh;
        s.body.spacing = 0.02;
        phx_body_id body;
        phx_world* world = NULL;
        REQUIRE_OK(phx_world_create(&s.world, &world));
        REQUIRE_OK(phx_material_create(world, &s.material, &s.body.material));
        // even n: there is a body of the method already; odd n: the solver is new
        bool second = n % 2 == 0;
        if (second) {
            REQUIRE_OK(phx_body_create(world, &s.body, &body));
        }
        uint64_t hash = phx_world_hash(world), plan = phxi_world_plan(world);
        heap.fail_at = heap.allocations + n / 2;
        s.body.name = "other";
        phx_result result = phx_body_create(world, &s.body, &body);
        heap.fail_at = -1;
        if (result == PHX_OK) {
            needed = second ? -1 : n;
        } else {
            ENSURE_RESULT(result, PHX_ERROR_MEMORY);
            ENSURE(phx_world_hash(world) == hash && phxi_world_plan(world) == plan);
            ENSURE_OK(phx_world_step(world, 1e-3));
            ENSURE_OK(phx_body_create(world, &s.body, &body));
            ENSURE_OK(phx_world_step(world, 1e-3));
        }
        phx_world_destroy(world);
        ENSURE(heap.live == 0);
        REQUIRE(n < 2000);
    }
    ENSURE(needed > 20);
    phx_mesh_destroy(mesh);
}
