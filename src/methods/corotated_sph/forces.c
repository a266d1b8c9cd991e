// SPDX-License-Identifier: MIT
// The two loops over pairs and what lies between them, docs/theory/corotated_sph.md (5) to (9).
//
//   pass 1    S = sum u_ij (V_j g X)^T over what i sees, and sum V_j g u_ij
//   between   F = I + S M^-1, R = polar F, D = (R^T (S + M) - M) M^-1, sigma, P = V R sigma M^-1, K = R (I + D)
//   pass 2    f_i = own + sum_j V_i g [(P_j - c_j (K_j - I)) X + c_j (u_j - u_i)] over those who see i
//   own       (P_i - c_i (K_i - I)) sum V_j g X + c_i sum V_j g u_ij
//
// Pairs push both ways alike, so momentum is exact; the torque is so where R is that of F and gradients are corrected:
// hourglass forces have the weights of the gradient, so that sum V_j g (x_ij - F X) X^T = 0 and they do no work on F.
#include "methods/corotated_sph/corotated_internal.h"

#include <string.h>

#define SPLAT(a, lane) __builtin_shufflevector(a, a, lane, lane, lane, lane)
/// Four lanes and four lanes: eight; and back.
#define JOIN(low, high) __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7)
#define LOW(a)          __builtin_shufflevector(a, a, 0, 1, 2, 3)
#define HIGH(a)         __builtin_shufflevector(a, a, 4, 5, 6, 7)
/// Four lanes twice. So written compilers load them twice at once.
#define TWICE(a) ((phxi_r8){(a)[0], (a)[1], (a)[2], (a)[3], (a)[0], (a)[1], (a)[2], (a)[3]})

// -------------------------------------------------------------------------------------------------------------- pass 1

#ifdef PHX_DOUBLE
typedef int64_t mask8 __attribute__((vector_size(64)));
#else
typedef int32_t mask8 __attribute__((vector_size(32)));
#endif

/// s[c] += u_c y^T of two neighbours, one in each half, and how far they have gone at most.
PHXI_INLINE void add_pairs(const phxi_r8* u, const phxi_r8* y, phxi_r8 s[3], phxi_r8* most) {
    s[0] += __builtin_shufflevector(*u, *u, 0, 0, 0, 0, 4, 4, 4, 4) * *y;
    s[1] += __builtin_shufflevector(*u, *u, 1, 1, 1, 1, 5, 5, 5, 5) * *y;
    s[2] += __builtin_shufflevector(*u, *u, 2, 2, 2, 2, 6, 6, 6, 6) * *y;
    const phxi_r8 square = *u * *u;
    const mask8 more = square > *most;
    *most = (phxi_r8)(((mask8)square & more) | ((mask8)*most & ~more));
}

/// Rows u_c y^T over all pairs, the last column sum V_j g u_c; returns at least how far a neighbour has gone, squared.
PHXI_INLINE phx_real pair_sums(const phxi_csph_slot* slot, int i, phxi_r4 out[3]) {
    phxi_r4 own = slot->u[i];
    phxi_r8 both = JOIN(own, own), s[3] = {0}, most = {0}, y;
    int k = slot->start[i], end = slot->start[i + 1];
    for (; k + 1 < end; k += 2) {
        phxi_r4 a = slot->u[slot->other[k]], b = slot->u[slot->other[k + 1]];
        phxi_r8 u = JOIN(a, b) - both;
        memcpy(&y, &slot->near[k], sizeof y);
        add_pairs(&u, &y, s, &most);
    }
    if (k < end) {
        phxi_r4 a = slot->u[slot->other[k]] - own, none = {0};
        phxi_r8 u = JOIN(a, none);
        y = JOIN(slot->near[k], none);
        add_pairs(&u, &y, s, &most);
    }
    phx_real far = 0;
    for (int c = 0; c < 3; ++c) {
        out[c] = LOW(s[c]) + HIGH(s[c]);
        far += most[c] > most[4 + c] ? most[c] : most[4 + c];
    }
    return far;
}

static void put_sums(const phxi_r4 s[3], int i, phxi_csph_block* b) {
    for (int c = 0; c < 3; ++c) {
        b->s[3 * c][i] = s[c][0], b->s[3 * c + 1][i] = s[c][1], b->s[3 * c + 2][i] = s[c][2];
        b->su[c][i] = s[c][3];
    }
}

static PHXI_CLONES void csph_pass1(const phxi_csph_slot* slot, int first, int count, phxi_csph_block* b) {
    for (int i = 0; i < count; ++i) {
        phxi_r4 s[3];
        b->reach[i] = pair_sums(slot, first + i, s);
        put_sums(s, i, b);
    }
}

