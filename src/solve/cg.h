// SPDX-License-Identifier: MIT
// A x = b, with A symmetric and positive, by preconditioned conjugate gradients (Hestenes and Stiefel 1952): the
// iteration alone.
//
// Vectors belong to the caller, who keeps them in its own order, precision and layout, over as many bodies as it likes.
// What the iteration needs of them are three passes; each goes through the caller's arrays once and returns its sum in
// double. With r = b - A x the residual, z = M^-1 r by the preconditioner M, p the direction:
//
//   direction   p = z + beta p
//   product     q = A p                                         returns p . q
//   advance     x += alpha p, r -= alpha q, z = M^-1 r          returns r . z
//
// The caller has x, r and z ready before. Convergence is measured by r . z, the square of the norm that M knows.
#pragma once

#include <stdbool.h>

typedef struct phxi_cg_problem {
    void* context;
    void (*direction)(void* context, double beta); // beta is 0 at first: p must be finite then, or not be read
    double (*product)(void* context);
    double (*advance)(void* context, double alpha);
    /// Steps that need no sums, as those of Jacobi and Chebyshev: alpha and beta of iteration k; alpha is that of the
    /// one before. NULL: conjugate gradients.
    void (*steps)(void* context, int k, double* alpha, double* beta);
} phxi_cg_problem;

typedef struct phxi_cg_report {
    int iterations;  // that were taken
    double left;     // r . z at the end
    bool indefinite; // ended by a direction in which A is not positive: no such matrix, or all that is left is rounding
} phxi_cg_report;

/// Iterates from r . z = `first` until it is `goal` at most, no more often than `most` times. Ends early, with what it
/// has, where sums are not finite.
phxi_cg_report phxi_cg(const phxi_cg_problem* problem, double first, double goal, int most);
