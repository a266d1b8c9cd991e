// SPDX-License-Identifier: MIT
// Which colour each point of a frame has: by a field through a colour map, or one a body.
#pragma once

#include "render/image.h"
#include "render/look.h"

typedef struct phxi_coloring {
    const phxi_color_map* map; // NULL: by body
    double low, high;          // of the map
} phxi_coloring;

/// Fills `colors` with linear RGB, three a point, as the definition asks (field, low, high, map).
phx_result phxi_color_frame(const phx_frame* frame, const phx_render_def* def, phxi_coloring* coloring, float* colors);
/// The same for a part: of the field, else what its frame says (field "color"), else one a body if `by_body`, else that
/// of its look.
phx_result phxi_color_part(const phx_part* part, const phx_render_def* def, bool by_body, phxi_coloring* coloring,
                           float* colors);
/// What a part looks like: where a field colours it, plain.
phxi_surface_look phxi_look_of_part(const phx_part* part, const phx_render_def* def);
