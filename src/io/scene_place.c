// SPDX-License-Identifier: MIT
#include "io/scene_place.h"

#include "geometry/mesh.h"
#include "geometry/shape.h"

/// How high a collider's plane is, if it is one and level; -INFINITY: it is not.
static phx_result level_of(phxi_heap* heap, const phxi_scene_collider* collider, double* level) {
    const phx_collider_def* def = &collider->def;
    phxi_shape* shape = NULL;
    *level = -INFINITY;
    if (collider->mesh || def->inside || !def->shape) {
        return PHX_OK;
    }
    phx_result result = phxi_shape_parse(heap, def->shape, &shape);
    if (result == PHX_OK && phxi_shape_is_flat(shape)) {
        result = phxi_shape_place(heap, shape, def->scale, def->rotate, def->translate);
        phx_vec3 normal;
        const double distance =
            result == PHX_OK ? phxi_shape_distance_normal(shape, phxi_vec3(0, 0, 0), &normal) : INFINITY;
        *level = result == PHX_OK && normal.z > 1 - 1e-12 ? -distance : -INFINITY;
    }
    phxi_shape_destroy(heap, shape);
    return result == PHX_ERROR_MEMORY ? result : PHX_OK; // what is wrong with a shape, building it will tell
}

/// The highest level plane of the scene; 0 if there is none.
static phx_result find_floor(const phx_scene* scene, const phx_allocator* allocator, double* floor) {
    phxi_heap heap;
    phxi_heap_init(&heap, allocator);
    phx_result result = PHX_OK;
    double highest = -INFINITY;
    for (int c = 0; result == PHX_OK && c < scene->colliders.count; ++c) {
        double level;
        result = level_of(&heap, &scene->colliders.items[c], &level);
        highest = fmax(highest, level);
    }
    *floor = isfinite(highest) ? highest : 0;
    phxi_heap_destroy(&heap);
    return result;
}

static double lowest_point(const phx_mesh* mesh, double scale, phx_vec3 rotate) {
    const phxi_mat3 turn = phxi_rotation_degrees(rotate);
    double lowest = INFINITY;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        lowest = fmin(lowest, phxi_mat3_apply(&turn, phxi_scale(scale, mesh->positions[i])).z);
    }
    return lowest;
}

/// Loads and turns a mesh.
static phx_result load(const char* path, const phxi_mesh_place* how, const phx_allocator* allocator, phx_mesh** mesh) {
    *mesh = NULL;
    if (!path) {
        return how->place == PHXI_ON_FLOOR || how->up != PHX_UP_AUTO
                   ? phxi_fail(PHX_ERROR_ARGUMENT,
                               "`up` and `place` are for meshes, expected a mesh instead of a shape")
                   : PHX_OK;
    }
    PHXI_TRY(phxi_mesh_load(path, allocator, mesh));
    phx_mesh_turn_up(*mesh, (phx_up)how->up);
    return PHX_OK;
}

/// Height that puts the lowest point on the floor.
static phx_result drop(const phx_scene* scene, const phxi_mesh_place* how, const phx_allocator* allocator,
                       const phx_mesh* mesh, double scale, phx_vec3 rotate, double* height) {
    double floor;
    if (!mesh || how->place != PHXI_ON_FLOOR) {
        return PHX_OK;
    }
    PHXI_TRY(find_floor(scene, allocator, &floor));
    *height = floor - lowest_point(mesh, scale, rotate);
    return PHX_OK;
}

phx_result phxi_scene_place_body(const phx_scene* scene, const phxi_scene_body* body, const phx_allocator* allocator,
                                 phx_body_def* def, phx_mesh** mesh) {
    *def = body->def;
    PHXI_TRY(load(body->mesh, &body->how, allocator, mesh));
    def->mesh = *mesh;
    return drop(scene, &body->how, allocator, *mesh, def->scale, def->rotate, &def->translate.z);
}

phx_result phxi_scene_place_collider(const phx_scene* scene, const phxi_scene_collider* collider,
                                     const phx_allocator* allocator, phx_collider_def* def, phx_mesh** mesh) {
    *def = collider->def;
    PHXI_TRY(load(collider->mesh, &collider->how, allocator, mesh));
    def->mesh = *mesh;
    return drop(scene, &collider->how, allocator, *mesh, def->scale, def->rotate, &def->translate.z);
}
