// SPDX-License-Identifier: MIT
// A frame of a world: its particles with chosen fields.
#include "surface/frame.h"

#include "world/world.h"

#include <stdio.h>
#include <string.h>

// Copies one world field into a frame.
static phx_result copy_field(const phx_world* world, const phx_field_info* info, phxi_heap* scratch, phx_frame* frame) {
    size_t count = (size_t)frame->points * (size_t)info->components;
    phx_real* from;
    float* to;
    PHXI_NEW(from, scratch, count, "field of the world");
    phx_result result = phx_world_field(world, info->name, from);
    if (result == PHX_OK) {
        result = phx_frame_add_field(frame, info->name, info->components, &to);
    }
    for (size_t i = 0; result == PHX_OK && i < count; ++i) {
        to[i] = (float)from[i];
    }
    phxi_free(scratch, from);
    return result;
}

static const phx_field_info* find_info(const phx_world* world, const char* name, size_t length) {
    const phx_field_info* info;
    for (int i = 0; (info = phx_world_field_info(world, i)); ++i) {
        if (strlen(info->name) == length && strncmp(info->name, name, length) == 0) {
            return info;
        }
    }
    return NULL;
}

static phx_result copy_fields(const phx_world* world, const char* names, phx_frame* frame) {
    while (names && *(names += strspn(names, " "))) {
        size_t length = strcspn(names, " ");
        const phx_field_info* info = find_info(world, names, length);
        if (!info) {
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), names);
            return phx_world_field(world, name, NULL); // says what there is
        }
        PHXI_TRY(copy_field(world, info, &frame->heap, frame));
        names += length;
    }
    return PHX_OK;
}

phx_result phx_frame_of_world(const phx_world* world, const char* fields, phx_frame** frame) {
    if (!world || !frame) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a frame needs a world and a place for it");
    }
    phx_particle_view view = phx_world_particles(world);
    PHXI_TRY(phx_frame_create(view.count, 0, phx_world_time(world), &world->def.allocator, frame));
    for (int i = 0; i < view.count; ++i) {
        (*frame)->positions[3 * i] = (double)view.x[i];
        (*frame)->positions[3 * i + 1] = (double)view.y[i];
        (*frame)->positions[3 * i + 2] = (double)view.z[i];
    }
    phx_result result = copy_fields(world, fields, *frame);
    if (result != PHX_OK) {
        phx_frame_destroy(*frame);
        *frame = NULL;
    }
    return result;
}
