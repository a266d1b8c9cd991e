// SPDX-License-Identifier: MIT
// The elastic laws for one block of eight particles, in terms of G = F - I. Included by elastic_batch.c alone.
//
// Small strains keep their digits because nothing here subtracts numbers near 1 (tr = tr G, c = cof G):
//   Green strain     E = (G + G^T + G^T G)/2
//   det F - 1        j = tr + m,  m = tr c + det G
//   cofactor of F    K = (1 + tr) I - G^T + c
//   J F - K          D = m I + G + G^T + j G - c          so that F - F^-T = D/J
//   tr E - ln J      S = e:e - tr^2/2 - det G + (j - log1p j),  e = (G + G^T)/2: second order, as an energy must be
//
// Below J = a = FLOOR, ln J goes on as its tangent, ln J = ln Jc + w with Jc = max(J, a), w = (J - Jc)/a, and J^-2/3
// likewise. Energy and stress stay each other's gradient; both are finite for every finite G.
#pragma once

#include "materials/strain_wide.h"
#include "math/eigen3_wide.h"

#define PHXI_ELASTIC_FLOOR 0.05

/// The constants of elastic.h in state precision.
typedef struct wide_law {
    phx_real mu, lambda, kappa, mu1, mu2, bound;
} wide_law;

typedef struct wide_block {
    phxi_rw g[9], p[9], energy;
    phxi_mw hard; // lanes to be done again by the scalar law
} wide_block;

// ----------------------------------------------------------------------------------------------------------- measures

PHXI_INLINE void cofactor_wide(const phxi_rw g[9], phxi_rw c[9]) {
    c[0] = g[4] * g[8] - g[5] * g[7];
    c[1] = g[5] * g[6] - g[3] * g[8];
    c[2] = g[3] * g[7] - g[4] * g[6];
    c[3] = g[2] * g[7] - g[1] * g[8];
    c[4] = g[0] * g[8] - g[2] * g[6];
    c[5] = g[1] * g[6] - g[0] * g[7];
    c[6] = g[1] * g[5] - g[2] * g[4];
    c[7] = g[2] * g[3] - g[0] * g[5];
    c[8] = g[0] * g[4] - g[1] * g[3];
}

/// P = (I + A) S for a symmetric S.
PHXI_INLINE void push_wide(const phxi_rw a[9], const phxi_rw s[6], phxi_rw p[9]) {
    for (int row = 0; row < 3; ++row) {
        const phxi_rw x = a[3 * row], y = a[3 * row + 1], z = a[3 * row + 2];
        p[3 * row] = x * s[0] + y * s[3] + z * s[4];
        p[3 * row + 1] = x * s[3] + y * s[1] + z * s[5];
        p[3 * row + 2] = x * s[4] + y * s[5] + z * s[2];
    }
    p[0] += s[0], p[1] += s[3], p[2] += s[4];
    p[3] += s[3], p[4] += s[1], p[5] += s[5];
    p[6] += s[4], p[7] += s[5], p[8] += s[2];
}

/// a:a of a symmetric matrix.
PHXI_INLINE void square_wide(const phxi_rw a[6], phxi_rw* square) {
    *square = a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + PHXI_R(2) * (a[3] * a[3] + a[4] * a[4] + a[5] * a[5]);
}

/// Everything of det F that the neo-Hookean laws need; names as on top.
typedef struct wide_volume {
    phxi_rw k[9], d[9];     // K, and D with Jc for J
    phxi_rw j, inverse, w;  // J - 1, 1/Jc, (J - Jc)/a
    phxi_rw log, quadratic; // ln Jc, tr E - ln Jc
} wide_volume;

