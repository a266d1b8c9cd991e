// SPDX-License-Identifier: MIT
#include "core/log.h"

#include <stdarg.h>
#include <stdio.h>

void phxi_log(const phx_log* log, phx_log_level level, const char* format, ...) {
    if (!log || !log->write) {
        return;
    }
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length >= 0) {
        log->write(log->context, level, line);
    }
}
