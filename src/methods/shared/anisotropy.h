// SPDX-License-Identifier: MIT
// Kernels that stretch with the body: which neighbours a particle still reaches when they are pulled apart. For
// every method with neighbourhoods (docs/theory/corotated_sph.md section 2).
//
// A particle reaches another at y (the current separation, turned back to the rest axes) if |G y| < 1. At rest G = 1/h.
// In a stretched body the kernel grows along with it, up to (1 + eta) h where the strain is `full`:
//
//   diagonal    G = diag(1 / ((1 + eta s_k) h)), s_k = clamp(eps_kk / full, 0, 1): as published; depends on the axes
//   principal   the same along the principal directions of the strain: does not
//
// Stored is the symmetric matrix N = R G^2 R^T, so that x^T N x < 1 is the test for the separation x in space.
#pragma once

#include "math/rotation_wide.h"

typedef enum phxi_anisotropy_kind {
    PHXI_ISOTROPIC,
    PHXI_ANISOTROPIC_DIAGONAL,
    PHXI_ANISOTROPIC_PRINCIPAL
} phxi_anisotropy_kind;
extern const char* const phxi_anisotropy_words[];

typedef struct phxi_anisotropy {
    int kind;         // phxi_anisotropy_kind
    double eta, full; // largest growth of the kernel, and the strain at which it is reached
} phxi_anisotropy;

/// N (xx yy zz xy xz yz, in the axes R is given in) of `count` lanes from their strains. Component k of lane i of
/// `strain` (the same order, in rest axes) is strain[k * stride + i], that of `shape` likewise; h[i] the radius at
/// rest. Whole groups of eight are read and written.
void phxi_anisotropy_shapes(const phxi_anisotropy* kernel, const phx_real* strain, const phxi_turn8* turns,
                            const phx_real* h, int stride, int count, phx_real* shape);
