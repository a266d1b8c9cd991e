// SPDX-License-Identifier: MIT
// Bonds of bodies that yield or break, to and from checkpoints: lists and rest vectors, from which all else follows.
// Bodies that do neither have nothing to tell.
#include "methods/peridynamics/state.h"

#include "methods/peridynamics/breaking.h"
#include "methods/peridynamics/flow.h"

#include <string.h>

/// What comes before the lists of a body.
typedef struct head {
    int32_t count, bonds, broken, unused;
    double strayed;
} head;

static bool changes(const phxi_peri_slot* slot) {
    return slot->flow || slot->breaking;
}

void phxi_peri_pack(const void* state, phxi_sink* sink) {
    const phxi_peri* peri = state;
    for (int k = 0; k < peri->slots.count; ++k) {
        const phxi_peri_slot* slot = &peri->slots.items[k];
        if (changes(slot)) {
            head h = {.count = slot->count,
                      .bonds = slot->bond_count,
                      .broken = slot->breaking ? slot->breaking->broken : 0,
                      .strayed = slot->flow ? slot->flow->strayed : 0};
            sink->put(sink, &h, sizeof h);
            sink->put(sink, slot->start, ((size_t)slot->count + 1) * sizeof *slot->start);
            sink->put(sink, slot->other, (size_t)slot->bond_count * sizeof *slot->other);
            sink->put(sink, slot->rest, (size_t)slot->bond_count * sizeof *slot->rest);
        }
    }
}

/// Of one body as it lies in the bytes.
typedef struct packed {
    head h;
    const uint8_t *start, *other, *rest;
} packed;

static int int_at(const uint8_t* from, int k) {
    int value;
    memcpy(&value, from + (size_t)k * sizeof value, sizeof value);
    return value;
}

static phx_result read_head(const uint8_t** at, const uint8_t* end, const phxi_peri_slot* slot, packed* p) {
    size_t left = (size_t)(end - *at), rows = ((size_t)slot->count + 1) * sizeof(int);
    if (left < sizeof p->h) {
        return phxi_fail(PHX_ERROR_FORMAT, "bonds end within the head of a body");
    }
    memcpy(&p->h, *at, sizeof p->h);
    bool fits = p->h.count == slot->count && p->h.bonds >= 0 && p->h.bonds < INT32_MAX / 64 && p->h.broken >= 0;
    size_t bonds = fits ? (size_t)p->h.bonds : 0;
    if (!fits || left < sizeof p->h + rows + bonds * (sizeof(int) + sizeof(phxi_r4))) {
        return phxi_fail(PHX_ERROR_FORMAT, "bonds of %d particles, %d of them, expected %d particles and %zu bytes",
                         p->h.count, p->h.bonds, slot->count, left);
    }
    p->start = *at + sizeof p->h;
    p->other = p->start + rows;
    p->rest = p->other + bonds * sizeof(int);
    *at = p->rest + bonds * sizeof(phxi_r4);
    return PHX_OK;
}

/// Rows ascend and each bond has its mirror: what follows from them could else not be made.
static phx_result check_rows(const packed* p, int* next) {
    if (int_at(p->start, 0) != 0 || int_at(p->start, p->h.count) != p->h.bonds) {
        return phxi_fail(PHX_ERROR_FORMAT, "rows of bonds from %d to %d, expected 0 to %d", int_at(p->start, 0),
                         int_at(p->start, p->h.count), p->h.bonds);
    }
    for (int i = 0; i < p->h.count; ++i) {
        int begin = int_at(p->start, i), end = int_at(p->start, i + 1);
        if (end < begin || end - begin > PERI_MOST_BONDS || end > p->h.bonds) {
            return phxi_fail(PHX_ERROR_FORMAT, "row %d of bonds from %d to %d", i, begin, end);
        }
        next[i] = begin;
    }
    for (int i = 0; i < p->h.count; ++i) {
        for (int k = int_at(p->start, i); k < int_at(p->start, i + 1); ++k) {
            int j = int_at(p->other, k);
            bool good = j >= 0 && j < p->h.count && j != i && next[j] < int_at(p->start, j + 1) &&
                        int_at(p->other, next[j]) == i;
            if (!good) {
                return phxi_fail(PHX_ERROR_FORMAT, "bond %d of particle %d leads to %d, which has none with it", k, i,
                                 j);
            }
            ++next[j];
        }
    }
    for (int k = 0; k < p->h.bonds; ++k) {
        phxi_r4 rest;
        memcpy(&rest, p->rest + (size_t)k * sizeof rest, sizeof rest);
        if (!(rest[3] > 0) || !isfinite((double)rest[0] + (double)rest[1] + (double)rest[2] + (double)rest[3])) {
            return phxi_fail(PHX_ERROR_FORMAT, "length of bond %d is %g m, expected above 0", k, (double)rest[3]);
        }
    }
    return PHX_OK;
}

static phx_result take_rows(phxi_step* step, phxi_peri_slot* slot, const packed* p) {
    if (p->h.bonds > slot->row_capacity) {
        int* other = phxi_alloc(step->heap, (size_t)p->h.bonds, sizeof *other, "peridynamics");
        phxi_r4* rest = phxi_alloc(step->heap, (size_t)p->h.bonds, sizeof *rest, "peridynamics");
        if (!other || !rest) {
            phxi_free(step->heap, other);
            phxi_free(step->heap, rest);
            return PHX_ERROR_MEMORY;
        }
        phxi_free(step->heap, slot->other);
        phxi_free(step->heap, slot->rest);
        slot->other = other, slot->rest = rest;
        slot->row_capacity = p->h.bonds;
    }
    memcpy(slot->start, p->start, ((size_t)slot->count + 1) * sizeof *slot->start);
    memcpy(slot->other, p->other, (size_t)p->h.bonds * sizeof *slot->other);
    memcpy(slot->rest, p->rest, (size_t)p->h.bonds * sizeof *slot->rest);
    slot->bond_count = p->h.bonds;
    if (slot->flow) {
        slot->flow->strayed = p->h.strayed;
        slot->flow->dt = 0;
    }
    if (slot->breaking) {
        slot->breaking->broken = p->h.broken;
    }
    return phxi_peri_renew(step, slot);
}

phx_result phxi_peri_unpack(void* state, phxi_step* step, const uint8_t* bytes, size_t size) {
    phxi_peri* peri = state;
    packed* all = phxi_arena_take(step->arena, (size_t)peri->slots.count + 1, sizeof *all);
    if (!all) {
        return PHX_ERROR_MEMORY;
    }
    const uint8_t *at = bytes, *end = bytes + size;
    for (int k = 0; k < peri->slots.count; ++k) {
        const phxi_peri_slot* slot = &peri->slots.items[k];
        if (changes(slot)) {
            int* next = phxi_arena_take(step->arena, (size_t)slot->count, sizeof *next);
            if (!next) {
                return PHX_ERROR_MEMORY;
            }
            PHXI_TRY(read_head(&at, end, slot, &all[k]));
            PHXI_TRY(check_rows(&all[k], next));
        }
    }
    if (at != end) {
        return phxi_fail(PHX_ERROR_FORMAT, "%zu bytes too many behind the bonds", (size_t)(end - at));
    }
    for (int k = 0; k < peri->slots.count; ++k) {
        if (changes(&peri->slots.items[k])) {
            PHXI_TRY(take_rows(step, &peri->slots.items[k], &all[k]));
        }
    }
    return PHX_OK;
}
