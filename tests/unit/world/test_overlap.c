// SPDX-License-Identifier: MIT
// Bodies that were put into each other or into colliders: what is told, restart, bodies that come later.
#include "support/test.h"
#include "world/world.h"

#include <phyxel/io.h>

#include <string.h>

typedef struct lines {
    int count;
    char last[256];
} lines;

static void keep(void* context, phx_log_level level, const char* line) {
    lines* l = context;
    if (level == PHX_LOG_WARNING) {
        ++l->count;
        snprintf(l->last, sizeof l->last, "%s", line);
    }
}

static phx_world* make(lines* told, phx_material_id* material) {
    phx_world_def def = phx_world_def_default();
    phx_material_def soft = phx_material_def_default();
    phx_world* world = NULL;
    def.threads = 1;
    def.gravity = (phx_vec3){0, 0, 0};
    def.log = (phx_log){keep, told};
    soft.young = 1e5;
    ENSURE_OK(phx_world_create(&def, &world));
    ENSURE_OK(phx_material_create(world, &soft, material));
    return world;
}

static phx_result add(phx_world* world, phx_material_id material, const char* name, double z) {
    phx_body_def def = phx_body_def_default();
    phx_body_id body;
    def.name = name;
    def.shape = "box(size=(0.08,0.08,0.08))";
    def.translate = (phx_vec3){0.003, 0, z};
    def.spacing = 0.02;
    def.material = material;
    return phx_body_create(world, &def, &body);
}

static double most_overlap(const phx_world* world) {
    double most = 0;
    for (int i = 0; i < world->particles.count; ++i) {
        most = fmax(most, (double)world->particles.overlap[i]);
    }
    return most;
}

TEST(told_once_with_names_and_depth) {
    lines told = {0};
    phx_material_id material;
    phx_world* world = make(&told, &material);
    ENSURE_OK(add(world, material, "low", 0.04));
    ENSURE_OK(add(world, material, "high", 0.09));
    REQUIRE_OK(phx_world_step(world, 0.01));
    ENSURE(told.count == 1);
    ENSURE(strstr(told.last, "'low'") && strstr(told.last, "'high'") && strstr(told.last, "particles"));
    ENSURE(most_overlap(world) > 0.02 && most_overlap(world) < 0.06);
    REQUIRE_OK(phx_world_step(world, 1.5));
    ENSURE(told.count == 1);
    ENSURE(most_overlap(world) == 0);
    phx_totals t;
    ENSURE_OK(phx_world_measure(world, &t));
    ENSURE(t.max_speed < 1);
    phx_world_destroy(world);
}

TEST(side_by_side_is_no_overlap) {
    lines told = {0};
    phx_material_id material;
    phx_world* world = make(&told, &material);
    ENSURE_OK(add(world, material, "low", 0.04));
    ENSURE_OK(add(world, material, "high", 0.12));
    REQUIRE_OK(phx_world_step(world, 0.01));
    ENSURE(told.count == 0);
    ENSURE(most_overlap(world) == 0);
    phx_world_destroy(world);
}

TEST(colliders_let_bodies_out) {
    lines told = {0};
    phx_material_id material;
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id id;
    phx_world* world = make(&told, &material);
    ENSURE_OK(add(world, material, "box", 0.02));
    ENSURE_OK(phx_collider_create(world, &floor, &id));
    REQUIRE_OK(phx_world_step(world, 1));
    ENSURE(told.count == 1);
    ENSURE(strstr(told.last, "'box'") && strstr(told.last, "'collider'"));
    for (int i = 0; i < world->particles.count; ++i) {
        ENSURE(world->particles.z[i] > 0.009f);
    }
    phx_totals t;
    ENSURE_OK(phx_world_measure(world, &t));
    ENSURE(t.max_speed < 0.5);
    phx_world_destroy(world);
}

TEST(bodies_that_come_later) {
    lines told = {0};
    phx_material_id material;
    phx_world* world = make(&told, &material);
    ENSURE_OK(add(world, material, "low", 0.04));
    REQUIRE_OK(phx_world_step(world, 0.05));
    ENSURE(told.count == 0);
    ENSURE_OK(add(world, material, "late", 0.1));
    REQUIRE_OK(phx_world_step(world, 0.05));
    ENSURE(told.count == 1);
    ENSURE(most_overlap(world) > 0);
    phx_world_destroy(world);
}

TEST(restart_goes_on_with_the_same_bits) {
    lines told[2] = {{0}};
    phx_material_id material;
    phx_world* world[2];
    for (int k = 0; k < 2; ++k) {
        world[k] = make(&told[k], &material);
        ENSURE_OK(add(world[k], material, "low", 0.04));
        ENSURE_OK(add(world[k], material, "high", 0.09));
    }
    REQUIRE_OK(phx_world_step(world[0], 0.06));
    ENSURE(most_overlap(world[0]) > 0); // in the middle of it
    REQUIRE_OK(phx_checkpoint_save(world[0], phxt_path("half.phx")));
    REQUIRE_OK(phx_world_step(world[0], 0.06));
    REQUIRE_OK(phx_checkpoint_load(world[1], phxt_path("half.phx")));
    REQUIRE_OK(phx_world_step(world[1], 0.06));
    ENSURE(phx_world_hash(world[0]) == phx_world_hash(world[1]));
    ENSURE(told[1].count == 0);
    phx_world_destroy(world[0]);
    phx_world_destroy(world[1]);
}

