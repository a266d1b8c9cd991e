// SPDX-License-Identifier: MIT
// Orders the particles that take part and lists their neighbours: by the cells of the order itself (near_cells.c), or
// by a search (octree, or a grid that takes points far apart). For a search images across a period are points of their
// own, behind all others; afterwards their entries become those of the places they are images of. It decides in double
// and with images, so it looks a little farther, and what the one test of near does not take is dropped.
#include "neighbors/near.h"

#include "core/error.h"
#include "math/simd.h"
#include "neighbors/near_cells.h"

#include <float.h>
#include <string.h>

enum { GRAIN = 2048, SEARCH_GRAIN = 512 };

static const char label[] = "near";

/// Of a block of particles.
typedef struct extent {
    double low[3], high[3];
    double nearest, farthest; // list radius, m
    int wild;                 // a particle that is not finite, or -1
} extent;

typedef struct gathering {
    phxi_near* near;
    const phxi_particles* particles;
    const phxi_near_range* ranges;
    int* bucket;
    extent* extents; // by block
} gathering;

void phxi_near_init(phxi_near* near, phxi_heap* heap) {
    *near = (phxi_near){.heap = heap};
}

static void drop_arrays(phxi_near* near) {
    void* arrays[] = {near->particle,        near->x, near->y, near->z, near->reach, near->list_radius,
                      near->ignores_own_kind};
    for (int i = 0; i < (int)(sizeof arrays / sizeof arrays[0]); ++i) {
        phxi_free(near->heap, arrays[i]);
    }
    near->particle = NULL;
    near->x = near->y = near->z = near->reach = near->list_radius = NULL;
    near->ignores_own_kind = NULL;
    near->capacity = near->count = 0;
}

void phxi_near_destroy(phxi_near* near) {
    drop_arrays(near);
    phxi_near_cells_destroy(near);
    phxi_lists_destroy(near->heap, &near->lists);
    phxi_search_destroy(near->search);
    near->search = NULL;
}

// Keeps what is there; half as much again, so that a few more images do not matter.
static phx_result reserve(phxi_near* near, int count) {
    if (count <= near->capacity) {
        return PHX_OK;
    }
    int used = near->count, wanted = count + count / 2;
    size_t numbers = (size_t)wanted + PHXI_NEAR_SLACK;
    phxi_near grown = *near;
    PHXI_NEW(grown.particle, near->heap, wanted, label);
    grown.x = phxi_alloc_zero(near->heap, numbers, sizeof(phx_real), label);
    grown.y = phxi_alloc_zero(near->heap, numbers, sizeof(phx_real), label);
    grown.z = phxi_alloc_zero(near->heap, numbers, sizeof(phx_real), label);
    grown.reach = phxi_alloc_zero(near->heap, numbers, sizeof(phx_real), label);
    grown.list_radius = phxi_alloc_zero(near->heap, numbers, sizeof(phx_real), label);
    grown.ignores_own_kind = phxi_alloc_zero(near->heap, (size_t)wanted, sizeof *grown.ignores_own_kind, label);
    grown.capacity = wanted;
    if (!grown.x || !grown.y || !grown.z || !grown.reach || !grown.list_radius || !grown.ignores_own_kind) {
        drop_arrays(&grown);
        return PHX_ERROR_MEMORY;
    }
    if (used > 0) {
        memcpy(grown.particle, near->particle, (size_t)used * sizeof *near->particle);
        memcpy(grown.x, near->x, (size_t)used * sizeof *near->x);
        memcpy(grown.y, near->y, (size_t)used * sizeof *near->y);
        memcpy(grown.z, near->z, (size_t)used * sizeof *near->z);
        memcpy(grown.reach, near->reach, (size_t)used * sizeof *near->reach);
        memcpy(grown.list_radius, near->list_radius, (size_t)used * sizeof *near->list_radius);
        memcpy(grown.ignores_own_kind, near->ignores_own_kind, (size_t)used * sizeof *near->ignores_own_kind);
    }
    drop_arrays(near);
    *near = grown;
    near->count = used;
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- gather

static phx_real reach_of(const phxi_near_range* range, const phxi_particles* p, int i) {
    return (phx_real)(range->reach * (double)p->spacing[i]);
}

static phx_real list_radius_of(const phxi_near_range* range, const phxi_particles* p, int i) {
    return (phx_real)((range->list_radius > 0 ? range->list_radius : range->reach) * (double)p->spacing[i]);
}

static int range_of(const gathering* g, int source, int* before) {
    int r = 0;
    *before = 0;
    while (source - *before >= g->ranges[r].count) {
        *before += g->ranges[r++].count;
    }
    return r;
}

/// Extents of particles; `source` counts them through all ranges.
static void measure_block(void* context, int begin, int end, int block) {
    const gathering* g = context;
    const phxi_particles* p = g->particles;
    extent e = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, INFINITY, 0, -1};
    for (int source = begin; source < end;) {
        int before, r = range_of(g, source, &before), last = before + g->ranges[r].count;
        for (; source < end && source < last; ++source) {
            int i = g->ranges[r].begin + source - before;
            const double at[3] = {(double)p->x[i], (double)p->y[i], (double)p->z[i]};
            double list_radius = (double)list_radius_of(&g->ranges[r], p, i);
            // a - a is zero for finite numbers alone
            bool finite = (at[0] - at[0]) + (at[1] - at[1]) + (at[2] - at[2]) + (list_radius - list_radius) == 0;
            e.wild = e.wild < 0 && !finite ? i : e.wild;
            for (int a = 0; a < 3; ++a) {
                e.low[a] = at[a] < e.low[a] ? at[a] : e.low[a];
                e.high[a] = at[a] > e.high[a] ? at[a] : e.high[a];
            }
            e.nearest = list_radius < e.nearest ? list_radius : e.nearest;
            e.farthest = list_radius > e.farthest ? list_radius : e.farthest;
        }
    }
    g->extents[block] = e;
}

