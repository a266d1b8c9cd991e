// SPDX-License-Identifier: MIT
// Pairs and constants of a body, docs/theory/efg.md (1), (3).
//
// On a lattice most rows have the same gradients but for the rounding of positions. Directions x_ij that agree within
// that rounding are made equal, pairs of a row are put in order of direction, and equal rows share one list of
// gradients: what a pair loop reads from memory shrinks from 20 to 4 bytes a pair. Bodies without a lattice (jittered)
// have a list a row and run the same code.
//
// Linear fields stay exact: with gradients y = w x^ of the agreed direction x^ the moment is A = sum_j x_ij y_ij^T of
// the true difference, no longer quite symmetric.
#include "methods/efg/build/build.h"

#include "core/hash.h"
#include "math/decompose3.h"

#include <float.h>
#include <limits.h>
#include <string.h>

#define MAX_DIRECTIONS  4096
#define DIRECTION_SLOTS (4 * MAX_DIRECTIONS) // a power of two

#ifdef PHX_DOUBLE
#define ROUNDING DBL_EPSILON
#else
#define ROUNDING FLT_EPSILON
#endif

/// One direction of a lattice; the other sign is its negative.
typedef struct direction {
    int key[3]; // in thousandths of the spacing; all 0: free
    phx_vec3 x;
} direction;

typedef struct pair {
    phxi_r4 gradient;
    int neighbor;
} pair;

/// Work space of filling a body.
typedef struct filler {
    phxi_efg* efg;
    const builder* b;
    int first;             // row of its first particle
    direction* directions; // hash table
    int direction_count;
    double quantum, tolerance; // m
    bool lattice;
    int* known; // hash table of rows with a list of their own, -1: free
    unsigned known_mask;
    pair* pairs;   // of one row
    int gradients; // in use
} filler;

/// Key of the direction with the sign that makes its first number positive; returns that sign, 0: has none.
static int direction_key(const filler* f, phx_vec3 x, int key[3]) {
    const double at[3] = {x.x / f->quantum, x.y / f->quantum, x.z / f->quantum};
    int sign = 0;
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(at[k]) < 1e9)) {
            return 0;
        }
        key[k] = (int)lround(at[k]);
        sign = sign == 0 ? (key[k] > 0) - (key[k] < 0) : sign;
    }
    for (int k = 0; k < 3; ++k) {
        key[k] *= sign;
    }
    return sign;
}

/// The slot of a key: its own or a free one.
static direction* direction_slot(const filler* f, const int key[3]) {
    unsigned at = (unsigned)key[0] * 73856093u ^ (unsigned)key[1] * 19349663u ^ (unsigned)key[2] * 83492791u;
    for (;; ++at) {
        direction* d = &f->directions[at % DIRECTION_SLOTS];
        bool is_free = d->key[0] == 0 && d->key[1] == 0 && d->key[2] == 0;
        if (is_free || memcmp(d->key, key, sizeof d->key) == 0) {
            return d;
        }
    }
}

static phx_vec3 difference(const builder* b, int i, int j) {
    return phxi_sub(phxi_efg_rest(b, j), phxi_efg_rest(b, i));
}

/// All directions of the body; it is no lattice if they are too many.
static void find_directions(filler* f) {
    const builder* b = f->b;
    for (int i = 0; i < b->count; ++i) {
        for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1]; ++k) {
            phx_vec3 x = difference(b, i, b->lists.items[k]);
            int key[3], sign = direction_key(f, x, key);
            direction* d = sign ? direction_slot(f, key) : NULL;
            if (!d || d->key[0] || d->key[1] || d->key[2]) {
                continue;
            }
            if (f->direction_count++ == MAX_DIRECTIONS) {
                f->lattice = false;
                return;
            }
            memcpy(d->key, key, sizeof d->key);
            d->x = phxi_scale(sign, x);
        }
    }
}

/// The agreed direction of a pair, or the true one: the same choice for both of its rows.
static phx_vec3 agreed(const filler* f, int i, int j, phx_vec3 x) {
    int key[3], sign;
    if (!f->lattice || f->b->rank[i] < 3 || f->b->rank[j] < 3 || (sign = direction_key(f, x, key)) == 0) {
        return x;
    }
    phx_vec3 d = phxi_scale(sign, direction_slot(f, key)->x);
    return phxi_distance(x, d) <= f->tolerance ? d : x;
}

