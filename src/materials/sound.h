// SPDX-License-Identifier: MIT
// Slower sound for what breaks. Explicit steps are as short as sound needs from particle to particle, and real glass
// asks for millions of them a second. A body with sound k times as slow has Young's modulus E / k^2; which strength and
// toughness G belong to that depends on what loads it (docs/theory/fracture.md section 7).
//   waves   strength / k, G. Kept: the stress of a wave, density * sound * speed, over the strength; the energy a
//           volume stores until it breaks, strength^2 / (2 E); the energy of cracks.
//   blows   strength / k^(4/5), k^(2/5) G. What falls on a round part is held by a contact that grows with its depth,
//           and the force of that blow goes with E^(2/5) (Hertz 1881), not with the root of E. Kept: the force over the
//           strength; the energy of bending and stretching over that of cracks.
// Both keep the length E G / strength^2. What is not kept is the strain before breaking, k or k^(6/5) times as large,
// and how far static loads are from the strength.
#pragma once

#include "materials/material.h"

/// k: speed of sound (phxi_sound_speed) over sound_limit, at least 1; 1: it is computed as it is.
double phxi_material_slowing(const phx_material_def* material);
/// The material with sound k times as slow.
phx_material_def phxi_material_slowed(const phx_material_def* material, double k);
/// n: its strength falls as the n-th power of k.
double phxi_slowed_strength_exponent(const phx_material_def* material);
