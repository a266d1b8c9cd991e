// SPDX-License-Identifier: MIT
// The parameters that only a scene has: what a run writes, and the keys that name files, presets and materials.
#include "io/scene.h"

#include "core/params.h"

const char* const phxi_format_words[] = {"vtp", "ply", "obj", NULL};

const char* const phxi_draw_words[] = {"auto", "skin", "liquid", "grains", "tube", "sheet", "points", NULL};

static const phx_param run_params[] = {
    PHXI_POSITIVE(phxi_run_settings, duration, "s", "1", 1e9, "simulated time"),
    PHXI_POSITIVE(phxi_run_settings, fps, "1/s", "30", 1e9, "frames in a simulated second; frame k is at k / fps"),
    PHXI_WORDS(phxi_run_settings, formats, "vtp", "files of a frame: vtp, ply, obj; [] for none"),
    PHXI_WORDS(phxi_run_settings, fields, "velocity speed", "numbers of each particle in a frame"),
    PHXI_REAL(phxi_run_settings, checkpoint_every, "s", "60", 0, 1e9,
              "time on the clock between checkpoints; 0: one at the end only"),
    PHXI_BOOL(phxi_run_settings, skin, "false",
              "write what moves the bodies' meshes with each frame; without it that is found from the frames"),
};

static const phx_param static_params[] = {
    PHXI_INT(phx_static_def, steps, "0", 0, 100000,
             "in which loads grow from nothing to all, a frame each; 0, auto: as many as it takes"),
    PHXI_POSITIVE(phx_static_def, tolerance, "", "1e-4", 1, "forces out of balance over loads and what holds them"),
    PHXI_BOOL(phx_static_def, buckling, "false",
              "how many times the load the state bears before it buckles, of bodies that drivers hold and nothing "
              "touches"),
};

static const phx_param camera_params[] = {
    PHXI_VEC3(phx_camera, eye, "m", NULL, "where it stands"),
    PHXI_VEC3(phx_camera, target, "m", NULL, "what it looks at"),
    PHXI_VEC3(phx_camera, up, "", "0, 0, 1", "what is up in the picture"),
    PHXI_REAL(phx_camera, field_of_view, "degrees", "35", 1, 160, "vertical angle of view"),
};

static const phx_param scene_params[] = {
    PHXI_TEXT(phxi_scene_extra, title, "", "one line on what it shows"),
};

static const phx_param material_params[] = {
    PHXI_TEXT(phxi_scene_extra, preset, "", "a named material to start from; other keys change it"),
};

static const char* const up_words[] = {"auto", "x", "y", "z", NULL};
static const char* const place_words[] = {"as_given", "on_floor", NULL};

#define UP                                                                                                             \
    PHXI_WORD(                                                                                                         \
        phxi_scene_extra, up, up_words, "auto",                                                                        \
        "of a mesh: which axis of its file is up; it is turned so that this is z, then scaled and rotated; auto: "     \
        "y of glTF, z of all others")
#define PLACE                                                                                                          \
    PHXI_WORD(                                                                                                         \
        phxi_scene_extra, place, place_words, "as_given",                                                              \
        "of a mesh: on_floor moves it up or down alone, until its lowest point is on the highest level plane of "      \
        "the colliders, or at z = 0 if there is none; z of translate does not count then")

static const phx_param body_params[] = {
    PHXI_TEXT(phxi_scene_extra, mesh, "",
              "a closed OBJ, PLY, STL or glTF file, seen from the scene's folder; or else a shape"),
    UP,
    PLACE,
    PHXI_TEXT(phxi_scene_extra, material, NULL, "one of `materials`, or a preset"),
    PHXI_BOOL(phxi_scene_extra, shown, "true",
              "false: pictures and surfaces leave it out, as walls that hide what flows"),
    PHXI_WORD(phxi_scene_extra, draw, phxi_draw_words, "auto",
              "how pictures and surfaces show it; auto: as its material and method ask for"),
};

static const phx_param collider_params[] = {
    PHXI_TEXT(phxi_scene_extra, mesh, "",
              "an OBJ, PLY, STL or glTF file, seen from the scene's folder; closed, open edges are warned about; or "
              "else a shape"),
    UP,
    PLACE,
    PHXI_BOOL(phxi_scene_extra, shown, "true", "false: pictures leave it out; those without an end never show"),
};

#define TABLE(name, summary, params, type)                                                                             \
    { name, summary, params, (int)(sizeof params / sizeof *params), sizeof(type) }

const phx_param_table phxi_run_table =
    TABLE("run", "how long, and what is written (scene key `run`)", run_params, phxi_run_settings);
const phx_param_table phxi_static_table =
    TABLE("static", "how an equilibrium is found (scene key `run.static`, or true)", static_params, phx_static_def);
const phx_param_table phxi_camera_table =
    TABLE("camera", "where pictures are taken from (scene key `camera`)", camera_params, phx_camera);
const phx_param_table phxi_scene_table = TABLE("scene", "keys of a whole scene", scene_params, phxi_scene_extra);
const phx_param_table phxi_scene_material_table =
    TABLE("scene_material", "further keys of a material in a scene", material_params, phxi_scene_extra);
const phx_param_table phxi_scene_body_table =
    TABLE("scene_body", "further keys of a body in a scene", body_params, phxi_scene_extra);
const phx_param_table phxi_scene_collider_table =
    TABLE("scene_collider", "further keys of a collider in a scene", collider_params, phxi_scene_extra);
