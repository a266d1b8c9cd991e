// SPDX-License-Identifier: MIT
// phyxel run: a scene into a folder, with progress, a closing summary, and a checkpoint on Ctrl-C.
#include "cli.h"
#include "pictures.h"
#include "progress.h"

#include <math.h>
#include <string.h>

typedef struct reporter {
    bool quiet, bar;
    double begin, first_time, last_print;
} reporter;

static bool report(void* context, const phx_run_progress* progress) {
    reporter* r = context;
    double now = cli_clock();
    if (r->begin == 0) {
        r->begin = now;
        r->first_time = progress->time;
    }
    bool load_step = progress->dt == 0 && progress->time > 0; // told by a line of the log
    bool last = progress->time >= progress->duration && progress->duration > 0;
    // The bar moves ten times a second; plain lines come every five seconds.
    if (!r->quiet && !load_step && progress->duration > 0 && (last || now - r->last_print > (r->bar ? 0.1 : 5.0))) {
        r->last_print = now;
        double share = progress->time / progress->duration;
        double done = progress->time - r->first_time;
        char eta[32];
        cli_format_time(done > 0 ? (now - r->begin) * (progress->duration - progress->time) / done : NAN, eta);
        if (r->bar) {
            char cells[31];
            int filled = (int)(share * 30);
            for (int i = 0; i < 30; ++i) {
                cells[i] = i < filled ? '#' : '.';
            }
            cells[30] = 0;
            fprintf(stderr, "\r[%s] %3.0f %%  %.3f of %g s  frame %d/%d  dt %.3g s  left %s \033[K", cells, 100 * share,
                    progress->time, progress->duration, progress->frame, progress->frames, progress->dt, eta);
        } else {
            fprintf(stderr, "%.3f of %g s (%.0f %%), frame %d of %d, dt %.3g s, %s left\n", progress->time,
                    progress->duration, 100 * share, progress->frame, progress->frames, progress->dt, eta);
        }
    }
    return !cli_interrupted();
}

static void log_line(void* context, phx_log_level level, const char* line) {
    const reporter* r = context;
    if (!r->quiet || level == PHX_LOG_WARNING) {
        fprintf(stderr, "%s%s%s\n", r->bar ? "\r\033[K" : "", level == PHX_LOG_WARNING ? "warning: " : "", line);
    }
}

// Two digits of a guess.
static double roughly(double x) {
    double one = x > 0 ? pow(10, floor(log10(x)) - 1) : 1;
    return one * round(x / one);
}

static void format_duration(double seconds, char text[32]) {
    const char* unit = seconds < 90 ? "s" : seconds < 5400 ? "min" : seconds < 129600 ? "h" : "days";
    double one = seconds < 90 ? 1 : seconds < 5400 ? 60 : seconds < 129600 ? 3600 : 86400;
    snprintf(text, 32, "%g %s", roughly(seconds / one), unit);
}

// Tells what a scene will cost. False: it is too much to begin without a word of the user.
static bool is_affordable(const phx_scene* scene, int threads, bool yes, bool quiet) {
    static const double most_particles = 5e6, most_in_body = 5e7, most_seconds = 86400;
    phx_estimate e;
    if (phx_scene_estimate(scene, &e) != PHX_OK || !isfinite(e.particles) || !isfinite(e.seconds)) {
        return true; // what is wrong with it the run will say, with its place
    }
    double memory = cli_memory(), seconds = e.seconds / (threads > 0 ? threads : cli_processors());
    char time[32];
    format_duration(seconds, time);
    bool large = e.particles > most_particles || e.bytes > 0.75 * memory || seconds > most_seconds;
    if (!quiet || large) {
        fprintf(stderr, "about %.10g particles, %.10g MB, %s (a guess)\n", roughly(e.particles),
                roughly(1e-6 * e.bytes), time);
    }
    if (!large || yes) {
        return true;
    }
    fprintf(stderr, "phyxel: that is more than 5e6 particles, a day, or three quarters of the memory (%.10g MB)%s\n",
            roughly(1e-6 * memory), e.most < most_in_body ? "; --yes runs it" : ", and no body can have 5e7 cells");
    fprintf(stderr, "  most of it is body '%s', %.4g m large, with about %.10g particles\n", e.body, e.size,
            roughly(e.most));
    if (e.from_mesh && e.size >= 20) { // as `phyxel sample` says it
        fprintf(stderr, "  if its mesh is in millimetres, scale: 0.001 makes it %.4g m large\n", 0.001 * e.size);
    }
    return false;
}

