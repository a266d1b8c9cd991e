// SPDX-License-Identifier: MIT
// phx_frame_write: a frame as a cloud to the writer of its ending.
#include "io/frame.h"

#include <phyxel/render.h>
#include "surface/frame.h"

#include <string.h>

static phx_result write_pov(const phx_frame* frame, const char* path) {
    phx_render_def def = phx_render_def_default();
    phx_vec3 low = {1, 1, 1}, high = {-1, -1, -1};
    if (!phx_frame_bounds(frame, &low, &high)) {
        low = high = (phx_vec3){0, 0, 0};
    }
    def.camera = phx_camera_framing(low, high, (phx_vec3){0.5, -1, 0.45}, (double)def.width / def.height);
    def.floor_height = low.z < 0 ? low.z : 0;
    return phx_render_write_pov(frame, &def, path);
}

static phx_result write_cloud(const phx_frame* frame, phxi_heap* heap, phxi_cloud_writer* write, const char* path) {
    phxi_channel* channels;
    PHXI_NEW(channels, heap, frame->fields.count, "channels");
    for (int i = 0; i < frame->fields.count; ++i) {
        const phx_frame_field* field = &frame->fields.items[i];
        channels[i] = (phxi_channel){field->name, PHXI_CHANNEL_FLOAT, field->components, field->values};
    }
    phxi_cloud cloud = {.count = frame->points,
                        .positions = frame->positions,
                        .triangle_count = frame->triangles,
                        .triangles = frame->indices,
                        .channels = channels,
                        .channel_count = frame->fields.count,
                        .time = frame->time};
    return write(heap, &cloud, path);
}

phx_result phx_frame_write(const phx_frame* frame, const char* path) {
    if (!frame || !path) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_frame_write needs a frame and a path");
    }
    PHXI_TRY(phx_frame_check(frame));
    const char* dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".pov") == 0) {
        return write_pov(frame, path);
    }
    phxi_cloud_writer* write = phxi_cloud_writer_for(path);
    if (!write) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "'%.200s' has no known ending, expected .vtp, .ply, .obj or .pov", path);
    }
    phxi_heap heap;
    phxi_heap_init(&heap, &frame->heap.allocator);
    phx_result result = write_cloud(frame, &heap, write, path);
    phxi_heap_destroy(&heap);
    return result;
}
