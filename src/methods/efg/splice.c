// SPDX-License-Identifier: MIT
// Rows of one body in the place of its old ones. What comes behind in an array moves by the difference of lengths, so
// the arrays are always what they would be had the body been built so in the first place.
#include "methods/efg/efg_build.h"

#include <string.h>

void phxi_efg_destroy_rows(phxi_efg* efg, phxi_heap* heap) {
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

/// Items [begin, end) of `count` make room for `length` others.
static void make_room(void* items, int count, int begin, int end, int length, size_t size) {
    char* bytes = items;
    if (count > end) { // an empty array has no address
        memmove(bytes + (size_t)(begin + length) * size, bytes + (size_t)end * size, (size_t)(count - end) * size);
    }
}

/// First gradient of a body's rows: they share none with others, and bodies follow each other.
static int first_gradient(const phxi_efg* efg, int slot) {
    if (slot == efg->slots.count) {
        return efg->gradient.count;
    }
    // the first row of a body is the first to have a list
    return efg->list.items[efg->slots.items[slot].row];
}

static int first_flat(const phxi_efg* efg, int slot) {
    return slot == efg->slots.count ? efg->flats.count
                                    : efg->blocks.items[efg->slots.items[slot].block_begin].flat_begin;
}

static void splice_pairs(phxi_efg* efg, int index, const phxi_efg* part) {
    const phxi_efg_slot* slot = &efg->slots.items[index];
    int rows = part->u.count, first = efg->start.items[slot->row], last = efg->start.items[slot->row + rows];
    int change = part->offset.count - (last - first);
    make_room(efg->offset.items, efg->offset.count, first, last, part->offset.count, sizeof *efg->offset.items);
    for (int k = 0; k < part->offset.count; ++k) {
        efg->offset.items[first + k] = part->offset.items[k] + slot->row * (int)sizeof(phxi_r4);
    }
    for (int r = 0; r < rows; ++r) {
        efg->start.items[slot->row + r] = first + part->start.items[r];
    }
    for (int r = slot->row + rows; r < efg->start.count; ++r) {
        efg->start.items[r] += change;
    }
    efg->offset.count += change;
}

static void splice_gradients(phxi_efg* efg, int index, const phxi_efg* part) {
    const phxi_efg_slot* slot = &efg->slots.items[index];
    int rows = part->u.count, first = first_gradient(efg, index), last = first_gradient(efg, index + 1);
    int length = part->gradient.count, change = length - (last - first);
    make_room(efg->gradient.items, efg->gradient.count, first, last, length, sizeof *efg->gradient.items);
    memcpy(efg->gradient.items + first, part->gradient.items, (size_t)length * sizeof *part->gradient.items);
    for (int r = 0; r < rows; ++r) {
        // rows of padding have no pairs, and zero for a list
        efg->list.items[slot->row + r] = r < slot->count ? first + part->list.items[r] : 0;
    }
    for (int k = index + 1; k < efg->slots.count; ++k) {
        const phxi_efg_slot* other = &efg->slots.items[k];
        for (int r = other->row; r < other->row + other->count; ++r) {
            efg->list.items[r] += change;
        }
    }
    efg->gradient.count += change;
}

static void splice_flats(phxi_efg* efg, int index, const phxi_efg* part) {
    const phxi_efg_slot* slot = &efg->slots.items[index];
    int first = first_flat(efg, index), last = first_flat(efg, index + 1);
    int length = part->flats.count, change = length - (last - first);
    make_room(efg->flats.items, efg->flats.count, first, last, length, sizeof *efg->flats.items);
    for (int k = 0; k < length; ++k) {
        efg->flats.items[first + k] = part->flats.items[k];
        efg->flats.items[first + k].row += slot->row;
    }
    for (int b = slot->block_begin; b < slot->block_end; ++b) {
        const phxi_efg_block* from = &part->blocks.items[b - slot->block_begin];
        efg->blocks.items[b].flat_begin = first + from->flat_begin;
        efg->blocks.items[b].flat_end = first + from->flat_end;
    }
    for (int b = slot->block_end; b < efg->blocks.count; ++b) {
        efg->blocks.items[b].flat_begin += change;
        efg->blocks.items[b].flat_end += change;
    }
    efg->flats.count += change;
}

phx_result phxi_efg_splice_rows(phxi_efg* efg, phxi_heap* heap, int index, const phxi_efg* part) {
    phxi_efg_slot* slot = &efg->slots.items[index];
    // more than is needed: the old ones go
    bool room = phxi_array_reserve(&efg->offset, part->offset.count, heap, "efg pairs") &&
                phxi_array_reserve(&efg->gradient, part->gradient.count, heap, "efg pairs") &&
                phxi_array_reserve(&efg->flats, part->flats.count, heap, "efg rows");
    if (!room) {
        return PHX_ERROR_MEMORY;
    }
    splice_pairs(efg, index, part);
    splice_gradients(efg, index, part);
    splice_flats(efg, index, part);
    memcpy(efg->groups.items + slot->row / EFG_LANES, part->groups.items,
           (size_t)part->groups.count * sizeof *part->groups.items);
    const phxi_efg_slot* fresh = &part->slots.items[0];
    slot->frame = fresh->frame;
    slot->sample_inverse = fresh->sample_inverse;
    slot->sample_span = fresh->sample_span;
    return PHX_OK;
}
