// SPDX-License-Identifier: MIT
// What a method offers whose particles look for others in space, whatever body these belong to (phxi_step.near).
#pragma once

#include "bodies/body.h"

typedef struct phxi_space_table {
    /// How far particles of a body see others, in spacings: they take part in phxi_step.near at the start of every
    /// substep.
    double (*reach)(const phxi_body* body);
    /// How far they ask others to be listed, in spacings: at most `reach`. NULL: as far.
    double (*list_radius)(const phxi_body* body);
    /// True if particles of such bodies need not be listed with one another. Ignored for bodies that conduct heat.
    /// NULL: false.
    bool (*ignores_own_kind)(const phxi_body* body);
} phxi_space_table;
