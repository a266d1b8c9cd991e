// SPDX-License-Identifier: MIT
// The cell grid: points sorted by cell with a counting sort, neighbours looked for in the 27 cells around.
//
// A cell is as wide as the largest radius. Its bucket is row(y, z) + x, so that three cells in x are one range of
// sorted points and 27 cells are nine ranges. While the bounding box has few cells the rows lie side by side (no two
// cells share a bucket); when it has many (an outlier, thin far-away clusters) rows are placed by a hash of y and z and
// wrap around a table of the size of the points. Cells that share a bucket then only add candidates that fail the
// distance test; ranges that overlap are merged, so that no pair is found twice.
//
// Bounds: coordinates are halved before they are subtracted (no overflow), there are at most 2^40 cells an axis, and a
// cell is 2^-10 wider than the radius: that covers the rounding of the cell coordinate, at most 2^-11 cells, so two
// points within the radius are never two cells apart.
//
// The candidates of a cell are copied to a tile once, in double, and every point of the cell is tested against the
// tile: 64 tests give one 64-bit mask, whose bits are the neighbours. Trade-off: with very different radii all cells
// are as wide as the largest and most tests fail; right, but slow.
#include "neighbors/engine.h"

#include "core/hash.h"
#include "math/simd.h"

#include <math.h>
#include <string.h>

enum { TILE = 1024, GRAIN = 1024, RUNS = 18, LANES = 8, WORD = 64 };

enum { ROOM_X, ROOM_Y, ROOM_Z, ROOM_RADIUS, ROOM_INDEX, ROOM_BUCKET, ROOM_START };

typedef struct cell {
    int64_t x, y, z;
} cell;

typedef struct run {
    int begin, end; // of the sorted points
} run;

typedef struct grid {
    const phxi_query* query;
    double origin[3]; // half of the lowest coordinates
    double inverse;   // cells per half metre
    double edge;      // m
    int64_t size[3];  // cells, with an empty one on either side
    bool dense;       // rows lie side by side
    uint64_t mask;    // dense: all ones
    int buckets;
    int* start;                   // buckets + 1
    int* bucket;                  // of every point
    int* index;                   // sorted: number of the point
    phx_real *x, *y, *z, *radius; // sorted
} grid;

// ------------------------------------------------------------------------------------------------------------- cells

static cell cell_at(const grid* g, double x, double y, double z) {
    return (cell){(int64_t)((0.5 * x - g->origin[0]) * g->inverse) + 1,
                  (int64_t)((0.5 * y - g->origin[1]) * g->inverse) + 1,
                  (int64_t)((0.5 * z - g->origin[2]) * g->inverse) + 1};
}

static uint64_t row_at(const grid* g, int64_t y, int64_t z) {
    return g->dense ? (uint64_t)((z * g->size[1] + y) * g->size[0]) : phxi_hash_pair((uint64_t)y, (uint64_t)z);
}

static void bounds(const phx_real* values, int count, double* low, double* high) {
    phx_real smallest = values[0], largest = values[0];
    for (int i = 1; i < count; ++i) {
        smallest = values[i] < smallest ? values[i] : smallest;
        largest = values[i] > largest ? values[i] : largest;
    }
    *low = (double)smallest;
    *high = (double)largest;
}

// Chooses cells of at least `edge`, and how rows are placed.
static void fit(grid* g, double edge) {
    const phxi_points* points = &g->query->points;
    const phx_real* axes[3] = {points->x, points->y, points->z};
    double half[3], widest = 0;
    for (int a = 0; a < 3; ++a) {
        double low, high;
        bounds(axes[a], points->count, &low, &high);
        g->origin[a] = 0.5 * low;
        half[a] = 0.5 * high - 0.5 * low;
        widest = fmax(widest, half[a]);
    }
    g->edge = fmax(fmax(edge, widest * 0x1p-39) * (1 + 0x1p-10), 1e-300);
    g->inverse = 2 / g->edge;
    double cells = 1;
    for (int a = 0; a < 3; ++a) {
        g->size[a] = (int64_t)(half[a] * g->inverse) + 3;
        cells *= (double)g->size[a];
    }
    int64_t most = 4 * (int64_t)points->count + 1024;
    most = most < INT32_MAX ? most : INT32_MAX;
    g->dense = cells <= (double)most;
    g->mask = UINT64_MAX;
    g->buckets = g->dense ? (int)cells : 1024;
    if (!g->dense) {
        while (g->buckets < points->count && g->buckets <= INT32_MAX / 2) {
            g->buckets *= 2;
        }
        g->mask = (uint64_t)g->buckets - 1;
    }
}

