// SPDX-License-Identifier: MIT
// The matrix of implicit steps, a Laplacian that follows what yields (docs/theory/granular.md (11), (12)):
//   k_ij = omega (b_i + b_j),   (L q)_i = sum k_ij (q_i - q_j),   b = V l (C sigma + what else resists) + what drags
// with l the largest eigenvalue of K^-1, C = max(K + 4 mu/3, 1.8 K) and sigma the share of a grain's trial strain that
// the cone has left, the largest of the step so far (flow.c).
//
// Solves with L converge where L is more than half the tangent. An energy V G:C:G/2 with G = M K^-1 is at most V l c/2
// sum omega |q_j - q_i|^2, c the largest of 3 K (even compression), K + 4 mu/3 (waves), 2 mu (shear): so this L is,
// with 0.6 to spare. A simpler one with 1.5 (K + 4 mu/3)/(s r^2) for l C is 0.5 of the tangent for waves, 0.27 for even
// compression at nu = 0.3, and less where neighbourhoods are cut: blocks of wet sand trembled and sank, the more solves
// the more, and stiff ones flew apart. The same from both sides to the last bit.
#include "methods/granular/granular_internal.h"

/// 0 for strangers, and behind the support.
static phx_real bond_stiffness(const phxi_granular* s, int i, int j) {
    phx_real square = 0;
    for (int a = 0; a < 3; ++a) {
        phx_real x = s->x[j][a] - s->x[i][a];
        x -= s->period[a] * (phx_real)rint((double)(x * s->per_period[a]));
        square += x * x;
    }
    phx_real support = PHXI_R(0.5) * (s->supports[i] + s->supports[j]), inner = 1 - square / (support * support);
    if (s->ordinal[j] < 0 || !(inner > 0) || !(square > 0)) {
        return 0;
    }
    return inner * inner * (s->implicit.stiff[i] + s->implicit.stiff[j]);
}

static void stiffness_part(void* context, int begin, int end, int block) {
    const phxi_granular* s = context;
    const phxi_lists* lists = &s->near->lists;
    (void)block;
    for (int k = begin; k < end; ++k) {
        if (s->ordinal[k] < 0) {
            continue;
        }
        phx_real sum = 0;
        for (int64_t at = lists->start[k]; at < lists->start[k + 1]; ++at) {
            s->implicit.stiffness[at] = bond_stiffness(s, k, lists->items[at]);
            sum += s->implicit.stiffness[at];
        }
        s->implicit.diagonal[s->ordinal[k]] = sum;
    }
}

void phxi_granular_stiffness(phxi_granular* s) {
    phxi_parallel_for(s->step->pool, s->near->count, GRANULAR_GRAIN, stiffness_part, s);
}

// ------------------------------------------------------------------------------------------------------------ product

typedef struct product_context {
    phxi_granular* s;
    const phx_real* const* q;
    phx_real* const* kq;
} product_context;

/// By place: neighbours are near in memory there.
static void gather_part(void* context, int begin, int end, int block) {
    const product_context* c = context;
    (void)block;
    for (int k = begin; k < end; ++k) {
        int i = c->s->ordinal[k];
        c->s->implicit.moved[k] = i < 0 ? (phxi_r4){0} : (phxi_r4){c->q[0][i], c->q[1][i], c->q[2][i], 0};
    }
}

static void product_part(void* context, int begin, int end, int block) {
    const product_context* c = context;
    const phxi_granular_implicit* m = &c->s->implicit;
    const phxi_lists* lists = &c->s->near->lists;
    (void)block;
    for (int k = begin; k < end; ++k) {
        int i = c->s->ordinal[k];
        if (i < 0) {
            continue;
        }
        phxi_r4 sum = m->diagonal[i] * m->moved[k];
        for (int64_t at = lists->start[k]; at < lists->start[k + 1]; ++at) {
            sum -= m->stiffness[at] * m->moved[lists->items[at]];
        }
        for (int a = 0; a < 3; ++a) {
            c->kq[a][i] = sum[a];
        }
    }
}

void phxi_granular_product(phxi_granular* s, const phx_real* const q[3], phx_real* const kq[3]) {
    product_context c = {s, q, kq};
    phxi_parallel_for(s->step->pool, s->near->count, GRANULAR_GRAIN, gather_part, &c);
    phxi_parallel_for(s->step->pool, s->near->count, GRANULAR_GRAIN, product_part, &c);
}
