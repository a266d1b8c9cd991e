// SPDX-License-Identifier: MIT
// The error message of each thread. A message is formatted beside the kept one and copied over it afterwards, so that
// the old message may itself be an argument of the new one.
#include "core/error.h"

#include <stdio.h>
#include <string.h>

enum { MESSAGE_SIZE = 1024 };

static _Thread_local char message[MESSAGE_SIZE];

const char* phx_error_message(void) {
    return message;
}

const char* phx_result_name(phx_result result) {
    static const char* const names[] = {
        [PHX_OK] = "PHX_OK",
        [PHX_ERROR_ARGUMENT] = "PHX_ERROR_ARGUMENT",
        [PHX_ERROR_MEMORY] = "PHX_ERROR_MEMORY",
        [PHX_ERROR_IO] = "PHX_ERROR_IO",
        [PHX_ERROR_FORMAT] = "PHX_ERROR_FORMAT",
        [PHX_ERROR_STALE_ID] = "PHX_ERROR_STALE_ID",
        [PHX_ERROR_UNSTABLE] = "PHX_ERROR_UNSTABLE",
        [PHX_ERROR_UNSUPPORTED] = "PHX_ERROR_UNSUPPORTED",
        [PHX_ERROR_CANCELLED] = "PHX_ERROR_CANCELLED",
    };
    size_t index = (size_t)result;
    return index < sizeof names / sizeof names[0] ? names[index] : "PHX_ERROR_?";
}

phx_result phxi_fail_v(phx_result result, const char* format, va_list arguments) {
    char text[MESSAGE_SIZE];
    if (vsnprintf(text, sizeof text, format, arguments) < 0) {
        text[0] = 0;
    }
    memcpy(message, text, strlen(text) + 1);
    return result;
}

phx_result(phxi_fail)(phx_result result, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    phxi_fail_v(result, format, arguments);
    va_end(arguments);
    return result;
}

phx_result(phxi_fail_within)(phx_result result, const char* format, ...) {
    char inner[MESSAGE_SIZE];
    memcpy(inner, message, sizeof inner);
    va_list arguments;
    va_start(arguments, format);
    phxi_fail_v(result, format, arguments);
    va_end(arguments);
    return phxi_fail(result, "%s: %s", message, inner);
}

phx_result(phxi_fail_memory)(const char* label) {
    return phxi_fail(PHX_ERROR_MEMORY, "no memory for %s", label ? label : "a block");
}
