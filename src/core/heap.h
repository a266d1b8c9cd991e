// SPDX-License-Identifier: MIT
// All memory of the library: an allocator of the caller, with a count and a label for every block.
//
// A heap is owned by whoever owns the memory (a world, a mesh, a scene being read). Blocks of one heap are counted by
// label so that phx_world_memory() can list them. Blocks are 64-byte aligned.
#pragma once

#include <phyxel/base.h>
#include "core/error.h"

typedef struct phxi_heap {
    phx_allocator allocator;
    struct phxi_heap_block* blocks; // every live block, for the list by label (guarded by `lock`)
    int lock;                       // spin lock: allocation is rare and short
    int64_t allocations;            // ever made; a step after warm-up must not move it
    int64_t failures;               // ever asked for and not to be had
    size_t live_bytes, peak_bytes;
} phxi_heap;

/// `allocator` NULL or zeroed: aligned malloc and free.
void phxi_heap_init(phxi_heap* heap, const phx_allocator* allocator);
/// Frees whatever is still there.
void phxi_heap_destroy(phxi_heap* heap);

/// `count` items of `size` bytes, not cleared. NULL only when memory or the product overflows (the error is set by
/// then). Zero items give a valid pointer. `label` must outlive the block (a literal).
void* phxi_alloc(phxi_heap* heap, size_t count, size_t size, const char* label);
/// The same, cleared.
void* phxi_alloc_zero(phxi_heap* heap, size_t count, size_t size, const char* label);
/// A block moved to a new size, the old one kept on failure. `memory` may be NULL.
void* phxi_realloc(phxi_heap* heap, void* memory, size_t count, size_t size, const char* label);
/// NULL is fine.
void phxi_free(phxi_heap* heap, void* memory);
/// A copy of a text.
char* phxi_strdup(phxi_heap* heap, const char* text, const char* label);

/// Calls `visit` once for every label with its bytes and blocks, sorted by label.
void phxi_heap_visit(phxi_heap* heap, void (*visit)(void* context, const char* label, size_t bytes, int blocks),
                     void* context);

/// Allocate or leave: PHXI_NEW(items, heap, count, "label").
#define PHXI_NEW(pointer, heap, count, label)                                                                          \
    do {                                                                                                               \
        (pointer) = phxi_alloc((heap), (size_t)(count), sizeof *(pointer), (label));                                   \
        if (!(pointer)) {                                                                                              \
            return PHX_ERROR_MEMORY;                                                                                   \
        }                                                                                                              \
    } while (0)
