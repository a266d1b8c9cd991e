// SPDX-License-Identifier: MIT
// For methods whose particles interact with others nearby in space, whatever their body (phxi_step.near).
#pragma once

#include "bodies/body.h"

typedef struct phxi_space_table {
    /// Interaction radius of a body's particles, in spacings. They take part in phxi_step.near, which is found at the
    /// start of every substep.
    double (*reach)(const phxi_body* body);
    /// Radius of their neighbour lists, in spacings, at most `reach`. NULL: `reach`.
    double (*list_radius)(const phxi_body* body);
    /// True if particles of such bodies need not be listed with one another. Ignored for bodies that conduct heat.
    /// NULL: false.
    bool (*ignores_own_kind)(const phxi_body* body);
} phxi_space_table;
