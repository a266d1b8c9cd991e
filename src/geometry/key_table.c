// SPDX-License-Identifier: MIT
// Linear probing, at most half full.
#include "geometry/key_table.h"

#include <string.h>

static uint64_t mix(uint64_t key) {
    key = (key ^ key >> 32) * 0x9e3779b97f4a7c15u;
    return key ^ key >> 29;
}

static size_t place(const phxi_key_table* table, uint64_t key) {
    size_t slot = mix(key) & (table->size - 1);
    while (table->values[slot] >= 0 && table->keys[slot] != key) {
        slot = (slot + 1) & (table->size - 1);
    }
    return slot;
}

static bool grow(phxi_key_table* table) {
    phxi_key_table wider = {.heap = table->heap, .size = table->size ? 2 * table->size : 1024};
    wider.keys = phxi_alloc(table->heap, wider.size, sizeof *wider.keys, "key table");
    wider.values = phxi_alloc(table->heap, wider.size, sizeof *wider.values, "key table");
    if (!wider.keys || !wider.values) {
        phxi_key_destroy(&wider);
        return false;
    }
    memset(wider.values, 0xFF, wider.size * sizeof *wider.values); // -1
    for (size_t i = 0; i < table->size; ++i) {
        if (table->values[i] >= 0) {
            size_t to = place(&wider, table->keys[i]);
            wider.keys[to] = table->keys[i];
            wider.values[to] = table->values[i];
        }
    }
    wider.count = table->count;
    phxi_key_destroy(table);
    *table = wider;
    return true;
}

int* phxi_key_slot(phxi_key_table* table, uint64_t key) {
    if (2 * (size_t)table->count >= table->size && !grow(table)) {
        return NULL;
    }
    size_t slot = place(table, key);
    if (table->values[slot] < 0) {
        table->keys[slot] = key;
        ++table->count;
    }
    return &table->values[slot];
}

int phxi_key_find(const phxi_key_table* table, uint64_t key) {
    return table->size ? table->values[place(table, key)] : -1;
}

void phxi_key_clear(phxi_key_table* table) {
    if (table->size) {
        memset(table->values, 0xFF, table->size * sizeof *table->values);
    }
    table->count = 0;
}

void phxi_key_destroy(phxi_key_table* table) {
    phxi_free(table->heap, table->keys);
    phxi_free(table->heap, table->values);
    *table = (phxi_key_table){.heap = table->heap};
}
