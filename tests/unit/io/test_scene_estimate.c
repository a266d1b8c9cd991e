// SPDX-License-Identifier: MIT
// Estimates are near what is made.
#include "support/many_worlds.h"
#include "support/test.h"

static phx_scene* parse(const char* text) {
    phx_scene* scene = NULL;
    ENSURE_OK(phx_scene_parse("estimate.yaml", text, strlen(text), NULL, NULL, &scene));
    return scene;
}

// Small ones, which are half surface.
TEST(particles_and_memory_of_every_method) {
    for (int k = 0; k < PHXT_MANY_WORLDS; ++k) {
        phx_scene* scene = parse(phxt_many_worlds[k]);
        phx_world_def def = phx_world_def_default();
        phx_world* world = NULL;
        phx_estimate e;
        REQUIRE_OK(phx_scene_build(scene, &def, &world));
        REQUIRE_OK(phx_scene_estimate(scene, &e));
        double made = phx_world_particles(world).count;
        if (!(e.particles > made / 3 && e.particles < 3 * made)) {
            phxt_failed(__FILE__, __LINE__, "world %d: %g particles, estimated %g", k, made, e.particles);
        }
        ENSURE(e.bytes > 100 * e.particles && e.seconds > 0 && e.substep > 0 && e.most <= e.particles && e.body[0]);
        phx_world_destroy(world);
        phx_scene_destroy(scene);
    }
}

TEST(substep_and_size) {
    phx_scene* scene = parse("bodies: {a: {shape: 'sphere(radius=0.5)', spacing: 0.05, material: jelly}}\n"
                             "run: {duration: 2}\n");
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_estimate e;
    phx_dt_info info;
    REQUIRE_OK(phx_scene_build(scene, &def, &world));
    REQUIRE_OK(phx_scene_estimate(scene, &e));
    REQUIRE_OK(phx_world_dt(world, &info));
    double made = phx_world_particles(world).count;
    ENSURE_NEAR(e.particles / made, 1, 0.25);
    ENSURE_NEAR(e.size, 1, 0.01);
    ENSURE(e.substep > info.dt / 3 && e.substep < 3 * info.dt);
    ENSURE_NEAR(e.seconds, e.work * 2 / e.substep, 1e-9 * e.seconds);
    ENSURE(strcmp(e.body, "a") == 0 && !e.from_mesh);
    phx_world_destroy(world);
    phx_scene_destroy(scene);
}
