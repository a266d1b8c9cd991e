// SPDX-License-Identifier: MIT
#include "surface/tile_field.h"

#include "math/simd.h"

#include <math.h>
#include <string.h>

enum { NODES = PHXI_TILE_NODES, REACH = PHXI_FIELD_REACH, LINE = NODES + 2 * REACH };
enum { TILES_AT_ONCE = 4 };

static const phxi_place steps[6] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};

int phxi_tile_find(const phxi_tile_field* field, phxi_place place) {
    int low = 0, high = field->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (phxi_place_compare(field->tiles[middle], place) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < field->count && phxi_place_compare(field->tiles[low], place) == 0 ? low : -1;
}

static void find_neighbors(void* context, int begin, int end, int piece) {
    const phxi_tile_field* field = context;
    (void)piece;
    for (int b = begin; b < end; ++b) {
        for (int k = 0; k < 6; ++k) {
            phxi_place at = field->tiles[b];
            field->neighbors[b][k] =
                phxi_tile_find(field, (phxi_place){at.x + steps[k].x, at.y + steps[k].y, at.z + steps[k].z});
        }
    }
}

phx_result phxi_tile_field_create(phxi_heap* heap, phxi_pool* pool, const phxi_place* tiles, int count,
                                  phxi_tile_field* field) {
    *field = (phxi_tile_field){.heap = heap, .tiles = tiles, .count = count};
    PHXI_NEW(field->neighbors, heap, count, "surface tiles");
    PHXI_NEW(field->values, heap, (size_t)count * PHXI_TILE_VALUES, "surface nodes");
    PHXI_NEW(field->next, heap, (size_t)count * PHXI_TILE_VALUES, "surface nodes");
    phxi_parallel_for(pool, count, TILES_AT_ONCE, find_neighbors, field);
    return PHX_OK;
}

void phxi_tile_field_destroy(phxi_tile_field* field) {
    phxi_free(field->heap, field->neighbors);
    phxi_free(field->heap, field->values);
    phxi_free(field->heap, field->next);
    *field = (phxi_tile_field){.heap = field->heap};
}

// ------------------------------------------------------------------------------------------------------------- passes

typedef struct pass {
    const phxi_tile_field* field;
    int axis, reach;
    const float* weights; // of a sum, of nodes 0 ... reach away; NULL: the least of value + square of the distance
} pass;

// A row of sixteen nodes along x, `step` rows further along axis 1 or 2, from this tile or the next.
PHXI_INLINE const float* row_at(const pass* p, int tile, int y, int z, int step) {
    const phxi_tile_field* f = p->field;
    int at = (p->axis == 1 ? y : z) + step, owner = tile;
    if (at < 0 || at >= NODES) {
        owner = f->neighbors[tile][2 * p->axis + (at >= NODES)];
        at += at < 0 ? NODES : -NODES;
    }
    if (owner < 0) {
        return NULL;
    }
    return phxi_tile_values(f, owner) + NODES * (p->axis == 1 ? at + NODES * z : y + NODES * at);
}

// Sixteen results from what stands `stride` numbers apart on both sides.
PHXI_INLINE void find_least(const float* middle, int stride, int reach, float* out) {
    float least[NODES];
    memcpy(least, middle, sizeof least);
    for (int k = 1; k <= reach; ++k) {
        const float *low = middle - k * stride, *high = middle + k * stride;
        float far = (float)(k * k);
        for (int i = 0; i < NODES; ++i) {
            float nearer = (low[i] < high[i] ? low[i] : high[i]) + far;
            least[i] = nearer < least[i] ? nearer : least[i];
        }
    }
    memcpy(out, least, sizeof least);
}

PHXI_INLINE void find_sum(const float* middle, int stride, int reach, const float* weights, float* out) {
    float sum[NODES];
    for (int i = 0; i < NODES; ++i) {
        sum[i] = weights[0] * middle[i];
    }
    for (int k = 1; k <= reach; ++k) {
        const float *low = middle - k * stride, *high = middle + k * stride;
        for (int i = 0; i < NODES; ++i) {
            sum[i] += weights[k] * (low[i] + high[i]);
        }
    }
    memcpy(out, sum, sizeof sum);
}

PHXI_INLINE void find(const pass* p, const float* middle, int stride, float* out) {
    if (p->weights) {
        find_sum(middle, stride, p->reach, p->weights, out);
    } else {
        find_least(middle, stride, p->reach, out);
    }
}

// A row with what the tiles on both sides have.
PHXI_INLINE void pass_along_x(const pass* p, int tile, float* out) {
    const phxi_tile_field* f = p->field;
    float line[LINE];
    int below = f->neighbors[tile][0], above = f->neighbors[tile][1];
    for (int row = 0; row < NODES * NODES; ++row) {
        for (int i = 0; i < REACH; ++i) {
            line[i] = below < 0 ? f->beyond : phxi_tile_values(f, below)[NODES * row + NODES - REACH + i];
            line[REACH + NODES + i] = above < 0 ? f->beyond : phxi_tile_values(f, above)[NODES * row + i];
        }
        memcpy(line + REACH, phxi_tile_values(f, tile) + NODES * row, NODES * sizeof *line);
        find(p, line + REACH, 1, out + NODES * row);
    }
}

// A slice of rows one behind the other along the axis, with what the tiles before and behind have.
PHXI_INLINE void pass_across(const pass* p, int tile, float* out) {
    float rows[LINE][NODES];
    for (int slice = 0; slice < NODES; ++slice) {
        int y = p->axis == 1 ? 0 : slice, z = p->axis == 1 ? slice : 0;
        for (int n = REACH - p->reach; n < REACH + NODES + p->reach; ++n) {
            const float* from = row_at(p, tile, y, z, n - REACH);
            for (int i = 0; i < NODES; ++i) {
                rows[n][i] = from ? from[i] : p->field->beyond;
            }
        }
        for (int n = 0; n < NODES; ++n) {
            int row = p->axis == 1 ? n + NODES * slice : slice + NODES * n;
            find(p, rows[REACH + n], NODES, out + NODES * row);
        }
    }
}

PHXI_CLONES static void phxi_surface_pass_tile(const pass* p, int tile) {
    float* out = p->field->next + (size_t)PHXI_TILE_VALUES * (size_t)tile;
    if (p->axis == 0) {
        pass_along_x(p, tile, out);
    } else {
        pass_across(p, tile, out);
    }
}

static void pass_tiles(void* context, int begin, int end, int piece) {
    (void)piece;
    for (int tile = begin; tile < end; ++tile) {
        phxi_surface_pass_tile(context, tile);
    }
}

static void run_passes(phxi_tile_field* field, phxi_pool* pool, int reach, const float* weights) {
    for (int axis = 0; axis < 3; ++axis) {
        pass p = {field, axis, reach, weights};
        phxi_parallel_for(pool, field->count, TILES_AT_ONCE, pass_tiles, &p);
        float* written = field->next;
        field->next = field->values;
        field->values = written;
    }
}

void phxi_tile_field_distance(phxi_tile_field* field, phxi_pool* pool, int reach) {
    PHXI_ASSERT(reach <= REACH);
    run_passes(field, pool, reach, NULL);
}

void phxi_tile_field_blur(phxi_tile_field* field, phxi_pool* pool, double deviation) {
    float weights[REACH + 1];
    double exact[REACH + 1], sum = 0;
    int reach = (int)fmin(ceil(3 * deviation), REACH);
    for (int k = 0; k <= reach; ++k) {
        exact[k] = exp(-0.5 * k * k / (deviation * deviation));
        sum += k ? 2 * exact[k] : exact[k];
    }
    for (int k = 0; k <= reach; ++k) {
        weights[k] = (float)(exact[k] / sum);
    }
    run_passes(field, pool, reach, weights);
}

// -------------------------------------------------------------------------------------------------------------- flood
//
// A row of sixteen nodes is a word of sixteen bits. Tiles wait in a list until nothing more spreads within them; what
// they reach on their faces goes on in their neighbours, which then wait again.

enum { ROWS = NODES * NODES };

typedef struct flood {
    const phxi_tile_field* field;
    uint16_t (*open)[ROWS];    // may be reached
    uint16_t (*reached)[ROWS]; // is
    uint8_t* waits;            // whether a tile is in the list
    int* list;                 // a ring of as many tiles as there are
    int first, count;
} flood;

static void wait(flood* f, int tile) {
    if (!f->waits[tile]) {
        f->waits[tile] = 1;
        f->list[(f->first + f->count++) % f->field->count] = tile;
    }
}

// Adds to a row what is reached and open; true if that is more than before.
static bool add_to_row(flood* f, int tile, int row, unsigned bits) {
    unsigned open = f->open[tile][row], before = f->reached[tile][row], now = (before | bits) & open, last;
    do {
        last = now;
        now |= (now << 1 | now >> 1) & open;
    } while (now != last);
    f->reached[tile][row] = (uint16_t)now;
    return now != before;
}

// Until nothing changes: up and down through the rows, each from those beside it.
static void spread_within(flood* f, int tile) {
    bool more = true;
    for (int turn = 0; more; ++turn) {
        more = false;
        for (int k = 0; k < ROWS; ++k) {
            int row = turn % 2 ? ROWS - 1 - k : k, y = row % NODES, z = row / NODES;
            const uint16_t* r = f->reached[tile];
            unsigned beside = (y > 0 ? r[row - 1] : 0u) | (y < NODES - 1 ? r[row + 1] : 0u) |
                              (z > 0 ? r[row - NODES] : 0u) | (z < NODES - 1 ? r[row + NODES] : 0u);
            more = add_to_row(f, tile, row, beside) || more;
        }
    }
}

// What the face of a tile gives to the next one; `from` -1: all of it is outside. k as in `neighbors`, seen from
// `from`.
static void cross_face(flood* f, int from, int to, int k) {
    bool changed = false;
    for (int i = 0; i < (k < 2 ? ROWS : NODES); ++i) {
        int there = k < 2 ? i : k < 4 ? NODES * i + (k % 2 ? NODES - 1 : 0) : (k % 2 ? ROWS - NODES : 0) + i;
        int here = k < 2 ? i : k < 4 ? NODES * i + (k % 2 ? 0 : NODES - 1) : (k % 2 ? 0 : ROWS - NODES) + i;
        unsigned bits = from < 0 ? 0xFFFFu : f->reached[from][there];
        if (k < 2) { // one bit of each row
            bits = k % 2 ? bits >> (NODES - 1) & 1u : (bits & 1u) << (NODES - 1);
        }
        changed = add_to_row(f, to, here, bits) || changed;
    }
    if (changed) {
        wait(f, to);
    }
}

static void run_flood(flood* f) {
    for (int t = 0; t < f->field->count; ++t) {
        for (int k = 0; k < 6; ++k) {
            if (f->field->neighbors[t][k] < 0) {
                cross_face(f, -1, t, k ^ 1);
            }
        }
    }
    while (f->count > 0) {
        int tile = f->list[f->first];
        f->first = (f->first + 1) % f->field->count;
        --f->count;
        f->waits[tile] = 0;
        spread_within(f, tile);
        for (int k = 0; k < 6; ++k) {
            if (f->field->neighbors[tile][k] >= 0) {
                cross_face(f, tile, f->field->neighbors[tile][k], k);
            }
        }
    }
}

phx_result phxi_tile_field_flood(const phxi_tile_field* field, uint8_t* marks) {
    flood f = {.field = field};
    size_t tiles = (size_t)field->count;
    PHXI_NEW(f.open, field->heap, tiles, "surface flood");
    PHXI_NEW(f.reached, field->heap, tiles, "surface flood");
    PHXI_NEW(f.waits, field->heap, tiles, "surface flood");
    PHXI_NEW(f.list, field->heap, tiles, "surface flood");
    memset(f.reached, 0, tiles * sizeof *f.reached);
    memset(f.waits, 0, tiles);
    uint16_t *open_rows = &f.open[0][0], *reached_rows = &f.reached[0][0]; // of all tiles, one after the other
    for (size_t row = 0; row < tiles * ROWS; ++row) {
        unsigned open = 0;
        for (unsigned x = 0; x < NODES; ++x) {
            open |= (unsigned)(marks[NODES * row + x] == 0) << x;
        }
        open_rows[row] = (uint16_t)open;
    }
    run_flood(&f);
    for (size_t node = 0; node < tiles * PHXI_TILE_VALUES; ++node) {
        if (reached_rows[node / NODES] >> node % NODES & 1) {
            marks[node] = 1;
        }
    }
    phxi_free(field->heap, f.open);
    phxi_free(field->heap, f.reached);
    phxi_free(field->heap, f.waits);
    phxi_free(field->heap, f.list);
    return PHX_OK;
}
