// SPDX-License-Identifier: MIT
// Small dense matrices: factors, inverses, and what becomes of directions that a matrix does not know.
#include "solve/dense.h"
#include "support/test.h"

#include <string.h>

enum { N = 19 }; // no whole number of vectors

/// Sum of v v^T over `rank` vectors.
static void fill(double* a, int rank) {
    memset(a, 0, sizeof(double) * N * N);
    for (int k = 0; k < rank; ++k) {
        double v[N];
        for (int i = 0; i < N; ++i) {
            v[i] = sin(1.0 + 3.7 * i + 1.9 * k * (i + 2));
        }
        for (int i = 0; i < N * N; ++i) {
            a[i] += v[i / N] * v[i % N];
        }
    }
}

TEST(sums_and_differences) {
    double a[N], b[N], sum = 0;
    for (int i = 0; i < N; ++i) {
        a[i] = i + 1;
        b[i] = 2 - i;
        sum += a[i] * b[i];
    }
    ENSURE(phxi_dense_dot(a, b, N) == sum);
    ENSURE(phxi_dense_dot(a, b, 0) == 0);
    phxi_dense_subtract(a, b, 2, N);
    ENSURE(a[0] == -3 && a[N - 1] == N - 2 * (3 - N));
}

TEST(inverse_of_factors) {
    double a[N * N], l[N * N], line[N];
    fill(a, 4 * N);
    memcpy(l, a, sizeof l);
    phxi_dense_factor(l, N);
    phxi_dense_invert(l, N, line);
    for (int i = 0; i < N; ++i) { // L^-1 A L^-T = 1
        for (int j = 0; j <= i; ++j) {
            double sum = 0;
            for (int k = 0; k <= i; ++k) {
                sum += l[i * N + k] * phxi_dense_dot(a + k * N, l + j * N, j + 1);
            }
            ENSURE_NEAR(sum, i == j, 1e-10);
        }
    }
}

TEST(root_of_a_singular_matrix) {
    double a[N * N], g[N * N];
    fill(a, 5);
    memcpy(g, a, sizeof g);
    phxi_dense_root(g, N);
    int columns = 0;
    for (int i = 0; i < N; ++i) {
        columns += g[i * N + i] > 0;
        for (int j = 0; j < N; ++j) {
            ENSURE_NEAR(phxi_dense_dot(g + i * N, g + j * N, N), a[i * N + j], 1e-10);
        }
    }
    ENSURE(columns == 5);
}

TEST(solving_by_the_root) {
    double a[N * N], g[N * N], x[N], v[N];
    fill(a, 4 * N);
    for (int i = 0; i < N; ++i) {
        x[i] = cos(i);
    }
    for (int i = 0; i < N; ++i) {
        v[i] = phxi_dense_dot(a + i * N, x, N);
    }
    memcpy(g, a, sizeof g);
    phxi_dense_root(g, N);
    phxi_dense_solve(g, N, v);
    for (int i = 0; i < N; ++i) {
        ENSURE_NEAR(v[i], x[i], 1e-9);
    }
}