PHXI_INLINE void volume_wide(const phxi_rw g[9], wide_volume* v) {
    phxi_rw c[9];
    cofactor_wide(g, c);
    const phxi_rw tr = g[0] + g[4] + g[8], det = g[0] * c[0] + g[1] * c[1] + g[2] * c[2];
    const phxi_rw m = (c[0] + c[4] + c[8]) + det, j = tr + m, floor = {0};
    const phxi_rw jc =
        PHXI_SELECT((phxi_mw)(j < PHXI_R(PHXI_ELASTIC_FLOOR - 1)), floor + PHXI_R(PHXI_ELASTIC_FLOOR - 1), j);
    const phxi_rw below = j - jc, diagonal = m - below, one = PHXI_R(1) + tr;
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            const int a = 3 * row + column, b = 3 * column + row;
            v->k[a] = c[a] - g[b];
            v->d[a] = g[a] + g[b] + (jc * g[a] - c[a]);
        }
        v->k[4 * row] += one;
        v->d[4 * row] += diagonal;
    }
    phxi_rw rest;
    phxi_wide_log1p(&jc, &v->log, &rest);
    v->j = j;
    v->w = below * PHXI_R(1 / PHXI_ELASTIC_FLOOR);
    v->inverse = PHXI_R(1) / (PHXI_R(1) + jc);
    const phxi_rw xy = g[1] + g[3], xz = g[2] + g[6], yz = g[5] + g[7];
    v->quadratic = (g[0] * g[0] + g[4] * g[4] + g[8] * g[8] + PHXI_R(0.5) * (xy * xy + xz * xz + yz * yz)) -
                   PHXI_R(0.5) * tr * tr - det + rest + below;
}

// --------------------------------------------------------------------------------------------------------------- laws

/// P = (I + G) (lambda tr E I + 2 mu E)
PHXI_INLINE void stvk_wide(const wide_law* law, wide_block* b, bool energy) {
    phxi_rw e[6], s[6];
    green_strain_wide(b->g, e);
    const phxi_rw tr = e[0] + e[1] + e[2], pressure = law->lambda * tr;
    for (int a = 0; a < 6; ++a) {
        s[a] = (2 * law->mu) * e[a];
    }
    s[0] += pressure, s[1] += pressure, s[2] += pressure;
    push_wide(b->g, s, b->p);
    if (energy) {
        phxi_rw square;
        square_wide(e, &square);
        b->energy = PHXI_R(0.5) * pressure * tr + law->mu * square;
    }
}

/// P = mu D/Jc + lambda ln J K/Jc, docs/theory/materials.md (4)
PHXI_INLINE void neo_hookean_wide(const wide_law* law, wide_block* b, bool energy) {
    wide_volume v;
    volume_wide(b->g, &v);
    const phxi_rw log = v.log + v.w, shear = law->mu * v.inverse, bulk = law->lambda * log * v.inverse;
    for (int a = 0; a < 9; ++a) {
        b->p[a] = shear * v.d[a] + bulk * v.k[a];
    }
    if (energy) {
        b->energy = law->mu * (v.quadratic - v.w) + PHXI_R(0.5) * law->lambda * log * log;
    }
}

/// P = mu D/Jc + lambda (J - 1) K, docs/theory/materials.md (5)
PHXI_INLINE void neo_hookean_square_wide(const wide_law* law, wide_block* b, bool energy) {
    wide_volume v;
    volume_wide(b->g, &v);
    const phxi_rw shear = law->mu * v.inverse, bulk = law->lambda * v.j;
    for (int a = 0; a < 9; ++a) {
        b->p[a] = shear * v.d[a] + bulk * v.k[a];
    }
    if (energy) {
        b->energy = law->mu * (v.quadratic - v.w) + PHXI_R(0.5) * law->lambda * v.j * v.j;
    }
}

/// q = Jc^-2/3 and what belongs to it: J^-2/3 = q (1 - 2/3 w), J^-4/3 = q^2 (1 - 4/3 w).
typedef struct wide_power {
    phxi_rw q, less, rest; // q, q - 1, q - 1 + 2/3 ln Jc
    phxi_rw i1;            // I1 - 3
} wide_power;

PHXI_INLINE void power_wide(const phxi_rw g[9], const wide_volume* v, wide_power* power) {
    const phxi_rw exponent = PHXI_R(-2.0 / 3) * v->log;
    phxi_wide_expm1(&exponent, &power->less, &power->rest);
    power->q = PHXI_R(1) + power->less;
    phxi_rw square = g[0] * g[0];
    for (int a = 1; a < 9; ++a) {
        square += g[a] * g[a];
    }
    power->i1 = PHXI_R(2) * (g[0] + g[4] + g[8]) + square;
}

/// P = d D + k K + f F, and the energy: terms of a law add to it.
typedef struct wide_sum {
    phxi_rw d, k, f, energy;
} wide_sum;

