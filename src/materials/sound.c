// SPDX-License-Identifier: MIT
#include "materials/sound.h"

#include <math.h>

double phxi_material_slowing(const phx_material_def* material) {
    return material->sound_limit > 0 ? fmax(1, phxi_sound_speed(material) / material->sound_limit) : 1;
}

double phxi_slowed_strength_exponent(const phx_material_def* material) {
    return material->slowed_for == PHX_SLOWED_FOR_BLOWS ? 0.8 : 1;
}

phx_material_def phxi_material_slowed(const phx_material_def* material, double k) {
    phx_material_def slowed = *material;
    double weaker = pow(k, phxi_slowed_strength_exponent(material));
    slowed.young /= k * k;
    slowed.strength /= weaker;
    slowed.toughness *= (k / weaker) * (k / weaker); // as strength^2 / E: the length E G / strength^2 stays
    slowed.yield *= k * k / weaker;                  // a strain: the yield stress goes with the strength
    return slowed;
}
