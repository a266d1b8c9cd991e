// SPDX-License-Identifier: MIT
#include "support/points.h"

#include <phyxel/io.h>

#include <string.h>

// Mass points that split: at the end of substep n, particles n and 2 n of their body halve. The solver counts its
// splits in packed state.
typedef struct budding_tail {
    int splits;
} budding_tail;

static budding_tail* tail_of(void* state) {
    return (budding_tail*)(void*)((char*)state + phxt_points.state_size);
}

static phx_result budding_adapt(void* state, phxi_step* step, double dt) {
    (void)dt;
    budding_tail* tail = tail_of(state);
    int body = step->own[0], parents[2] = {tail->splits / 2, tail->splits};
    PHXI_TRY(step->grow(step, body, parents, 2));
    phxi_particles* p = step->particles;
    const phxi_body* b = &step->bodies[body];
    for (int k = 0; k < 2; ++k) {
        int child = b->begin + b->count - 2 + k, parent = b->begin + parents[k];
        p->mass[parent] /= 2;
        p->mass[child] = p->mass[parent];
        p->x[child] += (phx_real)0.01;
    }
    tail->splits += 2;
    return PHX_OK;
}

static void budding_pack(const void* state, phxi_sink* sink) {
    const budding_tail* tail = tail_of((void*)(uintptr_t)state);
    sink->put(sink, &tail->splits, sizeof tail->splits);
    for (int k = 0; k < tail->splits; ++k) { // of varying size
        sink->put(sink, &k, sizeof k);
    }
}

static phx_result budding_unpack(void* state, phxi_step* step, const uint8_t* bytes, size_t size) {
    (void)step;
    int splits = -1;
    if (size >= sizeof splits) {
        memcpy(&splits, bytes, sizeof splits);
    }
    if (splits < 0 || size != sizeof splits * (1 + (size_t)splits)) {
        return phxi_fail(PHX_ERROR_FORMAT, "%zu packed bytes for %d splits", size, splits);
    }
    tail_of(state)->splits = splits;
    return PHX_OK;
}

static phxi_method budding_method(void) {
    static phxi_saving_table saving;
    phxi_method method = phxt_points;
    saving = *phxt_points.saving;
    saving.pack = budding_pack;
    saving.unpack = budding_unpack;
    method.saving = &saving;
    method.state_size = phxt_points.state_size + sizeof(budding_tail);
    method.adapt = budding_adapt;
    return method;
}

// A row of eight points that bud, and beside it one of eight that is pinned by a driver; a probe at all.
static phx_world* world_of(const phxi_method* method, const phx_allocator* allocator) {
    phx_world_def def = phx_world_def_default();
    def.threads = 1;
    def.dt = 0.01;
    def.force_dt = true; // the bodies never touch
    if (allocator) {
        def.allocator = *allocator;
    }
    phx_world* world = NULL;
    phx_material_def stuff = phx_material_def_default();
    phx_material_id material;
    phx_body_id body;
    phx_driver_def driver = phx_driver_def_default();
    phx_driver_id driver_id;
    phx_probe_def probe = phx_probe_def_default();
    phx_probe_id probe_id;
    driver.kind = PHX_DRIVER_VELOCITY;
    driver.vector = (phx_vec3){0, 1, 0};
    driver.region = "box(center=(0,0,0), size=(0.35,9,9))";
    phx_result result = phx_world_create(&def, &world);
    result = result == PHX_OK ? phxi_world_add_solver(world, method) : result;
    result = result == PHX_OK ? phx_material_create(world, &stuff, &material) : result;
    result = result == PHX_OK ? phxt_body(world, "row", "box(center=(0,0,0), size=(0.8,0.1,0.1))", 0.1, NULL, &body)
                              : result;
    result = result == PHX_OK ? phxt_body(world, "other", "box(center=(0,0,1), size=(0.8,0.1,0.1))", 0.1, NULL, &body)
                              : result;
    result = result == PHX_OK ? phx_driver_create(world, &driver, &driver_id) : result;
    result = result == PHX_OK ? phx_probe_create(world, &probe, &probe_id) : result;
    if (result != PHX_OK) {
        phx_world_destroy(world);
        return NULL;
    }
    return world;
}

