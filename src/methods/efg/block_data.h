// SPDX-License-Identifier: MIT
// A block on its way from displacements to stress rows, for the files that put a law of their own between the two pair
// loops of forces.c.
#pragma once

#include "methods/efg/efg_internal.h"

/// Component k = 3 row + column of lane i at [k][i].
typedef phx_real lanes9[9][EFG_BLOCK];

typedef struct block_data {
    _Alignas(64) phxi_r8 pass1[EFG_BLOCK / 2][3]; // two rows side by side
    _Alignas(64) lanes9 h;                        // H
    _Alignas(64) lanes9 g;                        // F - I
    _Alignas(64) lanes9 p;                        // P
    _Alignas(64) phx_real s[3][EFG_BLOCK];
} block_data;

/// Displacements to H and F - I: pass 1. False if one is wild.
bool phxi_efg_find_gradients(const phxi_efg* efg, const phxi_efg_block* block, int groups, block_data* d);
/// Stresses P, H and s to the rows that pass 2 gathers.
void phxi_efg_fill_stress(phxi_efg* efg, const phxi_efg_block* block, int groups, block_data* d);
/// P += k_v (det F - 1) cof F.
void phxi_efg_volume_term(block_data* d, int groups, double k_v);
/// The smallest and largest principal stretch of whole groups, from F - I; at most and at least 1.
void phxi_efg_stretch_range(const block_data* d, int groups, double* least, double* most);
/// Rotations of the F of `count` lanes (tangent.c); how far from rest they are.
void phxi_efg_rotate_lanes(const block_data* d, int count, phxi_efg_turn* turns, phxi_strain* strain);
/// P of the frozen tangent from H.
void phxi_efg_frozen_law(block_data* d, int groups, const phxi_efg_turn* turns, double mu, double lambda);
/// Rotations of F into the turns of the body, its strains into the sums of the block (tangent.c).
void phxi_efg_freeze(phxi_efg* efg, const phxi_efg_block* block, int groups, const block_data* d);