void phxi_csph_seen_sums(const phxi_csph_slot* slot, int i, phxi_r4 s[3]) {
    s[0] = s[1] = s[2] = (phxi_r4){0};
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        if (slot->seen[k] & CSPH_SEEN) {
            phxi_r4 u = slot->u[slot->other[k]] - slot->u[i], y = slot->near[k];
            s[0] += SPLAT(u, 0) * y;
            s[1] += SPLAT(u, 1) * y;
            s[2] += SPLAT(u, 2) * y;
        }
    }
}

void phxi_csph_shape_matrices(const phxi_csph_slot* slot, int first, int count, phxi_csph_block* b) {
    for (int i = 0; i < count; ++i) {
        double a[9] = {0}, trace = 0;
        for (int k = slot->start[first + i]; k < slot->start[first + i + 1]; ++k) {
            int j = slot->other[k];
            phxi_r4 rest = slot->rest[k], u = slot->u[j] - slot->u[first + i];
            double weight = slot->seen[k] & CSPH_SEEN ? (double)slot->volume[j] * (double)rest[3] : 0;
            for (int c = 0; c < 9; ++c) {
                a[c] += weight * ((double)rest[c / 3] + (double)u[c / 3]) * (double)rest[c % 3];
            }
            trace += weight * ((double)rest[0] * (double)rest[0] + (double)rest[1] * (double)rest[1] +
                               (double)rest[2] * (double)rest[2]);
        }
        for (int c = 0; c < 9; ++c) {
            b->g[c][i] = (phx_real)((trace > 0 ? 3 * a[c] / trace : c % 4 == 0) - (c % 4 == 0));
        }
    }
}

// ------------------------------------------------------------------------------------------------------------- between

/// Component [row][column] of a symmetric matrix in six numbers.
static const int sym[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};

/// F - I = S M^+ + M M^+ - I.
static PHXI_CLONES void csph_gradients(const phxi_csph_sums* sums, phxi_csph_block* b) {
    for (int k = 0; k < 9; ++k) {
        const int row = 3 * (k / 3), column = k % 3;
        const phx_real *s0 = b->s[row], *s1 = b->s[row + 1], *s2 = b->s[row + 2];
        const phx_real *c0 = sums->inverse[sym[column]], *c1 = sums->inverse[sym[3 + column]];
        const phx_real *c2 = sums->inverse[sym[6 + column]], *span = sums->span[sym[k]];
        const phx_real one = k % 4 == 0;
        phx_real* restrict g = b->g[k];
        PHXI_SIMD
        for (int i = 0; i < CSPH_BLOCK; ++i) {
            g[i] = s0[i] * c0[i] + s1[i] * c1[i] + s2[i] * c2[i] + (span[i] - one);
        }
    }
}

void phxi_csph_whole_sums(const phxi_csph_slot* slot, int block, phxi_csph_block* b) {
    int count = phxi_csph_count(slot, block);
    csph_pass1(slot, block * CSPH_BLOCK, count, b);
    for (int k = 0; k < 9; ++k) {
        memset(b->s[k] + count, 0, (size_t)(CSPH_BLOCK - count) * sizeof *b->s[k]);
    }
}

void phxi_csph_gradients(const phxi_csph_sums* sums, phxi_csph_block* b) {
    csph_gradients(sums, b);
}

typedef struct law_numbers {
    phx_real mu, share;
    bool corrected, green;
} law_numbers;

PHXI_INLINE void times(const phxi_r8 a[9], const phxi_r8 b[9], phxi_r8 out[9]) {
    for (int k = 0; k < 9; ++k) {
        const int row = 3 * (k / 3), column = k % 3;
        out[k] = a[row] * b[column] + a[row + 1] * b[3 + column] + a[row + 2] * b[6 + column];
    }
}

PHXI_INLINE void load_sym(const phx_real m[6][CSPH_BLOCK], int i, phxi_r8 out[9]) {
    for (int k = 0; k < 9; ++k) {
        memcpy(&out[k], &m[sym[k]][i], sizeof out[k]);
    }
}