/// mu/2 (J^-2/3 I1 - 3): P = mu q (D/Jc - (I1-3)/3 K/Jc - 2/3 w F)
PHXI_INLINE void add_first_invariant_wide(phx_real mu, const wide_volume* v, const wide_power* power, wide_sum* sum) {
    const phxi_rw q = mu * power->q, shear = q * v->inverse;
    sum->d += shear;
    sum->k += shear * power->i1 * PHXI_R(-1.0 / 3);
    sum->f += q * v->w * PHXI_R(-2.0 / 3);
    sum->energy += (PHXI_R(0.5) * mu) * (PHXI_R(2) * v->quadratic + PHXI_R(3) * power->rest + power->i1 * power->less -
                                         PHXI_R(2.0 / 3) * v->w * power->q * (PHXI_R(3) + power->i1));
}

/// mu2/2 (J^-4/3 I2 - 3). With X = tr E I - E: I1 F - F F^T F = 2 F (I + X), I2 - 3 = 4 tr E + 2 ((tr E)^2 - E:E);
/// P = mu2 q^2 (2 D/Jc - 2/3 (I2-3) K/Jc - 8/3 w F + 2 (1 - 4/3 w) F X); the last term is given as `across` F X.
PHXI_INLINE void add_second_invariant_wide(phx_real mu2, const wide_volume* v, const wide_power* power,
                                           const phxi_rw e[6], wide_sum* sum, phxi_rw* across) {
    phxi_rw square;
    square_wide(e, &square);
    const phxi_rw tr = e[0] + e[1] + e[2], curved = PHXI_R(2) * (tr * tr - square), i2 = PHXI_R(4) * tr + curved;
    const phxi_rw r = (mu2 * power->q) * power->q, shear = PHXI_R(2) * r * v->inverse;
    const phxi_rw below = r * v->w * PHXI_R(-8.0 / 3);
    sum->d += shear;
    sum->k += shear * i2 * PHXI_R(-1.0 / 3);
    sum->f += below;
    *across = PHXI_R(2) * r + below;
    // r - 1 = (q - 1)(q + 1); r - 1 + 4/3 ln Jc = (q - 1)^2 + 2 (q - 1 + 2/3 ln Jc), r = q^2
    const phxi_rw less = power->less * (power->q + PHXI_R(1));
    const phxi_rw more = power->less * power->less + PHXI_R(2) * power->rest;
    sum->energy += (PHXI_R(0.5) * mu2) * (PHXI_R(4) * v->quadratic + curved + PHXI_R(3) * more + i2 * less) +
                   PHXI_R(0.25) * below * (PHXI_R(3) + i2);
}

/// kappa/2 (J - 1)^2
PHXI_INLINE void add_bulk_wide(phx_real kappa, const wide_volume* v, wide_sum* sum) {
    const phxi_rw bulk = kappa * v->j;
    sum->k += bulk;
    sum->energy += PHXI_R(0.5) * bulk * v->j;
}

PHXI_INLINE void assemble_wide(const wide_sum* sum, const wide_volume* v, wide_block* b) {
    for (int a = 0; a < 9; ++a) {
        b->p[a] = sum->d * v->d[a] + sum->k * v->k[a] + sum->f * b->g[a];
    }
    b->p[0] += sum->f, b->p[4] += sum->f, b->p[8] += sum->f;
    b->energy = sum->energy;
}

PHXI_INLINE void neo_hookean_general_wide(const wide_law* law, wide_block* b) {
    wide_volume v;
    wide_power power;
    wide_sum sum = {{0}, {0}, {0}, {0}};
    volume_wide(b->g, &v);
    power_wide(b->g, &v, &power);
    add_first_invariant_wide(law->mu, &v, &power, &sum);
    add_bulk_wide(law->kappa, &v, &sum);
    assemble_wide(&sum, &v, b);
}

