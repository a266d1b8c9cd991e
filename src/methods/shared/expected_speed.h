// SPDX-License-Identifier: MIT
// How fast fluids of a world will flow: what weakly compressible ones take their speed of sound from.
#pragma once

#include "methods/method.h"

/// Ten times this is the speed of sound of a fluid whose density is to change by a percent.
#define PHXI_SOUND_PER_SPEED 10.0
/// m/s, where nothing moves or falls.
#define PHXI_SLOW_SOUND 1.0

/// The speed that bodies of a family (phxi_method.family) will reach, m/s: that of now, or of a fall sqrt(2 g H) from
/// the highest of their particles to the lowest, to the lowest of those that move by drivers alone, or to a collider.
double phxi_expected_speed(const phxi_step* step, int family);
