// SPDX-License-Identifier: MIT
// What bonds remember, through lists that are rebuilt every substep: memory, order, checkpoints.
#include "methods/granular/granular_internal.h"

#include <string.h>

static const char label[] = "granular bonds";
enum { STEP = 16, FIRST = 48 };
/// What a new bond remembers: no stretch, and no weight yet.
static const phx_real unknown[GRANULAR_MOST_PLANES] = {0, 0, 0, -1};

void phxi_granular_drop_bonds(phxi_granular* s) {
    phxi_free(s->heap, s->bonds.count);
    phxi_free(s->heap, s->bonds.key);
    phxi_free(s->heap, s->bonds.z);
    s->bonds = (phxi_granular_bonds){0};
}

static phx_result make(phxi_heap* heap, int rows, int stride, int planes, phxi_granular_bonds* made) {
    *made = (phxi_granular_bonds){.rows = rows, .stride = stride, .planes = planes};
    made->count = phxi_alloc_zero(heap, (size_t)rows, sizeof *made->count, label);
    made->key = phxi_alloc(heap, (size_t)rows * (size_t)stride, sizeof *made->key, label);
    made->z = phxi_alloc_zero(heap, (size_t)rows * (size_t)(planes * stride), sizeof *made->z, label);
    if (!made->count || !made->key || !made->z) {
        phxi_free(heap, made->count);
        phxi_free(heap, made->key);
        phxi_free(heap, made->z);
        return PHX_ERROR_MEMORY;
    }
    return PHX_OK;
}

static void copy_row(const phxi_granular_bonds* from, phxi_granular_bonds* to, int row) {
    int count = from->count[row];
    const phx_real* source = phxi_granular_bonds_of(from, row);
    phx_real* target = phxi_granular_bonds_of(to, row);
    to->count[row] = count;
    memcpy(to->key + (size_t)row * (size_t)to->stride, from->key + (size_t)row * (size_t)from->stride,
           (size_t)count * sizeof *to->key);
    for (int a = 0; a < to->planes; ++a) {
        if (a < from->planes) {
            memcpy(target + a * to->stride, source + a * from->stride, (size_t)count * sizeof *target);
        }
        for (int k = 0; a >= from->planes && k < count; ++k) {
            target[a * to->stride + k] = unknown[a];
        }
    }
}

phx_result phxi_granular_reserve_bonds(phxi_granular* s, int longest) {
    phxi_granular_bonds* old = &s->bonds;
    if (longest > GRANULAR_MOST_BONDS) {
        return phxi_fail(PHX_ERROR_UNSTABLE, "a grain has %d neighbours, expected at most %d: grains have collapsed",
                         longest, GRANULAR_MOST_BONDS);
    }
    if (longest <= old->stride && s->grains <= old->rows && s->planes == old->planes) {
        return PHX_OK;
    }
    int stride = longest <= old->stride ? old->stride : (longest + STEP - 1) / STEP * STEP;
    phxi_granular_bonds made;
    PHXI_TRY(make(s->heap, s->grains, stride > FIRST ? stride : FIRST, s->planes, &made));
    for (int row = 0; row < old->rows; ++row) {
        copy_row(old, &made, row);
    }
    phxi_granular_drop_bonds(s);
    s->bonds = made;
    return PHX_OK;
}

/// Most lists are as they were, or nearly so: each bond is looked for behind the last one found.
static void reorder(phxi_granular* s, int row, const int* items, int count) {
    phxi_granular_bonds* b = &s->bonds;
    int* key = b->key + (size_t)row * (size_t)b->stride;
    phx_real* z = phxi_granular_bonds_of(b, row);
    int old_key[GRANULAR_MOST_BONDS], old = b->count[row];
    phx_real old_z[GRANULAR_MOST_PLANES][GRANULAR_MOST_BONDS];
    memcpy(old_key, key, (size_t)old * sizeof *key);
    for (int a = 0; a < b->planes; ++a) {
        memcpy(old_z[a], z + a * b->stride, (size_t)old * sizeof *z);
    }
    for (int k = 0, hint = 0; k < count; ++k) {
        int wanted = s->ordinal[items[k]], at = hint, left = old;
        for (; left > 0 && old_key[at] != wanted; --left) {
            at = at + 1 < old ? at + 1 : 0;
        }
        key[k] = wanted;
        for (int a = 0; a < b->planes; ++a) {
            z[a * b->stride + k] = left > 0 ? old_z[a][at] : unknown[a];
        }
        if (left > 0) {
            hint = at + 1 < old ? at + 1 : 0;
        }
    }
    b->count[row] = count;
}

