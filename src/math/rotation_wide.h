// SPDX-License-Identifier: MIT
// The rotations nearest to many 3x3 matrices, eight at a time.
#pragma once

#include "math/simd.h"

/// Rotations of eight lanes, by rows.
typedef struct phxi_turn8 {
    phxi_r8 r[9];
} phxi_turn8;

/// Rotations nearest to I + G. Component k = 3 row + column of lane i is g[k * stride + i]; there is room for whole
/// groups of eight, whose last lanes may hold anything. Writes det(I + G) and |I + G - R|^2 of each lane.
void phxi_rotations(const phx_real* g, int stride, int count, phxi_turn8* turns, phx_real* det, phx_real* distance);
