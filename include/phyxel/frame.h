// SPDX-License-Identifier: MIT
/// A frame: points (or the vertices of triangles) at one time, with named fields. Frames connect runs and pictures:
/// read them, make a surface of one, draw it, write it in another format.
#pragma once

#include <phyxel/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct phx_frame phx_frame;

typedef struct phx_frame_field {
    const char* name;
    int components;      ///< 1, 3 or 9
    const float* values; ///< `components` numbers per point
} phx_frame_field;

/// An empty frame of this size; positions and triangles are zero.
PHX_API phx_result phx_frame_create(int points, int triangles, double time, const phx_allocator* allocator,
                                    phx_frame** frame);
/// The particles of a world with chosen fields (space-separated names).
PHX_API phx_result phx_frame_of_world(const phx_world* world, const char* fields, phx_frame** frame);
PHX_API void phx_frame_destroy(phx_frame* frame);

PHX_API int phx_frame_points(const phx_frame* frame);
PHX_API int phx_frame_triangles(const phx_frame* frame); ///< 0: points only
PHX_API double phx_frame_time(const phx_frame* frame);   ///< s
/// Writable arrays: 3 doubles per point, 3 indices per triangle.
PHX_API double* phx_frame_positions(phx_frame* frame);
PHX_API int* phx_frame_indices(phx_frame* frame);
/// Adds a field (zeros) or finds it; returns its values through `values`.
PHX_API phx_result phx_frame_add_field(phx_frame* frame, const char* name, int components, float** values);
/// NULL past the end; by name.
PHX_API const phx_frame_field* phx_frame_field_at(const phx_frame* frame, int i);
PHX_API const phx_frame_field* phx_frame_find(const phx_frame* frame, const char* name);
/// A frame of the points i with keep[i], and of the triangles that keep all corners, with all fields.
PHX_API phx_result phx_frame_pick(const phx_frame* frame, const bool* keep, phx_frame** picked);
/// An error if an index is out of range or a position is not finite.
PHX_API phx_result phx_frame_check(const phx_frame* frame);

/// Format by the extension of the path: .vtp, .ply, .obj, or .pov (a complete POV-Ray scene with camera and light).
PHX_API phx_result phx_frame_write(const phx_frame* frame, const char* path);

// ------------------------------------------------------------------------------------------------- frames of a run

typedef struct phx_frames phx_frames;

/// A run's folder, a .pvd file, or a single frame file (.vtp, .ply, .obj). Missing or damaged files are
/// reported when they are read.
PHX_API phx_result phx_frames_open(const char* path, phx_frames** frames);
PHX_API void phx_frames_close(phx_frames* frames);
PHX_API int phx_frames_count(const phx_frames* frames);
PHX_API double phx_frames_time(const phx_frames* frames, int i);      ///< NaN out of range
PHX_API const char* phx_frames_path(const phx_frames* frames, int i); ///< NULL out of range
PHX_API phx_result phx_frames_read(const phx_frames* frames, int i, phx_frame** frame);

/// Writes an animated USD file as text (.usda): points with their fields, or triangles. Add the frames in order.
typedef struct phx_usd phx_usd;
PHX_API phx_result phx_usd_begin(const char* path, double fps, phx_usd** usd);
PHX_API phx_result phx_usd_add(phx_usd* usd, const phx_frame* frame);
/// Completes the file, which appears only now. `keep` false: discards it.
PHX_API phx_result phx_usd_end(phx_usd* usd, bool keep);

#ifdef __cplusplus
}
#endif
