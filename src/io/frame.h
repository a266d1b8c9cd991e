// SPDX-License-Identifier: MIT
// Points with numbers on them, and the files they can be written to. Frames of a world and samples of a body are both
// clouds, so each format has one writer.
#pragma once

#include "core/file.h"
#include "particles/particles.h"

/// One number or vector a point.
typedef struct phxi_channel {
    const char* name;
    phxi_field_type type;
    int components;
    const void* data; // components a point, one point after the other
} phxi_channel;

typedef struct phxi_cloud {
    int count;
    const phx_real *x, *y, *z;
    const phxi_channel* channels;
    int channel_count;
    double time; // s
} phxi_cloud;

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
/// ParaView's list of frames: entry(context, i) for i in [0, count).
phx_result phxi_pvd_save(phxi_heap* heap, const char* path, int count,
                         void (*entry)(const void* context, int i, phxi_pvd_entry* entry), const void* context);

/// The fields a frame would carry: unknown names are refused with a did-you-mean.
phx_result phxi_frame_check_fields(const phx_world* world, const char* fields);
