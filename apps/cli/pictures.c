// SPDX-License-Identifier: MIT
// Pictures, contact sheets and films as the options ask for them. The library chooses, draws and writes
// (phyxel/pictures.h); here are the words of the options, ffmpeg, povray and what is said on the way.
#define _POSIX_C_SOURCE 200809L
#include "pictures.h"

#include "cycles.h"
#include "film.h"
#include "progress.h"

#include <phyxel/pictures.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct studio {
    const cli_command* command;
    const cli_pictures* options;
    phx_pictures_def def;
    phx_vec3 from; // of --view
    double* times; // of --times
    phx_pictures* pictures;
    phx_pictures_out out;
    char folder[1100], sheet[1200], film_path[1024];
    bool filming; // by ffmpeg
    cli_film film;
    cli_cycles cycles;
    int left_out; // kinds of output that could not be made
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
static int quality_of(const char* word) {
    static const char* const words[] = {"draft", "film", "still", "final"};
    for (int i = 0; word && i < 4; ++i) {
        if (strcmp(words[i], word) == 0) {
            return i;
        }
    }
    return word ? -1 : PHX_QUALITY_FILM;
}

// "0,0.2,1" into s->times; false: no such list.
static bool parse_times(studio* s, const char* text) {
    phx_pictures_def* d = &s->def;
    s->times = malloc((strlen(text) + 1) * sizeof *s->times);
    d->times = s->times;
    while (s->times) {
        char* end;
        double time = strtod(text, &end);
        if (end == text || !isfinite(time) || (*end && *end != ',')) {
            return false;
        }
        s->times[d->time_count++] = time;
        if (!*end) {
            return true;
        }
        text = end + 1;
    }
    return false;
}

