// SPDX-License-Identifier: MIT
// Two passes over the chosen instants: the first finds what all of them share (the box of the whole motion for the
// camera, the range of the colours), the second draws. A frame that cannot be read costs its picture and a message;
// what was drawn stays.
#define _POSIX_C_SOURCE 200809L
#include "pictures.h"

#include "film.h"
#include "progress.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RUNS = 16, SAMPLES = 20000 };

typedef struct studio {
    const cli_command* command;
    const cli_pictures* options;
    phx_show* shows[RUNS];
    const char* names[RUNS]; // of the runs
    int runs;
    int base;           // the run whose instants are drawn: the one with the most frames
    int* chosen;        // its frames
    int count;          // of them
    int columns, cells; // of the sheet; 0: none
    phx_image** sheet;  // its pictures
    int sheet_count;
    phx_render_def def;
    double least, most; // of the field
    char folder[1100];  // of the pictures
    cli_film film;
    char film_path[1024];
    bool filming, png;
    bool one_bar; // beside the sheet, none in its pictures
    int drawn, left_out;
    cli_progress progress;
} studio;

cli_pictures cli_pictures_default(void) {
    return (cli_pictures){.samples = 4, .occlusion = 8, .every = 1, .frame = -1, .from = -HUGE_VAL, .to = HUGE_VAL};
}

// ------------------------------------------------------------------------------------------------------------- options

static bool parse_vectors(const char* text, int count, phx_vec3* vectors) {
    for (int i = 0; i < 3 * count; ++i) {
        char* end;
        text += strspn(text, " ,();");
        double value = strtod(text, &end);
        if (end == text || !isfinite(value)) {
            return false;
        }
        ((double*)vectors)[i] = value;
        text = end;
    }
    return text[strspn(text, " ,();")] == 0;
}

static bool parse_pair(const char* text, char separator, int* a, int* b) {
    char* end;
    long first = strtol(text, &end, 10);
    if (end == text || *end != separator) {
        return false;
    }
    text = end + 1;
    long second = strtol(text, &end, 10);
    *a = (int)first, *b = (int)second;
    return end != text && !*end && first > 0 && second > 0 && first <= 16384 && second <= 16384;
}

static bool parse_range(const char* text, double* low, double* high) {
    char* end;
    *low = strtod(text, &end);
    if (end == text || *end != ':') {
        return false;
    }
    text = end + 1;
    *high = strtod(text, &end);
    return end != text && !*end && *low < *high && isfinite(*low) && isfinite(*high);
}

/// A phx_quality; -1: no such word.
static int cli_quality(const char* word) {
    static const char* const words[] = {"draft", "film", "still", "final"};
    for (int i = 0; word && i < 4; ++i) {
        if (strcmp(words[i], word) == 0) {
            return i;
        }
    }
    return word ? -1 : PHX_QUALITY_FILM;
}

