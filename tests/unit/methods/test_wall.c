// SPDX-License-Identifier: MIT
// Walls: their layers, normals that turn along, volumes as fluids see them, and what touches them.
#include "support/points.h"

static phx_world* world_of(phx_vec3 period) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    def.threads = 2;
    def.period = period;
    return phx_world_create(&def, &world) == PHX_OK ? world : NULL;
}

static phx_result add(phx_world* world, const char* name, const char* shape, double spacing, const char* method,
                      const phx_setting* settings, int setting_count) {
    phx_material_def md = phx_material_def_default();
    phx_body_def bd = phx_body_def_default();
    phx_body_id body;
    PHXI_TRY(phx_material_create(world, &md, &bd.material));
    bd.name = name;
    bd.shape = shape;
    bd.spacing = spacing;
    bd.method = method;
    bd.settings = settings;
    bd.setting_count = setting_count;
    return phx_body_create(world, &bd, &body);
}

static phx_vec3 normal_of(const phxi_particles* p, int i) {
    return phxi_vector_at(p->boundary_normal, i);
}

TEST(deep_particles_are_left_out) {
    phx_world* world = world_of(phxi_vec3(0, 0, 0));
    REQUIRE(world);
    REQUIRE_OK(add(world, "block", "box(size=(2,2,2))", 0.1, "wall", NULL, 0));
    const phxi_particles* p = &world->particles;
    ENSURE(p->count == 20 * 20 * 20 - 14 * 14 * 14);
    const phx_real* depth = p->boundary_depth;
    for (int i = 0; i < p->count; ++i) {
        double reach = fmax(fabs((double)p->x[i]), fmax(fabs((double)p->y[i]), fabs((double)p->z[i])));
        ENSURE_NEAR(depth[i], 1 - reach, 1e-6);
        phx_vec3 out = phxi_add_scaled(phxi_vec3(p->x[i], p->y[i], p->z[i]), (double)depth[i], normal_of(p, i));
        ENSURE_NEAR(fmax(fabs(out.x), fmax(fabs(out.y), fabs(out.z))), 1, 1e-6);
    }
    phx_world_destroy(world);
}

TEST(normals_turn_with_the_body_and_walls_without_a_driver_stand) {
    phx_world* world = world_of(phxi_vec3(0, 0, 0));
    REQUIRE(world);
    REQUIRE_OK(add(world, "paddle", "box(size=(1,0.4,0.6))", 0.1, "wall", NULL, 0));
    REQUIRE_OK(add(world, "floor", "box(center=(0,0,-2),size=(1,1,0.3))", 0.1, "wall", NULL, 0));
    const phxi_particles* p = &world->particles;
    int count = world->bodies.items[0].count;
    phx_driver_def dd = phx_driver_def_default();
    phx_driver_id driver;
    dd.kind = PHX_DRIVER_TWIST;
    dd.body = "paddle";
    dd.angle = 90;
    dd.ramp = 0.5;
    REQUIRE_OK(phx_driver_create(world, &dd, &driver));
    phx_vec3* before = calloc((size_t)count, sizeof *before);
    for (int i = 0; i < count; ++i) {
        before[i] = normal_of(p, i);
    }
    for (int k = 0; k < 10; ++k) {
        REQUIRE_OK(phx_world_step(world, 0.1));
    }
    for (int i = 0; i < count; ++i) {
        phx_vec3 n = normal_of(p, i);
        ENSURE_NEAR(n.x, -before[i].y, 1e-5);
        ENSURE_NEAR(n.y, before[i].x, 1e-5);
        ENSURE_NEAR(n.z, before[i].z, 1e-5);
    }
    free(before);
    for (int i = count; i < p->count; ++i) {
        ENSURE(p->z[i] == p->rest_z[i] && p->vz[i] == 0);
    }
    phxi_step step = phxi_world_context(world, 0);
    phxi_boundary_view view;
    phx_vec3 n;
    world->solvers.items[0].method->boundary->view(world->solvers.items[0].state, &step, 0, &view);
    ENSURE_NEAR(phxi_boundary_distance(&view, phxi_vec3(0, 0.7, 0), &n), 0.2, 1e-5);
    ENSURE_NEAR(n.y, 1, 1e-5);
    phx_world_destroy(world);
}

TEST(akinci_volumes_of_a_flat_layer_are_equal) {
    phx_world* world = world_of(phxi_vec3(1, 1, 0));
    REQUIRE(world);
    const phx_setting one_layer[] = {{"masses", "akinci"}, {"layers", "1"}, {"kernel", "cubic"}, {"gamma", "1"}};
    REQUIRE_OK(add(world, "floor", "box(size=(1,1,0.1))", 0.1, "wall", one_layer, 4));
    REQUIRE_OK(phx_world_step(world, 1e-3));
    const phxi_particles* p = &world->particles;
    const phx_real* volume = p->boundary_volume;
    double sum = 0;
    for (int i = -1; i <= 1; ++i) {
        for (int j = -1; j <= 1; ++j) {
            sum += phxi_kernel_value(PHXI_KERNEL_CUBIC, 0.1 * sqrt(i * i + j * j), 0.2);
        }
    }
    for (int i = 0; i < p->count; ++i) {
        ENSURE_NEAR((double)volume[i] * sum, 1, 1e-5);
    }
    phx_world_destroy(world);
}

TEST(solids_rest_on_walls) {
    phx_world* world = world_of(phxi_vec3(0, 0, 0));
    REQUIRE(world);
    REQUIRE_OK(add(world, "floor", "box(center=(0,0,-0.2),size=(1.2,1.2,0.4))", 0.1, "wall", NULL, 0));
    REQUIRE_OK(add(world, "cube", "box(center=(0,0,0.2),size=(0.4,0.4,0.4))", 0.1, "efg", NULL, 0));
    REQUIRE_OK(phx_world_step(world, 0.5));
    const phxi_particles* p = &world->particles;
    const phxi_body* cube = &world->bodies.items[1];
    for (int i = cube->begin; i < cube->begin + cube->count; ++i) {
        ENSURE(p->z[i] > -0.02);
    }
    phx_world_destroy(world);
}

TEST(a_wall_has_no_velocity_of_its_own) {
    phx_world* world = world_of(phxi_vec3(0, 0, 0));
    REQUIRE(world);
    phx_material_def md = phx_material_def_default();
    phx_body_def bd = phx_body_def_default();
    phx_body_id body;
    REQUIRE_OK(phx_material_create(world, &md, &bd.material));
    bd.shape = "box()";
    bd.spacing = 0.2;
    bd.method = "wall";
    bd.velocity = phxi_vec3(1, 0, 0);
    ENSURE_RESULT(phx_body_create(world, &bd, &body), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("driver");
    phx_world_destroy(world);
}
