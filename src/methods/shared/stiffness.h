// SPDX-License-Identifier: MIT
// What the integrator `auto` means for a body: explicit substeps, which show every vibration and every blow, unless
// implicit steps are far cheaper and nothing is lost by them.
#pragma once

#include "methods/method.h"

typedef struct phxi_stiffness {
    double length;    // s, of an implicit step
    bool asked;       // somebody has set that length
    double stable_dt; // s, of the body at rest
    double cost;      // of an implicit step, in explicit substeps of the same body
} phxi_stiffness;

/// Explicit substeps that one implicit step replaces.
double phxi_stiffness_substeps(const phxi_stiffness* s);
/// Why such a body takes implicit steps; `automatic`: by that.
void phxi_stiffness_reason(const phxi_stiffness* s, int integrator, bool automatic, const char* body, char reason[160]);
/// Whether implicit steps pay.
bool phxi_stiffness_pays(const phxi_stiffness* s, const phxi_step* step, int body);
