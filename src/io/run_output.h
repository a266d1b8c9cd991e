// SPDX-License-Identifier: MIT
// What a run writes at which time: frames and probe lines. Nothing about it is kept in a checkpoint: what is due next
// follows from the time alone, so a run that goes on from a checkpoint writes what the run without a stop would have.
//
//   <folder>/frames/frame_00000.vtp ...   frame k is at k / fps
//   <folder>/frames.pvd                   list of the .vtp frames, replaced whole after every frame
//   <folder>/surfaces/ ...                with cracks, of bodies that can break (run_cracks.h)
//   <folder>/obstacles/ ...               that have an end, in place (run_colliders.h)
//   <folder>/probes/<name>.csv            one line at each whole multiple of `every`
#pragma once

#include "io/run_cracks.h"
#include "io/run_colliders.h"

#include <stdio.h>

typedef struct phxi_probe_file {
    phx_probe_id id;
    double every; // 0: at frames
    double last;  // s, of the last line that stands; below 0: none does
    FILE* stream;
    char* path;
} phxi_probe_file;

typedef struct phxi_outputs {
    phxi_heap* heap;
    const phx_scene* scene;
    phx_world* world;
    const char* folder;
    char* pvd;        // NULL: no .vtp frames
    double tolerance; // s; times nearer than this are one
    int frames;       // that stand: the last one's number + 1
    phxi_probe_file* probes;
    int probe_count;
    phxi_crack_output cracks;
    phxi_collider_output colliders;
} phxi_outputs;

/// Whether what is to be written can be: before anything in the folder is touched.
phx_result phxi_outputs_check(const phxi_outputs* outputs);
/// Makes folders and opens the probes' files: new ones, or (`resume`) the old ones up to the world's time.
phx_result phxi_outputs_open(phxi_outputs* outputs, bool resume);
void phxi_outputs_close(phxi_outputs* outputs);
/// The first time after the world's at which something is due, the end of the run included.
double phxi_outputs_next(const phxi_outputs* outputs);
/// Writes what is due at the world's time. *frame tells whether a frame was.
phx_result phxi_outputs_write(phxi_outputs* outputs, bool* frame);
/// The same for what is due now and is not there: a run may have ended because it could not be written.
phx_result phxi_outputs_catch_up(phxi_outputs* outputs);
/// The state as frames/last_good.*, whatever the time.
phx_result phxi_outputs_last_good(phxi_outputs* outputs);
/// Frames of the whole run.
int phxi_outputs_frame_total(const phxi_outputs* outputs);
