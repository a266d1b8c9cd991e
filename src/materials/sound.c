// SPDX-License-Identifier: MIT
#include "materials/sound.h"

#include <math.h>

double phxi_material_slowing(const phx_material_def* material) {
    return material->sound_limit > 0 ? fmax(1, phxi_sound_speed(material) / material->sound_limit) : 1;
}

phx_material_def phxi_material_slowed(const phx_material_def* material, double k) {
    phx_material_def slowed = *material;
    slowed.young /= k * k;
    slowed.strength /= k;
    slowed.yield *= k; // a strain: the yield stress goes with the strength
    return slowed;
}
