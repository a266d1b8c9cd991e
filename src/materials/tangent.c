// SPDX-License-Identifier: MIT
// The Hessian of each law in its principal stretches, and the flips and twists without 0/0.
//
// Quotients of differences would lose all digits at equal stretches, which is where every body starts. They are
// divided out by hand instead. Six laws are functions of I1, I2 and J, where nothing is left to divide:
//   flip  = 2 Psi_1 + 2 Psi_2 (s_c^2 - s_a s_b) - Psi_J s_c
//   twist = 2 Psi_1 + 2 Psi_2 (s_c^2 + s_a s_b) + Psi_J s_c
// The three laws of l(s) need the divided differences of the logarithm, which log1p has, and the quotient
// (psi_a + psi_b)/(s_a + s_b), which is truly singular where two stretches cancel (inverted states). It almost always
// goes to minus infinity there and is clamped to zero; s_a + s_b counts as LEAST_SUM at least, so that it is a number.
#include "materials/tangent.h"

#include "math/decompose3.h"
#include "math/wide.h"

#define FLOOR     0.05   // as in elastic_wide.h
#define FAR       1000.0 // as in elastic_batch.c
#define LEAST_SUM 1e-3

/// Derivatives of Psi(I1, I2, J), I1 = sum s^2, I2 = sum of products of two squares.
typedef struct invariants {
    double p1, p2, pj;
    double p11, p1j, p2j, pjj; // p12 and p22 are zero for all laws here
} invariants;

// ------------------------------------------------------------------------------------------------- functions of I1,
// I2, J

/// Value, slope and curvature of J^power (power 0: ln J), continued below FLOOR by the tangent.
typedef struct continued {
    double value, slope, curve;
} continued;

static continued continue_power(double j, double power) {
    double c = fmax(j, FLOOR);
    continued f;
    if (power == 0) {
        f = (continued){log(c), 1 / c, -1 / (c * c)};
    } else {
        double value = pow(c, power);
        f = (continued){value, power * value / c, power * (power - 1) * value / (c * c)};
    }
    if (j < FLOOR) {
        f.value += f.slope * (j - FLOOR);
        f.curve = 0;
    }
    return f;
}

static void add_volume(double bulk, double j, invariants* of) {
    of->pj += bulk * (j - 1);
    of->pjj += bulk;
}

/// mu/2 J^power I, for the first or second invariant.
static void add_isochoric(double mu, double j, double value, bool second, invariants* of) {
    continued f = continue_power(j, second ? -4.0 / 3 : -2.0 / 3);
    *(second ? &of->p2 : &of->p1) += 0.5 * mu * f.value;
    *(second ? &of->p2j : &of->p1j) += 0.5 * mu * f.slope;
    of->pj += 0.5 * mu * f.slope * value;
    of->pjj += 0.5 * mu * f.curve * value;
}

static invariants of_invariants(const phxi_elastic* elastic, double i1, double i2, double j) {
    invariants of = {0};
    double mu = elastic->mu, lambda = elastic->lambda;
    continued l = continue_power(j, 0);
    switch (elastic->law) {
    case PHX_LAW_NEO_HOOKEAN:
    case PHX_LAW_NEO_HOOKEAN_SQUARE: {
        bool square = elastic->law == PHX_LAW_NEO_HOOKEAN_SQUARE;
        double log_slope = (square ? 0 : lambda * l.value) - mu;
        of.p1 = 0.5 * mu;
        of.pj = log_slope * l.slope;
        of.pjj = log_slope * l.curve + (square ? 0 : lambda * l.slope * l.slope);
        add_volume(square ? lambda : 0, j, &of);
        break;
    }
    case PHX_LAW_NEO_HOOKEAN_GENERAL:
        add_isochoric(mu, j, i1, false, &of);
        add_volume(elastic->kappa, j, &of);
        break;
    case PHX_LAW_MOONEY_RIVLIN:
        add_isochoric(elastic->mu1, j, i1, false, &of);
        add_isochoric(elastic->mu2, j, i2, true, &of);
        add_volume(elastic->kappa, j, &of);
        break;
    case PHX_LAW_STVK: // tr E = (I1 - 3)/2, E:E = (I1^2 - 2 I2 - 2 I1 + 3)/4
        of.p1 = 0.25 * lambda * (i1 - 3) + 0.5 * mu * (i1 - 1);
        of.p2 = -0.5 * mu;
        of.p11 = 0.25 * lambda + 0.5 * mu;
        break;
    default: // laws of l(s) have the volume term alone
        break;
    }
    return of;
}