static phx_result reserve(phxi_search* search, grid* g) {
    int64_t count = g->query->points.count;
    // The table is as large as it can become for so many points, so that a later build needs no more.
    int64_t table = 4 * count + 1024 + 1;
    const struct {
        int room;
        int64_t count;
        size_t size;
        void** memory;
    } needs[] = {
        {ROOM_X, count, sizeof(phx_real), (void**)&g->x},
        {ROOM_Y, count, sizeof(phx_real), (void**)&g->y},
        {ROOM_Z, count, sizeof(phx_real), (void**)&g->z},
        {ROOM_RADIUS, g->query->radii ? count : 0, sizeof(phx_real), (void**)&g->radius},
        {ROOM_INDEX, count, sizeof(int), (void**)&g->index},
        {ROOM_BUCKET, count, sizeof(int), (void**)&g->bucket},
        {ROOM_START, table, sizeof(int), (void**)&g->start},
    };
    for (size_t k = 0; k < sizeof needs / sizeof *needs; ++k) {
        *needs[k].memory = phxi_room_take(search->heap, &search->rooms[needs[k].room], needs[k].count, needs[k].size);
        if (!*needs[k].memory) {
            return PHX_ERROR_MEMORY;
        }
    }
    return PHX_OK;
}

static void find_buckets(void* context, int begin, int end, int block) {
    grid* g = context;
    const phxi_points* points = &g->query->points;
    (void)block;
    for (int i = begin; i < end; ++i) {
        cell c = cell_at(g, points->x[i], points->y[i], points->z[i]);
        g->bucket[i] = (int)((row_at(g, c.y, c.z) + (uint64_t)c.x) & g->mask);
    }
}

static void copy_sorted(void* context, int begin, int end, int block) {
    grid* g = context;
    const phxi_query* query = g->query;
    (void)block;
    for (int s = begin; s < end; ++s) {
        int i = g->index[s];
        g->x[s] = query->points.x[i];
        g->y[s] = query->points.y[i];
        g->z[s] = query->points.z[i];
        if (query->radii) {
            g->radius[s] = query->radii[i];
        }
    }
}

// Stable: points of one bucket keep their order.
static phx_result build(phxi_search* search, const phxi_query* query, double edge, grid* g) {
    int count = query->points.count;
    *g = (grid){.query = query};
    fit(g, edge);
    PHXI_TRY(reserve(search, g));
    phxi_parallel_for(query->pool, count, GRAIN, find_buckets, g);
    memset(g->start, 0, ((size_t)g->buckets + 1) * sizeof *g->start);
    for (int i = 0; i < count; ++i) {
        ++g->start[g->bucket[i]];
    }
    for (int b = 0, sum = 0; b <= g->buckets; ++b) {
        sum += g->start[b];
        g->start[b] = sum; // the end of the bucket; filling from behind leaves its start
    }
    for (int i = count; i-- > 0;) {
        g->index[--g->start[g->bucket[i]]] = i;
    }
    phxi_parallel_for(query->pool, count, GRAIN, copy_sorted, g);
    return PHX_OK;
}

// Appends the sorted points of cells first.x .. first.x + length - 1 of one row: one range, two if the row wraps.
static int add_runs(const grid* g, cell first, int length, run* runs, int count) {
    int64_t b = (int64_t)((row_at(g, first.y, first.z) + (uint64_t)first.x) & g->mask);
    int64_t end = b + length, wrapped = end - g->buckets;
    run whole = {g->start[b], g->start[wrapped > 0 ? g->buckets : end]};
    if (whole.begin < whole.end) {
        runs[count++] = whole;
    }
    if (wrapped > 0 && g->start[wrapped] > 0) {
        runs[count++] = (run){0, g->start[wrapped]};
    }
    return count;
}

