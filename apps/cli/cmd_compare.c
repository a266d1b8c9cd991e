// SPDX-License-Identifier: MIT
// phyxel compare: one scene, several methods, three tables (accuracy, stability, cost at equal error), and a plot.
#include <checks/compare.h>
#include "gnuplot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS = 32, LEVELS = 16, LIST = 1024 };

typedef struct point {
    int method; // index in the definition
    double spacing, time, value;
} point;

typedef struct comparison {
    const cli_command* command;
    phx_compare_def def;
    char method_text[LIST], spacing_text[LIST];
    const char* methods[METHODS + 1];
    double spacings[LEVELS];
    double error; // at which costs are compared; NaN: chosen
    const char *quantity, *plot;
    phx_compare_row rows[METHODS * LEVELS];
    int row_count, method_count;
    point* points;
    int point_count, point_room;
    bool no_memory;
} comparison;

static const char* const quantity_words[] = {"change", "end", "most", "least", "period", NULL};
static const char* quantity_word(int i) {
    return quantity_words[i];
}

// ---------------------------------------------------------------------------------------------------------- options

// Parts of a list between commas, in place; returns their number, `most` + 1 if there are more.
static int split(char* text, int most, const char** parts) {
    int count = 0;
    for (char *at = text, *next; at && count <= most; at = next) {
        next = strchr(at, ',');
        if (next) {
            *next++ = 0;
        }
        if (count < most) {
            parts[count] = at;
        }
        ++count;
    }
    return count;
}

static int read_methods(comparison* c, const char* text) {
    if (!text || !*text || strlen(text) >= LIST) {
        return cli_usage(c->command, text && *text ? "--methods is too long" : "which methods? --methods efg,fem");
    }
    snprintf(c->method_text, LIST, "%s", text);
    c->method_count = split(c->method_text, METHODS, c->methods);
    if (c->method_count > METHODS) {
        return cli_usage(c->command, "more than %d methods", METHODS);
    }
    c->methods[c->method_count] = NULL;
    c->def.methods = c->methods;
    return -1;
}

static int read_spacings(comparison* c, const char* text) {
    const char* parts[LEVELS];
    if (!text) {
        return -1;
    }
    if (strlen(text) >= LIST) {
        return cli_usage(c->command, "--spacings is too long");
    }
    snprintf(c->spacing_text, LIST, "%s", text);
    int count = split(c->spacing_text, LEVELS, parts);
    if (count > LEVELS) {
        return cli_usage(c->command, "more than %d spacings", LEVELS);
    }
    for (int i = 0; i < count; ++i) {
        char* end;
        c->spacings[i] = strtod(parts[i], &end);
        if (end == parts[i] || *end || !(c->spacings[i] > 0) || !isfinite(c->spacings[i])) {
            return cli_usage(c->command, "--spacings cannot take '%s', expected lengths in m: 0.05,0.025", parts[i]);
        }
        if (i > 0 && !(c->spacings[i] < c->spacings[i - 1])) {
            return cli_usage(c->command, "--spacings go from coarse to fine, but %g comes after %g", c->spacings[i],
                             c->spacings[i - 1]);
        }
    }
    c->def.spacings = c->spacings;
    c->def.spacing_count = count;
    return -1;
}

static int read_quantity(comparison* c) {
    for (int i = 0; quantity_words[i]; ++i) {
        if (strcmp(c->quantity, quantity_words[i]) == 0) {
            c->def.quantity = i;
            return -1;
        }
    }
    return cli_usage(c->command, "--quantity cannot take '%s', expected change, end, most, least or period%s",
                     c->quantity, cli_suggest(c->quantity, 5, quantity_word));
}

// ---------------------------------------------------------------------------------------------------------- results

static void keep_row(void* context, const phx_compare_row* row) {
    comparison* c = context;
    c->rows[c->row_count++] = *row;
}

static int method_index(const comparison* c, const char* method) {
    int i = 0;
    while (c->methods[i] && c->methods[i] != method) {
        ++i;
    }
    return i;
}

static void keep_point(void* context, const char* method, double spacing, double time, double value) {
    comparison* c = context;
    if (c->point_count == c->point_room) {
        int room = c->point_room ? 2 * c->point_room : 1024;
        point* grown = realloc(c->points, (size_t)room * sizeof *grown);
        if (!grown) {
            c->no_memory = true;
            return;
        }
        c->points = grown;
        c->point_room = room;
    }
    c->points[c->point_count++] = (point){method_index(c, method), spacing, time, value};
}

static int levels_of(const comparison* c) {
    return c->def.spacing_count > 0 ? c->def.spacing_count : 1;
}

// The smallest error that every method reaches that reaches any.
static double common_error(const comparison* c) {
    double worst = 0;
    for (int m = 0; m < c->method_count; ++m) {
        double best = NAN;
        for (int k = 0; k < levels_of(c); ++k) {
            const phx_compare_row* row = &c->rows[m * levels_of(c) + k];
            best = row->result == PHX_OK && row->error > 0 ? fmin(isnan(best) ? INFINITY : best, row->error) : best;
        }
        worst = isnan(best) ? worst : fmax(worst, best);
    }
    return worst > 0 ? worst : NAN;
}