static void print_summary(const char* scene, const char* folder, const phx_run_summary* s) {
    double steps = (double)s->substeps;
    printf("\n%s: %d particles in %d bod%s, %d thread%s\n", scene, s->particles, s->bodies,
           s->bodies == 1 ? "y" : "ies", s->threads, s->threads == 1 ? "" : "s");
    printf("  methods     %s\n", s->methods);
    if (s->softened[0]) {
        printf("  softened    %s\n", s->softened);
    }
    printf("  simulated   to %g s in %.1f s: %lld steps, %.3f ms a step, %.0f ns a particle and step\n", s->simulated,
           s->elapsed, (long long)s->substeps, steps > 0 ? 1e3 * s->elapsed / steps : 0.0,
           steps > 0 && s->particles > 0 ? 1e9 * s->elapsed / steps / s->particles : 0.0);
    printf("  step        %.3g to %.3g s, %s\n", s->dt_min, s->dt_max, s->dt_reason);
    const phx_totals *a = &s->first, *b = &s->last;
    printf("  energy, J   kinetic %.4g -> %.4g, elastic %.4g -> %.4g, potential %.4g -> %.4g, contact %.4g -> %.4g\n",
           a->kinetic, b->kinetic, a->elastic, b->elastic, a->potential, b->potential, a->contact, b->contact);
    printf("  now         lowest det F %.3f, largest von Mises stress %.4g Pa, fastest %.3g m/s\n", b->min_det,
           b->max_stress, b->max_speed);
    if (s->buckling > 0) {
        const char* limit = isfinite(s->buckling) ? "buckles" : "bears";
        printf("  %-11s %s%.4g times the load\n", limit, isfinite(s->buckling) ? "at " : "at least ",
               isfinite(s->buckling) ? s->buckling : 100);
    }
    printf("  files       %s: %d frames, probes, checkpoint\n", folder, s->frames);
    if (s->frames_file[0]) {
        printf("  open        paraview %s   (any program that reads VTK files)\n", s->frames_file);
    }
    if (s->checkpoint[0]) {
        printf("  go on       phyxel run %s --out %s --resume\n", scene, folder);
    }
}

static void json_totals(const char* name, const phx_totals* t) {
    const struct {
        const char* name;
        double value;
    } items[] = {{"kinetic", t->kinetic},       {"elastic", t->elastic},     {"potential", t->potential},
                 {"contact", t->contact},       {"mass", t->mass},           {"min_det", t->min_det},
                 {"max_stress", t->max_stress}, {"max_speed", t->max_speed}, {"px", t->momentum.x},
                 {"py", t->momentum.y},         {"pz", t->momentum.z},       {"x", t->mean_position.x},
                 {"y", t->mean_position.y},     {"z", t->mean_position.z}};
    printf(", \"%s\": {", name);
    for (size_t i = 0; i < sizeof items / sizeof items[0]; ++i) {
        printf("%s\"%s\": ", i ? ", " : "", items[i].name);
        cli_json_number(stdout, items[i].value);
    }
    printf("}");
}

static void print_json(const char* scene, const char* folder, const phx_run_summary* s) {
    printf("{\"scene\": ");
    cli_json_text(stdout, scene);
    printf(", \"folder\": ");
    cli_json_text(stdout, folder);
    printf(", \"particles\": %d, \"bodies\": %d, \"threads\": %d, \"frames\": %d, \"substeps\": %lld", s->particles,
           s->bodies, s->threads, s->frames, (long long)s->substeps);
    const struct {
        const char* name;
        double value;
    } items[] = {{"simulated", s->simulated}, {"elapsed", s->elapsed}, {"dt_min", s->dt_min}, {"dt_max", s->dt_max}};
    for (size_t i = 0; i < sizeof items / sizeof items[0]; ++i) {
        printf(", \"%s\": ", items[i].name);
        cli_json_number(stdout, items[i].value);
    }
    if (s->buckling > 0) {
        printf(", \"buckling\": ");
        cli_json_number(stdout, s->buckling);
    }
    printf(", \"dt_reason\": ");
    cli_json_text(stdout, s->dt_reason);
    printf(", \"methods\": ");
    cli_json_text(stdout, s->methods);
    printf(", \"softened\": ");
    cli_json_text(stdout, s->softened);
    printf(", \"cancelled\": %s", s->cancelled ? "true" : "false");
    json_totals("first", &s->first);
    json_totals("last", &s->last);
    printf("}\n");
}

// "--method efg" is short for "--set bodies.*.method=efg".
static bool add_method(const char* method, char* buffer, size_t size, cli_list* sets) {
    int length = snprintf(buffer, size, "bodies.*.method=%s", method);
    if (length < 0 || (size_t)length >= size || sets->count == CLI_LIST_MAX) {
        return false;
    }
    sets->items[sets->count++] = buffer;
    return true;
}

// As `phyxel surface RUN` would.
static int write_surfaces(char* run, bool hushed) {
    char quiet[] = "--quiet";
    char* arguments[2] = {run, quiet};
    return cmd_surface(hushed ? 2 : 1, arguments);
}

