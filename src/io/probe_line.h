// SPDX-License-Identifier: MIT
// What a probe says: the columns of its file.
#pragma once

#include <phyxel/world.h>

enum { PHXI_PROBE_COLUMNS = 46 };
/// Names with units, separated by commas, and a newline.
extern const char phxi_probe_head[];
/// Now, at `time`.
phx_result phxi_probe_line(const phx_world* world, phx_probe_id probe, double time, double numbers[PHXI_PROBE_COLUMNS]);
/// A column by its name without the unit; -1: there is none.
int phxi_probe_column(const char* name);
