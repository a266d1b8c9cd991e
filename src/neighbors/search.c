// SPDX-License-Identifier: MIT
// The search object: checks what comes in, so that the engines see finite numbers only, and hands on to one of them.
#include "neighbors/neighbors.h"

#include "neighbors/engine.h"

#include <math.h>

static const char label[] = "neighbour search";

phx_result phxi_search_create(phxi_heap* heap, phxi_search_engine engine, phxi_search** search) {
    static const phxi_engine* const engines[] = {
        [PHXI_SEARCH_GRID] = &phxi_engine_grid,
        [PHXI_SEARCH_OCTREE] = &phxi_engine_octree,
        [PHXI_SEARCH_BRUTE] = &phxi_engine_brute_force,
    };
    *search = NULL;
    if ((unsigned)engine >= sizeof engines / sizeof engines[0]) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "there is no neighbour search engine %d", (int)engine);
    }
    PHXI_NEW(*search, heap, 1, label);
    **search = (phxi_search){.heap = heap, .engine = engines[engine]};
    return PHX_OK;
}

void phxi_search_destroy(phxi_search* search) {
    if (!search) {
        return;
    }
    for (int k = 0; k < PHXI_ROOM_COUNT; ++k) {
        phxi_free(search->heap, search->rooms[k].items);
    }
    phxi_free(search->heap, search->staging.pages.items);
    phxi_free(search->heap, search->staging.row_at.items);
    phxi_free(search->heap, search);
}

void phxi_lists_destroy(phxi_heap* heap, phxi_lists* lists) {
    phxi_free(heap, lists->start);
    phxi_free(heap, lists->items);
    *lists = (phxi_lists){0};
}

void* phxi_room_take(phxi_heap* heap, phxi_room* room, int64_t count, size_t size) {
    size_t bytes = (size_t)count * size;
    if (bytes > room->bytes || !room->items) {
        size_t half_more = room->bytes + room->bytes / 2;
        size_t wanted = bytes > half_more ? bytes : half_more;
        void* items = phxi_realloc(heap, room->items, wanted, 1, label);
        if (!items) {
            return NULL;
        }
        *room = (phxi_room){items, wanted};
    }
    return room->items;
}

static phx_result check_points(phxi_points points) {
    if (points.count < 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a neighbour search of %d points", points.count);
    }
    for (int i = 0; i < points.count; ++i) {
        // a - a is zero for finite numbers alone
        phx_real zero = (points.x[i] - points.x[i]) + (points.y[i] - points.y[i]) + (points.z[i] - points.z[i]);
        if (!(zero == 0)) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "point %d of a neighbour search at (%g, %g, %g) is not finite", i,
                             (double)points.x[i], (double)points.y[i], (double)points.z[i]);
        }
    }
    return PHX_OK;
}

static phx_result largest_radius(int count, const phx_real* radii, double radius, double* largest) {
    *largest = radii ? 0 : radius;
    if (!radii && !(radius >= 0 && isfinite(radius))) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "the radius of a neighbour search is %g: expected 0 or more", radius);
    }
    for (int i = 0; radii && i < count; ++i) {
        if (!(radii[i] >= 0 && isfinite(radii[i]))) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "the radius of point %d of a neighbour search is %g: expected 0 or more", i,
                             (double)radii[i]);
        }
        *largest = fmax(*largest, (double)radii[i]);
    }
    return PHX_OK;
}

phx_result phxi_search_pairs(phxi_search* search, phxi_pool* pool, phxi_points points, const phx_real* radii,
                             double radius, phxi_lists* lists) {
    phxi_query query = {.pool = pool, .points = points, .radii = radii};
    PHXI_TRY(check_points(points));
    PHXI_TRY(largest_radius(points.count, radii, radius, &query.largest));
    return search->engine->pairs(search, &query, lists);
}

phx_result phxi_search_nearest(phxi_search* search, phxi_pool* pool, phxi_points points, int k, int* nearest) {
    if (k < 0 || k > PHXI_NEAREST_LIMIT) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "the %d nearest points were asked for: expected 0 to %d", k,
                         PHXI_NEAREST_LIMIT);
    }
    PHXI_TRY(check_points(points));
    phxi_query query = {.pool = pool, .points = points, .k = k, .nearest = nearest};
    return k > 0 && points.count > 0 ? search->engine->nearest(search, &query) : PHX_OK;
}

void phxi_best_offer(phxi_best* best, double square, int index) {
    int at = best->count;
    while (at > 0 &&
           (square < best->square[at - 1] || (square == best->square[at - 1] && index < best->index[at - 1]))) {
        --at;
    }
    bool known = at > 0 && best->square[at - 1] == square && best->index[at - 1] == index;
    if (at == best->k || known) {
        return;
    }
    int last = best->count < best->k ? best->count++ : best->k - 1;
    for (int m = last; m > at; --m) {
        best->square[m] = best->square[m - 1];
        best->index[m] = best->index[m - 1];
    }
    best->square[at] = square;
    best->index[at] = index;
}

void phxi_best_store(const phxi_best* best, const phxi_query* query, int point) {
    int* row = query->nearest + (int64_t)point * query->k;
    for (int m = 0; m < query->k; ++m) {
        row[m] = m < best->count ? best->index[m] : -1;
    }
}
