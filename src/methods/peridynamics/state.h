// SPDX-License-Identifier: MIT
// Bonds that change, to and from checkpoints.
#pragma once

#include "methods/peridynamics/peri_internal.h"

void phxi_peri_pack(const void* state, phxi_sink* sink);
phx_result phxi_peri_unpack(void* state, phxi_step* step, const uint8_t* bytes, size_t size);