static void add_invariants(const invariants* of, const double s[3], double a[3][3], double flip[3], double twist[3]) {
    double square[3] = {s[0] * s[0], s[1] * s[1], s[2] * s[2]};
    double i1 = square[0] + square[1] + square[2];
    for (int c = 0; c < 3; ++c) {
        int x = (c + 1) % 3, y = (c + 2) % 3;
        flip[c] += 2 * of->p1 + 2 * of->p2 * (square[c] - s[x] * s[y]) - of->pj * s[c];
        twist[c] += 2 * of->p1 + 2 * of->p2 * (square[c] + s[x] * s[y]) + of->pj * s[c];
        double d1 = 2 * s[c], d2 = 2 * s[c] * (i1 - square[c]), dj = s[x] * s[y];
        for (int b = 0; b < 3; ++b) {
            double e1 = 2 * s[b], e2 = 2 * s[b] * (i1 - square[b]), ej = s[(b + 1) % 3] * s[(b + 2) % 3];
            a[c][b] +=
                of->p11 * d1 * e1 + of->p1j * (d1 * ej + dj * e1) + of->p2j * (d2 * ej + dj * e2) + of->pjj * dj * ej;
            a[c][b] +=
                b == c ? 2 * of->p1 + 2 * of->p2 * (i1 - square[c]) : 4 * of->p2 * s[c] * s[b] + of->pj * s[3 - b - c];
        }
    }
}

// ------------------------------------------------------------------------------------------------------- laws of l(s)

/// l(s) = ln s, below `floor` its tangent; corotated: s - 1.
typedef struct strain_of {
    double l, slope, curve, n; // n = max(s, floor)
} strain_of;

static strain_of strain_at(double s, double floor, bool linear) {
    if (linear) {
        return (strain_of){s - 1, 1, 0, 1};
    }
    double n = fmax(s, floor);
    return (strain_of){log(n) + (s - n) / floor, 1 / n, s < floor ? 0 : -1 / (n * n), n};
}

/// (l_a - l_b)/(s_a - s_b) and (l'_a - l'_b)/(s_a - s_b).
static void divided(const strain_of* a, const strain_of* b, double gap, double floor, bool linear, double* first,
                    double* second) {
    if (linear || gap == 0) {
        *first = 0.5 * (a->slope + b->slope);
        *second = 0.5 * (a->curve + b->curve);
        return;
    }
    double above = a->n - b->n, ratio = above / gap; // the share of the gap above the floor
    double log_slope = above == 0 ? 0 : log1p(above / b->n) / above;
    *first = log_slope * ratio + (1 - ratio) / floor;
    *second = -ratio / (a->n * b->n);
}

static void add_stretch_law(const phxi_elastic* elastic, const double s[3], double a[3][3], double flip[3],
                            double twist[3]) {
    bool linear = elastic->law == PHX_LAW_COROTATED, bounded = elastic->law == PHX_LAW_NEO_HOOKEAN_BOUNDED;
    double mu = elastic->mu, floor = bounded ? elastic->bound : FLOOR, psi[3];
    strain_of e[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = strain_at(s[k], floor, linear);
    }
    double pressure = elastic->lambda * (e[0].l + e[1].l + e[2].l);
    // psi = mu s + (pressure - mu) l', or (2 mu l + pressure) l'
    for (int k = 0; k < 3; ++k) {
        double factor = bounded ? pressure - mu : 2 * mu * e[k].l + pressure;
        psi[k] = (bounded ? mu * s[k] : 0) + factor * e[k].slope;
        a[k][k] += factor * e[k].curve + (bounded ? mu : 2 * mu * e[k].slope * e[k].slope);
        for (int b = 0; b < 3; ++b) {
            a[k][b] += elastic->lambda * e[k].slope * e[b].slope;
        }
    }
    for (int c = 0; c < 3; ++c) {
        int x = (c + 1) % 3, y = (c + 2) % 3;
        double first, second;
        divided(&e[x], &e[y], s[x] - s[y], floor, linear, &first, &second);
        flip[c] += bounded ? mu + (pressure - mu) * second
                           : 2 * mu * (e[x].slope * first + e[y].l * second) + pressure * second;
        twist[c] += (psi[x] + psi[y]) / fmax(s[x] + s[y], LEAST_SUM);
    }
}

// --------------------------------------------------------------------------------------------------------- one state

/// F for the law: not farther than FAR from rest, rest if it is not a number.
static phxi_mat3 within_reach(const phxi_mat3* f) {
    double square = 0;
    phxi_mat3 near = phxi_identity();
    for (int k = 0; k < 9; ++k) {
        double g = f->m[k / 3][k % 3] - (k % 4 == 0);
        square += g * g;
    }
    if (square < FAR * FAR) {
        return *f;
    }
    double scale = isfinite(square) ? FAR / sqrt(square) : 0;
    for (int k = 0; k < 9 && scale > 0; ++k) {
        near.m[k / 3][k % 3] += scale * (f->m[k / 3][k % 3] - (k % 4 == 0));
    }
    return near;
}

