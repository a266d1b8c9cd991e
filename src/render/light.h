// SPDX-License-Identifier: MIT
// The stage: where light comes from, the floor, what is behind. It is chosen once for a film and does not know the
// frame, so what does not move does not change.
#pragma once

#include <phyxel/render.h>
#include "render/f3.h"

/// A light so far away that only its direction counts: a disc on the sky.
typedef struct phxi_lamp {
    phxi_f3 direction; // unit, towards it
    float cosine;      // of its half angle
    phxi_f3 radiance;
    float share; // of light rays that are sent to it
} phxi_lamp;

enum { PHXI_LAMPS = 2 };
typedef struct phxi_stage_light {
    phxi_lamp lamps[PHXI_LAMPS];
    phxi_f3 low, high;               // of the dome: at the horizon, overhead
    float softbox;                   // more light from straight above
    phxi_f3 behind_low, behind_high; // what the eye sees of it, likewise
    bool floor;
    float floor_z, radius; // m; radius of the action, about the origin
    phxi_f3 floor_color;
} phxi_stage_light;

/// NULL is the default stage.
bool phxi_stage_known(const char* stage);
/// `radius`, `floor_z`: in the coordinates of the drawing. `right`, `forward` of the camera: lamps stand as a
/// photographer would put them.
void phxi_stage_light_make(const char* stage, phxi_f3 right, phxi_f3 forward, phxi_stage_light* light);
/// That of a definition, about the target of its camera, in m; `parts` are looked at if it does not say how large the
/// action is.
void phxi_stage_light_of(const phx_render_def* def, const phx_part* parts, int count, phxi_stage_light* light);
/// Of the dome alone.
phxi_f3 phxi_dome(const phxi_stage_light* light, phxi_f3 direction);
/// What the eye sees behind everything.
phxi_f3 phxi_behind(const phxi_stage_light* light, phxi_f3 direction);
/// Of the floor at a place, and how much of it has faded into what is behind, 0 to 1.
phxi_f3 phxi_floor_color(const phxi_stage_light* light, phxi_f3 place, float* fade);

/// A direction to a lamp, by three random numbers, and how likely it was, per steradian of all that could be chosen.
int phxi_lamp_sample(const phxi_stage_light* light, float choice, float a, float b, phxi_f3* direction, float* density);
/// Radiance from lamps in a direction, and how likely phxi_lamp_sample would have chosen it.
phxi_f3 phxi_lamps_at(const phxi_stage_light* light, phxi_f3 direction, float* density);
