// SPDX-License-Identifier: MIT
// Blender is given a description of each picture and the script that builds and draws it (extras/blender_render.py,
// which is part of this program). What it was given last stays in its folder.
#define _POSIX_C_SOURCE 200809L
#include "cycles.h"

#include "process.h"

#include <phyxel/render.h>

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned char script[] = {
#include "blender_render.inc"
};

bool cli_cycles_find(cli_cycles* cycles) {
    static const char* const import[] = {"python3", "-c", "import bpy, numpy", NULL};
    cli_process process;
    cycles->blender = cli_has_program("blender");
    return cycles->blender ||
           (cli_has_program("python3") && cli_start(&process, import, false, true) && cli_finish(&process));
}

static bool write_script(const char* path) {
    FILE* file = fopen(path, "wb");
    bool good = file && fwrite(script, 1, sizeof script, file) == sizeof script;
    return file && fclose(file) == 0 && good;
}

static bool read_pixels(const char* path, int width, int height, phx_image** image) {
    FILE* file = fopen(path, "rb");
    size_t size = 3 * (size_t)width * (size_t)height;
    bool good = file && phx_image_create(width, height, image) == PHX_OK &&
                fread(phx_image_pixels(*image), 1, size, file) == size;
    if (file) {
        fclose(file);
    }
    if (!good) {
        phx_image_destroy(*image);
        *image = NULL;
    }
    return good;
}

static bool run(const cli_cycles* c, int threads, char paths[4][1200]) {
    char samples[32], cores[32];
    snprintf(samples, sizeof samples, "%d", c->samples);
    snprintf(cores, sizeof cores, "%d", threads);
    const char* const how[] = {paths[1],    "--image", paths[2],    "--bytes", paths[3],
                               "--samples", samples,   "--threads", cores,     NULL};
    const char* arguments[24] = {"blender", "--background", "--factory-startup", "--python", paths[0], "--"};
    int used = 6;
    if (!c->blender) {
        arguments[0] = "python3", arguments[1] = paths[0];
        used = 2;
    }
    for (int i = 0; how[i]; ++i) {
        arguments[used++] = how[i];
    }
    arguments[used] = NULL;
    cli_process process;
    return cli_start(&process, arguments, false, true) && cli_finish(&process);
}

bool cli_cycles_draw(void* user, const phx_part* parts, const char* const* names, int count, const phx_render_def* def,
                     phx_image** image) {
    static const char* const files[4] = {"blender_render.py", "scene.json", "picture.png", "picture.bytes"};
    const cli_cycles* c = user;
    char paths[4][1200];
    *image = NULL;
    for (int i = 0; i < 4; ++i) {
        snprintf(paths[i], sizeof paths[i], "%s/%s", c->folder, files[i]);
    }
    if (mkdir(c->folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "phyxel: cannot make folder '%s': %s\n", c->folder, strerror(errno));
        return false;
    }
    unlink(paths[3]);
    if (!write_script(paths[0]) || phx_stage_write(paths[1], parts, names, count, def) != PHX_OK) {
        fprintf(stderr, "phyxel: cannot write '%s': %s\n", paths[1], phx_error_message());
        return false;
    }
    bool drawn = run(c, def->threads, paths) && read_pixels(paths[3], phx_render_view_width(def), def->height, image);
    unlink(paths[2]);
    unlink(paths[3]);
    if (drawn && def->caption) {
        static const unsigned char ink[3] = {30, 30, 30};
        char time[64];
        snprintf(time, sizeof time, "t = %.4g s", phx_frame_time(parts[0].frame));
        phx_image_text(*image, 16, def->height - 24, 12, time, ink);
    }
    return drawn;
}
