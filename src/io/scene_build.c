// SPDX-License-Identifier: MIT
// A scene into a world, by the public calls alone, in the order of the file. What only building can find out (a mesh
// that cannot be read, a body too thin for its spacing, a region without particles) is reported with the place of the
// item in the scene.
#include "io/scene.h"

#include "io/scene_clamp.h"
#include "io/scene_place.h"

typedef struct builder {
    const phx_scene* scene;
    phxi_heap* heap;
    phx_world* world;
    phx_material_id* materials;
} builder;

static phx_result within(const builder* b, phx_result result, phxi_place place, const char* section, const char* name) {
    if (result != PHX_OK && result != PHX_ERROR_MEMORY) {
        phxi_fail_within(result, "%s.%s", section, name);
        return phxi_place_within(result, b->scene->name, place);
    }
    return result;
}

/// Where a message about an item that could not be read points: to the name of its file, if it has one.
static phxi_place mesh_or(const char* mesh, phxi_place mesh_place, phxi_place place) {
    return mesh ? mesh_place : place;
}

static phx_result build_body(const builder* b, const phxi_scene_body* body) {
    phx_mesh* mesh = NULL;
    phx_body_def def;
    phx_result result = phxi_scene_place_body(b->scene, body, &b->heap->allocator, &def, &mesh);
    phxi_place place = mesh_or(body->mesh, body->mesh_place, body->place);
    if (result == PHX_OK) {
        def.material = b->materials[body->material];
        def.settings = body->settings.items;
        def.setting_count = body->settings.count;
        char* clamp = NULL;
        if (!def.clamp || !def.clamp[0]) {
            result = phxi_scene_clamp(b->scene, def.name, b->heap, &clamp);
            def.clamp = clamp;
        }
        phx_body_id id;
        result = result == PHX_OK ? phx_body_create(b->world, &def, &id) : result;
        phxi_free(b->heap, clamp);
        place = body->place;
    }
    result = within(b, result, place, "bodies", def.name);
    phx_mesh_destroy(mesh);
    return result;
}

static phx_result build_collider(const builder* b, const phxi_scene_collider* collider) {
    phx_mesh* mesh = NULL;
    phx_collider_def def;
    phx_result result = phxi_scene_place_collider(b->scene, collider, &b->heap->allocator, &def, &mesh);
    phxi_place place = mesh_or(collider->mesh, collider->mesh_place, collider->place);
    if (result == PHX_OK) {
        phx_collider_id id;
        result = phx_collider_create(b->world, &def, &id);
        place = collider->place;
    }
    phx_mesh_destroy(mesh);
    return within(b, result, place, "colliders", def.name);
}

static phx_result build_all(const builder* b) {
    const phx_scene* scene = b->scene;
    for (int i = 0; i < scene->materials.count; ++i) {
        const phxi_scene_material* material = &scene->materials.items[i];
        phx_result result = phx_material_create(b->world, &material->def, &b->materials[i]);
        PHXI_TRY(within(b, result, material->place, "materials", material->name));
    }
    for (int i = 0; i < scene->bodies.count; ++i) {
        PHXI_TRY(build_body(b, &scene->bodies.items[i]));
    }
    for (int i = 0; i < scene->colliders.count; ++i) {
        PHXI_TRY(build_collider(b, &scene->colliders.items[i]));
    }
    for (int i = 0; i < scene->drivers.count; ++i) {
        const phxi_scene_driver* driver = &scene->drivers.items[i];
        phx_driver_id id;
        phx_driver_def def = driver->def;
        def.ramp = scene->run.statics && def.start == 0 ? 0 : def.ramp; // loads grow in load steps
        phx_result result = phx_driver_create(b->world, &def, &id);
        PHXI_TRY(within(b, result, driver->place, "drivers", driver->def.name));
    }
    for (int i = 0; i < scene->probes.count; ++i) {
        const phxi_scene_probe* probe = &scene->probes.items[i];
        phx_probe_id id;
        phx_result result = phx_probe_create(b->world, &probe->def, &id);
        PHXI_TRY(within(b, result, probe->place, "probes", probe->def.name));
    }
    return PHX_OK;
}

phx_result phx_scene_build(const phx_scene* scene, const phx_world_def* def, phx_world** world) {
    if (!scene || !def || !world) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_scene_build needs a scene, a definition and a place for the world");
    }
    phx_world_def own = scene->world;
    own.threads = def->threads > 0 ? def->threads : scene->world.threads;
    own.allocator = def->allocator;
    own.log = def->log;
    own.stamp = def->stamp;
    phxi_heap heap;
    phxi_heap_init(&heap, &def->allocator);
    builder b = {.scene = scene, .heap = &heap};
    b.materials = phxi_alloc(&heap, (size_t)scene->materials.count, sizeof *b.materials, "scene materials");
    phx_result result = b.materials ? phx_world_create(&own, &b.world) : PHX_ERROR_MEMORY;
    if (result == PHX_OK) {
        result = build_all(&b);
    }
    phxi_heap_destroy(&heap);
    if (result != PHX_OK) {
        phx_world_destroy(b.world);
        return result;
    }
    *world = b.world;
    return PHX_OK;
}
