// SPDX-License-Identifier: MIT
// Rows of unknown length, made by many threads in one scan: counting first would double the time of a search.
//
// A block of the scan takes pages of the staging by one atomic addition and fills them with rows in the order in which
// it meets the points. Which page it gets depends on the threads, what the rows hold does not: when all are there, the
// lengths give the starts, and every row is sorted into its place in the lists. If the staging was too small, it is
// enlarged and the scan runs again; that happens only while a search warms up.
//
//   staging   [ rows of block 2 .... | rows of block 0 .... | block 2 .... | block 1 ..  ]
//   lists     [ row 0 | row 1 | row 2 | ... ]
#include "neighbors/engine.h"

#include "math/simd.h"

#include <limits.h>
#include <string.h>

enum { PAGE = 4096, GRAIN = 512, RANKED = 256, WIDE = 16 };

static bool take_page(phxi_row_writer* writer, int64_t size) {
    phxi_staging* staging = writer->staging;
    int64_t at = __atomic_fetch_add(&staging->used, size, __ATOMIC_RELAXED);
    if (at + size > staging->capacity) {
        return false;
    }
    int* pages = staging->pages.items;
    int64_t length = writer->end - writer->row;
    memcpy(pages + at, pages + writer->row, (size_t)length * sizeof *pages); // a row is never torn
    writer->row = at;
    writer->end = at + length;
    writer->page_end = at + size;
    return true;
}

int* phxi_row_room(phxi_row_writer* writer, int count) {
    if (writer->page_end - writer->end < count) {
        int64_t needed = 2 * (writer->end - writer->row) + count;
        if (!take_page(writer, needed > PAGE ? needed : PAGE)) {
            return NULL;
        }
    }
    return (int*)writer->staging->pages.items + writer->end;
}

void phxi_row_finish(phxi_row_writer* writer, int point) {
    ((int64_t*)writer->staging->row_at.items)[point] = writer->row;
    writer->lists->start[point + 1] = writer->end - writer->row;
    writer->row = writer->end;
}

// The place of every item is the number of smaller ones: n^2 comparisons without a branch, sixteen at once. Items
// behind the last are compared too and not used; the staging has room for that.
PHXI_CLONES static void rows_sort_by_rank(const int* restrict items, int count, int* restrict sorted) {
    for (int base = 0; base < count; base += WIDE) {
        int rank[WIDE] = {0};
        for (int m = 0; m < count; ++m) {
            int other = items[m];
            PHXI_SIMD
            for (int k = 0; k < WIDE; ++k) {
                rank[k] += other < items[base + k];
            }
        }
        int here = count - base < WIDE ? count - base : WIDE;
        for (int k = 0; k < here; ++k) {
            sorted[rank[k]] = items[base + k];
        }
    }
}

static void sift_down(int* items, int root, int count) {
    int value = items[root];
    for (int child; (child = 2 * root + 1) < count; root = child) {
        child += child + 1 < count && items[child] < items[child + 1];
        if (items[child] <= value) {
            break;
        }
        items[root] = items[child];
    }
    items[root] = value;
}

static void heap_sort(int* items, int count) {
    for (int root = count / 2; root-- > 0;) {
        sift_down(items, root, count);
    }
    for (int last = count - 1; last > 0; --last) {
        int top = items[0];
        items[0] = items[last];
        items[last] = top;
        sift_down(items, 0, last);
    }
}

static void sort_rows(void* context, int begin, int end, int block) {
    const phxi_scan* scan = context;
    const int64_t* row_at = scan->staging->row_at.items;
    const int* pages = scan->staging->pages.items;
    const int64_t* start = scan->lists->start;
    (void)block;
    for (int i = begin; i < end; ++i) {
        int count = (int)(start[i + 1] - start[i]);
        int* row = scan->lists->items + start[i];
        if (count <= RANKED) {
            rows_sort_by_rank(pages + row_at[i], count, row);
        } else {
            memcpy(row, pages + row_at[i], (size_t)count * sizeof *row);
            heap_sort(row, count);
        }
    }
}

phx_result phxi_lists_reserve_rows(phxi_heap* heap, phxi_lists* lists, int count) {
    if (count >= lists->row_capacity || !lists->start) {
        int64_t half_more = (int64_t)lists->row_capacity + lists->row_capacity / 2;
        int64_t capacity = half_more > count + (int64_t)1 ? half_more : count + (int64_t)1;
        capacity = capacity < INT_MAX ? capacity : INT_MAX;
        int64_t* start;
        PHXI_NEW(start, heap, capacity, "neighbour lists");
        phxi_free(heap, lists->start);
        lists->start = start;
        lists->row_capacity = (int)capacity;
    }
    lists->count = count;
    lists->start[0] = 0;
    return PHX_OK;
}

phx_result phxi_lists_reserve_items(phxi_heap* heap, phxi_lists* lists, int64_t count) {
    if (count > lists->item_capacity || !lists->items) {
        int64_t half_more = lists->item_capacity + lists->item_capacity / 2;
        int64_t capacity = half_more > count ? half_more : count;
        int* items;
        PHXI_NEW(items, heap, capacity + 16, "neighbour lists"); // whole vectors may be read at the end
        phxi_free(heap, lists->items);
        lists->items = items;
        lists->item_capacity = capacity;
    }
    return PHX_OK;
}

static phx_result reserve_staging(phxi_search* search, int64_t items) {
    phxi_staging* staging = &search->staging;
    if (!phxi_room_take(search->heap, &staging->pages, items + WIDE, sizeof(int))) {
        return PHX_ERROR_MEMORY;
    }
    staging->capacity = (int64_t)(staging->pages.bytes / sizeof(int)) - WIDE;
    return PHX_OK;
}

static phx_result collect(phxi_search* search, const phxi_query* query, phxi_loop_body* scan, phxi_scan* context,
                          phxi_lists* lists) {
    int count = query->points.count;
    phxi_staging* staging = &search->staging;
    // Room for one page a block and 32 neighbours a point, to begin with.
    int64_t wanted = (int64_t)phxi_block_count(count, GRAIN) * PAGE + 32 * (int64_t)count;
    if (!phxi_room_take(search->heap, &staging->row_at, count, sizeof(int64_t))) {
        return PHX_ERROR_MEMORY;
    }
    do {
        PHXI_TRY(reserve_staging(search, wanted));
        staging->used = 0;
        phxi_parallel_for(query->pool, count, GRAIN, scan, context);
        wanted = 2 * staging->capacity > staging->used ? 2 * staging->capacity : staging->used;
    } while (staging->used > staging->capacity);
    for (int i = 0; i < count; ++i) {
        lists->start[i + 1] += lists->start[i];
    }
    PHXI_TRY(phxi_lists_reserve_items(search->heap, lists, lists->start[count]));
    phxi_parallel_for(query->pool, count, GRAIN, sort_rows, context);
    return PHX_OK;
}

phx_result phxi_rows_collect(phxi_search* search, const phxi_query* query, phxi_loop_body* scan, phxi_scan* context,
                             phxi_lists* lists) {
    *context = (phxi_scan){&search->staging, lists};
    phx_result result = phxi_lists_reserve_rows(search->heap, lists, query->points.count);
    if (result == PHX_OK && query->largest * query->largest > 0) {
        result = collect(search, query, scan, context, lists);
    } else if (result == PHX_OK) {
        memset(lists->start, 0, ((size_t)query->points.count + 1) * sizeof *lists->start);
        result = phxi_lists_reserve_items(search->heap, lists, 0);
    }
    if (result != PHX_OK) {
        lists->count = 0; // the rows are half made
    }
    return result;
}
