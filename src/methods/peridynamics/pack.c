// SPDX-License-Identifier: MIT
// Particles of lattices in lines, and from rows of bonds to columns of groups, pack.h.
#include "methods/peridynamics/pack.h"

#include <limits.h>
#include <stdlib.h>

static const char* const label = "peridynamics columns";

/// What a gathered column costs over a straight one.
#define GATHERED_COST 2.0

// --------------------------------------------------------------------------------------------------------------- lines

enum { BRICK = 8, LEVELS = 4 }; // lines of a brick across; levels of a spacing

typedef struct keyed {
    uint64_t key;
    int index;
} keyed;

static int by_key(const void* a, const void* b) {
    const keyed *p = a, *q = b;
    return p->key != q->key ? (p->key < q->key ? -1 : 1) : (p->index > q->index) - (p->index < q->index);
}

/// Line after line along x; lines by bricks of 8x8, so that neighbours are near in memory.
phx_result phxi_peri_line_order(phxi_step* step, int begin, int count) {
    const phxi_particles* p = step->particles;
    keyed* keys = phxi_alloc(step->heap, (size_t)count, sizeof *keys, label);
    int* order = phxi_alloc(step->heap, (size_t)count, sizeof *order, label);
    phx_result result = keys && order ? PHX_OK : PHX_ERROR_MEMORY;
    phx_vec3 low = {INFINITY, INFINITY, INFINITY};
    for (int i = begin; i < begin + count; ++i) {
        low = phxi_min(low, phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]));
    }
    for (int k = 0; result == PHX_OK && k < count; ++k) {
        int i = begin + k;
        double per = LEVELS / (double)p->spacing[begin];
        const double at[3] = {per * ((double)p->rest_x[i] - low.x), per * ((double)p->rest_y[i] - low.y),
                              per * ((double)p->rest_z[i] - low.z)};
        uint64_t level[3], wide = BRICK * LEVELS;
        for (int a = 0; a < 3; ++a) {
            level[a] = (uint64_t)fmin(at[a] + 0.5, 0x7ffff);
        }
        uint64_t brick = (level[2] / wide) << 14 | level[1] / wide;
        keys[k] = (keyed){((brick << 5 | level[2] % wide) << 5 | level[1] % wide) << 20 | level[0], k};
    }
    if (result == PHX_OK) {
        qsort(keys, (size_t)count, sizeof *keys, by_key);
        for (int k = 0; k < count; ++k) {
            order[k] = keys[k].index;
        }
        result = phxi_particles_reorder(step->particles, begin, count, order);
    }
    phxi_free(step->heap, keys);
    phxi_free(step->heap, order);
    return result;
}

// ------------------------------------------------------------------------------------------------------------- columns

static int row_length(const phxi_peri_slot* slot, int i) {
    return i < slot->count ? slot->start[i + 1] - slot->start[i] : 0;
}

static int longest_of(const phxi_peri_slot* slot, int group) {
    int longest = 0;
    for (int lane = 0; lane < PERI_GROUP; ++lane) {
        int length = row_length(slot, group * PERI_GROUP + lane);
        longest = length > longest ? length : longest;
    }
    return longest;
}

/// The bonds of a group, by how far behind the particle its neighbour stands. Rows ascend.
typedef struct merge {
    const phxi_peri_slot* slot;
    int first, next[PERI_GROUP], end[PERI_GROUP];
} merge;

static merge merge_of(const phxi_peri_slot* slot, int group) {
    merge m = {slot, group * PERI_GROUP, {0}, {0}};
    for (int lane = 0; lane < PERI_GROUP; ++lane) {
        int i = m.first + lane;
        m.next[lane] = i < slot->count ? slot->start[i] : 0;
        m.end[lane] = i < slot->count ? slot->start[i + 1] : 0;
    }
    return m;
}

/// The next column: bonds of its lanes, -1: none. False behind the last.
static bool merge_next(merge* m, int* distance, int bond[PERI_GROUP]) {
    *distance = INT_MAX;
    for (int lane = 0; lane < PERI_GROUP; ++lane) {
        if (m->next[lane] < m->end[lane]) {
            int here = m->slot->other[m->next[lane]] - (m->first + lane);
            *distance = here < *distance ? here : *distance;
        }
    }
    for (int lane = 0; lane < PERI_GROUP; ++lane) {
        bool takes = m->next[lane] < m->end[lane] && m->slot->other[m->next[lane]] - (m->first + lane) == *distance;
        bond[lane] = takes ? m->next[lane]++ : -1;
    }
    return *distance < INT_MAX;
}

bool phxi_peri_is_straight(const phxi_peri_slot* slot) {
    double straight = 0, gathered = 0;
    for (int group = 0; group < phxi_peri_blocks(slot) * PERI_GROUPS; ++group) {
        merge m = merge_of(slot, group);
        int distance, bond[PERI_GROUP];
        while (merge_next(&m, &distance, bond)) {
            ++straight;
        }
        gathered += longest_of(slot, group);
    }
    return straight < GATHERED_COST * gathered;
}

