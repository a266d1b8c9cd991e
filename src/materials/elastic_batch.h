// SPDX-License-Identifier: MIT
// The same laws for many particles at once, in state precision, eight lanes wide.
//
// G is the displacement gradient F - I, not F: for small strains F - I keeps digits that F has lost in float.
// States a law cannot take (flat, inverted, huge, NaN) give large finite restoring stresses, or NaN only for NaN input:
// det F is clamped from below at 0.05 in logarithms and inverses. F of rank < 3 is not the batch's business.
#pragma once

#include "materials/elastic.h"
#include "math/simd.h"

/// Component k = 3*row + column of particle i at g[k * stride + i]; p likewise; stride >= count, both 64-byte aligned
/// with stride a multiple of 16. `energy` (may be NULL) in J/m^3.
void phxi_elastic_batch(const phxi_elastic* elastic, int count, int stride, const phx_real* g, phx_real* p, phx_real* energy);
