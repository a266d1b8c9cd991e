// SPDX-License-Identifier: MIT
// The step: exact free fall, conservation, substeps and their reasons, blow-ups, allocation.
#include "support/points.h"

static phx_world* cube(phx_world_def def, const char* spring) {
    phx_material_id material;
    phx_body_id body;
    phx_world* world = phxt_world(&def, &material);
    if (world && !phxt_result(__FILE__, __LINE__, "body",
                              phxt_body(world, "cube", "box(size=(0.4,0.4,0.4))", 0.1, spring, &body), PHX_OK)) {
        phx_world_destroy(world);
        return NULL;
    }
    return world;
}

static phx_world_def quiet(double dt) {
    phx_world_def def = phx_world_def_default();
    def.threads = 2;
    def.dt = dt;
    return def;
}

TEST(free_fall_is_exact) {
    phx_world* world = cube(quiet(1e-3), NULL);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 1));
    ENSURE(phx_world_time(world) == 1 && phx_world_substeps(world) == 1000);
    const phxi_particles* p = &world->particles;
    double tolerance = sizeof(phx_real) == sizeof(float) ? 1e-4 : 1e-11;
    for (int i = 0; i < p->count; ++i) {
        ENSURE_NEAR(p->z[i], p->rest_z[i] - 0.5 * 9.81, tolerance);
        ENSURE_NEAR(p->vz[i], -9.81, tolerance);
        ENSURE(p->x[i] == p->rest_x[i]);
    }
    phx_totals t;
    REQUIRE_OK(phx_world_measure(world, &t));
    ENSURE_NEAR(t.kinetic + t.potential, 0, 1e-4 * t.kinetic);
    phx_world_destroy(world);
}

TEST(momenta_and_energy_are_conserved) {
    phx_world_def def = quiet(0);
    def.gravity = (phx_vec3){0, 0, 0};
    phx_world* world = cube(def, "1e4");
    REQUIRE(world);
    REQUIRE_OK(phx_body_set_velocity(world, phx_world_body_id(world, 0), (phx_vec3){1, 2, 3}, (phx_vec3){0.5, 0, 2}));
    phx_totals a, b;
    REQUIRE_OK(phx_world_measure(world, &a));
    REQUIRE_OK(phx_world_step(world, 0.5));
    REQUIRE_OK(phx_world_measure(world, &b));
    ENSURE(b.elastic > 0);
    ENSURE_NEAR(phxi_distance(a.momentum, b.momentum), 0, 1e-5 * phxi_length(a.momentum));
    ENSURE_NEAR(phxi_distance(a.angular_momentum, b.angular_momentum), 0, 1e-3 * phxi_length(a.angular_momentum));
    ENSURE_NEAR(b.kinetic + b.elastic, a.kinetic, 2e-3 * a.kinetic);
    ENSURE_NEAR(b.mean_position.y, 1, 1e-4);
    phx_world_destroy(world);
}

TEST(substep_has_a_reason) {
    phx_dt_info info;
    phx_world* world = cube(quiet(0), NULL);
    REQUIRE(world);
    REQUIRE_OK(phx_world_dt(world, &info));
    ENSURE(isinf(info.stable) && strcmp(info.reason, "limited by nothing") == 0);
    phx_world_destroy(world);

    world = cube(quiet(0), "100");
    REQUIRE(world);
    REQUIRE_OK(phx_world_dt(world, &info));
    ENSURE_NEAR(info.stable, 0.1, 1e-6);
    ENSURE_NEAR(info.dt, 0.09, 1e-6);
    ENSURE(strcmp(info.reason, "limited by springs of body 'cube'") == 0);
    REQUIRE_OK(phx_world_step(world, 0.45));
    ENSURE(phx_world_substeps(world) == 5); // equal ones, no more than needed

    // a soft collider does not matter, a stiff one does: 1 / sqrt(k / m)
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id id;
    floor.shape = "plane(point=(0,0,-9))";
    floor.stiffness = 50;
    REQUIRE_OK(phx_collider_create(world, &floor, &id));
    REQUIRE_OK(phx_world_dt(world, &info));
    ENSURE_NEAR(info.stable, 0.1, 1e-6);
    floor.name = "floor";
    floor.stiffness = 1e6;
    REQUIRE_OK(phx_collider_create(world, &floor, &id));
    REQUIRE_OK(phx_world_dt(world, &info));
    ENSURE_NEAR(info.stable, 1e-3, 1e-6);
    ENSURE(strcmp(info.reason, "limited by contact stiffness of collider 'floor' on body 'cube'") == 0);
    phx_world_destroy(world);
}

