// SPDX-License-Identifier: MIT
// For methods whose bodies fluids flow along (boundary/boundary.h). Their particles have boundary fields.
#pragma once

#include "bodies/step.h"

typedef struct phxi_boundary_table {
    /// Describes a body where it is at the start of a substep.
    void (*view)(const void* state, const phxi_step* step, int body, phxi_boundary_view* view);
} phxi_boundary_table;
