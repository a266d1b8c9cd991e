// SPDX-License-Identifier: MIT
// Plastic flow: what remains of a deformation when the load is gone (docs/theory/materials.md section 3).
//
// A particle carries its plastic strain eps_p, symmetric, in the axes of the reference: C_p = I + 2 eps_p is the metric
// of the shape it would have free of stress. With C_p = L L^T (Cholesky) the elastic part of F is
//     F_e = F L^-T,   E_e = (F_e^T F_e - I)/2 = L^-1 (eps - eps_p) L^-T,   eps = (F^T F - I)/2,
// which for small eps_p is the difference of Green strains eps - eps_p of published methods, and any isotropic law
// gives the stress P_e(F_e). Energy per reference volume and stress are
//     Psi = w Psi_e(F_e),   P = dPsi/dF = w P_e L^-1,   w = sqrt(det C_p).
// Yield is on n = dev E_e (or all of E_e: `volumetric`), Frobenius norm:
//     ||n|| > y = yield + hardening a:   E_e -> E_e - k n,   a += sqrt(2/3) ||W||/2
//     k = (1 - y/||n||)/(1 + sqrt(2/3) hardening)  (return mapping),  at most 1 - exp(-creep dt) if there is a rate.
// What leaves E_e goes to the plastic strain: C_p <- L (I + W) L^T, W = 2 k n T^-1, T = I + 2 (E_e - k n), scaled so
// that det C_p stays. n and T commute, T is positive definite for every k <= 1, so no step is too large.
// ||eps_p|| stays below `limit`.
//
// With `hencky` yield is on the logarithmic strain instead (docs/theory/materials.md (20), (21)): F_e = U exp(e) V^T, n
// = dev e, k as above or flow_rate (1 - y/||n||) held in [0, 1], times 1 - exp(-creep dt) if there is a rate;
//     e -> e - k n,   C_p <- L V exp(2 k n) V^T L^T,   a += sqrt(2/3) k ||n||.
// With F_p = L^T that is F_p <- V exp(k n) V^T F_p up to a turn, which no isotropic law sees. With the law hencky the
// von Mises norm of the stress is 3 G sqrt(2/3) ||n||: a yield stress P and a hardening modulus K are yield =
// P/(sqrt(6) G) and hardening = K/(sqrt(6) G), and k is the radial return. det C_p stays without being scaled.
//
// Why not eps - eps_p as it stands: a traceless eps_p has det C_p < 1, so flow that keeps the trace loses volume (4.5 %
// at
// ||eps_p|| = 0.2, 40 % at 0.5), and a bar cannot be pressed below ||eps_p|| = 0.61 at all, where C_p is singular. Here
// volume is kept, flow has no bound, and nothing depends on which shape is the reference: after a change of the
// reference by J (a reset), eps_p <- J^-T (eps_p - (J^T J - I)/2) J^-1 gives the same F_e, stress and energy.
#pragma once

#include "materials/elastic.h"
#include "math/simd.h"

typedef struct phxi_plastic {
    double yield;     // strain, dimensionless; 0: elastic
    double hardening; // growth of the yield strain by accumulated plastic strain
    double creep;     // 1/s; 0: as fast as it takes
    double limit;     // largest ||eps_p||
    bool volumetric;  // flow takes the change of volume too
    bool hencky;      // in the logarithmic strain
    double rate;      // of it, mu_f: share of what is above yield that flows in a step; 0: all of it
} phxi_plastic;

phxi_plastic phxi_plastic_from(const phx_material_def* def);
/// k of the return mapping for ||n|| = norm over dt; 0: it does not flow. And what flow of k n adds to `amount`.
double phxi_plastic_share(const phxi_plastic* plastic, double norm, double amount, double dt);
double phxi_plastic_amount(double flow);

/// The elastic part of F, the map M = L^-T with F_e = F M, and w. `elastic_part` may be `f`.
double phxi_plastic_split(const phxi_sym3* strain, const phxi_mat3* f, phxi_mat3* elastic_part, phxi_mat3* map);
/// Flow over dt at the deformation F. True if there was any.
bool phxi_plastic_flow(const phxi_plastic* plastic, const phxi_mat3* f, double dt, phxi_sym3* strain, double* amount);
/// The plastic strain of the same particle when the shape that J leads to becomes the reference. False: J is singular.
bool phxi_plastic_move(const phxi_mat3* j, phxi_sym3* strain);

/// Many particles in state precision: number k of particle i at [k * stride + i], alignment and strides as in
/// elastic_batch.h.
typedef struct phxi_plastic_planes {
    phx_real* g;      // 9: F - I in, F_e - I out
    phx_real* strain; // 6: eps_p, xx yy zz xy xz yz, in and out
    phx_real* amount; // 1: accumulated plastic strain, in and out
    phx_real* map;    // 6 out: M - I, upper triangle xx yy zz xy xz yz
    phx_real* weight; // 1 out: w
} phxi_plastic_planes;

/// Flow over dt (0: none) and the split. A particle's bits are the same at every place and count.
void phxi_plastic_batch(const phxi_plastic* plastic, double dt, int count, int stride, const phxi_plastic_planes* p);
