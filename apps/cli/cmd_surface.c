// SPDX-License-Identifier: MIT
// phyxel surface: the frames of a run as a sequence of meshes for other programs, or as one animated USD file.
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "progress.h"

#include <phyxel/show.h>

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

typedef struct exporter {
    const cli_command* command;
    const char *out, *usd_path, *gltf_path;
    cli_list formats;
    int every, frame;
    double from, to, fps;
    bool skin, points, splats, density, quiet;
    phx_surface_def surface;
    cli_choice choice;
    phx_show* show;
    char folder[1100];
    phx_usd* usd;
    phx_gltf* gltf;
    int written, left_out;
    long long triangles;
    cli_progress progress;
} exporter;

enum { MOST_PARTS = 1000 };
static const char* const FORMATS[] = {"ply", "obj", "vtp", "pov", "glb"};

/// Whether options say what is written, the same for all bodies.
static bool by_options(const exporter* e) {
    return e->points || e->splats || e->density;
}

static int check(exporter* e) {
    for (int i = 0; i < e->formats.count; ++i) {
        bool known = false;
        for (int k = 0; k < 5; ++k) {
            known = known || strcmp(e->formats.items[i], FORMATS[k]) == 0;
        }
        if (!known) {
            return cli_usage(e->command, "--format cannot take '%s', expected ply, obj, vtp, pov or glb",
                             e->formats.items[i]);
        }
    }
    if (e->gltf_path && by_options(e)) {
        return cli_usage(e->command, "--gltf has every body as what it is, without --points, --splats and --density");
    }
    if (e->formats.count == 0 && !e->usd_path && !e->gltf_path) {
        e->formats.items[e->formats.count++] = "ply";
    }
    if (e->skin + e->points + e->splats + e->density > 1) {
        return cli_usage(e->command, "one of --skin, --points, --splats and --density at a time");
    }
    return e->every > 0 ? CLI_OK : cli_usage(e->command, "--every cannot take 0");
}

static bool wants(const exporter* e, const char* format) {
    bool found = false;
    for (int i = 0; i < e->formats.count; ++i) {
        found = found || strcmp(e->formats.items[i], format) == 0;
    }
    return found;
}

/// Every body with its look: to the USD file, and as glTF.
static phx_result write_bodies(exporter* e, int i) {
    const phx_part* parts;
    const char* names[MOST_PARTS];
    int count;
    phx_result result = phx_show_parts(e->show, i, &parts, &count);
    count = count < MOST_PARTS ? count : MOST_PARTS;
    for (int k = 0; result == PHX_OK && k < count; ++k) {
        names[k] = phx_show_part_name(e->show, k);
    }
    if (result == PHX_OK && count > 0 && e->usd && !by_options(e)) {
        result = phx_usd_add_parts(e->usd, parts, names, count);
    }
    if (result == PHX_OK && count > 0 && e->gltf) {
        result = phx_gltf_add_parts(e->gltf, parts, names, count);
    }
    if (result == PHX_OK && count > 0 && wants(e, "glb")) {
        char path[1200];
        snprintf(path, sizeof path, "%s/frame_%05d.glb", e->folder, i);
        result = phx_gltf_write(path, parts, names, count);
    }
    return result;
}

/// What is written of a frame.
static phx_result make_frame(exporter* e, int i, phx_frame** frame) {
    phx_frame* particles = NULL;
    if (!by_options(e)) {
        return phx_show_surface(e->show, i, frame);
    }
    phx_result result = phx_show_particles(e->show, i, e->points ? frame : &particles);
    if (result == PHX_OK && particles) {
        result = e->splats ? phx_surface_splats(particles, &e->surface, frame)
                           : phx_surface_reconstruct(particles, &e->surface, frame, NULL);
    }
    phx_frame_destroy(particles);
    return result;
}

static bool chosen(const exporter* e, int i) {
    double time = phx_show_time(e->show, i);
    return (e->frame < 0 ? i % e->every == 0 : i == e->frame) && time >= e->from && time <= e->to;
}

