// SPDX-License-Identifier: MIT
// What a run's folder says about its bodies and walls (io/run_look.h writes it). A folder without these files, one of
// another program, has none.
#pragma once

#include <phyxel/show.h>
#include <phyxel/surface.h>
#include "core/array.h"

typedef struct phxi_shown_body {
    char name[80];  // "": the list does not have this number
    char mesh[300]; // seen from the folder; "": none
    bool hidden;
    bool wall;                 // of the method that stands still or is driven: liquids lie against it
    int draw;                  // phx_draw, never auto
    double spacing, thickness; // m
    double volume;             // of a particle, m^3; 0: not known
    double solidus, liquidus;  // degrees C
    phx_look look;
} phxi_shown_body;

typedef PHXI_ARRAY(phxi_shown_body) phxi_shown_bodies;
typedef PHXI_ARRAY(phx_plane) phxi_shown_walls;

/// `file`: bodies.csv, or obstacles.csv, of which only names and looks are known.
phx_result phxi_shown_bodies_read(phxi_heap* heap, const char* folder, const char* file, phxi_shown_bodies* bodies);
/// Of such a file; changes the text. `path` is for messages.
phx_result phxi_shown_bodies_parse(phxi_heap* heap, const char* path, char* text, phxi_shown_bodies* bodies);
phx_result phxi_shown_walls_read(phxi_heap* heap, const char* folder, phxi_shown_walls* walls);
