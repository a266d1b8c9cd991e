// SPDX-License-Identifier: MIT
// 8-bit RGB pictures, and the drawing that goes on top of them.
#pragma once

#include <phyxel/render.h>
#include "core/heap.h"

struct phx_image {
    phxi_heap heap; // owns the image itself
    int width, height;
    unsigned char* pixels;
};

phx_result phxi_image_new(const phx_allocator* allocator, int width, int height, phx_image** image);
phx_result phxi_image_save_webp(const phx_image* image, const char* path); // webp.c
/// Mixes `color` into a pixel; outside is fine.
void phxi_image_blend(phx_image* image, int x, int y, const unsigned char color[3], double share);
void phxi_image_fill(phx_image* image, int x, int y, int width, int height, const unsigned char color[3]);
/// Width in pixels that phx_image_text would take.
int phxi_text_width(int height, const char* text);

/// Colour maps: `t` in [0,1] to linear RGB. NULL and an error for an unknown name.
typedef struct phxi_color_map phxi_color_map;
const phxi_color_map* phxi_color_map_find(const char* name);
void phxi_color_map_at(const phxi_color_map* map, double t, float rgb[3]);
/// A well-distinguishable colour for body number i, linear RGB.
void phxi_color_of_body(int i, float rgb[3]);
/// Linear light to an 8-bit sRGB value.
unsigned char phxi_srgb(float linear);
