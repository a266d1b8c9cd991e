// SPDX-License-Identifier: MIT
// Binning of points, their volumes, and which blocks of nodes they reach.
#include "surface/cloud.h"

#include "surface/lanes.h"

#include <limits.h>
#include <string.h>

enum {
    SMALLEST_BIN = 4,     // nodes; smaller ones would only make more of them
    MOST_CELLS = 1 << 30, // across all points
    POINTS_AT_ONCE = 4096,
    BINS_AT_ONCE = 256,
    DIGIT = 11, // bits sorted at a time
};

// ------------------------------------------------------------------------------------------------------------ sorting

static int coordinate(const phxi_place* place, int axis) {
    return axis == 0 ? place->x : axis == 1 ? place->y : place->z;
}

// One stable pass by some bits of one coordinate.
static void sort_pass(const phxi_place* places, int count, int axis, int shift, const int* from, int* to) {
    int start[(1 << DIGIT) + 1] = {0};
    for (int i = 0; i < count; ++i) {
        ++start[(coordinate(&places[i], axis) >> shift & ((1 << DIGIT) - 1)) + 1];
    }
    for (int k = 0; k < 1 << DIGIT; ++k) {
        start[k + 1] += start[k];
    }
    for (int i = 0; i < count; ++i) {
        int item = from[i];
        to[start[coordinate(&places[item], axis) >> shift & ((1 << DIGIT) - 1)]++] = item;
    }
}

// order: places ascending, equal ones as they came. Radix sort from the least digit; coordinates are not negative.
static phx_result sort_places(phxi_heap* heap, const phxi_place* places, int count, int* order) {
    int* other;
    PHXI_NEW(other, heap, count, "surface sorting");
    int *from = order, *to = other;
    for (int i = 0; i < count; ++i) {
        order[i] = i;
    }
    for (int axis = 0; axis < 3; ++axis) {
        int most = 0;
        for (int i = 0; i < count; ++i) {
            most |= coordinate(&places[i], axis);
        }
        for (int shift = 0; shift < 31 && most >> shift; shift += DIGIT) {
            sort_pass(places, count, axis, shift, from, to);
            int* swap = from;
            from = to;
            to = swap;
        }
    }
    if (from != order) {
        memcpy(order, from, (size_t)count * sizeof *order);
    }
    phxi_free(heap, other);
    return PHX_OK;
}

phx_result phxi_places_unique(phxi_heap* heap, const phxi_place* places, int count, phxi_place** unique, int* kept) {
    int* order;
    PHXI_NEW(order, heap, count, "surface sorting");
    phx_result result = sort_places(heap, places, count, order);
    *unique = result == PHX_OK ? phxi_alloc(heap, (size_t)count, sizeof **unique, "surface blocks") : NULL;
    *kept = 0;
    for (int i = 0; *unique && i < count; ++i) {
        phxi_place place = places[order[i]];
        if (i == 0 || phxi_place_compare(place, (*unique)[*kept - 1]) != 0) {
            (*unique)[(*kept)++] = place;
        }
    }
    phxi_free(heap, order);
    return *unique ? PHX_OK : PHX_ERROR_MEMORY;
}

// ------------------------------------------------------------------------------------------------------------ binning

typedef struct binning {
    phxi_cloud* cloud;
    const double* positions;
    phxi_grain* grains; // as they came
    phxi_place* places; // their bins
    int* order;
} binning;

static void split(double position, double origin, double cell, int* node, float* rest) {
    double scaled = (position - origin) / cell;
    *node = (int)scaled; // not negative
    *rest = (float)(scaled - *node);
}

static void place_points(void* context, int begin, int end, int block) {
    binning* b = context;
    const phxi_cloud* cloud = b->cloud;
    (void)block;
    for (int i = begin; i < end; ++i) {
        const double* p = b->positions + 3 * (size_t)i;
        phxi_grain* g = &b->grains[i];
        split(p[0], cloud->origin.x, cloud->cell, &g->x, &g->u);
        split(p[1], cloud->origin.y, cloud->cell, &g->y, &g->v);
        split(p[2], cloud->origin.z, cloud->cell, &g->z, &g->w);
        g->volume = 0;
        g->index = i;
        b->places[i] = (phxi_place){g->x / cloud->bin, g->y / cloud->bin, g->z / cloud->bin};
    }
}

