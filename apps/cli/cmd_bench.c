// SPDX-License-Identifier: MIT
// phyxel bench: the table of speeds.
#include "bench_plot.h"

#include <math.h>
#include <string.h>

typedef struct table {
    bool json;
    int lines;
    const char* section; // of the last line
    bool comparison;     // what the last line was
    bench_plot plot;
} table;

// A dash where a number makes no sense.
static void print_number(int width, const char* format, double value) {
    char text[32] = "-";
    if (value == value) {
        snprintf(text, sizeof text, format, value);
    }
    printf(" %*s", width, text);
}

static const char* title_of(const char* section) {
    const char* title = "";
    for (int i = 0; i < phx_bench_section_count(); ++i) {
        const char* text;
        if (strcmp(phx_bench_section(i, &text), section) == 0) {
            title = text;
        }
    }
    return title;
}

// Heads of a section and of its columns, where they change.
static void print_heads(table* t, const phx_bench_line* line) {
    bool fresh = !t->section || strcmp(t->section, line->section) != 0, comparison = line->unit != NULL;
    if (fresh) {
        printf("\n%s: %s\n", line->section, title_of(line->section));
    }
    if (fresh || comparison != t->comparison) {
        printf("%-17s %9s %10s %7s", "what", "particles", "neighbours", "threads");
        if (comparison) {
            printf(" %11s %-14s %11s %-10s %9s %5s\n", "measured", "", "against", "", "ratio", "goal");
        } else {
            printf(" %11s %8s %7s %7s %8s %8s %7s\n", "ns/particle", "ns/pair", "x limit", "speedup", "Mpart/s",
                   "Mtri/s", "share %");
        }
    }
    t->section = line->section;
    t->comparison = comparison;
}

static void print_comparison(const phx_bench_line* line) {
    print_number(11, "%.2f", line->measured);
    printf(" %-14s", line->unit);
    print_number(11, "%.2f", line->reference);
    printf(" %-10s", line->against ? line->against : "");
    print_number(9, line->against && strcmp(line->against, "R^2") == 0 ? "%.4f" : "%.2f", line->ratio);
    print_number(5, "%.4g", line->goal);
    printf("%s\n", line->ratio < line->goal ? "  not met" : "");
}

static double per_particle(const phx_bench_line* line, double value) {
    return value > 0 && line->particles > 0 ? value / line->particles : (double)NAN;
}

static void print_speed(const phx_bench_line* line) {
    double per_second = line->ns_per_particle > 0 ? 1e3 / line->ns_per_particle : (double)NAN;
    print_number(11, "%.1f", line->ns_per_particle);
    print_number(8, "%.2f", line->ns_per_pair);
    print_number(7, "%.2f", line->x_limit);
    print_number(7, "%.2f", line->speedup);
    print_number(8, "%.3f", per_second);
    print_number(8, "%.3f", per_second * per_particle(line, line->triangles));
    print_number(7, "%.0f", 100 * line->share);
    printf("\n");
}

static void print_json(const table* t, const phx_bench_line* line) {
    const struct {
        const char* name;
        double value;
        bool of_comparisons;
    } numbers[] = {
        {"ns_per_particle", line->ns_per_particle, false},
        {"ns_per_pair", line->ns_per_pair, false},
        {"x_limit", line->x_limit, false},
        {"speedup", line->speedup, false},
        {"share_percent", 100 * line->share, false},
        {"measured", line->measured, true},
        {"reference", line->reference, true},
        {"ratio", line->ratio, true},
        {"goal", line->goal, true},
    };
    printf("%s\n  {\"section\": ", t->lines ? "," : "");
    cli_json_text(stdout, line->section);
    printf(", \"name\": ");
    cli_json_text(stdout, line->name);
    printf(", \"particles\": %d, \"pairs\": %d, \"triangles\": %d, \"threads\": %d", line->particles, line->pairs,
           line->triangles, line->threads);
    if (line->unit) {
        printf(", \"unit\": ");
        cli_json_text(stdout, line->unit);
        printf(", \"against\": ");
        cli_json_text(stdout, line->against ? line->against : "");
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        if (numbers[i].of_comparisons == (line->unit != NULL)) {
            printf(", \"%s\": ", numbers[i].name);
            cli_json_number(stdout, numbers[i].value);
        }
    }
    printf("}");
}

static void print_line(void* context, const phx_bench_line* line) {
    table* t = context;
    if (t->json) {
        print_json(t, line);
    } else {
        print_heads(t, line);
        printf("%-17s", line->name);
        print_number(9, "%.0f", line->particles > 0 ? line->particles : (double)NAN);
        print_number(10, "%.1f", per_particle(line, line->pairs));
        print_number(7, "%.0f", line->threads);
        if (line->unit) {
            print_comparison(line);
        } else {
            print_speed(line);
        }
    }
    bench_plot_add(&t->plot, line);
    fflush(stdout);
    ++t->lines;
}

// What --help says: the sections there are, then what holds for all.
static void describe(const char* details, char* text, size_t size) {
    int length = snprintf(text, size,
                          "SECTION is one of the following, or the part before the dot for all of that "
                          "kind, or nothing for all:\n");
    for (int i = 0; i < phx_bench_section_count() && length > 0 && (size_t)length < size; ++i) {
        const char *title, *name = phx_bench_section(i, &title);
        length += snprintf(text + length, size - (size_t)length, "  %-18s %s\n", name, title);
    }
    if (length > 0 && (size_t)length < size) {
        snprintf(text + length, size - (size_t)length, "\n%s", details);
    }
}

int cmd_bench(int count, char** arguments) {
    char details[8192];
    cli_command own = *cli_find_command("bench");
    const cli_command* command = &own;
    describe(own.details, details, sizeof details);
    own.details = details;
    phx_bench_def def = phx_bench_def_default();
    table t = {0};
    const char* plot = NULL;
    const cli_option options[] = {
        {"--seconds", "S", "about this long a line", CLI_NUMBER, &def.seconds},
        {"--max-particles", "N", "leave out larger ones", CLI_INT, &def.max_particles},
        {"--threads", "N", "up to this many; 0: one per processor", CLI_INT, &def.max_threads},
        {"--plot", "FILE.svg", "picture of efg.scaling", CLI_TEXT, &plot},
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
        printf("phyxel %s\n", phx_version());
    }
    phx_result result = phx_bench_run(&def, print_line, &t);
    if (t.json) {
        printf("\n]\n");
    }
    if (result != PHX_OK) {
        return cli_fail(result);
    }
    return plot ? bench_plot_write(&t.plot, plot) : CLI_OK;
}
