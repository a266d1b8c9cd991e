// SPDX-License-Identifier: MIT
// Growth by half keeps the waste below a third and the copies per item below three.
#include "core/array.h"

#include <limits.h>
#include <string.h>

bool phxi_array_reserve_bytes(void** items, int count, int* capacity, int extra, size_t size, phxi_heap* heap,
                              const char* label) {
    if (extra <= *capacity - count) {
        return true;
    }
    if (extra > INT_MAX - count) {
        phxi_fail(PHX_ERROR_MEMORY, "%s would be more than %d items", label, INT_MAX);
        return false;
    }
    int grown = *capacity > INT_MAX / 3 * 2 ? INT_MAX : *capacity + *capacity / 2;
    int wanted = count + extra > grown ? count + extra : grown;
    wanted = wanted < 8 ? 8 : wanted;
    // `items` is the address of a pointer to another type: copied as bytes, as aliasing it would be undefined.
    void* memory;
    memcpy(&memory, items, sizeof memory);
    memory = phxi_realloc(heap, memory, (size_t)wanted, size, label);
    if (!memory) {
        return false;
    }
    memcpy(items, &memory, sizeof memory);
    *capacity = wanted;
    return true;
}
