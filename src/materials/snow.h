// SPDX-License-Identifier: MIT
// Snow (Stomakhin et al. 2013; docs/theory/materials.md (29), (30)): elastic within a critical compression and a
// critical stretch, stiffer where it is packed, softer where it has parted.
//
// A particle carries its elastic deformation and J_p, the volume by what has left that, over the one before. With s_a
// the principal stretches of a trial:
//     s_a' = min(max(s_a, 1 - theta_c), 1 + theta_s),   J_p' = J_p prod s_a / s_a'   (what leaves F_e goes to F_p)
// and the stress of the elastic law is multiplied by exp(xi (1 - J_p)). J_p is kept from 0.6 to 20: a ball that is
// hit hard would be stiffer than ice, and ask for steps as small.
#pragma once

#include "math/wide.h"

#include <phyxel/types.h>

typedef struct phxi_snow {
    double compression, stretch; // theta_c, theta_s
    double packing;              // xi
} phxi_snow;

bool phxi_snow_is(const phx_material_def* def);
phxi_snow phxi_snow_from(const phx_material_def* def);
/// One particle: principal stretches less one in and out, J_p - 1 in and out.
void phxi_snow_return(const phxi_snow* snow, double stretch[3], double* packed);
/// Stiffness over that of fresh snow, of J_p - 1.
double phxi_snow_stiffness(const phxi_snow* snow, double packed);

/// As many particles as there are lanes, in state precision: the same operations.
void phxi_snow_lanes(const phxi_snow* snow, phxi_rw stretch[3], phxi_rw* packed);
