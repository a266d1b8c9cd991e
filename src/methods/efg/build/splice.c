// SPDX-License-Identifier: MIT
// Rows of one body put in the place of its old ones, while those of all others stay what they are: after a body has
// been given new neighbourhoods (particles split, a new reference). Shapes of memory: efg_internal.h.
//
// All room is made first; what follows only moves memory and cannot fail.
#include "methods/efg/build/build.h"

#include "methods/efg/fracture/fracture.h"

#include <string.h>

void phxi_efg_destroy_rows(phxi_efg* efg, phxi_heap* heap) {
    phxi_array_destroy(&efg->jobs, heap);
    phxi_array_destroy(&efg->start, heap);
    phxi_array_destroy(&efg->list, heap);
    phxi_array_destroy(&efg->gradient, heap);
    phxi_array_destroy(&efg->offset, heap);
    phxi_array_destroy(&efg->groups, heap);
    phxi_array_destroy(&efg->lanes, heap);
    phxi_array_destroy(&efg->u, heap);
    phxi_array_destroy(&efg->rows, heap);
    phxi_array_destroy(&efg->flats, heap);
    phxi_array_destroy(&efg->blocks, heap);
    phxi_array_destroy(&efg->sums, heap);
    phxi_array_destroy(&efg->slots, heap);
}

/// What of every array belongs to the slot.
typedef struct extent {
    int row, rows, pair, pairs, gradient, gradients, flat, flats, block, blocks;
} extent;

static extent extent_of(const phxi_efg* efg, int index) {
    const phxi_efg_slot* slot = &efg->slots.items[index];
    const phxi_efg_block *first = &efg->blocks.items[slot->block_begin],
                         *last = &efg->blocks.items[slot->block_end - 1];
    extent e = {.row = slot->row,
                .rows = phxi_block_count(slot->count, EFG_ROW_ALIGN) * EFG_ROW_ALIGN,
                .pair = efg->start.items[slot->row],
                .gradient = efg->list.items[slot->row], // the first row never shares
                .flat = first->flat_begin,
                .flats = last->flat_end - first->flat_begin,
                .block = slot->block_begin,
                .blocks = slot->block_end - slot->block_begin};
    e.pairs = efg->start.items[e.row + e.rows] - e.pair;
    for (int r = e.row; r < e.row + slot->count; ++r) {
        int end = efg->list.items[r] + efg->start.items[r + 1] - efg->start.items[r] - e.gradient;
        e.gradients = end > e.gradients ? end : e.gradients;
    }
    return e;
}

static bool reserve(phxi_efg* efg, phxi_heap* heap, const extent* fresh) {
    return phxi_array_reserve(&efg->start, fresh->rows, heap, "efg rows") &&
           phxi_array_reserve(&efg->list, fresh->rows, heap, "efg rows") &&
           phxi_array_reserve(&efg->gradient, fresh->gradients, heap, "efg pairs") &&
           phxi_array_reserve(&efg->offset, fresh->pairs, heap, "efg pairs") &&
           phxi_array_reserve(&efg->groups, fresh->rows / EFG_LANES, heap, "efg rows") &&
           phxi_array_reserve(&efg->lanes, fresh->rows / EFG_LANES, heap, "efg rows") &&
           phxi_array_reserve(&efg->u, fresh->rows, heap, "efg rows") &&
           phxi_array_reserve(&efg->rows, fresh->rows, heap, "efg rows") &&
           phxi_array_reserve(&efg->flats, fresh->flats, heap, "efg rows") &&
           phxi_array_reserve(&efg->blocks, fresh->blocks, heap, "efg blocks") &&
           phxi_array_reserve(&efg->sums, fresh->blocks, heap, "efg blocks") &&
           phxi_array_reserve(&efg->jobs, fresh->blocks, heap, "efg blocks");
}