void phxi_granular_match(phxi_granular* s, int row, const int* items, int count) {
    const int* key = s->bonds.key + (size_t)row * (size_t)s->bonds.stride;
    int differs = s->bonds.count[row] ^ count;
    for (int k = 0; differs == 0 && k < count; ++k) {
        differs = key[k] ^ s->ordinal[items[k]];
    }
    if (differs != 0) {
        reorder(s, row, items, count);
    }
}

// -------------------------------------------------------------------------------------------------------- checkpoints
// A row is its number of bonds, their keys, their z along x, y and z, their weights where these are remembered.

void phxi_granular_pack(const void* state, phxi_sink* sink) {
    const phxi_granular* s = state;
    const phxi_granular_bonds* b = &s->bonds;
    for (int row = 0; b->rows > 0 && row < s->grains; ++row) {
        int32_t count = row < b->rows ? b->count[row] : 0; // grains that came since remember nothing
        sink->put(sink, &count, sizeof count);
        if (count == 0) {
            continue;
        }
        sink->put(sink, b->key + (size_t)row * (size_t)b->stride, (size_t)count * sizeof *b->key);
        for (int a = 0; a < b->planes; ++a) {
            sink->put(sink, phxi_granular_bonds_of(b, row) + a * b->stride, (size_t)count * sizeof *b->z);
        }
    }
}

static size_t row_size(const phxi_granular* s, int count) {
    return (size_t)count * (sizeof(int) + (size_t)s->planes * sizeof(phx_real));
}

/// Counts and keys make sense; the longest row.
static phx_result check(const phxi_granular* s, const uint8_t* bytes, size_t size, int* longest) {
    *longest = 0;
    for (int row = 0; row < s->grains && size > 0; ++row) {
        int32_t count = -1;
        if (size >= sizeof count) {
            memcpy(&count, bytes, sizeof count);
        }
        if (count < 0 || count > GRANULAR_MOST_BONDS || size - sizeof count < row_size(s, count)) {
            return phxi_fail(PHX_ERROR_FORMAT, "bonds of grain %d: %d in %zu bytes, expected at most %d and all there",
                             row, (int)count, size, GRANULAR_MOST_BONDS);
        }
        bytes += sizeof count;
        for (int k = 0; k < count; ++k) {
            int key;
            memcpy(&key, bytes + (size_t)k * sizeof key, sizeof key);
            if (key < -1 || key >= s->grains || key == row) {
                return phxi_fail(PHX_ERROR_FORMAT, "bond of grain %d is to grain %d, expected another of %d", row, key,
                                 s->grains);
            }
        }
        bytes += row_size(s, count);
        size -= sizeof count + row_size(s, count);
        *longest = count > *longest ? count : *longest;
        if (size == 0 && row + 1 < s->grains) {
            return phxi_fail(PHX_ERROR_FORMAT, "bonds of %d grains, expected %d", row + 1, s->grains);
        }
    }
    return size == 0 ? PHX_OK : phxi_fail(PHX_ERROR_FORMAT, "%zu bytes behind the bonds of %d grains", size, s->grains);
}

phx_result phxi_granular_unpack(void* state, phxi_step* step, const uint8_t* bytes, size_t size) {
    phxi_granular* s = state;
    (void)step;
    int longest;
    PHXI_TRY(check(s, bytes, size, &longest));
    if (size == 0) { // nothing was remembered yet
        phxi_granular_drop_bonds(s);
        return PHX_OK;
    }
    PHXI_TRY(phxi_granular_reserve_bonds(s, longest));
    phxi_granular_bonds* b = &s->bonds;
    for (int row = 0; row < b->rows; ++row) {
        int32_t count;
        memcpy(&count, bytes, sizeof count);
        bytes += sizeof count;
        b->count[row] = count;
        memcpy(b->key + (size_t)row * (size_t)b->stride, bytes, (size_t)count * sizeof *b->key);
        bytes += (size_t)count * sizeof *b->key;
        for (int a = 0; a < b->planes; ++a) {
            memcpy(phxi_granular_bonds_of(b, row) + a * b->stride, bytes, (size_t)count * sizeof *b->z);
            bytes += (size_t)count * sizeof *b->z;
        }
    }
    return PHX_OK;
}
