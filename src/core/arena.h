// SPDX-License-Identifier: MIT
// Scratch memory of one step: a stack that grows to its high-water mark while warming up and then allocates nothing.
// Everything taken is given back at once by a reset, which also merges chunks that were too small into one.
#pragma once

#include "core/heap.h"

typedef struct phxi_arena {
    phxi_heap* heap;
    const char* label;
    struct phxi_arena_chunk* chunk; // newest
    size_t used;                    // bytes of the newest chunk in use
    size_t total, high_water;       // over all chunks
} phxi_arena;

void phxi_arena_init(phxi_arena* arena, phxi_heap* heap, const char* label);
void phxi_arena_destroy(phxi_arena* arena);
/// 64-byte aligned, not cleared (filled with 0xFF in debug builds, a NaN in both precisions); NULL sets the error.
void* phxi_arena_take(phxi_arena* arena, size_t count, size_t size);
/// Gives everything back; merges chunks into one of the high-water size.
void phxi_arena_reset(phxi_arena* arena);
