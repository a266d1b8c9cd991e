// SPDX-License-Identifier: MIT
// How far a row of things is: a bar on a terminal, a line every five seconds elsewhere; and Ctrl-C.
#pragma once

#include <stdbool.h>

typedef struct cli_progress {
    const char* what; // "frame"
    int total;
    bool quiet, bar;
    double begin, last;
} cli_progress;

cli_progress cli_progress_begin(const char* what, int total, bool quiet);
void cli_progress_show(cli_progress* progress, int done);
/// Clears the bar, so that a message can be printed.
void cli_progress_clear(const cli_progress* progress);

/// From now on Ctrl-C and SIGTERM are only remembered; a second one ends the program at once.
void cli_listen_for_interrupts(void);
bool cli_interrupted(void);
/// "03:25", "1:02:03" or "--:--".
void cli_format_time(double seconds, char text[32]);