static int read_options(studio* s) {
    const cli_pictures* o = s->options;
    phx_render_def* d = &s->def;
    *d = phx_render_def_default();
    d->samples = o->samples, d->occlusion = o->occlusion, d->threads = o->threads;
    d->radius = o->radius, d->bar = d->caption = !o->plain;
    d->field = o->field ? o->field : NULL;
    d->map = o->map ? o->map : d->map;
    d->stage = o->stage;
    d->width = o->sheet && !o->film && !o->png ? 480 : 1280;
    d->height = d->width * 9 / 16;
    d->quality = cli_quality(o->quality);
    if (d->quality < 0) {
        return cli_usage(s->command, "--quality cannot take '%s', expected draft, film, still or final", o->quality);
    }
    if (o->size && !parse_pair(o->size, 'x', &d->width, &d->height)) {
        return cli_usage(s->command, "--size cannot take '%s', expected WxH such as 640x480", o->size);
    }
    if (o->range && !parse_range(o->range, &d->low, &d->high)) {
        return cli_usage(s->command, "--range cannot take '%s', expected LOW:HIGH such as 0:1e4", o->range);
    }
    int rows = 0;
    if (o->sheet && !parse_pair(o->sheet, 'x', &s->columns, &rows)) {
        return cli_usage(s->command, "--sheet cannot take '%s', expected columns x rows such as 4x2", o->sheet);
    }
    s->cells = s->columns * rows;
    if (o->film && !cli_film_known(o->film)) {
        return cli_usage(s->command, "--film cannot take '%s', expected a name ending in .webp, .mp4, .webm or .gif",
                         o->film);
    }
    if (o->pov && (o->film || o->sheet)) {
        return cli_usage(s->command, "--pov makes single pictures, without --film and --sheet");
    }
    if (o->engine && strcmp(o->engine, "rays") != 0 && strcmp(o->engine, "z-buffer") != 0) {
        return cli_usage(s->command, "--engine cannot take '%s', expected rays or z-buffer", o->engine);
    }
    if (o->engine && strcmp(o->engine, "rays") == 0 && strcmp(phx_render_engine(), "embree") != 0) {
        fprintf(stderr, "phyxel: this build has no Embree and draws by z-buffer\n");
    }
    d->z_buffer = o->engine && strcmp(o->engine, "z-buffer") == 0;
    if (o->surface + o->skin + o->points > 1) {
        return cli_usage(s->command, "one of --points, --surface and --skin at a time");
    }
    return o->every >= 1 ? CLI_OK : cli_usage(s->command, "--every cannot take 0");
}

// One range for all pictures, and one bar for a sheet.
static void choose_colors(studio* s) {
    phx_render_def* d = &s->def;
    if (d->field && !s->options->range && s->least < s->most) {
        d->low = fabs(s->least) < 1e-6 * fabs(s->most) ? 0 : s->least; // roundings are nothing
        d->high = s->most;
    }
    s->one_bar = s->cells > 1 && !s->filming && !s->png && d->bar && d->field && d->low < d->high;
    d->bar = d->bar && !s->one_bar;
}

// The rest of the definition needs to know the motion: one stage for all pictures.
static int place(studio* s) {
    const cli_pictures* o = s->options;
    phx_render_def* d = &s->def;
    phx_vec3 direction, places[2];
    if (o->view && !parse_vectors(o->view, 1, &direction)) {
        return cli_usage(s->command, "--view cannot take '%s', expected a direction such as 1,-2,0.5", o->view);
    }
    if (o->camera && !parse_vectors(o->camera, 2, places)) {
        return cli_usage(s->command, "--camera cannot take '%s', expected \"eye target\" such as \"1,-2,1 0,0,0\"",
                         o->camera);
    }
    phx_stage stage;
    phx_result result =
        phx_show_stage(s->shows[s->base], s->chosen, s->count, (double)phx_render_view_width(d) / d->height,
                       o->view ? &direction : NULL, &stage);
    if (result != PHX_OK) {
        return cli_fail(result);
    }
    d->camera = stage.camera;
    d->stage = d->stage ? d->stage : stage.name;
    d->stage_radius = stage.radius;
    d->floor = stage.floor;
    d->floor_height = stage.floor_height;
    if (o->camera) {
        d->camera.eye = places[0], d->camera.target = places[1];
        d->camera.up = (phx_vec3){0, 0, 1};
    }
    if (o->floor) {
        char* end;
        d->floor = strcmp(o->floor, "none") != 0;
        d->floor_height = d->floor ? strtod(o->floor, &end) : 0;
        if (d->floor && (end == o->floor || *end || !isfinite(d->floor_height))) {
            return cli_usage(s->command, "--floor cannot take '%s', expected a height in m or none", o->floor);
        }
    }
    return CLI_OK;
}

// ------------------------------------------------------------------------------------------------------------ instants

// The frame of another run that is nearest in time.
static int frame_at(const phx_show* show, double time) {
    int best = 0;
    for (int i = 1; i < phx_show_count(show); ++i) {
        if (fabs(phx_show_time(show, i) - time) < fabs(phx_show_time(show, best) - time)) {
            best = i;
        }
    }
    return best;
}

static int frame_of(const studio* s, int run, int instant) {
    int base = s->chosen[instant];
    return run == s->base ? base : frame_at(s->shows[run], phx_show_time(s->shows[s->base], base));
}

