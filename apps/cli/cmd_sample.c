// SPDX-License-Identifier: MIT
// phyxel sample: particles of a mesh or a shape, alone.
#include "cli.h"

#include <string.h>

static const char* const sampling_words[] = {"uniform", "bcc",        "octree",    "vertices",
                                             "points",  "blue_noise", "conforming"};
enum { SAMPLING_COUNT = sizeof sampling_words / sizeof sampling_words[0] };
static const char* sampling_word(int i) {
    return sampling_words[i];
}

static const char* const up_words[] = {"auto", "x", "y", "z"};
enum { UP_COUNT = sizeof up_words / sizeof up_words[0] };

/// Which of some words it is; -1: none.
static int find_word(const char* text, const char* const* words, int count) {
    for (int i = 0; i < count; ++i) {
        if (strcmp(text, words[i]) == 0) {
            return i;
        }
    }
    return -1;
}

typedef struct sampled {
    phx_sample_report report;
    int triangles, open_edges; // of a mesh; then
    double low[3], high[3];    // m, of its box
    const char* sampling;
} sampled;

static void print_json(const sampled* s) {
    const phx_sample_report* r = &s->report;
    const double numbers[] = {r->spacing, r->volume, r->exact, r->raw_error};
    const char* const names[] = {"spacing", "volume", "exact", "raw_error"};
    printf("{\"count\": %d", r->count);
    for (int i = 0; i < 4; ++i) {
        printf(", \"%s\": ", names[i]);
        cli_json_number(stdout, numbers[i]);
    }
    for (int i = 0; i < 6 && s->triangles > 0; ++i) {
        printf("%s", i == 0 ? ", \"low\": [" : i == 3 ? "], \"high\": [" : ", ");
        cli_json_number(stdout, i < 3 ? s->low[i] : s->high[i - 3]);
    }
    if (s->triangles > 0) {
        printf("], \"triangles\": %d, \"open_edges\": %d", s->triangles, s->open_edges);
    }
    printf(", \"closed\": %s}\n", r->closed ? "true" : "false");
}

static void print_mesh(const sampled* s) {
    const double size[3] = {s->high[0] - s->low[0], s->high[1] - s->low[1], s->high[2] - s->low[2]};
    double largest = size[0] > size[1] ? size[0] : size[1];
    largest = size[2] > largest ? size[2] : largest;
    printf("mesh       %d triangles, %s\n", s->triangles, s->open_edges == 0 ? "closed" : "not closed");
    if (s->open_edges > 0) {
        printf("           %d edges lack a neighbour: the winding number decides what is inside\n", s->open_edges);
    }
    printf("box        %.6g to %.6g, %.6g to %.6g, %.6g to %.6g m along x, y, z\n", s->low[0], s->high[0], s->low[1],
           s->high[1], s->low[2], s->high[2]);
    printf("size       %.6g x %.6g x %.6g m\n", size[0], size[1], size[2]);
    if (largest >= 20) { // few things are as large as a house, many files in millimetres
        printf("           %.4g m is large: if the file is in millimetres, --scale 0.001 (scene key `scale`) makes it "
               "%.4g m; in centimetres 0.01\n",
               largest, 0.001 * largest);
    }
}

static void print_text(const sampled* s) {
    const phx_sample_report* r = &s->report;
    if (s->triangles > 0) {
        print_mesh(s);
    }
    printf("particles  %d, %s, %g m apart\n", r->count, s->sampling, r->spacing);
    printf("volume     %.6g m^3 of %.6g m^3; before rescaling off by %.3f %%\n", r->volume, r->exact,
           100 * r->raw_error);
}

static void measure(const phx_mesh* mesh, double scale, sampled* s) {
    const double* positions = phx_mesh_positions(mesh);
    s->triangles = phx_mesh_triangle_count(mesh);
    s->open_edges = phx_mesh_open_edges(mesh);
    for (int i = 0; i < 3 * phx_mesh_vertex_count(mesh); ++i) {
        const double at = scale * positions[i];
        s->low[i % 3] = i < 3 || at < s->low[i % 3] ? at : s->low[i % 3];
        s->high[i % 3] = i < 3 || at > s->high[i % 3] ? at : s->high[i % 3];
    }
}

/// Samples a mesh, or an expression: that has a parenthesis, and no file of that name exists.
static phx_result sample(const char* what, phx_up up, phx_body_def* def, const char* path, sampled* s) {
    FILE* file = fopen(what, "rb");
    if (file) {
        fclose(file);
    }
    phx_mesh* mesh = NULL;
    phx_result result = PHX_OK;
    if (!file && strchr(what, '(')) {
        def->shape = what;
    } else {
        result = phx_mesh_load(what, &mesh);
        def->mesh = mesh;
    }
    if (result == PHX_OK && mesh) {
        phx_mesh_turn_up(mesh, up);
        measure(mesh, def->scale, s);
    }
    result = result == PHX_OK ? phx_sample(def, path, &s->report) : result;
    phx_mesh_destroy(mesh);
    return result;
}

int cmd_sample(int count, char** arguments) {
    const cli_command* command = cli_find_command("sample");
    phx_body_def def = phx_body_def_default();
    const char *path = NULL, *sampling = "uniform", *up = "auto";
    bool json = false;
    const cli_option options[] = {
        {"--spacing", "M", "distance of particles, m (must be given)", CLI_NUMBER, &def.spacing},
        {"--sampling", "NAME", "uniform, bcc, octree, vertices, points, blue_noise or conforming", CLI_TEXT, &sampling},
        {"--levels", "N", "octree: halvings at the surface", CLI_INT, &def.levels},
        {"--scale", "S", "scale the body first", CLI_NUMBER, &def.scale},
        {"--up", "AXIS", "of a mesh: x, y or z of its file is up; auto: y of glTF, else z", CLI_TEXT, &up},
        {"--jitter", "J", "random shift, fraction of the spacing", CLI_NUMBER, &def.jitter},
        {"--out", "FILE", "write the points: .ply, .vtp or .csv", CLI_TEXT, &path},
        {"--json", NULL, "print the report as JSON", CLI_FLAG, &json},
        {NULL, NULL, NULL, CLI_FLAG, NULL},
    };
    int code = cli_parse(command, options, &count, arguments);
    if (code >= 0) {
        return code;
    }
    if (count != 1) {
        return cli_usage(command, count == 0 ? "which mesh or shape?" : "one mesh or shape at a time");
    }
    if (!(def.spacing > 0)) {
        return cli_usage(command, "--spacing must be given, in metres, above 0");
    }
    def.sampling = find_word(sampling, sampling_words, SAMPLING_COUNT);
    if (def.sampling < 0) {
        return cli_usage(
            command,
            "--sampling cannot be '%s', expected uniform, bcc, octree, vertices, points, blue_noise or conforming%s",
            sampling, cli_suggest(sampling, SAMPLING_COUNT, sampling_word));
    }
    const int axis = find_word(up, up_words, UP_COUNT);
    if (axis < 0) {
        return cli_usage(command, "--up cannot be '%s', expected auto, x, y or z", up);
    }
    sampled s = {.sampling = sampling};
    phx_result result = sample(arguments[0], (phx_up)axis, &def, path, &s);
    if (result != PHX_OK) {
        return cli_fail(result);
    }
    if (json) {
        print_json(&s);
        return CLI_OK;
    }
    print_text(&s);
    if (path) {
        printf("written    %s\n", path);
    }
    return CLI_OK;
}
