// SPDX-License-Identifier: MIT
// Grains with few neighbours, or with all of them to one side or in a plane (docs/theory/granular.md (2b)). With k_a
// and q_a the eigenvalues and axes of K,
//   s_a = min(1, sqrt(k_a / k_0)),   S = sum s_a q_a q_a^T,   D' = S D S,   tau' = S tau S,   T = V tau' K^-1
//   W'_ab = (s_b^2 G_ab - s_a^2 G_ba) / max(1, s_a^2 + s_b^2)
// Power stays what forces do, tau':D = tau:D', so nothing is won; the stiffness of no motion is beyond C/k_0, which the
// stable step can rely on; and a rotation strains nothing, for D is zero and W' is exact wherever one of the two
// directions is seen well. Without this a grain that passes through the plane of its neighbours is strained by any
// amount, and thrown.
#include "methods/granular/granular_internal.h"

#include "math/decompose3.h"

#define BLIND 1e-3 // of the largest eigenvalue: below it K^-1 is rounding

/// Components in the axes of Q: Q^T A Q.
static phxi_mat3 into_axes(const phxi_mat3* a, const phxi_mat3* q) {
    phxi_mat3 turned = phxi_mat3_transpose(q);
    turned = phxi_mat3_mul(&turned, a);
    return phxi_mat3_mul(&turned, q);
}

static phxi_mat3 out_of_axes(const phxi_mat3* a, const phxi_mat3* q) {
    phxi_mat3 back = phxi_mat3_transpose(q), turned = phxi_mat3_mul(q, a);
    return phxi_mat3_mul(&turned, &back);
}

static phxi_sym3 diagonal_in(const double values[3], const phxi_mat3* q) {
    phxi_mat3 a = {{{values[0], 0, 0}, {0, values[1], 0}, {0, 0, values[2]}}};
    a = out_of_axes(&a, q);
    return (phxi_sym3){a.m[0][0], a.m[1][1], a.m[2][2], a.m[0][1], a.m[0][2], a.m[1][2]};
}

void phxi_granular_see_poorly(const phxi_sym3* k, const phxi_mat3* m, double enough, phxi_granular_sight* sight) {
    double value[3], inverse[3], share[3], seen[3];
    phxi_mat3 q;
    phxi_eigen_sym3(k, value, &q);
    for (int a = 0; a < 3; ++a) {
        bool blind = !(value[a] > BLIND * value[0]);
        inverse[a] = blind ? 0 : 1 / value[a];
        seen[a] = blind ? 0 : fmin(1, value[a] / enough);
        share[a] = sqrt(seen[a]);
    }
    sight->least = seen[2];
    sight->inverse = diagonal_in(inverse, &q);
    sight->share = diagonal_in(share, &q);
    phxi_mat3 g = into_axes(m, &q), d = {0}, w = {0};
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            g.m[a][b] *= inverse[b];
        }
    }
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            d.m[a][b] = 0.5 * share[a] * share[b] * (g.m[a][b] + g.m[b][a]);
            w.m[a][b] = (seen[b] * g.m[a][b] - seen[a] * g.m[b][a]) / fmax(1, seen[a] + seen[b]);
        }
    }
    sight->g = out_of_axes(&g, &q);
    sight->strain = out_of_axes(&d, &q);
    sight->spin = out_of_axes(&w, &q);
}
