// SPDX-License-Identifier: MIT
// For methods whose bodies can break or be cut.
#pragma once

#include "bodies/step.h"

/// What is broken in a body: the cracks that its surface shows. Particles are numbered from the first of the body.
typedef struct phxi_cracks {
    int fragment_count;
    const int* fragment;                        // by particle of the body
    int cut_count;                              // broken bonds:
    const int (*cut)[2];                        // pairs of particles, i < j, sorted
    const phx_vec3 *plane_point, *plane_normal; // of the facet that cut the pair, reference frame; normal 0: cut by
                                                // stretch
} phxi_cracks;

/// A blade in space at one moment: a rectangle that moves in its own plane. Unit vectors at right angles.
typedef struct phxi_blade {
    phx_vec3 edge;                   // m, middle of the leading edge
    phx_vec3 along, forward, normal; // along the edge; the way it moves; across
    double half_width, depth;        // m, INFINITY: no end
} phxi_blade;

typedef struct phxi_fracture_table {
    /// Whether a body of this material and with these parameters breaks at a stress in explicit steps, which are as
    /// short as its sound is fast: it may then be computed with slower sound (materials/sound.h). NULL: no.
    bool (*breaks_explicitly)(const phxi_body* body);
    /// Whether a body of this material and with these parameters can break: its particles then get exact cells and
    /// their volumes (phxi_body.cells) before add_body. NULL: no.
    bool (*needs_cells)(const phxi_body* body);
    /// The cracks of a body, owned by the method and valid until its next substep; NULL: nothing is broken. (If the
    /// entry itself is NULL, surfaces show no cracks.)
    const phxi_cracks* (*cracks)(const void* state, phxi_step* step, int body);
    /// The fragments alone, which contact asks for in every substep: by particle of the body, and how many; NULL:
    /// nothing is broken, and the count stays. (If the entry itself is NULL, contact takes the body for one piece.)
    const int* (*fragments)(const void* state, phxi_step* step, int body, int* count);
    /// Cuts the bonds that a blade crosses at its current place; blade NULL: prepares the body for being cut. Called
    /// after a substep and before `adapt`. NULL: bodies cannot be cut.
    phx_result (*cut)(void* state, phxi_step* step, int body, const phxi_blade* blade);
} phxi_fracture_table;