/// items[at .. at + old) become data[0 .. fresh); there is room.
static void replace(void* items, int* count, int at, int old, const void* data, int fresh, size_t size) {
    char* place = (char*)items + (size_t)at * size;
    if (*count > at + old) {
        memmove(place + (size_t)fresh * size, place + (size_t)old * size, (size_t)(*count - at - old) * size);
    }
    if (fresh > 0) {
        memcpy(place, data, (size_t)fresh * size);
    }
    *count += fresh - old;
}
#define REPLACE(name, at, old, fresh)                                                                                  \
    replace(efg->name.items, &efg->name.count, (at), (old), part->name.items, (fresh), sizeof *efg->name.items)

/// Numbers of rows, pairs, lists and blocks in what came with `part` (base) and in what comes after it (shift).
static void renumber(phxi_efg* efg, const extent* e, const extent* fresh, int index) {
    int rows = fresh->rows - e->rows, pairs = fresh->pairs - e->pairs, gradients = fresh->gradients - e->gradients;
    int flats = fresh->flats - e->flats, blocks = fresh->blocks - e->blocks, size = (int)sizeof(phxi_r4);
    int end = e->row + fresh->rows;
    for (int r = e->row; r < efg->start.count; ++r) {
        efg->start.items[r] += r < end ? e->pair : pairs;
    }
    for (int r = 0; r < efg->u.count; ++r) {
        bool own = r >= e->row && r < end;
        // lists of rows that have broken may lie after those of any body
        efg->list.items[r] += own ? e->gradient : efg->list.items[r] >= e->gradient + e->gradients ? gradients : 0;
    }
    for (int k = e->pair; k < efg->offset.count; ++k) {
        efg->offset.items[k] += size * (k < e->pair + fresh->pairs ? e->row : rows);
    }
    for (int k = e->flat; k < efg->flats.count; ++k) {
        efg->flats.items[k].row += k < e->flat + fresh->flats ? e->row : rows;
    }
    for (int k = e->block; k < efg->blocks.count; ++k) {
        bool own = k < e->block + fresh->blocks;
        phxi_efg_block* block = &efg->blocks.items[k];
        block->row += own ? e->row : rows;
        block->slot = own ? index : block->slot;
        block->flat_begin += own ? e->flat : flats;
        block->flat_end += own ? e->flat : flats;
    }
    for (int k = index + 1; k < efg->slots.count; ++k) {
        efg->slots.items[k].row += rows;
        if (efg->slots.items[k].fracture) {
            phxi_efg_bonds_shift(efg->slots.items[k].fracture, rows);
        }
        efg->slots.items[k].block_begin += blocks;
        efg->slots.items[k].block_end += blocks;
    }
}

phx_result phxi_efg_splice_rows(phxi_efg* efg, phxi_heap* heap, int index, const phxi_efg* part) {
    extent e = extent_of(efg, index), fresh = extent_of(part, 0);
    if (!reserve(efg, heap, &fresh)) {
        return PHX_ERROR_MEMORY;
    }
    int row = e.row, group = e.row / EFG_LANES, lanes = e.rows / EFG_LANES, fresh_lanes = fresh.rows / EFG_LANES;
    REPLACE(start, row, e.rows, fresh.rows);
    REPLACE(list, row, e.rows, fresh.rows);
    REPLACE(gradient, e.gradient, e.gradients, fresh.gradients);
    REPLACE(offset, e.pair, e.pairs, fresh.pairs);
    REPLACE(groups, group, lanes, fresh_lanes);
    REPLACE(lanes, group, lanes, fresh_lanes);
    REPLACE(u, row, e.rows, fresh.rows);
    REPLACE(rows, row, e.rows, fresh.rows);
    REPLACE(flats, e.flat, e.flats, fresh.flats);
    REPLACE(blocks, e.block, e.blocks, fresh.blocks);
    memset(part->sums.items, 0, (size_t)fresh.blocks * sizeof *part->sums.items);
    REPLACE(sums, e.block, e.blocks, fresh.blocks);
    renumber(efg, &e, &fresh, index);
    phxi_efg_slot *slot = &efg->slots.items[index], new_slot = part->slots.items[0];
    slot->count = new_slot.count;
    slot->block_end = slot->block_begin + fresh.blocks;
    slot->frame = new_slot.frame;
    slot->base = new_slot.base;
    phxi_efg_list_jobs(efg);
    return PHX_OK;
}
