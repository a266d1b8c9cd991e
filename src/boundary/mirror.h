// SPDX-License-Identifier: MIT
// How a wall made of particles is seen by what flows along it, or conducts heat into it: as if the value went on
// linearly through the surface (Morris, Fox and Zhu 1997; docs/theory/fluids.md (11)).
//
// A wall particle d_w below the surface, whose surface value is u, shows particle i at d_i above it the value
//   u - b (value_i - u),    b = min(1.5, d_w / d_i)
// Walls are particles with a depth and a unit normal into the fluid (boundary fields of particles.h); those with a zero
// normal are not mirrored.
#pragma once

/// b, for a wall particle `depth` = d_w below the surface and a particle `height` above it along the normal
/// (d_i = height - depth).
static inline double phxi_wall_mirror(double depth, double height) {
    return depth < 1.5 * (height - depth) ? depth / (height - depth) : 1.5;
}
