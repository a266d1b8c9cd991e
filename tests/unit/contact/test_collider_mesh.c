// SPDX-License-Identifier: MIT
// Colliders that are meshes: they share fields, warn about holes, and leave out blocks of particles only where nothing
// can touch.
#include "support/points.h"

#include <phyxel/io.h>

static phx_mesh* ring(void) {
    phx_mesh* mesh = NULL;
    return phx_mesh_from_shape("torus(major=0.5, minor=0.2)", 0.08, &mesh) == PHX_OK ? mesh : NULL;
}

TEST(blocks_equal_single_particles) {
    phx_mesh* mesh = ring();
    REQUIRE(mesh);
    for (int k = 0; k < 4; ++k) {
        phx_world_def def = phx_world_def_default();
        def.threads = 1 + k;
        phx_material_id material;
        phx_body_id body;
        phx_collider_id id;
        phx_collider_def collider = phx_collider_def_default();
        collider.mesh = mesh;
        collider.inside = k % 2 == 1;
        collider.rotate = (phx_vec3){20.0 * k, 0, 10};
        collider.translate = (phx_vec3){0, 0.1, 0};
        collider.scale = 1 + 0.1 * k;
        collider.resolution = k < 2 ? 0.05 : 0.01; // coarser, and finer than the particles
        phx_world* world = phxt_world(&def, &material);
        REQUIRE(world);
        REQUIRE_OK(phxt_body(world, "cloud", "box(size=(2,2,2))", 0.1, NULL, &body));
        REQUIRE_OK(phx_collider_create(world, &collider, &id));
        phxi_particles* p = &world->particles;
        int touching = 0;
        phx_vec3 gravity = {0, 0, -9.81};
        phxi_contact_range range = {.count = p->count, .young = 1e5};
        phxi_collide(&world->colliders.items[0], world->pool, p, &range, gravity, 1e-3);
        for (int i = 0; i < p->count; ++i) {
            phxi_collider_load load = {.force = phxi_scale(p->mass[i], gravity), .dt = 1e-3, .kick = 5e-4};
            load.coming = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
            phx_vec3 f = phxi_collider_force(&world->colliders.items[0], p, i, 1e5, &load);
            ENSURE(p->fx[i] == (phx_real)f.x && p->fy[i] == (phx_real)f.y && p->fz[i] == (phx_real)f.z);
            touching += phxi_length(f) > 0;
        }
        ENSURE(touching > 0 && touching < p->count);
        phx_world_destroy(world);
    }
    phx_mesh_destroy(mesh);
}

static int warnings;
static void count_warnings(void* context, phx_log_level level, const char* message) {
    (void)context;
    warnings += level == PHX_LOG_WARNING && strstr(message, "has 4 open edges") != NULL;
}

TEST(fields_are_shared_and_holes_are_told) {
    static const double corners[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
    static const int open[30] = {0, 2, 3, 0, 3, 1, 0, 1, 5, 0, 5, 4, 2, 6, 7,
                                 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    phx_mesh* mesh = NULL;
    REQUIRE_OK(phx_mesh_create(8, corners, 10, open, &mesh));
    phx_world_def def = phx_world_def_default();
    def.log.write = count_warnings;
    phx_world* world = NULL;
    REQUIRE_OK(phx_world_create(&def, &world));
    phx_collider_def collider = phx_collider_def_default();
    phx_collider_id id;
    collider.mesh = mesh;
    warnings = 0;
    for (int k = 0; k < 3; ++k) {
        collider.translate.x = k;
        collider.resolution = k < 2 ? 0 : 0.1;
        REQUIRE_OK(phx_collider_create(world, &collider, &id));
    }
    ENSURE(world->mesh_fields.count == 2 && warnings == 2);
    ENSURE(world->colliders.items[0].field == world->colliders.items[1].field);
    ENSURE(world->colliders.items[0].plan != world->colliders.items[1].plan);
    collider.shape = "sphere(radius=1)";
    ENSURE_RESULT(phx_collider_create(world, &collider, &id), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("both a mesh and a shape");
    phx_world_destroy(world);
    phx_mesh_destroy(mesh);
}
