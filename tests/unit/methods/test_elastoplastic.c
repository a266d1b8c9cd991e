// SPDX-License-Identifier: MIT
// Elastoplastic SPH: same bits at any thread count and after a checkpoint, for every integrator, flowing or not; steps
// without allocation; beside efg, whose loops it runs; momenta; what is refused. Exact answers: phyxel validate esph.
#include "methods/efg/efg_internal.h"
#include "support/points.h"
#include "world/world.h"

#include <string.h>

typedef struct body_kind {
    const char *integrator, *weights;
    double jitter, yield;
} body_kind;

static phx_result add(phx_world* world, const char* method, const char* name, const body_kind* kind, double height) {
    const phx_setting settings[] = {{"integrator", kind->integrator}, {"weights", kind->weights}};
    phx_material_def material = phx_material_def_default();
    material.young = 1e5, material.density = 1000, material.law = PHX_LAW_HENCKY;
    material.plasticity = PHX_PLASTICITY_HENCKY, material.yield = kind->yield, material.hardening = 0.1;
    phx_body_def body = phx_body_def_default();
    body.name = name;
    body.shape = "box(size=(0.06,0.04,0.04))";
    body.translate = phxi_vec3(0, 0, height);
    body.spacing = 0.01;
    body.jitter = kind->jitter;
    body.method = method;
    body.settings = settings;
    body.setting_count = strcmp(method, "efg") == 0 ? 1 : 2;
    body.angular_velocity = phxi_vec3(3, 5, 8);
    phx_body_id id;
    phx_result result = phx_material_create(world, &material, &body.material);
    return result == PHX_OK ? phx_body_create(world, &body, &id) : result;
}

/// A body that spins and is torn along its length.
static phx_world* world_of(int threads, const body_kind* kind) {
    phx_world_def def = phx_world_def_default();
    def.threads = threads;
    def.gravity = phxi_vec3(0, 0, 0);
    phx_world* world = NULL;
    if (phx_world_create(&def, &world) != PHX_OK || add(world, "elastoplastic_sph", "body", kind, 0) != PHX_OK) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
        phx_world_destroy(world);
        return NULL;
    }
    for (int i = 0; i < world->particles.count; ++i) {
        world->particles.vx[i] += 20 * world->particles.x[i];
    }
    return world;
}

static const body_kind kinds[] = {
    {"velocity_verlet", "balanced", 0, 0}, {"velocity_verlet", "balanced", 0.3, 0.01},
    {"leapfrog", "plain", 0.2, 0.02},      {"implicit_euler", "balanced", 0, 0.02},
    {"trapezoid", "balanced", 0.2, 0},     {"bdf2", "balanced", 0, 0},
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

TEST(same_bits_at_any_thread_count) {
    for (int k = 0; k < KIND_COUNT; ++k) {
        uint64_t hash = 0;
        for (int threads = 1; threads <= 3; ++threads) {
            phx_world* world = world_of(threads, &kinds[k]);
            REQUIRE(world);
            REQUIRE_OK(phx_world_step(world, 0.02));
            ENSURE(threads == 1 || phx_world_hash(world) == hash);
            hash = phx_world_hash(world);
            phx_world_destroy(world);
        }
    }
}

TEST(a_checkpoint_goes_on_bit_for_bit) {
    for (int k = 0; k < KIND_COUNT; ++k) {
        phx_world *world = world_of(2, &kinds[k]), *twin = world_of(1, &kinds[k]);
        REQUIRE(world && twin);
        REQUIRE_OK(phx_world_step(world, 0.02));
        REQUIRE_OK(phx_checkpoint_save(world, phxt_path("esph.phx")));
        REQUIRE_OK(phx_checkpoint_load(twin, phxt_path("esph.phx")));
        ENSURE(phx_world_hash(world) == phx_world_hash(twin));
        REQUIRE_OK(phx_world_step(world, 0.02));
        REQUIRE_OK(phx_world_step(twin, 0.02));
        ENSURE(phx_world_hash(world) == phx_world_hash(twin));
        phx_world_destroy(world);
        phx_world_destroy(twin);
    }
}

TEST(steps_allocate_nothing) {
    for (int k = 0; k < KIND_COUNT; ++k) {
        phx_world* world = world_of(2, &kinds[k]);
        REQUIRE(world);
        for (int n = 0; n < 3; ++n) {
            REQUIRE_OK(phx_world_substep(world, 2e-4));
        }
        int64_t before = world->heap.allocations;
        for (int n = 0; n < 5; ++n) {
            REQUIRE_OK(phx_world_substep(world, 2e-4));
        }
        ENSURE(world->heap.allocations == before);
        phx_world_destroy(world);
    }
}

TEST(momenta_stay) {
    for (int k = 0; k < KIND_COUNT; ++k) {
        phx_world* world = world_of(2, &kinds[k]);
        REQUIRE(world);
        phx_totals first, last;
        REQUIRE_OK(phx_world_measure(world, &first));
        REQUIRE_OK(phx_world_step(world, 0.03));
        REQUIRE_OK(phx_world_measure(world, &last));
        // the trapezoidal rule turns bodies along chords: it keeps angular momentum only as far as its steps are short
        bool chords = strcmp(kinds[k].integrator, "trapezoid") == 0;
        double spin = phxi_length(first.angular_momentum), fine = sizeof(phx_real) == 4 ? 1e-3 : 1e-6;
        ENSURE_NEAR(phxi_length(phxi_sub(last.momentum, first.momentum)) / spin, 0, fine);
        ENSURE_NEAR(phxi_length(phxi_sub(last.angular_momentum, first.angular_momentum)) / spin, 0,
                    chords ? 0.03 : fine);
        phx_world_destroy(world);
    }
}

/// What flows keeps its volume: det C_p = 1.
TEST(flow_keeps_volume) {
    phx_world* world = world_of(2, &kinds[1]);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 0.05));
    const phxi_particles* p = &world->particles;
    static const char* const names[6] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    double most = 0;
    for (int i = 0; i < p->count; ++i) {
        double e[6];
        for (int k = 0; k < 6; ++k) {
            char name[64];
            snprintf(name, sizeof name, "elastoplastic_sph.p_%s", names[k]);
            e[k] = (double)((phx_real*)phxi_particles_field(p, name))[i];
        }
        phxi_sym3 c = {1 + 2 * e[0], 1 + 2 * e[1], 1 + 2 * e[2], 2 * e[3], 2 * e[4], 2 * e[5]};
        phxi_mat3 full = phxi_sym3_full(&c);
        ENSURE_NEAR(phxi_mat3_det(&full), 1, sizeof(phx_real) == 4 ? 1e-4 : 1e-10);
        most = fmax(most, fabs(e[0]));
    }
    ENSURE(most > 0.01); // it has flowed
    phx_world_destroy(world);
}

