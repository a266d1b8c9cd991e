// SPDX-License-Identifier: MIT
// Meshes of other programs in scenes: which axis is up, and standing on the floor.
#include "support/test.h"

#include "io/scene_place.h"
#include "world/world.h"

/// A wedge of 2 x 1 x 3 m, whose lowest corner is at (1, 2, 3).
static const char WEDGE[] = "v 1 2 3\nv 3 2 3\nv 1 3 3\nv 1 2 6\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

static phx_scene* scene_of(const char* bodies, const char* colliders) {
    char text[1024];
    FILE* file = fopen(phxt_path("wedge.obj"), "wb");
    if (file) {
        fwrite(WEDGE, 1, sizeof WEDGE - 1, file);
        fclose(file);
    }
    snprintf(text, sizeof text,
             "bodies: {a: {mesh: %s, spacing: 0.4, material: jelly%s}}\ncolliders: {%s}\nrun: {formats: []}\n",
             phxt_path("wedge.obj"), bodies, colliders);
    phx_scene* scene = NULL;
    if (phx_scene_parse("t.yaml", text, strlen(text), ".", NULL, &scene) != PHX_OK) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return scene;
}

/// Box of the first body's mesh as it is built.
static phxi_box placed_box(const phx_scene* scene) {
    phx_body_def def;
    phx_mesh *mesh = NULL, *placed = NULL;
    ENSURE_OK(phxi_scene_place_body(scene, &scene->bodies.items[0], NULL, &def, &mesh));
    ENSURE_OK(phxi_mesh_transformed(mesh, def.scale, def.rotate, def.translate, NULL, &placed));
    const phxi_box box = placed ? phxi_mesh_box(placed) : (phxi_box){{0, 0, 0}, {0, 0, 0}};
    phx_mesh_destroy(mesh);
    phx_mesh_destroy(placed);
    return box;
}

static void ensure_box(const char* body, const char* colliders, phx_vec3 low, phx_vec3 high) {
    phx_scene* scene = scene_of(body, colliders);
    REQUIRE(scene);
    const phxi_box box = placed_box(scene);
    ENSURE_NEAR(phxi_length(phxi_sub(box.low, low)), 0, 1e-12);
    ENSURE_NEAR(phxi_length(phxi_sub(box.high, high)), 0, 1e-12);
    phx_scene_destroy(scene);
}

TEST(the_axis_that_is_up) {
    ensure_box("", "", phxi_vec3(1, 2, 3), phxi_vec3(3, 3, 6));
    ensure_box(", up: z", "", phxi_vec3(1, 2, 3), phxi_vec3(3, 3, 6));
    ensure_box(", up: y", "", phxi_vec3(1, -6, 2), phxi_vec3(3, -3, 3));
    ensure_box(", up: x", "", phxi_vec3(-6, 2, 1), phxi_vec3(-3, 3, 3));
    ensure_box(", up: y, translate: [0, 6, -2]", "", phxi_vec3(1, 0, 0), phxi_vec3(3, 3, 1)); // turned first
}

TEST(standing_on_the_floor) {
    ensure_box(", place: on_floor", "", phxi_vec3(1, 2, 0), phxi_vec3(3, 3, 3));
    ensure_box(", place: on_floor, up: y, scale: 2, translate: [1, 0, 7]", "", phxi_vec3(3, -12, 0),
               phxi_vec3(7, -6, 2));
    ensure_box(", place: on_floor",
               "low: {}, high: {shape: 'plane(point=(0,0,0.5))'}, side: {shape: "
               "'plane(point=(9,0,9),normal=(1,0,0))'}, top: {shape: "
               "'plane(point=(0,0,20),normal=(0,0,-1))'}",
               phxi_vec3(1, 2, 0.5), phxi_vec3(3, 3, 3.5));
}

TEST(obstacles_stand_on_the_floor) {
    phx_scene* scene = scene_of("", "floor: {}");
    char text[512];
    REQUIRE(scene);
    phx_scene_destroy(scene);
    snprintf(text, sizeof text,
             "bodies: {a: {shape: sphere(radius=1), spacing: 0.5, material: jelly, translate: [0, 0, 30]}}\n"
             "colliders: {thing: {mesh: %s, place: on_floor, up: y}}\nrun: {formats: []}\n",
             phxt_path("wedge.obj"));
    REQUIRE_OK(phx_scene_parse("t.yaml", text, strlen(text), ".", NULL, &scene));
    phx_world* world = NULL;
    REQUIRE_OK(phx_scene_build(scene, &scene->world, &world));
    const phxi_collider* thing = &world->colliders.items[0];
    ENSURE(phxi_collider_distance(thing, phxi_vec3(1.2, -3.2, 0.1)) < 0);
    ENSURE(phxi_collider_distance(thing, phxi_vec3(1.2, -3.2, -0.1)) > 0.09);
    phx_world_destroy(world);
    phx_scene_destroy(scene);
}

TEST(shapes_have_no_file) {
    static const char text[] =
        "bodies: {a: {shape: sphere(radius=1), spacing: 0.5, material: jelly, place: on_floor}}\n";
    phx_scene* scene = NULL;
    phx_world* world = NULL;
    REQUIRE_OK(phx_scene_parse("t.yaml", text, strlen(text), ".", NULL, &scene));
    ENSURE_RESULT(phx_scene_build(scene, &scene->world, &world), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("t.yaml:1:");
    ENSURE_MESSAGE("bodies.a: `up` and `place` are for meshes");
    phx_scene_destroy(scene);
}
