// SPDX-License-Identifier: MIT
// Places in the order of cells, and lists without sorting.
//
// Cells are as wide as the largest reach R along y and z and R/8 along x, numbered along x, then y, then z,
// and places are numbered by cell. What a place sees lies in 9 rows of 17 cells, and each of these is one run of
// places. Runs in ascending order give ascending lists. Of 92 neighbours on a lattice that makes 574 candidates (729
// with cubes of R), in runs just short of one word of 64 tests. Finer cells along y have fewer candidates but more
// runs: slower. Where particles fill little of their box, cells are longer.
//
//   scan     places of one cell share their runs: 64 candidates against one place give one word of bits, which is kept
//   count    bits of a place are its neighbours: the lists' starts
//   expand   eight bits and a table give up to eight items
//
// The words take a fifth of the memory of the lists, so that these are written once, where they stay. Along a period
// the cells divide it evenly and rows go on at its other end; runs are then sorted and differences are taken to the
// nearest image. Cells are 2^-10 wider than they have to be: more than rounding in the test or the cell can matter.
#include "neighbors/near_cells.h"

#include "neighbors/near_scan.h"

#include <limits.h>
#include <string.h>

enum { GRAIN = 512, WORD = PHXI_NEAR_WORD };

enum { FINEST = 8, CROWDED = 4, SPARSE = 16 }; // cells a reach along x; cells a particle: wanted, at most

static const char label[] = "near";

void phxi_near_cells_destroy(phxi_near* near) {
    phxi_near_cells* c = near->cells;
    if (!c) {
        return;
    }
    void* const all[] = {c->start.items, c->bucket.items,           c->source.items,
                         c->cell.items,  c->ignores_own_kind.items, c->listed_by_all.items,
                         c->bits,        c->masks.pages.items,      c->masks.row_at.items};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        phxi_free(near->heap, all[k]);
    }
    phxi_free(near->heap, c);
    near->cells = NULL;
}

// -------------------------------------------------------------------------------------------------------------- order

/// Divides the box into cells of `edge`, along x into `divided` of them; how many there are.
static double divide(phxi_near* near, const double low[3], const double high[3], double edge, int divided) {
    phxi_near_cells* c = near->cells;
    double cells = 1;
    c->divided = divided;
    for (int a = 0; a < 3; ++a) {
        double period = (double)near->period[a], length = period > 0 ? period : fmin(high[a] - low[a], 1e300);
        double width = edge / (a == 0 ? divided : 1), size = fmin(length / width, 1e15);
        c->size[a] = (int64_t)size + (period > 0 ? 0 : 1);
        c->size[a] = c->size[a] > 1 ? c->size[a] : 1;
        c->low[a] = period > 0 ? -0.5 * period : low[a];
        c->inverse[a] = period > 0 ? (double)c->size[a] / period : 1 / width;
        cells *= (double)c->size[a];
    }
    return cells;
}

void phxi_near_cells_fit(phxi_near* near, int count, const double low[3], const double high[3], double list_radius) {
    double edge = fmax(list_radius * (1 + 0x1p-10), 1e-300), most = fmin((double)SPARSE * count + 1024, INT_MAX - 2);
    near->cells->fine = true;
    for (int divided = FINEST; divided > 1; divided /= 2) {
        if (divide(near, low, high, edge, divided) <= fmin((double)CROWDED * count + 1024, most)) {
            return;
        }
    }
    // particles in so much space that there are few in a cell, if any; or too far apart
    while (divide(near, low, high, edge, 1) > most) {
        near->cells->fine = false;
        edge *= 2;
    }
}

