// SPDX-License-Identifier: MIT
// The material definition: its table, its checks, its presets.
#pragma once

#include "core/params.h"
#include "materials/elastic.h"

extern const phx_param_table phxi_material_table;
extern const char* const phxi_law_words[];
extern const char* const phxi_flow_words[];

/// Ranges, stamp, and what the table cannot say (bound for its law, ...).
phx_result phxi_material_check(const phx_material_def* def);
#define PHXI_MATERIAL_STAMP 0x4d415431u
