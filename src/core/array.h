// SPDX-License-Identifier: MIT
// Growable arrays: a struct {items, count, capacity} of any type, grown by half.
//   PHXI_ARRAY(int) ids = {0};
//   int* slot = phxi_array_add(&ids, heap, "ids");  if (!slot) return PHX_ERROR_MEMORY;
#pragma once

#include "core/heap.h"

#define PHXI_ARRAY(type)                                                                                               \
    struct {                                                                                                           \
        type* items;                                                                                                   \
        int count, capacity;                                                                                           \
    }

/// Makes room for `extra` more items; false (error set) when memory or int runs out; the array is unchanged then.
bool phxi_array_reserve_bytes(void** items, int count, int* capacity, int extra, size_t size, phxi_heap* heap,
                              const char* label);
#define phxi_array_reserve(array, extra, heap, label)                                                                  \
    phxi_array_reserve_bytes((void**)&(array)->items, (array)->count, &(array)->capacity, (extra),                     \
                             sizeof *(array)->items, (heap), (label))
/// Address of a new, uncleared item at the end, or NULL.
#define phxi_array_add(array, heap, label)                                                                             \
    (phxi_array_reserve((array), 1, (heap), (label)) ? &(array)->items[(array)->count++] : NULL)
#define phxi_array_destroy(array, heap)                                                                                \
    (phxi_free((heap), (array)->items), (array)->items = NULL, (array)->count = (array)->capacity = 0)
