// SPDX-License-Identifier: MIT
// Walls: their layers, normals that turn along, volumes as fluids see them, and what touches them.
#include "support/points.h"

#include <phyxel/io.h>

#include <stdio.h>
#include <string.h>

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

/// A scene of text, as far as `duration`.
static phx_result run(const char* text, double duration, phx_world** world) {
    phx_scene* scene = NULL;
    phx_world_def def = phx_world_def_default();
    def.threads = 2;
    PHXI_TRY(phx_scene_parse("walls", text, strlen(text), NULL, NULL, &scene));
    phx_result result = phx_scene_build(scene, &def, world);
    phx_scene_destroy(scene);
    return result == PHX_OK ? phx_world_step(*world, duration) : result;
}

static const char water[] = "bodies:\n"
                            "  pool: {shape: \"box(center=(0,0,0.05), size=(0.1,0.1,0.1))\", spacing: 0.02,\n"
                            "         material: water, method: wcsph}\n"
                            "  floor: {shape: \"box(center=(0,0,-0.03), size=(0.2,0.2,0.06))\", spacing: 0.02,\n"
                            "          material: steel, %s}\n"
                            "  paddle: {shape: \"box(center=(0.1,0,0.05), size=(0.04,0.1,0.06))\", spacing: 0.02,\n"
                            "           material: steel, %s}\n"
                            "drivers:\n"
                            "  turn: {kind: spin, body: paddle, angle: 90, axis: [0, 0, 1], center: [0.1, 0, 0]}\n";

static phx_world* flow_along(const char* floor, const char* paddle) {
    char text[1000];
    phx_world* world = NULL;
    snprintf(text, sizeof text, water, floor, paddle);
    ENSURE_OK(run(text, 0.02, &world));
    return world;
}

TEST(a_kinematic_rigid_body_is_a_wall) {
    static const char kinematic[] = "method: rigid, rigid: {kinematic: true}";
    phx_world *walls = flow_along("method: wall", "method: wall"), *rigid = flow_along(kinematic, kinematic),
              *both = flow_along("method: wall", kinematic);
    REQUIRE(walls && rigid && both);
    const phxi_particles *p = &walls->particles, *q = &rigid->particles, *r = &both->particles;
    REQUIRE(p->count == q->count && p->count == r->count);
    size_t size = (size_t)p->count * sizeof *p->x;
    ENSURE(memcmp(p->x, q->x, size) == 0 && memcmp(p->vz, q->vz, size) == 0);
    ENSURE(memcmp(p->x, r->x, size) == 0 && memcmp(p->vz, r->vz, size) == 0);
    ENSURE(memcmp(p->boundary_normal[0], q->boundary_normal[0], size) == 0);
    ENSURE(memcmp(p->boundary_normal[0], r->boundary_normal[0], size) == 0);
    phx_world_destroy(walls);
    phx_world_destroy(rigid);
    phx_world_destroy(both);
}

/// How fast a block that lies on a disc which turns by 1 rad/s goes along and turns, over what the disc does there.
static void turn_along(const char* method, double* along, double* turned) {
    char text[1000];
    snprintf(text, sizeof text,
             "bodies:\n"
             "  disc: {shape: \"cylinder(from=(0,0,-0.06), to=(0,0,0), radius=0.25)\", spacing: 0.02,\n"
             "         material: steel, method: wall, friction: 0.8}\n"
             "  block: {shape: \"box(center=(0.12,0,0.04), size=(0.08,0.08,0.08))\", spacing: 0.02,\n"
             "          material: rubber, %s, friction: 0.8}\n"
             "drivers:\n"
             "  turn: {kind: spin, body: disc, angle: 57.29577951, axis: [0, 0, 1]}\n",
             method);
    phx_world* world = NULL;
    phx_totals t;
    *along = *turned = 0;
    REQUIRE_OK(run(text, 0.3, &world));
    phx_body_id block = {1, world->bodies.items[1].generation};
    ENSURE_OK(phx_body_measure(world, block, &t));
    phx_vec3 at = t.mean_position, v = phxi_scale(1 / t.mass, t.momentum);
    *along = (at.x * v.y - at.y * v.x) / (at.x * at.x + at.y * at.y);
    *turned = atan2(at.y, at.x);
    ENSURE_NEAR(hypot(at.x, at.y), 0.12, 0.004);
    phx_world_destroy(world);
}

TEST(what_lies_on_a_wall_turns_along) {
    static const char* const methods[] = {"method: rigid, rigid: {modulus: 1e6}", "method: efg",
                                          "method: efg, efg: {integrator: bdf2}", "method: peridynamics"};
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; ++k) {
        double along, turned;
        turn_along(methods[k], &along, &turned);
        ENSURE_NEAR(along, 1, 0.05);
        ENSURE_NEAR(turned, 0.3, 0.03);
    }
}

TEST(drivers_must_move_a_wall_as_one) {
    phx_world* world = NULL;
    ENSURE_RESULT(run("bodies:\n"
                      "  wall: {shape: \"box(size=(0.2,0.2,0.2))\", spacing: 0.02, material: steel, method: wall}\n"
                      "drivers:\n"
                      "  pull: {kind: velocity, body: wall, region: \"plane(point=(0,0,0.05), normal=(0,0,-1))\",\n"
                      "         vector: [0, 0, 1]}\n",
                      0.1, &world),
                  PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("as one");
    phx_world_destroy(world);
}

// A lift: what its driver does is in the height and the motion of what it lifts.
TEST(a_driver_of_a_wall_works_against_what_lies_on_it) {
    phx_world* world = NULL;
    phx_totals first, last;
    static const char lift[] =
        "bodies:\n"
        "  lift: {shape: \"box(center=(0,0,-0.03), size=(0.2,0.2,0.06))\", spacing: 0.02, material: steel,\n"
        "         method: wall}\n"
        "  block: {shape: \"box(center=(0,0,0.04), size=(0.08,0.08,0.08))\", spacing: 0.02, material: steel,\n"
        "          method: rigid, rigid: {modulus: 1e7}}\n"
        "drivers:\n"
        "  up: {kind: velocity, body: lift, vector: [0, 0, 0.2], start: 0.2, ramp: 0.1}\n";
    REQUIRE_OK(run(lift, 0.2, &world));
    phx_body_id block = {1, world->bodies.items[1].generation};
    ENSURE_OK(phx_body_measure(world, block, &first));
    double lifted = -first.potential, work;
    REQUIRE_OK(phx_world_step(world, 0.5));
    ENSURE_OK(phx_body_measure(world, block, &last));
    lifted += last.potential + last.kinetic;
    ENSURE_OK(phx_world_measure(world, &last));
    work = last.external_work;
    // the lift itself is moved, too
    ENSURE_OK(phx_body_measure(world, phx_world_body_id(world, 0), &first));
    double height = first.mean_position.z + 0.03;
    ENSURE_NEAR((work - first.mass * 9.81 * height - first.kinetic) / lifted, 1, 0.02);
    phx_world_destroy(world);
}
