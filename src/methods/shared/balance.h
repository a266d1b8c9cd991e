// SPDX-License-Identifier: MIT
// Weights of pairs in irregular bodies, balanced so that inside them a uniform stress is at rest:
// docs/theory/efg.md (18).
#pragma once

#include "neighbors/neighbors.h"
#include "parallel/parallel.h"

/// A body at rest whose gradients are M_i^-1 w_ij x_ij, with M_i = sum_j w_ij x_ij x_ij^T.
typedef struct phxi_balance_body {
    phxi_heap* heap;
    phxi_pool* pool;
    const char* label; // of what is allocated
    int count;
    const phxi_lists* lists;
    const phx_real* rest[3]; // by particle of the body, as the next three
    const phx_real* spacing;
    const double* volume;
    const bool* flat;        // sheets and rods: they have no inside
    const phx_real* area[3]; // outward, m^2: what particles own of the surface; NULL: not known
    const bool* open;        // particles at whose side the body ends at a clamp; NULL: none
    double rank_ratio;       // eigenvalue of M over the largest below which a direction is left out
} phxi_balance_body;

/// `weight`: symmetric, by pair of the lists. Writes e_ij, symmetric too: balanced weights are w exp(e). Zeros for what
/// stands on a lattice inside, which `regular` tells.
phx_result phxi_balance(const phxi_balance_body* body, const double* weight, float* e, bool* regular);
