// SPDX-License-Identifier: MIT
// Contact in the coarse part of the preconditioner: without it a stiff body on a floor is a rigid motion of little mass
// for Ac, and of enormous stiffness for the matrix.
//
// Contact stiffness is diagonal by particles, so Z^T C Z is D = G G^T by bricks: six by six for each brick that
// touches. With E the columns of these bricks, S = E^T Ac^-1 E,
//   (Ac + E G G^T E^T)^-1 = Ac^-1 - Ac^-1 E G (I + G^T S G)^-1 G^T E^T Ac^-1   (Sherman, Morrison, Woodbury).
// Of more than MOST bricks that touch, only the first are seen; the others cost iterations.
#include "methods/implicit/implicit_internal.h"

#include <string.h>

enum { MOST = PHXI_TOUCHING_BRICKS };

/// The three rows of Z for a particle: translations, then turns e_c x arm.
static void rows_of(const phxi_implicit* s, int i, double z[3][6]) {
    double x = (double)s->arm[0][i], y = (double)s->arm[1][i], w = (double)s->arm[2][i];
    const double all[3][6] = {{1, 0, 0, 0, w, -y}, {0, 1, 0, -w, 0, x}, {0, 0, 1, y, -x, 0}};
    memcpy(z, all, sizeof all);
}

/// Adds Z^T C Z of the touching particles of a brick; false if there are none.
static bool add_brick(const phxi_implicit_work* w, int brick, double d[6][6]) {
    const phxi_implicit* s = w->s;
    bool any = false;
    for (int k = s->brick_start[brick]; k < s->brick_start[brick + 1]; ++k) {
        int i = s->brick_items[k];
        if (!s->touched[i] || w->fixed[i]) {
            continue;
        }
        any = true;
        double z[3][6], c[3][6];
        static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
        rows_of(s, i, z);
        for (int a = 0; a < 3; ++a) {
            for (int m = 0; m < 6; ++m) {
                c[a][m] = (double)s->contact[at[a][0]][i] * z[0][m] + (double)s->contact[at[a][1]][i] * z[1][m] +
                          (double)s->contact[at[a][2]][i] * z[2][m];
            }
        }
        for (int m = 0; m < 36; ++m) {
            d[m / 6][m % 6] += z[0][m / 6] * c[0][m % 6] + z[1][m / 6] * c[1][m % 6] + z[2][m / 6] * c[2][m % 6];
        }
    }
    return any;
}

/// D = G G^T, G lower; directions without stiffness become zero columns.
static void factor_brick(double d[6][6]) {
    double scale = 0;
    for (int i = 0; i < 6; ++i) {
        scale = fmax(scale, d[i][i]);
    }
    for (int j = 0; j < 6; ++j) {
        double pivot = d[j][j];
        for (int k = 0; k < j; ++k) {
            pivot -= d[j][k] * d[j][k];
        }
        double root = pivot > 1e-10 * scale ? sqrt(pivot) : 0;
        for (int i = 0; i < 6; ++i) {
            double sum = d[i][j];
            for (int k = 0; k < j; ++k) {
                sum -= d[i][k] * d[j][k];
            }
            d[i][j] = i < j || root == 0 ? 0 : i == j ? root : sum / root;
        }
    }
}

/// I + G^T S G of the touching bricks, factored.
static void factor_all(phxi_implicit* s) {
    phxi_coarse_contact* t = s->coarse_contact;
    int n = 6 * t->count;
    for (int a = 0; a < t->count; ++a) {
        for (int b = 0; b <= a; ++b) {
            double half[6][6];
            for (int i = 0; i < 6; ++i) { // S G
                const float* row = phxi_implicit_coarse_row(s, 6 * t->brick[a] + i) + 6 * t->brick[b];
                for (int j = 0; j < 6; ++j) {
                    half[i][j] = 0;
                    for (int k = j; k < 6; ++k) {
                        half[i][j] += (double)row[k] * t->g[b][k][j];
                    }
                }
            }
            for (int i = 0; i < 36; ++i) {
                double sum = a == b && i / 6 == i % 6 ? 1 : 0;
                for (int k = i / 6; k < 6; ++k) {
                    sum += t->g[a][k][i / 6] * half[k][i % 6];
                }
                t->matrix[(6 * a + i / 6) * n + 6 * b + i % 6] = sum;
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        double* row = t->matrix + i * n;
        for (int j = 0; j <= i; ++j) {
            double sum = row[j];
            for (int k = 0; k < j; ++k) {
                sum -= row[k] * t->matrix[j * n + k];
            }
            row[j] = i == j ? sqrt(fmax(sum, 1e-12)) : sum / t->matrix[j * n + j];
        }
    }
}

void phxi_implicit_coarse_touch(phxi_implicit_work* w) {
    phxi_implicit* s = w->s;
    phxi_coarse_contact* t = s->coarse_contact;
    t->count = 0;
    for (int b = 0; w->touching && b < s->brick_count && t->count < MOST; ++b) {
        double d[6][6] = {{0}};
        if (add_brick(w, b, d)) {
            factor_brick(d);
            memcpy(t->g[t->count], d, sizeof d);
            t->brick[t->count++] = b;
        }
    }
    if (t->count > 0) {
        factor_all(s);
    }
}

/// Takes the share of contact off coarse_z.
void phxi_implicit_coarse_correct(phxi_implicit* s) {
    phxi_coarse_contact* t = s->coarse_contact;
    double v[6 * MOST];
    int n = 6 * t->count;
    for (int i = 0; i < n; ++i) { // G^T E^T z
        v[i] = 0;
        for (int k = i % 6; k < 6; ++k) {
            v[i] += t->g[i / 6][k][i % 6] * (double)s->coarse_z[6 * t->brick[i / 6] + k];
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            v[i] -= t->matrix[i * n + k] * v[k];
        }
        v[i] /= t->matrix[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) {
            v[i] -= t->matrix[k * n + i] * v[k];
        }
        v[i] /= t->matrix[i * n + i];
    }
    for (int b = 0; b < t->count; ++b) {
        for (int k = 0; k < 6; ++k) { // the inverse is symmetric: its rows are its columns
            double share = 0;
            for (int j = 0; j <= k; ++j) {
                share += t->g[b][k][j] * v[6 * b + j];
            }
            const float* row = phxi_implicit_coarse_row(s, 6 * t->brick[b] + k);
            for (int m = 0; m < s->modes; ++m) {
                s->coarse_z[m] -= (float)share * row[m];
            }
        }
    }
}
