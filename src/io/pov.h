// SPDX-License-Identifier: MIT
// The inside of the POV-Ray writer: a scene is the stage (pov_stage.c), textures (pov_texture.c) and the things that
// have them (frame_pov.c).
#pragma once

#include "core/array.h"
#include "geometry/key_table.h"
#include "render/light.h"
#include "render/look.h"

#include <stdio.h>

void phxi_pov_number(FILE* out, double value);
void phxi_pov_vector(FILE* out, double x, double y, double z);
void phxi_pov_color(FILE* out, const char* key, phxi_f3 color);

/// Camera, lamps, dome, what is behind, and the floor.
void phxi_pov_put_stage(FILE* out, const phx_render_def* def, const phxi_stage_light* light);

/// What one point looks like; points that look alike share one.
typedef struct phxi_pov_texture {
    phxi_f3 color, glow;
    float roughness;
} phxi_pov_texture;

/// The textures of one part, and which one each of its points has.
typedef struct phxi_pov_textures {
    PHXI_ARRAY(phxi_pov_texture) items;
    int* of_point;
} phxi_pov_textures;

/// From colours (three a point), glow and roughness (NULL: none).
phx_result phxi_pov_textures_find(phxi_heap* heap, int points, const float* colors, const float* glow,
                                  const float* roughness, const phxi_surface_look* look, phxi_pov_textures* textures);
/// Declares them as T<part>_0, T<part>_1, ...
void phxi_pov_put_textures(FILE* out, int part, const phxi_pov_textures* textures, const phxi_surface_look* look);
/// What is beneath the surface: index of refraction, and how light fades.
void phxi_pov_put_interior(FILE* out, const phxi_surface_look* look);
