// SPDX-License-Identifier: MIT
// Sixteen floats at a time (math/lanes.h).
#define PHXI_LANES_WIDE
#include "bench/bare_granular.c"