static void put_number(int width, const char* format, double value) {
    char text[32] = "-";
    if (!isnan(value)) {
        snprintf(text, sizeof text, format, value);
    }
    printf(" %*s", width, text);
}

static void print_accuracy(const comparison* c) {
    const phx_compare_def* d = &c->def;
    printf("%s: %s of '%s' of probe '%s'; held against %.6g (%s)\n\n", d->scene, c->quantity, d->column,
           d->probe ? d->probe : "the first", c->rows[0].exact,
           isnan(d->exact) ? "the first method at its finest" : "given");
    printf("%-34s %10s %9s %13s %9s %9s %10s %9s\n", "method", "spacing, m", "particles", "value", "error %",
           "substeps", "dt, s", "CPU s");
    for (int k = 0; k < c->row_count; ++k) {
        const phx_compare_row* r = &c->rows[k];
        printf("%-34s", r->method);
        put_number(10, "%.5g", r->spacing);
        if (r->result != PHX_OK) {
            printf("  %s\n", r->trouble);
            continue;
        }
        printf(" %9d", r->particles);
        put_number(13, "%.6g", r->value);
        put_number(9, "%.3f", 100 * r->error);
        printf(" %9lld", (long long)r->substeps);
        put_number(10, "%.3g", r->dt);
        put_number(9, "%.2f", r->cpu);
        printf("\n");
    }
}

static void print_stability(const comparison* c) {
    printf("\nlongest substep that does not blow up (200 of them, at the first spacing)\n");
    printf("%-34s %12s %12s %8s\n", "method", "its own, s", "longest, s", "ratio");
    for (int m = 0; m < c->method_count; ++m) {
        const phx_compare_row* r = &c->rows[m * levels_of(c)];
        printf("%-34s", r->method);
        put_number(12, "%.3g", r->own_dt);
        put_number(12, "%.3g", r->stable_dt);
        put_number(8, r->stable_dt > 60 * r->own_dt ? ">= %.0f" : "%.2f", r->stable_dt / r->own_dt);
        printf("\n");
    }
}

static void print_cost(const comparison* c) {
    double error = isnan(c->error) ? common_error(c) : c->error;
    if (levels_of(c) < 2) {
        printf("\ncost at equal error: needs several --spacings\n");
        return;
    }
    printf("\nprocessor time for an error of %.3g %%\n", 100 * error);
    for (int m = 0; m < c->method_count; ++m) {
        const phx_compare_row* r = &c->rows[m * levels_of(c)];
        double cost = phx_compare_cost(r, levels_of(c), error);
        printf("%-34s", r->method);
        put_number(12, "%.3g s", cost);
        printf("%s\n", isnan(cost) ? "  not reached" : "");
    }
}

static void print_json(const comparison* c) {
    double error = isnan(c->error) ? common_error(c) : c->error;
    printf("{\"scene\": ");
    cli_json_text(stdout, c->def.scene);
    printf(", \"exact\": ");
    cli_json_number(stdout, c->rows[0].exact);
    printf(", \"equal_error\": ");
    cli_json_number(stdout, levels_of(c) > 1 ? error : NAN);
    printf(", \"rows\": [");
    for (int k = 0; k < c->row_count; ++k) {
        const phx_compare_row* r = &c->rows[k];
        const struct {
            const char* name;
            double value;
        } numbers[] = {{"spacing", r->spacing}, {"value", r->value},   {"error", r->error},        {"dt", r->dt},
                       {"cpu", r->cpu},         {"own_dt", r->own_dt}, {"stable_dt", r->stable_dt}};
        printf("%s\n  {\"method\": ", k ? "," : "");
        cli_json_text(stdout, r->method);
        printf(", \"particles\": %d, \"substeps\": %lld, \"trouble\": ", r->particles, (long long)r->substeps);
        cli_json_text(stdout, r->trouble);
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
            printf(", \"%s\": ", numbers[i].name);
            cli_json_number(stdout, numbers[i].value);
        }
        printf("}");
    }
    printf("\n]}\n");
}

// ------------------------------------------------------------------------------------------------------------- plot

