// SPDX-License-Identifier: MIT
// Fields of a method that can be shown, computed on demand: "von_mises", "det_f", ...
#pragma once

#include "bodies/step.h"

typedef struct phxi_derived_field {
    const char* name;
    const char* unit;
    const char* help;
    int components;
} phxi_derived_field;

typedef struct phxi_display_table {
    const phxi_derived_field* fields;
    int count;
    /// Values of fields[field] for one body, `components` per particle.
    void (*derive)(void* state, phxi_step* step, int body, int field, phx_real* values);
    /// Name of the field that is the particles' volume over that at rest, for heat conduction. NULL: always 1.
    const char* volume_ratio;
} phxi_display_table;
