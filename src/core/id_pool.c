// SPDX-License-Identifier: MIT
// A slot's generation is odd while in use and grows by one on take and on give. Room for a slot in the free list is
// made when it is taken, so that giving back cannot fail. A slot whose generations have run out is never used again.
#include "core/id_pool.h"

phx_result phxi_id_take(phxi_id_pool* pool, phxi_heap* heap, const char* label, int* index, uint32_t* generation) {
    if (pool->free_slots.count > 0) {
        *index = pool->free_slots.items[--pool->free_slots.count];
    } else {
        if (!phxi_array_reserve(&pool->generations, 1, heap, label) ||
            !phxi_array_reserve(&pool->free_slots, pool->generations.count + 1, heap, label)) {
            return PHX_ERROR_MEMORY;
        }
        *index = pool->generations.count++;
        pool->generations.items[*index] = pool->first;
    }
    *generation = ++pool->generations.items[*index];
    return PHX_OK;
}

bool phxi_id_valid(const phxi_id_pool* pool, int index, uint32_t generation) {
    return index >= 0 && index < pool->generations.count && (generation & 1) != 0 &&
           pool->generations.items[index] == generation;
}

uint32_t phxi_id_generation(const phxi_id_pool* pool, int index) {
    uint32_t generation = index >= 0 && index < pool->generations.count ? pool->generations.items[index] : 0;
    return (generation & 1) != 0 ? generation : 0;
}

void phxi_id_give(phxi_id_pool* pool, int index) {
    if (index < 0 || index >= pool->generations.count || (pool->generations.items[index] & 1) == 0) {
        return;
    }
    if ((++pool->generations.items[index] & 0xFFFF) != 0) {
        pool->free_slots.items[pool->free_slots.count++] = index;
    }
}

void phxi_id_pool_destroy(phxi_id_pool* pool, phxi_heap* heap) {
    phxi_array_destroy(&pool->generations, heap);
    phxi_array_destroy(&pool->free_slots, heap);
}