// Where the picture is taken from.
static int read_view(studio* s) {
    const cli_pictures* o = s->options;
    phx_render_def* d = &s->def.render;
    phx_vec3 places[2];
    if (o->view && !parse_vectors(o->view, 1, &s->from)) {
        return cli_usage(s->command, "--view cannot take '%s', expected a direction such as 1,-2,0.5", o->view);
    }
    s->def.from = o->view ? &s->from : NULL;
    s->def.own_camera = o->camera != NULL;
    if (o->camera && !parse_vectors(o->camera, 2, places)) {
        return cli_usage(s->command, "--camera cannot take '%s', expected \"eye target\" such as \"1,-2,1 0,0,0\"",
                         o->camera);
    }
    if (o->camera) {
        d->camera = (phx_camera){.eye = places[0], .target = places[1], .up = {0, 0, 1}};
    }
    s->def.own_floor = o->floor != NULL;
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

// Which frames, and what is made of them.
static int read_outputs(studio* s) {
    const cli_pictures* o = s->options;
    if (o->sheet && !parse_pair(o->sheet, 'x', &s->out.columns, &s->out.rows)) {
        return cli_usage(s->command, "--sheet cannot take '%s', expected columns x rows such as 4x2", o->sheet);
    }
    if (o->film && !cli_film_known(o->film)) {
        return cli_usage(s->command, "--film cannot take '%s', expected a name ending in .webp, .mp4, .webm or .gif",
                         o->film);
    }
    if (o->pov && (o->film || o->sheet || o->engine)) {
        return cli_usage(s->command, "--pov makes single pictures, without --film, --sheet and --engine");
    }
    if (o->every < 1) {
        return cli_usage(s->command, "--every cannot take 0");
    }
    if (o->times && !parse_times(s, o->times)) {
        return cli_usage(s->command, "--times cannot take '%s', expected times such as 0,0.5,2", o->times);
    }
    s->def.frame = o->frame, s->def.every = o->every, s->def.first = o->from, s->def.last = o->to;
    s->def.most = o->sheet && !o->film && !o->png ? s->out.columns * s->out.rows : 0;
    s->out.fps = o->fps;
    return CLI_OK;
}

/// Who draws.
static int read_engine(studio* s) {
    static const int samples[] = {16, 64, 128, 256}; // of Cycles, by quality
    const char* engine = s->options->engine;
    phx_render_def* d = &s->def.render;
    if (!engine) {
        return CLI_OK;
    }
    d->z_buffer = strcmp(engine, "z-buffer") == 0;
    if (strcmp(engine, "rays") == 0 && strcmp(phx_render_engine(), "embree") != 0) {
        fprintf(stderr, "phyxel: this build has no Embree and draws by z-buffer\n");
    }
    if (strcmp(engine, "cycles") != 0) {
        bool known = d->z_buffer || strcmp(engine, "rays") == 0;
        return known ? CLI_OK
                     : cli_usage(s->command, "--engine cannot take '%s', expected rays, z-buffer or cycles", engine);
    }
    if (!cli_cycles_find(&s->cycles)) {
        fprintf(stderr, "phyxel: blender is not installed, and python3 has no module bpy (pip install bpy): nothing is "
                        "drawn\n");
        return CLI_INCOMPLETE;
    }
    s->cycles.samples = samples[d->quality];
    s->def.draw = cli_cycles_draw, s->def.user = &s->cycles;
    d->bar = false;
    return CLI_OK;
}

static int read_options(studio* s) {
    const cli_pictures* o = s->options;
    phx_render_def* d = &s->def.render;
    d->samples = o->samples, d->occlusion = o->occlusion, d->threads = o->threads;
    d->radius = o->radius, d->field = o->field, d->title = o->title, d->stage = o->stage;
    d->map = o->map ? o->map : d->map;
    d->width = s->def.most > 0 ? 480 : 1280;
    d->height = d->width * 9 / 16;
    d->caption = o->sheet && !o->plain;
    s->out.bar_beside = !o->plain && s->def.most > 1; // one bar beside a sheet, none in its pictures
    d->bar = !o->plain && !s->out.bar_beside;
    d->quality = quality_of(o->quality);
    if (d->quality < 0) {
        return cli_usage(s->command, "--quality cannot take '%s', expected draft, film, still or final", o->quality);
    }
    if (o->size && !parse_pair(o->size, 'x', &d->width, &d->height)) {
        return cli_usage(s->command, "--size cannot take '%s', expected WxH such as 640x480", o->size);
    }
    if (o->range && !parse_range(o->range, &d->low, &d->high)) {
        return cli_usage(s->command, "--range cannot take '%s', expected LOW:HIGH such as 0:1e4", o->range);
    }
    int engine = read_engine(s);
    if (engine != CLI_OK) {
        return engine;
    }
    if (o->surface + o->skin + o->points > 1) {
        return cli_usage(s->command, "one of --points, --surface and --skin at a time");
    }
    phx_show_def* show = &s->def.show;
    show->draw = o->surface ? PHX_DRAW_LIQUID : o->skin ? PHX_DRAW_SKIN : o->points ? PHX_DRAW_POINTS : PHX_DRAW_AUTO;
    show->all = o->choice.all;
    show->hide = o->choice.hide.items;
    show->hide_count = o->choice.hide.count;
    show->threads = o->threads;
    return CLI_OK;
}

// ------------------------------------------------------------------------------------------------------------- outputs

static bool make_folder(const char* path) {
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

// A film that plays in browsers needs no other program.
static void choose_film(studio* s) {
    const cli_pictures* o = s->options;
    snprintf(s->film_path, sizeof s->film_path, "%s", o->film);
    char* dot = strrchr(s->film_path, '.');
    bool webp = strcmp(dot, ".webp") == 0;
    if (!cli_film_possible(o->film)) {
        snprintf(dot, sizeof s->film_path - (size_t)(dot - s->film_path), ".webp");
        fprintf(stderr, "phyxel: ffmpeg is not installed (package ffmpeg): %s%s\n",
                phx_film_possible() ? "the film is made as " : "no film, ",
                phx_film_possible() ? s->film_path
                : o->sheet          ? "only the sheet"
                                    : "but single pictures");
        s->left_out += !phx_film_possible();
        webp = true;
    }
    s->out.film = webp && phx_film_possible() ? s->film_path : NULL;
    s->filming = !webp;
}

static bool is_picture(const char* path) {
    const char* dot = path ? strrchr(path, '.') : NULL;
    return dot && (strcmp(dot, ".png") == 0 || strcmp(dot, ".webp") == 0);
}

/// --out names a file: that of the sheet, or of the only picture.
static int prepare_file(studio* s, bool single) {
    const cli_pictures* o = s->options;
    int count = phx_pictures_count(s->pictures);
    if (o->pov || (o->sheet && single) || (!o->sheet && !single)) {
        return cli_usage(s->command, "--out %s is one picture, expected a folder for what is asked for", o->out);
    }
    if (!o->sheet && count != 1) {
        return cli_usage(s->command,
                         "--out %s is one picture, but there are %d: choose one (--frame, --times), put them on a "
                         "sheet (--sheet 4x2), or name a folder",
                         o->out, count);
    }
    snprintf(s->sheet, sizeof s->sheet, "%.1000s", o->out);
    snprintf(s->cycles.folder, sizeof s->cycles.folder, "%.1000s.cycles", o->out);
    s->out.sheet = o->sheet ? s->sheet : NULL;
    s->out.picture = o->sheet ? NULL : o->out;
    return CLI_OK;
}

static int prepare_outputs(studio* s) {
    const cli_pictures* o = s->options;
    if (o->film) {
        choose_film(s);
    }
    bool single = !o->pov && (o->png || !(o->sheet || s->filming || s->out.film));
    if (is_picture(o->out)) {
        return prepare_file(s, single);
    }
    if (o->out) {
        snprintf(s->folder, sizeof s->folder, "%.1000s", o->out);
    } else {
        snprintf(s->folder, sizeof s->folder, "%.1000s/pictures", phx_pictures_folder(s->pictures));
    }
    snprintf(s->cycles.folder, sizeof s->cycles.folder, "%.1000s/cycles", s->folder);
    if ((single || o->sheet || o->pov || s->def.draw) && !make_folder(s->folder)) {
        fprintf(stderr, "phyxel: cannot make folder '%s': %s\n", s->folder, strerror(errno));
        return CLI_BAD_INPUT;
    }
    snprintf(s->sheet, sizeof s->sheet, "%s/sheet.png", s->folder);
    s->out.folder = single ? s->folder : NULL;
    s->out.sheet = o->sheet ? s->sheet : NULL;
    return CLI_OK;
}

static void feed_ffmpeg(studio* s, phx_image* image) {
    if (!s->film.path) {
        double rate = s->options->fps > 0 ? s->options->fps : phx_pictures_rate(s->pictures);
        s->filming =
            cli_film_begin(&s->film, s->film_path, phx_image_width(image), phx_image_height(image), fmin(rate, 60));
    }
    if (s->filming && !cli_film_add(&s->film, image)) {
        cli_progress_clear(&s->progress);
        fprintf(stderr, "phyxel: the film stopped: ffmpeg takes no more pictures\n");
        (void)cli_film_end(&s->film);
        s->filming = false;
    }
}

static void say_left_out(studio* s, const char* why) {
    cli_progress_clear(&s->progress);
    fprintf(stderr, "phyxel: a picture is left out: %s\n", why);
}

static bool on_picture(void* user, int picture, phx_image* image, const char* why) {
    studio* s = user;
    if (image && s->filming) {
        feed_ffmpeg(s, image);
    }
    if (!image) {
        say_left_out(s, why);
    }
    cli_progress_show(&s->progress, picture + 1);
    return !cli_interrupted();
}

// ------------------------------------------------------------------------------------------------------------- POV-Ray

static void name_file(const studio* s, int picture, const char* ending, char path[1200]) {
    snprintf(path, 1200, "%s/frame_%05d.%s", s->folder, phx_pictures_frame(s->pictures, picture), ending);
}

static bool run_povray(const studio* s, int picture) {
    const phx_render_def* d = phx_pictures_render(s->pictures);
    char scene[1202] = "+I", image[1202] = "+O", width[32], height[32];
    name_file(s, picture, "pov", scene + 2);
    name_file(s, picture, "png", image + 2);
    snprintf(width, sizeof width, "+W%d", d->width);
    snprintf(height, sizeof height, "+H%d", d->height);
    const char* const arguments[] = {"povray", scene, image, width, height, "-D", "+A0.2", "-GA", NULL};
    cli_process process;
    return cli_start(&process, arguments, false, true) && cli_finish(&process);
}

static phx_result write_povray(studio* s, phx_pictures_made* made) {
    bool povray = cli_has_program("povray");
    if (!povray) {
        fprintf(stderr, "phyxel: povray is not installed: the scenes are written, not drawn\n");
        ++s->left_out;
    }
    for (int i = 0; i < phx_pictures_count(s->pictures) && !cli_interrupted(); ++i) {
        const phx_part* parts;
        int count;
        char path[1200];
        name_file(s, i, "pov", path);
        phx_result result = phx_pictures_parts(s->pictures, 0, i, &parts, &count);
        bool readable = result != PHX_ERROR_IO && result != PHX_ERROR_FORMAT;
        if (result == PHX_OK) {
            result = phx_pov_write(path, parts, count, phx_pictures_render(s->pictures));
        }
        if (result != PHX_OK && readable) {
            return result;
        }
        ++*(readable ? &made->drawn : &made->left_out);
        s->left_out += readable && povray && !run_povray(s, i);
        if (!readable) {
            say_left_out(s, phx_error_message());
        }
        cli_progress_show(&s->progress, i + 1);
    }
    return PHX_OK;
}

// ----------------------------------------------------------------------------------------------------------------- all

// What was made, in words; the exit code.
static int report(studio* s, phx_result result, const phx_pictures_made* made) {
    const cli_pictures* o = s->options;
    bool by_ffmpeg = s->film.path && s->filming && cli_film_end(&s->film);
    int in_film = by_ffmpeg ? s->film.count : made->in_film;
    bool film_lost = o->film && made->drawn && (s->film.path || s->filming) && !by_ffmpeg;
    if (in_film && !(s->out.film && result != PHX_OK) && !o->quiet) {
        printf("film of %d pictures: %s\n", in_film, s->film_path);
    }
    if (made->in_sheet && !o->quiet) {
        printf("sheet of %d pictures: %s\n", made->in_sheet, s->sheet);
    }
    if (!o->quiet && made->drawn && s->out.picture) {
        printf("picture: %s\n", s->out.picture);
    }
    if (!o->quiet && made->drawn && (s->out.folder || o->pov)) {
        printf("%d %s in %s\n", made->drawn, s->out.folder ? "pictures" : "scenes", s->folder);
    }
    if (result != PHX_OK) {
        return cli_fail(result);
    }
    if (film_lost) {
        fprintf(stderr, "phyxel: the film '%s' could not be made\n", s->film_path);
        return CLI_BAD_INPUT;
    }
    if (cli_interrupted()) {
        fprintf(stderr, "phyxel: stopped; what was drawn is kept\n");
        return CLI_INTERRUPTED;
    }
    if (made->drawn == 0) {
        fprintf(stderr, "phyxel: nothing could be drawn\n");
        return CLI_BAD_INPUT;
    }
    return s->left_out + made->left_out ? CLI_INCOMPLETE : CLI_OK;
}

static int work(studio* s) {
    int code = read_outputs(s);
    code = code == CLI_OK ? read_options(s) : code;
    code = code == CLI_OK ? read_view(s) : code;
    if (code != CLI_OK) {
        return code;
    }
    cli_listen_for_interrupts();
    phx_result result = phx_pictures_open(&s->def, &s->pictures);
    code = result == PHX_OK ? prepare_outputs(s) : cli_fail(result);
    if (code != CLI_OK) {
        return code;
    }
    double apart = phx_show_cloud_spacing(phx_pictures_show(s->pictures, 0));
    if (apart > 0 && !s->options->quiet) {
        bool balls = s->def.show.draw != PHX_DRAW_LIQUID;
        printf("points %.4g m apart (to the nearest other one)%s\n", apart,
               balls ? ": drawn as balls; --surface draws a surface around them" : "");
    }
    phx_pictures_made made = {0};
    s->progress = cli_progress_begin("picture", phx_pictures_count(s->pictures), s->options->quiet);
    cli_progress_show(&s->progress, 0);
    s->out.seen = on_picture, s->out.user = s;
    result = s->options->pov ? write_povray(s, &made) : phx_pictures_make(s->pictures, &s->out, &made);
    cli_progress_clear(&s->progress);
    return report(s, result, &made);
}

int cli_draw(const cli_command* command, const cli_pictures* options, int count, char** runs) {
    studio s = {
        .command = command, .options = options, .def = phx_pictures_def_default(), .out = phx_pictures_out_default()};
    s.def.runs = (const char* const*)runs;
    s.def.run_count = count;
    int code = work(&s);
    phx_pictures_close(s.pictures);
    free(s.times);
    return code;
}
