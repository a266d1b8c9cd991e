// SPDX-License-Identifier: MIT
// The inside of phx_pictures.
#pragma once

#include <phyxel/pictures.h>

#include "core/heap.h"

enum { PHXI_PICTURES_RUNS = 16 };

struct phx_pictures {
    phxi_heap heap; // owns the pictures themselves, too
    phx_show* shows[PHXI_PICTURES_RUNS];
    char* names[PHXI_PICTURES_RUNS];
    int runs;
    int base;    // the run whose frames are counted: the one with the most
    int* chosen; // its frames
    int count;   // of them
    phx_render_def render;
    bool (*draw)(void* user, const phx_part* parts, const char* const* names, int count, const phx_render_def* def,
                 phx_image** image); // NULL: phx_render_parts
    void* user;
};

/// The frames of the definition, of the run with the most frames (picture_choice.c).
phx_result phxi_pictures_choose(phx_pictures* pictures, const phx_pictures_def* def);
/// The frame of a run that picture i shows.
int phxi_pictures_frame_of(const phx_pictures* pictures, int run, int picture);
/// k of `cells` evenly spaced ones of `count`, both ends included; the last of them if there is one cell.
int phxi_evenly(int count, int cells, int k);

/// Range of a field over all pictures that single values do not stretch: 98 in 100 of them (picture_range.c). low >=
/// high if no frame has it.
phx_result phxi_pictures_range(phx_pictures* pictures, const char* field, double* low, double* high);
