// SPDX-License-Identifier: MIT
// Eigenvalues, singular values and rotations of 3x3 matrices; safe on every input (zero, rank 1 and 2, reflections,
// scales 1e-30 to 1e30; a NaN anywhere gives identity rotations and NaN values).
#pragma once

#include "math/vec3.h"

/// a = Q diag(values) Q^T, values descending, Q a rotation (columns are vectors). Jacobi; orthogonal to 1e-15.
void phxi_eigen_sym3(const phxi_sym3* a, double values[3], phxi_mat3* vectors);

/// a = U diag(s) V^T with det U = det V = +1, |s0| >= |s1| >= |s2|, s0, s1 >= 0, the sign of det a on s2.
void phxi_svd3(const phxi_mat3* a, phxi_mat3* u, double s[3], phxi_mat3* v);

/// The rotation nearest to a (U V^T of the signed SVD): a rotation even for reflections and singular input.
phxi_mat3 phxi_polar_rotation(const phxi_mat3* a);
/// The same, many times faster where a is not far from a rotation times a number: Newton's iteration.
phxi_mat3 phxi_near_rotation(const phxi_mat3* a);

/// Q diag(1/l, or 0 where l <= tolerance * l_max) Q^T; returns the rank. `projector` (may be NULL) = a a^+.
int phxi_pseudo_inverse_sym3(const phxi_sym3* a, double tolerance, phxi_sym3* inverse, phxi_sym3* projector);
/// The same without projector, many times faster where no eigenvalue is small.
int phxi_near_inverse_sym3(const phxi_sym3* a, double tolerance, phxi_sym3* inverse);
