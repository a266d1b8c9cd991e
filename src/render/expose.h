// SPDX-License-Identifier: MIT
// A picture by paths of light: samples where they are needed, the denoiser, the tone curve.
#pragma once

#include "parallel/parallel.h"
#include "render/path.h"
#include "render/raster.h"

/// What a pixel has collected, and what the denoiser makes of it.
typedef struct phxi_exposed {
    phxi_f3 light;  // mean
    float variance; // of the brightness of that mean
    phxi_f3 albedo, normal;
    float depth;
} phxi_exposed;

/// How many paths a pixel gets: `least` each, then up to `most` in tiles whose relative error is above `grain`.
typedef struct phxi_effort {
    int least, most;
    float grain; // 0: `least` each
} phxi_effort;

phx_result phxi_expose(phxi_heap* heap, phxi_pool* pool, const phxi_path_scene* scene, const phxi_view* view,
                       phxi_effort effort, phxi_exposed* pixels);
/// Light of pixels that show the same thing is averaged, as far as it differs by chance (denoise.c).
phx_result phxi_denoise(phxi_heap* heap, phxi_pool* pool, phxi_exposed* pixels, int width, int height);
/// Khronos' neutral tone curve: colours below 0.8 stay what they are, brighter ones fade to white.
phxi_f3 phxi_tone(phxi_f3 light);
