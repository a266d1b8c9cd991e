// SPDX-License-Identifier: MIT
// Numbers by key: an open hash table from 64-bit keys (or pairs of ints) to ints. Grows; nothing is ever taken out.
#pragma once

#include "core/heap.h"

typedef struct phxi_key_table {
    phxi_heap* heap;
    uint64_t* keys;
    int* values; // -1: a free slot
    size_t size; // a power of two, or 0
    int count;
} phxi_key_table;

/// Where the value of a key is: -1 if the key is new, for the caller to fill (with 0 or more). NULL: no memory. Good
/// until the next call.
int* phxi_key_slot(phxi_key_table* table, uint64_t key);
/// The value of a key, -1 if it is not there.
int phxi_key_find(const phxi_key_table* table, uint64_t key);
void phxi_key_clear(phxi_key_table* table); // keeps the memory
void phxi_key_destroy(phxi_key_table* table);

static inline uint64_t phxi_key_pair(int a, int b) {
    return (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
}
