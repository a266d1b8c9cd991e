// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "gnuplot.h"

#include "process.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cli_plot_text(FILE* to, const char* text) {
    fputc('"', to);
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', to);
        }
        fputc(*text, to);
    }
    fputc('"', to);
}

int cli_gnuplot(const cli_command* command, const char* out, const char* size, cli_plot_script* script, void* context) {
    const char* dot = strrchr(out, '.');
    bool svg = dot && strcmp(dot, ".svg") == 0, some = false;
    if (!svg && !(dot && strcmp(dot, ".png") == 0)) {
        return cli_usage(command, "cannot draw '%s', expected a name ending in .png or .svg", out);
    }
    if (!cli_has_program("gnuplot")) {
        fprintf(stderr, "phyxel: gnuplot is not installed (package gnuplot-nox): no plot\n");
        return CLI_INCOMPLETE;
    }
    char part[1200];
    snprintf(part, sizeof part, "%.1100s.part", out);
    static const char* const arguments[] = {"gnuplot", NULL};
    cli_process process;
    bool good = cli_start(&process, arguments, true, false);
    if (good) {
        fprintf(process.input, "set terminal %s size %s noenhanced\nset output ", svg ? "svg" : "pngcairo", size);
        cli_plot_text(process.input, part);
        fputs("\nset grid\n", process.input);
        some = script(process.input, context);
    }
    good = cli_finish(&process) && good && some && rename(part, out) == 0;
    if (!good) {
        unlink(part);
        fprintf(stderr, "phyxel: %s\n", some ? "gnuplot could not draw the plot" : "no lines of numbers to plot");
        return CLI_BAD_INPUT;
    }
    return CLI_OK;
}
