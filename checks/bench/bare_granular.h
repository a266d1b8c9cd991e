// SPDX-License-Identifier: MIT
// What every loop over pairs of grains must do, and nothing else: gather position and velocity, distance, weight, one
// vector. Beside it the loops of the method granular are measured. By PHXI_LANES_CALL.
#pragma once

#include "methods/granular/granular_internal.h"

void phxi_bare_granular_rows(const phxi_granular* s, int begin, int end, phxi_r4* sums);
void phxi_bare_granular_rows_avx512(const phxi_granular* s, int begin, int end, phxi_r4* sums);