static void check_shape(const phx_world* world, int born) {
    const phxi_particles* p = &world->particles;
    REQUIRE(p->count == 16 + born && world->births.count == born);
    REQUIRE(world->bodies.items[0].begin == 0 && world->bodies.items[0].count == 8 + born);
    REQUIRE(world->bodies.items[1].begin == 8 + born && world->bodies.items[1].count == 8);
    double mass = 0;
    for (int i = 0; i < p->count; ++i) {
        ENSURE(p->body[i] == (i >= 8 + born));
        ENSURE(i < 8 || i >= 8 + born || p->id[i] > 16);
        mass += (double)p->mass[i];
    }
    ENSURE_NEAR(mass, 16, 1e-6);
    const phxi_group* group = &world->drivers.items[0].group;
    for (int k = 0; k < group->count; ++k) {
        int i = group->indices[k];
        ENSURE(k == 0 || i > group->indices[k - 1]);
        ENSURE(fabs((double)p->rest_x[i]) < 0.175 && fabs((double)p->vy[i] - 1) < 1e-6);
    }
    ENSURE(world->probes.items[0].selected_count == p->count && world->probes.items[0].group.count == p->count);
}

TEST(newborn_are_where_their_parents_are) {
    phxi_method method = budding_method();
    phx_world* world = world_of(&method, NULL);
    REQUIRE(world);
    uint64_t plan = phxi_world_plan(world);
    int pinned = world->drivers.items[0].group.count;
    for (int n = 1; n <= 6; ++n) {
        REQUIRE_OK(phx_world_step(world, 0.01));
        check_shape(world, 2 * n);
    }
    ENSURE(world->drivers.items[0].group.count > pinned);
    ENSURE(phxi_world_plan(world) == plan);
    phx_totals totals;
    REQUIRE_OK(phx_world_measure(world, &totals));
    ENSURE(totals.count == 28);
    phx_world_destroy(world);
}

TEST(a_checkpoint_brings_them_back) {
    phxi_method method = budding_method();
    phx_world *a = world_of(&method, NULL), *b = world_of(&method, NULL), *c = world_of(&method, NULL);
    REQUIRE(a && b && c);
    REQUIRE_OK(phx_world_step(a, 0.05));
    REQUIRE_OK(phx_checkpoint_save(a, phxt_path("a.phx")));
    REQUIRE_OK(phx_world_step(c, 0.08)); // has more of them
    REQUIRE_OK(phx_checkpoint_load(b, phxt_path("a.phx")));
    REQUIRE_OK(phx_checkpoint_load(c, phxt_path("a.phx")));
    check_shape(b, 10);
    check_shape(c, 10);
    ENSURE(phx_world_hash(a) == phx_world_hash(b) && phx_world_hash(a) == phx_world_hash(c));
    REQUIRE_OK(phx_world_step(a, 0.03));
    REQUIRE_OK(phx_world_step(b, 0.03));
    REQUIRE_OK(phx_world_step(c, 0.03));
    ENSURE(phx_world_hash(a) == phx_world_hash(b) && phx_world_hash(a) == phx_world_hash(c));
    phx_world_destroy(a);
    phx_world_destroy(b);
    phx_world_destroy(c);
}

TEST(impossible_births_are_refused) {
    phxi_method method = budding_method();
    phx_world* world = world_of(&method, NULL);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 0.02));
    uint64_t hash = phx_world_hash(world);
    static const phxi_birth wrong[][2] = {{{0, 0}, {0, 99}}, {{2, 0}, {0, 0}}, {{-1, 0}, {0, 0}}, {{0, -1}, {0, 0}}};
    for (int k = 0; k < 4; ++k) {
        REQUIRE_OK(phxi_snapshot_take(world));
        ENSURE_RESULT(phxi_world_set_births(world, wrong[k], 2), PHX_ERROR_FORMAT);
        ENSURE_MESSAGE("cannot have been split");
        REQUIRE_OK(phxi_snapshot_restore(world));
        ENSURE(phx_world_hash(world) == hash);
    }
    phx_world_destroy(world);
}

TEST(failing_allocation) {
    phxi_method method = budding_method();
    phxt_heap memory;
    phxt_heap_init(&memory, -1);
    phx_world* world = world_of(&method, &memory.allocator);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 0.01));
    int failures = 0;
    for (int n = 0; n < 200; ++n) {
        uint64_t hash = phx_world_hash(world);
        memory.fail_at = memory.allocations + n;
        phx_result result = phx_world_step(world, 0.02);
        memory.fail_at = -1;
        if (result == PHX_OK) {
            break;
        }
        ++failures;
        ENSURE(result == PHX_ERROR_MEMORY);
        ENSURE(phx_world_hash(world) == hash);
        check_shape(world, 2);
    }
    ENSURE(failures > 5);
    check_shape(world, 6);
    phx_world_destroy(world);
}