static bool before(const phxi_r4* a, const phxi_r4* b) {
    for (int k = 2; k >= 0; --k) {
        if ((*a)[k] != (*b)[k]) {
            return (*a)[k] < (*b)[k];
        }
    }
    return false;
}

/// Pairs of particle i in order of direction, padded to an even number; returns how many.
static int gather_pairs(const filler* f, int i) {
    const builder* b = f->b;
    int count = 0;
    for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1]; ++k) {
        int j = b->lists.items[k], at = count++;
        phx_vec3 x = agreed(f, i, j, difference(b, i, j));
        double w = phxi_efg_weight(b, i, k, x);
        // + 0: no negative zeros, rows are compared by their bits
        pair p = {{(phx_real)(w * x.x) + 0, (phx_real)(w * x.y) + 0, (phx_real)(w * x.z) + 0, (phx_real)w}, j};
        for (; at > 0 && before(&p.gradient, &f->pairs[at - 1].gradient); --at) {
            f->pairs[at] = f->pairs[at - 1];
        }
        f->pairs[at] = p;
    }
    if (count % 2) {
        f->pairs[count++] = (pair){{0}, i};
    }
    return count;
}

/// Inverse of sum_j x_ij y_ij^T, or the pseudo-inverse where neighbours do not span space.
static phxi_mat3 inverse_moment(const filler* f, int i, int count) {
    const builder* b = f->b;
    phxi_mat3 moment = {0}, inverse;
    for (int k = 0; k < count; ++k) {
        phx_vec3 x = difference(b, i, f->pairs[k].neighbor);
        for (int c = 0; c < 3; ++c) {
            double y = (double)f->pairs[k].gradient[c];
            moment.m[0][c] += x.x * y;
            moment.m[1][c] += x.y * y;
            moment.m[2][c] += x.z * y;
        }
    }
    if (b->rank[i] < 3 || !phxi_mat3_inverse(&moment, &inverse)) {
        phxi_sym3 pseudo;
        phxi_pseudo_inverse_sym3(&b->moment[i], EFG_RANK_RATIO, &pseudo, NULL);
        inverse = phxi_sym3_full(&pseudo);
    }
    return inverse;
}

static void set_constants(const filler* f, int i, int count) {
    const builder* b = f->b;
    phxi_efg_group* g = &f->efg->groups.items[(f->first + i) / EFG_LANES];
    int lane = i % EFG_LANES;
    phxi_mat3 inverse = inverse_moment(f, i, count);
    // sums of what was stored: rigid shifts then cancel to the last digit that can be had
    double sum[4] = {0}, sum_cw = 0;
    for (int k = 0; k < count; ++k) {
        for (int c = 0; c < 4; ++c) {
            sum[c] += (double)f->pairs[k].gradient[c];
        }
        sum_cw += (double)f->pairs[k].gradient[3] * (double)(phx_real)b->stiffness[f->pairs[k].neighbor];
    }
    for (int k = 0; k < 9; ++k) {
        g->inverse[k][lane] = (phx_real)inverse.m[k / 3][k % 3];
    }
    for (int k = 0; k < 3; ++k) {
        g->sum_y[k][lane] = (phx_real)sum[k];
    }
    g->sum_w[lane] = (phx_real)sum[3];
    g->sum_cw[lane] = (phx_real)sum_cw;
    g->volume[lane] = phxi_efg_volume(b, i);
    g->stiffness[lane] = (phx_real)b->stiffness[i];
}