static double shrinking_dt(void* state, phxi_step* step, char reason[160]) {
    (void)state;
    snprintf(reason, 160, "the clock");
    return step->time < 0.5 ? 0.1 : 0.01;
}

TEST(substeps_shrink_within_a_step) {
    phxi_method method = phxt_points;
    method.stable_dt = shrinking_dt;
    phx_world_def def = quiet(0);
    phx_world* world = NULL;
    phx_material_id material;
    phx_material_def stuff = phx_material_def_default();
    phx_body_id body;
    def.safety = 1;
    REQUIRE_OK(phx_world_create(&def, &world));
    REQUIRE_OK(phxi_world_add_solver(world, &method));
    REQUIRE_OK(phx_material_create(world, &stuff, &material));
    REQUIRE_OK(phxt_body(world, "cube", "box(size=(0.2,0.2,0.2))", 0.1, NULL, &body));
    REQUIRE_OK(phx_world_step(world, 1));
    ENSURE(phx_world_time(world) == 1);
    ENSURE(phx_world_substeps(world) == 8 + 20); // asked again at 0.8 s
    double tolerance = sizeof(phx_real) == sizeof(float) ? 1e-5 : 1e-12;
    ENSURE_NEAR(world->particles.z[0] - world->particles.rest_z[0], -0.5 * 9.81, tolerance);
    phx_world_destroy(world);
}

TEST(too_large_a_fixed_substep_is_refused) {
    phx_world* world = cube(quiet(0.2), "100");
    REQUIRE(world);
    phx_dt_info info;
    uint64_t hash = phx_world_hash(world);
    ENSURE_RESULT(phx_world_step(world, 1), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("dt is 0.2 s, expected at most the stable substep of 0.1 s (limited by springs of body 'cube')");
    ENSURE_RESULT(phx_world_dt(world, &info), PHX_ERROR_ARGUMENT);
    ENSURE_NEAR(info.stable, 0.1, 1e-6);
    ENSURE(phx_world_hash(world) == hash);
    phx_world_destroy(world);

    phx_world_def forced = quiet(0.2);
    forced.force_dt = true;
    world = cube(forced, "100");
    REQUIRE(world);
    ENSURE_OK(phx_world_step(world, 1));
    ENSURE(phx_world_substeps(world) == 5);
    phx_world_destroy(world);
}

TEST(bad_durations) {
    phx_world* world = cube(quiet(1e-3), NULL);
    REQUIRE(world);
    ENSURE_RESULT(phx_world_step(world, -1), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_world_step(world, NAN), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_world_step(world, INFINITY), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_world_step(world, 1e300), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_world_substep(world, 0), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_world_substep(world, NAN), PHX_ERROR_ARGUMENT);
    ENSURE_OK(phx_world_step(world, 0));
    ENSURE(phx_world_time(world) == 0 && phx_world_substeps(world) == 0);
    ENSURE_OK(phx_world_step(world, 1));
    ENSURE_RESULT(phx_world_step(world, 1e-30), PHX_ERROR_ARGUMENT); // the clock cannot show it
    ENSURE(phx_world_time(world) == 1);
    phx_world_destroy(world);
}

TEST(a_blow_up_stops_cleanly) {
    phx_world_def def = quiet(1);
    def.force_dt = true;
    phx_world* world = cube(def, "1e4");
    REQUIRE(world);
    REQUIRE_OK(phx_body_set_velocity(world, phx_world_body_id(world, 0), (phx_vec3){0, 0, 0}, (phx_vec3){1, 0, 0}));
    uint64_t hash = phx_world_hash(world);
    ENSURE_RESULT(phx_world_step(world, 1), PHX_ERROR_UNSTABLE);
    ENSURE_MESSAGE("energy from nowhere: ");
    ENSURE_MESSAGE("body 'cube' (points) has ");
    // the world is what it was before the call, and readable
    ENSURE(phx_world_hash(world) == hash && phx_world_time(world) == 0 && phx_world_substeps(world) == 0);
    world->energy.blind = world->energy.known = true; // what the guard would not see
    ENSURE_RESULT(phx_world_step(world, 1000), PHX_ERROR_UNSTABLE);
    ENSURE_MESSAGE("of body 'cube' (points) is not finite after stage 'springs', at t = ");
    ENSURE(phx_world_hash(world) == hash && phx_world_time(world) == 0 && phx_world_substeps(world) == 0);
    phx_totals t;
    ENSURE_OK(phx_world_measure(world, &t));
    ENSURE(isfinite(t.kinetic) && isfinite(t.elastic));
    ENSURE_RESULT(phx_world_step(world, 1000), PHX_ERROR_UNSTABLE);
    ENSURE(phx_world_hash(world) == hash);
    phx_world_destroy(world);
}

static phx_world* busy(int threads, const phx_allocator* allocator) {
    phx_world_def def = quiet(0);
    phx_material_id material;
    phx_body_id body;
    def.threads = threads;
    if (allocator) {
        def.allocator = *allocator;
    }
    phx_world* world = phxt_world(&def, &material);
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id collider;
    phx_driver_def twist = phx_driver_def_default(), push = twist;
    phx_driver_id driver;
    phx_probe_def probe = phx_probe_def_default();
    phx_probe_id probe_id;
    twist.kind = PHX_DRIVER_TWIST;
    twist.region = "plane(point=(0,0,0.95), normal=(0,0,-1))";
    twist.angle = 45;
    twist.ramp = 0.05;
    twist.start = 0.01;
    push.kind = PHX_DRIVER_FORCE;
    push.vector = (phx_vec3){100, 0, 0};
    push.end = 0.03;
    floor.shape = "plane(point=(0,0,-0.9))";
    bool good = world && phxt_body(world, "a", "box(size=(2,2,2))", 0.1, "2e4", &body) == PHX_OK &&
                phxt_body(world, "b", "sphere(center=(3,0,0), radius=0.8)", 0.1, "1e4", &body) == PHX_OK &&
                phx_collider_create(world, &floor, &collider) == PHX_OK &&
                phx_driver_create(world, &twist, &driver) == PHX_OK &&
                phx_driver_create(world, &push, &driver) == PHX_OK &&
                phx_probe_create(world, &probe, &probe_id) == PHX_OK;
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "busy world: %s", phx_error_message());
    }
    return world;
}

