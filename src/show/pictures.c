// SPDX-License-Identifier: MIT
// Pictures of runs. What all of them share (the stage, the camera, the range of the colours) is found when they are
// opened; then each is drawn by itself.
#include "show/pictures.h"

#include <math.h>
#include <string.h>

enum { PICTURES_STAMP = 0x50494331 };
static const double draft_cell = 0.7; // of surfaces of liquids, in spacings: a third of the cells of a film's

phx_pictures_def phx_pictures_def_default(void) {
    phx_pictures_def def = {.show = phx_show_def_default(),
                            .render = phx_render_def_default(),
                            .frame = -1,
                            .every = 1,
                            .first = -HUGE_VAL,
                            .last = HUGE_VAL,
                            .stamp = PICTURES_STAMP};
    def.render.width = 1280, def.render.height = 720;
    def.render.quality = PHX_QUALITY_FILM;
    def.render.stage = NULL;
    def.render.caption = false;
    return def;
}

// --------------------------------------------------------------------------------------------------------------- open

static phx_result open_runs(phx_pictures* p, const phx_pictures_def* def) {
    for (int i = 0; i < def->run_count; ++i) {
        phx_show_def show = def->show;
        show.run = def->runs[i];
        show.bare = show.bare || (!def->render.field && !def->draw);
        show.cell = def->render.quality == PHX_QUALITY_DRAFT ? fmax(show.cell, draft_cell) : show.cell;
        p->names[i] = def->runs[i] ? phxi_strdup(&p->heap, def->runs[i], "pictures") : NULL;
        if (def->runs[i] && !p->names[i]) {
            return PHX_ERROR_MEMORY;
        }
        PHXI_TRY(phx_show_open(&show, &p->shows[i]));
        ++p->runs;
    }
    return PHX_OK;
}

/// Texts of the definition need not outlive the call.
static phx_result keep_texts(phx_pictures* p) {
    const char** const texts[] = {&p->render.title, &p->render.field, &p->render.map, &p->render.stage};
    for (int i = 0; i < 4; ++i) {
        if (*texts[i] && !(*texts[i] = phxi_strdup(&p->heap, *texts[i], "pictures"))) {
            return PHX_ERROR_MEMORY;
        }
    }
    return PHX_OK;
}

/// One stage for all pictures, whichever of them are drawn: it is that of all frames.
static phx_result place(phx_pictures* p, const phx_pictures_def* def) {
    phx_render_def* d = &p->render;
    phx_stage stage;
    double aspect = d->height > 0 ? (double)phx_render_view_width(d) / d->height : 0;
    if (!(aspect > 0)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a picture of %d x %d pixels", d->width, d->height);
    }
    PHXI_TRY(phx_show_stage(p->shows[p->base], NULL, 0, aspect, def->from, &stage));
    d->stage = d->stage ? d->stage : stage.name;
    d->stage_radius = d->stage_radius > 0 ? d->stage_radius : stage.radius;
    if (!def->own_camera) {
        d->camera = stage.camera;
    } else if (!(d->camera.field_of_view > 0)) {
        d->camera.field_of_view = stage.camera.field_of_view;
    }
    if (!def->own_floor) {
        d->floor = stage.floor;
        d->floor_height = stage.floor_height;
    }
    return PHX_OK;
}

static phx_result open_all(phx_pictures* p, const phx_pictures_def* def) {
    p->render = def->render;
    p->draw = def->draw, p->user = def->user;
    PHXI_TRY(keep_texts(p));
    PHXI_TRY(open_runs(p, def));
    PHXI_TRY(phxi_pictures_choose(p, def));
    phx_render_def* d = &p->render;
    if (d->field && !(d->low < d->high)) {
        PHXI_TRY(phxi_pictures_range(p, d->field, &d->low, &d->high));
    }
    return place(p, def);
}

phx_result phx_pictures_open(const phx_pictures_def* def, phx_pictures** pictures) {
    if (!def || !pictures || def->stamp != PICTURES_STAMP || !def->runs || def->run_count < 1) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "pictures need a definition from phx_pictures_def_default() with a run");
    }
    if (def->run_count > PHXI_PICTURES_RUNS) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "%d runs, expected at most %d side by side", def->run_count,
                         PHXI_PICTURES_RUNS);
    }
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phx_pictures* made = heap.allocator.alloc(heap.allocator.context, sizeof *made, "pictures");
    if (!made) {
        return phxi_fail_memory("pictures");
    }
    *made = (phx_pictures){0};
    phxi_heap_init(&made->heap, NULL);
    phx_result result = open_all(made, def);
    if (result != PHX_OK) {
        phx_pictures_close(made);
        return result;
    }
    *pictures = made;
    return PHX_OK;
}

void phx_pictures_close(phx_pictures* p) {
    if (!p) {
        return;
    }
    for (int i = 0; i < p->runs; ++i) {
        phx_show_close(p->shows[i]);
    }
    phx_allocator allocator = p->heap.allocator;
    phxi_heap_destroy(&p->heap);
    allocator.free(allocator.context, p);
}

