// SPDX-License-Identifier: MIT
// Bodies of methods that break get cells, and their volumes.
#include "support/meshes.h"
#include "support/points.h"

#include "geometry/cell_complex.h"

static bool always(const phxi_body* body) {
    (void)body;
    return true;
}

static phxi_method breaking(void) {
    static const phxi_fracture_table fracture = {.needs_cells = always};
    phxi_method method = phxt_points;
    method.fracture = &fracture;
    return method;
}

static phx_result add(phx_world* world, const phx_mesh* mesh, phx_material_id material, double jitter,
                      phx_body_id* body) {
    phx_body_def def = phx_body_def_default();
    def.name = "ball";
    def.mesh = mesh;
    def.method = "points";
    def.material = material;
    def.spacing = 0.12;
    def.jitter = jitter;
    def.translate = (phx_vec3){1, 2, 3};
    return phx_body_create(world, &def, body);
}

TEST(particles_have_the_volumes_of_their_cells) {
    const phxi_method method = breaking();
    for (int jitter = 0; jitter < 2; ++jitter) {
        phx_world_def def = phx_world_def_default();
        phx_world* world = NULL;
        phx_material_def stuff = phx_material_def_default();
        phx_material_id material;
        phx_body_id body;
        phx_mesh* mesh = phxt_sphere_mesh((phx_vec3){0, 0, 0}, 0.5, 12, 16);
        REQUIRE_OK(phx_world_create(&def, &world));
        REQUIRE_OK(phxi_world_add_solver(world, &method));
        REQUIRE_OK(phx_material_create(world, &stuff, &material));
        REQUIRE_OK(add(world, mesh, material, 0.5 * jitter, &body));
        const phxi_body* b = &world->bodies.items[0];
        const phxi_particles* p = &world->particles;
        REQUIRE(b->cells && b->cells->particle_count == b->count);
        double sum = 0, mass = 0;
        for (int i = 0; i < b->count; ++i) {
            int cell = (int)(p->id[b->begin + i] - b->first_id);
            REQUIRE(cell >= 0 && cell < b->count);
            double volume = b->cells->volumes[cell];
            ENSURE(p->volume[i] > 0);
            ENSURE(jitter || fabs((double)p->volume[i] / volume - 1) < 1e-6); // jittered out of it some have none
            sum += (double)p->volume[i];
            mass += (double)p->mass[i];
        }
        ENSURE_NEAR(sum / phx_mesh_volume(mesh), 1, 1e-6);
        ENSURE_NEAR(mass / (stuff.density * phx_mesh_volume(mesh)), 1, 1e-6);
        phx_world_destroy(world);
        phx_mesh_destroy(mesh);
    }
}

static int told;
static void listen(void* context, phx_log_level level, const char* message) {
    (void)context;
    told += level == PHX_LOG_WARNING && strstr(message, "body 'ball': its mesh has 32 open edges; to break") != NULL;
}

// A ball without its top: it gets a lid, and the user is told.
TEST(open_meshes_are_closed) {
    const phxi_method method = breaking();
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_material_def stuff = phx_material_def_default();
    phx_material_id material;
    phx_body_id body;
    phx_mesh* whole = phxt_sphere_mesh((phx_vec3){0, 0, 0}, 0.5, 12, 16);
    const double volume = phx_mesh_volume(whole);
    phx_mesh* mesh = phxt_cut_mesh(whole, 0.3);
    def.log.write = listen;
    told = 0;
    REQUIRE_OK(phx_world_create(&def, &world));
    REQUIRE_OK(phxi_world_add_solver(world, &method));
    REQUIRE_OK(phx_material_create(world, &stuff, &material));
    REQUIRE_OK(add(world, mesh, material, 0, &body));
    ENSURE(told == 1);
    const phxi_body* b = &world->bodies.items[0];
    REQUIRE(b->cells && b->cells->particle_count == b->count);
    double sum = 0;
    for (int i = 0; i < b->count; ++i) {
        sum += b->cells->volumes[i];
    }
    ENSURE(sum > 0.8 * volume && sum < volume); // the top is a tenth, and the lid is vaulted
    phx_world_destroy(world);
    phx_mesh_destroy(mesh);
}
