// SPDX-License-Identifier: MIT
// Which colour each point of a frame has: by a field through a colour map, or one a body.
#pragma once

#include "render/image.h"

typedef struct phxi_coloring {
    const phxi_color_map* map; // NULL: by body
    double low, high;          // of the map
} phxi_coloring;

/// Fills `colors` with linear RGB, three a point, as the definition asks (field, low, high, map).
phx_result phxi_color_frame(const phx_frame* frame, const phx_render_def* def, phxi_coloring* coloring, float* colors);
