// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "film.h"

#include <string.h>
#include <unistd.h>

enum { MP4, WEBM, GIF, WEBP, KINDS };
static const char* const ENDINGS[KINDS] = {".mp4", ".webm", ".gif", ".webp"};
// Options of each kind. Most players want even sizes and 4:2:0; a GIF gets a palette of its own colours.
static const char* const OPTIONS[KINDS][9] = {
    {"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p", NULL},
    {"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libvpx-vp9", "-b:v", "0", "-crf", "30", NULL},
    {"-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse", "-loop", "0", NULL},
    {NULL},
};

static int kind_of(const char* path) {
    const char* dot = strrchr(path, '.');
    for (int i = 0; dot && i < KINDS; ++i) {
        if (strcmp(dot, ENDINGS[i]) == 0) {
            return i;
        }
    }
    return -1;
}

bool cli_film_known(const char* path) {
    return kind_of(path) >= 0;
}

bool cli_film_possible(const char* path) {
    return kind_of(path) == WEBP ? phx_film_possible() : cli_has_program("ffmpeg");
}

bool cli_film_begin(cli_film* film, const char* path, int width, int height, double fps) {
    int kind = kind_of(path);
    char size[32], rate[32];
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate, sizeof rate, "%.6g", fps);
    *film = (cli_film){.path = path, .width = width, .height = height};
    if (kind == WEBP) {
        return phx_film_begin(path, width, height, fps, &film->webp) == PHX_OK;
    }
    if (kind < 0 ||
        snprintf(film->part, sizeof film->part, "%s.part%s", path, ENDINGS[kind]) >= (int)sizeof film->part) {
        return false;
    }
    const char* arguments[32] = {"ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt",
                                 "rgb24",  "-s",       size,        "-r",    rate, "-i", "-",        NULL};
    int count = 15;
    for (int i = 0; OPTIONS[kind][i]; ++i) {
        arguments[count++] = OPTIONS[kind][i];
    }
    arguments[count++] = film->part;
    return cli_start(&film->process, arguments, true, false);
}

bool cli_film_add(cli_film* film, phx_image* image) {
    if (film->webp) {
        ++film->count;
        return phx_film_add(film->webp, image) == PHX_OK;
    }
    size_t size = 3 * (size_t)film->width * (size_t)film->height;
    if (phx_image_width(image) != film->width || phx_image_height(image) != film->height || !film->process.input) {
        return false;
    }
    ++film->count;
    return fwrite(phx_image_pixels(image), 1, size, film->process.input) == size;
}

bool cli_film_end(cli_film* film) {
    if (film->webp) {
        phx_film* webp = film->webp;
        film->webp = NULL;
        return phx_film_end(webp, true) == PHX_OK;
    }
    bool good = cli_finish(&film->process) && film->count > 0 && rename(film->part, film->path) == 0;
    if (!good) {
        unlink(film->part);
    }
    return good;
}
