// SPDX-License-Identifier: MIT
// phyxel plot: columns of a probe over time, drawn by gnuplot. The data goes through the pipe, so that names of files
// need no quoting and only what can be read as numbers reaches gnuplot.
#define _POSIX_C_SOURCE 200809L
#include "gnuplot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 64, LINE = 4096 };

typedef struct plot {
    const cli_command* command;
    const char *path, *out, *columns, *title;
    char head[LINE];
    char* names[COLUMNS];   // in `head`
    char bare[COLUMNS][48]; // without units
    int count;
    int chosen[COLUMNS];
    int chosen_count;
    bool total; // also the sum of the chosen ones
} plot;

static const plot* naming; // for cli_suggest, which has no context
static const char* column_name(int i) {
    return naming->bare[i];
}

// A column is called by its name with or without its unit.
static int find_column(const plot* p, const char* name, size_t length) {
    for (int i = 0; i < p->count; ++i) {
        if (strncmp(p->names[i], name, length) == 0 && (p->names[i][length] == 0 || p->names[i][length] == '[')) {
            return i;
        }
    }
    return -1;
}

static int read_head(plot* p, FILE* file) {
    if (!fgets(p->head, sizeof p->head, file) || strncmp(p->head, "time", 4) != 0) {
        fprintf(stderr, "phyxel: %s: no probe file: its first line does not begin with 'time'\n", p->path);
        return CLI_BAD_INPUT;
    }
    p->head[strcspn(p->head, "\r\n")] = 0;
    for (char *at = p->head, *next; at && p->count < COLUMNS; at = next) {
        next = strchr(at, ',');
        if (next) {
            *next++ = 0;
        }
        snprintf(p->bare[p->count], sizeof p->bare[0], "%.*s", (int)strcspn(at, "["), at);
        p->names[p->count++] = at;
    }
    return CLI_OK;
}

static int choose(plot* p) {
    static const char energies[] = "kinetic,elastic,potential,contact";
    p->total = !p->columns;
    for (const char* at = p->columns ? p->columns : energies; *at;) {
        size_t length = strcspn(at, ",");
        int column = find_column(p, at, length);
        if (column < 0) {
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)length, at);
            naming = p;
            return cli_usage(p->command, "%s has no column '%s'%s", p->path, name,
                             cli_suggest(name, p->count, column_name));
        }
        if (p->chosen_count < COLUMNS) {
            p->chosen[p->chosen_count++] = column;
        }
        at += length + (at[length] == ',');
    }
    return p->chosen_count ? CLI_OK : cli_usage(p->command, "--columns names none");
}

// Numbers of a line; false if it is not a whole one.
static bool read_line(const plot* p, char* line, double* values) {
    char* at = line;
    for (int i = 0; i < p->count; ++i) {
        char* end;
        values[i] = strtod(at, &end);
        if (end == at || (*end != ',' && *end != '\n' && *end)) {
            return false;
        }
        at = end + (*end == ',');
    }
    return true;
}

static void put_data(const plot* p, FILE* file, FILE* to, int* lines) {
    char line[LINE];
    double values[COLUMNS];
    fputs("$data << END_OF_DATA\n", to);
    while (fgets(line, sizeof line, file)) {
        if (!read_line(p, line, values)) {
            continue; // the last line of a run that goes on
        }
        fprintf(to, "%.12g", values[0]);
        double sum = 0;
        for (int i = 0; i < p->chosen_count; ++i) {
            fprintf(to, " %.12g", values[p->chosen[i]]);
            sum += values[p->chosen[i]];
        }
        fprintf(to, " %.12g\n", sum);
        ++*lines;
    }
    fputs("END_OF_DATA\n", to);
}

typedef struct drawing {
    const plot* p;
    FILE* file;
    int lines;
} drawing;

static bool put_script(FILE* to, void* context) {
    drawing* d = context;
    const plot* p = d->p;
    put_data(p, d->file, to, &d->lines);
    fputs("set xlabel \"time [s]\"\nset key outside right top\n", to);
    if (p->title) {
        fputs("set title ", to);
        cli_plot_text(to, p->title);
        fputc('\n', to);
    }
    fputs("plot ", to);
    for (int i = 0; i < p->chosen_count; ++i) {
        fprintf(to, "%s$data using 1:%d with lines linewidth 2 title ", i ? ", " : "", i + 2);
        cli_plot_text(to, p->names[p->chosen[i]]);
    }
    if (p->total) {
        fprintf(to, ", $data using 1:%d with lines linewidth 2 linecolor \"black\" title \"sum [J]\"",
                p->chosen_count + 2);
    }
    fputs("\n", to);
    return d->lines > 0;
}

static int draw(const plot* p, FILE* file, const char* out) {
    drawing d = {p, file, 0};
    int code = cli_gnuplot(p->command, out, "900,540", put_script, &d);
    if (code == CLI_OK) {
        printf("%d lines of %s: %s\n", d.lines, p->path, out);
    }
    return code;
}

int cmd_plot(int count, char** arguments) {
    plot p = {.command = cli_find_command("plot")};
    const cli_option options[] = {
        {"--columns", "A,B", "what to draw over time, by the names in the first line; the energies and their sum",
         CLI_TEXT, &p.columns},
        {"--out", "FILE", "a .png or .svg file; PROBE.png beside the probe if not given", CLI_TEXT, &p.out},
        {"--title", "TEXT", "above the plot", CLI_TEXT, &p.title},
        {NULL, NULL, NULL, CLI_FLAG, NULL},
    };
    int code = cli_parse(p.command, options, &count, arguments);
    if (code >= 0) {
        return code;
    }
    if (count != 1) {
        return cli_usage(p.command, count == 0 ? "which probe file?" : "one probe file at a time");
    }
    p.path = arguments[0];
    char beside[1100];
    const char *slash = strrchr(p.path, '/'), *dot = strrchr(p.path, '.');
    size_t length = dot && (!slash || dot > slash) ? (size_t)(dot - p.path) : strlen(p.path);
    snprintf(beside, sizeof beside, "%.*s.png", length < 1000 ? (int)length : 1000, p.path);
    FILE* file = fopen(p.path, "r");
    if (!file) {
        fprintf(stderr, "phyxel: cannot open '%s'\n", p.path);
        return CLI_BAD_INPUT;
    }
    code = read_head(&p, file);
    code = code == CLI_OK ? choose(&p) : code;
    code = code == CLI_OK ? draw(&p, file, p.out ? p.out : beside) : code;
    fclose(file);
    return code;
}