// Frames a second: given, or those of the run.
static double rate(const exporter* e) {
    int count = phx_show_count(e->show);
    double span = phx_show_time(e->show, count - 1) - phx_show_time(e->show, 0);
    return e->fps > 0 ? e->fps : span > 0 ? (count - 1) / span : 24;
}

static phx_result write_frame(exporter* e, int i, const phx_frame* frame) {
    phx_result result = PHX_OK;
    for (int k = 0; result == PHX_OK && k < e->formats.count; ++k) {
        char path[1200];
        snprintf(path, sizeof path, "%s/frame_%05d.%s", e->folder, i, e->formats.items[k]);
        if (strcmp(e->formats.items[k], "glb") != 0) { // of all bodies at once
            result = phx_frame_write(frame, path);
        }
    }
    return result == PHX_OK && e->usd && by_options(e) ? phx_usd_add(e->usd, frame) : result;
}

static phx_result write_all(exporter* e) {
    int count = phx_show_count(e->show), total = 0, done = 0;
    for (int i = 0; i < count; ++i) {
        total += chosen(e, i);
    }
    e->progress = cli_progress_begin("frame", total, e->quiet);
    for (int i = 0; i < count && !cli_interrupted(); ++i) {
        if (!chosen(e, i)) {
            continue;
        }
        phx_frame* frame = NULL;
        phx_result result = make_frame(e, i, &frame);
        if (result == PHX_OK) {
            result = write_frame(e, i, frame);
            bool bodies = wants(e, "glb") || e->gltf || (e->usd && !by_options(e));
            result = result == PHX_OK && bodies ? write_bodies(e, i) : result;
            e->triangles += phx_frame_triangles(frame);
            ++e->written;
            phx_frame_destroy(frame);
        } else if (result == PHX_ERROR_FORMAT || result == PHX_ERROR_IO) {
            cli_progress_clear(&e->progress);
            fprintf(stderr, "phyxel: frame %d is left out: %s\n", i, phx_error_message());
            ++e->left_out;
            result = PHX_OK;
        }
        if (result != PHX_OK) {
            return result;
        }
        cli_progress_show(&e->progress, ++done);
    }
    cli_progress_clear(&e->progress);
    return PHX_OK;
}

static int finish(exporter* e, phx_result result) {
    phx_result usd = e->usd ? phx_usd_end(e->usd, result == PHX_OK && e->written > 0) : PHX_OK;
    e->usd = NULL;
    result = result == PHX_OK ? usd : result;
    phx_result gltf = phx_gltf_end(e->gltf, result == PHX_OK && e->written > 0);
    e->gltf = NULL;
    result = result == PHX_OK ? gltf : result;
    if (result != PHX_OK) {
        return cli_fail(result);
    }
    if (e->written == 0) {
        fprintf(stderr, "phyxel: nothing was written\n");
        return CLI_BAD_INPUT;
    }
    if (!e->quiet) {
        printf("%d frames, %lld triangles in all", e->written, e->triangles);
        printf(e->formats.count ? ": %s\n" : "\n", e->folder);
        if (e->usd_path) {
            printf("animated USD: %s\n", e->usd_path);
        }
        if (e->gltf_path) {
            printf("animated glTF: %s\n", e->gltf_path);
        }
    }
    return cli_interrupted() ? CLI_INTERRUPTED : e->left_out ? CLI_INCOMPLETE : CLI_OK;
}

static int work(exporter* e, const char* run) {
    int code = check(e);
    if (code != CLI_OK) {
        return code;
    }
    phx_show_def def = phx_show_def_default();
    def.run = run;
    def.draw = e->skin ? PHX_DRAW_SKIN : PHX_DRAW_AUTO;
    def.all = e->choice.all;
    def.hide = e->choice.hide.items;
    def.hide_count = e->choice.hide.count;
    def.threads = e->surface.threads;
    phx_result opened = phx_show_open(&def, &e->show);
    double apart = opened == PHX_OK ? phx_show_cloud_spacing(e->show) : 0;
    if (apart > 0 && !e->points) {
        printf("points %.4g m apart (to the nearest other one): a surface around them\n", apart);
        phx_show_close(e->show);
        e->show = NULL;
        def.draw = PHX_DRAW_LIQUID;
        opened = phx_show_open(&def, &e->show);
    }
    if (opened != PHX_OK) {
        return cli_fail(opened);
    }
    snprintf(e->folder, sizeof e->folder, "%.1000s%s", e->out ? e->out : phx_show_folder(e->show),
             e->out ? "" : "/surface");
    if (e->formats.count && mkdir(e->folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "phyxel: cannot make folder '%s': %s\n", e->folder, strerror(errno));
        return CLI_BAD_INPUT;
    }
    phx_result result = e->usd_path ? phx_usd_begin(e->usd_path, rate(e), &e->usd) : PHX_OK;
    result = result == PHX_OK && e->gltf_path ? phx_gltf_begin(e->gltf_path, &e->gltf) : result;
    if (result != PHX_OK) {
        return cli_fail(result);
    }
    cli_listen_for_interrupts();
    return finish(e, write_all(e));
}

