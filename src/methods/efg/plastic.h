// SPDX-License-Identifier: MIT
// Bodies that flow, docs/theory/efg.md (12): the plastic law of materials/plastic.h between the two pair loops, and the
// change of the reference under them.
//
// 26 fields of the particles belong to it, added with the first body that can flow: reference positions, plastic strain
// eps_p, accumulated plastic strain a, H - I, by how much radii are widened, and the metric of neighbourhoods. Elastic
// bodies neither have nor read them.
//
//   J     gradient of the current positions by the reference positions (what the pair loops give)
//   H     gradient of the reference positions by those at creation; F = J H
//   carry    eps_p is in the frame of creation:  F_e = J H L^-T,  C_p = I + 2 eps_p = L L^T
//   absorb   eps_p is in the frame of the reference:  F_e = J L^-T
// Both give the same forces: with B = H L^-T or L^-T,  F_e = J B,  P_J = w P_e B^T.
//
// A reset makes the current shape the reference: neighbourhoods are those of the current shape, J = I, and
//   carry: H <- J H     absorb: eps_p <- J^-T (eps_p - (J^T J - I)/2) J^-1, V <- |J| V (H only tells the total F)
// Where a body is stretched its particles have moved apart along it and together across. Neighbourhoods are balls in
// the shape at creation and ellipsoids now: distances are measured with G = (H H^T)^-1, stretches held between 1/4 and
// 4, so that neighbours are those that a lattice stretched like this would have. Bodies whose bonds can break have
// round ones, whose radii grow with the largest stretch s of H beyond 1.2, as s/1.2: what is broken is told from sizes
// of moments.
//
// F_e, stress, elastic energy, mass and velocities are the same before and after; only the energy of hourglass modes is
// left behind.
#pragma once

#include "methods/efg/efg_internal.h"

/// The fields in their order: 3 numbers, 6 (xx yy zz xy xz yz), 1, 9 (by rows), 1, 6.
enum {
    EFG_REFERENCE = 0,
    EFG_STRAIN = 3,
    EFG_AMOUNT = 9,
    EFG_CARRIED = 10,
    EFG_WIDENED = 19,
    EFG_METRIC = 20,
    EFG_PLASTIC_FIELDS = 26
};

/// Their definitions, for a variant.
#define EFG_PLASTIC_FIELD_DEFS(prefix)                                                                                 \
    {prefix ".ref_x", "m", "reference position of a body that can flow", PHXI_FIELD_REAL, true},                       \
        {prefix ".ref_y", "m", "reference position of a body that can flow", PHXI_FIELD_REAL, true},                   \
        {prefix ".ref_z", "m", "reference position of a body that can flow", PHXI_FIELD_REAL, true},                   \
        {prefix ".p_xx", "", "plastic strain", PHXI_FIELD_REAL, true},                                                 \
        {prefix ".p_yy", "", "plastic strain", PHXI_FIELD_REAL, true},                                                 \
        {prefix ".p_zz", "", "plastic strain", PHXI_FIELD_REAL, true},                                                 \
        {prefix ".p_xy", "", "plastic strain", PHXI_FIELD_REAL, true},                                                 \
        {prefix ".p_xz", "", "plastic strain", PHXI_FIELD_REAL, true},                                                 \
        {prefix ".p_yz", "", "plastic strain", PHXI_FIELD_REAL, true},                                                 \
        {prefix ".plastic", "", "accumulated plastic strain", PHXI_FIELD_REAL, true},                                  \
        {prefix ".h_xx", "", "gradient of the reference positions by those at creation, less one", PHXI_FIELD_REAL,    \
         true},                                                                                                        \
        {prefix ".h_xy", "", "gradient of the reference positions by those at creation, less one", PHXI_FIELD_REAL,    \
         true},                                                                                                        \
        {prefix ".h_xz", "", "gradient of the reference positions by those at creation, less one", PHXI_FIELD_REAL,    \
         true},                                                                                                        \
        {prefix ".h_yx", "", "gradient of the reference positions by those at creation, less one", PHXI_FIELD_REAL,    \
         true},                                                                                                        \
        {prefix ".h_yy", "", "gradient of the reference positions by those at creation, less one", PHXI_FIELD_REAL,    \
         true},                                                                                                        \
        {prefix ".h_yz", "", "gradient of the reference positions by those at creation, less one", PHXI_FIELD_REAL,    \
         true},                                                                                                        \
        {prefix ".h_zx", "", "gradient of the reference positions by those at creation, less one", PHXI_FIELD_REAL,    \
         true},                                                                                                        \
        {prefix ".h_zy", "", "gradient of the reference positions by those at creation, less one", PHXI_FIELD_REAL,    \
         true},                                                                                                        \
        {prefix ".h_zz", "", "gradient of the reference positions by those at creation, less one", PHXI_FIELD_REAL,    \
         true},                                                                                                        \
        {prefix ".widened", "", "radius of the neighbourhood over the usual one, less one", PHXI_FIELD_REAL, true},    \
        {prefix ".g_xx", "", "metric of neighbourhoods, less one", PHXI_FIELD_REAL, true},                             \
        {prefix ".g_yy", "", "metric of neighbourhoods, less one", PHXI_FIELD_REAL, true},                             \
        {prefix ".g_zz", "", "metric of neighbourhoods, less one", PHXI_FIELD_REAL, true},                             \
        {prefix ".g_xy", "", "metric of neighbourhoods, less one", PHXI_FIELD_REAL, true},                             \
        {prefix ".g_xz", "", "metric of neighbourhoods, less one", PHXI_FIELD_REAL, true}, {                           \
        prefix ".g_yz", "", "metric of neighbourhoods, less one", PHXI_FIELD_REAL, true                                \
    }

