// SPDX-License-Identifier: MIT
// What every loop of SPH over pairs must do, and nothing else: beside it the loops of wcsph are measured. By
// PHXI_LANES_CALL.
#pragma once

#include "methods/wcsph/wcsph_internal.h"

void phxi_bare_wcsph_rows(const phxi_wcsph* s, int begin, int end, phxi_r4* sums);
void phxi_bare_wcsph_rows_avx512(const phxi_wcsph* s, int begin, int end, phxi_r4* sums);