TEST(steps_allocate_nothing_once_warm) {
    phxt_heap heap;
    phxt_heap_init(&heap, -1);
    phx_world* world = busy(2, &heap.allocator);
    REQUIRE(world);
    phx_totals t;
    REQUIRE_OK(phx_world_step(world, 0.02));
    REQUIRE_OK(phx_world_measure(world, &t));
    int64_t before = heap.allocations;
    ENSURE(phx_world_allocations(world) == before);
    for (int i = 0; i < 5; ++i) {
        REQUIRE_OK(phx_world_step(world, 0.02));
        REQUIRE_OK(phx_world_measure(world, &t));
        REQUIRE_OK(phx_probe_measure(world, phx_world_probe_id(world, 0), &t));
    }
    ENSURE(heap.allocations == before);
    phx_world_destroy(world);
    ENSURE(heap.live == 0);
}

TEST(same_bits_at_any_thread_count) {
    static const int threads[] = {1, 2, 3, 8};
    uint64_t hashes[4];
    phx_totals totals[4];
    for (int k = 0; k < 4; ++k) {
        phx_world* world = busy(threads[k], NULL);
        REQUIRE(world);
        for (int i = 0; i < 100; ++i) {
            REQUIRE_OK(phx_world_substep(world, 1e-3));
        }
        hashes[k] = phx_world_hash(world);
        REQUIRE_OK(phx_world_measure(world, &totals[k]));
        ENSURE(hashes[k] == hashes[0]);
        ENSURE(totals[k].kinetic == totals[0].kinetic && totals[k].external_work == totals[0].external_work);
        ENSURE(totals[k].contact > 0 && totals[k].external_work != 0);
        phx_world_destroy(world);
    }
}

TEST(out_of_memory_in_a_step_goes_back) {
    for (int64_t n = 0; n < 50; ++n) {
        phxt_heap heap;
        phxt_heap_init(&heap, -1);
        phx_world* world = busy(1, &heap.allocator);
        REQUIRE(world);
        uint64_t hash = phx_world_hash(world);
        heap.fail_at = heap.allocations + n;
        phx_result result = phx_world_step(world, 0.01);
        heap.fail_at = -1;
        if (result == PHX_OK) {
            ENSURE(n > 0);
            n = 50;
        } else {
            ENSURE_RESULT(result, PHX_ERROR_MEMORY);
            ENSURE(phx_world_hash(world) == hash);
        }
        phx_world_destroy(world);
        ENSURE(heap.live == 0);
    }
}
