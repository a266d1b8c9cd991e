// SPDX-License-Identifier: MIT
// Points or triangles with numbers on them, and the files they can be written to. Particles of a world, samples of a
// body and phx_frames are all clouds, so each format has one writer. What the writers write, the readers of
// frame_read.h read back.
#pragma once

#include "core/file.h"
#include <phyxel/frame.h>

typedef enum phxi_channel_type {
    PHXI_CHANNEL_FLOAT,
    PHXI_CHANNEL_DOUBLE,
    PHXI_CHANNEL_INT,
    PHXI_CHANNEL_UINT64,
    PHXI_CHANNEL_REAL = sizeof(phx_real) == sizeof(double) ? PHXI_CHANNEL_DOUBLE : PHXI_CHANNEL_FLOAT,
} phxi_channel_type;

/// Numbers of the points: 1, 3 or 9 each. A channel "normal" of three floats is written as the normals of the format.
typedef struct phxi_channel {
    const char* name;
    phxi_channel_type type;
    int components;
    const void* data; // components a point, one point after the other
} phxi_channel;

typedef struct phxi_cloud {
    int count;
    const double* positions; // 3 a point
    int triangle_count;      // 0: points only
    const int* triangles;    // 3 a triangle
    const phxi_channel* channels;
    int channel_count;
    double time; // s
} phxi_cloud;

static inline size_t phxi_channel_size(phxi_channel_type type) {
    return type == PHXI_CHANNEL_FLOAT || type == PHXI_CHANNEL_INT ? 4 : 8;
}
/// True if every coordinate is a float: files are half as large then, and lose nothing.
bool phxi_cloud_is_float(const phxi_cloud* cloud);
/// The channel "normal" of three floats, or NULL.
const float* phxi_cloud_normals(const phxi_cloud* cloud);

/// Complete, or the old file stands.
typedef phx_result phxi_cloud_writer(phxi_heap* heap, const phxi_cloud* cloud, const char* path);
phxi_cloud_writer phxi_cloud_save_vtp, phxi_cloud_save_ply, phxi_cloud_save_obj;

/// The writer for a path's ending; NULL and an error naming the endings there are.
phxi_cloud_writer* phxi_cloud_writer_for(const char* path);

/// One entry of a list of frames.
typedef struct phxi_pvd_entry {
    double time;
    char file[64]; // seen from the list's folder
} phxi_pvd_entry;
/// ParaView's list of frames: entry(context, i) for i in [0, count), of those whose files are there.
phx_result phxi_pvd_save(phxi_heap* heap, const char* path, int count,
                         void (*entry)(const void* context, int i, phxi_pvd_entry* entry), const void* context);

/// The fields a frame would carry: unknown names are refused with a did-you-mean.
phx_result phxi_frame_check_fields(const phx_world* world, const char* fields);
