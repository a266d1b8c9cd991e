// SPDX-License-Identifier: MIT
// phyxel sample: particles of a mesh or a shape, alone.
#include "cli.h"

#include <string.h>

static const char* const sampling_words[] = {"uniform", "bcc", "octree", "vertices", "points", "blue_noise"};
enum { SAMPLING_COUNT = sizeof sampling_words / sizeof sampling_words[0] };
static const char* sampling_word(int i) {
    return sampling_words[i];
}

int cmd_sample(int count, char** arguments) {
    const cli_command* command = cli_find_command("sample");
    phx_body_def def = phx_body_def_default();
    const char *path = NULL, *sampling = "uniform";
    bool json = false;
    const cli_option options[] = {
        {"--spacing", "M", "distance of particles, m (must be given)", CLI_NUMBER, &def.spacing},
        {"--sampling", "NAME", "uniform, bcc, octree, vertices, points or blue_noise", CLI_TEXT, &sampling},
        {"--levels", "N", "octree: halvings at the surface", CLI_INT, &def.levels},
        {"--scale", "S", "scale the body first", CLI_NUMBER, &def.scale},
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
    int chosen = -1;
    for (int i = 0; i < SAMPLING_COUNT; ++i) {
        if (strcmp(sampling, sampling_words[i]) == 0) {
            chosen = i;
        }
    }
    if (chosen < 0) {
        return cli_usage(command,
                         "--sampling cannot be '%s', expected uniform, bcc, octree, vertices, points or blue_noise%s",
                         sampling, cli_suggest(sampling, SAMPLING_COUNT, sampling_word));
    }
    def.sampling = chosen;
    phx_mesh* mesh = NULL;
    phx_result result = PHX_OK;
    // An expression has a parenthesis, and no file of that name exists.
    FILE* file = fopen(arguments[0], "rb");
    if (file) {
        fclose(file);
    }
    if (!file && strchr(arguments[0], '(')) {
        def.shape = arguments[0];
    } else {
        result = phx_mesh_load(arguments[0], &mesh);
        def.mesh = mesh;
    }
    phx_sample_report report = {0};
    if (result == PHX_OK) {
        result = phx_sample(&def, path, &report);
    }
    int triangles = mesh ? phx_mesh_triangle_count(mesh) : 0;
    int open_edges = mesh ? phx_mesh_open_edges(mesh) : 0;
    phx_mesh_destroy(mesh);
    if (result != PHX_OK) {
        return cli_fail(result);
    }
    if (json) {
        printf("{\"count\": %d, \"spacing\": ", report.count);
        cli_json_number(stdout, report.spacing);
        printf(", \"volume\": ");
        cli_json_number(stdout, report.volume);
        printf(", \"exact\": ");
        cli_json_number(stdout, report.exact);
        printf(", \"raw_error\": ");
        cli_json_number(stdout, report.raw_error);
        printf(", \"closed\": %s}\n", report.closed ? "true" : "false");
        return CLI_OK;
    }
    if (triangles > 0) {
        printf("mesh       %d triangles, %s\n", triangles, open_edges == 0 ? "closed" : "not closed");
        if (open_edges > 0) {
            printf("           %d edges lack a neighbour: the winding number decides what is inside\n", open_edges);
        }
    }
    printf("particles  %d, %s, %g m apart\n", report.count, sampling, report.spacing);
    printf("volume     %.6g m^3 of %.6g m^3; before rescaling off by %.3f %%\n", report.volume, report.exact,
           100 * report.raw_error);
    if (path) {
        printf("written    %s\n", path);
    }
    return CLI_OK;
}