// Sorts runs and joins those that overlap.
static int merge_runs(run* runs, int count) {
    for (int k = 1; k < count; ++k) {
        run moved = runs[k];
        int at = k;
        for (; at > 0 && runs[at - 1].begin > moved.begin; --at) {
            runs[at] = runs[at - 1];
        }
        runs[at] = moved;
    }
    int kept = 0;
    for (int k = 1; k < count; ++k) {
        if (runs[k].begin < runs[kept].end) {
            runs[kept].end = runs[k].end > runs[kept].end ? runs[k].end : runs[kept].end;
        } else {
            runs[++kept] = runs[k];
        }
    }
    return count > 0 ? kept + 1 : 0;
}

// The ranges of sorted points in the 27 cells around `center`.
static int runs_around(const grid* g, cell center, run* runs) {
    int count = 0;
    for (int dz = -1; dz <= 1; ++dz) {
        for (int dy = -1; dy <= 1; ++dy) {
            count = add_runs(g, (cell){center.x - 1, center.y + dy, center.z + dz}, 3, runs, count);
        }
    }
    return g->dense ? count : merge_runs(runs, count);
}

// ------------------------------------------------------------------------------------------------------------- pairs

// Candidates side by side, in double.
typedef struct tile {
    _Alignas(64) double x[TILE];
    double y[TILE], z[TILE], radius[TILE];
    int index[TILE];
    int count;
} tile;

typedef struct grid_scan {
    phxi_scan scan;
    grid grid;
} grid_scan;

// Copies candidates [from, from + TILE) of the runs; behind the last stand points that are infinitely far.
PHXI_CLONES static void grid_load_tile(const grid* g, const run* runs, int64_t from, tile* t) {
    int n = 0;
    for (const run* r = runs; n < TILE && r->begin < r->end; ++r) {
        int length = r->end - r->begin;
        if (from >= length) {
            from -= length;
            continue;
        }
        int s = r->begin + (int)from, copied = r->end - s < TILE - n ? r->end - s : TILE - n;
        from = 0;
        for (int k = 0; k < copied; ++k) {
            t->x[n + k] = g->x[s + k];
            t->y[n + k] = g->y[s + k];
            t->z[n + k] = g->z[s + k];
            t->index[n + k] = g->index[s + k];
        }
        for (int k = 0; g->query->radii && k < copied; ++k) {
            t->radius[n + k] = g->radius[s + k];
        }
        n += copied;
    }
    t->count = n;
    for (; n % LANES != 0; ++n) {
        t->x[n] = INFINITY;
        t->y[n] = t->z[n] = t->radius[n] = 0;
    }
}

#define B4(k)  UINT64_C(1) << (k), UINT64_C(2) << (k), UINT64_C(4) << (k), UINT64_C(8) << (k)
#define B16(k) B4(k), B4((k) + 4), B4((k) + 8), B4((k) + 12)
// A table, because SSE2 has no shift by different amounts.
_Alignas(64) static const uint64_t bit[WORD] = {B16(0), B16(16), B16(32), B16(48)};

// Bit k of the word: candidate first + k of the tile is near. `count` <= 64 is a multiple of the lanes.
PHXI_INLINE uint64_t near_word(const tile* t, int first, int count, const double* p, double radius, bool varied) {
    const double *x = t->x + first, *y = t->y + first, *z = t->z + first, *other = t->radius + first;
    double px = p[0], py = p[1], pz = p[2], equal = phxi_square_limit(radius, radius);
    uint64_t word = 0;
    _Pragma("omp simd reduction(| : word)") for (int k = 0; k < count; ++k) {
        double limit = varied ? phxi_square_limit(radius, other[k]) : equal;
        word |= phxi_square_distance(px - x[k], py - y[k], pz - z[k]) < limit ? bit[k] : 0;
    }
    return word;
}