PHXI_INLINE void mooney_rivlin_wide(const wide_law* law, wide_block* b) {
    wide_volume v;
    wide_power power;
    wide_sum sum = {{0}, {0}, {0}, {0}};
    phxi_rw e[6], fx[9], across;
    volume_wide(b->g, &v);
    power_wide(b->g, &v, &power);
    green_strain_wide(b->g, e);
    add_first_invariant_wide(law->mu1, &v, &power, &sum);
    add_second_invariant_wide(law->mu2, &v, &power, e, &sum, &across);
    add_bulk_wide(law->kappa, &v, &sum);
    assemble_wide(&sum, &v, b);
    const phxi_rw x[6] = {across * (e[1] + e[2]), across * (e[0] + e[2]), across * (e[0] + e[1]),
                          -across * e[3],         -across * e[4],         -across * e[5]};
    push_wide(b->g, x, fx);
    for (int a = 0; a < 9; ++a) {
        b->p[a] += fx[a];
    }
}

// ------------------------------------------------------------------------------------------ laws of principal
// stretches

/// The hard lanes of the laws that have a value everywhere: P = U diag(psi) V^T with signed singular values s. With
/// l(s) = ln s, continued below `floor` as its tangent, n = max(s, floor) and Y = sum l:
///   corotated  l = s - 1 instead, n = 1
///   hencky     Psi = mu sum l^2 + lambda/2 Y^2,                psi = (2 mu l + lambda Y)/n
///   bounded    Psi = mu/2 sum (s^2 - 1) - mu Y + lambda/2 Y^2, psi = mu s + (lambda Y - mu)/n.
/// Lanes of rank below 2 stay hard. `values` and `v` are eigenpairs of the Green strain.
PHXI_INLINE void stretches_wide(const wide_law* law, phx_law kind, phx_real floor, phxi_rw values[3], phxi_rw v[9],
                                wide_block* b) {
    phxi_rw f[9], u[9], s[3], l[3], n[3], psi[3], rest, energy = {0};
    phxi_mw lost;
    for (int k = 0; k < 9; ++k) {
        f[k] = k % 4 == 0 ? PHXI_R(1) + b->g[k] : b->g[k];
    }
    phxi_svd3_wide(f, values, v, u, s, &lost);
    const phxi_rw zero = {0};
    for (int a = 0; a < 3; ++a) {
        n[a] = kind == PHX_LAW_COROTATED ? zero + PHXI_R(1) : PHXI_SELECT((phxi_mw)(s[a] < floor), zero + floor, s[a]);
        const phxi_rw less = n[a] - PHXI_R(1), square = (s[a] - PHXI_R(1)) * (s[a] + PHXI_R(1));
        phxi_wide_log1p(&less, &l[a], &rest);
        l[a] += (s[a] - n[a]) / floor;
        energy += kind == PHX_LAW_NEO_HOOKEAN_BOUNDED ? law->mu * (PHXI_R(0.5) * square - l[a]) : law->mu * l[a] * l[a];
    }
    const phxi_rw sum = l[0] + l[1] + l[2], pressure = law->lambda * sum;
    for (int a = 0; a < 3; ++a) {
        psi[a] = kind == PHX_LAW_NEO_HOOKEAN_BOUNDED ? law->mu * s[a] + (pressure - law->mu) / n[a]
                                                     : ((2 * law->mu) * l[a] + pressure) / n[a];
    }
    const phxi_mw take = b->hard & ~lost;
    for (int k = 0; k < 9; ++k) {
        const int row = k / 3, column = k % 3;
        const phxi_rw p = u[3 * row] * psi[0] * v[3 * column] + u[3 * row + 1] * psi[1] * v[3 * column + 1] +
                          u[3 * row + 2] * psi[2] * v[3 * column + 2];
        b->p[k] = PHXI_SELECT(take, p, b->p[k]);
    }
    energy += PHXI_R(0.5) * pressure * sum;
    b->energy = PHXI_SELECT(take, energy, b->energy);
    b->hard &= lost;
}

