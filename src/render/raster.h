// SPDX-License-Identifier: MIT
// The z-buffer: what the eye sees, without rays.
#pragma once

#include "render/trace.h"

/// Where a point lies on the picture: pixel x, y and the distance along the view.
typedef struct phxi_view {
    float eye[3], right[3], up[3], forward[3]; // unit vectors
    float scale;                               // pixels per unit at distance one
    int width, height;
} phxi_view;

/// The unit direction through a place on the picture, in pixels.
void phxi_view_ray(const phxi_view* view, float x, float y, float ray[3]);
/// Fills hits[width * height] with the nearest surface through pixel centres shifted by (shift_x, shift_y).
void phxi_raster(const phxi_drawing* drawing, const phxi_view* view, float shift_x, float shift_y, phxi_hit* hits);
