// SPDX-License-Identifier: MIT
// Films: .webp by the library, others as raw pictures through a pipe into ffmpeg. The film appears under its name only
// when it is complete.
#pragma once

#include <phyxel/render.h>
#include "process.h"

typedef struct cli_film {
    phx_film* webp; // or
    cli_process process;
    const char* path;
    char part[1024]; // where it is until then
    int width, height, count;
} cli_film;

/// True if the path ends in a kind of film we make; says so if not.
bool cli_film_known(const char* path);
/// Whether films of this kind can be made here: by ffmpeg, or by the library itself.
bool cli_film_possible(const char* path);
/// Starts a film of pictures of this size.
bool cli_film_begin(cli_film* film, const char* path, int width, int height, double fps);
bool cli_film_add(cli_film* film, phx_image* image);
/// False, and nothing left but what stood there before, if anything went wrong.
bool cli_film_end(cli_film* film);
