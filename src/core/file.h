// SPDX-License-Identifier: MIT
// Whole files in, atomic files out: a file is written beside its place and renamed when complete, so a full disk or a
// crash leaves the old one. Every error names the path and the system's reason.
#pragma once

#include "core/heap.h"

#include <stdio.h>

/// All bytes plus a zero behind them. Refuses folders and files above `limit` bytes (0: 2 GiB).
phx_result phxi_file_read(phxi_heap* heap, const char* path, size_t limit, char** bytes, size_t* size);

typedef struct phxi_file_writer {
    FILE* stream;
    char* path;      // where it goes
    char* temporary; // where it is until then
    phxi_heap* heap;
} phxi_file_writer;
phx_result phxi_file_begin(phxi_file_writer* writer, phxi_heap* heap, const char* path);
/// Flushes, checks every earlier write, renames. On failure the temporary is removed and the old file stands.
phx_result phxi_file_commit(phxi_file_writer* writer);
/// Gives up: the temporary is removed. Fine after a commit and on a zeroed writer.
void phxi_file_abandon(phxi_file_writer* writer);

/// Makes a folder and its parents; no error if it is there.
phx_result phxi_make_folder(const char* path);
/// Takes a folder for the caller alone, until it is given back or the process ends, so that two runs cannot mix their
/// files; leaves nothing in it. Where the file system has no locks, nothing is locked.
phx_result phxi_folder_lock(const char* path, int* lock);
void phxi_folder_unlock(int lock); // -1: nothing to give back
/// folder + "/" + name (name alone if it is absolute or folder is NULL or empty).
char* phxi_path_join(phxi_heap* heap, const char* folder, const char* name);
/// The folder part of a path ("." if none).
char* phxi_path_folder(phxi_heap* heap, const char* path);
