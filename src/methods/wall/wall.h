// SPDX-License-Identifier: MIT
// Walls: bodies of particles that move by drivers alone, and that fluids flow along (docs/theory/fluids.md section 3).
//
// A wall particle knows the unit normal of the surface above it and its depth below, from the shape or mesh the body
// was made of (boundary fields of particles.h). Normals turn with the body. Its volume is what fluids take for their
// sums: its own, or, by Akinci et al. (2012), gamma / sum_k W_bk over the walls around it.
#pragma once

#include "methods/method.h"

typedef enum phxi_wall_masses { PHXI_WALL_MASS_VOLUME, PHXI_WALL_MASS_AKINCI } phxi_wall_masses;

typedef struct phxi_wall_params {
    int kernel; // phxi_sph_kernel
    double layers;
    int masses; // phxi_wall_masses
    double gamma;
    bool slip;
    const char* surface; // a shape, or NULL
} phxi_wall_params;
