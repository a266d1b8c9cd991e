// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include "cli.h"

#include <signal.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
    interrupted = signal_number;
}

// Of Ctrl-C and SIGTERM a second one ends the program at once. A terminal that closes may send SIGHUP twice, and each
// line into a closed pipe is another SIGPIPE.
void cli_listen_for_interrupts(void) {
    static const struct {
        int number, flags;
    } signals[] = {{SIGINT, (int)SA_RESETHAND}, {SIGTERM, (int)SA_RESETHAND}, {SIGHUP, SA_RESTART}, {SIGPIPE, 0}};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) {
        struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = signals[i].flags}, before;
        if (signals[i].number == SIGHUP && sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler == SIG_IGN) {
            continue; // nohup
        }
        sigaction(signals[i].number, &action, NULL);
    }
}

bool cli_interrupted(void) {
    return interrupted != 0;
}

void cli_format_time(double seconds, char text[32]) {
    if (!(seconds >= 0) || seconds > 360000) {
        snprintf(text, 32, "--:--");
    } else if (seconds < 3600) {
        snprintf(text, 32, "%02d:%02d", (int)seconds / 60, (int)seconds % 60);
    } else {
        snprintf(text, 32, "%d:%02d:%02d", (int)seconds / 3600, (int)seconds / 60 % 60, (int)seconds % 60);
    }
}

cli_progress cli_progress_begin(const char* what, int total, bool quiet) {
    double now = cli_clock();
    return (cli_progress){what, total, quiet, !quiet && cli_is_terminal(stderr), now, now};
}

void cli_progress_show(cli_progress* p, int done) {
    double now = cli_clock();
    if (p->quiet || p->total < 1 || (done < p->total && now - p->last < (p->bar ? 0.1 : 5.0))) {
        return;
    }
    p->last = now;
    char left[32];
    cli_format_time(done > 0 ? (now - p->begin) * (p->total - done) / done : -1, left);
    if (!p->bar) {
        fprintf(stderr, "%s %d of %d, %s left\n", p->what, done, p->total, left);
        return;
    }
    char cells[31];
    for (int i = 0; i < 30; ++i) {
        cells[i] = i < (int)(30.0 * done / p->total) ? '#' : '.';
    }
    cells[30] = 0;
    fprintf(stderr, "\r[%s] %s %d of %d  left %s \033[K", cells, p->what, done, p->total, left);
}

void cli_progress_clear(const cli_progress* p) {
    if (p->bar) {
        fputs("\r\033[K", stderr);
    }
}