static phx_result measure(gathering* g, phxi_pool* pool, int total, extent* all) {
    const phxi_particles* p = g->particles;
    phxi_parallel_for(pool, total, GRAIN, measure_block, g);
    *all = g->extents[0];
    for (int b = 0; b < phxi_block_count(total, GRAIN); ++b) {
        const extent* e = &g->extents[b];
        for (int a = 0; a < 3; ++a) {
            all->low[a] = fmin(all->low[a], e->low[a]);
            all->high[a] = fmax(all->high[a], e->high[a]);
        }
        all->nearest = fmin(all->nearest, e->nearest);
        all->farthest = fmax(all->farthest, e->farthest);
        all->wild = all->wild < 0 ? e->wild : all->wild;
    }
    if (all->wild >= 0) {
        int i = all->wild;
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "particle %d at (%g, %g, %g) with spacing %g: neighbours of what is not finite", i,
                         (double)p->x[i], (double)p->y[i], (double)p->z[i], (double)p->spacing[i]);
    }
    return PHX_OK;
}

enum { BINS = 256, ROUNDS = 4 };

/// Counts particles by bins of the box, those outside in the bins at its ends.
static void count_bins(const gathering* g, int total, const extent* box, int bins[3][BINS]) {
    const phxi_particles* p = g->particles;
    memset(bins, 0, 3 * sizeof bins[0]);
    for (int source = 0; source < total;) {
        int before, r = range_of(g, source, &before), last = before + g->ranges[r].count;
        for (; source < last; ++source) {
            int i = g->ranges[r].begin + source - before;
            const double at[3] = {(double)p->x[i], (double)p->y[i], (double)p->z[i]};
            for (int a = 0; a < 3; ++a) {
                double k = BINS * ((at[a] - box->low[a]) / (box->high[a] - box->low[a]));
                ++bins[a][k > 0 ? k < BINS - 1 ? (int)k : BINS - 1 : 0];
            }
        }
    }
}

/// Cuts off what holds fewer than one particle of 64 at either end of each axis. Particles outside belong to cells on
/// the border, which is right for any box (their distances shrink), and cheap while they are few: so splashes and what
/// has fallen from the edge of the world do not make all cells coarse.
static void trim(const gathering* g, int total, extent* box) {
    int bins[3][BINS];
    count_bins(g, total, box, bins);
    for (int a = 0; a < 3; ++a) {
        int first = 0, last = BINS - 1;
        for (int64_t cut = bins[a][first]; first < last && cut * 64 < total; cut += bins[a][first]) {
            ++first;
        }
        for (int64_t cut = bins[a][last]; last > first && cut * 64 < total; cut += bins[a][last]) {
            --last;
        }
        double low = box->low[a], bin = (box->high[a] - low) / BINS;
        if (g->near->period[a] == 0 && bin > 0 && bin < 1e300) {
            box->low[a] = low + bin * first;
            box->high[a] = low + bin * (last + 1);
        }
    }
}

static void fit_cells(const gathering* g, int total, const extent* all) {
    extent box = *all;
    phxi_near_cells_fit(g->near, total, box.low, box.high, box.farthest);
    for (int round = 0; round < ROUNDS && total > 0 && (!g->near->cells->fine || g->near->cells->divided == 1);
         ++round) {
        trim(g, total, &box);
        phxi_near_cells_fit(g->near, total, box.low, box.high, box.farthest);
    }
}