int phx_pictures_count(const phx_pictures* p) {
    return p ? p->count : 0;
}
int phx_pictures_frame(const phx_pictures* p, int picture) {
    return picture >= 0 && picture < phx_pictures_count(p) ? p->chosen[picture] : -1;
}
double phx_pictures_time(const phx_pictures* p, int picture) {
    return phx_show_time(p ? p->shows[p->base] : NULL, phx_pictures_frame(p, picture));
}
double phx_pictures_rate(const phx_pictures* p) {
    if (!p) {
        return 0;
    }
    double span = phx_pictures_time(p, p->count - 1) - phx_pictures_time(p, 0);
    return span > 0 ? fmin(fmax((p->count - 1) / span, 1), 60) : 25;
}
const phx_render_def* phx_pictures_render(const phx_pictures* p) {
    return p ? &p->render : NULL;
}
const char* phx_pictures_folder(const phx_pictures* p) {
    return phx_show_folder(p ? p->shows[0] : NULL);
}
phx_show* phx_pictures_show(phx_pictures* p, int run) {
    return p && run >= 0 && run < p->runs ? p->shows[run] : NULL;
}

// --------------------------------------------------------------------------------------------------------------- draw

phx_result phx_pictures_parts(phx_pictures* p, int run, int picture, const phx_part** parts, int* count) {
    PHXI_NEED(p && parts && count);
    if (!p || run < 0 || run >= p->runs || picture < 0 || picture >= p->count) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "picture %d of run %d: there is none", picture, run);
    }
    int frame = phxi_pictures_frame_of(p, run, picture);
    phx_result result = phx_show_parts(p->shows[run], frame, parts, count);
    if (result == PHX_OK && *count == 0) {
        result = phxi_fail(PHX_ERROR_FORMAT, "it shows nothing");
    }
    return result == PHX_OK ? PHX_OK : phxi_fail_within(result, "frame %d of %s", frame, p->names[run]);
}

/// By another program.
static phx_result draw_elsewhere(phx_pictures* p, int run, const phx_part* parts, int count, const phx_render_def* def,
                                 phx_image** image) {
    const char** names;
    PHXI_NEW(names, &p->heap, count, "pictures");
    for (int i = 0; i < count; ++i) {
        names[i] = phx_show_part_name(p->shows[run], i);
    }
    bool drawn = p->draw(p->user, parts, names, count, def, image);
    phxi_free(&p->heap, (void*)names);
    return drawn ? PHX_OK : phxi_fail(PHX_ERROR_IO, "the program that draws made no picture of %s", p->names[run]);
}

static phx_result draw_run(phx_pictures* p, int run, int picture, phx_image** image) {
    const phx_part* parts = NULL;
    int count = 0;
    PHXI_TRY(phx_pictures_parts(p, run, picture, &parts, &count));
    phx_render_def def = p->render;
    def.title = def.title || p->runs == 1 ? def.title : p->names[run];
    def.caption = def.caption || def.title || def.field;
    return p->draw ? draw_elsewhere(p, run, parts, count, &def, image) : phx_render_parts(parts, count, &def, image);
}

/// Where the frame of a run would be that cannot be read.
static phx_result draw_blank(const phx_pictures* p, phx_image** image) {
    static const unsigned char ink[3] = {120, 120, 120};
    int width = p->render.width, height = p->render.height;
    PHXI_TRY(phx_image_create(width, height, image));
    memset(phx_image_pixels(*image), 235, 3 * (size_t)width * (size_t)height);
    phx_image_text(*image, 16, height / 2, 14, "no frame", ink);
    return PHX_OK;
}

static bool costs_one_picture(phx_result result) {
    return result == PHX_ERROR_IO || result == PHX_ERROR_FORMAT;
}

static phx_result draw_beside(phx_pictures* p, int picture, phx_image** images) {
    phx_result first = PHX_OK;
    int there = 0;
    for (int r = 0; r < p->runs; ++r) {
        phx_result result = draw_run(p, r, picture, &images[r]);
        there += result == PHX_OK;
        if (result != PHX_OK && !costs_one_picture(result)) {
            return result;
        }
        first = first == PHX_OK ? result : first;
    }
    for (int r = 0; r < p->runs && there > 0; ++r) {
        if (!images[r]) {
            PHXI_TRY(draw_blank(p, &images[r]));
        }
    }
    return there > 0 ? PHX_OK : first;
}

phx_result phx_pictures_draw(phx_pictures* p, int picture, phx_image** image) {
    if (!p || !image) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a picture needs pictures and a place for it");
    }
    phx_image* images[PHXI_PICTURES_RUNS] = {0};
    *image = NULL;
    if (p->runs == 1) {
        return draw_run(p, 0, picture, image);
    }
    phx_result result = draw_beside(p, picture, images);
    result = result == PHX_OK ? phx_image_sheet(images, p->runs, p->runs, image) : result;
    for (int r = 0; r < p->runs; ++r) {
        phx_image_destroy(images[r]);
    }
    return result;
}
