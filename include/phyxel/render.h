// SPDX-License-Identifier: MIT
/// Pictures of frames: rays by Embree where the library was built with it, else a z-buffer of discs and triangles.
#pragma once

#include <phyxel/frame.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct phx_image phx_image; ///< 8-bit RGB

PHX_API phx_result phx_image_create(int width, int height, phx_image** image);
PHX_API void phx_image_destroy(phx_image* image);
PHX_API int phx_image_width(const phx_image* image);
PHX_API int phx_image_height(const phx_image* image);
PHX_API unsigned char* phx_image_pixels(phx_image* image); ///< 3 bytes per pixel, top row first
/// As PNG, or as WebP (smaller, not exact) where the library was built with libwebp: by the ending of the path.
PHX_API phx_result phx_image_save(const phx_image* image, const char* path);
/// A grid of equal pictures with a thin gap, row by row.
PHX_API phx_result phx_image_sheet(phx_image* const* images, int count, int columns, phx_image** sheet);
/// ASCII text, letters about `height` pixels high.
PHX_API void phx_image_text(phx_image* image, int x, int y, int height, const char* text, const unsigned char color[3]);

/// Pictures of one size as an animated WebP file, which appears when the film ends. Whether the library was built with
/// libwebp:
typedef struct phx_film phx_film;
PHX_API bool phx_film_possible(void);
PHX_API phx_result phx_film_begin(const char* path, int width, int height, double fps, phx_film** film);
PHX_API phx_result phx_film_add(phx_film* film, phx_image* image);
/// `keep` false: discards it. NULL is fine.
PHX_API phx_result phx_film_end(phx_film* film, bool keep);

typedef struct phx_camera {
    phx_vec3 eye, target, up; ///< m
    double field_of_view;     ///< degrees, vertical
} phx_camera;

/// A camera that sees the whole box, from a direction (pointing from the target to the eye).
PHX_API phx_camera phx_camera_framing(phx_vec3 low, phx_vec3 high, phx_vec3 direction, double aspect);
/// Extends low/high by the box of the finite positions of a frame (start with low > high). False if it has none.
PHX_API bool phx_frame_bounds(const phx_frame* frame, phx_vec3* low, phx_vec3* high);

/// What a body looks like (scene key `look` of materials and bodies). Colours are linear RGB, 0 to 1. Lengths are in
/// radii of the body, so that a look does not depend on its size.
typedef struct phx_look {
    phx_vec3 color;       ///< of an opaque body
    double roughness;     ///< 0: a mirror, 1: chalk
    double metal;         ///< 0 or 1 (between: a mixture)
    double transmission;  ///< 1: clear, like glass or water
    double ior;           ///< index of refraction; 1: no gloss
    phx_vec3 tint;        ///< of clear bodies: what is left of white light after `depth`
    double depth;         ///< radii; 0: no absorption
    double scatter;       ///< of clear bodies: how often light is scattered within a radius
    double subsurface;    ///< of opaque ones: how far light goes beneath the surface, radii
    int grains;           ///< of sand and snow: stones a particle
    double vary;          ///< how much their colours differ, 0 to 1
    double glow_from;     ///< temperature at which it begins to glow, degrees C
    double glow_full;     ///< at which it glows bright; not above glow_from: it does not glow
    double wet_roughness; ///< roughness of what is molten; 0: the same
    uint32_t stamp;
} phx_look;
PHX_API phx_look phx_look_default(void);
/// That of a preset of materials; PHX_ERROR_ARGUMENT if there is no such preset.
PHX_API phx_result phx_look_of_preset(const char* preset, phx_look* look);
/// One of six calm colours.
PHX_API phx_look phx_look_of_number(int body);

/// Part of a picture: triangles, or points as balls, that look like one thing. A field "color" of three components
/// takes the place of the look's colour, a field "glow" is light that it gives off; "roughness" as it says.
typedef struct phx_part {
    const phx_frame* frame;
    phx_look look;
    double size; ///< m, the radius of the body; 0: 1 m
    /// Has the same triangles: exports take texture coordinates and groups from it. NULL: there are none.
    const phx_mesh* mesh;
} phx_part;

typedef enum phx_quality {
    PHX_QUALITY_DRAFT, ///< one light, shade between things, colours of the looks alone
    PHX_QUALITY_FILM,  ///< paths of light, 8 to 64 a pixel where it needs them, then denoised
    PHX_QUALITY_STILL, ///< twice as many
    PHX_QUALITY_FINAL, ///< 256 a pixel
} phx_quality;

