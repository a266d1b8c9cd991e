// SPDX-License-Identifier: MIT
// The two loops over pairs and what lies between them, README.md (5) to (9).
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

// -------------------------------------------------------------------------------------------------------------- pass 1

/// Looks where the pairs of particle i are; true if it sees all of them. n: N, in the axes of the frame.
static bool look(const phxi_csph_slot* slot, int i, const phx_real n[6]) {
    bool all = true;
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        phxi_r4 x = slot->rest[k] + (slot->u[slot->other[k]] - slot->u[i]);
        phx_real square = n[0] * x[0] * x[0] + n[1] * x[1] * x[1] + n[2] * x[2] * x[2] +
                          2 * (n[3] * x[0] * x[1] + n[4] * x[0] * x[2] + n[5] * x[1] * x[2]);
        uint8_t cut = slot->seen[k] & CSPH_CUT;
        bool sees = square < 1 && !cut;
        if (!sees && slot->params.permanent) {
            cut = CSPH_CUT;
        }
        slot->seen[k] = (uint8_t)(cut | (sees ? CSPH_SEEN : 0));
        all = all && sees;
    }
    return all;
}

/// Rows u_c y^T, the last column sum V_j g u_c.
PHXI_INLINE void pair_sums(const phxi_csph_slot* slot, int i, bool all, phxi_r4 s[3]) {
    phxi_r4 own = slot->u[i];
    s[0] = s[1] = s[2] = (phxi_r4){0};
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        if (!all && !(slot->seen[k] & CSPH_SEEN)) {
            continue;
        }
        phxi_r4 u = slot->u[slot->other[k]] - own, y = slot->near[k];
        s[0] += SPLAT(u, 0) * y;
        s[1] += SPLAT(u, 1) * y;
        s[2] += SPLAT(u, 2) * y;
    }
}

static PHXI_CLONES void csph_pass1(const phxi_csph_slot* slot, int first, int count, const uint8_t* all,
                                   phxi_csph_block* b) {
    for (int i = 0; i < count; ++i) {
        phxi_r4 s[3];
        pair_sums(slot, first + i, all[i], s);
        for (int c = 0; c < 3; ++c) {
            b->s[3 * c][i] = s[c][0], b->s[3 * c + 1][i] = s[c][1], b->s[3 * c + 2][i] = s[c][2];
            b->su[c][i] = s[c][3];
        }
    }
}

/// A / (tr K / 3) - I, A = sum V_j W x_ij X^T, K the same at rest: what rotations are taken of by option.
static void shape_matrices(const phxi_csph_slot* slot, int first, int count, phxi_csph_block* b) {
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

typedef struct law_numbers {
    phx_real mu, lambda, share;
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

/// D, strain, P and K - I of eight lanes.
PHXI_INLINE void group_law(const law_numbers* n, const phxi_csph_sums* sums, const phx_real* volume,
                           const phxi_turn8* turn, int i, phxi_csph_block* b) {
    phxi_r8 m[9], c[9], span[9], s[9], t[9], d[9], back[9], v;
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
        trace = k % 4 == 0 ? trace + e[k] : trace;
    }
    for (int k = 0; k < 9; ++k) {
        sigma[k] = v * n->share * (2 * n->mu * e[k] + n->lambda * trace * span[k]);
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
        phx_real stiffness = slot->stiffness[first + i];
        phxi_r4 u = slot->u[first + i];
        slot->rows[first + i].part[3] = (phxi_r4){stiffness, stiffness, stiffness, 0};
        for (int c = 0; c < 3; ++c) {
            phx_real q0 = b->p[3 * c][i] - stiffness * b->k[3 * c][i];
            phx_real q1 = b->p[3 * c + 1][i] - stiffness * b->k[3 * c + 1][i];
            phx_real q2 = b->p[3 * c + 2][i] - stiffness * b->k[3 * c + 2][i];
            slot->rows[first + i].part[c] = (phxi_r4){q0, q1, q2, stiffness * u[c]};
            phx_real own = q0 * sums->gradient[0][i] + q1 * sums->gradient[1][i] + q2 * sums->gradient[2][i] +
                           stiffness * b->su[c][i];
            slot->own[first + i][c] = own;
            finite += 0 * (own + q0 + q1 + q2);
        }
    }
    return finite == 0;
}

// -------------------------------------------------------------------------------------------------------------- shapes

/// r N r^T, or r^T N r.
static PHXI_CLONES void csph_turn_shapes(const phxi_mat3* rotation, bool back, int count, phx_real in[6][CSPH_BLOCK],
                                         phx_real out[6][CSPH_BLOCK]) {
    phx_real r[9];
    for (int k = 0; k < 9; ++k) {
        r[k] = (phx_real)(back ? rotation->m[k % 3][k / 3] : rotation->m[k / 3][k % 3]);
    }
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k) {
        const phx_real *a = r + 3 * row[k], *b = r + 3 * column[k];
        PHXI_SIMD
        for (int i = 0; i < count; ++i) {
            out[k][i] = a[0] * b[0] * in[0][i] + a[1] * b[1] * in[1][i] + a[2] * b[2] * in[2][i] +
                        (a[0] * b[1] + a[1] * b[0]) * in[3][i] + (a[0] * b[2] + a[2] * b[0]) * in[4][i] +
                        (a[1] * b[2] + a[2] * b[1]) * in[5][i];
        }
    }
}

