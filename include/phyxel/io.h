// SPDX-License-Identifier: MIT
/// Meshes, samples, scenes, frames, checkpoints, runs.
#pragma once

#include <phyxel/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------------- meshes

/// OBJ, PLY (ASCII and both binary byte orders), STL (ASCII, binary) or glTF 2.0 (.glb; .gltf with its buffers within
/// or beside it); the format is detected from content and name.
PHX_API phx_result phx_mesh_load(const char* path, phx_mesh** mesh);
/// The same from memory; `name` is used in messages, and its extension helps to detect the format. A glTF must be
/// whole.
PHX_API phx_result phx_mesh_parse(const char* name, const void* bytes, size_t size, const phx_allocator* allocator,
                                  phx_mesh** mesh);
/// Turns a mesh by right angles so that this axis of its file is z, up here. Loading has done it for glTF, whose y is
/// up; said again, the last one counts.
PHX_API void phx_mesh_turn_up(phx_mesh* mesh, phx_up up);
/// Format by the extension of the path: .obj, .ply (binary little endian), .stl (binary).
PHX_API phx_result phx_mesh_save(const phx_mesh* mesh, const char* path);
/// From arrays: 3 doubles per vertex, 3 indices per triangle.
PHX_API phx_result phx_mesh_create(int vertex_count, const double* positions, int triangle_count, const int* triangles,
                                   phx_mesh** mesh);
/// Signature and help of shape expression i, one line; NULL past the end.
PHX_API const char* phx_shape_help(int i);
/// The surface of a shape expression, sampled on a grid of `spacing`.
PHX_API phx_result phx_mesh_from_shape(const char* shape, double spacing, phx_mesh** mesh);
PHX_API void phx_mesh_destroy(phx_mesh* mesh);
PHX_API int phx_mesh_vertex_count(const phx_mesh* mesh);
PHX_API int phx_mesh_triangle_count(const phx_mesh* mesh);
PHX_API const double* phx_mesh_positions(const phx_mesh* mesh);
PHX_API const int* phx_mesh_triangles(const phx_mesh* mesh);
/// What the file had beside the surface: texture coordinates, 6 a triangle (u, v of each corner, v up); a group for
/// each triangle; NULL: it had none. A group's name is "object/group/material" as far as the file names them; NULL past
/// the end.
PHX_API const float* phx_mesh_uvs(const phx_mesh* mesh);
PHX_API const int* phx_mesh_groups(const phx_mesh* mesh);
PHX_API int phx_mesh_group_count(const phx_mesh* mesh);
PHX_API const char* phx_mesh_group_name(const phx_mesh* mesh, int group);
/// Signed volume (m^3); number of edges that do not have one triangle on each side (0: closed and oriented; vertices at
/// the same position count as one; -1: out of memory).
PHX_API double phx_mesh_volume(const phx_mesh* mesh);
PHX_API int phx_mesh_open_edges(const phx_mesh* mesh);

// ---------------------------------------------------------------------------------------------------------- sampling

typedef struct phx_sample_report {
    int count;
    double spacing;   ///< m
    double volume;    ///< m^3, of the particles; equals `exact` after rescaling
    double exact;     ///< m^3, of the mesh (or of the shape, integrated finely)
    double raw_error; ///< relative, before rescaling
    bool closed;      ///< false: the mesh is open, and the winding number decided what is inside
} phx_sample_report;
/// Samples as phx_body_create would (using mesh or shape, scale, rotate, translate, spacing, sampling, levels, jitter).
/// Writes the points with their volumes if `path` is not NULL: .ply, .vtp or .csv by its extension.
PHX_API phx_result phx_sample(const phx_body_def* def, const char* path, phx_sample_report* report);

// ------------------------------------------------------------------------------------------------ frames, checkpoints

/// Writes the particles with the given fields (space-separated names; NULL: velocity, speed) as .vtp, .ply or .obj.
PHX_API phx_result phx_frame_save(const phx_world* world, const char* path, const char* fields);