int cmd_run(int count, char** arguments) {
    const cli_command* command = cli_find_command("run");
    const char *folder = NULL, *method = NULL;
    bool json = false, quiet = false, resume = false, render = false, surface = false, yes = false;
    cli_pictures pictures = cli_pictures_default();
    int threads = 0;
    cli_list sets = {0};
    const cli_option options[] = {
        {"--out", "DIR", "where to write; out/<scene> if not given", CLI_TEXT, &folder},
        {"--threads", "N", "0: one per processor", CLI_INT, &threads},
        {"--method", "NAME", "use this method for every body", CLI_TEXT, &method},
        {"--set", "KEY=VALUE", "change a value of the scene: --set materials.jelly.young=1e4", CLI_LIST, &sets},
        {"--resume", NULL, "go on from the checkpoint in the output folder", CLI_FLAG, &resume},
        {"--yes", NULL, "run it even if it is estimated to take more than a day, 5e6 particles or most of the memory",
         CLI_FLAG, &yes},
        {"--render", NULL, "draw pictures of the frames afterwards", CLI_FLAG, &render},
        {"--surface", NULL, "write the surface of each frame afterwards (phyxel surface)", CLI_FLAG, &surface},
        {"--sheet", "CxR", "draw a contact sheet of C columns and R rows", CLI_TEXT, &pictures.sheet},
        {"--film", "FILE", "draw a film: .webp, or by ffmpeg .mp4, .webm or .gif", CLI_TEXT, &pictures.film},
        {"--quality", "WORD", "of pictures: draft, film, still or final; film", CLI_TEXT, &pictures.quality},
        {"--size", "WxH", "of pictures, pixels; 1280x720, in a sheet 480x270", CLI_TEXT, &pictures.size},
        {"--every", "N", "draw only every N-th frame", CLI_INT, &pictures.every},
        {"--field", "NAME", "colour pictures by this field", CLI_TEXT, &pictures.field},
        {"--json", NULL, "print the summary as JSON", CLI_FLAG, &json},
        {"--quiet", NULL, "no progress and no summary, only warnings", CLI_FLAG, &quiet},
        {NULL, NULL, NULL, CLI_FLAG, NULL},
    };
    int code = cli_parse(command, options, &count, arguments);
    if (code >= 0) {
        return code;
    }
    if (count != 1) {
        return cli_usage(command, count == 0 ? "which scene?" : "one scene at a time");
    }
    const char* path = arguments[0];
    char method_setting[160], default_folder[512];
    if (method && !add_method(method, method_setting, sizeof method_setting, &sets)) {
        return cli_usage(command, "too many --set, or too long a method");
    }
    if (!folder) {
        const char* slash = strrchr(path, '/');
        const char* base = slash ? slash + 1 : path;
        const char* dot = strrchr(base, '.'); // only the last ending goes: a.1.yaml and a.2.yaml do not share a folder
        int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
        snprintf(default_folder, sizeof default_folder, "out/%.*s", length, base);
        folder = default_folder;
    }
    phx_scene* scene = NULL;
    phx_result result = phx_scene_load(path, sets.items, &scene);
    if (result != PHX_OK) {
        return cli_fail(result);
    }
    cli_listen_for_interrupts();
    if (!is_affordable(scene, threads, yes, quiet || json)) {
        phx_scene_destroy(scene);
        return CLI_BAD_INPUT;
    }
    reporter state = {.quiet = quiet, .bar = !quiet && cli_is_terminal(stderr)};
    phx_run_def def = phx_run_def_default();
    def.scene = scene;
    def.folder = folder;
    def.resume = resume;
    def.threads = threads;
    def.log = (phx_log){log_line, &state};
    def.progress = report;
    def.context = &state;
    phx_run_summary summary;
    result = phx_run(&def, &summary);
    if (state.bar) {
        fputs("\r\033[K", stderr);
    }
    phx_scene_destroy(scene);
    bool stopped = result == PHX_ERROR_CANCELLED || (result == PHX_OK && summary.cancelled);
    if (result != PHX_OK && !stopped) {
        return cli_fail(result);
    }
    if (json) {
        print_json(path, folder, &summary);
    } else if (!quiet) {
        print_summary(path, folder, &summary);
    }
    if (stopped) {
        fprintf(stderr, "stopped at %g s; the state is in %s: phyxel run %s --out %s --resume goes on\n",
                summary.simulated, summary.checkpoint, path, folder);
        return CLI_INTERRUPTED;
    }
    pictures.quiet = quiet || json;
    pictures.threads = threads;
    char* runs[] = {(char*)(uintptr_t)folder};
    if (surface) {
        code = write_surfaces(runs[0], pictures.quiet);
    }
    if (render || pictures.sheet || pictures.film) {
        int drawn = cli_draw(command, &pictures, 1, runs);
        code = drawn > code ? drawn : code;
    }
    return code < 0 ? CLI_OK : code;
}
