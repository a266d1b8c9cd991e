// SPDX-License-Identifier: MIT
// Eigenvalues of eight symmetric 3x3 matrices side by side: cyclic Jacobi.
//
// A lane whose off-diagonal entry is below rounding of the whole matrix (or 1e-18; 1e-150 in double) turns by exactly
// nothing (c = 1, s = 0), so sweeping on for the sake of slower lanes leaves its bits alone, and stopping when no lane
// turned is safe. Values come in no particular order; they are exact to rounding of the largest.
#pragma once

#include "math/wide.h"

/// Turns rows and columns p and q (r is the third) so that a_pq vanishes; `vectors` columns turn along.
PHXI_INLINE void phxi_jacobi_wide(phxi_r8* app, phxi_r8* aqq, phxi_r8* apq, phxi_r8* apr, phxi_r8* aqr,
                                  phxi_r8 vectors[9], int p, int q, const phxi_r8* small, phxi_m8* turned) {
    const phxi_r8 zero = {0};
    const phxi_m8 turn = (phxi_m8)(*apq > *small) | (phxi_m8)(*apq < -*small);
    *turned |= turn;
    // t = tan of the smaller angle: t = 2 a_pq sign(d) / (|d| + sqrt(d^2 + 4 a_pq^2)), d = a_qq - a_pp
    const phxi_r8 d = *aqq - *app, twice = *apq + *apq, length = d * d + twice * twice;
    phxi_r8 root;
    phxi_wide_sqrt(&length, &root);
    const phxi_r8 raw = twice / (d + PHXI_SELECT((phxi_m8)(d < zero), -root, root));
    const phxi_r8 t = PHXI_SELECT(turn, raw, zero), norm = PHXI_R(1) + t * t;
    phxi_wide_sqrt(&norm, &root);
    const phxi_r8 c = PHXI_R(1) / root, s = t * c, shift = t * *apq;
    *app -= shift;
    *aqq += shift;
    *apq = PHXI_SELECT(turn, zero, *apq);
    const phxi_r8 pr = *apr, qr = *aqr;
    *apr = c * pr - s * qr;
    *aqr = s * pr + c * qr;
    for (int row = 0; row < 3; ++row) {
        const phxi_r8 vp = vectors[3 * row + p], vq = vectors[3 * row + q];
        vectors[3 * row + p] = c * vp - s * vq;
        vectors[3 * row + q] = s * vp + c * vq;
    }
}

/// a (xx, yy, zz, xy, xz, yz) = Q diag(values) Q^T, eigenvectors in the columns of `vectors`.
PHXI_INLINE void phxi_eigen3_wide(const phxi_r8 a[6], phxi_r8 values[3], phxi_r8 vectors[9]) {
    const phx_real epsilon = PHXI_R(sizeof(phx_real) == 4 ? 0x1p-24 : 0x1p-53);
    phxi_r8 m[6];
    for (int k = 0; k < 6; ++k) {
        m[k] = a[k];
    }
    const phxi_r8 zero = {0};
    for (int k = 0; k < 9; ++k) {
        vectors[k] = k % 4 == 0 ? zero + PHXI_R(1) : zero;
    }
    phxi_r8 small = zero + PHXI_R(sizeof(phx_real) == 4 ? 1e-18 : 1e-150); // squares must not underflow
    for (int k = 0; k < 6; ++k) {
        small += epsilon * PHXI_SELECT((phxi_m8)(m[k] < zero), -m[k], m[k]);
    }
    for (int sweep = 0; sweep < 8; ++sweep) {
        phxi_m8 turned = {0};
        phxi_jacobi_wide(&m[0], &m[1], &m[3], &m[4], &m[5], vectors, 0, 1, &small, &turned);
        phxi_jacobi_wide(&m[0], &m[2], &m[4], &m[3], &m[5], vectors, 0, 2, &small, &turned);
        phxi_jacobi_wide(&m[1], &m[2], &m[5], &m[3], &m[4], vectors, 1, 2, &small, &turned);
        if (!phxi_wide_any(&turned)) {
            break;
        }
    }
    for (int k = 0; k < 3; ++k) {
        values[k] = m[k];
    }
}
