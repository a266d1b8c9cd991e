// SPDX-License-Identifier: MIT
// Bonds of efg that kernels lose: same bits at any thread count and after a checkpoint, momentum, what stays whole,
// what is refused. When bars break: phyxel validate efg.sight.
#include "methods/efg/fracture/fracture.h"
#include "support/points.h"
#include "validate/trial.h"
#include "world/world.h"

#include <string.h>

static phx_result make(int threads, const phx_setting* settings, int count, double yield, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.threads = threads;
    def.gravity = phxi_vec3(0, 0, 0);
    phx_material_def material = phx_material_def_default();
    material.young = 1e6, material.poisson = 0.33, material.density = 1000, material.yield = yield;
    phx_body_def body = phx_body_def_default();
    body.shape = "box(size=(0.03,0.03,0.1))";
    body.spacing = 0.005;
    body.method = "efg";
    body.settings = settings;
    body.setting_count = count;
    body.angular_velocity = phxi_vec3(3, 5, 8);
    phx_body_id id;
    *world = NULL;
    PHXI_TRY(phx_world_create(&def, world));
    PHXI_TRY(phx_material_create(*world, &material, &body.material));
    return phx_body_create(*world, &body, &id);
}

/// A turning bar whose ends fly apart.
static phx_world* bar(int threads, const char* kernel, double pull) {
    const phx_setting settings[] = {{"fracture", "kernel"}, {"kernel", kernel}, {"support", "1.667"}};
    phx_world* world;
    if (make(threads, settings, 3, 0, &world) != PHX_OK) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
        return world;
    }
    for (int i = 0; i < world->particles.count; ++i) {
        world->particles.vz[i] += (phx_real)(pull * (double)world->particles.z[i]);
    }
    return world;
}

static int lost(const phx_world* world) {
    return ((const phxi_efg*)world->solvers.items[0].state)->slots.items[0].fracture->bonds.count;
}

TEST(same_bits_at_any_thread_count) {
    uint64_t hash = 0;
    for (int threads = 1; threads <= 3; ++threads) {
        phx_world* world = bar(threads, "principal", 600);
        REQUIRE_OK(phx_world_step(world, 0.004));
        ENSURE(threads == 1 || phx_world_hash(world) == hash);
        hash = phx_world_hash(world);
        ENSURE(lost(world) > 0);
        phx_world_destroy(world);
    }
}

TEST(a_checkpoint_goes_on_bit_for_bit) {
    phx_world *world = bar(2, "diagonal", 600), *twin = bar(1, "diagonal", 0);
    REQUIRE_OK(phx_world_step(world, 0.003));
    ENSURE(lost(world) > 0);
    REQUIRE_OK(phx_checkpoint_save(world, phxt_path("efg_sight.phx")));
    REQUIRE_OK(phx_checkpoint_load(twin, phxt_path("efg_sight.phx")));
    ENSURE(lost(world) == lost(twin));
    REQUIRE_OK(phx_world_step(world, 0.001));
    REQUIRE_OK(phx_world_step(twin, 0.001));
    ENSURE(phx_world_hash(world) == phx_world_hash(twin));
    phx_world_destroy(world);
    phx_world_destroy(twin);
}

TEST(kernels_that_grow_lose_less_and_momentum_stays) {
    int counts[2];
    for (int k = 0; k < 2; ++k) {
        phx_world* world = bar(2, k == 0 ? "isotropic" : "principal", 400);
        phx_totals first, last;
        REQUIRE_OK(phx_world_measure(world, &first));
        phx_vec3 turning = phxi_trial_turning(world);
        REQUIRE_OK(phx_world_step(world, 0.004));
        REQUIRE_OK(phx_world_measure(world, &last));
        counts[k] = lost(world);
        double spin = phxi_length(first.angular_momentum);
        ENSURE_NEAR(phxi_length(phxi_sub(last.momentum, first.momentum)) / spin, 0,
                    sizeof(phx_real) == 4 ? 1e-3 : 1e-11);
        ENSURE_NEAR(phxi_length(phxi_sub(phxi_trial_turning(world), turning)) / spin, 0,
                    sizeof(phx_real) == 4 ? 1e-3 : 1e-9);
        phx_world_destroy(world);
    }
    ENSURE(counts[0] > 0 && counts[1] == 0);
}

TEST(a_body_that_only_turns_stays_whole) {
    phx_world* world = bar(2, "diagonal", 0);
    REQUIRE_OK(phx_world_step(world, 0.05));
    ENSURE(lost(world) == 0);
    phx_world_destroy(world);
}

TEST(what_does_not_go_with_it_is_refused) {
    static const struct {
        phx_setting settings[3];
        double yield;
        const char* says;
    } bad[] = {{{{"fracture", "kernel"}, {"integrator", "bdf2"}, {"kernel", "principal"}}, 0, "explicit"},
               {{{"fracture", "kernel"}, {"path", "lattice"}, {"kernel", "principal"}}, 0, "kernels"},
               {{{"fracture", "kernel"}, {"adaptive", "on"}, {"kernel", "principal"}}, 0, "adaptive"},
               {{{"fracture", "kernel"}, {"path", "rows"}, {"kernel", "principal"}}, 0.05, "yield"},
               {{{"fracture", "facets"}, {"path", "rows"}, {"kernel", "principal"}}, 0, "fracture kernel"},
               {{{"fracture", "kernel"}, {"kernel_full", "0"}, {"kernel", "principal"}}, 0, "kernel_full"}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        phx_world* world;
        ENSURE(make(1, bad[k].settings, 3, bad[k].yield, &world) != PHX_OK);
        ENSURE(strstr(phx_error_message(), bad[k].says) != NULL);
        phx_world_destroy(world);
    }
}
