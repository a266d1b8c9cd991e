// SPDX-License-Identifier: MIT
#include "io/run_colliders.h"

#include "core/file.h"
#include "geometry/body_mesh.h"
#include "io/frame.h"
#include "world/world.h"

#include <stdio.h>
#include <unistd.h>

/// Vertices along the largest side of a shape.
#define FINENESS 60.0

/// In the axes of the collider, without its scale. Containers and what has no end are not drawn.
static phx_result make_mesh(phxi_heap* heap, const phxi_scene_collider* source, const phxi_collider* collider,
                            phx_mesh** mesh) {
    phxi_box box;
    const phx_vec3 none = {0, 0, 0};
    if (!source->shown || collider->inside) {
        return PHX_OK;
    }
    if (collider->field) {
        return phxi_mesh_transformed(phxi_distance_field_mesh(collider->field), 1, none, none, &heap->allocator, mesh);
    }
    if (!phxi_shape_bounds(collider->shape, &box)) {
        return PHX_OK;
    }
    phx_vec3 extent = phxi_sub(box.high, box.low);
    double largest = fmax(extent.x, fmax(extent.y, extent.z));
    phx_body_def def = {.shape = source->def.shape, .scale = 1, .spacing = 2 * largest / FINENESS};
    return largest > 0 ? phxi_body_mesh(heap, &def, mesh) : PHX_OK;
}

phx_result phxi_collider_output_open(phxi_collider_output* output, const phx_scene* scene, const phx_world* world,
                                     phxi_heap* heap, const char* folder) {
    *output = (phxi_collider_output){.heap = heap, .folder = folder, .world = world};
    output->pvd = phxi_path_join(heap, folder, "obstacles.pvd");
    output->meshes = phxi_alloc_zero(heap, (size_t)scene->colliders.count, sizeof *output->meshes, "obstacles");
    if (!output->pvd || !output->meshes) {
        return PHX_ERROR_MEMORY;
    }
    output->count = scene->colliders.count;
    for (int c = 0; c < output->count; ++c) {
        const phxi_collider* collider = &world->colliders.items[c];
        PHXI_TRY(make_mesh(heap, &scene->colliders.items[c], collider, &output->meshes[c]));
        output->any = output->any || output->meshes[c];
        output->moving = output->moving || (output->meshes[c] && collider->driven);
    }
    if (!output->any) {
        unlink(output->pvd); // of an earlier run
        return PHX_OK;
    }
    char* path = phxi_path_join(heap, folder, "obstacles");
    phx_result result = path ? phxi_make_folder(path) : PHX_ERROR_MEMORY;
    phxi_free(heap, path);
    return result;
}

void phxi_collider_output_close(phxi_collider_output* output) {
    for (int c = 0; c < output->count; ++c) {
        phx_mesh_destroy(output->meshes[c]);
    }
    output->count = 0; // memory goes with the heap
}

static void place_mesh(const phx_mesh* mesh, const phxi_collider* collider, phx_frame* frame, int point, int triangle) {
    double* positions = phx_frame_positions(frame) + 3 * (size_t)point;
    int* indices = phx_frame_indices(frame) + 3 * (size_t)triangle;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        phx_vec3 x = phxi_pose_world(&collider->now, phxi_scale(collider->scale, mesh->positions[i]));
        positions[3 * i] = x.x, positions[3 * i + 1] = x.y, positions[3 * i + 2] = x.z;
    }
    for (int i = 0; i < 3 * mesh->triangle_count; ++i) {
        indices[i] = mesh->triangles[i] + point;
    }
}

static phx_result make_frame(const phxi_collider_output* output, phx_frame** frame) {
    int points = 0, triangles = 0;
    for (int c = 0; c < output->count; ++c) {
        points += output->meshes[c] ? output->meshes[c]->vertex_count : 0;
        triangles += output->meshes[c] ? output->meshes[c]->triangle_count : 0;
    }
    PHXI_TRY(phx_frame_create(points, triangles, phx_world_time(output->world), &output->heap->allocator, frame));
    float* number; // of the collider: each has a look
    PHXI_TRY(phx_frame_add_field(*frame, "body", 1, &number));
    points = triangles = 0;
    for (int c = 0; c < output->count; ++c) {
        const phx_mesh* mesh = output->meshes[c];
        if (mesh) {
            place_mesh(mesh, &output->world->colliders.items[c], *frame, points, triangles);
            for (int i = 0; i < mesh->vertex_count; ++i) {
                number[points + i] = (float)c;
            }
            points += mesh->vertex_count;
            triangles += mesh->triangle_count;
        }
    }
    return PHX_OK;
}

static void pvd_entry(const void* context, int i, phxi_pvd_entry* entry) {
    entry->time = i / *(const double*)context;
    snprintf(entry->file, sizeof entry->file, "obstacles/obstacle_%05d.vtp", i);
}

phx_result phxi_collider_output_list(const phxi_collider_output* output, int count, double fps) {
    return output->any ? phxi_pvd_save(output->heap, output->pvd, count, pvd_entry, &fps) : PHX_OK;
}

phx_result phxi_collider_output_write(phxi_collider_output* output, int number, double fps) {
    if (!output->any || (number > 0 && !output->moving)) {
        return PHX_OK;
    }
    char name[64];
    snprintf(name, sizeof name, "obstacles/obstacle_%05d.vtp", number);
    char* path = phxi_path_join(output->heap, output->folder, name);
    phx_frame* frame = NULL;
    phx_result result = path ? make_frame(output, &frame) : PHX_ERROR_MEMORY;
    if (result == PHX_OK) {
        result = phx_frame_write(frame, path);
    }
    phx_frame_destroy(frame);
    phxi_free(output->heap, path);
    PHXI_TRY(result);
    return phxi_collider_output_list(output, number + 1, fps);
}