/// Field k of all particles; a body that can flow has been added.
static inline phx_real* phxi_efg_plastic_field(const phxi_efg* efg, int k) {
    return efg->particles->fields[efg->plastic_fields + k].data;
}

/// What a block of plastic particles needs between the law and the forces.
typedef struct phxi_efg_flow {
    _Alignas(64) phx_real b[9][EFG_BLOCK]; // B - I
    _Alignas(64) phx_real weight[EFG_BLOCK];
    double stiffer; // largest ||B B^T - I||: how much stiffer the body may be in terms of J than of F_e
} phxi_efg_flow;

/// J - I of a block to F_e - I, in place, after plastic flow for dt (0: none). Returns how far the reference is from
/// the shape: above 0.2 it is time for a reset.
double phxi_efg_plastic_begin(const phxi_efg* efg, const phxi_efg_block* block, double dt, phx_real g[9][EFG_BLOCK],
                              phxi_efg_flow* flow);
/// P_e to P_J, in place.
void phxi_efg_plastic_end(const phxi_efg_flow* flow, int rows, phx_real p[9][EFG_BLOCK]);

/// J of a thin row completed so that J B is free of stress across; the stress P_J of such a row.
phxi_mat3 phxi_efg_plastic_thin_gradient(const phxi_efg* efg, const phxi_efg_slot* slot, const phxi_efg_flat* flat,
                                         const phxi_efg_law* law, const phxi_mat3* j);
phxi_mat3 phxi_efg_plastic_thin_stress(const phxi_efg* efg, const phxi_efg_slot* slot, const phxi_efg_flat* flat,
                                       const phxi_efg_law* law, const phxi_mat3* j);

/// The state of the particle of a row of a plastic body, in double; `flat` is NULL for the usual rows.
typedef struct phxi_efg_state {
    phxi_mat3 elastic, total; // F_e and F, completed in thin rows
    phxi_mat3 stress;         // P_e
    double energy;            // w Psi(F_e), J per volume of the particle
    double amount, strain;    // a, ||eps_p||
} phxi_efg_state;
phxi_efg_state phxi_efg_plastic_state(const phxi_efg* efg, const phxi_efg_slot* slot, int row,
                                      const phxi_efg_flat* flat, const phxi_efg_law* law, const phxi_mat3* j);

/// Before a body is built: adds the fields if it can flow, and says which field its reference positions start at.
phx_result phxi_efg_plastic_prepare(phxi_efg* efg, phxi_step* step, const phxi_body* body, int* reference);
/// It could not be built: drops fields from `count` on.
void phxi_efg_plastic_undo(phxi_efg* efg, phxi_step* step, int count);
/// It was built.
void phxi_efg_plastic_added(phxi_efg* efg, phxi_step* step, int slot);
/// After a substep: resets bodies that have gone far from their reference.
phx_result phxi_efg_plastic_adapt(phxi_efg* efg, phxi_step* step);
/// Makes the current shape of a body its reference. State unchanged on failure.
phx_result phxi_efg_reset(phxi_efg* efg, phxi_step* step, int slot);