/// D, strain (less that of warmth), P and K - I of eight lanes.
PHXI_INLINE void group_law(const law_numbers* n, const phxi_csph_sums* sums, const phx_real* volume,
                           const phxi_turn8* turn, int i, phxi_csph_block* b) {
    phxi_r8 m[9], c[9], span[9], s[9], t[9], d[9], back[9], v, warm, lambda;
    memcpy(&warm, &b->thermal[i], sizeof warm);
    memcpy(&lambda, &b->lambda[i], sizeof lambda);
    load_sym(sums->moment, i, m);
    load_sym(sums->inverse, i, c);
    load_sym(sums->span, i, span);
    memcpy(&v, volume + i, sizeof v);
    for (int k = 0; k < 9; ++k) {
        memcpy(&s[k], &b->s[k][i], sizeof s[k]);
        s[k] += m[k];
        back[k] = turn->r[3 * (k % 3) + k / 3];
    }
    times(back, s, t); // R^T (S + M) - M
    for (int k = 0; k < 9; ++k) {
        t[k] -= m[k];
    }
    if (n->corrected) {
        times(t, c, d);
    } else {
        memcpy(d, t, sizeof d);
    }
    phxi_r8 e[9], sigma[9], trace = {0};
    for (int k = 0; k < 9; ++k) {
        const int row = k / 3, column = k % 3;
        e[k] = (phx_real)0.5 * (d[k] + d[3 * column + row]);
        if (n->green) {
            e[k] += (phx_real)0.5 * (d[row] * d[column] + d[3 + row] * d[3 + column] + d[6 + row] * d[6 + column]);
        }
        e[k] -= warm * span[k]; // across what neighbours span it is free
        trace = k % 4 == 0 ? trace + e[k] : trace;
    }
    for (int k = 0; k < 9; ++k) {
        sigma[k] = v * n->share * (2 * n->mu * e[k] + lambda * trace * span[k]);
        memcpy(&b->strain[sym[k]][i], &e[k], sizeof e[k]);
    }
    phxi_r8 stretched[9], turned[9], p[9];
    for (int k = 0; k < 9; ++k) {
        stretched[k] = d[k] + (phx_real)(k % 4 == 0);
    }
    times(turn->r, stretched, turned); // K
    times(n->green ? turned : turn->r, sigma, p);
    if (n->corrected) {
        times(p, c, t);
    }
    for (int k = 0; k < 9; ++k) {
        phxi_r8 less = turned[k] - (phx_real)(k % 4 == 0);
        memcpy(&b->p[k][i], n->corrected ? &t[k] : &p[k], sizeof p[k]);
        memcpy(&b->k[k][i], &less, sizeof less);
    }
}

static PHXI_CLONES void csph_law(const law_numbers* n, const phxi_csph_sums* sums, const phx_real* volume,
                                 phxi_csph_block* b) {
    for (int i = 0; i < CSPH_BLOCK; i += CSPH_LANES) {
        group_law(n, sums, volume, &b->turns[i / CSPH_LANES], i, b);
    }
}

/// Rows for pass 2 and the own part of the force; true if all is finite.
static PHXI_CLONES bool csph_rows(const phxi_csph_slot* slot, const phxi_csph_sums* sums, int first, int count,
                                  const phxi_csph_block* b) {
    phx_real finite = 0;
    for (int i = 0; i < count; ++i) {
        phx_real stiffness = slot->stiffness[first + i], q[3][4];
        for (int c = 0; c < 3; ++c) {
            for (int a = 0; a < 3; ++a) {
                q[c][a] = b->p[3 * c + a][i] - stiffness * b->k[3 * c + a][i];
            }
            q[c][3] = stiffness * slot->u[first + i][c];
            phx_real own = q[c][0] * sums->gradient[0][i] + q[c][1] * sums->gradient[1][i] +
                           q[c][2] * sums->gradient[2][i] + stiffness * b->su[c][i];
            slot->own[first + i][c] = own;
            finite += 0 * (own + q[c][0] + q[c][1] + q[c][2]);
        }
        phxi_csph_row* row = &slot->rows[first + i];
        row->half[0] = (phxi_r8){q[0][0], q[0][1], q[0][2], q[0][3], q[1][0], q[1][1], q[1][2], q[1][3]};
        row->half[1] = (phxi_r8){q[2][0], q[2][1], q[2][2], q[2][3], 0, 0, 0, stiffness};
    }
    return finite == 0;
}

bool phxi_csph_fill_rows(const phxi_csph_slot* slot, int block, const phxi_csph_block* b) {
    return csph_rows(slot, &slot->sums[block], block * CSPH_BLOCK, phxi_csph_count(slot, block), b);
}

// --------------------------------------------------------------------------------------------------------------- block

/// Sums of those who see fewer pairs than at rest, beside those of the others.
static void partial_sums(const phxi_csph_slot* slot, int first, int count, phxi_csph_block* b) {
    b->part = slot->sums[first / CSPH_BLOCK];
    for (int i = 0; i < count; ++i) {
        if (!slot->whole[first + i]) {
            phxi_r4 s[3];
            phxi_csph_seen_sums(slot, first + i, s);
            put_sums(s, i, b);
            phxi_csph_sum(slot, slot->start[first + i], slot->start[first + i + 1], &b->part, i);
        }
    }
}