phx_result phxi_near_cells_sort(phxi_near* near, int count) {
    phxi_near_cells* c = near->cells;
    int64_t cells = c->size[0] * c->size[1] * c->size[2];
    // as large as it can become for so many places, so that a later one needs no more
    int* start = phxi_room_take(near->heap, &c->start, (int64_t)SPARSE * count + 1024 + 2, sizeof *start);
    int* source = phxi_room_take(near->heap, &c->source, count, sizeof *source);
    int* cell = phxi_room_take(near->heap, &c->cell, count, sizeof *cell);
    const int* bucket = c->bucket.items;
    if (!start || !source || !cell) {
        return PHX_ERROR_MEMORY;
    }
    // start[k + 1] is where cell k begins while it is filled, and where it ends afterwards
    memset(start, 0, (size_t)(cells + 2) * sizeof *start);
    for (int i = 0; i < count; ++i) {
        ++start[bucket[i] + 2];
    }
    for (int64_t k = 2; k < cells + 2; ++k) {
        start[k] += start[k - 1];
    }
    for (int i = 0; i < count; ++i) {
        int place = start[bucket[i] + 1]++;
        source[place] = i;
        cell[place] = bucket[i];
    }
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------- runs

static int add_run(phxi_near_run* runs, int count, int begin, int end) {
    if (begin == end) {
        return count;
    }
    if (count > 0 && runs[count - 1].end == begin) {
        runs[count - 1].end = end;
        return count;
    }
    runs[count] = (phxi_near_run){begin, end};
    return count + 1;
}

/// Cells that a place in cell `at` of an axis can see: the first and how many, all different; around a period.
static int span(const phxi_near* near, int axis, int at, int* first) {
    int size = (int)near->cells->size[axis], reach = axis == 0 ? near->cells->divided : 1, low = at - reach,
        high = at + reach;
    if (near->period[axis] > 0) {
        *first = low < 0 ? low + size : low;
        *first = *first < 0 ? 0 : *first; // the whole period
        return 2 * reach + 1 < size ? 2 * reach + 1 : size;
    }
    *first = low > 0 ? low : 0;
    return (high < size - 1 ? high : size - 1) - *first + 1;
}

static void sort_runs(phxi_near_run* runs, int count) {
    for (int k = 1; k < count; ++k) {
        phxi_near_run moved = runs[k];
        int at = k;
        for (; at > 0 && runs[at - 1].begin > moved.begin; --at) {
            runs[at] = runs[at - 1];
        }
        runs[at] = moved;
    }
}

/// Runs of places that those of a cell can see, ascending.
static int runs_around(const phxi_near* near, int cell, phxi_near_run* runs) {
    const phxi_near_cells* c = near->cells;
    const int* start = c->start.items;
    const int nx = (int)c->size[0], ny = (int)c->size[1], nz = (int)c->size[2];
    int first[3], width = span(near, 0, cell % nx, &first[0]), rows = span(near, 1, cell / nx % ny, &first[1]);
    int layers = span(near, 2, cell / nx / ny, &first[2]);
    int over = first[0] + width - nx; // cells beyond the end of the row: at its begin
    int count = 0;
    for (int k = 0; k < layers; ++k) {
        int z = first[2] + k < nz ? first[2] + k : first[2] + k - nz;
        for (int m = 0; m < rows; ++m) {
            int y = first[1] + m < ny ? first[1] + m : first[1] + m - ny;
            const int* row = start + ((int64_t)z * ny + y) * nx;
            if (over > 0) {
                count = add_run(runs, count, row[0], row[over]);
            }
            count = add_run(runs, count, row[first[0]], row[over > 0 ? nx : first[0] + width]);
        }
    }
    if (near->period[0] > 0 || near->period[1] > 0 || near->period[2] > 0) {
        sort_runs(runs, count);
    }
    return count;
}

// --------------------------------------------------------------------------------------------------------------- scan

static int end_of_cell(const phxi_near_cells* c, int place, int end) {
    const int* cell = c->cell.items;
    int last = place + 1;
    while (last < end && cell[last] == cell[place]) {
        ++last;
    }
    return last;
}

/// Whether all that a group could see, and the group itself, ignore their own kind.
static bool is_lonely(const phxi_near_scan* s, const phxi_near_group* g) {
    int others = 0;
    for (int k = 0; s->ignores_own_kind && k < g->run_count; ++k) {
        others += s->listed_by_all[g->runs[k].end] - s->listed_by_all[g->runs[k].begin];
    }
    return s->ignores_own_kind && others == 0;
}

/// Groups of a block one after the other in the staging; row_at of the first place of a group says where.
static void scan_block(void* context, int begin, int end, int block) {
    const phxi_near_scan* s = context;
    phxi_near* near = s->near;
    const int* cell = s->cells->cell.items;
    (void)block;
    for (int i = begin, last; i < end; i = last) {
        last = end_of_cell(s->cells, i, end);
        phxi_near_group g = {0};
        g.run_count = runs_around(near, cell[i], g.runs);
        g.run_count = is_lonely(s, &g) ? 0 : g.run_count;
        for (int k = 0; k < g.run_count; ++k) {
            g.words += (g.runs[k].end - g.runs[k].begin + WORD - 1) / WORD;
        }
        int64_t head = 1 + (int64_t)g.run_count, size = head + (int64_t)(last - i) * g.words;
        int64_t at = __atomic_fetch_add(&s->masks->used, size, __ATOMIC_RELAXED);
        if (at + size > s->masks->capacity) {
            continue; // all will be done again; now only the size matters
        }
        uint64_t* kept = (uint64_t*)s->masks->pages.items + at;
        memcpy(kept, &g, (size_t)head * sizeof *kept);
        ((int64_t*)s->masks->row_at.items)[i] = at;
        uint64_t* words = kept + head;
        PHXI_LANES_CALL(phxi_near_test, s, &g, i, last, words, near->lists.start + i + 1);
    }
}

// ------------------------------------------------------------------------------------------------------------- expand

/// The same without writing too much.
static void expand_exactly(const phxi_near_group* g, const uint64_t* words, int* row) {
    for (const phxi_near_run* r = g->runs; r < g->runs + g->run_count; ++r) {
        for (int first = r->begin; first < r->end; first += WORD) {
            for (uint64_t word = *words++; word; word &= word - 1) {
                *row++ = first + __builtin_ctzll(word);
            }
        }
    }
}

static void expand_block(void* context, int begin, int end, int block) {
    const phxi_near_scan* s = context;
    const phxi_near* near = s->near;
    const int64_t* start = near->lists.start;
    (void)block;
    for (int i = begin, last; i < end; i = last) {
        last = end_of_cell(s->cells, i, end);
        const uint64_t* kept = (const uint64_t*)s->masks->pages.items + ((const int64_t*)s->masks->row_at.items)[i];
        const phxi_near_group* g = (const phxi_near_group*)kept;
        const uint64_t* words = kept + 1 + g->run_count;
        for (int k = i; k < last; ++k, words += g->words) {
            // rows of the next block may be there already
            if (start[k + 1] + PHXI_GROUP <= start[end]) {
                PHXI_LANES_CALL(phxi_near_expand, s->cells->bits, g, words, near->lists.items + start[k]);
            } else {
                expand_exactly(g, words, near->lists.items + start[k]);
            }
        }
    }
}

static phx_result prepare_ignoring(phxi_near* near, phxi_near_scan* s) {
    phxi_near_cells* c = near->cells;
    uint64_t* bits = phxi_room_take(near->heap, &c->ignores_own_kind, near->count / WORD + 2, sizeof *bits);
    int* listed_by_all = phxi_room_take(near->heap, &c->listed_by_all, (int64_t)near->count + 1, sizeof *listed_by_all);
    if (!bits || !listed_by_all) {
        return PHX_ERROR_MEMORY;
    }
    memset(bits, 0, (size_t)(near->count / WORD + 2) * sizeof *bits);
    listed_by_all[0] = 0;
    for (int i = 0; i < near->count; ++i) {
        bits[i / WORD] |= (uint64_t)near->ignores_own_kind[i] << (i % WORD);
        listed_by_all[i + 1] = listed_by_all[i] + !near->ignores_own_kind[i];
    }
    s->ignores_own_kind = bits;
    s->listed_by_all = listed_by_all;
    return PHX_OK;
}

static phx_result prepare(phxi_near* near) {
    phxi_near_cells* c = near->cells;
    if (!c->bits) {
        PHXI_NEW(c->bits, near->heap, 1, label);
        phxi_near_make_bits(c->bits);
    }
    PHXI_TRY(phxi_lists_reserve_rows(near->heap, &near->lists, near->count));
    if (!phxi_room_take(near->heap, &c->masks.row_at, near->count, sizeof(int64_t))) {
        return PHX_ERROR_MEMORY;
    }
    return PHX_OK;
}

phx_result phxi_near_cells_lists(phxi_near* near, phxi_pool* pool, bool equal) {
    phxi_near_cells* c = near->cells;
    bool periodic = near->period[0] > 0 || near->period[1] > 0 || near->period[2] > 0;
    phxi_near_scan s = {near, c, &c->masks, equal, periodic, NULL, NULL};
    PHXI_TRY(prepare(near));
    if (near->some_ignore_own_kind) {
        PHXI_TRY(prepare_ignoring(near, &s));
    }
    int64_t wanted = 16 * (int64_t)near->count;
    do {
        if (!phxi_room_take(near->heap, &c->masks.pages, wanted, sizeof(uint64_t))) {
            return PHX_ERROR_MEMORY;
        }
        c->masks.capacity = (int64_t)(c->masks.pages.bytes / sizeof(uint64_t));
        c->masks.used = 0;
        phxi_parallel_for(pool, near->count, GRAIN, scan_block, &s);
        wanted = c->masks.used + c->masks.used / 8;
    } while (c->masks.used > c->masks.capacity);
    int64_t* start = near->lists.start;
    for (int i = 0; i < near->count; ++i) {
        start[i + 1] += start[i];
    }
    PHXI_TRY(phxi_lists_reserve_items(near->heap, &near->lists, start[near->count]));
    phxi_parallel_for(pool, near->count, GRAIN, expand_block, &s);
    return PHX_OK;
}