// `count` of the chosen, evenly spaced, both ends included.
static void thin_out(studio* s, int count) {
    for (int i = 0; i < count && count < s->count; ++i) {
        s->chosen[i] = s->chosen[count == 1 ? s->count - 1 : (int)((int64_t)i * (s->count - 1) / (count - 1))];
    }
    s->count = count < s->count ? count : s->count;
}

// The frames nearest to the times "0,0.2,1", in this order; false: no such list.
static bool choose_times(studio* s, const char* times) {
    const phx_show* frames = s->shows[s->base];
    for (s->count = 0; s->count < phx_show_count(frames);) {
        char* end;
        double time = strtod(times, &end);
        if (end == times || !isfinite(time)) {
            return false;
        }
        s->chosen[s->count++] = frame_at(frames, time);
        if (!*end) {
            return true;
        }
        if (*end != ',') {
            return false;
        }
        times = end + 1;
    }
    return false;
}

static int choose_instants(studio* s) {
    const cli_pictures* o = s->options;
    for (int r = 1; r < s->runs; ++r) {
        s->base = phx_show_count(s->shows[r]) > phx_show_count(s->shows[s->base]) ? r : s->base;
    }
    const phx_show* frames = s->shows[s->base];
    int total = phx_show_count(frames);
    s->chosen = calloc((size_t)total, sizeof *s->chosen);
    s->sheet = calloc((size_t)(s->cells ? s->cells : 1), sizeof(phx_image*));
    if (!s->chosen || !s->sheet) {
        return CLI_MEMORY;
    }
    if (o->times && !choose_times(s, o->times)) {
        return cli_usage(s->command, "--times cannot take '%s', expected up to %d times such as 0,0.5,2", o->times,
                         total);
    }
    for (int i = 0; i < total && !o->times; i += o->every) {
        double time = phx_show_time(frames, i);
        if ((o->frame < 0 || i == o->frame) && time >= o->from && time <= o->to) {
            s->chosen[s->count++] = i;
        }
    }
    if (o->frame >= 0 && o->frame < total && s->count == 0 && o->frame % o->every) {
        s->chosen[s->count++] = o->frame;
    }
    if (s->count == 0) {
        return cli_usage(s->command, "none of the %d frames (0 to %d, %g to %g s) is chosen", total, total - 1,
                         phx_show_time(frames, 0), phx_show_time(frames, total - 1));
    }
    if (s->cells && !o->film && !o->png) {
        thin_out(s, s->cells);
    }
    return CLI_OK;
}

// Whether instant i is a cell of the sheet.
static bool in_sheet(const studio* s, int i) {
    int cells = s->cells < s->count ? s->cells : s->count;
    for (int k = 0; k < cells; ++k) {
        if (i == (cells == 1 ? s->count - 1 : (int)((int64_t)k * (s->count - 1) / (cells - 1)))) {
            return true;
        }
    }
    return false;
}

// -------------------------------------------------------------------------------------------------------- first pass

static double length_at(const phx_frame_field* field, int i) {
    const float* v = field->values + (size_t)field->components * (size_t)i;
    double sum = 0;
    for (int k = 0; k < field->components; ++k) {
        sum += (double)v[k] * (double)v[k];
    }
    return field->components == 1 ? (double)v[0] : sqrt(sum);
}

// Values of a sample of points, to find a range that single ones do not stretch.
typedef struct samples {
    double* values;
    size_t count, capacity;
} samples;

static void look_at(const studio* s, const phx_frame* frame, samples* all) {
    const phx_frame_field* field = phx_frame_find(frame, s->def.field);
    int points = phx_frame_points(frame), every = points / SAMPLES + 1;
    for (int i = 0; field && i < points; i += every) {
        double value = length_at(field, i);
        if (isfinite(value) && all->count < all->capacity) {
            all->values[all->count++] = value;
        }
    }
}

