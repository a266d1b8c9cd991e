// SPDX-License-Identifier: MIT
// phyxel bench: the table of speeds.
#include "cli.h"

typedef struct table {
    bool json;
    int lines;
} table;

static void print_line(void* context, const phx_bench_line* line) {
    table* t = context;
    if (t->json) {
        printf("%s\n  {\"name\": ", t->lines ? "," : "");
        cli_json_text(stdout, line->name);
        printf(", \"particles\": %d, \"pairs\": %d, \"threads\": %d", line->particles, line->pairs, line->threads);
        const char* const names[] = {"ns_per_particle", "ns_per_pair", "x_limit", "speedup"};
        const double values[] = {line->ns_per_particle, line->ns_per_pair, line->x_limit, line->speedup};
        for (int i = 0; i < 4; ++i) {
            printf(", \"%s\": ", names[i]);
            cli_json_number(stdout, values[i]);
        }
        printf("}");
    } else {
        printf("%-16s %10d %10.1f %8d %14.1f %9.2f %8.2f %8.2f\n", line->name, line->particles,
               line->particles > 0 ? (double)line->pairs / line->particles : 0.0, line->threads, line->ns_per_particle,
               line->ns_per_pair, line->x_limit, line->speedup);
    }
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
        printf("phyxel %s\n%-16s %10s %10s %8s %14s %9s %8s %8s\n", phx_version(), "what", "particles", "neighbours",
               "threads", "ns/particle", "ns/pair", "x limit", "speedup");
    }
    phx_result result = phx_bench_run(&def, print_line, &t);
    if (t.json) {
        printf("\n]\n");
    }
    return result == PHX_OK ? CLI_OK : cli_fail(result);
}