/// Rotation of F by Newton's iteration X <- (X + X^-T)/2 (Higham), for W = X - I:
///   W <- (W - (m I + W^T - cof W)/det X)/2.
/// The distance to the rotation is squared and halved in each step, so one step after a change below STEP is enough,
/// and two steps always (small strains!). A lane that has arrived no longer changes: the number of steps of one lane
/// does not depend on the others. Far and reversed states (det F <= 0 would find a reflection) are hard.
PHXI_INLINE void rotation_wide(wide_block* b, phxi_rw x[9]) {
    const phx_real step = PHXI_R(sizeof(phx_real) == 4 ? 4e-8 : 1e-16); // squared
    phxi_mw open = ~(phxi_mw){0};
    for (int a = 0; a < 9; ++a) {
        x[a] = b->g[a];
    }
    for (int turn = 0; turn < 10; ++turn) {
        phxi_rw c[9], change = {0};
        cofactor_wide(x, c);
        const phxi_rw m = (c[0] + c[4] + c[8]) + (x[0] * c[0] + x[1] * c[1] + x[2] * c[2]);
        const phxi_rw det = PHXI_R(1) + (x[0] + x[4] + x[8] + m), inverse = PHXI_R(0.5) / det;
        if (turn == 0) {
            b->hard = ~(phxi_mw)(det > PHXI_R(0.01));
            open &= ~b->hard;
        }
        phxi_rw next[9];
        for (int a = 0; a < 9; ++a) {
            const int t = 3 * (a % 3) + a / 3;
            const phxi_rw cofactor = a % 4 == 0 ? c[a] - m : c[a];
            next[a] = PHXI_R(0.5) * x[a] - inverse * (x[t] - cofactor);
            const phxi_rw d = next[a] - x[a];
            change += d * d;
        }
        for (int a = 0; a < 9; ++a) {
            x[a] = PHXI_SELECT(open, next[a], x[a]);
        }
        if (turn > 0) {
            open &= ~(phxi_mw)(change < step);
            if (!phxi_wide_any(&open)) {
                return;
            }
        }
    }
    b->hard |= open;
}

/// P = (I + W) (2 mu e + lambda tr e I), e = sym(G + W + W^T G)
PHXI_INLINE void corotated_wide(const wide_law* law, wide_block* b, bool energy) {
    phxi_rw w[9], e[6], s[6];
    const phxi_rw* g = b->g;
    rotation_wide(b, w);
    e[0] = g[0] + w[0] + (w[0] * g[0] + w[3] * g[3] + w[6] * g[6]);
    e[1] = g[4] + w[4] + (w[1] * g[1] + w[4] * g[4] + w[7] * g[7]);
    e[2] = g[8] + w[8] + (w[2] * g[2] + w[5] * g[5] + w[8] * g[8]);
    e[3] = g[1] + g[3] + (w[1] + w[3]) +
           ((w[0] * g[1] + w[3] * g[4] + w[6] * g[7]) + (w[1] * g[0] + w[4] * g[3] + w[7] * g[6]));
    e[4] = g[2] + g[6] + (w[2] + w[6]) +
           ((w[0] * g[2] + w[3] * g[5] + w[6] * g[8]) + (w[2] * g[0] + w[5] * g[3] + w[8] * g[6]));
    e[5] = g[5] + g[7] + (w[5] + w[7]) +
           ((w[1] * g[2] + w[4] * g[5] + w[7] * g[8]) + (w[2] * g[1] + w[5] * g[4] + w[8] * g[7]));
    e[3] *= PHXI_R(0.5), e[4] *= PHXI_R(0.5), e[5] *= PHXI_R(0.5);
    const phxi_rw tr = e[0] + e[1] + e[2], pressure = law->lambda * tr;
    for (int a = 0; a < 6; ++a) {
        s[a] = (2 * law->mu) * e[a];
    }
    s[0] += pressure, s[1] += pressure, s[2] += pressure;
    push_wide(w, s, b->p);
    if (energy) {
        phxi_rw square;
        square_wide(e, &square);
        b->energy = PHXI_R(0.5) * pressure * tr + law->mu * square;
    }
    if (phxi_wide_any(&b->hard)) {
        phxi_rw value[3], vector[9];
        green_strain_wide(g, e);
        phxi_eigen3_wide(e, value, vector);
        stretches_wide(law, PHX_LAW_COROTATED, PHXI_R(1), value, vector, b);
    }
}

// ------------------------------------------------------------------------------------------ laws of principal
// stretches

/// det F - 1
PHXI_INLINE void dilation_wide(const phxi_rw g[9], phxi_rw* j) {
    phxi_rw c[9];
    cofactor_wide(g, c);
    *j = g[0] + g[4] + g[8] + ((c[0] + c[4] + c[8]) + (g[0] * c[0] + g[1] * c[1] + g[2] * c[2]));
}

