// SPDX-License-Identifier: MIT
// How a method wants its bodies filled with particles, where that is not what the definition says.
#pragma once

#include "bodies/body.h"

typedef struct phxi_sampling_table {
    /// Particles stand at the corners of cells where the definition says uniform.
    bool corners;
    /// How much of a body is kept, in spacings below its surface: deeper particles are left out. Its shape is kept
    /// (phxi_body.solid), or the one of the text that is written to `surface`. NULL: all of it, without a shape.
    double (*shell)(const phxi_body* body, const char** surface);
} phxi_sampling_table;