static void bucket_block(void* context, int begin, int end, int block) {
    const gathering* g = context;
    const phxi_particles* p = g->particles;
    const phxi_near* near = g->near;
    (void)block;
    for (int source = begin; source < end;) {
        int before, r = range_of(g, source, &before), last = before + g->ranges[r].count;
        for (; source < end && source < last; ++source) {
            int i = g->ranges[r].begin + source - before;
            g->bucket[source] =
                phxi_near_cell_at(near->cells, (double)phxi_near_image(near, 0, p->x[i]),
                                  (double)phxi_near_image(near, 1, p->y[i]), (double)phxi_near_image(near, 2, p->z[i]));
        }
    }
}

static void place_block(void* context, int begin, int end, int block) {
    const gathering* g = context;
    const phxi_particles* p = g->particles;
    phxi_near* near = g->near;
    const int* source = near->cells->source.items;
    int r = 0, before = 0;
    (void)block;
    for (int k = begin; k < end; ++k) {
        if (source[k] < before || source[k] - before >= g->ranges[r].count) {
            r = range_of(g, source[k], &before);
        }
        int i = g->ranges[r].begin + source[k] - before;
        near->particle[k] = i;
        near->x[k] = phxi_near_image(near, 0, p->x[i]);
        near->y[k] = phxi_near_image(near, 1, p->y[i]);
        near->z[k] = phxi_near_image(near, 2, p->z[i]);
        near->reach[k] = reach_of(&g->ranges[r], p, i);
        near->list_radius[k] = list_radius_of(&g->ranges[r], p, i);
        near->ignores_own_kind[k] = g->ranges[r].ignores_own_kind;
    }
}

// ------------------------------------------------------------------------------------------------------------ periods

static void set_period(phxi_near* near, phx_vec3 period) {
    double lengths[3] = {period.x, period.y, period.z};
    for (int axis = 0; axis < 3; ++axis) {
        near->period[axis] = (phx_real)lengths[axis];
        near->per_period[axis] = lengths[axis] > 0 ? (phx_real)(1 / lengths[axis]) : 0;
    }
}

static phx_result check_period(const phxi_near* near, double farthest) {
    for (int axis = 0; axis < 3; ++axis) {
        double length = (double)near->period[axis];
        if (length > 0 && !(length > 2 * farthest)) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "the period along %c is %g m, expected more than %g m: twice as far as particles see",
                             "xyz"[axis], length, 2 * farthest);
        }
    }
    return PHX_OK;
}

static phx_real* coordinates(const phxi_near* near, int axis) {
    return axis == 0 ? near->x : axis == 1 ? near->y : near->z;
}

// Images of all that is near one side of the period, on the other, axis after axis, images of images as well: so edges
// and corners come of themselves. For an image `particle` is the place it is an image of.
static phx_result add_images(phxi_near* near, double farthest) {
    int real = near->count;
    for (int axis = 0; axis < 3; ++axis) {
        double length = (double)near->period[axis];
        for (int k = 0, there = near->count; length > 0 && k < there; ++k) {
            double at = (double)coordinates(near, axis)[k];
            double shift = at < farthest - length / 2 ? length : at > length / 2 - farthest ? -length : 0;
            if (shift == 0) {
                continue;
            }
            PHXI_TRY(reserve(near, near->count + 1));
            int made = near->count++;
            near->particle[made] = k < real ? k : near->particle[k];
            near->x[made] = near->x[k];
            near->y[made] = near->y[k];
            near->z[made] = near->z[k];
            near->reach[made] = near->reach[k];
            near->list_radius[made] = near->list_radius[k];
            near->ignores_own_kind[made] = near->ignores_own_kind[k];
            coordinates(near, axis)[made] = (phx_real)(at + shift);
        }
    }
    return PHX_OK;
}

// Rows of images go, entries that are images become what they are images of; rows ascend again.
static void fold_images(phxi_near* near, int real) {
    int64_t* start = near->lists.start;
    int* items = near->lists.items;
    for (int i = 0; i < real; ++i) {
        for (int64_t s = start[i]; s < start[i + 1]; ++s) {
            int item = items[s] < real ? items[s] : near->particle[items[s]];
            int64_t to = s;
            for (; to > start[i] && items[to - 1] > item; --to) {
                items[to] = items[to - 1];
            }
            items[to] = item;
        }
    }
    near->lists.count = real;
    near->count = real;
}

// ---------------------------------------------------------------------------------------------------------- by search

static phx_result choose_engine(phxi_near* near, phxi_search_engine engine) {
    if (near->search && near->engine == engine) {
        return PHX_OK;
    }
    phxi_search_destroy(near->search);
    near->search = NULL;
    near->engine = engine;
    return phxi_search_create(near->heap, engine, &near->search);
}

