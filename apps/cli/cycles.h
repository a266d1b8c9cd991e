// SPDX-License-Identifier: MIT
// Pictures by Blender's Cycles: `phyxel render --engine cycles`.
#pragma once

#include <phyxel/pictures.h>

typedef struct cli_cycles {
    bool blender;      // by the program; false: by a python3 that has the module bpy
    int samples;       // paths a pixel
    char folder[1100]; // for what Blender is given
} cli_cycles;

/// Looks for Blender; false: neither the program nor the module is there.
bool cli_cycles_find(cli_cycles* cycles);
/// Draws parts (phx_pictures_def.draw); `user` is a cli_cycles.
bool cli_cycles_draw(void* user, const phx_part* parts, const char* const* names, int count, const phx_render_def* def,
                     phx_image** image);
