// SPDX-License-Identifier: MIT
// See anisotropy.h.
#include "methods/shared/anisotropy.h"

#include "math/eigen3_wide.h"

const char* const phxi_anisotropy_words[] = {"isotropic", "diagonal", "principal", NULL};

/// 1 / (1 + eta clamp(strain / full, 0, 1))^2: G^2 h^2 along one axis.
PHXI_INLINE void shrink(const phxi_rw* strain, phx_real eta, phx_real inverse_full, phxi_rw* square) {
    const phxi_rw zero = {0}, one = zero + PHXI_R(1);
    phxi_rw s = *strain * inverse_full;
    s = PHXI_SELECT((phxi_mw)(s > zero), s, zero);
    s = PHXI_SELECT((phxi_mw)(s < one), s, one);
    const phxi_rw length = one + eta * s;
    *square = one / (length * length);
}

/// N = Q diag(g) Q^T with the columns of Q.
PHXI_INLINE void assemble(const phxi_rw q[9], const phxi_rw g[3], phxi_rw n[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k) {
        const phxi_rw *a = q + 3 * row[k], *b = q + 3 * column[k];
        n[k] = a[0] * g[0] * b[0] + a[1] * g[1] * b[1] + a[2] * g[2] * b[2];
    }
}

static PHXI_CLONES void anisotropy_lanes(bool principal, phx_real eta, phx_real inverse_full, const phx_real* strain,
                                         const phx_real* rotation, const phx_real* h, int stride, phx_real* shape) {
    phxi_rw e[6], r[9], q[9], axes[9], values[3], g[3], n[6], radius;
    for (int k = 0; k < 6; ++k) {
        memcpy(&e[k], strain + k * stride, sizeof e[k]);
    }
    for (int k = 0; k < 9; ++k) {
        memcpy(&r[k], rotation + 8 * k, sizeof r[k]);
    }
    memcpy(&radius, h, sizeof radius);
    if (principal) {
        phxi_eigen3_wide(e, values, q);
        for (int k = 0; k < 9; ++k) { // R Q
            const int row = 3 * (k / 3), column = k % 3;
            axes[k] = r[row] * q[column] + r[row + 1] * q[3 + column] + r[row + 2] * q[6 + column];
        }
    } else {
        memcpy(axes, r, sizeof axes);
        memcpy(values, e, sizeof values);
    }
    const phxi_rw inverse = PHXI_R(1) / (radius * radius);
    for (int k = 0; k < 3; ++k) {
        shrink(&values[k], eta, inverse_full, &g[k]);
        g[k] *= inverse;
    }
    assemble(axes, g, n);
    for (int k = 0; k < 6; ++k) {
        memcpy(shape + k * stride, &n[k], sizeof n[k]);
    }
}

void phxi_anisotropy_shapes(const phxi_anisotropy* kernel, const phx_real* strain, const phxi_turn8* turns,
                            const phx_real* h, int stride, int count, phx_real* shape) {
    const phx_real eta = kernel->kind == PHXI_ISOTROPIC ? 0 : (phx_real)kernel->eta;
    for (int i = 0; i < count; i += PHXI_LANES) {
        anisotropy_lanes(kernel->kind == PHXI_ANISOTROPIC_PRINCIPAL, eta, (phx_real)(1 / kernel->full), strain + i,
                         (const phx_real*)&turns[i / 8].r[0] + i % 8, h + i, stride, shape + i);
    }
}
