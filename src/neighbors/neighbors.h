// SPDX-License-Identifier: MIT
// Who is near whom. One object, three engines with equal answers: cell grid with counting sort (default), adaptive
// octree (at most ten per leaf, as the melting paper does), brute force (the reference of the tests).
//
// A search owns its memory and reuses it: rebuilding with no more points and pairs than before allocates nothing
// (fluids search every step; memory grows by half, so a few more pairs do not matter). Points may be anything finite:
// clustered, coplanar, coincident, none. Cells are hashed, so that memory follows the points and not their bounding
// box.
#pragma once

#include "core/heap.h"
#include "parallel/parallel.h"

#include <phyxel/types.h>

typedef enum phxi_search_engine { PHXI_SEARCH_GRID, PHXI_SEARCH_OCTREE, PHXI_SEARCH_BRUTE } phxi_search_engine;

/// Positions as three arrays of state precision, a count and one radius or a radius a point.
typedef struct phxi_points {
    const phx_real *x, *y, *z;
    int count;
} phxi_points;

/// Compressed rows: neighbours of i are items[start[i] .. start[i+1]), ascending, without i itself.
typedef struct phxi_lists {
    int64_t* start; // count + 1
    int* items;
    int count;
    int64_t item_capacity;
    int row_capacity;
} phxi_lists;

typedef struct phxi_search phxi_search;

phx_result phxi_search_create(phxi_heap* heap, phxi_search_engine engine, phxi_search** search);
void phxi_search_destroy(phxi_search* search);

/// All pairs with distance r < (radius[i] + radius[j]) / 2 (symmetric lists; distances are compared in double from the
/// stored positions, so every engine agrees to the last pair). `radii` NULL: `radius` for all. The lists (zeroed before
/// the first use) are grown as needed and belong to the caller, freed by phxi_lists_destroy. Same order at any thread
/// count.
phx_result phxi_search_pairs(phxi_search* search, phxi_pool* pool, phxi_points points, const phx_real* radii,
                             double radius, phxi_lists* lists);
/// The k nearest other points of each point (fewer if there are not so many), nearest first, ties by index:
/// nearest[i*k ...], -1 behind the last. k <= 64.
phx_result phxi_search_nearest(phxi_search* search, phxi_pool* pool, phxi_points points, int k, int* nearest);
void phxi_lists_destroy(phxi_heap* heap, phxi_lists* lists);
