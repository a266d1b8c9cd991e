// SPDX-License-Identifier: MIT
// Stiffness of the elastic laws: dP/dF at a state F, made positive semi-definite, in a form that is fast to apply
// (docs/theory/materials.md (10) to (13)).
//
// An isotropic law turns with its axes: with F = U diag(s) V^T, dF' = U^T dF V and dP = U dP' V^T the nine numbers of
// dF' fall apart into a 3x3 block on the diagonal and three pairs off it (Stomakhin et al. 2012, Smith et al. 2019):
//   dP'_aa = sum_b A_ab dF'_bb,                            A_ab  = d2 Psi / ds_a ds_b
//   dP'_ab + dP'_ba = flip_c  (dF'_ab + dF'_ba),           flip_c  = (psi_a - psi_b)/(s_a - s_b)
//   dP'_ab - dP'_ba = twist_c (dF'_ab - dF'_ba),           twist_c = (psi_a + psi_b)/(s_a + s_b)
// with c the third axis. The nine eigenvalues of dP/dF are those of A, the flips and the twists: clamping each at zero
// is the projection to the nearest positive semi-definite stiffness. The law is the one of elastic_batch.h, with its
// continuations, so there is a stiffness for every state.
#pragma once

#include "materials/elastic.h"
#include "math/rotation_wide.h"

/// At one state, in double.
typedef struct phxi_tangent {
    phxi_mat3 u, v;
    phxi_sym3 block;          // A
    double flip[3], twist[3]; // of the planes (1,2), (2,0), (0,1)
} phxi_tangent;

/// The projected stiffness of Psi(F) + bulk/2 (det F - 1)^2, Pa. Where F is not a number: that of rest.
void phxi_tangent_at(const phxi_elastic* elastic, double bulk, const phxi_mat3* f, phxi_tangent* tangent);
/// The same without the projection: the true derivative of the stress.
void phxi_tangent_exact(const phxi_elastic* elastic, double bulk, const phxi_mat3* f, phxi_tangent* tangent);
phxi_mat3 phxi_tangent_apply(const phxi_tangent* tangent, const phxi_mat3* df);

/// In state precision, for many particles: number k of particle i at t[k * stride + i]; U and V by rows, the block
/// xx yy zz xy xz yz, flips, twists. Alignment and strides as in elastic_batch.h.
#define PHXI_TANGENT_NUMBERS 30
/// From G = F - I; projected, or exact.
void phxi_tangent_batch(const phxi_elastic* elastic, double bulk, bool exact, int count, int stride, const phx_real* g,
                        phx_real* t);
/// The stiffness of every law at rest, turned along: P = R (mu (A + A^T) + lambda tr(A) I), A = R^T H, planes as above,
/// whole groups of eight lanes.
void phxi_tangent_frozen(double mu, double lambda, const phxi_turn8* turns, int count, int stride, const phx_real* h,
                         phx_real* p);
/// dP of dF (nine planes each, may be the same). A particle's bits are the same at every place and count.
void phxi_tangent_apply_batch(int count, int stride, const phx_real* t, const phx_real* df, phx_real* dp);
