// SPDX-License-Identifier: MIT
// How a method samples its bodies where that differs from the definition.
#pragma once

#include "bodies/body.h"

typedef struct phxi_sampling_table {
    /// What the sampling `auto` is: `conforming`, but for sheets and rods of one layer; else `uniform`.
    bool conforming;
    /// `uniform` sampling puts particles at the corners of cells.
    bool corners;
    /// Thickness of the shell that is kept, in spacings below the surface; deeper particles are left out.
    /// phxi_body.solid is then the body's shape, or that of the expression written to `surface`. NULL: the whole body,
    /// without a solid.
    double (*shell)(const phxi_body* body, const char** surface);
} phxi_sampling_table;
