// SPDX-License-Identifier: MIT
// Light: one soft key light, sky light dimmed by occlusion, a floor with a faint grid, a bright background.
#pragma once

#include "render/trace.h"

typedef struct phxi_lighting {
    const phxi_tracer* tracer; // NULL: no shadows, no occlusion
    float key[3];              // unit, towards the light
    bool shadows, floor;
    int occlusion;       // rays a sample
    float floor_z, grid; // height and mesh of the floor's lines
    float reach;         // of occlusion rays
    float radius;        // of the whole drawing: the floor fades beyond
    float turns[64][2];  // cosine and sine of the angle of each occlusion ray (phxi_lighting_turns)
} phxi_lighting;

/// Angles of occlusion rays about the normal, the golden section of a turn apart.
void phxi_lighting_turns(phxi_lighting* lighting);

/// Linear colour of what a ray sees. `hit` is the nearest surface (distance INFINITY: none); `seed` gives the random
/// directions and must differ between samples.
void phxi_shade(const phxi_lighting* lighting, const float origin[3], const float direction[3], const phxi_hit* hit,
                uint64_t seed, float color[3]);
