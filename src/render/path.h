// SPDX-License-Identifier: MIT
// Paths of light from the eye back to where it comes from (docs/theory/pictures.md): what one ray of the camera sees.
#pragma once

#include "render/light.h"
#include "render/sampler.h"
#include "render/trace.h"

typedef struct phxi_path_scene {
    const phxi_tracer* tracer;
    const phxi_stage_light* light;
    float lift; // how far off a surface rays start, m
} phxi_path_scene;

/// What a path brings, and what the eye saw first, for the denoiser.
typedef struct phxi_path {
    phxi_f3 light;
    phxi_f3 albedo, normal;
    float depth; // m; very far where there is nothing
} phxi_path;

phxi_path phxi_path_trace(const phxi_path_scene* scene, phxi_f3 eye, phxi_f3 direction, phxi_sampler* sampler);
