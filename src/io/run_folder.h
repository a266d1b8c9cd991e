// SPDX-License-Identifier: MIT
// The folder of a run: what an earlier run left there, what a resume finds there, and whether it still is where it was.
#pragma once

#include "core/heap.h"

/// Moves what an earlier run left into `earlier-1` (or -2 ...) in the folder, and tells it; other files stay.
phx_result phxi_run_folder_begin(const char* folder, const phx_log* log);
/// Removes the frames that come later than a checkpoint: number `frames` and up, and the last good state.
phx_result phxi_run_folder_rewind(const char* folder, int frames);
/// Removes temporary files of programs that have ended in the middle of one.
void phxi_run_folder_sweep(const char* folder);
/// Whether the path still leads to the folder that was locked.
bool phxi_run_folder_there(int lock, const char* folder);
/// Where the locked folder is now; NULL: it was deleted, or nobody knows.
char* phxi_run_folder_now(phxi_heap* heap, int lock);
