// SPDX-License-Identifier: MIT
// The test harness: TEST(name) { ENSURE(...); } in a file of its own, no list to keep. Each case runs in a process of
// its own under CTest, reports every failure, and may ask for a scratch folder that no other process can share.
#pragma once

#include <phyxel/phyxel.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct phxt_case {
    const char* name;
    void (*run)(void);
    struct phxt_case* next;
} phxt_case;

void phxt_register(phxt_case* test);
void phxt_failed(const char* file, int line, const char* format, ...) __attribute__((format(printf, 3, 4)));
bool phxt_result(const char* file, int line, const char* text, phx_result got, phx_result wanted);

#define TEST(name)                                                                                                     \
    static void test_##name(void);                                                                                     \
    __attribute__((constructor)) static void register_##name(void) {                                                   \
        static phxt_case test = {#name, test_##name, NULL};                                                            \
        phxt_register(&test);                                                                                          \
    }                                                                                                                  \
    static void test_##name(void)

/// Records a failure and goes on.
#define ENSURE(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            phxt_failed(__FILE__, __LINE__, "failed: %s", #condition);                                                 \
        }                                                                                                              \
    } while (0)

/// Records a failure and leaves the test.
#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            phxt_failed(__FILE__, __LINE__, "failed: %s", #condition);                                                 \
            return;                                                                                                    \
        }                                                                                                              \
    } while (0)

/// |a - b| <= tolerance, with both values in the message; NaN fails.
#define ENSURE_NEAR(a, b, tolerance)                                                                                   \
    do {                                                                                                               \
        double phxt_a = (double)(a), phxt_b = (double)(b), phxt_t = (double)(tolerance);                               \
        if (!(fabs(phxt_a - phxt_b) <= phxt_t)) {                                                                      \
            phxt_failed(__FILE__, __LINE__, "%s = %.17g, expected %s = %.17g within %.3g", #a, phxt_a, #b, phxt_b,     \
                        phxt_t);                                                                                       \
        }                                                                                                              \
    } while (0)

/// The call gives PHX_OK; the library's message is printed if not. REQUIRE_OK also leaves the test.
#define ENSURE_OK(call) (void)phxt_result(__FILE__, __LINE__, #call, (call), PHX_OK)
#define REQUIRE_OK(call)                                                                                               \
    do {                                                                                                               \
        if (!phxt_result(__FILE__, __LINE__, #call, (call), PHX_OK)) {                                                 \
            return;                                                                                                    \
        }                                                                                                              \
    } while (0)
/// The call gives this error.
#define ENSURE_RESULT(call, wanted) (void)phxt_result(__FILE__, __LINE__, #call, (call), (wanted))
/// The last error message of this thread contains `part`.
#define ENSURE_MESSAGE(part)                                                                                           \
    do {                                                                                                               \
        if (!strstr(phx_error_message(), (part))) {                                                                    \
            phxt_failed(__FILE__, __LINE__, "message \"%s\" lacks \"%s\"", phx_error_message(), (part));               \
        }                                                                                                              \
    } while (0)

/// `count` steps, or `fewer` under a sanitizer: it looks at how memory is used, and every step uses it alike.
#ifdef PHXT_SANITIZED
#define PHXT_STEPS(count, fewer) (fewer)
#else
#define PHXT_STEPS(count, fewer) (count)
#endif

/// An empty folder for this process alone (under the build folder), removed when the test passes.
const char* phxt_scratch(void);
/// "<scratch>/<name>", in one of a few rotating buffers.
const char* phxt_path(const char* name);
/// A path below the source tree, likewise.
const char* phxt_source(const char* name);
/// Writes bytes to a file; the test fails if that cannot be done.
void phxt_write(const char* path, const void* bytes, size_t size);
/// Reads a whole file, zero terminated; free() it. NULL and a failure if it cannot be read.
char* phxt_read(const char* path, size_t* size);

/// An allocator that counts, and fails from the n-th allocation on (`fail_at` < 0: never).
typedef struct phxt_heap {
    phx_allocator allocator;  // give this to a def
    int64_t allocations;      // so far
    int64_t live, live_bytes; // now
    int64_t fail_at;
} phxt_heap;
void phxt_heap_init(phxt_heap* heap, int64_t fail_at);

/// Reproducible random numbers in [0,1), from a state of the caller.
double phxt_random(uint64_t* state);
