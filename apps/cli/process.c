// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool cli_has_program(const char* name) {
    const char* path = getenv("PATH");
    for (const char* at = path ? path : ""; *at;) {
        size_t length = strcspn(at, ":");
        char file[4096];
        int size = snprintf(file, sizeof file, "%.*s/%s", (int)length, at, name);
        if (length > 0 && size > 0 && (size_t)size < sizeof file && access(file, X_OK) == 0) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

// In the child: only calls that are safe after a fork.
static void become(const char* const* arguments, int input, bool silent) {
    int nothing = open("/dev/null", O_RDWR);
    signal(SIGPIPE, SIG_DFL);
    setpgid(0, 0); // Ctrl-C is for us: we close the pipe and the program finishes its file
    dup2(input >= 0 ? input : nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    if (silent) {
        dup2(nothing, STDERR_FILENO);
    }
    execvp(arguments[0], (char* const*)(uintptr_t)arguments);
    _exit(127);
}

bool cli_start(cli_process* process, const char* const* arguments, bool piped, bool silent) {
    int ends[2] = {-1, -1};
    *process = (cli_process){0};
    if (piped && pipe(ends) != 0) {
        return false;
    }
    if (piped) {
        fcntl(ends[1], F_SETFD, FD_CLOEXEC);
        signal(SIGPIPE, SIG_IGN);
    }
    fflush(NULL);
    pid_t id = fork();
    if (id == 0) {
        become(arguments, ends[0], silent);
    }
    process->id = id;
    if (piped) {
        close(ends[0]);
        process->input = id > 0 ? fdopen(ends[1], "wb") : NULL;
        if (!process->input) {
            close(ends[1]);
        }
    }
    return id > 0 && (!piped || process->input);
}

bool cli_finish(cli_process* process) {
    bool good = true;
    if (process->input) {
        good = !ferror(process->input);
        good = fclose(process->input) == 0 && good;
        process->input = NULL;
    }
    int status = 0;
    while (process->id > 0 && waitpid((pid_t)process->id, &status, 0) < 0 && errno == EINTR) {
    }
    good = good && process->id > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    process->id = 0;
    return good;
}