/// Where the row's list of gradients is, or goes; `own` if it is new.
static int find_list(filler* f, int row, int count, bool* own) {
    phxi_efg* efg = f->efg;
    phxi_r4* fresh = efg->gradient.items + f->gradients; // there is room
    for (int k = 0; k < count; ++k) {
        fresh[k] = f->pairs[k].gradient;
    }
    *own = true;
    size_t size = (size_t)count * sizeof *fresh;
    if (f->lattice && !f->b->own_lists) {
        unsigned at = (unsigned)phxi_hash_bytes(fresh, size, 0);
        for (;; ++at) {
            int* slot = &f->known[at & f->known_mask];
            if (*slot < 0) {
                *slot = row;
                break;
            }
            const phxi_r4* list = efg->gradient.items + efg->list.items[*slot];
            if (efg->start.items[*slot + 1] - efg->start.items[*slot] == count && memcmp(list, fresh, size) == 0) {
                *own = false;
                return efg->list.items[*slot];
            }
        }
    }
    return f->gradients;
}

static phx_result fill_pairs(filler* f) {
    phxi_efg* efg = f->efg;
    const builder* b = f->b;
    for (int i = 0; i < b->count; ++i) {
        int row = f->first + i, at = efg->start.items[row], count = gather_pairs(f, i);
        int room = count > 0 ? count : 1; // deep in a clamp there are no pairs, but there is a list
        if (!phxi_array_reserve(&efg->gradient, f->gradients - efg->gradient.count + room, b->heap, "efg pairs")) {
            return PHX_ERROR_MEMORY;
        }
        bool own;
        efg->start.items[row + 1] = at + count;
        efg->list.items[row] = find_list(f, row, count, &own);
        f->gradients += own ? count : 0;
        for (int k = 0; k < count; ++k) {
            efg->offset.items[at + k] = (f->first + f->pairs[k].neighbor) * (int)sizeof(phxi_r4);
        }
        set_constants(f, i, count);
    }
    return PHX_OK;
}

/// Room for everything whose size is known beforehand.
static phx_result reserve(phxi_efg* efg, const builder* b, int rows, int64_t pairs, int flats) {
    int first = efg->u.count, blocks = phxi_block_count(b->count, EFG_BLOCK);
    if (pairs > INT_MAX - efg->offset.count || first > INT_MAX / (int)sizeof(phxi_r4) - rows) {
        return phxi_fail(PHX_ERROR_UNSUPPORTED, "%lld particles with %lld neighbours are more than one solver can hold",
                         (long long)first + b->count, (long long)pairs + efg->offset.count);
    }
    phxi_heap* heap = b->heap;
    bool room = phxi_array_reserve(&efg->start, rows + 1, heap, "efg rows") &&
                phxi_array_reserve(&efg->list, rows, heap, "efg rows") &&
                phxi_array_reserve(&efg->offset, (int)pairs, heap, "efg pairs") &&
                phxi_array_reserve(&efg->groups, rows / EFG_LANES, heap, "efg rows") &&
                phxi_array_reserve(&efg->lanes, rows / EFG_LANES, heap, "efg rows") &&
                phxi_array_reserve(&efg->u, rows, heap, "efg rows") &&
                phxi_array_reserve(&efg->rows, rows, heap, "efg rows") &&
                phxi_array_reserve(&efg->flats, flats, heap, "efg rows") &&
                phxi_array_reserve(&efg->blocks, blocks, heap, "efg blocks") &&
                phxi_array_reserve(&efg->sums, blocks, heap, "efg blocks") &&
                phxi_array_reserve(&efg->slots, 1, heap, "efg bodies");
    return room ? PHX_OK : PHX_ERROR_MEMORY;
}

static phx_result filler_init(filler* f, int longest) {
    const builder* b = f->b;
    double size = 0;
    for (int i = 0; i < b->count; ++i) {
        phx_vec3 x = phxi_efg_rest(b, i);
        size = fmax(size, fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))));
    }
    f->quantum = 1e-3 * b->scale;
    f->tolerance = fmin(4 * ROUNDING * size, 1e-4 * b->scale);
    f->lattice = true;
    unsigned slots = 16;
    while (slots < 2u * (unsigned)b->count) {
        slots *= 2;
    }
    f->known_mask = slots - 1;
    PHXI_NEW(f->pairs, b->heap, longest + 1, "efg set-up");
    PHXI_NEW(f->known, b->heap, slots, "efg set-up");
    memset(f->known, -1, slots * sizeof *f->known);
    f->directions = phxi_alloc_zero(b->heap, DIRECTION_SLOTS, sizeof *f->directions, "efg set-up");
    return f->directions ? PHX_OK : PHX_ERROR_MEMORY;
}

