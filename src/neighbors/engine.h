// SPDX-License-Identifier: MIT
// What the three engines share: the query, memory that is kept from build to build, the one pair test, rows of unknown
// length, and the list of the k nearest. Only files of this folder include it.
#pragma once

#include "neighbors/neighbors.h"

/// One block of memory that grows by half and is never given back before the search is destroyed.
typedef struct phxi_room {
    void* items;
    size_t bytes;
} phxi_room;

enum { PHXI_ROOM_COUNT = 8 };

/// Pages of neighbours, in the order in which they are found, until the length of every row is known.
typedef struct phxi_staging {
    phxi_room pages, row_at;
    int64_t capacity; // items
    int64_t used;     // items given out; above the capacity: what could not be given
} phxi_staging;

typedef struct phxi_query {
    phxi_pool* pool;
    phxi_points points;
    const phx_real* radii; // NULL: `largest` for all
    double largest;
    int k;        // nearest only
    int* nearest; // nearest only
} phxi_query;

typedef struct phxi_engine {
    phx_result (*pairs)(phxi_search* search, const phxi_query* query, phxi_lists* lists);
    phx_result (*nearest)(phxi_search* search, const phxi_query* query);
} phxi_engine;

extern const phxi_engine phxi_engine_grid, phxi_engine_octree, phxi_engine_brute_force;

struct phxi_search {
    phxi_heap* heap;
    const phxi_engine* engine;
    phxi_room rooms[PHXI_ROOM_COUNT]; // of the engine
    phxi_staging staging;
};

/// At least `count` items of `size` bytes, what was in the room kept; NULL (error set) if there is no memory.
void* phxi_room_take(phxi_heap* heap, phxi_room* room, int64_t count, size_t size);

// ------------------------------------------------------------------------------------------------------ the pair test
// Every engine decides by these two, in this order of operations: then all agree to the last pair. Bounds of boxes use
// the same operations too; rounding is monotone, so a box is never farther than a point in it.

static inline double phxi_square_distance(double dx, double dy, double dz) {
    return dx * dx + dy * dy + dz * dz;
}
static inline double phxi_square_limit(double radius_a, double radius_b) {
    double limit = 0.5 * (radius_a + radius_b);
    return limit * limit;
}
static inline double phxi_radius(const phxi_query* query, int i) {
    return query->radii ? (double)query->radii[i] : query->largest;
}

// --------------------------------------------------------------------------------------------------------------- rows

/// Room for the starts, start[0] set, and for items when their number is known. Old contents are not kept.
phx_result phxi_lists_reserve_rows(phxi_heap* heap, phxi_lists* lists, int count);
phx_result phxi_lists_reserve_items(phxi_heap* heap, phxi_lists* lists, int64_t count);

/// Writes the rows of one block of the scan; zero but for `staging` and `lists` at the start.
typedef struct phxi_row_writer {
    phxi_staging* staging;
    phxi_lists* lists;
    int64_t row, end, page_end; // items of the page: start of this row, end of it so far, end of the page
} phxi_row_writer;

/// What an engine finds: rows of some points by a loop over blocks of `count`; `scan` has a phxi_scan in front of its
/// context.
typedef struct phxi_scan {
    phxi_staging* staging;
    phxi_lists* lists;
} phxi_scan;

/// Runs `scan` over [0, points) in blocks, as often as the staging must grow, then sorts the rows into the lists.
phx_result phxi_rows_collect(phxi_search* search, const phxi_query* query, phxi_loop_body* scan, phxi_scan* context,
                             phxi_lists* lists);
static inline phxi_row_writer phxi_row_writer_of(const phxi_scan* scan) {
    return (phxi_row_writer){.staging = scan->staging, .lists = scan->lists};
}
/// A place for `count` more items of this row, or NULL: the staging is full, the block gives up and will be run again.
int* phxi_row_room(phxi_row_writer* writer, int count);
/// The first `count` of the place have been written.
static inline void phxi_row_add(phxi_row_writer* writer, int count) {
    writer->end += count;
}
/// The row is the one of `point`; the next row starts.
void phxi_row_finish(phxi_row_writer* writer, int point);

// ------------------------------------------------------------------------------------------------------------ nearest

enum { PHXI_NEAREST_LIMIT = 64 };

/// The nearest so far, sorted by distance, then index.
typedef struct phxi_best {
    int count, k;
    double square[PHXI_NEAREST_LIMIT];
    int index[PHXI_NEAREST_LIMIT];
} phxi_best;

/// False if nothing at this square distance or farther can enter.
static inline bool phxi_best_wants(const phxi_best* best, double square) {
    return best->count < best->k || square <= best->square[best->k - 1];
}
/// Takes a point unless it is too far or there already.
void phxi_best_offer(phxi_best* best, double square, int index);
/// Writes the row of `point`, -1 behind the last.
void phxi_best_store(const phxi_best* best, const phxi_query* query, int point);
