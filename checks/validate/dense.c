// SPDX-License-Identifier: MIT
#include "validate/dense.h"

#include <float.h>
#include <math.h>

// Reduces the lower triangle to diagonal d and off-diagonal e (e[i] couples i and i+1).
static void tridiagonalise(double* a, int n, double* d, double* e, double* v, double* w) {
    for (int k = 0; k < n - 2; ++k) {
        // The reflection that clears column k below k+1.
        double scale = 0, square = 0;
        for (int i = k + 1; i < n; ++i) {
            v[i] = a[(size_t)i * (size_t)n + (size_t)k];
            scale = fmax(scale, fabs(v[i]));
        }
        d[k] = a[(size_t)k * (size_t)n + (size_t)k];
        e[k] = v[k + 1];
        if (scale == 0) {
            continue;
        }
        for (int i = k + 1; i < n; ++i) {
            square += v[i] * v[i];
        }
        double norm = v[k + 1] > 0 ? -sqrt(square) : sqrt(square);
        e[k] = norm;
        double h = square - v[k + 1] * norm; // v.v / 2 after the next line
        v[k + 1] -= norm;
        if (h == 0) {
            continue;
        }
        // A <- A - v w^T - w v^T with w = A v / h - (v.Av / 2 h^2) v, on the lower triangle.
        double vav = 0;
        for (int i = k + 1; i < n; ++i) {
            w[i] = 0;
        }
        for (int i = k + 1; i < n; ++i) {
            const double* row = a + (size_t)i * (size_t)n;
            double sum = row[i] * v[i];
            for (int j = k + 1; j < i; ++j) {
                sum += row[j] * v[j];
                w[j] += row[j] * v[i];
            }
            w[i] += sum;
        }
        for (int i = k + 1; i < n; ++i) {
            w[i] /= h;
            vav += v[i] * w[i];
        }
        for (int i = k + 1; i < n; ++i) {
            w[i] -= vav / (2 * h) * v[i];
        }
        for (int i = k + 1; i < n; ++i) {
            double* row = a + (size_t)i * (size_t)n;
            for (int j = k + 1; j <= i; ++j) {
                row[j] -= v[i] * w[j] + w[i] * v[j];
            }
        }
    }
    for (int k = n - 2 < 0 ? 0 : n - 2; k < n; ++k) {
        d[k] = a[(size_t)k * (size_t)n + (size_t)k];
        if (k == n - 2) {
            e[k] = a[(size_t)(n - 1) * (size_t)n + (size_t)k];
        }
    }
}

// Number of eigenvalues below x.
static int count_below(const double* d, const double* e, int n, double x) {
    int count = 0;
    double q = 1;
    for (int i = 0; i < n; ++i) {
        q = d[i] - x - (i > 0 ? e[i - 1] * e[i - 1] / q : 0);
        if (q == 0) {
            q = DBL_EPSILON * (fabs(x) + DBL_MIN);
        }
        count += q < 0;
    }
    return count;
}

static void bisect(const double* d, const double* e, int n, double* values) {
    double low = DBL_MAX, high = -DBL_MAX;
    for (int i = 0; i < n; ++i) {
        double reach = (i > 0 ? fabs(e[i - 1]) : 0) + (i < n - 1 ? fabs(e[i]) : 0);
        low = fmin(low, d[i] - reach);
        high = fmax(high, d[i] + reach);
    }
    for (int k = 0; k < n; ++k) {
        double a = k > 0 ? values[k - 1] - 1e-14 * fabs(high) : low, b = high;
        for (int step = 0; step < 80 && b - a > 4 * DBL_EPSILON * (fabs(a) + fabs(b)); ++step) {
            double middle = 0.5 * (a + b);
            if (count_below(d, e, n, middle) > k) {
                b = middle;
            } else {
                a = middle;
            }
        }
        values[k] = 0.5 * (a + b);
    }
}

phx_result phxi_eigenvalues_symmetric(phxi_heap* heap, double* a, int n, double* values) {
    double* work;
    PHXI_NEW(work, heap, 4 * (size_t)n, "eigenvalues");
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            double mean = 0.5 * (a[(size_t)i * (size_t)n + (size_t)j] + a[(size_t)j * (size_t)n + (size_t)i]);
            a[(size_t)i * (size_t)n + (size_t)j] = mean;
        }
    }
    tridiagonalise(a, n, work, work + n, work + 2 * n, work + 3 * n);
    bisect(work, work + n, n, values);
    phxi_free(heap, work);
    return PHX_OK;
}
