// SPDX-License-Identifier: MIT
// Eigenvalues of dense symmetric matrices, for counting modes of small bodies.
#pragma once

#include "core/heap.h"

/// All eigenvalues of the symmetric part of a (n x n, row after row; destroyed), ascending: Householder
/// tridiagonalisation and bisection by Sturm counts, which cannot miss a multiple eigenvalue.
phx_result phxi_eigenvalues_symmetric(phxi_heap* heap, double* a, int n, double* values);