/// By phxi_csph_rank, of all particles of a block at once.
static PHXI_CLONES void csph_lambdas(const phxi_csph_sums* sums, const phx_real lambda[3], phx_real* restrict out) {
    for (int i = 0; i < CSPH_BLOCK; ++i) {
        const phx_real spans = sums->span[0][i] + sums->span[1][i] + sums->span[2][i];
        out[i] = spans > (phx_real)2.5 ? lambda[2] : spans > (phx_real)1.5 ? lambda[1] : lambda[0];
    }
}

bool phxi_csph_stress(const phxi_csph_slot* slot, const phxi_elastic* elastic, phx_real* const shape[6], int block,
                      phxi_csph_block* b) {
    int first = block * CSPH_BLOCK, count = phxi_csph_count(slot, block);
    const phxi_csph_sums* sums = &slot->sums[block];
    csph_pass1(slot, first, count, b);
    if (phxi_csph_has_membership(slot) &&
        !(shape ? phxi_csph_update_membership(slot, shape, block, b) : slot->found[block].parted == 0)) {
        partial_sums(slot, first, count, b);
        sums = &b->part;
    }
    for (int k = 0; k < 9; ++k) {
        memset(b->s[k] + count, 0, (size_t)(CSPH_BLOCK - count) * sizeof *b->s[k]);
    }
    csph_gradients(sums, b);
    if (slot->params.rotation == CSPH_FROM_SHAPE) {
        phxi_csph_shape_matrices(slot, first, count, b);
    }
    memset(b->turns, 0, sizeof b->turns);
    phxi_rotations(b->g[0], CSPH_BLOCK, count, b->turns, b->det, b->distance);
    b->span = sums->span[0];
    const phx_real lambda[3] = {(phx_real)phxi_csph_lambda(slot, elastic, 1),
                                (phx_real)phxi_csph_lambda(slot, elastic, 2),
                                (phx_real)phxi_csph_lambda(slot, elastic, 3)};
    csph_lambdas(sums, lambda, b->lambda);
    memset(b->thermal, 0, sizeof b->thermal);
    for (int i = 0; slot->thermal && i < count; ++i) {
        b->thermal[i] = phxi_csph_thermal_strain(slot, first + i);
    }
    law_numbers n = {(phx_real)elastic->mu, (phx_real)slot->params.pair_share, slot->params.gradient == CSPH_CORRECTED,
                     slot->params.strain == CSPH_GREEN};
    csph_law(&n, sums, slot->volume + first, b);
    if (shape && phxi_csph_has_membership(slot) && slot->params.kernel != PHXI_ISOTROPIC) {
        phxi_csph_new_kernels(slot, false, shape, first, count, b);
    }
    return csph_rows(slot, sums, first, count, b);
}

// -------------------------------------------------------------------------------------------------------------- pass 2

/// `parted`: some particle does not reach all of its neighbours.
PHXI_INLINE void gather(const phxi_csph_slot* slot, int i, bool parted, phxi_r8 t[2]) {
    t[0] = t[1] = (phxi_r8){0};
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        int j = slot->other[k];
        if (parted && !slot->whole[j] && !(slot->seen[slot->mirror[k]] & CSPH_SEEN)) {
            continue;
        }
        const phxi_csph_row* row = &slot->rows[j];
        phxi_r8 y = TWICE(slot->far[k]);
        t[0] += row->half[0] * y;
        t[1] += row->half[1] * y;
    }
}

static PHXI_CLONES void csph_pass2(const phxi_csph_slot* slot, int first, int count, phx_real force[3][CSPH_BLOCK]) {
    for (int i = 0; i < count; ++i) {
        phxi_r8 t[2];
        if (slot->parted) {
            gather(slot, first + i, true, t);
        } else {
            gather(slot, first + i, false, t);
        }
        const phxi_r4 u = slot->u[first + i];
        const phx_real* own = slot->own[first + i];
        force[0][i] = own[0] + ((t[0][0] + t[0][1]) + (t[0][2] + t[0][3])) - t[1][7] * u[0];
        force[1][i] = own[1] + ((t[0][4] + t[0][5]) + (t[0][6] + t[0][7])) - t[1][7] * u[1];
        force[2][i] = own[2] + ((t[1][0] + t[1][1]) + (t[1][2] + t[1][3])) - t[1][7] * u[2];
    }
}

void phxi_csph_force(const phxi_csph_slot* slot, int block, phx_real force[3][CSPH_BLOCK]) {
    csph_pass2(slot, block * CSPH_BLOCK, phxi_csph_count(slot, block), force);
}
