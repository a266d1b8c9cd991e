// SPDX-License-Identifier: MIT
// Weights of bonds, README.md (1), and the constants that give a material its moduli, README.md (3).
#include "methods/peridynamics/peri_internal.h"

#include "math/decompose3.h"

/// sum w n n^T.
static phxi_sym3 moment_of(const phx_vec3* bonds, int count, const double* w) {
    phxi_sym3 g = {0};
    for (int k = 0; k < count; ++k) {
        phx_vec3 n = phxi_scale(1 / phxi_length(bonds[k]), bonds[k]);
        g.xx += w[k] * n.x * n.x, g.yy += w[k] * n.y * n.y, g.zz += w[k] * n.z * n.z;
        g.xy += w[k] * n.x * n.y, g.xz += w[k] * n.x * n.z, g.yz += w[k] * n.y * n.z;
    }
    return g;
}

int phxi_peri_weigh(const phx_vec3* bonds, int count, double cut, double* w, phxi_sym3* moment) {
    double sum = 0;
    for (int k = 0; k < count; ++k) {
        w[k] = 1 / sqrt(phxi_length(bonds[k]));
        sum += w[k];
    }
    for (int k = 0; k < count; ++k) {
        w[k] /= sum;
    }
    *moment = moment_of(bonds, count, w);
    int rank = 0;
    for (int sweep = 0; sweep < PERI_SWEEPS && count > 0; ++sweep) {
        phxi_sym3 packed;
        rank = phxi_pseudo_inverse_sym3(moment, cut, &packed, NULL);
        phxi_mat3 inverse = phxi_sym3_full(&packed);
        sum = 0;
        for (int k = 0; k < count; ++k) {
            phx_vec3 n = phxi_scale(1 / phxi_length(bonds[k]), bonds[k]);
            w[k] *= phxi_dot(n, phxi_mat3_apply(&inverse, n)) / rank;
            sum += w[k];
        }
        for (int k = 0; k < count; ++k) {
            w[k] /= sum; // one but for rounding
        }
        *moment = moment_of(bonds, count, w);
    }
    return rank;
}

phxi_peri_moduli phxi_peri_moduli_of(const phx_material_def* material, int model, int rank) {
    double e = material->young, nu = material->poisson;
    if (model == PERI_BOND) { // mu' + lambda'/2 = 3 E as the tutorial's lambda' = mu'; nu is 1/4 whatever they are
        return (phxi_peri_moduli){.dev = 4 * e, .iso = 2 * e};
    }
    double mu = e / (2 * (1 + nu));
    double bulk = rank == 3 ? e / (3 * (1 - 2 * nu)) : rank == 2 ? e / (2 * (1 - nu)) : e;
    return (phxi_peri_moduli){.dev = 2 * rank * mu, .iso = rank * rank * bulk};
}
