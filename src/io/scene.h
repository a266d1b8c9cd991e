// SPDX-License-Identifier: MIT
// A scene that was read and checked: definitions with their places, ready to be built any number of times.
#pragma once

#include <phyxel/io.h>
#include <phyxel/show.h>
#include "core/array.h"
#include "io/scene_tree.h"

/// Key `run` of a scene.
typedef struct phxi_run_settings {
    double duration;         // s
    double fps;              // frames a simulated second
    const char* formats;     // of frames: vtp ply obj
    const char* fields;      // in frames
    double checkpoint_every; // s on the clock; 0: at the end only
    bool skin;               // keep what drawing the bodies' meshes needs
    bool statics;            // an equilibrium first
    phx_static_def balance;  // how it is found
} phxi_run_settings;

typedef struct phxi_scene_material {
    const char* name;
    phxi_place place;
    phx_material_def def;
    bool has_look; // its preset or the scene says what it looks like
    phx_look look;
} phxi_scene_material;

enum { PHXI_AS_GIVEN, PHXI_ON_FLOOR }; // words of `place`

/// How a mesh is brought into the scene, before scale, rotation and shift; and instead of its height.
typedef struct phxi_mesh_place {
    int up;    // phx_up
    int place; // PHXI_AS_GIVEN ...
} phxi_mesh_place;

typedef struct phxi_scene_body {
    phx_body_def def; // mesh, material: not set
    phxi_place place;
    const char* mesh; // full path, or NULL
    phxi_place mesh_place;
    phxi_mesh_place how;
    bool shown; // in pictures and surfaces, unless they are told otherwise
    int draw;   // phx_draw
    phx_look look;
    int material;                     // index
    PHXI_ARRAY(phx_setting) settings; // of its method
} phxi_scene_body;

typedef struct phxi_scene_collider {
    phx_collider_def def; // mesh: not set
    phxi_place place;
    const char* mesh; // full path, or NULL
    phxi_place mesh_place;
    phxi_mesh_place how;
    bool shown; // in pictures, if it has an end
    phx_look look;
} phxi_scene_collider;

typedef struct phxi_scene_driver {
    phx_driver_def def;
    phxi_place place;
} phxi_scene_driver;

typedef struct phxi_scene_probe {
    phx_probe_def def;
    phxi_place place;
} phxi_scene_probe;

struct phx_scene {
    phxi_heap heap; // of everything in it, the tree it was read from included
    const char* name;
    const char* title; // may be NULL
    phx_world_def world;
    phxi_run_settings run;
    bool has_camera;
    phx_camera camera;
    phxi_place fields_place; // of run.fields; line 0: not given
    PHXI_ARRAY(phxi_scene_material) materials;
    PHXI_ARRAY(phxi_scene_body) bodies;
    PHXI_ARRAY(phxi_scene_collider) colliders;
    PHXI_ARRAY(phxi_scene_driver) drivers;
    PHXI_ARRAY(phxi_scene_probe) probes;
};

/// phx_scene_parse with memory from an allocator of the caller (NULL: malloc).
phx_result phxi_scene_read(const phx_allocator* allocator, const char* name, const char* text, size_t size,
                           const char* folder, const char* const* overrides, phx_scene** scene);

/// Keys that only a scene has, beside the tables of the definitions (scene_tables.c).
typedef struct phxi_scene_extra {
    const char* title;    // of a scene
    const char* preset;   // of a material
    const char* mesh;     // of a body, a collider
    int up, place;        // of its mesh
    const char* material; // of a body
    bool shown;           // of both
    int draw;             // of a body
} phxi_scene_extra;
extern const phx_param_table phxi_run_table, phxi_static_table, phxi_camera_table, phxi_scene_table,
    phxi_scene_material_table, phxi_scene_body_table, phxi_scene_collider_table;
/// "vtp", "ply", "obj", NULL.
extern const char* const phxi_format_words[];
/// phx_draw as words, then NULL.
extern const char* const phxi_draw_words[];
