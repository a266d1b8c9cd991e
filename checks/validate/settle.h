// SPDX-License-Identifier: MIT
// Static states of bodies with implicit steps: steps so long that inertia is nothing, taken as a fixed-point iteration
// and accelerated by Anderson's method (docs/theory/peridynamics.md section 3: rotations are frozen in each global
// step, so that plain iterations take hundreds to bend a beam).
#pragma once

#include "validate/block.h"

typedef struct phxi_settle_def {
    double dt;        // s, of a step
    double tolerance; // largest change of a position in a step, over the spacing
    int most;         // steps
    int window;       // of the acceleration; 0: plain
} phxi_settle_def;

/// 100 s, 1e-7, 300, 10.
phxi_settle_def phxi_settle_default(void);
/// Steps until nothing moves; `steps` (may be NULL) how many it took, `most` if it did not. Positions are those of the
/// block's particles, velocities zero.
phx_result phxi_settle(phxi_block* block, const phxi_settle_def* def, int* steps);
/// Where particle i is.
phx_vec3 phxi_settle_place(const phxi_block* block, int i);
