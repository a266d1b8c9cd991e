// SPDX-License-Identifier: MIT
// The strain of a block of particles in terms of G = F - I, for elastic and plastic laws alike.
#pragma once

#include "math/wide.h"

/// Green strain xx, yy, zz, xy, xz, yz.
PHXI_INLINE void green_strain_wide(const phxi_rw g[9], phxi_rw e[6]) {
    const phx_real half = PHXI_R(0.5);
    e[0] = g[0] + half * (g[0] * g[0] + g[3] * g[3] + g[6] * g[6]);
    e[1] = g[4] + half * (g[1] * g[1] + g[4] * g[4] + g[7] * g[7]);
    e[2] = g[8] + half * (g[2] * g[2] + g[5] * g[5] + g[8] * g[8]);
    e[3] = half * (g[1] + g[3] + (g[0] * g[1] + g[3] * g[4] + g[6] * g[7]));
    e[4] = half * (g[2] + g[6] + (g[0] * g[2] + g[3] * g[5] + g[6] * g[8]));
    e[5] = half * (g[5] + g[7] + (g[1] * g[2] + g[4] * g[5] + g[7] * g[8]));
}
