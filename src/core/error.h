// SPDX-License-Identifier: MIT
// The one way to fail: return phxi_fail(PHX_ERROR_FORMAT, "line %d: ...", line). The text is kept per thread.
#pragma once

#include <phyxel/base.h>

#include <stdarg.h>

/// Keeps the message (cut at 1023 bytes) and returns `result`.
phx_result phxi_fail(phx_result result, const char* format, ...) __attribute__((format(printf, 2, 3)));
phx_result phxi_fail_v(phx_result result, const char* format, va_list arguments);

/// Puts "text: " in front of the message that is there; returns `result`.
phx_result phxi_fail_within(phx_result result, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// PHX_ERROR_MEMORY with the label of what could not be had.
phx_result phxi_fail_memory(const char* label);

/// For clang-tidy: these return what they are given, so execution never continues after a PHXI_TRY with an error.
#ifdef __clang_analyzer__
#define phxi_fail(result, ...)        (phxi_fail(result, __VA_ARGS__), (result))
#define phxi_fail_within(result, ...) (phxi_fail_within(result, __VA_ARGS__), (result))
#define phxi_fail_memory(label)       (phxi_fail_memory(label), PHX_ERROR_MEMORY)
#endif

/// A broken internal invariant, debug builds only (and known to clang-tidy).
#if defined(NDEBUG) && !defined(__clang_analyzer__)
#define PHXI_ASSERT(condition) ((void)0)
#else
#define PHXI_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#endif

/// Begins a public call: refuses it where an address is NULL that must be given, PHXI_NEED(world && info).
#define PHXI_NEED(condition)                                                                                           \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            return phxi_fail(PHX_ERROR_ARGUMENT, "%s: something of '%s' is NULL", __func__, #condition);               \
        }                                                                                                              \
    } while (0)

/// Hands an error on: PHXI_TRY(call(...)).
#define PHXI_TRY(call)                                                                                                 \
    do {                                                                                                               \
        phx_result phxi_try_result = (call);                                                                           \
        if (phxi_try_result != PHX_OK) {                                                                               \
            return phxi_try_result;                                                                                    \
        }                                                                                                              \
    } while (0)
