// SPDX-License-Identifier: MIT
#pragma once

#include <phyxel/base.h>

/// Hands one formatted line to the hook, if there is one. `log` may be NULL.
void phxi_log(const phx_log* log, phx_log_level level, const char* format, ...) __attribute__((format(printf, 3, 4)));