/// A block of steel with implicit steps, turned about z, that stands on something or is in it by `depth`: the largest
/// kinetic energy of its first steps over m g spacing.
static double stirred(const char* method, bool on_wall, double depth) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_material_def steel = phx_material_def_default();
    phx_body_def ground = phx_body_def_default(), block = ground;
    phx_collider_def floor = phx_collider_def_default();
    phx_body_id ids[2];
    phx_collider_id collider;
    def.threads = 1;
    steel.young = 2e11;
    steel.density = 7860;
    ENSURE_OK(phx_world_create(&def, &world));
    ENSURE_OK(phx_material_create(world, &steel, &ground.material));
    block.material = ground.material;
    ground.name = "ground";
    ground.method = "wall";
    ground.shape = "box(center=(0,0,-0.1), size=(0.8,0.8,0.2))";
    floor.shape = "plane()";
    block.name = "block";
    block.method = method;
    block.shape = "box(size=(0.3,0.3,0.3))";
    block.rotate = (phx_vec3){0, 0, 30};
    block.translate = (phx_vec3){0, 0, 0.15 - depth};
    ground.spacing = block.spacing = 0.05;
    ENSURE_OK(on_wall ? phx_body_create(world, &ground, &ids[0]) : phx_collider_create(world, &floor, &collider));
    ENSURE_OK(phx_body_create(world, &block, &ids[1]));
    double most = 0, mass = 0;
    for (int k = 0; k < 8; ++k) {
        phx_totals t;
        ENSURE_OK(phx_world_step(world, 1.0 / 60));
        ENSURE_OK(phx_body_measure(world, ids[1], &t));
        most = fmax(most, t.kinetic);
        mass = t.mass;
    }
    phx_world_destroy(world);
    return most / (mass * 9.81 * block.spacing);
}

// Edges of what cuts cells lean, and see what lies below them as deep in them; implicit steps would throw that out at
// once (571 J of this block).
TEST(a_turned_block_stands_on_a_wall) {
    ENSURE_NEAR(stirred("peridynamics", true, 0), 0, 1e-4);
    ENSURE_NEAR(stirred("efg", true, 0), 0, 1e-3);
    ENSURE_NEAR(stirred("peridynamics", false, 0), 0, 1e-4);
}

TEST(implicit_steps_part_slowly) {
    ENSURE_NEAR(stirred("peridynamics", true, 0.02), 0, 0.02);
    ENSURE_NEAR(stirred("peridynamics", false, 0.02), 0, 0.02);
}

// A ball that begins inside a block of sand and is stopped by a driver: contacts that arise inside the block while the
// two part begin as deep as the first ones did. As springs of the world's compliance they would fling the sand away.
static const char* const stopped_inside_sand =
    "world: {contact: projection, compliance: 1e-6}\n"
    "bodies:\n"
    "  sand: {shape: \"box(size=(0.05,0.06,0.07))\", spacing: 0.01, rotate: [-124, -150, -106],\n"
    "         translate: [-0.008, -0.005, 0.154], velocity: [1.7, -0.8, -2], material: wet_sand, method: granular}\n"
    "  ball: {shape: \"sphere(radius=0.025)\", spacing: 0.01, translate: [0, 0, 0.213], velocity: [-4.6, 4.1, 1.9],\n"
    "         material: aluminium, method: elastoplastic_sph}\n"
    "drivers:\n"
    "  turn: {kind: spin, body: ball, region: \"plane(point=(0, 0, 0.2128), normal=(-0.914, -0.4917, -0.2895))\",\n"
    "         angle: 35, axis: [0.23, -0.8, 0.33], center: [0, 0, 0.058], ramp: 0.264}\n";

/// Kinetic energy after a time over that at the start.
static double motion_left(const char* text, double time) {
    phx_scene* scene = NULL;
    phx_world* world = NULL;
    phx_world_def def = phx_world_def_default();
    phx_totals first = {0}, last = {0};
    def.threads = 1;
    ENSURE_OK(phx_scene_parse("text", text, strlen(text), NULL, NULL, &scene));
    ENSURE_OK(phx_scene_build(scene, &def, &world));
    ENSURE_OK(phx_world_measure(world, &first));
    ENSURE_OK(phx_world_step(world, time));
    ENSURE_OK(phx_world_measure(world, &last));
    phx_world_destroy(world);
    phx_scene_destroy(scene);
    return last.kinetic / first.kinetic;
}

TEST(contacts_that_arise_inside_part_slowly_too) {
    ENSURE(motion_left(stopped_inside_sand, 0.0005) < 1); // 4.9 J; 67 J before
}

// Two blocks that turn while they part. Their last contact is out of the other along the way that all were pushed, and
// for its own face still 4 mm deep.
static const char* const leaving_round_a_corner =
    "world: {gravity: [0, 0, 0]}\n"
    "bodies:\n"
    "  lower: {shape: \"box(size=(0.1501,0.1189,0.0909))\", spacing: 0.02, translate: [0.01618, 0.01476, 0.2892],\n"
    "          rotate: [174.3, -58.81, 58.21], velocity: [0.02767, -0.02587, 0.2166],\n"
    "          angular_velocity: [6.943, -1.572, -4.207], friction: 0.8, material: steel, method: corotated_sph}\n"
    "  upper: {shape: \"box(size=(0.09952,0.1543,0.1861))\", spacing: 0.02, translate: [-0.07317, 0, 0.4574],\n"
    "          velocity: [1.558, 0.9833, -1.365], angular_velocity: [9.038, -0.9507, 4.041], material: steel,\n"
    "          method: elastoplastic_sph}\n";

TEST(out_is_what_springs_would_leave_alone) {
    ENSURE(motion_left(leaving_round_a_corner, 0.0085) < 1.05); // 66 J, and what parting takes; 594 J before
}
