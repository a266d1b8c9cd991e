// SPDX-License-Identifier: MIT
// Obstacles of the material point method: what nodes remember of those that stand is what they would be told again, bit
// for bit; those that move are asked anew, and remembered when they stop.
#include "geometry/shape_mesh.h"
#include "methods/mpm/mpm_internal.h"
#include "support/points.h"

#define EGG "ellipsoid(center=(0,0,0.1),radii=(0.08,0.05,0.1))"

/// Water falls on an egg of triangles, which is lifted at first if `moves`.
static phx_world* water_on_egg(int threads, bool moves) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_mesh* egg = NULL;
    phx_body_def bd = phx_body_def_default();
    phx_collider_def floor = phx_collider_def_default(), obstacle = phx_collider_def_default();
    phx_driver_def driver = phx_driver_def_default();
    phx_collider_id id;
    phx_body_id body;
    phx_driver_id drives;
    const phx_preset* preset;
    def.threads = threads;
    bd.method = "mpm", bd.shape = "box(center=(0,0,0.24),size=(0.16,0.16,0.06))", bd.spacing = 0.01;
    bd.velocity = phxi_vec3(0.3, 0, -2);
    obstacle.name = driver.collider = "egg";
    driver.kind = PHX_DRIVER_MOVE, driver.vector = phxi_vec3(0, 0, 0.01), driver.ramp = 0.01;
    bool good = phx_world_create(&def, &world) == PHX_OK && phx_preset_find("water", &preset) == PHX_OK &&
                phxi_mesh_from_shape(NULL, EGG, 0.01, &egg) == PHX_OK &&
                phx_material_create(world, &preset->def, &bd.material) == PHX_OK &&
                phx_body_create(world, &bd, &body) == PHX_OK && phx_collider_create(world, &floor, &id) == PHX_OK;
    obstacle.mesh = egg;
    good = good && phx_collider_create(world, &obstacle, &id) == PHX_OK &&
           (!moves || phx_driver_create(world, &driver, &drives) == PHX_OK);
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    phx_mesh_destroy(egg);
    return world;
}

static const phxi_mpm_wall_cache* egg_cache(const phx_world* world) {
    const phxi_mpm* s = world->solvers.items[0].state;
    return s->wall_caches.count > 1 ? &s->wall_caches.items[1] : NULL;
}

/// Makes the next substep believe that another obstacle stood here: nothing of it is remembered.
static void forget(phx_world* world) {
    phxi_mpm* s = world->solvers.items[0].state;
    world->colliders.items[1].driven = true; // those stand only if they stood before
    for (int c = 0; c < s->wall_caches.count; ++c) {
        s->wall_caches.items[c].plan ^= 1;
    }
}

static bool same_motion(const phx_world* one, const phx_world* two) {
    const phxi_particles *a = &one->particles, *b = &two->particles;
    const size_t size = (size_t)a->count * sizeof(phx_real);
    return memcmp(a->x, b->x, size) == 0 && memcmp(a->z, b->z, size) == 0 && memcmp(a->vx, b->vx, size) == 0 &&
           memcmp(a->vz, b->vz, size) == 0;
}

static void compare(bool moves) {
    phx_world *remembers = water_on_egg(3, moves), *asks = water_on_egg(1, moves);
    REQUIRE(remembers && asks);
    for (int n = 0; n < 300; ++n) {
        forget(asks);
        REQUIRE_OK(phx_world_substep(remembers, 1e-4));
        REQUIRE_OK(phx_world_substep(asks, 1e-4));
        if (moves && n == 50) {
            ENSURE(egg_cache(remembers)->nodes.count == 0);
        }
    }
    REQUIRE(egg_cache(remembers) && egg_cache(asks));
    ENSURE(egg_cache(remembers)->normals.count > 30);
    ENSURE(egg_cache(asks)->nodes.count == 0);
    ENSURE(same_motion(remembers, asks));
    double highest = 0;
    for (int i = 0; i < remembers->particles.count; ++i) { // the egg was met: some water goes sideways
        highest = fmax(highest, fabs((double)remembers->particles.vy[i]));
    }
    ENSURE(highest > 0.5);
    phx_world_destroy(remembers);
    phx_world_destroy(asks);
}

TEST(obstacles_that_stand_are_remembered_as_they_are) {
    compare(false);
}

TEST(obstacles_that_stop_are_remembered_too) {
    compare(true);
}
