// SPDX-License-Identifier: MIT
// Worlds, ids, definitions, tables.
#include "support/points.h"

TEST(create_and_destroy) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    def.threads = 2;
    REQUIRE_OK(phx_world_create(&def, &world));
    ENSURE(phx_world_time(world) == 0 && phx_world_substeps(world) == 0);
    ENSURE(phx_world_threads(world) == 2);
    ENSURE(phx_world_body_count(world) == 0);
    ENSURE(phx_world_body_name(world, 0) == NULL && phx_world_body_method(world, -1) == NULL);
    ENSURE(phx_world_particles(world).count == 0);
    ENSURE_OK(phx_world_step(world, 1)); // an empty world has a clock
    ENSURE(phx_world_time(world) == 1 && phx_world_substeps(world) == 1);
    phx_totals totals;
    ENSURE_OK(phx_world_measure(world, &totals));
    ENSURE(totals.count == 0 && totals.mass == 0 && totals.min_det == 1);
    phx_world_destroy(world);
    phx_world_destroy(NULL);
}

TEST(bad_world_definitions) {
    phx_world* world = (phx_world*)1;
    phx_world_def def = {0};
    ENSURE_RESULT(phx_world_create(&def, &world), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("make it with phx_world_def_default()");
    ENSURE(world == NULL);
    ENSURE_RESULT(phx_world_create(NULL, &world), PHX_ERROR_ARGUMENT);
    def = phx_world_def_default();
    def.gravity.y = NAN;
    ENSURE_RESULT(phx_world_create(&def, &world), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("world: gravity");
    def = phx_world_def_default();
    def.safety = 0;
    ENSURE_RESULT(phx_world_create(&def, &world), PHX_ERROR_ARGUMENT);
    def = phx_world_def_default();
    def.dt = -1;
    ENSURE_RESULT(phx_world_create(&def, &world), PHX_ERROR_ARGUMENT);
    def = phx_world_def_default();
    def.threads = -1;
    ENSURE_RESULT(phx_world_create(&def, &world), PHX_ERROR_ARGUMENT);
}

TEST(creation_fails_without_memory_and_leaks_nothing) {
    for (int n = 0;; ++n) {
        phxt_heap heap;
        phxt_heap_init(&heap, n);
        phx_world_def def = phx_world_def_default();
        def.threads = 3;
        def.allocator = heap.allocator;
        phx_world* world = NULL;
        phx_result result = phx_world_create(&def, &world);
        if (result == PHX_OK) {
            phx_world_destroy(world);
            ENSURE(n > 0 && heap.live == 0);
            break;
        }
        ENSURE_RESULT(result, PHX_ERROR_MEMORY);
        ENSURE(world == NULL && heap.live == 0);
        REQUIRE(n < 100);
    }
}

TEST(defaults_are_what_the_headers_say) {
    phx_world_def world = phx_world_def_default();
    ENSURE(world.gravity.z == -9.81 && world.dt == 0 && world.safety == 0.9 && world.threads == 0 && !world.force_dt);
    phx_body_def body = phx_body_def_default();
    ENSURE(strcmp(body.name, "body") == 0 && !body.method && body.scale == 1 && body.levels == 1);
    ENSURE(body.spacing == 0 && body.mesh == NULL && body.sampling == PHX_SAMPLING_AUTO && body.jitter == 0);
    phx_collider_def collider = phx_collider_def_default();
    ENSURE(collider.friction == 0.3 && collider.damping == 0.1 && strcmp(collider.shape, "plane()") == 0);
    phx_driver_def driver = phx_driver_def_default();
    ENSURE(driver.kind == PHX_DRIVER_PIN && driver.axis.z == 1 && isinf(driver.end) && driver.start == 0);
    ENSURE(driver.body == NULL && driver.region == NULL);
    phx_probe_def probe = phx_probe_def_default();
    ENSURE(strcmp(probe.name, "probe") == 0 && probe.every == 0);
}

static void check_table(const phx_param_table* table, const char* name) {
    ENSURE(strcmp(table->name, name) == 0);
    ENSURE(table->summary[0] && table->count > 0);
    for (int i = 0; i < table->count; ++i) {
        const phx_param* param = &table->params[i];
        ENSURE(param->help && param->help[0] && param->unit && param->offset < table->size);
        for (int k = 0; k < i; ++k) {
            ENSURE(strcmp(param->name, table->params[k].name) != 0);
        }
    }
}

TEST(tables_are_complete) {
    check_table(&phxi_world_table, "world");
    check_table(&phxi_body_table, "body");
    check_table(&phxi_collider_table, "collider");
    check_table(&phxi_driver_table, "driver");
    check_table(&phxi_probe_table, "probe");
    for (int i = 0; i < phx_method_count(); ++i) {
        ENSURE(phx_method_summary(i)[0]);
        check_table(phx_method_params(i), phx_method_name(i));
    }
    ENSURE(phx_method_count() > 0);
    ENSURE(phx_method_name(-1) == NULL && phx_method_name(phx_method_count()) == NULL);
    ENSURE(phx_method_summary(-1) == NULL && phx_method_params(1000) == NULL);
}

TEST(stale_ids_are_refused) {
    phx_world_def def = phx_world_def_default();
    phx_material_id material;
    phx_body_id body = {0, 0}, other;
    phx_totals totals;
    int begin, count;
    phx_world* world = phxt_world(&def, &material);
    REQUIRE(world);
    ENSURE_RESULT(phx_body_range(world, body, &begin, &count), PHX_ERROR_STALE_ID);
    REQUIRE_OK(phxt_body(world, "a", "box(size=(0.2,0.2,0.2))", 0.1, NULL, &body));
    ENSURE_OK(phx_body_range(world, body, &begin, &count));
    ENSURE(begin == 0 && count == 8);
    other = (phx_body_id){body.index, body.generation + 2};
    ENSURE_RESULT(phx_body_measure(world, other, &totals), PHX_ERROR_STALE_ID);
    other = (phx_body_id){body.index + 1, body.generation};
    ENSURE_RESULT(phx_body_set_velocity(world, other, (phx_vec3){0, 0, 0}, (phx_vec3){0, 0, 0}), PHX_ERROR_STALE_ID);
    other = (phx_body_id){-1, 1};
    ENSURE_RESULT(phx_body_measure(world, other, &totals), PHX_ERROR_STALE_ID);
    ENSURE_RESULT(phx_probe_measure(world, (phx_probe_id){0, 0}, &totals), PHX_ERROR_STALE_ID);
    ENSURE_RESULT(phx_driver_destroy(world, (phx_driver_id){0, 1}), PHX_ERROR_STALE_ID);
    phx_world_destroy(world);
}

TEST(ids_of_another_world_are_refused) {
    phx_world_def def = phx_world_def_default();
    phx_material_id material[2];
    phx_body_id body[2];
    phx_probe_id probe[2];
    phx_driver_id driver[2];
    phx_collider_id collider[2];
    phx_world* world[2];
    for (int i = 0; i < 2; ++i) {
        world[i] = phxt_world(&def, &material[i]);
        REQUIRE(world[i]);
        REQUIRE_OK(phxt_body(world[i], "a", "box(size=(0.2,0.2,0.2))", 0.1, NULL, &body[i]));
        phx_probe_def probe_def = phx_probe_def_default();
        REQUIRE_OK(phx_probe_create(world[i], &probe_def, &probe[i]));
        phx_driver_def driver_def = phx_driver_def_default();
        REQUIRE_OK(phx_driver_create(world[i], &driver_def, &driver[i]));
        phx_collider_def collider_def = phx_collider_def_default();
        collider_def.shape = "plane()";
        REQUIRE_OK(phx_collider_create(world[i], &collider_def, &collider[i]));
    }
    ENSURE(collider[0].generation != collider[1].generation);
    phx_totals totals;
    int begin, count;
    phx_vec3 zero = {0, 0, 0};
    phx_body_def wrong = phx_body_def_default();
    wrong.name = "b";
    wrong.shape = "box(size=(0.2,0.2,0.2))";
    wrong.spacing = 0.1;
    wrong.material = material[0];
    phx_body_id made;
    ENSURE_RESULT(phx_body_create(world[1], &wrong, &made), PHX_ERROR_STALE_ID);
    ENSURE_RESULT(phx_body_range(world[1], body[0], &begin, &count), PHX_ERROR_STALE_ID);
    ENSURE_MESSAGE("not one of this world");
    ENSURE_RESULT(phx_body_measure(world[1], body[0], &totals), PHX_ERROR_STALE_ID);
    ENSURE_RESULT(phx_body_set_velocity(world[1], body[0], zero, zero), PHX_ERROR_STALE_ID);
    ENSURE_RESULT(phx_probe_measure(world[1], probe[0], &totals), PHX_ERROR_STALE_ID);
    ENSURE_RESULT(phx_driver_destroy(world[1], driver[0]), PHX_ERROR_STALE_ID);
    // by number
    ENSURE(phx_world_body_id(world[0], 0).generation == body[0].generation);
    ENSURE(phx_world_material_id(world[0], 0).generation == material[0].generation);
    ENSURE(phx_world_probe_id(world[0], 0).generation == probe[0].generation);
    ENSURE_RESULT(phx_body_measure(world[0], phx_world_body_id(world[0], 1), &totals), PHX_ERROR_STALE_ID);
    ENSURE_RESULT(phx_body_measure(world[0], phx_world_body_id(world[0], -1), &totals), PHX_ERROR_STALE_ID);
    phx_world_destroy(world[0]);
    phx_world_destroy(world[1]);
}

static void count_bytes(void* context, const char* label, size_t bytes, int blocks) {
    size_t* sum = context;
    ENSURE(label[0] && blocks > 0);
    *sum += bytes;
}

TEST(memory_is_listed) {
    phx_world_def def = phx_world_def_default();
    phx_material_id material;
    phx_body_id body;
    phx_world* world = phxt_world(&def, &material);
    REQUIRE(world);
    REQUIRE_OK(phxt_body(world, "a", "box(size=(1,1,1))", 0.1, NULL, &body));
    size_t listed = 0, all = phx_world_memory(world, count_bytes, &listed);
    ENSURE(all == listed && all > 1000 * 64);
    ENSURE(phx_world_memory(world, NULL, NULL) == all);
    ENSURE(phx_world_allocations(world) > 10);
    phx_world_destroy(world);
}

static phx_result make_collider(phx_world* world) {
    phx_collider_def def = phx_collider_def_default();
    phx_collider_id id;
    def.shape = "union(plane(), sphere(center=(0,0,1), radius=0.5))";
    return phx_collider_create(world, &def, &id);
}

static phx_result make_driver(phx_world* world) {
    phx_driver_def def = phx_driver_def_default();
    phx_driver_id id;
    def.region = "box(size=(0.2,0.2,0.2))";
    return phx_driver_create(world, &def, &id);
}

static phx_result make_probe(phx_world* world) {
    phx_probe_def def = phx_probe_def_default();
    phx_probe_id id;
    def.body = "cube";
    def.region = "box(size=(0.2,0.2,0.2))";
    return phx_probe_create(world, &def, &id);
}

static phx_result make_material(phx_world* world) {
    phx_material_def def = phx_material_def_default();
    phx_material_id id;
    return phx_material_create(world, &def, &id);
}

TEST(parts_fail_without_memory_and_leave_no_trace) {
    phx_result (*const make[])(phx_world*) = {make_collider, make_driver, make_probe, make_material};
    for (int k = 0; k < 4; ++k) {
        phxt_heap heap;
        phxt_heap_init(&heap, -1);
        phx_world_def def = phx_world_def_default();
        def.threads = 1;
        def.allocator = heap.allocator;
        phx_material_id material;
        phx_body_id body;
        phx_world* world = phxt_world(&def, &material);
        REQUIRE(world);
        REQUIRE_OK(phxt_body(world, "cube", "box(size=(0.4,0.4,0.4))", 0.1, NULL, &body));
        uint64_t hash = phx_world_hash(world), plan = phxi_world_plan(world);
        // a failure may leave a list with room for one more, so that later ones need less: until none fails
        phx_result result = PHX_ERROR_MEMORY;
        for (int n = 0; result != PHX_OK; ++n) {
            heap.fail_at = heap.allocations + n;
            result = make[k](world);
            heap.fail_at = -1;
            if (result != PHX_OK) {
                ENSURE_RESULT(result, PHX_ERROR_MEMORY);
                ENSURE(phx_world_hash(world) == hash && phxi_world_plan(world) == plan);
            }
            REQUIRE(n < 100);
        }
        ENSURE_OK(phx_world_step(world, 0.01));
        phx_world_destroy(world);
        ENSURE(heap.live == 0);
    }
}
