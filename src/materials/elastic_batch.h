// SPDX-License-Identifier: MIT
// The same laws for many particles at once, in state precision, eight lanes wide.
//
// G is the displacement gradient F - I, not F: for small strains F - I keeps digits that F has lost in float.
// States a law cannot take (flat, inverted, huge) give large finite restoring stresses; NaN comes out only where NaN
// went in, in all nine components and the energy. ln det F, its powers and 1/det F are continued below det F = 0.05 by
// tangents (hencky: ln s below s = 0.05), so that stress stays the gradient of the energy; |G| counts as 1000 at most.
// F of rank < 3 is not the batch's business. Each particle's bits are the same at every place and count.
#pragma once

#include "materials/elastic.h"
#include "math/simd.h"

/// Component k = 3*row + column of particle i at g[k * stride + i]; p likewise; stride >= count, both 64-byte aligned
/// with stride a multiple of 16 (but not of 4096 bytes: 18 planes in the same cache sets take twice the time). `energy`
/// (may be NULL) in J/m^3.
void phxi_elastic_batch(const phxi_elastic* elastic, int count, int stride, const phx_real* g, phx_real* p,
                        phx_real* energy);