static int ascending(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// The range of the colours: 98 in 100 values of all drawn frames.
static void survey(studio* s) {
    s->least = HUGE_VAL, s->most = -HUGE_VAL;
    samples all = {.capacity = (size_t)s->count * (size_t)s->runs * (SAMPLES + 1)};
    all.values = s->def.field && !s->options->range ? malloc(all.capacity * sizeof *all.values) : NULL;
    for (int i = 0; i < s->count && all.values && !cli_interrupted(); ++i) {
        for (int r = 0; r < s->runs; ++r) {
            phx_frame* frame = NULL;
            // What is wrong with a frame is told when it is drawn.
            if (phx_show_particles(s->shows[r], frame_of(s, r, i), &frame) == PHX_OK) {
                look_at(s, frame, &all);
            }
            phx_frame_destroy(frame);
        }
    }
    if (all.count > 0) {
        qsort(all.values, all.count, sizeof *all.values, ascending);
        s->least = all.values[all.count / 100];
        s->most = all.values[all.count - 1 - all.count / 100];
    }
    free(all.values);
}

// ------------------------------------------------------------------------------------------------------- second pass

static void name_file(const studio* s, int i, const char* ending, char path[1200]) {
    snprintf(path, 1200, "%s/frame_%05d.%s", s->folder, s->chosen[i], ending);
}

// A picture of one run; NULL if its frame cannot be read (told) or the drawing fails (*result).
static phx_image* draw_run(studio* s, int run, int i, phx_result* result) {
    const phx_part* parts = NULL;
    phx_image* image = NULL;
    int number = frame_of(s, run, i), count = 0;
    *result = PHX_OK;
    phx_result read = phx_show_parts(s->shows[run], number, &parts, &count);
    if (read == PHX_OK && count == 0) {
        read = PHX_ERROR_FORMAT;
        fprintf(stderr, "phyxel: frame %d of %s shows nothing\n", number, s->names[run]);
        ++s->left_out;
        return NULL;
    }
    if (read != PHX_OK) {
        cli_progress_clear(&s->progress);
        fprintf(stderr, "phyxel: frame %d of %s is left out: %s\n", number, s->names[run], phx_error_message());
        ++s->left_out;
        *result = read == PHX_ERROR_MEMORY || read == PHX_ERROR_ARGUMENT ? read : PHX_OK;
        return NULL;
    }
    phx_render_def def = s->def;
    def.title = s->options->title ? s->options->title : s->runs > 1 ? s->names[run] : NULL;
    def.caption = !s->options->plain && (def.title || def.field || s->cells > 0);
    char path[1200];
    name_file(s, i, "pov", path);
    *result = s->options->pov ? phx_render_write_pov(parts[0].frame, &def, path)
                              : phx_render_parts(parts, count, &def, &image);
    return image;
}

static phx_image* blank(const studio* s) {
    phx_image* image = NULL;
    if (phx_image_create(s->def.width, s->def.height, &image) == PHX_OK) {
        static const unsigned char ink[3] = {120, 120, 120};
        memset(phx_image_pixels(image), 235, 3 * (size_t)s->def.width * (size_t)s->def.height);
        phx_image_text(image, 16, s->def.height / 2, 14, "no frame", ink);
    }
    return image;
}

// All runs at one instant. NULL and PHX_OK: left out.
static phx_image* draw_instant(studio* s, int i, phx_result* result) {
    phx_image *images[RUNS] = {0}, *all = NULL;
    int there = 0;
    *result = PHX_OK;
    for (int r = 0; r < s->runs && *result == PHX_OK; ++r) {
        images[r] = draw_run(s, r, i, result);
        there += images[r] != NULL;
    }
    if (s->runs == 1) {
        return images[0];
    }
    for (int r = 0; r < s->runs && there; ++r) {
        images[r] = images[r] ? images[r] : blank(s);
        *result = images[r] ? *result : PHX_ERROR_MEMORY;
    }
    if (there && *result == PHX_OK) {
        *result = phx_image_sheet(images, s->runs, s->runs, &all);
    }
    for (int r = 0; r < s->runs; ++r) {
        phx_image_destroy(images[r]);
    }
    return all;
}

// As fast as it happened, within what players can show.
static double film_rate(const studio* s) {
    const phx_show* frames = s->shows[s->base];
    double span = phx_show_time(frames, s->chosen[s->count - 1]) - phx_show_time(frames, s->chosen[0]);
    double rate = s->options->fps > 0 ? s->options->fps : span > 0 ? (s->count - 1) / span : 25;
    return fmin(fmax(rate, 1), 60);
}

// Puts a finished picture where it belongs; takes it.
static phx_result keep(studio* s, int i, phx_image* image) {
    phx_result result = PHX_OK;
    if (s->filming && !s->film.path) {
        s->filming =
            cli_film_begin(&s->film, s->film_path, phx_image_width(image), phx_image_height(image), film_rate(s));
    }
    if (s->filming && !cli_film_add(&s->film, image)) {
        cli_progress_clear(&s->progress);
        fprintf(stderr, "phyxel: the film stopped: %s\n",
                s->film.webp ? phx_error_message() : "ffmpeg takes no more pictures");
        (void)cli_film_end(&s->film);
        s->filming = false;
    }
    if (s->png) {
        char path[1200];
        name_file(s, i, "png", path);
        result = phx_image_save_png(image, path);
    }
    ++s->drawn;
    if (s->cells && in_sheet(s, i) && s->sheet_count < s->cells) {
        s->sheet[s->sheet_count++] = image;
    } else {
        phx_image_destroy(image);
    }
    return result;
}

static bool run_povray(const studio* s, int i) {
    char scene[1202] = "+I", picture[1202] = "+O", width[32], height[32];
    name_file(s, i, "pov", scene + 2);
    name_file(s, i, "png", picture + 2);
    snprintf(width, sizeof width, "+W%d", s->def.width);
    snprintf(height, sizeof height, "+H%d", s->def.height);
    const char* const arguments[] = {"povray", scene, picture, width, height, "-D", "+A0.2", "-GA", NULL};
    cli_process process;
    return cli_start(&process, arguments, false, true) && cli_finish(&process);
}

static phx_result draw_all(studio* s) {
    bool povray = s->options->pov && cli_has_program("povray");
    if (s->options->pov && !povray) {
        fprintf(stderr, "phyxel: povray is not installed: the scenes are written, not drawn\n");
        ++s->left_out;
    }
    s->progress = cli_progress_begin("picture", s->count, s->options->quiet);
    for (int i = 0; i < s->count && !cli_interrupted(); ++i) {
        cli_progress_show(&s->progress, i);
        phx_result result;
        phx_image* image = draw_instant(s, i, &result);
        if (image) {
            result = keep(s, i, image);
        } else if (result == PHX_OK && s->options->pov) {
            s->left_out += povray && !run_povray(s, i);
            ++s->drawn;
        }
        if (result != PHX_OK) {
            return result;
        }
    }
    if (!cli_interrupted()) {
        cli_progress_show(&s->progress, s->count);
    }
    cli_progress_clear(&s->progress);
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------------------- all

static bool make_folder(const char* path) {
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static int prepare_outputs(studio* s) {
    const cli_pictures* o = s->options;
    s->filming = o->film != NULL;
    snprintf(s->film_path, sizeof s->film_path, "%s", o->film ? o->film : "");
    if (s->filming && !cli_film_possible(o->film)) {
        // a film that plays in browsers needs no other program
        char* dot = strrchr(s->film_path, '.');
        snprintf(dot, sizeof s->film_path - (size_t)(dot - s->film_path), ".webp");
        s->filming = phx_film_possible();
        fprintf(stderr, "phyxel: ffmpeg is not installed (package ffmpeg): %s%s\n",
                s->filming ? "the film is made as " : "no film, ",
                s->filming ? s->film_path
                : s->cells ? "only the sheet"
                           : "but single pictures");
        s->left_out += !s->filming;
    }
    s->png = !o->pov && (o->png || (!s->cells && !s->filming));
    if (o->out) {
        snprintf(s->folder, sizeof s->folder, "%.1000s", o->out);
    } else {
        snprintf(s->folder, sizeof s->folder, "%.1000s/pictures", phx_show_folder(s->shows[0]));
    }
    if ((s->png || s->cells || o->pov) && !make_folder(s->folder)) {
        fprintf(stderr, "phyxel: cannot make folder '%s': %s\n", s->folder, strerror(errno));
        return CLI_BAD_INPUT;
    }
    return CLI_OK;
}

static phx_result finish_sheet(studio* s) {
    if (s->sheet_count == 0) {
        return PHX_OK;
    }
    phx_image* sheet = NULL;
    char path[1200];
    snprintf(path, sizeof path, "%s/sheet.png", s->folder);
    phx_result result = phx_image_sheet(s->sheet, s->sheet_count, s->columns, &sheet);
    if (result == PHX_OK && s->one_bar) {
        phx_image* tiles = sheet;
        result = phx_render_bar_beside(tiles, &s->def, &sheet);
        phx_image_destroy(tiles);
    }
    if (result == PHX_OK) {
        result = phx_image_save_png(sheet, path);
    }
    if (result == PHX_OK && !s->options->quiet) {
        printf("sheet of %d pictures: %s\n", s->sheet_count, path);
    }
    phx_image_destroy(sheet);
    return result;
}

static int finish(studio* s, phx_result result) {
    bool filmed = s->filming && s->film.path;
    if (filmed && cli_film_end(&s->film)) {
        if (!s->options->quiet) {
            printf("film of %d pictures: %s\n", s->film.count, s->film_path);
        }
    } else if (filmed || (s->options->film && s->drawn && !s->filming && s->film.path)) {
        fprintf(stderr, "phyxel: the film '%s' could not be made\n", s->film_path);
        (void)finish_sheet(s);
        return CLI_BAD_INPUT;
    }
    phx_result sheet = finish_sheet(s);
    result = result == PHX_OK ? sheet : result;
    if (!s->options->quiet && s->drawn && (s->png || s->options->pov)) {
        printf("%d %s in %s\n", s->drawn, s->png ? "pictures" : "scenes", s->folder);
    }
    if (result != PHX_OK) {
        return cli_fail(result);
    }
    if (cli_interrupted()) {
        fprintf(stderr, "phyxel: stopped; what was drawn is kept\n");
        return CLI_INTERRUPTED;
    }
    if (s->drawn == 0) {
        fprintf(stderr, "phyxel: nothing could be drawn\n");
        return CLI_BAD_INPUT;
    }
    return s->left_out ? CLI_INCOMPLETE : CLI_OK;
}

static int work(studio* s, int count, char** runs) {
    const cli_pictures* o = s->options;
    int code = read_options(s);
    for (int i = 0; i < count && code == CLI_OK; ++i) {
        phx_show_def def = phx_show_def_default();
        def.run = s->names[i] = runs[i];
        def.draw = o->surface ? PHX_DRAW_LIQUID : o->skin ? PHX_DRAW_SKIN : o->points ? PHX_DRAW_POINTS : PHX_DRAW_AUTO;
        def.all = o->choice.all;
        def.hide = o->choice.hide.items;
        def.hide_count = o->choice.hide.count;
        def.threads = o->threads;
        ++s->runs;
        phx_result result = phx_show_open(&def, &s->shows[i]);
        code = result == PHX_OK ? CLI_OK : cli_fail(result);
    }
    code = code == CLI_OK ? choose_instants(s) : code;
    code = code == CLI_OK ? prepare_outputs(s) : code;
    if (code != CLI_OK) {
        return code;
    }
    cli_listen_for_interrupts();
    survey(s);
    choose_colors(s);
    code = place(s);
    return code == CLI_OK ? finish(s, draw_all(s)) : code;
}

int cli_draw(const cli_command* command, const cli_pictures* options, int count, char** runs) {
    if (count > RUNS) {
        return cli_usage(command, "%d runs, expected at most %d side by side", count, RUNS);
    }
    studio s = {.command = command, .options = options};
    int code = work(&s, count, runs);
    for (int i = 0; i < s.sheet_count; ++i) {
        phx_image_destroy(s.sheet[i]);
    }
    for (int i = 0; i < s.runs; ++i) {
        phx_show_close(s.shows[i]);
    }
    free(s.sheet);
    free(s.chosen);
    return code;
}
