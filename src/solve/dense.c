// SPDX-License-Identifier: MIT
#include "solve/dense.h"

#include "math/simd.h"
#include "parallel/parallel.h"

#include <math.h>
#include <string.h>

typedef double wide_unaligned __attribute__((vector_size(64), aligned(8), may_alias));

/// a . b, in an order that does not depend on the machine.
static PHXI_CLONES double solve_dense_dot(const double* a, const double* b, int count) {
    phxi_d8 sum = {0}, more = {0};
    int k = 0;
    for (; k + 16 <= count; k += 16) {
        sum += *(const wide_unaligned*)(a + k) * *(const wide_unaligned*)(b + k);
        more += *(const wide_unaligned*)(a + k + 8) * *(const wide_unaligned*)(b + k + 8);
    }
    sum += more;
    double total = 0;
    for (int lane = 0; lane < 8; ++lane) {
        total += sum[lane];
    }
    for (; k < count; ++k) {
        total += a[k] * b[k];
    }
    return total;
}

/// to -= factor * from
static PHXI_CLONES void solve_dense_subtract(double* restrict to, const double* restrict from, double factor,
                                             int count) {
    PHXI_SIMD
    for (int k = 0; k < count; ++k) {
        to[k] -= factor * from[k];
    }
}

double phxi_dense_dot(const double* a, const double* b, int count) {
    return solve_dense_dot(a, b, count);
}

void phxi_dense_subtract(double* restrict to, const double* restrict from, double factor, int count) {
    solve_dense_subtract(to, from, factor, count);
}

void phxi_dense_factor(double* a, int n) {
    for (int i = 0; i < n; ++i) {
        double* row = a + (size_t)i * (size_t)n;
        double diagonal = row[i];
        for (int j = 0; j < i; ++j) {
            const double* other = a + (size_t)j * (size_t)n;
            row[j] = (row[j] - solve_dense_dot(row, other, j)) * other[j]; // diagonals hold their inverse
        }
        double pivot = diagonal - solve_dense_dot(row, row, i);
        bool good = pivot > 1e-10 * diagonal && diagonal > 0;
        if (!good) {
            memset(row, 0, (size_t)i * sizeof *row);
        }
        row[i] = good ? 1 / sqrt(pivot) : 0;
    }
}

void phxi_dense_root(double* a, int n) {
    double scale = 0;
    for (int i = 0; i < n; ++i) {
        scale = fmax(scale, a[i * n + i]);
    }
    for (int i = 0; i < n; ++i) {
        double* row = a + i * n;
        for (int j = 0; j < i; ++j) {
            const double* other = a + j * n;
            row[j] = other[j] > 0 ? (row[j] - solve_dense_dot(row, other, j)) / other[j] : 0;
        }
        double pivot = row[i] - solve_dense_dot(row, row, i);
        row[i] = pivot > 1e-10 * scale ? sqrt(pivot) : 0;
        memset(row + i + 1, 0, (size_t)(n - i - 1) * sizeof *row);
    }
}

void phxi_dense_solve(const double* g, int n, double* v) {
    for (int i = 0; i < n; ++i) {
        const double* row = g + i * n;
        v[i] = row[i] > 0 ? (v[i] - solve_dense_dot(row, v, i)) / row[i] : 0;
    }
    for (int i = n - 1; i >= 0; --i) {
        v[i] = g[i * n + i] > 0 ? v[i] / g[i * n + i] : 0;
        solve_dense_subtract(v, g + i * n, v[i], i);
    }
}

void phxi_dense_invert(double* a, int n, double* line) {
    for (int i = 0; i < n; ++i) {
        double* row = a + (size_t)i * (size_t)n;
        memcpy(line, row, (size_t)i * sizeof *line);
        memset(row, 0, (size_t)i * sizeof *row);
        for (int k = 0; k < i; ++k) {
            if (line[k] != 0) {
                solve_dense_subtract(row, a + (size_t)k * (size_t)n, line[k], k + 1);
            }
        }
        for (int k = 0; k < i; ++k) {
            row[k] *= row[i];
        }
    }
}
