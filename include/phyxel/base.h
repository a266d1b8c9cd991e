// SPDX-License-Identifier: MIT
/// Result codes, error messages, version, memory and log hooks: what every other header builds on.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(PHX_BUILDING)
#define PHX_API __attribute__((visibility("default")))
#else
#define PHX_API
#endif

#define PHX_VERSION_MAJOR 0
#define PHX_VERSION_MINOR 1
#define PHX_VERSION_PATCH 0

/// Particle state. Definitions and measured totals are always double.
#ifdef PHX_DOUBLE
typedef double phx_real;
#else
typedef float phx_real;
#endif

typedef enum phx_result {
    PHX_OK = 0,
    PHX_ERROR_ARGUMENT,    ///< an argument the function cannot accept
    PHX_ERROR_MEMORY,      ///< the allocator returned NULL
    PHX_ERROR_IO,          ///< a file cannot be opened, read or written
    PHX_ERROR_FORMAT,      ///< a file or text is malformed; the message has file:line:column
    PHX_ERROR_STALE_ID,    ///< an id whose object was destroyed, or of another world
    PHX_ERROR_UNSTABLE,    ///< the state is no longer finite; the message names particle, body, method and stage
    PHX_ERROR_UNSUPPORTED, ///< not supported by this build or this method
    PHX_ERROR_CANCELLED,   ///< a callback asked to stop
} phx_result;

/// "PHX_ERROR_FORMAT" and so on; "PHX_ERROR_?" for an unknown code.
PHX_API const char* phx_result_name(phx_result result);

/// Describes the last failed call of this thread. Never NULL; valid until the next failing call.
PHX_API const char* phx_error_message(void);

/// "0.1.0 (float)".
PHX_API const char* phx_version(void);

/// Where the library gets its memory. Both functions may be called from several threads at once. `alloc` returns
/// memory aligned to 64 bytes or NULL; `label` names its purpose. A zeroed struct means malloc and free.
typedef struct phx_allocator {
    void* (*alloc)(void* context, size_t size, const char* label);
    void (*free)(void* context, void* memory);
    void* context;
} phx_allocator;

typedef enum phx_log_level { PHX_LOG_INFO, PHX_LOG_WARNING } phx_log_level;

/// Receives one line without a newline. The library itself never prints.
typedef struct phx_log {
    void (*write)(void* context, phx_log_level level, const char* line);
    void* context;
} phx_log;

#ifdef __cplusplus
}
#endif
