// SPDX-License-Identifier: MIT
// Generational ids: an index and the generation of its slot, so that an id of something gone is noticed. Pools
// whose generations begin elsewhere do not take each other's ids.
#pragma once

#include "core/array.h"

typedef struct phxi_id_pool {
    PHXI_ARRAY(uint32_t) generations; // odd: in use
    PHXI_ARRAY(int) free_slots;
    uint32_t first; // generation of a slot that was never used, even; slots have 65536 of them
} phxi_id_pool;

phx_result phxi_id_take(phxi_id_pool* pool, phxi_heap* heap, const char* label, int* index, uint32_t* generation);
bool phxi_id_valid(const phxi_id_pool* pool, int index, uint32_t generation);
/// The generation of what is at an index now; 0, which is never valid: nothing is.
uint32_t phxi_id_generation(const phxi_id_pool* pool, int index);
void phxi_id_give(phxi_id_pool* pool, int index);
void phxi_id_pool_destroy(phxi_id_pool* pool, phxi_heap* heap);
