// SPDX-License-Identifier: MIT
// The bar that explains colours: a strip of its own beside the view, so that it hides nothing.
#pragma once

#include "render/coloring.h"

/// Height of letters in a picture of this height, pixels.
int phxi_letter_height(int height);
/// Pixels of a picture's width that the bar takes: 0 without a field or bar, or where it would take more than half.
int phxi_bar_width(const phx_render_def* def);
/// Fills the picture from column x on to its right border.
void phxi_bar_draw(phx_image* image, int x, const phx_render_def* def, const phxi_coloring* coloring);