static void gather_points(void* context, int begin, int end, int block) {
    binning* b = context;
    (void)block;
    for (int i = begin; i < end; ++i) {
        b->cloud->grains[i] = b->grains[b->order[i]];
    }
}

// The node 0 is a little below all points, on a multiple of the cell.
static phx_result find_origin(const double* positions, int count, phxi_cloud* cloud) {
    double* origin[3] = {&cloud->origin.x, &cloud->origin.y, &cloud->origin.z};
    for (int axis = 0; axis < 3; ++axis) {
        double low = positions[axis], high = low;
        int highest = 0;
        for (int i = 1; i < count; ++i) {
            double p = positions[3 * (size_t)i + (size_t)axis];
            low = p < low ? p : low;
            highest = p > high ? i : highest;
            high = p > high ? p : high;
        }
        if (!((high - low) / cloud->cell < MOST_CELLS)) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "point %d is at %c = %g and others at %g: %.3g cells of %g, expected less than %d",
                             highest, "xyz"[axis], high, low, (high - low) / cloud->cell, cloud->cell, MOST_CELLS);
        }
        *origin[axis] = cloud->cell * (floor(low / cloud->cell) - ceil((double)cloud->reach) - 2);
        if (!((low - *origin[axis]) / cloud->cell >= (double)cloud->reach + 1) ||
            !((high - *origin[axis]) / cloud->cell < 1.5 * MOST_CELLS)) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "point %d is at %c = %g, too far out for cells of %g: digits are lost there", highest,
                             "xyz"[axis], high, cloud -> cell);
        }
    }
    return PHX_OK;
}

// Bins and rows of the sorted grains.
static phx_result list_bins(phxi_cloud* cloud, const binning* b) {
    int bins = 0, rows = 0;
    for (int pass = 0; pass < 2; ++pass) {
        bins = rows = 0;
        phxi_place last = {-1, -1, -1};
        for (int i = 0; i < cloud->count; ++i) {
            phxi_place place = b->places[b->order[i]];
            if (phxi_place_compare(place, last) == 0) {
                continue;
            }
            if (place.y != last.y || place.z != last.z) {
                if (pass) {
                    cloud->row_start[rows] = bins;
                }
                ++rows;
            }
            if (pass) {
                cloud->bins[bins] = place;
                cloud->bin_start[bins] = i;
            }
            ++bins;
            last = place;
        }
        if (!pass) {
            PHXI_NEW(cloud->bins, cloud->heap, bins, "surface bins");
            PHXI_NEW(cloud->bin_start, cloud->heap, bins + 1, "surface bins");
            PHXI_NEW(cloud->row_start, cloud->heap, rows + 1, "surface bins");
        }
    }
    cloud->bin_start[bins] = cloud->count;
    cloud->row_start[rows] = bins;
    cloud->bin_count = bins;
    cloud->row_count = rows;
    return PHX_OK;
}

static phx_result bin_points(phxi_cloud* cloud, phxi_pool* pool, const double* positions) {
    phxi_heap* heap = cloud->heap;
    binning b = {cloud, positions, NULL, NULL, NULL};
    b.grains = phxi_alloc(heap, (size_t)cloud->count, sizeof *b.grains, "surface points");
    b.places = phxi_alloc(heap, (size_t)cloud->count, sizeof *b.places, "surface sorting");
    b.order = phxi_alloc(heap, (size_t)cloud->count, sizeof *b.order, "surface sorting");
    cloud->grains = phxi_alloc(heap, (size_t)cloud->count, sizeof *cloud->grains, "surface points");
    phx_result result = b.grains && b.places && b.order && cloud->grains ? PHX_OK : PHX_ERROR_MEMORY;
    if (result == PHX_OK) {
        phxi_parallel_for(pool, cloud->count, POINTS_AT_ONCE, place_points, &b);
        result = sort_places(heap, b.places, cloud->count, b.order);
    }
    if (result == PHX_OK) {
        phxi_parallel_for(pool, cloud->count, POINTS_AT_ONCE, gather_points, &b);
        result = list_bins(cloud, &b);
    }
    phxi_free(heap, b.grains);
    phxi_free(heap, b.places);
    phxi_free(heap, b.order);
    return result;
}

