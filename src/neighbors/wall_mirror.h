// SPDX-License-Identifier: MIT
// How a wall made of particles is seen by what flows along it, or conducts heat into it: as if the value went on
// linearly through the surface (Morris, Fox and Zhu 1997; docs/theory/fluids.md (11)).
//
// A wall particle d_w below the surface, whose surface value is u, shows particle i at d_i above it the value
//   u - b (value_i - u),    b = min(1.5, d_w / d_i)
// Walls are particles with a depth and a unit normal into the fluid, in the fields named here; whoever has a zero
// normal (all other particles, too) is not mirrored.
#pragma once

#define PHXI_WALL_NORMAL_X "wall.normal_x"
#define PHXI_WALL_NORMAL_Y "wall.normal_y"
#define PHXI_WALL_NORMAL_Z "wall.normal_z"
#define PHXI_WALL_DEPTH    "wall.depth"

/// b, for a wall particle `depth` = d_w below the surface and a particle `height` above it along the normal
/// (d_i = height - depth).
static inline double phxi_wall_mirror(double depth, double height) {
    return depth < 1.5 * (height - depth) ? depth / (height - depth) : 1.5;
}
