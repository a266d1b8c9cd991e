// SPDX-License-Identifier: MIT
// Sand and snow as single stones: many small balls around each particle that shows.
#pragma once

#include "surface/frame.h"

typedef struct phxi_stones_def {
    double spacing; // m, of particles
    int stones;     // a particle
    float color[3]; // linear
    float vary;     // 0 to 1
    int most;       // stones in all: fewer a particle where there would be more
} phxi_stones_def;

/// Points with the fields "radius" and "color", and "velocity" if the particles have it. Which stones a particle has
/// depends on its number in the frame alone, so they move with it and do not flicker.
phx_result phxi_stones(const phx_frame* particles, const phxi_stones_def* def, phx_frame** stones);
