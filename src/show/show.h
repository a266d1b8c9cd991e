// SPDX-License-Identifier: MIT
// The inside of a phx_show.
#pragma once

#include "show/shown_bodies.h"
#include "surface/rest_shape.h"

/// What is kept of a body from frame to frame.
typedef struct phxi_shown_state {
    bool known;     // the first frame was looked at
    double size;    // m, half the diagonal of its box in the first frame
    double spacing; // m, as the run says, or that of the first frame
    double volume;  // of a particle, m^3, likewise
    phxi_rest_shape rest;
    phx_skin* skin; // NULL: not made yet
    phx_mesh* mesh; // that it is of
    double ball;    // of a liquid, fitted to the first frame; 0: not yet
} phxi_shown_state;

struct phx_show {
    phxi_heap heap; // owns the show itself, too
    phx_show_def def;
    char* folder;
    phx_frames *frames, *cracks, *colliders; // the latter NULL: there are none
    phxi_shown_bodies bodies, obstacles;
    phxi_shown_walls walls;
    phxi_shown_state* states; // one a body, and one for particles of no body
    phx_frame* first;         // all particles of the first frame
    // of the last frame that was asked for
    PHXI_ARRAY(phx_part) parts;
    PHXI_ARRAY(phx_frame*) owned; // frames of parts
    PHXI_ARRAY(int) bodies_of;    // bodies of parts; -1: obstacles
};

/// Bodies, or 1 if particles are of no known body.
static inline int phxi_show_groups(const phx_show* show) {
    return show->bodies.count > 0 ? show->bodies.count : 1;
}

/// Whether the first frame, once it is there, is points of no body: of another program.
bool phxi_show_is_cloud(const phx_show* show);
/// What the first frame says about a body, once: its state.
phx_result phxi_show_know(phx_show* show, int body);
/// Adds the parts of one body, whose particles these are, to those of the frame (show_body.c). `solids`: what liquids
/// lie against; NULL: nothing.
phx_result phxi_show_body(phx_show* show, int body, phx_frame* particles, const phx_frame* solids);
/// The skin of a body; NULL: it has none.
phx_result phxi_show_skin(phx_show* show, int body, const phx_frame* particles, phx_frame** skin);
/// Adds a part; the show owns the frame from now on, also if this fails.
phx_result phxi_show_add(phx_show* show, int body, phx_frame* frame, const phx_look* look, double size);
/// The particles of one body.
phx_result phxi_show_pick(phx_show* show, const phx_frame* particles, int body, phx_frame** own);