int cmd_surface(int count, char** arguments) {
    exporter e = {.command = cli_find_command("surface"),
                  .every = 1,
                  .frame = -1,
                  .from = -HUGE_VAL,
                  .to = HUGE_VAL,
                  .surface = phx_surface_def_default()};
    const cli_option options[] = {
        {"--out", "DIR", "where to write; RUN/surface if not given", CLI_TEXT, &e.out},
        {"--format", "NAME", "ply, obj, vtp, pov or glb (glTF, with looks); may be given several times; ply", CLI_LIST,
         &e.formats},
        {"--usd", "FILE.usda", "one animated file; no other files unless --format is given", CLI_TEXT, &e.usd_path},
        {"--gltf", "FILE.glb", "one animated file of bodies that keep their triangles, likewise; at most 61 frames",
         CLI_TEXT, &e.gltf_path},
        {"--skin", NULL, "the meshes the bodies were made of; if not given every body as what it is", CLI_FLAG,
         &e.skin},
        {"--points", NULL, "the particles themselves", CLI_FLAG, &e.points},
        {"--splats", NULL, "discs along the surface: points with normal and radius", CLI_FLAG, &e.splats},
        {"--density", NULL, "a surface where the density of particles passes a level; the options below are its own",
         CLI_FLAG, &e.density},
        {"--spacing", "M", "distance of particles; from the frames if not given", CLI_NUMBER, &e.surface.spacing},
        {"--radius", "R", "of the kernel, in spacings; 2", CLI_NUMBER, &e.surface.radius},
        {"--cell", "C", "edge of a grid cell, in spacings; 0.5", CLI_NUMBER, &e.surface.cell},
        {"--iso", "L", "level of the surface, between 0 and 1; 0.5", CLI_NUMBER, &e.surface.iso},
        {"--anisotropic", NULL, "kernels stretched along the surface: flatter", CLI_FLAG, &e.surface.anisotropic},
        {"--smoothing", "N", "rounds of smoothing of the mesh; 0", CLI_INT, &e.surface.smoothing},
        {"--hide", "BODY", "leave a body out, by name; may be given several times", CLI_LIST, &e.choice.hide},
        {"--all", NULL, "also the bodies that the scene does not show", CLI_FLAG, &e.choice.all},
        {"--every", "N", "only every N-th frame", CLI_INT, &e.every},
        {"--frame", "N", "only frame N", CLI_INT, &e.frame},
        {"--from", "S", "only frames from this time on", CLI_NUMBER, &e.from},
        {"--to", "S", "only frames up to this time", CLI_NUMBER, &e.to},
        {"--fps", "N", "time codes a second of the USD file; those of the run if not given", CLI_NUMBER, &e.fps},
        {"--threads", "N", "0: one per processor", CLI_INT, &e.surface.threads},
        {"--quiet", NULL, "no progress, only warnings", CLI_FLAG, &e.quiet},
        {NULL, NULL, NULL, CLI_FLAG, NULL},
    };
    int code = cli_parse(e.command, options, &count, arguments);
    if (code >= 0) {
        return code;
    }
    if (count != 1) {
        return cli_usage(e.command, count == 0 ? "which run?" : "one run at a time");
    }
    code = work(&e, arguments[0]);
    phx_show_close(e.show);
    return code;
}
