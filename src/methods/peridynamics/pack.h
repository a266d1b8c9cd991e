// SPDX-License-Identifier: MIT
// Bonds of a solid body as its loops read them: as many particles at a time as there are lanes (math/lanes.h), each
// with its next bond.
//
// PERI_GROUP particles that follow each other are a group. Its bonds stand in columns, one of each of the sixteen side
// by side; where a particle has none there is one that weighs nothing:
//
//   here     w_ij / r^2         | next column         what pass 1 multiplies with
//   there    V_j c_j w_ji / r^2 |                     what pass 2 multiplies with, c = c_dev
//   link     stiffness          |                     what the scalar matrix multiplies with
//
// X is the difference of rest positions, r its length: the same bits as in rows of bonds (`rest`), for 8 bytes a bond
// and pass where those take 44 and 56. Who the neighbours are is kept in one of two ways:
//
//   straight   particles of lattices stand line by line. Neighbours of sixteen that follow each other follow each other
//              too, so a column has one number, the neighbour of the first, and all that loops read stands in planes,
//              one quantity of all particles after the other: loads of whole vectors, no shuffles
//   gathered   particles anywhere, along a curve; a column has sixteen indices, what loops read stands in rows of four
//
// A lane never sees another one, so all widths give the same bits.
#pragma once

#include "methods/peridynamics/peri_internal.h"

enum { PERI_GROUP = 16, PERI_GROUPS = PERI_BLOCK / PERI_GROUP };

/// Planes: displacement, rest position, matrix and number of the rows of pass 2 (peri_internal.h), own part of forces.
enum { PLANE_U, PLANE_X = 3, PLANE_M = 6, PLANE_T = 15, PLANE_OWN = 16, PLANE_COUNT = 19 };

struct phxi_peri_pack {
    bool straight;
    int* column; // by group, and one more: its first column
    int* base;   // by column, straight: neighbour of the first particle of the group, perhaps before the first of all
    int* item;   // by column and lane, gathered
    phx_real *here, *there, *link;
    phxi_r4* rest; // by particle: rest position
    phx_real* memory;
    phx_real* plane[PLANE_COUNT]; // by particle, with room for a group before and behind
};

/// Displacement, or what stands in its place in a product.
PHXI_INLINE void phxi_peri_put_u(const phxi_peri_slot* slot, int i, const phxi_r4* u) {
    slot->u[i] = *u;
    if (slot->pack) {
        for (int c = 0; c < 3; ++c) {
            slot->pack->plane[PLANE_U + c][i] = (*u)[c];
        }
    }
}

// loops.c; of the particles of a block, by PHXI_LANES_CALL
/// S = sum w u_ij X^T / r^2 and sum w u_ij / r^2.
void phxi_peri_sums(const phxi_peri_slot* slot, int block, phxi_peri_block* b);
void phxi_peri_sums_avx512(const phxi_peri_slot* slot, int block, phxi_peri_block* b);
/// The same with the mean stretch and sum w (r / |Y|) Y / r^2.
void phxi_peri_state_sums(const phxi_peri_slot* slot, int block, phxi_peri_block* b);
void phxi_peri_state_sums_avx512(const phxi_peri_slot* slot, int block, phxi_peri_block* b);
/// sum_j V_j c_j w_ji / r^2 [u_ij + (3x3 of row j) X], to which rows of model `state` add t_j (r / |Y|) Y.
void phxi_peri_tangent_pulls(const phxi_peri_slot* slot, int block, phx_real out[3][PERI_BLOCK]);
void phxi_peri_tangent_pulls_avx512(const phxi_peri_slot* slot, int block, phx_real out[3][PERI_BLOCK]);
void phxi_peri_state_pulls(const phxi_peri_slot* slot, int block, phx_real out[3][PERI_BLOCK]);
void phxi_peri_state_pulls_avx512(const phxi_peri_slot* slot, int block, phx_real out[3][PERI_BLOCK]);
/// Forces of model `bond`, whose rows have F - I and c_iso / c_dev.
void phxi_peri_bond_pulls(const phxi_peri_slot* slot, int block, phx_real out[3][PERI_BLOCK]);
void phxi_peri_bond_pulls_avx512(const phxi_peri_slot* slot, int block, phx_real out[3][PERI_BLOCK]);
/// sum_j link u_j, of straight columns.
void phxi_peri_link_pulls(const phxi_peri_slot* slot, int block, phx_real out[3][PERI_BLOCK]);
void phxi_peri_link_pulls_avx512(const phxi_peri_slot* slot, int block, phx_real out[3][PERI_BLOCK]);

// between.c: from the sums of pass 1 to rows and own parts of pass 2; after the rotations
/// Of model `state`; false if something is not finite. Of model `bond`.
bool phxi_peri_state_rows(const phxi_peri_slot* slot, int block, phxi_peri_block* b);
bool phxi_peri_bond_rows(const phxi_peri_slot* slot, int block, const phxi_peri_block* b);
/// Of the tangent, for sums of q in place of u.
void phxi_peri_tangent_rows(const phxi_peri_slot* slot, int block, const phxi_peri_block* b);