// The finest run of each method over time, and error over processor time.
static bool put_script(FILE* to, void* context) {
    const comparison* c = context;
    double finest = c->def.spacing_count ? c->spacings[c->def.spacing_count - 1] : NAN;
    bool change = c->def.quantity == PHX_COMPARE_CHANGE || c->def.quantity == PHX_COMPARE_PERIOD;
    int curves = 0, costs = 0;
    for (int m = 0; m < c->method_count; ++m) {
        double start = NAN; // methods put their particles elsewhere: what is compared is how far they go
        fprintf(to, "$curve%d << END_OF_DATA\n", m);
        for (int k = 0; k < c->point_count; ++k) {
            const point* p = &c->points[k];
            if (p->method == m && (isnan(finest) || p->spacing == finest)) {
                start = !change ? 0 : isnan(start) ? p->value : start;
                fprintf(to, "%.9g %.9g\n", p->time, p->value - start);
                ++curves;
            }
        }
        fprintf(to, "END_OF_DATA\n$cost%d << END_OF_DATA\n", m);
        for (int k = 0; k < levels_of(c); ++k) {
            const phx_compare_row* r = &c->rows[m * levels_of(c) + k];
            if (r->result == PHX_OK && r->error > 0 && r->cpu > 0) {
                fprintf(to, "%.9g %.9g\n", r->cpu, 100 * r->error);
                ++costs;
            }
        }
        fprintf(to, "%s\nEND_OF_DATA\n", "nan nan");
    }
    fputs(costs ? "set multiplot layout 1,2\n" : "", to);
    fputs("set key below\nset xlabel \"time, s\"\nset ylabel ", to);
    char label[96];
    snprintf(label, sizeof label, "%s%.60s", change ? "change of " : "", c->def.column);
    cli_plot_text(to, label);
    fputs("\nplot ", to);
    for (int m = 0; m < c->method_count; ++m) {
        fprintf(to, "%s$curve%d with lines linewidth 2 title ", m ? ", " : "", m);
        cli_plot_text(to, c->methods[m]);
    }
    fputs("\n", to);
    if (costs == 0) { // errors of one run against itself are none
        return curves > 0;
    }
    fputs("set logscale xy\nset xlabel \"processor time, s\"\nset ylabel \"error, %\"\nunset key\nplot ", to);
    for (int m = 0; m < c->method_count; ++m) {
        fprintf(to, "%s$cost%d with linespoints linewidth 2 pointtype 7 notitle", m ? ", " : "", m);
    }
    fputs("\nunset multiplot\n", to);
    return curves > 0;
}

static int report(comparison* c, bool json) {
    if (json) {
        print_json(c);
    } else {
        print_accuracy(c);
        if (c->def.stability) {
            print_stability(c);
        }
        print_cost(c);
    }
    if (!c->plot) {
        return CLI_OK;
    }
    int code = c->no_memory ? CLI_MEMORY : cli_gnuplot(c->command, c->plot, "1200,480", put_script, c);
    if (code == CLI_OK && !json) {
        printf("\nplot: %s\n", c->plot);
    }
    return code;
}

int cmd_compare(int count, char** arguments) {
    static comparison c; // some 100 kB
    const char *methods = NULL, *spacings = NULL;
    bool json = false, quick = false;
    cli_list sets = {0};
    c = (comparison){
        .command = cli_find_command("compare"), .def = phx_compare_def_default(), .quantity = "change", .error = NAN};
    double percent = NAN;
    const cli_option options[] = {
        {"--methods", "A,B", "what to compare; options behind a colon: fem:integrator=bdf2", CLI_TEXT, &methods},
        {"--spacings", "A,B", "m, of all bodies, from coarse to fine; as in the scene if not given", CLI_TEXT,
         &spacings},
        {"--probe", "NAME", "a probe of the scene; its first", CLI_TEXT, &c.def.probe},
        {"--column", "NAME", "of the probe's file; z", CLI_TEXT, &c.def.column},
        {"--quantity", "WORD", "change (last less first), end, most, least or period; change", CLI_TEXT, &c.quantity},
        {"--exact", "X", "what it should be; the first method at its finest if not given", CLI_NUMBER, &c.def.exact},
        {"--error", "P", "error in percent at which costs are compared; the smallest that all reach", CLI_NUMBER,
         &percent},
        {"--set", "KEY=VALUE", "change a value of the scene: --set run.duration=2", CLI_LIST, &sets},
        {"--quick", NULL, "do not look for the longest stable substep", CLI_FLAG, &quick},
        {"--threads", "N", "0: one per processor; 1", CLI_INT, &c.def.threads},
        {"--plot", "FILE", "curves, and error over cost: a .png or .svg file", CLI_TEXT, &c.plot},
        {"--json", NULL, "print all as JSON", CLI_FLAG, &json},
        {NULL, NULL, NULL, CLI_FLAG, NULL},
    };
    int code = cli_parse(c.command, options, &count, arguments);
    if (code >= 0) {
        return code;
    }
    if (count != 1) {
        return cli_usage(c.command, count == 0 ? "which scene?" : "one scene at a time");
    }
    code = read_methods(&c, methods);
    code = code < 0 ? read_spacings(&c, spacings) : code;
    code = code < 0 ? read_quantity(&c) : code;
    if (code >= 0) {
        return code;
    }
    c.error = percent / 100;
    c.def.scene = arguments[0];
    c.def.overrides = sets.items;
    c.def.stability = !quick;
    c.def.row = keep_row;
    c.def.curve = c.plot ? keep_point : NULL;
    c.def.context = &c;
    phx_result result = phx_compare(&c.def);
    code = result == PHX_OK ? report(&c, json) : cli_fail(result);
    free(c.points);
    return code;
}
