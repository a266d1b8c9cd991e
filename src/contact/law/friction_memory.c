// SPDX-License-Identifier: MIT
#include "contact/law/friction_memory.h"

#include <string.h>

enum { FIRST_ROOM = 1024 }; // small worlds never need more
static const char label[] = "friction";

static bool is_before(const phxi_friction_slip* slip, int i, int j) {
    return slip->i < i || (slip->i == i && slip->j < j);
}

phx_result phxi_friction_memory_create(phxi_friction_memory* memory, phxi_heap* heap) {
    bool roomy = phxi_array_reserve(&memory->now, FIRST_ROOM, heap, label) &&
                 phxi_array_reserve(&memory->next, FIRST_ROOM, heap, label);
    return roomy ? PHX_OK : PHX_ERROR_MEMORY;
}

void phxi_friction_memory_destroy(phxi_friction_memory* memory, phxi_heap* heap) {
    phxi_array_destroy(&memory->now, heap);
    phxi_array_destroy(&memory->next, heap);
}

int phxi_friction_memory_from(const phxi_friction_memory* memory, int i, int j) {
    int low = 0, high = memory->now.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (is_before(&memory->now.items[middle], i, j)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const phxi_friction_slip* phxi_friction_memory_find(const phxi_friction_memory* memory, int i, int j, int* at) {
    while (*at < memory->now.count && is_before(&memory->now.items[*at], i, j)) {
        ++*at;
    }
    const phxi_friction_slip* slip = *at < memory->now.count ? &memory->now.items[*at] : NULL;
    return slip && slip->i == i && slip->j == j ? slip : NULL;
}

phx_result phxi_friction_memory_add(phxi_friction_memory* memory, phxi_heap* heap, const phxi_friction_slip* more,
                                    int count) {
    if (!phxi_array_reserve(&memory->next, count, heap, label)) {
        return PHX_ERROR_MEMORY;
    }
    if (count > 0) {
        memcpy(memory->next.items + memory->next.count, more, (size_t)count * sizeof *more);
    }
    memory->next.count += count;
    return PHX_OK;
}

void phxi_friction_memory_turn(phxi_friction_memory* memory) {
    phxi_friction_memory before = *memory;
    memcpy(&memory->now, &before.next, sizeof memory->now);
    memcpy(&memory->next, &before.now, sizeof memory->next);
    memory->next.count = 0;
}

void phxi_friction_memory_shift(phxi_friction_memory* memory, int at, int count) {
    for (int k = 0; k < memory->now.count; ++k) {
        phxi_friction_slip* slip = &memory->now.items[k];
        slip->i += slip->i >= at ? count : 0;
        slip->j += slip->j >= at ? count : 0;
    }
}

static bool is_sound(const phxi_friction_slip* slip, const phxi_friction_slip* before, int particles) {
    bool finite = isfinite(slip->slip[0]) && isfinite(slip->slip[1]) && isfinite(slip->slip[2]);
    bool there = slip->i >= 0 && slip->i < particles && slip->j < particles && (slip->j == -1 || slip->j > slip->i);
    return finite && there && (!before || is_before(before, slip->i, slip->j));
}

phx_result phxi_friction_memory_unpack(phxi_friction_memory* memory, phxi_heap* heap, const uint8_t* bytes, size_t size,
                                       int particles) {
    size_t count = size / sizeof(phxi_friction_slip);
    if (size % sizeof(phxi_friction_slip) != 0 || count > INT32_MAX) {
        return phxi_fail(PHX_ERROR_FORMAT, "%zu bytes of friction, expected a multiple of %zu", size,
                         sizeof(phxi_friction_slip));
    }
    memory->next.count = 0;
    if (!phxi_array_reserve(&memory->next, (int)count, heap, label)) {
        return PHX_ERROR_MEMORY;
    }
    if (count > 0) {
        memcpy(memory->next.items, bytes, size);
    }
    for (int k = 0; k < (int)count; ++k) {
        const phxi_friction_slip* slip = &memory->next.items[k];
        if (!is_sound(slip, k > 0 ? slip - 1 : NULL, particles)) {
            return phxi_fail(PHX_ERROR_FORMAT, "friction of particles %d and %d is not sound", slip->i, slip->j);
        }
    }
    memory->next.count = (int)count;
    phxi_friction_memory_turn(memory);
    return PHX_OK;
}
