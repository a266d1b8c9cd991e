// SPDX-License-Identifier: MIT
// What is made of pictures: single files, a film, a contact sheet, all in one pass over them.
#include "show/pictures.h"

#include <stdio.h>

enum { OUT_STAMP = 0x504f5531 };

phx_pictures_out phx_pictures_out_default(void) {
    return (phx_pictures_out){.columns = 4, .rows = 2, .stamp = OUT_STAMP};
}

typedef struct making {
    phx_pictures* pictures;
    const phx_pictures_out* out;
    phx_film* film;
    bool film_failed;
    phx_image** cells; // of the sheet
    int cell_count;
    phx_pictures_made made;
    phx_result result; // the first thing that went wrong with a film or sheet
    char why[1024];
} making;

/// What goes wrong with one kind of output does not cost the others; it is told at the end.
static void remember(making* m, phx_result result) {
    if (result != PHX_OK && m->result == PHX_OK) {
        m->result = result;
        snprintf(m->why, sizeof m->why, "%s", phx_error_message());
    }
}

static void add_to_film(making* m, phx_image* image) {
    const phx_pictures_out* out = m->out;
    if (!out->film || m->film_failed) {
        return;
    }
    double fps = out->fps > 0 ? out->fps : phx_pictures_rate(m->pictures);
    phx_result result =
        m->film ? PHX_OK : phx_film_begin(out->film, phx_image_width(image), phx_image_height(image), fps, &m->film);
    result = result == PHX_OK ? phx_film_add(m->film, image) : result;
    m->film_failed = result != PHX_OK;
    m->made.in_film += !m->film_failed;
    remember(m, result);
}

/// Whether picture i is one of the evenly spaced ones that the sheet shows.
static bool in_sheet(const making* m, int picture) {
    int cells = m->out->columns * m->out->rows, count = m->pictures->count;
    for (int k = 0; m->cells && k < cells && k < count; ++k) {
        if (phxi_evenly(count, cells, k) == picture) {
            return true;
        }
    }
    return false;
}

static phx_result save_alone(const making* m, int picture, const phx_image* image) {
    char path[1200];
    if (m->out->picture) {
        PHXI_TRY(phx_image_save(image, m->out->picture));
    }
    if (!m->out->folder) {
        return PHX_OK;
    }
    snprintf(path, sizeof path, "%.1100s/frame_%05d.png", m->out->folder, m->pictures->chosen[picture]);
    return phx_image_save(image, path);
}

/// One picture into all that is made of it. A file that cannot be written ends the work: the next could not either.
static phx_result take(making* m, int picture, phx_image* image) {
    ++m->made.drawn;
    add_to_film(m, image);
    phx_result result = save_alone(m, picture, image);
    m->made.stopped = m->out->seen && !m->out->seen(m->out->user, picture, image, NULL);
    if (in_sheet(m, picture)) {
        m->cells[m->cell_count++] = image;
    } else {
        phx_image_destroy(image);
    }
    return result;
}

static phx_result draw_all(making* m) {
    for (int i = 0; i < m->pictures->count && !m->made.stopped; ++i) {
        phx_image* image = NULL;
        phx_result result = phx_pictures_draw(m->pictures, i, &image);
        if (result == PHX_OK) {
            PHXI_TRY(take(m, i, image));
        } else if (result == PHX_ERROR_IO || result == PHX_ERROR_FORMAT) {
            ++m->made.left_out;
            m->made.stopped = m->out->seen && !m->out->seen(m->out->user, i, NULL, phx_error_message());
        } else {
            return result;
        }
    }
    return PHX_OK;
}

static phx_result save_sheet(making* m) {
    phx_image* sheet = NULL;
    const phx_render_def* def = &m->pictures->render;
    PHXI_TRY(phx_image_sheet(m->cells, m->cell_count, m->out->columns, &sheet));
    phx_result result = PHX_OK;
    if (m->out->bar_beside && def->field && def->low < def->high) {
        phx_image* tiles = sheet;
        result = phx_render_bar_beside(tiles, def, &sheet);
        sheet = result == PHX_OK ? sheet : NULL;
        phx_image_destroy(tiles);
    }
    result = result == PHX_OK ? phx_image_save(sheet, m->out->sheet) : result;
    phx_image_destroy(sheet);
    m->made.in_sheet = result == PHX_OK ? m->cell_count : 0;
    return result;
}

static phx_result check(const phx_pictures* pictures, const phx_pictures_out* out) {
    if (!pictures || !out || out->stamp != OUT_STAMP) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "needs pictures and an output from phx_pictures_out_default()");
    }
    if (out->sheet && (out->columns < 1 || out->rows < 1 || out->columns > 1000 || out->rows > 1000)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a sheet of %d columns and %d rows, expected 1 to 1000 each", out->columns,
                         out->rows);
    }
    if (out->picture && pictures->count != 1) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "one file, '%s', for %d pictures", out->picture, pictures->count);
    }
    return PHX_OK;
}

phx_result phx_pictures_make(phx_pictures* pictures, const phx_pictures_out* out, phx_pictures_made* made) {
    PHXI_NEED(pictures && out);
    PHXI_TRY(check(pictures, out));
    making m = {.pictures = pictures, .out = out};
    if (out->sheet) {
        m.cells = phxi_alloc(&pictures->heap, (size_t)out->columns * (size_t)out->rows, sizeof *m.cells, "sheet");
        if (!m.cells) {
            return PHX_ERROR_MEMORY;
        }
    }
    remember(&m, draw_all(&m));
    remember(&m, phx_film_end(m.film, !m.film_failed));
    if (m.cell_count > 0) {
        remember(&m, save_sheet(&m));
    }
    for (int i = 0; i < m.cell_count; ++i) {
        phx_image_destroy(m.cells[i]);
    }
    phxi_free(&pictures->heap, m.cells);
    if (made) {
        *made = m.made;
    }
    return m.result == PHX_OK ? PHX_OK : phxi_fail(m.result, "%s", m.why);
}
