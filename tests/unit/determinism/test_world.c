// SPDX-License-Identifier: MIT
// The same bits at any thread count, and after a checkpoint: three bodies, drivers, a collider, every integrator.
#include "support/test.h"

static const char* const integrators[] = {"verlet",          "damped_verlet", "leapfrog",
                                          "velocity_verlet", "bdf2",          "implicit_euler"};

static phx_world* make_world(int threads, const char* integrator) {
    phx_world_def def = phx_world_def_default();
    def.threads = threads;
    phx_world* world = NULL;
    if (phx_world_create(&def, &world) != PHX_OK) {
        return NULL;
    }
    phx_material_def soft = phx_material_def_default();
    soft.young = 2e4;
    soft.damping = 1;
    phx_material_id material;
    phx_collider_def floor = phx_collider_def_default();
    floor.shape = "plane()";
    phx_collider_id collider;
    phx_driver_def twist = phx_driver_def_default();
    twist.kind = PHX_DRIVER_TWIST;
    twist.body = "box";
    twist.region = "box(center=(0.3,0,0.2), size=(1,1,0.05))";
    twist.angle = 40;
    twist.center = (phx_vec3){0.3, 0, 0};
    twist.ramp = 0.02;
    phx_driver_id driver;
    bool good = phx_material_create(world, &soft, &material) == PHX_OK &&
                phx_collider_create(world, &floor, &collider) == PHX_OK;
    const char* const shapes[] = {"sphere(center=(0,0,0.105), radius=0.1)",
                                  "box(center=(0.3,0,0.1), size=(0.1,0.1,0.2))",
                                  "torus(center=(0,0.4,0.2), axis=(1,0,0), major=0.08, minor=0.03)"};
    const char* const names[] = {"ball", "box", "ring"};
    for (int i = 0; i < 3 && good; ++i) {
        phx_setting setting = {"integrator", integrator};
        phx_body_def body = phx_body_def_default();
        body.name = names[i];
        body.shape = shapes[i];
        body.spacing = 0.02;
        body.material = material;
        body.settings = &setting;
        body.setting_count = 1;
        body.velocity = (phx_vec3){0, 0, -0.5 * i};
        body.jitter = i == 0 ? 0.1 : 0;
        phx_body_id id;
        good = phx_body_create(world, &body, &id) == PHX_OK;
    }
    good = good && phx_driver_create(world, &twist, &driver) == PHX_OK;
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
        phx_world_destroy(world);
        return NULL;
    }
    return world;
}

// Substeps of the world's own size.
static bool advance(phx_world* world, int count) {
    for (int i = 0; i < count; ++i) {
        phx_dt_info info;
        if (phx_world_dt(world, &info) != PHX_OK || phx_world_substep(world, info.dt) != PHX_OK) {
            phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
            return false;
        }
    }
    return true;
}

// Implicit steps are hundreds of times larger, and cost more.
static int steps_of(const char* integrator) {
    if (strcmp(integrator, "bdf2") == 0) {
        return PHXT_STEPS(15, 5);
    }
    return strcmp(integrator, "implicit_euler") == 0 ? PHXT_STEPS(5, 3) : PHXT_STEPS(500, 100);
}

static void same_at_any_thread_count(const char* integrator) {
    static const int threads[] = {1, 2, 3, 8};
    uint64_t first = 0;
    for (int i = 0; i < 4; ++i) {
        phx_world* world = make_world(threads[i], integrator);
        REQUIRE(world);
        ENSURE(advance(world, steps_of(integrator)));
        uint64_t hash = phx_world_hash(world);
        first = i == 0 ? hash : first;
        ENSURE(hash == first);
        phx_totals totals;
        ENSURE_OK(phx_world_measure(world, &totals));
        ENSURE(totals.elastic > 0 && totals.kinetic > 0);
        phx_world_destroy(world);
    }
}

static void same_after_a_checkpoint(const char* integrator) {
    phx_world *whole = make_world(1, integrator), *first = make_world(2, integrator),
              *second = make_world(1, integrator);
    int steps = steps_of(integrator), before = 2 * steps / 5;
    REQUIRE(whole && first && second);
    ENSURE(advance(whole, steps));
    ENSURE(advance(first, before));
    ENSURE_OK(phx_checkpoint_save(first, phxt_path("state.phx")));
    ENSURE_OK(phx_checkpoint_load(second, phxt_path("state.phx")));
    ENSURE(phx_world_hash(first) == phx_world_hash(second));
    ENSURE(phx_world_time(first) == phx_world_time(second));
    ENSURE(advance(second, steps - before));
    ENSURE(phx_world_hash(second) == phx_world_hash(whole));
    ENSURE(phx_world_time(second) == phx_world_time(whole));
    ENSURE(phx_world_substeps(second) == steps);
    phx_world_destroy(whole);
    phx_world_destroy(first);
    phx_world_destroy(second);
}

TEST(threads_verlet) {
    same_at_any_thread_count(integrators[0]);
}
TEST(threads_damped_verlet) {
    same_at_any_thread_count(integrators[1]);
}
TEST(threads_leapfrog) {
    same_at_any_thread_count(integrators[2]);
}
TEST(threads_velocity_verlet) {
    same_at_any_thread_count(integrators[3]);
}
TEST(checkpoint_verlet) {
    same_after_a_checkpoint(integrators[0]);
}
TEST(checkpoint_damped_verlet) {
    same_after_a_checkpoint(integrators[1]);
}
TEST(checkpoint_leapfrog) {
    same_after_a_checkpoint(integrators[2]);
}
TEST(checkpoint_velocity_verlet) {
    same_after_a_checkpoint(integrators[3]);
}

TEST(threads_bdf2) {
    same_at_any_thread_count(integrators[4]);
}

TEST(threads_implicit_euler) {
    same_at_any_thread_count(integrators[5]);
}

TEST(checkpoint_bdf2) {
    same_after_a_checkpoint(integrators[4]);
}

TEST(checkpoint_implicit_euler) {
    same_after_a_checkpoint(integrators[5]);
}
