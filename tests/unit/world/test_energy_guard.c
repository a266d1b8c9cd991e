// SPDX-License-Identifier: MIT
// The guard against energy from nowhere: what it stops, with which words, and what it must let pass.
#include "support/points.h"

static phx_world* make(phx_world_def def, phx_material_id* material) {
    def.threads = 1;
    return phxt_world(&def, material);
}

/// A chain whose explicit steps are a little too long.
static phx_world* unstable_chain(void) {
    phx_world_def def = phx_world_def_default();
    phx_material_id material;
    phx_body_id body;
    def.gravity = phxi_vec3(0, 0, 0);
    def.force_dt = true;
    def.dt = 1.05e-3; // 2 / omega of a long chain of 1 kg and 1e6 N/m is 1e-3 s
    phx_world* world = make(def, &material);
    ENSURE_OK(phxt_body(world, "chain", "box(size=(2,0.1,0.1))", 0.1, "1e6", &body));
    world->particles.vx[3] = (phx_real)1e-3;
    return world;
}

TEST(stops_and_says_who) {
    phx_world* world = unstable_chain();
    phx_result result = PHX_OK;
    double before = 0;
    for (int k = 0; k < 100 && result == PHX_OK; ++k) {
        before = world->time;
        result = phx_world_step(world, 0.021);
    }
    ENSURE(result == PHX_ERROR_UNSTABLE);
    ENSURE_MESSAGE("energy from nowhere");
    ENSURE_MESSAGE("body 'chain' (points)");
    ENSURE_MESSAGE("was put in");
    ENSURE(world->time == before);
    phx_totals totals;
    ENSURE_OK(phx_world_measure(world, &totals));
    ENSURE(isfinite(totals.kinetic));
    phx_world_destroy(world);
}

TEST(lets_fall_bounce_and_come_to_rest) {
    phx_world_def def = phx_world_def_default();
    phx_material_id material;
    phx_body_id body;
    phx_collider_id collider;
    phx_collider_def floor = phx_collider_def_default();
    phx_world* world = make(def, &material);
    REQUIRE(world);
    floor.shape = "plane()";
    ENSURE_OK(phx_collider_create(world, &floor, &collider));
    ENSURE_OK(phxt_body(world, "points", "box(center=(0,0,1), size=(0.2,0.2,0.2))", 0.1, NULL, &body));
    for (int k = 0; k < 200; ++k) {
        ENSURE_OK(phx_world_step(world, 0.02));
    }
    phx_world_destroy(world);
}

TEST(edits_put_energy_in) {
    phx_world_def def = phx_world_def_default();
    phx_material_id material;
    phx_body_id body, later;
    phx_driver_id driver;
    def.gravity = phxi_vec3(0, 0, 0);
    def.dt = 1e-3;
    phx_world* world = make(def, &material);
    REQUIRE(world);
    ENSURE_OK(phxt_body(world, "points", "box(size=(0.2,0.2,0.2))", 0.1, NULL, &body));
    ENSURE_OK(phx_world_step(world, 0.02));
    ENSURE_OK(phx_body_set_velocity(world, body, phxi_vec3(100, 0, 0), phxi_vec3(0, 0, 0)));
    ENSURE_OK(phx_world_step(world, 0.02));
    phx_driver_def push = phx_driver_def_default();
    push.kind = PHX_DRIVER_FORCE;
    push.vector = phxi_vec3(1e6, 0, 0);
    ENSURE_OK(phx_driver_create(world, &push, &driver));
    for (int k = 0; k < 20; ++k) {
        ENSURE_OK(phx_world_step(world, 0.02));
    }
    ENSURE_OK(phx_driver_destroy(world, driver));
    ENSURE_OK(phx_world_step(world, 0.02));
    ENSURE_OK(phxt_body(world, "later", "box(center=(0,9,0), size=(0.2,0.2,0.2))", 0.1, NULL, &later));
    ENSURE_OK(phx_body_set_velocity(world, later, phxi_vec3(0, 0, 1e5), phxi_vec3(0, 0, 0)));
    ENSURE_OK(phx_world_step(world, 0.02));
    phx_world_destroy(world);
}

TEST(same_state_with_and_without_it) {
    phx_world *steps = unstable_chain(), *substeps = unstable_chain();
    ENSURE_OK(phx_world_step(steps, 5 * 1.05e-3));
    for (int k = 0; k < 5; ++k) {
        ENSURE_OK(phx_world_substep(substeps, 1.05e-3));
    }
    ENSURE(memcmp(steps->particles.vx, substeps->particles.vx, (size_t)steps->particles.count * sizeof(phx_real)) == 0);
    phx_world_destroy(steps);
    phx_world_destroy(substeps);
}
