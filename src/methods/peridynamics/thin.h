// SPDX-License-Identifier: MIT
// Sheets and rods of one layer of particles: membrane in the tangent space, bending by a quadratic energy of the second
// differences (docs/theory/peridynamics.md (11) to (15)).
//
// A body of which no bond leaves a plane or a line is thin; with a thickness or radius it may be curved at rest. What
// acts is computed in double from positions, without a frame: second differences of positions would not survive in
// float.
#pragma once

#include "methods/peridynamics/peri_internal.h"

/// A particle of a thin body as it is now.
typedef struct phxi_peri_patch {
    phxi_mat3 turned;         // s R on X, of a sheet
    phx_vec3 normal, turn[2]; // and where tangents point now
    double scale;             // s, of a sheet
    double stretch;           // e
    double strain;            // the same less what warmth makes of it
    double det;               // area or length over that at rest
    double bent;              // energy of bending, J
    phx_vec3 moment[3];       // a C q: of Q11, Q12, Q22; of a rod the first alone
} phxi_peri_patch;

/// What particles of a thin body are at rest.
typedef struct phxi_peri_weave {
    int rank;            // 2, 1; 0: alone
    phx_vec3 tangent[2]; // t1, t2
    double bending[6];   // a C: 11 12 13 22 23 33
    phx_vec3 rest[3];    // q at rest, 1/m; 0: flat
    bool curved;
    double plane;    // share of the moment that is in the tangent plane: 1 where flat
    phx_vec3 middle; // sum of b
    double diagonal; // of the bending matrix, N/m
} phxi_peri_weave;

struct phxi_peri_thin {
    phxi_peri_patch* patches; // by particle
    phxi_peri_weave* weaves;
    phx_vec3* where;               // of the particles as they are, for measuring
    double (*block)[6];            // diagonal of the membrane's matrix
    phx_vec3* bend;                // by bond: b of (Q11, Q12, Q22), 1/m^2
    phxi_r4 *near, *far;           // the same for products, of the bond and of its mirror
    phxi_r4 (*matrix)[3];          // of the membrane, both ends: its columns, N/m
    phxi_r4 (*curved)[3];          // by particle, of a product: a C q
    phx_real (*bending)[10];       // by particle: a C, and the sum of b
    struct phxi_peri_twist* twist; // of a rod (twist.h); NULL: a sheet
};

static inline phx_vec3 phxi_peri_rest_bond(const phxi_peri_slot* slot, int k) {
    return phxi_vec3(slot->rest[k][0], slot->rest[k][1], slot->rest[k][2]);
}

/// Section of a rod, thickness of a sheet.
typedef struct phxi_peri_section {
    double thickness, area, inertia; // m, m^2, m^4
} phxi_peri_section;
phxi_peri_section phxi_peri_section_of(const phxi_peri_params* params, double spacing);

// bending.c
/// Fills weaves and bend; `coefficients` etc. of the bonds are in place.
void phxi_peri_bending(const phxi_peri_slot* slot, const phxi_peri_section* section, const phx_material_def* material);
/// Moments and energy of particle i at positions x.
void phxi_peri_bend(const phxi_peri_slot* slot, const phx_vec3* x, int i);
/// q of a particle of a rod.
phx_vec3 phxi_peri_rod_curvature(const phxi_peri_slot* slot, const phx_vec3* x, int i);
/// Force of bending on it, after the moments of all.
phx_vec3 phxi_peri_bending_force(const phxi_peri_slot* slot, int i);
/// a C q of particles [begin, end) for q in slot->u.
void phxi_peri_bending_rows(const phxi_peri_slot* slot, int begin, int end);