static void filler_destroy(filler* f) {
    phxi_free(f->b->heap, f->pairs);
    phxi_free(f->b->heap, f->known);
    phxi_free(f->b->heap, f->directions);
}

/// Everything has been filled in: rows, blocks and the slot become part of the solver.
static void commit(filler* f, int rows, int body, const phxi_efg_params* params) {
    phxi_efg* efg = f->efg;
    const builder* b = f->b;
    int flat = efg->flats.count, blocks = efg->blocks.count;
    for (int begin = 0; begin < b->count; begin += EFG_BLOCK) {
        int count = b->count - begin < EFG_BLOCK ? b->count - begin : EFG_BLOCK, flat_begin = flat;
        for (int i = begin; i < begin + count; ++i) {
            if (phxi_efg_is_thin(b->spread[i])) {
                phxi_efg_flat* made = &efg->flats.items[flat++];
                *made = phxi_efg_thin_row(f->first + i, b->rank[i], b->spread[i], &b->basis[i]);
                made->held = b->held;
            }
        }
        efg->blocks.items[blocks++] = (phxi_efg_block){f->first + begin, count, efg->slots.count, flat_begin, flat};
    }
    phxi_efg_slot* slot = &efg->slots.items[efg->slots.count];
    *slot = (phxi_efg_slot){.body = body,
                            .begin = b->begin,
                            .count = b->count,
                            .row = f->first,
                            .block_begin = efg->blocks.count,
                            .block_end = blocks,
                            .reference = b->reference,
                            .own_lists = b->own_lists,
                            .params = *params};
    phxi_efg_fit_sample(slot, b->particles);
    efg->start.count = f->first + rows + 1;
    efg->list.count = efg->u.count = efg->rows.count = f->first + rows;
    efg->offset.count = efg->start.items[f->first + rows];
    efg->gradient.count = f->gradients;
    efg->groups.count = efg->lanes.count = (f->first + rows) / EFG_LANES;
    efg->flats.count = flat;
    efg->blocks.count = efg->sums.count = blocks;
    ++efg->slots.count;
}

phx_result phxi_efg_fill_rows(phxi_efg* efg, const builder* b, int body, const phxi_efg_params* params) {
    int rows = phxi_block_count(b->count, EFG_ROW_ALIGN) * EFG_ROW_ALIGN, flats = 0;
    int64_t pairs = 0, longest = 0;
    for (int i = 0; i < b->count; ++i) {
        int64_t neighbors = b->lists.start[i + 1] - b->lists.start[i];
        pairs += neighbors + neighbors % 2;
        longest = neighbors > longest ? neighbors : longest;
        flats += phxi_efg_is_thin(b->spread[i]);
    }
    PHXI_TRY(reserve(efg, b, rows, pairs, flats));
    filler f = {.efg = efg, .b = b, .first = efg->u.count, .gradients = efg->gradient.count};
    phx_result result = filler_init(&f, (int)longest);
    if (result == PHX_OK) {
        // padding rows have no pairs and zeros for everything
        int group = f.first / EFG_LANES;
        memset(efg->groups.items + group, 0, (size_t)rows / EFG_LANES * sizeof *efg->groups.items);
        memset(efg->lanes.items + group, 0, (size_t)rows / EFG_LANES * sizeof *efg->lanes.items);
        memset(efg->u.items + f.first, 0, (size_t)rows * sizeof *efg->u.items);
        memset(efg->rows.items + f.first, 0, (size_t)rows * sizeof *efg->rows.items);
        efg->start.items[f.first] = efg->offset.count;
        find_directions(&f);
        result = fill_pairs(&f);
    }
    if (result == PHX_OK) {
        for (int r = f.first + b->count; r < f.first + rows; ++r) {
            efg->start.items[r + 1] = efg->start.items[r];
            efg->list.items[r] = 0;
        }
        commit(&f, rows, body, params);
    }
    filler_destroy(&f);
    return result;
}
