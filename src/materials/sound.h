// SPDX-License-Identifier: MIT
// Slower sound for what breaks. Explicit steps are as short as sound needs from particle to particle, and real glass
// asks for millions of them a second. With Young's modulus E / k^2, strength / k and the same toughness
//   the stress of a blow, density * sound * speed, over the strength,
//   the energy a volume stores until it breaks, strength^2 / (2 E),
//   and the energy of cracks and the length that goes with it, E G / strength^2,
// are those of the real material: what breaks, and into what, is the same as long as a blow is short beside everything
// else. What is not kept is the strain before breaking, k times as large, and how far static loads are from the
// strength (docs/theory/fracture.md section 7).
#pragma once

#include "materials/material.h"

/// k: speed of sound (phxi_sound_speed) over sound_limit, at least 1; 1: it is computed as it is.
double phxi_material_slowing(const phx_material_def* material);
/// The material with sound k times as slow.
phx_material_def phxi_material_slowed(const phx_material_def* material, double k);
