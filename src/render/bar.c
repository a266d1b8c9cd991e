// SPDX-License-Identifier: MIT
#include "render/bar.h"

#include <stdio.h>
#include <string.h>

enum { LABEL = 9, TICKS = 4 }; // LABEL: room for "-1.234e+05", in heights of letters

int phxi_letter_height(int height) {
    return height / 48 > 7 ? height / 48 : 7;
}

// From left to right: margin, colours, tick, label, margin; wider where the name is.
static int strip_width(const phx_render_def* def) {
    int size = phxi_letter_height(def->height), name = phxi_text_width(size, def->field);
    int labels = (2 + 1 + LABEL) * size;
    return 2 * size + (name > labels ? name : labels);
}

int phxi_bar_width(const phx_render_def* def) {
    int width = def->field && def->bar ? strip_width(def) : 0;
    return 2 * width <= def->width ? width : 0;
}

int phx_render_view_width(const phx_render_def* def) {
    return def ? def->width - phxi_bar_width(def) : 0;
}

void phxi_bar_draw(phx_image* image, int x, const phx_render_def* def, const phxi_coloring* coloring) {
    static const unsigned char ink[3] = {30, 30, 40}, paper[3] = {255, 255, 255};
    int size = phxi_letter_height(def->height), width = 2 * size, top = image->height / 5;
    int height = image->height * 3 / 5;
    phxi_image_fill(image, x, 0, image->width - x, image->height, paper);
    x += size;
    for (int row = 0; row < height; ++row) {
        float rgb[3];
        phxi_color_map_at(coloring->map, 1 - (row + 0.5) / height, rgb);
        unsigned char color[3] = {phxi_srgb(rgb[0]), phxi_srgb(rgb[1]), phxi_srgb(rgb[2])};
        phxi_image_fill(image, x, top + row, width, 1, color);
    }
    for (int tick = 0; tick <= TICKS; ++tick) {
        int y = top + (height - 1) * (TICKS - tick) / TICKS;
        char text[64];
        phxi_image_fill(image, x + width, y, size / 2, 1, ink);
        snprintf(text, sizeof text, "%.4g", coloring->low + (coloring->high - coloring->low) * tick / TICKS);
        phx_image_text(image, x + width + size, y - size / 2, size, text, ink);
    }
    phx_image_text(image, x, top - 2 * size - size / 2, size, def->field, ink);
}

phx_result phx_render_bar_beside(const phx_image* image, const phx_render_def* def, phx_image** both) {
    if (!image || !def || !both || !def->field || !(def->low < def->high)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a colour bar needs a picture, a field and its range");
    }
    phxi_coloring coloring = {phxi_color_map_find(def->map), def->low, def->high};
    if (!coloring.map) {
        return PHX_ERROR_ARGUMENT;
    }
    PHXI_TRY(phxi_image_new(&def->allocator, image->width + strip_width(def), image->height, both));
    for (int y = 0; y < image->height; ++y) {
        memcpy((*both)->pixels + 3 * (size_t)y * (size_t)(*both)->width,
               image->pixels + 3 * (size_t)y * (size_t)image->width, 3 * (size_t)image->width);
    }
    phxi_bar_draw(*both, image->width, def, &coloring);
    return PHX_OK;
}
