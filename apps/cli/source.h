// SPDX-License-Identifier: MIT
// The frames of a run in the form they are wanted in: particles, a surface around them, the meshes they were made
// of, discs along the surface, or the surfaces with cracks that the run wrote.
#pragma once

#include "cli.h"

typedef enum cli_form { CLI_POINTS, CLI_SURFACE, CLI_SKIN, CLI_SPLATS, CLI_CRACKS } cli_form;

typedef struct cli_source {
    const char* run;
    char folder[1024]; // of the run
    phx_frames* frames;
    cli_form form;
    phx_surface_def surface;
    struct cli_body* bodies; // of bodies.csv, by number; none: all are shown, and none has a skin
    int body_count;
    bool bound;
    phx_frames* cracks;    // surfaces.pvd
    phx_frames* colliders; // obstacles.pvd; NULL: none to show
} cli_source;

/// Which bodies of a run are wanted, beyond what its scene says.
typedef struct cli_choice {
    cli_list hide; // names
    bool all;      // also those that the scene does not show
} cli_choice;

/// Prints what is wrong and returns the exit code, 0 if all is well.
int cli_source_open(cli_source* source, const char* run, cli_form form, const phx_surface_def* surface,
                    const cli_choice* choice);
void cli_source_close(cli_source* source);
/// The particles of frame i that are shown.
phx_result cli_source_particles(const cli_source* source, int i, phx_frame** particles);
/// The colliders of the run at a time, NULL if it shows none.
phx_result cli_source_colliders(const cli_source* source, double time, phx_frame** frame);
/// Frame i in the source's form.
phx_result cli_source_read(cli_source* source, int i, phx_frame** frame);
/// True if the run kept what skinning needs (run.skin of its scene).
bool cli_source_can_skin(const char* run);
/// True if the run wrote surfaces of bodies that can break.
bool cli_source_has_cracks(const char* run);
/// The camera that the scene gave; false if it gave none.
bool cli_source_camera(const cli_source* source, phx_camera* camera);