void phxi_tangent_exact(const phxi_elastic* elastic, double bulk, const phxi_mat3* f, phxi_tangent* tangent) {
    phxi_mat3 near = within_reach(f);
    double s[3], a[3][3] = {{0}};
    *tangent = (phxi_tangent){0};
    phxi_svd3(&near, &tangent->u, s, &tangent->v);
    double x = s[0] * s[0], y = s[1] * s[1], z = s[2] * s[2], j = s[0] * s[1] * s[2];
    invariants of = of_invariants(elastic, x + y + z, x * y + y * z + z * x, j);
    add_volume(bulk, j, &of);
    add_invariants(&of, s, a, tangent->flip, tangent->twist);
    if (elastic->law == PHX_LAW_COROTATED || elastic->law == PHX_LAW_NEO_HOOKEAN_BOUNDED ||
        elastic->law == PHX_LAW_HENCKY) {
        add_stretch_law(elastic, s, a, tangent->flip, tangent->twist);
    }
    tangent->block = (phxi_sym3){a[0][0], a[1][1], a[2][2], a[0][1], a[0][2], a[1][2]};
}

/// The nearest positive semi-definite matrix; itself, to the bit, if it is one.
static phxi_sym3 clamp_block(const phxi_sym3* block) {
    double value[3];
    phxi_mat3 q;
    phxi_eigen_sym3(block, value, &q);
    if (!(value[2] < 0)) {
        return *block;
    }
    phxi_sym3 sum = {0};
    for (int k = 0; k < 3; ++k) {
        double l = fmax(value[k], 0), x = q.m[0][k], y = q.m[1][k], z = q.m[2][k];
        sum.xx += l * x * x, sum.yy += l * y * y, sum.zz += l * z * z;
        sum.xy += l * x * y, sum.xz += l * x * z, sum.yz += l * y * z;
    }
    return sum;
}

void phxi_tangent_at(const phxi_elastic* elastic, double bulk, const phxi_mat3* f, phxi_tangent* tangent) {
    phxi_tangent_exact(elastic, bulk, f, tangent);
    tangent->block = clamp_block(&tangent->block);
    for (int c = 0; c < 3; ++c) {
        tangent->flip[c] = fmax(tangent->flip[c], 0);
        tangent->twist[c] = fmax(tangent->twist[c], 0);
    }
}

phxi_mat3 phxi_tangent_apply(const phxi_tangent* tangent, const phxi_mat3* df) {
    phxi_mat3 ut = phxi_mat3_transpose(&tangent->u), vt = phxi_mat3_transpose(&tangent->v), a, p;
    phxi_mat3 block = phxi_sym3_full(&tangent->block);
    a = phxi_mat3_mul(df, &tangent->v);
    a = phxi_mat3_mul(&ut, &a);
    for (int c = 0; c < 3; ++c) {
        int x = (c + 1) % 3, y = (c + 2) % 3;
        double even = 0.5 * tangent->flip[c] * (a.m[x][y] + a.m[y][x]);
        double odd = 0.5 * tangent->twist[c] * (a.m[x][y] - a.m[y][x]);
        p.m[c][c] = block.m[c][0] * a.m[0][0] + block.m[c][1] * a.m[1][1] + block.m[c][2] * a.m[2][2];
        p.m[x][y] = even + odd;
        p.m[y][x] = even - odd;
    }
    p = phxi_mat3_mul(&tangent->u, &p);
    return phxi_mat3_mul(&p, &vt);
}

// ------------------------------------------------------------------------------------------------------ many particles

void phxi_tangent_batch(const phxi_elastic* elastic, double bulk, bool exact, int count, int stride, const phx_real* g,
                        phx_real* t) {
    const ptrdiff_t plane = stride;
    for (int i = 0; i < count; ++i) {
        phxi_mat3 f = phxi_identity();
        phxi_tangent tangent;
        for (int k = 0; k < 9; ++k) {
            f.m[k / 3][k % 3] += (double)g[k * plane + i];
        }
        (exact ? phxi_tangent_exact : phxi_tangent_at)(elastic, bulk, &f, &tangent);
        const double* block = &tangent.block.xx;
        for (int k = 0; k < 9; ++k) {
            t[k * plane + i] = (phx_real)tangent.u.m[k / 3][k % 3];
            t[(9 + k) * plane + i] = (phx_real)tangent.v.m[k / 3][k % 3];
        }
        for (int k = 0; k < 6; ++k) {
            t[(18 + k) * plane + i] = (phx_real)block[k];
            t[(24 + k) * plane + i] = (phx_real)(k < 3 ? tangent.flip[k] : tangent.twist[k - 3]);
        }
    }
}