// Moves what is not within reach, ignores its own kind as the place itself does, or there twice, behind the rest of its
// row; `kept` by place.
static void test_block(void* context, int begin, int end, int block) {
    const gathering* g = context;
    const phxi_near* near = g->near;
    const int64_t* start = near->lists.start;
    (void)block;
    for (int i = begin; i < end; ++i) {
        int *row = near->lists.items + start[i], kept = 0, length = (int)(start[i + 1] - start[i]);
        for (int k = 0; k < length; ++k) {
            bool ignores_own_kind = near->ignores_own_kind[i] && near->ignores_own_kind[row[k]];
            if (!ignores_own_kind && phxi_near_within(near, i, row[k]) && (kept == 0 || row[kept - 1] != row[k])) {
                row[kept++] = row[k];
            }
        }
        g->bucket[i] = kept;
    }
}

static void close_gaps(phxi_near* near, const int* kept) {
    int64_t *start = near->lists.start, from = 0, to = 0;
    for (int i = 0; i < near->count; ++i) {
        if (from != to) {
            memmove(near->lists.items + to, near->lists.items + from, (size_t)kept[i] * sizeof *near->lists.items);
        }
        from = start[i + 1];
        to += kept[i];
        start[i + 1] = to;
    }
}

static phx_result find_by_search(gathering* g, phxi_pool* pool, double farthest) {
    phxi_near* near = g->near;
    phxi_near_cells* c = near->cells;
    int real = near->count;
    double longest = fmax((double)near->period[0], fmax((double)near->period[1], (double)near->period[2]));
    double more = (longest + farthest) * (sizeof(phx_real) == 4 ? 8 * FLT_EPSILON : 8 * DBL_EPSILON);
    PHXI_TRY(add_images(near, farthest + more));
    phx_real* radii = phxi_room_take(near->heap, &c->source, near->count, sizeof *radii);
    if (!radii) {
        return PHX_ERROR_MEMORY;
    }
    for (int k = 0; k < near->count; ++k) {
        radii[k] = (phx_real)((double)near->list_radius[k] * (1 + 0x1p-16) + (near->list_radius[k] > 0 ? more : 0));
    }
    phxi_points points = {near->x, near->y, near->z, near->count};
    PHXI_TRY(phxi_search_pairs(near->search, pool, points, radii, 0, &near->lists));
    if (near->count > real) {
        fold_images(near, real);
    }
    phxi_parallel_for(pool, near->count, SEARCH_GRAIN, test_block, g);
    close_gaps(near, g->bucket);
    return PHX_OK;
}

static phx_result update(gathering* g, phxi_pool* pool, phxi_search_engine engine, int total) {
    phxi_near* near = g->near;
    if (!near->cells) {
        near->cells = phxi_alloc_zero(near->heap, 1, sizeof *near->cells, label);
    }
    if (!near->cells || !(g->bucket = phxi_room_take(near->heap, &near->cells->bucket, total, sizeof *g->bucket)) ||
        !(g->extents = phxi_room_take(near->heap, &near->cells->cell, (int64_t)phxi_block_count(total, GRAIN) + 1,
                                      sizeof *g->extents))) {
        return PHX_ERROR_MEMORY;
    }
    extent all = {.wild = -1};
    if (total > 0) {
        PHXI_TRY(measure(g, pool, total, &all));
    }
    PHXI_TRY(check_period(near, all.farthest));
    PHXI_TRY(reserve(near, total));
    fit_cells(g, total, &all);
    phxi_parallel_for(pool, total, GRAIN, bucket_block, g);
    PHXI_TRY(phxi_near_cells_sort(near, total));
    near->count = total;
    phxi_parallel_for(pool, total, GRAIN, place_block, g);
    if (engine == PHXI_SEARCH_GRID && near->cells->fine) {
        return phxi_near_cells_lists(near, pool, all.nearest == all.farthest);
    }
    PHXI_TRY(choose_engine(near, engine));
    return find_by_search(g, pool, all.farthest);
}

phx_result phxi_near_update(phxi_near* near, phxi_pool* pool, phxi_search_engine engine,
                            const phxi_particles* particles, const phxi_near_range* ranges, int range_count,
                            phx_vec3 period) {
    gathering g = {.near = near, .particles = particles, .ranges = ranges};
    int total = 0;
    bool some_ignore_own_kind = false;
    for (int r = 0; r < range_count; ++r) {
        total += ranges[r].count;
        some_ignore_own_kind = some_ignore_own_kind || (ranges[r].ignores_own_kind && ranges[r].count > 0);
    }
    near->count = 0;
    near->some_ignore_own_kind = some_ignore_own_kind;
    set_period(near, period);
    phx_result result = update(&g, pool, engine, total);
    if (result != PHX_OK) {
        near->count = near->lists.count = 0;
    }
    return result;
}