/// The fields of both methods live side by side; a body moves as if the other were not there.
TEST(beside_efg) {
    const body_kind kind = {"velocity_verlet", "balanced", 0, 0.01};
    for (int order = 0; order < 2; ++order) {
        phx_world *both = NULL, *alone = NULL;
        phx_world_def def = phx_world_def_default();
        def.gravity = phxi_vec3(0, 0, 0);
        REQUIRE_OK(phx_world_create(&def, &both));
        REQUIRE_OK(phx_world_create(&def, &alone));
        REQUIRE_OK(add(both, order ? "efg" : "elastoplastic_sph", "first", &kind, 1));
        REQUIRE_OK(add(both, order ? "elastoplastic_sph" : "efg", "second", &kind, 0));
        REQUIRE_OK(add(alone, order ? "elastoplastic_sph" : "efg", "second", &kind, 0));
        for (int n = 0; n < 20; ++n) {
            REQUIRE_OK(phx_world_substep(both, 1e-4));
            REQUIRE_OK(phx_world_substep(alone, 1e-4));
        }
        int shift = both->particles.count - alone->particles.count;
        for (int i = 0; i < alone->particles.count; ++i) {
            ENSURE(alone->particles.x[i] == both->particles.x[shift + i]);
        }
        phx_world_destroy(both);
        phx_world_destroy(alone);
    }
}

TEST(bad_input_is_answered) {
    phx_world* world = NULL;
    phx_world_def def = phx_world_def_default();
    const body_kind wrong = {"symplectic", "balanced", 0, 0};
    REQUIRE_OK(phx_world_create(&def, &world));
    ENSURE(add(world, "elastoplastic_sph", "body", &wrong, 0) != PHX_OK);
    ENSURE(strstr(phx_error_message(), "symplectic") != NULL);
    phx_material_def material = phx_material_def_default();
    phx_material_id id;
    material.flow_rate = 0.1;
    ENSURE(phx_material_create(world, &material, &id) != PHX_OK);
    ENSURE(strstr(phx_error_message(), "expected hencky") != NULL);
    phx_world_destroy(world);
}

static phx_result run_within(phxt_heap* heap) {
    const body_kind kind = {"implicit_euler", "balanced", 0, 0.01};
    phx_world_def def = phx_world_def_default();
    def.threads = 1;
    def.allocator = heap->allocator;
    phx_world* world = NULL;
    phx_result result = phx_world_create(&def, &world);
    result = result == PHX_OK ? add(world, "elastoplastic_sph", "body", &kind, 0) : result;
    result = result == PHX_OK ? phx_world_step(world, 1e-3) : result;
    phx_world_destroy(world);
    return result;
}

TEST(every_allocation_may_fail) {
    phxt_heap heap;
    phxt_heap_init(&heap, -1);
    REQUIRE_OK(run_within(&heap));
    int64_t count = heap.allocations;
    ENSURE(heap.live == 0 && count > 20);
    for (int64_t n = 0; n < count; n += 7) {
        phxt_heap_init(&heap, n);
        ENSURE_RESULT(run_within(&heap), PHX_ERROR_MEMORY);
        ENSURE(heap.live == 0);
    }
}
