// SPDX-License-Identifier: MIT
// Pictures, contact sheets and films of runs: what `phyxel render` and `phyxel run --render` share.
#pragma once

#include <phyxel/show.h>
#include "cli.h"

typedef struct cli_pictures {
    const char *field, *range, *map;                    // colours
    const char *size, *camera, *view, *floor, *title;   // the picture
    const char* engine;                                 // "rays", "z-buffer" or "cycles"
    const char *out, *sheet, *film;                     // what is made of them
    const char* times;                                  // "0,0.5,2": of the frames, instead of all
    int samples, occlusion, threads, every, frame;      // frame < 0: all
    cli_choice choice;                                  // of bodies
    double from, to, radius, fps;                       // s, s, m, 1/s (0: as fast as it happened)
    bool surface, skin, points, pov, png, quiet, plain; // plain: no bar, no time
    const char *quality, *stage;                        // NULL: film; as the run asks for
} cli_pictures;

cli_pictures cli_pictures_default(void);
/// Draws the runs side by side. Returns the exit code.
int cli_draw(const cli_command* command, const cli_pictures* options, int count, char** runs);