/// Bond of a particle, of column and lane `at`; -1: none, with itself.
static void set_bond(const phxi_peri_slot* slot, int i, int bond, size_t at) {
    struct phxi_peri_pack* pack = slot->pack;
    int j = bond >= 0 ? slot->other[bond] : i;
    double dev = (double)slot->constants[j / PERI_BLOCK].dev[j % PERI_BLOCK];
    pack->here[at] = bond >= 0 ? slot->near[bond][3] : 0;
    pack->there[at] = bond >= 0 ? (phx_real)(dev * (double)slot->far[bond][3]) : 0;
    pack->link[at] = bond >= 0 ? slot->link[bond] : 0;
    if (!pack->straight) {
        pack->item[at] = j;
    }
}

static void set_gathered(const phxi_peri_slot* slot, int group) {
    const struct phxi_peri_pack* pack = slot->pack;
    for (int column = pack->column[group], k = 0; column < pack->column[group + 1]; ++column, ++k) {
        for (int lane = 0; lane < PERI_GROUP; ++lane) {
            int i = group * PERI_GROUP + lane;
            set_bond(slot, i, k < row_length(slot, i) ? slot->start[i] + k : -1,
                     (size_t)column * PERI_GROUP + (size_t)lane);
        }
    }
}

static void set_straight(const phxi_peri_slot* slot, int group) {
    const struct phxi_peri_pack* pack = slot->pack;
    merge m = merge_of(slot, group);
    int distance, bond[PERI_GROUP];
    for (int column = pack->column[group]; merge_next(&m, &distance, bond); ++column) {
        pack->base[column] = m.first + distance;
        for (int lane = 0; lane < PERI_GROUP; ++lane) {
            set_bond(slot, m.first + lane, bond[lane], (size_t)column * PERI_GROUP + (size_t)lane);
        }
    }
}

static int columns_of(const phxi_peri_slot* slot, int group) {
    if (!slot->pack->straight) {
        return longest_of(slot, group);
    }
    merge m = merge_of(slot, group);
    int distance, bond[PERI_GROUP], count = 0;
    while (merge_next(&m, &distance, bond)) {
        ++count;
    }
    return count;
}

static phx_result allocate(phxi_heap* heap, phxi_peri_slot* slot, int groups) {
    struct phxi_peri_pack* pack = slot->pack;
    size_t columns = (size_t)pack->column[groups], places = columns * PERI_GROUP, count = (size_t)groups * PERI_GROUP;
    PHXI_NEW(pack->base, heap, pack->straight ? columns : 0, label);
    PHXI_NEW(pack->item, heap, pack->straight ? 0 : places, label);
    PHXI_NEW(pack->here, heap, places, label);
    PHXI_NEW(pack->there, heap, places, label);
    PHXI_NEW(pack->link, heap, places, label);
    size_t stride = count + 2 * PERI_GROUP;
    pack->rest = phxi_alloc_zero(heap, count, sizeof *pack->rest, label);
    pack->memory = phxi_alloc_zero(heap, PLANE_COUNT * stride, sizeof *pack->memory, label);
    for (int k = 0; pack->memory && k < PLANE_COUNT; ++k) {
        pack->plane[k] = pack->memory + (size_t)k * stride + PERI_GROUP;
    }
    return pack->rest && pack->memory ? PHX_OK : PHX_ERROR_MEMORY;
}

static void count_columns(const phxi_peri_slot* slot, int groups) {
    int* column = slot->pack->column;
    column[0] = 0;
    for (int group = 0; group < groups; ++group) {
        column[group + 1] = column[group] + columns_of(slot, group);
    }
}

void phxi_peri_fill_pack(const phxi_peri_slot* slot) {
    int groups = phxi_peri_blocks(slot) * PERI_GROUPS;
    count_columns(slot, groups);
    for (int group = 0; group < groups; ++group) {
        slot->pack->straight ? set_straight(slot, group) : set_gathered(slot, group);
    }
}

phx_result phxi_peri_make_pack(phxi_step* step, phxi_peri_slot* slot, bool straight) {
    int groups = phxi_peri_blocks(slot) * PERI_GROUPS;
    struct phxi_peri_pack* pack = slot->pack = phxi_alloc_zero(step->heap, 1, sizeof *pack, label);
    if (!pack) {
        return PHX_ERROR_MEMORY;
    }
    pack->straight = straight;
    PHXI_NEW(pack->column, step->heap, groups + 1, label);
    count_columns(slot, groups);
    PHXI_TRY(allocate(step->heap, slot, groups));
    const phxi_particles* p = step->particles;
    for (int i = 0; i < slot->count; ++i) {
        int k = slot->begin + i;
        pack->rest[i] = (phxi_r4){p->rest_x[k], p->rest_y[k], p->rest_z[k], 0};
        for (int c = 0; c < 3; ++c) {
            pack->plane[PLANE_X + c][i] = pack->rest[i][c];
        }
    }
    phxi_peri_fill_pack(slot);
    return PHX_OK;
}

void phxi_peri_release_pack(phxi_heap* heap, phxi_peri_slot* slot) {
    if (slot->pack) {
        void* const all[] = {slot->pack->column, slot->pack->base,  slot->pack->item,
                             slot->pack->here,   slot->pack->there, slot->pack->link,
                             slot->pack->memory, slot->pack->rest,  slot->pack};
        for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
            phxi_free(heap, all[k]);
        }
        slot->pack = NULL;
    }
}