typedef struct phx_render_def {
    int width, height;          ///< 640, 480
    int quality;                ///< phx_quality; draft. Without Embree all pictures are drafts
    const char* stage;          ///< "studio", "sky" or "dark": lights, floor and what is behind; studio
    double stage_radius;        ///< m, of the action about the camera's target; 0: that of the frame
    int samples;                ///< of drafts: rays per pixel, 1 to 64; 4
    int occlusion;              ///< occlusion rays per sample; 8
    bool shadows;               ///< true
    bool floor;                 ///< draw the plane z = floor_height; true
    double floor_height;        ///< m; 0
    phx_camera camera;          ///< required (phx_camera_framing)
    const char* field;          ///< colour by this field (vectors by length); NULL: one colour per body
    double low, high;           ///< range of the colours; low >= high: that of the frame
    const char* map;            ///< "viridis", "inferno", "coolwarm", "grey"; viridis
    bool bar;                   ///< labelled colour bar of the field, in a strip beside the view; true
    bool caption;               ///< time and title; true
    const char* title;          ///< above the picture; NULL
    const phx_frame* obstacles; ///< colliders: triangles drawn in grey along with the frame; NULL
    double radius;              ///< of points, m; 0: half their spacing (field "spacing" or the mean distance)
    bool z_buffer;              ///< use the z-buffer even if rays could be traced; false
    int threads;                ///< 0: one per processor
    phx_allocator allocator;
    uint32_t stamp;
} phx_render_def;
PHX_API phx_render_def phx_render_def_default(void);
/// "embree" or "z-buffer".
PHX_API const char* phx_render_engine(void);
/// Width of the view without the colour bar, in pixels. The bar is omitted if it would take more than half.
PHX_API int phx_render_view_width(const phx_render_def* def);
/// Puts the colour bar of the definition to the right of a picture, such as a sheet. Needs a field and low < high.
PHX_API phx_result phx_render_bar_beside(const phx_image* image, const phx_render_def* def, phx_image** both);
/// Draws a frame: triangles if it has any, else its points as spheres. Non-finite field values are drawn grey.
PHX_API phx_result phx_render(const phx_frame* frame, const phx_render_def* def, phx_image** image);
/// Draws several parts into one picture, each with its look.
PHX_API phx_result phx_render_parts(const phx_part* parts, int count, const phx_render_def* def, phx_image** image);
/// One prim a part in an animated USD file, with its look as a preview surface (phx_usd_begin in frame.h). Parts of the
/// same name in later frames are the same body.
PHX_API phx_result phx_usd_add_parts(phx_usd* usd, const phx_part* parts, const char* const* names, int count);
/// Parts as one binary glTF 2.0 file (.glb), with their looks.
PHX_API phx_result phx_gltf_write(const char* path, const phx_part* parts, const char* const* names, int count);
/// The same with their motion, from one frame after the other: bodies that keep their shape by their place alone,
/// others by morph targets, in at most 61 frames. Bodies whose triangles change are refused (PHX_ERROR_ARGUMENT).
typedef struct phx_gltf phx_gltf;
PHX_API phx_result phx_gltf_begin(const char* path, phx_gltf** gltf);
PHX_API phx_result phx_gltf_add_parts(phx_gltf* gltf, const phx_part* parts, const char* const* names, int count);
/// Writes the file. `keep` false: discards it. NULL is fine.
PHX_API phx_result phx_gltf_end(phx_gltf* gltf, bool keep);
/// The picture that phx_render_parts would draw for other renderers: a description (.json: camera, lamps, floor, looks
/// with lengths in m) and beside it a .ply file for each part. extras/blender_render.py draws it by Blender's Cycles.
PHX_API phx_result phx_stage_write(const char* path, const phx_part* parts, const char* const* names, int count,
                                   const phx_render_def* def);
/// The picture that phx_render_parts would draw as a scene for POV-Ray: camera, lamps, floor, every part with its look.
PHX_API phx_result phx_pov_write(const char* path, const phx_part* parts, int count, const phx_render_def* def);
/// The same for the picture of phx_render.
PHX_API phx_result phx_render_write_pov(const phx_frame* frame, const phx_render_def* def, const char* path);

#ifdef __cplusplus
}
#endif