/// Writes the whole state, with checksums. An existing file is replaced only when the new one is complete.
PHX_API phx_result phx_checkpoint_save(const phx_world* world, const char* path);
/// Restores a world that was built by the same calls. Any other world is refused, with the definitions that differ
/// ("bodies.ball.velocity: checkpoint 0 0 1, now 0 0 2"), and left unchanged. Threads, dt, force_dt and safety of the
/// world may differ; a change of the last three is told to its log.
PHX_API phx_result phx_checkpoint_load(phx_world* world, const char* path);

// ------------------------------------------------------------------------------------------------------------ scenes

typedef struct phx_scene phx_scene;

/// Reads a scene. `overrides`: a NULL-terminated array of "key.path=value" strings (or NULL), applied after reading.
PHX_API phx_result phx_scene_load(const char* path, const char* const* overrides, phx_scene** scene);
/// From memory. Files named in the scene are looked for in `folder`; NULL: a scene that names files is refused.
PHX_API phx_result phx_scene_parse(const char* name, const char* text, size_t size, const char* folder,
                                   const char* const* overrides, phx_scene** scene);
PHX_API void phx_scene_destroy(phx_scene* scene);
/// Builds a world from the scene. Only threads, allocator and log are taken from `def`.
PHX_API phx_result phx_scene_build(const phx_scene* scene, const phx_world_def* def, phx_world** world);

/// What a scene will cost, before any of its particles is made: particles to a third or so, time to a factor of four.
typedef struct phx_estimate {
    double particles, bytes;
    double substep; ///< s; the shortest of all bodies, as sound allows it
    double work;    ///< s of one thread for a substep
    double seconds; ///< of one thread for the whole run
    char body[64];  ///< the one with the most particles, and
    double most;    ///< how many
    double size;    ///< m; its largest side
    bool from_mesh; ///< it is made of a mesh
} phx_estimate;
PHX_API phx_result phx_scene_estimate(const phx_scene* scene, phx_estimate* estimate);

// -------------------------------------------------------------------------------------------------------------- runs

typedef struct phx_run_progress {
    double time, duration; ///< s simulated
    double elapsed;        ///< s of wall-clock time
    int frame, frames;     ///< written so far, total
    int64_t substeps;
    double dt;
} phx_run_progress;

typedef struct phx_run_def {
    const phx_scene* scene;
    const char* folder; ///< where everything is written; created if missing
    bool resume;        ///< continue from the checkpoint in the folder
    int threads;        ///< 0: one per processor
    phx_log log;
    bool (*progress)(void* context, const phx_run_progress* progress); ///< false: stop, with a checkpoint; may be NULL
    void* context;
    uint32_t stamp;
} phx_run_def;
PHX_API phx_run_def phx_run_def_default(void);

typedef struct phx_run_summary {
    int64_t substeps; ///< of this run (after a resume: since the resume)
    int particles, bodies, frames, threads;
    double simulated;      ///< s, simulated time at the end
    double elapsed;        ///< s of wall-clock time, stepping only
    double buckling;       ///< times the load, of a static state, if asked for; INFINITY: above 100; else 0
    double dt_min, dt_max; ///< s
    char dt_reason[160];
    char methods[1024];  ///< "body 'hare': method granular, chosen for material 'sand' (friction_angle); ..."
    char softened[1024]; ///< bodies computed softer than their material (`sound_limit`), with both values; "": none
    phx_totals first, last;
    char frames_file[1024]; ///< the .pvd, "" if none
    char checkpoint[1024];
    bool cancelled;
} phx_run_summary;
/// Runs a scene and writes frames, probes and checkpoints. On PHX_ERROR_UNSTABLE the last good state is written too.
PHX_API phx_result phx_run(const phx_run_def* def, phx_run_summary* summary);

#ifdef __cplusplus
}
#endif