// Writes the neighbours of p in the tile, but for the candidate `self` of the tile.
PHXI_INLINE int near_tile(const tile* t, const double* p, int64_t self, double radius, bool varied, int* row) {
    int wide = (t->count + LANES - 1) / LANES * LANES, found = 0;
    for (int first = 0; first < wide; first += WORD) {
        uint64_t word = near_word(t, first, wide - first < WORD ? wide - first : WORD, p, radius, varied);
        if (self >= first && self < first + WORD) {
            word &= ~bit[self - first];
        }
        for (; word; word &= word - 1) {
            row[found++] = t->index[first + __builtin_ctzll(word)];
        }
    }
    return found;
}

PHXI_CLONES static int grid_near_equal(const tile* t, const double* p, int64_t self, double radius, int* row) {
    return near_tile(t, p, self, radius, false, row);
}
PHXI_CLONES static int grid_near_varied(const tile* t, const double* p, int64_t self, double radius, int* row) {
    return near_tile(t, p, self, radius, true, row);
}

// Rows of sorted points [begin, end). The tile of a cell serves all of its points, which follow each other.
static void scan_block(void* context, int begin, int end, int block) {
    const grid_scan* scan = context;
    const grid* g = &scan->grid;
    phxi_row_writer writer = phxi_row_writer_of(&scan->scan);
    bool varied = g->query->radii != NULL;
    cell current = {-1, -1, -1};
    run runs[RUNS + 1] = {{0, 0}};
    int64_t candidates = 0, shift = 0; // sorted point s is candidate s + shift
    tile t;
    (void)block;
    for (int s = begin; s < end; ++s) {
        double p[3] = {g->x[s], g->y[s], g->z[s]};
        double radius = varied ? g->radius[s] : g->query->largest;
        cell c = cell_at(g, p[0], p[1], p[2]);
        bool entered = c.x != current.x || c.y != current.y || c.z != current.z;
        if (entered) {
            int count = runs_around(g, c, runs);
            runs[count] = (run){0, 0};
            candidates = 0;
            for (int k = 0; k < count; ++k) {
                shift = s >= runs[k].begin && s < runs[k].end ? candidates - runs[k].begin : shift;
                candidates += runs[k].end - runs[k].begin;
            }
            current = c;
        }
        for (int64_t from = 0; from < candidates; from += TILE) {
            if (entered || candidates > TILE) {
                grid_load_tile(g, runs, from, &t);
            }
            int64_t self = s + shift - from;
            int* row = phxi_row_room(&writer, t.count);
            if (!row) {
                return;
            }
            phxi_row_add(&writer, varied ? grid_near_varied(&t, p, self, radius, row)
                                         : grid_near_equal(&t, p, self, radius, row));
        }
        phxi_row_finish(&writer, g->index[s]);
    }
}

static phx_result grid_pairs(phxi_search* search, const phxi_query* query, phxi_lists* lists) {
    grid_scan scan;
    if (query->points.count > 0) {
        PHXI_TRY(build(search, query, query->largest, &scan.grid));
    }
    return phxi_rows_collect(search, query, scan_block, &scan.scan, lists);
}

// ----------------------------------------------------------------------------------------------------------- nearest

static void offer_runs(const grid* g, const run* runs, int count, int s, phxi_best* best) {
    double x = g->x[s], y = g->y[s], z = g->z[s];
    for (const run* r = runs; r < runs + count; ++r) {
        for (int c = r->begin; c < r->end; ++c) {
            double square = phxi_square_distance(x - (double)g->x[c], y - (double)g->y[c], z - (double)g->z[c]);
            if (c != s && phxi_best_wants(best, square)) {
                phxi_best_offer(best, square, g->index[c]);
            }
        }
    }
}

