// SPDX-License-Identifier: MIT
// Chunks in a list, the newest one filled from its start. Each new chunk is at least twice the last, so warming up
// takes few allocations; reset replaces several chunks by one of the high-water size, and from then on a step that
// takes the same sizes finds all of them in that one.
#include "core/arena.h"

#include <string.h>

enum { ALIGNMENT = 64, FIRST_CHUNK = 1 << 16 };

typedef struct phxi_arena_chunk {
    struct phxi_arena_chunk* previous;
    size_t size; // bytes behind this header
    char padding[ALIGNMENT - sizeof(void*) - sizeof(size_t)];
} arena_chunk;

_Static_assert(sizeof(arena_chunk) == ALIGNMENT, "memory behind the header must stay aligned");

void phxi_arena_init(phxi_arena* arena, phxi_heap* heap, const char* label) {
    *arena = (phxi_arena){.heap = heap, .label = label};
}

void phxi_arena_destroy(phxi_arena* arena) {
    while (arena->chunk) {
        arena_chunk* previous = arena->chunk->previous;
        phxi_free(arena->heap, arena->chunk);
        arena->chunk = previous;
    }
    arena->used = arena->total = 0;
}

static bool add_chunk(phxi_arena* arena, size_t size) {
    arena_chunk* chunk = phxi_alloc(arena->heap, size + sizeof *chunk, 1, arena->label);
    if (!chunk) {
        return false;
    }
    chunk->previous = arena->chunk;
    chunk->size = size;
    arena->chunk = chunk;
    arena->used = 0;
    return true;
}

void* phxi_arena_take(phxi_arena* arena, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX / 4) {
        phxi_fail_memory(arena->label);
        return NULL;
    }
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!arena->chunk || bytes > arena->chunk->size - arena->used) {
        size_t wanted = arena->chunk ? 2 * arena->chunk->size : FIRST_CHUNK;
        if (!add_chunk(arena, wanted > bytes ? wanted : bytes)) {
            return NULL;
        }
    }
    char* memory = (char*)(arena->chunk + 1) + arena->used;
    arena->used += bytes;
    arena->total += bytes;
    if (arena->high_water < arena->total) {
        arena->high_water = arena->total;
    }
#ifndef NDEBUG
    memset(memory, 0xFF, bytes);
#endif
    return memory;
}

void phxi_arena_reset(phxi_arena* arena) {
    if (arena->chunk && arena->chunk->previous) {
        phxi_arena_destroy(arena);
        add_chunk(arena, arena->high_water); // without memory the next take tries again and reports it
    }
    arena->used = arena->total = 0;
}
