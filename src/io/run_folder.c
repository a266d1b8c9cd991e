// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "io/run_folder.h"

#include "core/file.h"
#include "core/log.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A run is there if one of the first four is, or frames are. The rest is what it wrote besides, and what was made of
// it.
static const char* const names[] = {"checkpoint.phx", "frames.pvd",    "bodies.csv",    "probes",    "frames",
                                    "surfaces.pvd",   "obstacles.pvd", "obstacles.csv", "walls.csv", "camera.txt",
                                    "surfaces",       "obstacles",     "bodies",        "pictures",  "surface"};
enum { NAMES = sizeof names / sizeof *names, SIGNS = 4 };

// Folders in it with files of its own.
static const char* const inner[] = {"frames", "surfaces", "obstacles", "probes", "bodies", "pictures", "surface"};
enum { INNER = sizeof inner / sizeof *inner, FRAMED = 3 }; // the first three have a file or more a frame

static bool path_to(char path[4096], const char* folder, const char* name) {
    int length = snprintf(path, 4096, "%s/%s", folder, name);
    return length > 0 && length < 4096;
}

static bool exists(const char* folder, const char* name) {
    char path[4096];
    struct stat info;
    return path_to(path, folder, name) && lstat(path, &info) == 0;
}

static phx_result fail(const char* what, const char* path) {
    char reason[128] = "unknown error";
    (void)!strerror_r(errno, reason, sizeof reason);
    return phxi_fail(PHX_ERROR_IO, "cannot %s '%s': %s", what, path, reason);
}

// Calls `visit` for each name in a folder; one that is not there has none.
static void for_each(const char* folder, void (*visit)(void* context, const char* folder, const char* name),
                     void* context) {
    DIR* list = opendir(folder);
    for (struct dirent* entry; list && (entry = readdir(list));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            visit(context, folder, entry->d_name);
        }
    }
    if (list) {
        closedir(list);
    }
}

// ---------------------------------------------------------------------------------------------------------- a new run

typedef struct tally {
    int files;
    double bytes;
} tally;

static void count_file(void* context, const char* folder, const char* name) {
    tally* t = context;
    char path[4096];
    struct stat info;
    if (path_to(path, folder, name) && stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        ++t->files;
        t->bytes += (double)info.st_size;
    }
}

static void see_frame(void* context, const char* folder, const char* name) {
    (void)folder;
    *(bool*)context = *(bool*)context || strncmp(name, "frame_", 6) == 0;
}

static bool has_run(const char* folder) {
    char path[4096];
    bool any = false;
    for (int i = 0; i < SIGNS; ++i) {
        any = any || exists(folder, names[i]);
    }
    if (!any && path_to(path, folder, inner[0])) {
        for_each(path, see_frame, &any);
    }
    return any;
}

static phx_result move_all(const char* folder, const char* aside) {
    for (int i = 0; i < NAMES; ++i) {
        char from[4096], to[4096];
        if (!exists(folder, names[i]) || !path_to(from, folder, names[i]) || !path_to(to, aside, names[i])) {
            continue;
        }
        if (rename(from, to) != 0) {
            return fail("move", from);
        }
    }
    return PHX_OK;
}

phx_result phxi_run_folder_begin(const char* folder, const phx_log* log) {
    if (!has_run(folder)) {
        return PHX_OK;
    }
    bool resumable = exists(folder, names[0]);
    tally all = {0};
    for (int i = 0; i < INNER; ++i) {
        char path[4096];
        if (path_to(path, folder, inner[i])) {
            for_each(path, count_file, &all);
        }
    }
    char name[32], aside[4096];
    for (int n = 1;; ++n) {
        snprintf(name, sizeof name, "earlier-%d", n);
        if (!path_to(aside, folder, name)) {
            errno = ENAMETOOLONG;
            return fail("make folder", folder);
        }
        if (mkdir(aside, 0777) == 0) {
            break;
        }
        if (errno != EEXIST) {
            return fail("make folder", aside);
        }
    }
    PHXI_TRY(move_all(folder, aside));
    phxi_log(log, PHX_LOG_WARNING, "an earlier run was in '%s': it is now in '%s' (%d files, %.3g MB%s)", folder, aside,
             all.files, 1e-6 * all.bytes,
             resumable ? "; with its checkpoint, from which --resume would have gone on" : "");
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- resume

typedef struct rewinding {
    int frames;
    phx_result result;
} rewinding;

// frame_00012.vtp; surfaces and obstacles of a frame are named alike.
static void remove_later(void* context, const char* folder, const char* name) {
    rewinding* r = context;
    const char* digits = strncmp(name, "frame_", 6) == 0      ? name + 6
                         : strncmp(name, "surface_", 8) == 0  ? name + 8
                         : strncmp(name, "obstacle_", 9) == 0 ? name + 9
                                                              : NULL;
    bool later = strncmp(name, "last_good.", 10) == 0;
    if (digits && digits[0] >= '0' && digits[0] <= '9') {
        later = strtol(digits, NULL, 10) >= r->frames;
    }
    char path[4096];
    if (later && path_to(path, folder, name) && unlink(path) != 0 && errno != ENOENT) {
        r->result = fail("remove", path);
    }
}

phx_result phxi_run_folder_rewind(const char* folder, int frames) {
    rewinding r = {frames, PHX_OK};
    for (int i = 0; i < FRAMED; ++i) {
        char path[4096];
        if (path_to(path, folder, inner[i])) {
            for_each(path, remove_later, &r);
        }
    }
    return r.result;
}

// -------------------------------------------------------------------------------------------------------------- sweep

// "<anything>.<process>-<number>.tmp" of a process that is no more (core/file.c).
static void remove_leftover(void* context, const char* folder, const char* name) {
    (void)context;
    size_t length = strlen(name);
    if (length < 8 || strcmp(name + length - 4, ".tmp") != 0) {
        return;
    }
    const char* at = name + length - 4;
    while (at > name && at[-1] != '.') {
        --at;
    }
    char *middle = NULL, *end = NULL;
    long process = strtol(at, &middle, 10);
    bool named = at > name && process > 0 && *middle == '-' && middle[1] >= '0' && middle[1] <= '9';
    if (named) {
        (void)strtol(middle + 1, &end, 10);
    }
    char path[4096];
    if (named && strcmp(end, ".tmp") == 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH &&
        path_to(path, folder, name)) {
        unlink(path);
    }
}

void phxi_run_folder_sweep(const char* folder) {
    for_each(folder, remove_leftover, NULL);
    for (int i = 0; i < INNER; ++i) {
        char path[4096];
        if (path_to(path, folder, inner[i])) {
            for_each(path, remove_leftover, NULL);
        }
    }
}

// -------------------------------------------------------------------------------------------------- during the run

bool phxi_run_folder_there(int lock, const char* folder) {
    struct stat held, found;
    if (lock < 0 || fstat(lock, &held) != 0) {
        return true; // nobody knows
    }
    return stat(folder, &found) == 0 && held.st_dev == found.st_dev && held.st_ino == found.st_ino;
}

char* phxi_run_folder_now(phxi_heap* heap, int lock) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", lock);
    ssize_t length = lock >= 0 ? readlink(link, path, sizeof path - 1) : -1;
    if (length <= 0) {
        return NULL;
    }
    path[length] = 0;
    return phxi_run_folder_there(lock, path) ? phxi_strdup(heap, path, "path") : NULL; // else " (deleted)" is behind it
}