/// Neo-Hookean where every stretch is above the bound: C - bound^2 I positive definite (Sylvester). Other lanes, and
/// those stretched so far that the test drowns in rounding, are done by singular values.
PHXI_INLINE void neo_hookean_bounded_wide(const wide_law* law, wide_block* b, bool energy) {
    neo_hookean_wide(law, b, energy);
    phxi_rw e[6], j;
    green_strain_wide(b->g, e);
    dilation_wide(b->g, &j);
    const phx_real diagonal = 1 - law->bound * law->bound;
    const phxi_rw xx = diagonal + PHXI_R(2) * e[0], yy = diagonal + PHXI_R(2) * e[1], zz = diagonal + PHXI_R(2) * e[2];
    const phxi_rw xy = PHXI_R(2) * e[3], xz = PHXI_R(2) * e[4], yz = PHXI_R(2) * e[5];
    const phxi_rw minor = xx * yy - xy * xy;
    const phxi_rw det = zz * minor - xx * yz * yz - yy * xz * xz + PHXI_R(2) * xy * xz * yz;
    b->hard = ~((phxi_mw)(xx > PHXI_R(0)) & (phxi_mw)(minor > PHXI_R(0)) & (phxi_mw)(det > PHXI_R(0)) &
                (phxi_mw)(j > PHXI_R(PHXI_ELASTIC_FLOOR - 1)) & (phxi_mw)(xx + yy + zz < PHXI_R(300)));
    if (phxi_wide_any(&b->hard)) {
        phxi_rw value[3], vector[9];
        phxi_eigen3_wide(e, value, vector);
        stretches_wide(law, PHX_LAW_NEO_HOOKEAN_BOUNDED, law->bound, value, vector, b);
    }
}

/// P = F V diag(f) V^T, f_a = (2 mu l_a + lambda sum l) / s_a^2, l = ln s = log1p(2 E_a)/2, E = V diag(E_a) V^T.
/// Eigenvalues of E know a stretch only relative to the largest one: lanes where that is too little, and reversed ones,
/// are done by singular values.
PHXI_INLINE void hencky_wide(const wide_law* law, wide_block* b, bool energy) {
    const phx_real spread = PHXI_R(sizeof(phx_real) == 4 ? 1e-3 : 1e-7);
    phxi_rw e[6], value[3], vector[9], l[3], f[3], s[6] = {{0}}, rest;
    green_strain_wide(b->g, e);
    phxi_eigen3_wide(e, value, vector);
    phxi_mw fine = ~(phxi_mw){0};
    const phxi_rw limit = spread * (PHXI_R(3) + PHXI_R(2) * (e[0] + e[1] + e[2]));
    for (int a = 0; a < 3; ++a) {
        const phxi_rw twice = PHXI_R(2) * value[a], square = PHXI_R(1) + twice;
        fine &= (phxi_mw)(square > PHXI_R(PHXI_ELASTIC_FLOOR * PHXI_ELASTIC_FLOOR)) & (phxi_mw)(square > limit);
        phxi_wide_log1p(&twice, &l[a], &rest);
        l[a] *= PHXI_R(0.5);
        f[a] = PHXI_R(1) / square;
    }
    const phxi_rw sum = l[0] + l[1] + l[2], pressure = law->lambda * sum;
    for (int a = 0; a < 3; ++a) {
        const phxi_rw stress = ((2 * law->mu) * l[a] + pressure) * f[a];
        const phxi_rw x = vector[a], y = vector[3 + a], z = vector[6 + a];
        const phxi_rw fx = stress * x, fy = stress * y;
        s[0] += fx * x, s[1] += fy * y, s[2] += stress * z * z;
        s[3] += fx * y, s[4] += fx * z, s[5] += fy * z;
    }
    push_wide(b->g, s, b->p);
    if (energy) {
        b->energy = law->mu * (l[0] * l[0] + l[1] * l[1] + l[2] * l[2]) + PHXI_R(0.5) * pressure * sum;
    }
    phxi_rw j;
    dilation_wide(b->g, &j);
    b->hard = ~(fine & (phxi_mw)(j > PHXI_R(-1)));
    if (phxi_wide_any(&b->hard)) {
        stretches_wide(law, PHX_LAW_HENCKY, PHXI_R(PHXI_ELASTIC_FLOOR), value, vector, b);
    }
}
