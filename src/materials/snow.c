// SPDX-License-Identifier: MIT
// See snow.h.
#include "materials/snow.h"

#include <math.h>

#define LEAST (0.6 - 1)
#define MOST  (20.0 - 1)

bool phxi_snow_is(const phx_material_def* def) {
    return def->critical_compression > 0;
}

phxi_snow phxi_snow_from(const phx_material_def* def) {
    return (phxi_snow){def->critical_compression, def->critical_stretch, def->packing};
}

double phxi_snow_stiffness(const phxi_snow* snow, double packed) {
    return exp(-snow->packing * packed);
}

void phxi_snow_return(const phxi_snow* snow, double stretch[3], double* packed) {
    double volume = 1 + *packed;
    for (int a = 0; a < 3; ++a) {
        double kept = fmin(fmax(stretch[a], -snow->compression), snow->stretch);
        volume *= (1 + stretch[a]) / (1 + kept);
        stretch[a] = kept;
    }
    *packed = fmin(fmax(volume - 1, LEAST), MOST);
}

void phxi_snow_lanes(const phxi_snow* snow, phxi_rw stretch[3], phxi_rw* packed) {
    const phxi_rw zero = {0}, low = zero - PHXI_R(snow->compression), high = zero + PHXI_R(snow->stretch);
    const phxi_rw least = zero + PHXI_R(LEAST), most = zero + PHXI_R(MOST);
    phxi_rw left = *packed; // J_p - 1: products of 1 + x by x + y + x y, so that small ones keep their digits
    for (int a = 0; a < 3; ++a) {
        phxi_rw kept = PHXI_SELECT((phxi_mw)(stretch[a] < low), low, stretch[a]);
        kept = PHXI_SELECT((phxi_mw)(kept > high), high, kept);
        const phxi_rw share = (stretch[a] - kept) / (PHXI_R(1) + kept);
        left += share + left * share;
        stretch[a] = kept;
    }
    left = PHXI_SELECT((phxi_mw)(left < least), least, left);
    *packed = PHXI_SELECT((phxi_mw)(left > most), most, left);
}
