// SPDX-License-Identifier: MIT
// Pictures of runs: frames that are chosen, films and sheets in one pass, what stands still does not change.
#include "support/run_text.h"
#include "support/test.h"

#include <phyxel/io.h>
#include <phyxel/pictures.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* const scene_text = "bodies:\n"
                                      "  cube: {shape: \"box(center=(0,0,0.1),size=(0.1,0.1,0.1))\", spacing: 0.02, "
                                      "material: jelly}\n"
                                      "colliders:\n"
                                      "  floor: {}\n"
                                      "run: {duration: 0.2, fps: 50}\n";

static const char* runs[2];

static phx_pictures_def small(int width, int quality) {
    runs[0] = runs[1] = phxt_path("run");
    phx_pictures_def def = phx_pictures_def_default();
    def.runs = runs;
    def.run_count = 1;
    def.render.width = width;
    def.render.height = width * 9 / 16;
    def.render.quality = quality;
    def.render.threads = def.show.threads = 1;
    return def;
}

TEST(frames_are_chosen) {
    REQUIRE_OK(phxt_run_text(scene_text, NULL, phxt_path("run")));
    phx_pictures_def def = small(32, PHX_QUALITY_DRAFT);
    phx_pictures* p = NULL;
    REQUIRE_OK(phx_pictures_open(&def, &p));
    ENSURE(phx_pictures_count(p) == 11 && phx_pictures_frame(p, 10) == 10 && phx_pictures_frame(p, 11) == -1);
    ENSURE_NEAR(phx_pictures_rate(p), 50, 1e-6);
    phx_camera whole = phx_pictures_render(p)->camera;
    phx_pictures_close(p);
    def.most = 3;
    REQUIRE_OK(phx_pictures_open(&def, &p));
    ENSURE(phx_pictures_count(p) == 3 && phx_pictures_frame(p, 1) == 5 && phx_pictures_frame(p, 2) == 10);
    phx_pictures_close(p);
    def.most = 0;
    def.every = 4;
    def.first = 0.05;
    REQUIRE_OK(phx_pictures_open(&def, &p));
    ENSURE(phx_pictures_count(p) == 2 && phx_pictures_frame(p, 0) == 4);
    phx_pictures_close(p);
    static const double times[] = {0.19, 0, 0.05};
    def = small(32, PHX_QUALITY_DRAFT);
    def.times = times;
    def.time_count = 3;
    REQUIRE_OK(phx_pictures_open(&def, &p));
    ENSURE(phx_pictures_count(p) == 3 && phx_pictures_frame(p, 1) == 0);
    // pictures of single frames fit into the film of all
    ENSURE(memcmp(&phx_pictures_render(p)->camera, &whole, sizeof whole) == 0);
    phx_pictures_close(p);
    def.frame = 99;
    def.times = NULL;
    ENSURE_RESULT(phx_pictures_open(&def, &p), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("0 to 10");
    def.run_count = 17;
    ENSURE_RESULT(phx_pictures_open(&def, &p), PHX_ERROR_ARGUMENT);
    def = small(0, PHX_QUALITY_DRAFT);
    ENSURE_RESULT(phx_pictures_open(&def, &p), PHX_ERROR_ARGUMENT);
}

typedef struct witness {
    int seen, missing, stop_at;
} witness;

static bool on_picture(void* user, int picture, phx_image* image, const char* why) {
    witness* w = user;
    w->seen += image != NULL;
    w->missing += image == NULL && why && why[0];
    return picture + 1 != w->stop_at;
}

static bool is_file(const char* name, const char* begin) {
    FILE* file = fopen(phxt_path(name), "rb");
    char bytes[4] = "";
    bool good = file && fread(bytes, 1, 4, file) == 4 && memcmp(bytes, begin, 4) == 0;
    if (file) {
        fclose(file);
    }
    return good;
}

TEST(film_sheet_and_files_in_one_pass) {
    REQUIRE_OK(phxt_run_text(scene_text, NULL, phxt_path("run")));
    phx_pictures_def def = small(48, PHX_QUALITY_DRAFT);
    phx_pictures* p = NULL;
    phx_pictures_made made;
    def.every = 2;
    def.run_count = 2; // side by side
    REQUIRE_OK(phx_pictures_open(&def, &p));
    witness w = {0};
    phx_pictures_out out = phx_pictures_out_default();
    char film[1024], sheet[1024];
    snprintf(film, sizeof film, "%s", phxt_path("film.webp"));
    snprintf(sheet, sizeof sheet, "%s", phxt_path("sheet.png"));
    out.folder = phxt_scratch();
    out.film = phx_film_possible() ? film : NULL;
    out.sheet = sheet;
    out.columns = 2, out.rows = 2;
    out.seen = on_picture, out.user = &w;
    REQUIRE_OK(phx_pictures_make(p, &out, &made));
    ENSURE(made.drawn == 6 && made.left_out == 0 && made.in_sheet == 4 && !made.stopped && w.seen == 6);
    ENSURE(is_file("frame_00010.png", "\211PNG") && is_file("sheet.png", "\211PNG"));
    ENSURE(!phx_film_possible() || (made.in_film == 6 && is_file("film.webp", "RIFF")));
    // stopped: what there is is kept
    remove(sheet);
    w = (witness){.stop_at = 2};
    REQUIRE_OK(phx_pictures_make(p, &out, &made));
    ENSURE(made.stopped && made.drawn == 2 && is_file("sheet.png", "\211PNG"));
    // a film that cannot be written does not cost the sheet
    remove(sheet);
    snprintf(film, sizeof film, "%s", phxt_path("none/film.webp"));
    w = (witness){0};
    if (phx_film_possible()) {
        ENSURE_RESULT(phx_pictures_make(p, &out, &made), PHX_ERROR_IO);
        ENSURE_MESSAGE("none/film.webp");
        ENSURE(made.drawn == 6 && is_file("sheet.png", "\211PNG"));
    }
    phx_pictures_close(p);
}

TEST(frames_that_cannot_be_read_are_left_out) {
    REQUIRE_OK(phxt_run_text(scene_text, NULL, phxt_path("run")));
    phxt_write(phxt_path("run/frames/frame_00003.vtp"), "garbage", 7);
    phx_pictures_def def = small(32, PHX_QUALITY_DRAFT);
    phx_pictures* p = NULL;
    phx_pictures_made made;
    witness w = {0};
    phx_pictures_out out = phx_pictures_out_default();
    out.seen = on_picture, out.user = &w;
    REQUIRE_OK(phx_pictures_open(&def, &p));
    REQUIRE_OK(phx_pictures_make(p, &out, &made));
    ENSURE(made.drawn == 10 && made.left_out == 1 && w.missing == 1);
    phx_image* image = NULL;
    ENSURE_RESULT(phx_pictures_draw(p, 3, &image), PHX_ERROR_FORMAT);
    ENSURE_RESULT(phx_pictures_draw(p, 11, &image), PHX_ERROR_ARGUMENT);
    out.sheet = "sheet.jpg";
    ENSURE_RESULT(phx_pictures_make(p, &out, &made), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE(".png or .webp");
    phx_pictures_close(p);
}

/// Largest difference of a pixel's parts.
static int difference(phx_image* a, phx_image* b, int x, int y) {
    size_t at = 3 * ((size_t)y * (size_t)phx_image_width(a) + (size_t)x);
    int most = 0;
    for (int k = 0; k < 3; ++k) {
        int d = abs((int)phx_image_pixels(a)[at + (size_t)k] - (int)phx_image_pixels(b)[at + (size_t)k]);
        most = d > most ? d : most;
    }
    return most;
}

// Nothing but the body, its shadow and what they light up changes in a film of paths of light: noise stands still.
TEST(what_stands_still_does_not_flicker) {
    REQUIRE_OK(phxt_run_text(scene_text, NULL, phxt_path("run")));
    phx_pictures_def def = small(256, PHX_QUALITY_FILM);
    def.render.threads = 0;
    phx_pictures* p = NULL;
    REQUIRE_OK(phx_pictures_open(&def, &p));
    phx_image *first = NULL, *last = NULL;
    REQUIRE_OK(phx_pictures_draw(p, 0, &first));
    REQUIRE_OK(phx_pictures_draw(p, 10, &last));
    int changed = 0, most = 0, count = 0, backdrop = 0;
    for (int y = 0; y < 144; ++y) {
        for (int x = 0; x < 256; ++x) {
            int d = difference(first, last, x, y);
            bool far = x >= 230 || (x < 26 && y < 110); // but for where the shadow falls, in front on the left
            backdrop = y < 8 && d > backdrop ? d : backdrop;
            changed += far && d > 2;
            most = far && d > most ? d : most;
            count += far;
        }
    }
    printf("      floor: %d of %d pixels differ by more than 2 of 255, at most by %d; backdrop by %d\n", changed, count,
           most, backdrop);
    ENSURE(backdrop == 0 && changed <= count / 1000 && most <= 6);
    phx_image_destroy(first);
    phx_image_destroy(last);
    phx_pictures_close(p);
}
