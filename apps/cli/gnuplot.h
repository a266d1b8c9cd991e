// SPDX-License-Identifier: MIT
// Plots by gnuplot, if it is installed: a script through its pipe, a picture that is complete or not there.
#pragma once

#include "cli.h"

/// Writes data and commands after `set terminal` and `set output`; false: there is nothing to plot.
typedef bool cli_plot_script(FILE* to, void* context);
/// A .png or .svg file by the ending of `out`. Says what is wrong; returns an exit code, CLI_INCOMPLETE without
/// gnuplot.
int cli_gnuplot(const cli_command* command, const char* out, const char* size, cli_plot_script* script, void* context);
/// A text in quotes.
void cli_plot_text(FILE* to, const char* text);
