// SPDX-License-Identifier: MIT
// phyxel bench: the table of speeds.
#include "cli.h"

#include <math.h>

typedef struct table {
    bool json;
    int lines;
} table;

// A dash where a number makes no sense.
static void print_number(int width, const char* format, double value) {
    char text[32] = "-";
    if (value == value) {
        snprintf(text, sizeof text, format, value);
    }
    printf(" %*s", width, text);
}

static void print_line(void* context, const phx_bench_line* line) {
    table* t = context;
    double n = line->particles, per_second = line->ns_per_particle > 0 ? 1e3 / line->ns_per_particle : NAN;
    const struct {
        const char *name, *format;
        int width;
        double value;
    } columns[] = {
        {"neighbours", "%.1f", 10, line->pairs > 0 ? line->pairs / n : NAN},
        {"threads", "%.0f", 7, line->threads},
        {"ns_per_particle", "%.1f", 11, line->ns_per_particle},
        {"ns_per_pair", "%.2f", 8, line->ns_per_pair},
        {"x_limit", "%.2f", 7, line->x_limit},
        {"speedup", "%.2f", 7, line->speedup},
        {"million_particles_per_second", "%.3f", 8, per_second},
        {"million_triangles_per_second", "%.3f", 8, line->triangles > 0 ? per_second * line->triangles / n : NAN},
        {"share_percent", "%.0f", 7, 100 * line->share},
    };
    if (t->json) {
        printf("%s\n  {\"name\": ", t->lines ? "," : "");
        cli_json_text(stdout, line->name);
        printf(", \"particles\": %d, \"pairs\": %d, \"triangles\": %d", line->particles, line->pairs, line->triangles);
    } else {
        printf("%-17s %9d", line->name, line->particles);
    }
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; ++i) {
        if (t->json) {
            printf(", \"%s\": ", columns[i].name);
            cli_json_number(stdout, columns[i].value);
        } else {
            print_number(columns[i].width, columns[i].format, columns[i].value);
        }
    }
    fputs(t->json ? "}" : "\n", stdout);
    fflush(stdout);
    ++t->lines;
}

int cmd_bench(int count, char** arguments) {
    const cli_command* command = cli_find_command("bench");
    phx_bench_def def = phx_bench_def_default();
    table t = {0};
    const cli_option options[] = {
        {"--seconds", "S", "about this long a line", CLI_NUMBER, &def.seconds},
        {"--max-particles", "N", "leave out larger ones", CLI_INT, &def.max_particles},
        {"--threads", "N", "up to this many; 0: one per processor", CLI_INT, &def.max_threads},
        {"--json", NULL, "print as JSON", CLI_FLAG, &t.json},
        {NULL, NULL, NULL, CLI_FLAG, NULL},
    };
    int code = cli_parse(command, options, &count, arguments);
    if (code >= 0) {
        return code;
    }
    if (count > 1) {
        return cli_usage(command, "one benchmark at a time, or all");
    }
    def.name = count ? arguments[0] : NULL;
    if (t.json) {
        printf("[");
    } else {
        printf("phyxel %s\n%-17s %9s %10s %7s %11s %8s %7s %7s %8s %8s %7s\n", phx_version(), "what", "particles",
               "neighbours", "threads", "ns/particle", "ns/pair", "x limit", "speedup", "Mpart/s", "Mtri/s", "share %");
    }
    phx_result result = phx_bench_run(&def, print_line, &t);
    if (t.json) {
        printf("\n]\n");
    }
    return result == PHX_OK ? CLI_OK : cli_fail(result);
}