// Offers the points of the shell of cells `ring` away from `center`. A bucket that two cells share is offered twice;
// the list knows what it has.
static void offer_ring(const grid* g, cell center, int ring, int s, phxi_best* best) {
    int64_t x0 = center.x - ring, x1 = center.x + ring, last = g->size[0] - 1;
    int64_t low = x0 > 0 ? x0 : 0, high = x1 < last ? x1 : last;
    for (int64_t z = center.z - ring; z <= center.z + ring; ++z) {
        for (int64_t y = center.y - ring; y <= center.y + ring; ++y) {
            if (y < 0 || z < 0 || y >= g->size[1] || z >= g->size[2]) {
                continue;
            }
            bool whole = y == center.y - ring || y == center.y + ring || z == center.z - ring || z == center.z + ring;
            run runs[4];
            int count = 0;
            if (whole) {
                count = add_runs(g, (cell){low, y, z}, (int)(high - low + 1), runs, count);
            } else {
                count = x0 >= 0 ? add_runs(g, (cell){x0, y, z}, 1, runs, count) : count;
                count = x1 <= last ? add_runs(g, (cell){x1, y, z}, 1, runs, count) : count;
            }
            offer_runs(g, runs, count, s, best);
        }
    }
}

static void nearest_block(void* context, int begin, int end, int block) {
    const grid* g = context;
    int points = g->query->points.count;
    (void)block;
    for (int s = begin; s < end; ++s) {
        phxi_best best = {.k = g->query->k};
        cell center = cell_at(g, g->x[s], g->y[s], g->z[s]);
        // Points beyond ring n are at least n cells away, less the rounding of the cell coordinate.
        for (int ring = 0;; ++ring) {
            double side = 2.0 * ring + 1, bound = ring * (1 - 0x1p-9) * g->edge;
            if (side * side * side > points + 64.0) { // all points are quicker now
                offer_runs(g, &(run){0, points}, 1, s, &best);
                break;
            }
            offer_ring(g, center, ring, s, &best);
            if (!phxi_best_wants(&best, bound * bound)) {
                break;
            }
        }
        phxi_best_store(&best, g->query, g->index[s]);
    }
}

static void sort_numbers(double* numbers, int count) {
    for (int k = 1; k < count; ++k) {
        double moved = numbers[k];
        int at = k;
        for (; at > 0 && numbers[at - 1] > moved; --at) {
            numbers[at] = numbers[at - 1];
        }
        numbers[at] = moved;
    }
}

// A cell for about 0.6 k points, so that one ring of cells mostly suffices: the middle 3/4 of a sample on each axis
// (outliers do not count) is divided until the cells are many enough. Flat and thin bodies are divided along their
// length only.
static double edge_for_nearest(const phxi_query* query) {
    enum { SAMPLE = 256, CUT = SAMPLE / 8 };
    const phx_real* axes[3] = {query->points.x, query->points.y, query->points.z};
    int count = query->points.count, taken = count < SAMPLE ? count : SAMPLE;
    double width[3], edge = 0;
    PHXI_ASSERT(taken > 0);
    for (int a = 0; a < 3; ++a) {
        double sample[SAMPLE];
        for (int k = 0; k < taken; ++k) {
            // drawn at random: equal strides would meet one face of a lattice
            sample[k] = 0.5 * (double)axes[a][phxi_hash_pair((uint64_t)k, 0) % (uint64_t)count];
        }
        sort_numbers(sample, taken);
        int cut = taken == SAMPLE ? CUT : 0;
        width[a] = fmin(sample[taken - 1 - cut] - sample[cut], 1e300);
        edge = fmax(edge, width[a]);
    }
    double wanted = 0.42 * count / (0.6 * query->k), cells = 1; // 0.42 = (3/4)^3
    for (int step = 0; step < 1024 && cells < wanted; ++step) {
        edge *= 0.95;
        cells = 1;
        for (int a = 0; a < 3; ++a) {
            cells *= fmax(1, width[a] / fmax(edge, 1e-300));
        }
    }
    return 2 * edge;
}

static phx_result grid_nearest(phxi_search* search, const phxi_query* query) {
    grid g;
    PHXI_TRY(build(search, query, edge_for_nearest(query), &g));
    phxi_parallel_for(query->pool, query->points.count, 256, nearest_block, &g);
    return PHX_OK;
}

const phxi_engine phxi_engine_grid = {grid_pairs, grid_nearest};