/// Who is seen: all[i] whether particle i sees all its pairs. Returns whether all do.
static bool look_around(const phxi_csph_slot* slot, phx_real* const shape[6], int first, int count, uint8_t* all) {
    phx_real world[6][CSPH_BLOCK], n[6][CSPH_BLOCK];
    bool every = true;
    if (slot->params.kernel == PHXI_ISOTROPIC) {
        for (int i = 0; i < count; ++i) {
            phx_real h = slot->radius[first + i];
            n[0][i] = n[1][i] = n[2][i] = 1 / (h * h);
            n[3][i] = n[4][i] = n[5][i] = 0;
        }
    } else {
        for (int k = 0; k < 6; ++k) {
            memcpy(world[k], shape[k] + slot->begin + first, (size_t)count * sizeof *world[k]);
        }
        csph_turn_shapes(&slot->frame.rotation, true, count, world, n);
    }
    for (int i = 0; i < count; ++i) {
        phx_real own[6] = {n[0][i], n[1][i], n[2][i], n[3][i], n[4][i], n[5][i]};
        all[i] = look(slot, first + i, own);
        every = every && all[i];
    }
    return every;
}

/// The same as it was when they last looked.
static bool remember(const phxi_csph_slot* slot, int first, int count, uint8_t* all) {
    bool every = true;
    for (int i = 0; i < count; ++i) {
        for (int k = slot->start[first + i]; k < slot->start[first + i + 1]; ++k) {
            all[i] &= slot->seen[k] & CSPH_SEEN;
        }
        every = every && all[i];
    }
    return every;
}

static void new_shapes(const phxi_csph_slot* slot, phx_real* const shape[6], int first, int count, phxi_csph_block* b) {
    _Alignas(64) phx_real n[6][CSPH_BLOCK], world[6][CSPH_BLOCK];
    phxi_anisotropy kernel = {slot->params.kernel, slot->params.eta, slot->params.full};
    phxi_anisotropy_shapes(&kernel, b->strain[0], b->turns, slot->radius + first, CSPH_BLOCK, count, n[0]);
    csph_turn_shapes(&slot->frame.rotation, false, count, n, world);
    for (int k = 0; k < 6; ++k) {
        memcpy(shape[k] + slot->begin + first, world[k], (size_t)count * sizeof *world[k]);
    }
}

// --------------------------------------------------------------------------------------------------------------- block

/// Sums of those who see fewer pairs than at rest, beside those of the others.
static void partial_sums(const phxi_csph_slot* slot, int first, int count, const uint8_t* all, phxi_csph_sums* part) {
    *part = slot->sums[first / CSPH_BLOCK];
    for (int i = 0; i < count; ++i) {
        if (!all[i]) {
            phxi_csph_sum(slot, slot->start[first + i], slot->start[first + i + 1], part, i);
        }
    }
}

bool phxi_csph_stress(const phxi_csph_slot* slot, const phxi_elastic* elastic, phx_real* const shape[6], int block,
                      phxi_csph_block* b) {
    int first = block * CSPH_BLOCK, count = slot->count - first < CSPH_BLOCK ? slot->count - first : CSPH_BLOCK;
    uint8_t all[CSPH_BLOCK];
    bool whole = true;
    memset(all, 1, sizeof all);
    if (phxi_csph_looks(slot)) {
        whole = shape ? look_around(slot, shape, first, count, all) : remember(slot, first, count, all);
    }
    const phxi_csph_sums* sums = &slot->sums[block];
    if (!whole) {
        partial_sums(slot, first, count, all, &b->part);
        sums = &b->part;
    }
    csph_pass1(slot, first, count, all, b);
    for (int k = 0; k < 9; ++k) {
        memset(b->s[k] + count, 0, (size_t)(CSPH_BLOCK - count) * sizeof *b->s[k]);
    }
    csph_gradients(sums, b);
    if (slot->params.rotation == CSPH_FROM_SHAPE) {
        shape_matrices(slot, first, count, b);
    }
    memset(b->turns, 0, sizeof b->turns);
    phxi_rotations(b->g[0], CSPH_BLOCK, count, b->turns, b->det, b->distance);
    law_numbers n = {(phx_real)elastic->mu, (phx_real)elastic->lambda, (phx_real)slot->params.pair_share,
                     slot->params.gradient == CSPH_CORRECTED, slot->params.strain == CSPH_GREEN};
    csph_law(&n, sums, slot->volume + first, b);
    if (shape && phxi_csph_looks(slot) && slot->params.kernel != PHXI_ISOTROPIC) {
        new_shapes(slot, shape, first, count, b);
    }
    return csph_rows(slot, sums, first, count, b);
}

// -------------------------------------------------------------------------------------------------------------- pass 2

static PHXI_CLONES void csph_pass2(const phxi_csph_slot* slot, int first, int count, bool looks,
                                   phx_real force[3][CSPH_BLOCK]) {
    for (int i = 0; i < count; ++i) {
        phxi_r4 t[4] = {0};
        for (int k = slot->start[first + i]; k < slot->start[first + i + 1]; ++k) {
            if (looks && !(slot->seen[slot->mirror[k]] & CSPH_SEEN)) {
                continue;
            }
            const phxi_csph_row* row = &slot->rows[slot->other[k]];
            phxi_r4 y = slot->far[k];
            t[0] += row->part[0] * y;
            t[1] += row->part[1] * y;
            t[2] += row->part[2] * y;
            t[3] += row->part[3] * SPLAT(y, 3);
        }
        phxi_r4 u = slot->u[first + i];
        for (int c = 0; c < 3; ++c) {
            force[c][i] = slot->own[first + i][c] + ((t[c][0] + t[c][1]) + (t[c][2] + t[c][3])) - t[3][c] * u[c];
        }
    }
}

void phxi_csph_force(const phxi_csph_slot* slot, int block, phx_real force[3][CSPH_BLOCK]) {
    int first = block * CSPH_BLOCK, count = slot->count - first < CSPH_BLOCK ? slot->count - first : CSPH_BLOCK;
    csph_pass2(slot, first, count, phxi_csph_looks(slot), force);
}