/// c = a b, a^T b or a b^T
PHXI_INLINE void multiply_wide(const phxi_rw a[9], bool at, const phxi_rw b[9], bool bt, phxi_rw c[9]) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c[3 * i + j] = a[at ? i : 3 * i] * b[bt ? 3 * j : j] +
                           a[at ? 3 + i : 3 * i + 1] * b[bt ? 3 * j + 1 : 3 + j] +
                           a[at ? 6 + i : 3 * i + 2] * b[bt ? 3 * j + 2 : 6 + j];
        }
    }
}

PHXI_INLINE void apply_wide(const phxi_rw t[PHXI_TANGENT_NUMBERS], phxi_rw f[9]) {
    const phxi_rw *u = t, *v = t + 9, *b = t + 18, *flip = t + 24, *twist = t + 27;
    phxi_rw a[9], p[9];
    multiply_wide(f, false, v, false, p);
    multiply_wide(u, true, p, false, a);
    p[0] = b[0] * a[0] + b[3] * a[4] + b[4] * a[8];
    p[4] = b[3] * a[0] + b[1] * a[4] + b[5] * a[8];
    p[8] = b[4] * a[0] + b[5] * a[4] + b[2] * a[8];
    for (int c = 0; c < 3; ++c) {
        const int x = (c + 1) % 3, y = (c + 2) % 3;
        const phxi_rw even = PHXI_R(0.5) * flip[c] * (a[3 * x + y] + a[3 * y + x]);
        const phxi_rw odd = PHXI_R(0.5) * twist[c] * (a[3 * x + y] - a[3 * y + x]);
        p[3 * x + y] = even + odd;
        p[3 * y + x] = even - odd;
    }
    multiply_wide(u, false, p, false, a);
    multiply_wide(a, false, v, true, f);
}

PHXI_CLONES static void phxi_tangent_apply_clones(int count, int stride, const phx_real* t, const phx_real* df,
                                                  phx_real* dp) {
    const ptrdiff_t plane = stride;
    for (int i = 0; i < count; i += PHXI_LANES) {
        const int filled = count - i < PHXI_LANES ? count - i : PHXI_LANES;
        const size_t bytes = (size_t)filled * sizeof(phx_real);
        phxi_rw tangent[PHXI_TANGENT_NUMBERS] = {{0}}, f[9] = {{0}};
        if (filled == PHXI_LANES) {
            for (int k = 0; k < PHXI_TANGENT_NUMBERS; ++k) {
                tangent[k] = *(const phxi_rw*)(const void*)(t + k * plane + i);
            }
            for (int k = 0; k < 9; ++k) {
                f[k] = *(const phxi_rw*)(const void*)(df + k * plane + i);
            }
        } else {
            for (int k = 0; k < PHXI_TANGENT_NUMBERS; ++k) {
                memcpy(&tangent[k], t + k * plane + i, bytes);
            }
            for (int k = 0; k < 9; ++k) {
                memcpy(&f[k], df + k * plane + i, bytes);
            }
        }
        apply_wide(tangent, f);
        for (int k = 0; k < 9; ++k) {
            memcpy(dp + k * plane + i, &f[k], bytes);
        }
    }
}

void phxi_tangent_apply_batch(int count, int stride, const phx_real* t, const phx_real* df, phx_real* dp) {
    phxi_tangent_apply_clones(count, stride, t, df, dp);
}

// -------------------------------------------------------------------------------------------------------------- frozen

static PHXI_CLONES void phxi_tangent_frozen_clones(phx_real mu, phx_real lambda, const phxi_turn8* turns, int count,
                                                   ptrdiff_t stride, const phx_real* from, phx_real* to) {
    for (int i = 0; i < count; i += 8) {
        const phxi_r8* r = turns[i / 8].r;
        phxi_r8 h[9], a[9], s[9];
        for (int b = 0; b < 9; ++b) {
            h[b] = *(const phxi_r8*)(const void*)(from + b * stride + i);
        }
        for (int b = 0; b < 9; ++b) {
            const int row = b / 3, column = b % 3;
            a[b] = r[row] * h[column] + r[3 + row] * h[3 + column] + r[6 + row] * h[6 + column];
        }
        const phxi_r8 pressure = lambda * (a[0] + a[4] + a[8]);
        for (int b = 0; b < 9; ++b) {
            s[b] = mu * (a[b] + a[3 * (b % 3) + b / 3]);
        }
        s[0] += pressure, s[4] += pressure, s[8] += pressure;
        for (int b = 0; b < 9; ++b) {
            const int row = 3 * (b / 3), column = b % 3;
            *(phxi_r8*)(void*)(to + b * stride + i) =
                r[row] * s[column] + r[row + 1] * s[3 + column] + r[row + 2] * s[6 + column];
        }
    }
}

void phxi_tangent_frozen(double mu, double lambda, const phxi_turn8* turns, int count, int stride, const phx_real* h,
                         phx_real* p) {
    phxi_tangent_frozen_clones((phx_real)mu, (phx_real)lambda, turns, count, stride, h, p);
}
