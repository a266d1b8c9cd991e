// SPDX-License-Identifier: MIT
// Symmetric systems along a chain, L D L^T; that of a loop by the formula of Sherman and Morrison.
#include "methods/peridynamics/twist.h"

static void solve_open(const phxi_tridiagonal* s, double* v) {
    for (int k = 1; k < s->count; ++k) {
        v[k] -= s->off[k] * v[k - 1];
    }
    for (int k = s->count - 1; k >= 0; --k) {
        v[k] = v[k] / s->diagonal[k] - (k + 1 < s->count ? s->off[k + 1] * v[k + 1] : 0);
    }
}

void phxi_tridiagonal_factor(phxi_tridiagonal* s) {
    for (int k = 1; k < s->count; ++k) {
        double b = s->off[k];
        s->off[k] = b / s->diagonal[k - 1];
        s->diagonal[k] -= s->off[k] * b;
    }
    if (s->spring > 0) {
        for (int k = 0; k < s->count; ++k) {
            s->loop[k] = 0;
        }
        s->loop[0] += 1;
        s->loop[s->count - 1] -= 1;
        solve_open(s, s->loop);
    }
}

void phxi_tridiagonal_solve(const phxi_tridiagonal* s, double* v) {
    solve_open(s, v);
    if (s->spring > 0) {
        int last = s->count - 1;
        double by = s->spring * (v[0] - v[last]) / (1 + s->spring * (s->loop[0] - s->loop[last]));
        for (int k = 0; k < s->count; ++k) {
            v[k] -= by * s->loop[k];
        }
    }
}
