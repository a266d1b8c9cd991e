// SPDX-License-Identifier: MIT
// How fast fluids of a world will flow; weakly compressible fluids choose their speed of sound by it.
#pragma once

#include "methods/method.h"

/// Ten times this is the speed of sound of a fluid whose density is to change by a percent.
#define PHXI_SOUND_PER_SPEED 10.0
/// m/s, where nothing moves or falls.
#define PHXI_SLOW_SOUND 1.0

/// The speed that bodies of a family (phxi_method.family) will reach, m/s: their current speed, or that of a fall
/// sqrt(2 g H) from their highest particle to the lowest one, to the lowest kinematic particle, or to a collider.
double phxi_expected_speed(const phxi_step* step, int family);
/// How far along the gravity bodies of a family may fall, from the origin on, m: to their lowest particle, to the
/// lowest kinematic one, or to the collider below their highest particle.
double phxi_lowest_fall(const phxi_step* step, int family);
