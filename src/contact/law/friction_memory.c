// SPDX-License-Identifier: MIT
#include "contact/law/friction_memory.h"

#include <string.h>

enum { FIRST_ROOM = 1024 }; // small worlds never need more
static const char label[] = "friction";

static bool is_before(const phxi_slip* slip, int i, int j) {
    return slip->i < i || (slip->i == i && slip->j < j);
}

phx_result phxi_slips_create(phxi_slips* slips, phxi_heap* heap) {
    bool roomy = phxi_array_reserve(&slips->now, FIRST_ROOM, heap, label) &&
                 phxi_array_reserve(&slips->next, FIRST_ROOM, heap, label);
    return roomy ? PHX_OK : PHX_ERROR_MEMORY;
}

void phxi_slips_destroy(phxi_slips* slips, phxi_heap* heap) {
    phxi_array_destroy(&slips->now, heap);
    phxi_array_destroy(&slips->next, heap);
}

int phxi_slips_from(const phxi_slips* slips, int i, int j) {
    int low = 0, high = slips->now.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (is_before(&slips->now.items[middle], i, j)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const phxi_slip* phxi_slips_find(const phxi_slips* slips, int i, int j, int* at) {
    while (*at < slips->now.count && is_before(&slips->now.items[*at], i, j)) {
        ++*at;
    }
    const phxi_slip* slip = *at < slips->now.count ? &slips->now.items[*at] : NULL;
    return slip && slip->i == i && slip->j == j ? slip : NULL;
}

phx_result phxi_slips_add(phxi_slips* slips, phxi_heap* heap, const phxi_slip* more, int count) {
    if (!phxi_array_reserve(&slips->next, count, heap, label)) {
        return PHX_ERROR_MEMORY;
    }
    if (count > 0) {
        memcpy(slips->next.items + slips->next.count, more, (size_t)count * sizeof *more);
    }
    slips->next.count += count;
    return PHX_OK;
}

void phxi_slips_turn(phxi_slips* slips) {
    phxi_slips before = *slips;
    memcpy(&slips->now, &before.next, sizeof slips->now);
    memcpy(&slips->next, &before.now, sizeof slips->next);
    slips->next.count = 0;
}

void phxi_slips_shift(phxi_slips* slips, int at, int count) {
    for (int k = 0; k < slips->now.count; ++k) {
        phxi_slip* slip = &slips->now.items[k];
        slip->i += slip->i >= at ? count : 0;
        slip->j += slip->j >= at ? count : 0;
    }
}

static bool is_sound(const phxi_slip* slip, const phxi_slip* before, int particles) {
    bool finite = isfinite(slip->way[0]) && isfinite(slip->way[1]) && isfinite(slip->way[2]);
    bool there = slip->i >= 0 && slip->i < particles && slip->j < particles && (slip->j == -1 || slip->j > slip->i);
    return finite && there && (!before || is_before(before, slip->i, slip->j));
}

phx_result phxi_slips_unpack(phxi_slips* slips, phxi_heap* heap, const uint8_t* bytes, size_t size, int particles) {
    size_t count = size / sizeof(phxi_slip);
    if (size % sizeof(phxi_slip) != 0 || count > INT32_MAX) {
        return phxi_fail(PHX_ERROR_FORMAT, "%zu bytes of friction, expected a multiple of %zu", size,
                         sizeof(phxi_slip));
    }
    slips->next.count = 0;
    if (!phxi_array_reserve(&slips->next, (int)count, heap, label)) {
        return PHX_ERROR_MEMORY;
    }
    if (count > 0) {
        memcpy(slips->next.items, bytes, size);
    }
    for (int k = 0; k < (int)count; ++k) {
        const phxi_slip* slip = &slips->next.items[k];
        if (!is_sound(slip, k > 0 ? slip - 1 : NULL, particles)) {
            return phxi_fail(PHX_ERROR_FORMAT, "friction of particles %d and %d is not sound", slip->i, slip->j);
        }
    }
    slips->next.count = (int)count;
    phxi_slips_turn(slips);
    return PHX_OK;
}
