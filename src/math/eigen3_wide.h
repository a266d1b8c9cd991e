// SPDX-License-Identifier: MIT
// Eigenvalues and singular values of 3x3 matrices side by side in the lanes of wide.h: cyclic Jacobi.
//
// A lane whose off-diagonal entry is below rounding of the whole matrix (or 1e-18; 1e-150 in double) turns by exactly
// nothing (c = 1, s = 0), so sweeping on for the sake of slower lanes leaves its bits alone, and stopping when no lane
// turned is safe. Values come in no particular order; they are exact to rounding of the largest.
#pragma once

#include "math/wide.h"

/// Turns rows and columns p and q (r is the third) so that a_pq vanishes; `vectors` columns turn along.
PHXI_INLINE void phxi_jacobi_wide(phxi_rw* app, phxi_rw* aqq, phxi_rw* apq, phxi_rw* apr, phxi_rw* aqr,
                                  phxi_rw vectors[9], int p, int q, const phxi_rw* small) {
    const phxi_rw zero = {0};
    const phxi_mw turn = (phxi_mw)(*apq > *small) | (phxi_mw)(*apq < -*small);
    // t = tan of the smaller angle: t = 2 a_pq sign(d) / (|d| + sqrt(d^2 + 4 a_pq^2)), d = a_qq - a_pp
    const phxi_rw d = *aqq - *app, twice = *apq + *apq, length = d * d + twice * twice;
    phxi_rw root;
    phxi_wide_sqrt(&length, &root);
    const phxi_rw raw = twice / (d + PHXI_SELECT((phxi_mw)(d < zero), -root, root));
    const phxi_rw t = PHXI_SELECT(turn, raw, zero), norm = PHXI_R(1) + t * t;
    phxi_wide_sqrt(&norm, &root);
    const phxi_rw c = PHXI_R(1) / root, s = t * c, shift = t * *apq;
    *app -= shift;
    *aqq += shift;
    *apq = PHXI_SELECT(turn, zero, *apq);
    const phxi_rw pr = *apr, qr = *aqr;
    *apr = c * pr - s * qr;
    *aqr = s * pr + c * qr;
    for (int row = 0; row < 3; ++row) {
        const phxi_rw vp = vectors[3 * row + p], vq = vectors[3 * row + q];
        vectors[3 * row + p] = c * vp - s * vq;
        vectors[3 * row + q] = s * vp + c * vq;
    }
}

/// a (xx, yy, zz, xy, xz, yz) = Q diag(values) Q^T, eigenvectors in the columns of `vectors`.
PHXI_INLINE void phxi_eigen3_wide(const phxi_rw a[6], phxi_rw values[3], phxi_rw vectors[9]) {
    const phx_real epsilon = PHXI_R(sizeof(phx_real) == 4 ? 0x1p-24 : 0x1p-53);
    phxi_rw m[6];
    for (int k = 0; k < 6; ++k) {
        m[k] = a[k];
    }
    const phxi_rw zero = {0};
    for (int k = 0; k < 9; ++k) {
        vectors[k] = k % 4 == 0 ? zero + PHXI_R(1) : zero;
    }
    phxi_rw small = zero + PHXI_R(sizeof(phx_real) == 4 ? 1e-18 : 1e-150); // squares must not underflow
    for (int k = 0; k < 6; ++k) {
        small += epsilon * PHXI_SELECT((phxi_mw)(m[k] < zero), -m[k], m[k]);
    }
    for (int sweep = 0; sweep < 8; ++sweep) {
        phxi_mw open = {0};
        for (int k = 3; k < 6; ++k) {
            open |= (phxi_mw)(m[k] > small) | (phxi_mw)(m[k] < -small);
        }
        if (!phxi_wide_any(&open)) {
            break;
        }
        phxi_jacobi_wide(&m[0], &m[1], &m[3], &m[4], &m[5], vectors, 0, 1, &small);
        phxi_jacobi_wide(&m[0], &m[2], &m[4], &m[3], &m[5], vectors, 0, 2, &small);
        phxi_jacobi_wide(&m[1], &m[2], &m[5], &m[3], &m[4], vectors, 1, 2, &small);
    }
    for (int k = 0; k < 3; ++k) {
        values[k] = m[k];
    }
}

/// Exchanges eigenpairs p and q where |values[p]| < |values[q]| would stand in the wrong order; one column changes its
/// sign, so that the vectors stay a rotation.
PHXI_INLINE void phxi_order_wide(phxi_rw values[3], phxi_rw vectors[9], int p, int q) {
    const phxi_mw swap = (phxi_mw)(values[p] < values[q]);
    const phxi_rw first = values[p];
    values[p] = PHXI_SELECT(swap, values[q], first);
    values[q] = PHXI_SELECT(swap, first, values[q]);
    for (int row = 0; row < 3; ++row) {
        const phxi_rw vp = vectors[3 * row + p], vq = vectors[3 * row + q];
        vectors[3 * row + p] = PHXI_SELECT(swap, vq, vp);
        vectors[3 * row + q] = PHXI_SELECT(swap, -vp, vq);
    }
}

/// f = U diag(s) V^T with rotations U, V, s descending, the sign of det f on s[2]: as phxi_svd3, given eigenpairs of
/// f^T f (or of anything with the same vectors and order). U grows from the larger stretches, u_2 = u_0 x u_1, so a
/// small or negative s[2] is known to rounding of s[0]. Lanes where u_1 drowns in rounding (rank < 2) are `lost`.
PHXI_INLINE void phxi_svd3_wide(const phxi_rw f[9], phxi_rw values[3], phxi_rw v[9], phxi_rw u[9], phxi_rw s[3],
                                phxi_mw* lost) {
    phxi_order_wide(values, v, 0, 1);
    phxi_order_wide(values, v, 0, 2);
    phxi_order_wide(values, v, 1, 2);
    phxi_rw fv[9], square[2], length;
    for (int k = 0; k < 9; ++k) {
        const int row = k / 3, column = k % 3;
        fv[k] = f[3 * row] * v[column] + f[3 * row + 1] * v[3 + column] + f[3 * row + 2] * v[6 + column];
    }
    square[0] = fv[0] * fv[0] + fv[3] * fv[3] + fv[6] * fv[6];
    phxi_wide_sqrt(&square[0], &s[0]);
    u[0] = fv[0] / s[0], u[3] = fv[3] / s[0], u[6] = fv[6] / s[0];
    const phxi_rw along = u[0] * fv[1] + u[3] * fv[4] + u[6] * fv[7];
    for (int row = 0; row < 3; ++row) {
        u[3 * row + 1] = fv[3 * row + 1] - along * u[3 * row];
    }
    square[1] = u[1] * u[1] + u[4] * u[4] + u[7] * u[7];
    phxi_wide_sqrt(&square[1], &length);
    u[1] /= length, u[4] /= length, u[7] /= length;
    u[2] = u[3] * u[7] - u[6] * u[4];
    u[5] = u[6] * u[1] - u[0] * u[7];
    u[8] = u[0] * u[4] - u[3] * u[1];
    s[1] = length;
    s[2] = u[2] * fv[2] + u[5] * fv[5] + u[8] * fv[8];
    *lost = ~(phxi_mw)(square[1] > PHXI_R(sizeof(phx_real) == 4 ? 1e-4 : 1e-10) * square[0]);
}
