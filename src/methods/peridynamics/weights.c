// SPDX-License-Identifier: MIT
// Weights of bonds, docs/theory/peridynamics.md (1), and the constants that give a material its moduli, (3).
#include "methods/peridynamics/peri_internal.h"

#include "math/decompose3.h"

/// Adds by X X^T: w n n^T where `by` is w / r^2.
PHXI_INLINE void add_moment(phxi_sym3* g, phx_vec3 x, double by) {
    g->xx += by * x.x * x.x, g->yy += by * x.y * x.y, g->zz += by * x.z * x.z;
    g->xy += by * x.x * x.y, g->xz += by * x.x * x.z, g->yz += by * x.y * x.z;
}

/// Makes the sum of weights one; `moment` has been added up along.
static void normalize(int count, double sum, double* w, phxi_sym3* moment) {
    double by = count > 0 ? 1 / sum : 0;
    for (int k = 0; k < count; ++k) {
        w[k] *= by;
    }
    *moment = (phxi_sym3){by * moment->xx, by * moment->yy, by * moment->zz,
                          by * moment->xy, by * moment->xz, by * moment->yz};
}

static PHXI_CLONES int weigh(const phx_vec3* bonds, int count, double cut, double* w, phxi_sym3* moment) {
    double sum = 0;
    *moment = (phxi_sym3){0};
    for (int k = 0; k < count; ++k) {
        double square = phxi_dot(bonds[k], bonds[k]);
        w[k] = 1 / sqrt(sqrt(square));
        sum += w[k];
        add_moment(moment, bonds[k], w[k] / square);
    }
    normalize(count, sum, w, moment);
    int rank = 0;
    for (int sweep = 0; sweep < PERI_SWEEPS && count > 0; ++sweep) {
        phxi_sym3 q;
        rank = phxi_near_inverse_sym3(moment, cut, &q);
        double share = 1. / rank;
        sum = 0;
        *moment = (phxi_sym3){0};
        for (int k = 0; k < count; ++k) {
            phx_vec3 x = bonds[k];
            double by = 1 / phxi_dot(x, x), along = q.xx * x.x * x.x + q.yy * x.y * x.y + q.zz * x.z * x.z;
            double across = q.xy * x.x * x.y + q.xz * x.x * x.z + q.yz * x.y * x.z;
            w[k] *= (along + 2 * across) * by * share;
            sum += w[k];
            add_moment(moment, x, w[k] * by);
        }
        normalize(count, sum, w, moment); // one but for rounding
    }
    return rank;
}

int phxi_peri_weigh(const phx_vec3* bonds, int count, double cut, double* weights, phxi_sym3* moment) {
    return weigh(bonds, count, cut, weights, moment);
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
