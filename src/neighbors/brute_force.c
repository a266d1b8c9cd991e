// SPDX-License-Identifier: MIT
// Everyone against everyone: the reference of the other engines, and the quickest for a few dozen points.
#include "neighbors/engine.h"

enum { PART = 1024, GRAIN = 256 };

typedef struct brute_scan {
    phxi_scan scan;
    const phxi_query* query;
} brute_scan;

static double square_between(const phxi_points* points, int i, int j) {
    return phxi_square_distance((double)points->x[i] - (double)points->x[j],
                                (double)points->y[i] - (double)points->y[j],
                                (double)points->z[i] - (double)points->z[j]);
}

static bool scan_point(const phxi_query* query, int i, phxi_row_writer* writer) {
    int count = query->points.count;
    double radius = phxi_radius(query, i);
    for (int first = 0; first < count; first += PART) {
        int last = count - first < PART ? count : first + PART, found = 0;
        int* row = phxi_row_room(writer, last - first);
        if (!row) {
            return false;
        }
        for (int j = first; j < last; ++j) {
            bool near = square_between(&query->points, i, j) < phxi_square_limit(radius, phxi_radius(query, j));
            if (near && j != i) {
                row[found++] = j;
            }
        }
        phxi_row_add(writer, found);
    }
    phxi_row_finish(writer, i);
    return true;
}

static void scan_block(void* context, int begin, int end, int block) {
    const brute_scan* brute = context;
    phxi_row_writer writer = phxi_row_writer_of(&brute->scan);
    (void)block;
    for (int i = begin; i < end && scan_point(brute->query, i, &writer); ++i) {
    }
}

static phx_result brute_pairs(phxi_search* search, const phxi_query* query, phxi_lists* lists) {
    brute_scan brute = {.query = query};
    return phxi_rows_collect(search, query, scan_block, &brute.scan, lists);
}

static void nearest_block(void* context, int begin, int end, int block) {
    const phxi_query* query = context;
    (void)block;
    for (int i = begin; i < end; ++i) {
        phxi_best best = {.k = query->k};
        for (int j = 0; j < query->points.count; ++j) {
            double square = square_between(&query->points, i, j);
            if (j != i && phxi_best_wants(&best, square)) {
                phxi_best_offer(&best, square, j);
            }
        }
        phxi_best_store(&best, query, i);
    }
}

static phx_result brute_nearest(phxi_search* search, const phxi_query* query) {
    phxi_query copy = *query;
    (void)search;
    phxi_parallel_for(query->pool, query->points.count, GRAIN, nearest_block, &copy);
    return PHX_OK;
}

const phxi_engine phxi_engine_brute_force = {brute_pairs, brute_nearest};