phxi_grain_range phxi_cloud_row(const phxi_cloud* cloud, int y, int z, int low, int high) {
    int first = 0, last = cloud->row_count; // the row, if there is one
    while (first < last) {
        int middle = first + (last - first) / 2;
        const phxi_place* place = &cloud->bins[cloud->row_start[middle]];
        if (place->z < z || (place->z == z && place->y < y)) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    if (first == cloud->row_count) {
        return (phxi_grain_range){0, 0};
    }
    int begin = cloud->row_start[first], end = cloud->row_start[first + 1];
    if (cloud->bins[begin].y != y || cloud->bins[begin].z != z) {
        return (phxi_grain_range){0, 0};
    }
    int bounds[2] = {low, high + 1}, found[2]; // first bin at or beyond each
    for (int k = 0; k < 2; ++k) {
        first = begin, last = end;
        while (first < last) {
            int middle = first + (last - first) / 2;
            if (cloud->bins[middle].x < bounds[k]) {
                first = middle + 1;
            } else {
                last = middle;
            }
        }
        found[k] = first;
    }
    return (phxi_grain_range){cloud->bin_start[found[0]], cloud->bin_start[found[1]]};
}

// ------------------------------------------------------------------------------------------------------------- blocks

typedef struct reached {
    phxi_place low, high; // blocks
} reached;

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

// A block has the node on the upper border of the one below: nodes low ... high touch blocks (low - 1) / 15 ... high
// / 15.
static reached blocks_of_bin(const phxi_cloud* cloud, int bin) {
    phxi_place low = {INT_MAX, INT_MAX, INT_MAX}, high = {0, 0, 0};
    int reach = (int)ceilf(cloud->reach);
    for (int i = cloud->bin_start[bin]; i < cloud->bin_start[bin + 1]; ++i) {
        const phxi_grain* g = &cloud->grains[i];
        low = (phxi_place){smaller(low.x, g->x), smaller(low.y, g->y), smaller(low.z, g->z)};
        high = (phxi_place){larger(high.x, g->x), larger(high.y, g->y), larger(high.z, g->z)};
    }
    // A point between two nodes reaches ceil(h) beyond the upper one and ceil(h) - 1 below the lower one.
    return (reached){
        {(low.x - reach) / PHXI_BLOCK_CELLS, (low.y - reach) / PHXI_BLOCK_CELLS, (low.z - reach) / PHXI_BLOCK_CELLS},
        {(high.x + reach) / PHXI_BLOCK_CELLS, (high.y + reach) / PHXI_BLOCK_CELLS,
         (high.z + reach) / PHXI_BLOCK_CELLS}};
}

static phx_result list_blocks(phxi_cloud* cloud) {
    int64_t total = 0;
    for (int i = 0; i < cloud->bin_count; ++i) {
        reached r = blocks_of_bin(cloud, i);
        total += (int64_t)(r.high.x - r.low.x + 1) * (r.high.y - r.low.y + 1) * (r.high.z - r.low.z + 1);
    }
    if (total > INT_MAX) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "surface of %lld blocks, expected larger cells", (long long)total);
    }
    phxi_place* all;
    PHXI_NEW(all, cloud->heap, total, "surface blocks");
    int count = 0;
    for (int i = 0; i < cloud->bin_count; ++i) {
        reached r = blocks_of_bin(cloud, i);
        for (int z = r.low.z; z <= r.high.z; ++z) {
            for (int y = r.low.y; y <= r.high.y; ++y) {
                for (int x = r.low.x; x <= r.high.x; ++x) {
                    all[count++] = (phxi_place){x, y, z};
                }
            }
        }
    }
    phx_result result = phxi_places_unique(cloud->heap, all, count, &cloud->blocks, &cloud->block_count);
    phxi_free(cloud->heap, all);
    return result;
}

phx_result phxi_cloud_create(phxi_heap* heap, phxi_pool* pool, const double* positions, int count, double cell,
                             double reach, phxi_cloud* cloud) {
    *cloud = (phxi_cloud){.heap = heap, .cell = cell, .reach = (float)reach, .count = count};
    cloud->bin = larger((int)ceilf(cloud->reach), SMALLEST_BIN);
    if (count == 0) {
        return PHX_OK;
    }
    phx_result result = find_origin(positions, count, cloud);
    if (result == PHX_OK) {
        result = bin_points(cloud, pool, positions);
    }
    if (result == PHX_OK) {
        result = list_blocks(cloud);
    }
    if (result != PHX_OK) {
        phxi_cloud_destroy(cloud);
    }
    return result;
}

