// SPDX-License-Identifier: MIT
// Every block has a header of 64 bytes in front (so that the memory behind it keeps the allocator's alignment) and
// stands in a doubly linked list. That costs a cache line per block, which is nothing for the few large blocks of a
// simulation, and gives lists by label and a destroy that cannot leak.
#include "core/heap.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

typedef struct phxi_heap_block {
    struct phxi_heap_block *previous, *next;
    const char* label;
    size_t size; // as asked for
    char padding[ALIGNMENT - 3 * sizeof(void*) - sizeof(size_t)];
} heap_block;

_Static_assert(sizeof(heap_block) == ALIGNMENT, "memory behind the header must stay aligned");

static void* default_alloc(void* context, size_t size, const char* label) {
    (void)context, (void)label;
    return aligned_alloc(ALIGNMENT, (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

static void default_free(void* context, void* memory) {
    (void)context;
    free(memory);
}

static void lock(phxi_heap* heap) {
    while (__atomic_exchange_n(&heap->lock, 1, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
}

static void unlock(phxi_heap* heap) {
    __atomic_store_n(&heap->lock, 0, __ATOMIC_RELEASE);
}

void phxi_heap_init(phxi_heap* heap, const phx_allocator* allocator) {
    *heap = (phxi_heap){.allocator = {default_alloc, default_free, NULL}};
    if (allocator && allocator->alloc && allocator->free) {
        heap->allocator = *allocator;
    }
}

void phxi_heap_destroy(phxi_heap* heap) {
    while (heap->blocks) {
        phxi_free(heap, heap->blocks + 1);
    }
}

void* phxi_alloc(phxi_heap* heap, size_t count, size_t size, const char* label) {
    size_t bytes;
    heap_block* block = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes) && bytes <= PTRDIFF_MAX - 2 * ALIGNMENT) {
        block = heap->allocator.alloc(heap->allocator.context, bytes + sizeof *block, label);
    }
    if (!block) {
        lock(heap);
        ++heap->failures;
        unlock(heap);
        phxi_fail_memory(label);
        return NULL;
    }
    if ((uintptr_t)block % ALIGNMENT != 0) {
        heap->allocator.free(heap->allocator.context, block);
        phxi_fail(PHX_ERROR_MEMORY, "the allocator's memory for %s is not aligned to %d bytes", label, ALIGNMENT);
        return NULL;
    }
    lock(heap);
    *block = (heap_block){.next = heap->blocks, .label = label ? label : "", .size = bytes};
    if (heap->blocks) {
        heap->blocks->previous = block;
    }
    heap->blocks = block;
    ++heap->allocations;
    heap->live_bytes += bytes;
    if (heap->peak_bytes < heap->live_bytes) {
        heap->peak_bytes = heap->live_bytes;
    }
    unlock(heap);
    return block + 1;
}

void* phxi_alloc_zero(phxi_heap* heap, size_t count, size_t size, const char* label) {
    void* memory = phxi_alloc(heap, count, size, label);
    return memory ? memset(memory, 0, count * size) : NULL;
}

void* phxi_realloc(phxi_heap* heap, void* memory, size_t count, size_t size, const char* label) {
    void* moved = phxi_alloc(heap, count, size, label);
    if (moved && memory) {
        size_t old_size = ((heap_block*)memory - 1)->size, new_size = count * size;
        memcpy(moved, memory, old_size < new_size ? old_size : new_size);
        phxi_free(heap, memory);
    }
    return moved;
}

void phxi_free(phxi_heap* heap, void* memory) {
    if (!memory) {
        return;
    }
    heap_block* block = (heap_block*)memory - 1;
    lock(heap);
    if (block->previous) {
        block->previous->next = block->next;
    } else {
        heap->blocks = block->next;
    }
    if (block->next) {
        block->next->previous = block->previous;
    }
    heap->live_bytes -= block->size;
    unlock(heap);
    heap->allocator.free(heap->allocator.context, block);
}

char* phxi_strdup(phxi_heap* heap, const char* text, const char* label) {
    size_t size = strlen(text) + 1;
    char* copy = phxi_alloc(heap, size, 1, label);
    return copy ? memcpy(copy, text, size) : NULL;
}

void phxi_heap_visit(phxi_heap* heap, void (*visit)(void* context, const char* label, size_t bytes, int blocks),
                     void* context) {
    // One pass per label finds the next label in order and its sums: no memory is needed, and the lock is not held
    // while the visitor runs.
    const char* last = NULL;
    for (;;) {
        const char* label = NULL;
        size_t bytes = 0;
        int blocks = 0;
        lock(heap);
        for (const heap_block* block = heap->blocks; block; block = block->next) {
            if (last && strcmp(block->label, last) <= 0) {
                continue;
            }
            int order = label ? strcmp(block->label, label) : -1;
            if (order < 0) {
                label = block->label;
                bytes = 0;
                blocks = 0;
            }
            if (order <= 0) {
                bytes += block->size;
                ++blocks;
            }
        }
        unlock(heap);
        if (!label) {
            return;
        }
        visit(context, label, bytes, blocks);
        last = label;
    }
}
