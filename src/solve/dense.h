// SPDX-License-Identifier: MIT
// Small dense matrices in double, row after row. Sums have an order that does not depend on the machine.
#pragma once

/// a . b; to -= factor * from.
double phxi_dense_dot(const double* a, const double* b, int count);
void phxi_dense_subtract(double* restrict to, const double* restrict from, double factor, int count);
/// A = L L^T in place; modes that add nothing are left out. Diagonals hold their inverse.
void phxi_dense_factor(double* a, int n);
/// A = G G^T in place for an A that may be singular, the upper half zero; directions that A does not know become zero
/// columns. Diagonals hold themselves.
void phxi_dense_root(double* a, int n);
/// v = A^-1 v with the G of phxi_dense_root; nothing along directions that A does not know.
void phxi_dense_solve(const double* g, int n, double* v);
/// L^-1 in place of the L of phxi_dense_factor; `line` is scratch of n.
void phxi_dense_invert(double* a, int n, double* line);