void phxi_cloud_destroy(phxi_cloud* cloud) {
    if (cloud->heap) {
        phxi_free(cloud->heap, cloud->grains);
        phxi_free(cloud->heap, cloud->bins);
        phxi_free(cloud->heap, cloud->bin_start);
        phxi_free(cloud->heap, cloud->row_start);
        phxi_free(cloud->heap, cloud->blocks);
        phxi_free(cloud->heap, cloud->shapes);
    }
    *cloud = (phxi_cloud){.heap = cloud->heap};
}

void phxi_cloud_node_bins(const phxi_cloud* cloud, phxi_place node, phxi_place* low, phxi_place* high) {
    int reach = (int)ceilf(cloud->reach), last = PHXI_BLOCK_NODES - 1 + reach;
    *low = (phxi_place){larger(node.x - reach, 0) / cloud->bin, larger(node.y - reach, 0) / cloud->bin,
                        larger(node.z - reach, 0) / cloud->bin};
    *high = (phxi_place){(node.x + last) / cloud->bin, (node.y + last) / cloud->bin, (node.z + last) / cloud->bin};
}

// ------------------------------------------------------------------------------------------------------------- stages

static phx_result reserve(const phxi_cloud* cloud, phxi_stage* stage, int count) {
    if (count <= stage->capacity) {
        return PHX_OK;
    }
    if (count > INT_MAX / 2) {
        return phxi_fail_memory("surface neighbours");
    }
    int capacity = larger(count + count / 2, 512);
    phxi_stage grown = {.count = stage->count, .padded = stage->padded, .capacity = capacity};
    grown.x = phxi_alloc(cloud->heap, 5 * (size_t)capacity, sizeof *grown.x, "surface neighbours");
    if (!grown.x) {
        return PHX_ERROR_MEMORY;
    }
    grown.y = grown.x + capacity;
    grown.z = grown.y + capacity;
    grown.volume = grown.z + capacity;
    grown.grain = (int*)(void*)(grown.volume + capacity);
    size_t used = (size_t)stage->count * sizeof(float);
    if (used) {
        memcpy(grown.x, stage->x, used);
        memcpy(grown.y, stage->y, used);
        memcpy(grown.z, stage->z, used);
        memcpy(grown.volume, stage->volume, used);
        memcpy(grown.grain, stage->grain, used);
    }
    phxi_free(cloud->heap, stage->x);
    *stage = grown;
    return PHX_OK;
}

phx_result phxi_stage_add(const phxi_cloud* cloud, phxi_stage* stage, phxi_grain_range range, phxi_place base) {
    PHXI_TRY(reserve(cloud, stage, stage->count + range.end - range.begin + PHXI_LANES));
    PHXI_ASSERT(stage->x);
    for (int i = range.begin; i < range.end; ++i) {
        const phxi_grain* g = &cloud->grains[i];
        int k = stage->count++;
        stage->x[k] = (float)(g->x - base.x) + g->u;
        stage->y[k] = (float)(g->y - base.y) + g->v;
        stage->z[k] = (float)(g->z - base.z) + g->w;
        stage->volume[k] = g->volume;
        stage->grain[k] = i;
    }
    return PHX_OK;
}

phx_result phxi_stage_pad(const phxi_cloud* cloud, phxi_stage* stage) {
    PHXI_TRY(reserve(cloud, stage, stage->count + PHXI_LANES));
    stage->padded = (stage->count + PHXI_LANES - 1) / PHXI_LANES * PHXI_LANES;
    for (int k = stage->count; k < stage->count + PHXI_LANES; ++k) { // a run may end within the last lanes
        stage->x[k] = stage->y[k] = stage->z[k] = 1e6f;
        stage->volume[k] = 0;
        stage->grain[k] = -1;
    }
    return PHX_OK;
}

