// SPDX-License-Identifier: MIT
// What the strength of a driver is multiplied by: a formula of the time t and of where a particle started, x, y, z; or
// a table of times and values, straight in between, constant before its first line and after its last.
#pragma once

#include "core/expression.h"
#include "math/vec3.h"

typedef struct phxi_profile {
    phxi_expression* expression; // or
    double *times, *values;      // a table
    int count;
    bool local;    // it differs from place to place
    uint64_t plan; // hash; 0: there is none, the strength stays as it is
} phxi_profile;

/// A formula, or the path of a file that ends in .csv; NULL and "": none.
phx_result phxi_profile_init(phxi_profile* profile, phxi_heap* heap, const char* text);
/// Fine on a zeroed one.
void phxi_profile_destroy(phxi_profile* profile, phxi_heap* heap);
/// With its derivatives by time.
phxi_jet phxi_profile_at(const phxi_profile* profile, double time, phx_vec3 place);
/// The next time after this one at which a table bends; INFINITY: none.
double phxi_profile_bend_after(const phxi_profile* profile, double time);