phx_result phxi_stage_bin(const phxi_cloud* cloud, phxi_stage* stage, int bin, int layers) {
    phxi_place place = cloud->bins[bin];
    phxi_place base = {cloud->bin * place.x, cloud->bin * place.y, cloud->bin * place.z};
    stage->count = 0;
    for (int z = place.z - layers; z <= place.z + layers; ++z) {
        for (int y = place.y - layers; y <= place.y + layers; ++y) {
            PHXI_TRY(
                phxi_stage_add(cloud, stage, phxi_cloud_row(cloud, y, z, place.x - layers, place.x + layers), base));
        }
    }
    return phxi_stage_pad(cloud, stage);
}

void phxi_stage_destroy(const phxi_cloud* cloud, phxi_stage* stage) {
    phxi_free(cloud->heap, stage->x);
    *stage = (phxi_stage){0};
}

// ------------------------------------------------------------------------------------------------------------ volumes

// Volumes are put aside until all are known: stages copy those of the grains while other threads are still at work.
typedef struct volumes {
    const phxi_cloud* cloud;
    float* found; // a grain
    phx_result* results;
} volumes;

PHXI_CLONES static void phxi_surface_volumes(const phxi_cloud* cloud, const phxi_stage* stage, int bin, float* found) {
    phxi_place base = {cloud->bin * cloud->bins[bin].x, cloud->bin * cloud->bins[bin].y,
                       cloud->bin * cloud->bins[bin].z};
    const float round[6] = {1, 1, 1, 0, 0, 0}, top = cloud->shapes ? 1 : cloud->reach * cloud->reach;
    for (int i = cloud->bin_start[bin]; i < cloud->bin_start[bin + 1]; ++i) {
        const phxi_grain* g = &cloud->grains[i];
        const float* s = cloud->shapes ? cloud->shapes[i] : round;
        float x = (float)(g->x - base.x) + g->u, y = (float)(g->y - base.y) + g->v, z = (float)(g->z - base.z) + g->w;
        phxi_f8 sum = {0};
        for (int j = 0; j < stage->padded; j += PHXI_LANES) {
            phxi_f8 dx = *(const phxi_f8u*)(stage->x + j) - x, dy = *(const phxi_f8u*)(stage->y + j) - y,
                    dz = *(const phxi_f8u*)(stage->z + j) - z;
            phxi_f8 square = s[0] * dx * dx + s[1] * dy * dy + s[2] * dz * dz;
            if (cloud->shapes) {
                square += 2 * (s[3] * dx * dy + s[4] * dx * dz + s[5] * dy * dz);
            }
            phxi_f8 rest = top - square, weight = PHXI_F8_POSITIVE(rest);
            sum += weight * weight * weight;
        }
        found[i] = 1 / phxi_f8_sum(&sum); // the point itself is in the sum
    }
}

static void find_volumes(void* context, int begin, int end, int piece) {
    volumes* v = context;
    phxi_stage stage = {0};
    phx_result result = PHX_OK;
    for (int bin = begin; bin < end && result == PHX_OK; ++bin) {
        result = phxi_stage_bin(v->cloud, &stage, bin, 1);
        if (result == PHX_OK) {
            phxi_surface_volumes(v->cloud, &stage, bin, v->found);
        }
    }
    phxi_stage_destroy(v->cloud, &stage);
    v->results[piece] = result;
}

phx_result phxi_cloud_find_volumes(phxi_cloud* cloud, phxi_pool* pool) {
    int pieces = phxi_block_count(cloud->bin_count, BINS_AT_ONCE);
    volumes v = {.cloud = cloud};
    v.found = phxi_alloc(cloud->heap, (size_t)cloud->count, sizeof *v.found, "surface volumes");
    v.results = phxi_alloc(cloud->heap, (size_t)pieces, sizeof *v.results, "surface volumes");
    phx_result result = v.found && v.results ? PHX_OK : PHX_ERROR_MEMORY;
    if (result == PHX_OK) {
        phxi_parallel_for(pool, cloud->bin_count, BINS_AT_ONCE, find_volumes, &v);
        for (int i = 0; i < pieces && result == PHX_OK; ++i) {
            result = v.results[i] == PHX_OK ? PHX_OK : phxi_fail_memory("surface neighbours");
        }
    }
    for (int i = 0; i < cloud->count && result == PHX_OK; ++i) {
        cloud->grains[i].volume = v.found[i];
    }
    phxi_free(cloud->heap, v.found);
    phxi_free(cloud->heap, v.results);
    return result;
}
