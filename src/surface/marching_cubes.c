// SPDX-License-Identifier: MIT
// Marching cubes over blocks (see marching_cubes.h for the numbering).
//
// Rows of 16 sign bits do most of the work: crossed edges are exclusive ors of rows, cells with a surface are those
// whose eight bits differ, and whole blocks of one sign drop out at once.
#include "surface/marching_cubes.h"

#include "core/array.h"
#include "surface/cell.h"
#include "surface/clock.h"

#include <limits.h>
#include <string.h>

enum {
    CELLS = PHXI_BLOCK_CELLS,
    NODES = PHXI_BLOCK_NODES,
    ROWS = NODES * NODES,
    OWNED = 0x7fff,                  // bits of the nodes that are not on the upper border
    CENTERS = 3 * PHXI_BLOCK_VALUES, // first code of a vertex inside a cell
    BLOCKS_AT_ONCE = 4,
    MOST_TRIANGLES = INT_MAX / 9, // a frame indexes 3 numbers a triangle with an int
};

// A vertex within a block: 4096 axis + node, or CENTERS + number. Codes fit 16 bits: a block has at most 8 * 15^3
// centers.
typedef struct triangle {
    uint16_t code[3];
} triangle;

struct phxi_iso_data {
    uint16_t inside[ROWS];    // a bit a node of row 16 z + y
    uint16_t before[3][ROWS]; // vertices before those of a row of edges
    int edge_vertices;        // the rest are centers
    float* cuts;              // where each own edge is cut
    PHXI_ARRAY(phx_vec3) centers;
    PHXI_ARRAY(triangle) triangles;
    int cells;
};

// Shared by the threads of one build.
typedef struct build {
    phxi_heap* heap;
    const phxi_iso_source* source;
    phxi_iso_part* parts;
    phx_result* results; // one a piece of work
    double (*seconds)[2];
} build;

static int row_of(int y, int z) {
    return NODES * z + y;
}

// Crossed edges along an axis that start at the nodes of a row (y, z < 15) and belong to this block.
static unsigned crossed(const uint16_t* inside, int axis, int y, int z) {
    unsigned here = inside[row_of(y, z)];
    unsigned there = axis == 0 ? here >> 1 : axis == 1 ? inside[row_of(y + 1, z)] : inside[row_of(y, z + 1)];
    return (here ^ there) & OWNED;
}

static bool mark_inside(const float* values, float level, uint16_t* inside) {
    unsigned any = 0, all = 0xffff;
    for (int row = 0; row < ROWS; ++row) {
        unsigned bits = 0;
        for (int x = 0; x < NODES; ++x) {
            bits |= (unsigned)(values[NODES * row + x] >= level) << x;
        }
        inside[row] = (uint16_t)bits;
        any |= bits;
        all &= bits;
    }
    return any != 0 && all != 0xffff;
}

static phx_result cut_edges(phxi_heap* heap, const float* values, float level, struct phxi_iso_data* data) {
    int count = 0;
    for (int axis = 0; axis < 3; ++axis) {
        for (int z = 0; z < CELLS; ++z) {
            for (int y = 0; y < CELLS; ++y) {
                data->before[axis][row_of(y, z)] = (uint16_t)count;
                count += __builtin_popcount(crossed(data->inside, axis, y, z));
            }
        }
    }
    data->edge_vertices = count;
    PHXI_NEW(data->cuts, heap, count, "surface vertices");
    static const int step[3] = {1, NODES, ROWS};
    float* cut = data->cuts;
    for (int axis = 0; axis < 3; ++axis) {
        for (int z = 0; z < CELLS; ++z) {
            for (int y = 0; y < CELLS; ++y) {
                for (unsigned bits = crossed(data->inside, axis, y, z); bits; bits &= bits - 1) {
                    const float* node = values + NODES * row_of(y, z) + __builtin_ctz(bits);
                    *cut++ = phxi_cell_cut(node[0] - level, node[step[axis]] - level);
                }
            }
        }
    }
    return PHX_OK;
}

static phx_result add_cell(phxi_heap* heap, const float* values, float level, int node, struct phxi_iso_data* data) {
    float corners[8];
    int nodes[8];
    for (int c = 0; c < 8; ++c) {
        nodes[c] = node + (c & 1) + NODES * (c >> 1 & 1) + ROWS * (c >> 2);
        corners[c] = values[nodes[c]] - level;
    }
    phxi_cell cell;
    phxi_cell_build(corners, &cell);
    if (!phxi_array_reserve(&data->triangles, cell.triangle_count, heap, "surface triangles")) {
        return PHX_ERROR_MEMORY;
    }
    for (int t = 0; t < cell.triangle_count; ++t) {
        triangle* out = &data->triangles.items[data->triangles.count++];
        for (int k = 0; k < 3; ++k) {
            int v = cell.triangles[t][k];
            out->code[k] =
                (uint16_t)(v < PHXI_CELL_EDGES ? PHXI_BLOCK_VALUES * (v >> 2) + nodes[phxi_cell_edge_corner(v)]
                                               : CENTERS + data->centers.count + v - PHXI_CELL_EDGES);
        }
    }
    for (int i = 0; i < cell.center_count; ++i) {
        phx_vec3* center = phxi_array_add(&data->centers, heap, "surface centers");
        if (!center) {
            return PHX_ERROR_MEMORY;
        }
        *center =
            (phx_vec3){node % NODES + (double)cell.centers[i][0], node / NODES % NODES + (double)cell.centers[i][1],
                       node / ROWS + (double)cell.centers[i][2]};
    }
    ++data->cells;
    return PHX_OK;
}

static phx_result triangulate(phxi_heap* heap, const float* values, float level, struct phxi_iso_data* data) {
    PHXI_TRY(cut_edges(heap, values, level, data));
    for (int z = 0; z < CELLS; ++z) {
        for (int y = 0; y < CELLS; ++y) {
            const uint16_t *low = data->inside + row_of(y, z), *high = data->inside + row_of(y, z + 1);
            unsigned any = low[0] | low[1] | high[0] | high[1], all = low[0] & low[1] & high[0] & high[1];
            for (unsigned bits = (any | any >> 1) & ~(all & all >> 1) & OWNED; bits; bits &= bits - 1) {
                PHXI_TRY(add_cell(heap, values, level, NODES * row_of(y, z) + __builtin_ctz(bits), data));
            }
        }
    }
    return PHX_OK;
}

static phx_result build_block(build* b, int block, double seconds[2]) {
    float values[PHXI_BLOCK_VALUES];
    uint16_t inside[ROWS];
    phxi_iso_part* part = &b->parts[block];
    double start = phxi_seconds();
    bool crossed_here =
        b->source->sample(b->source->context, part->place, values) && mark_inside(values, b->source->level, inside);
    double sampled = phxi_seconds();
    seconds[0] += sampled - start;
    if (!crossed_here) {
        return PHX_OK;
    }
    part->data = phxi_alloc_zero(b->heap, 1, sizeof *part->data, "surface blocks");
    if (!part->data) {
        return PHX_ERROR_MEMORY;
    }
    memcpy(part->data->inside, inside, sizeof inside);
    phx_result result = triangulate(b->heap, values, b->source->level, part->data);
    part->vertex_count = part->data->edge_vertices + part->data->centers.count;
    part->triangle_count = part->data->triangles.count;
    seconds[1] += phxi_seconds() - sampled;
    return result;
}

static void build_blocks(void* context, int begin, int end, int piece) {
    build* b = context;
    for (int i = begin; i < end && b->results[piece] == PHX_OK; ++i) {
        b->results[piece] = build_block(b, i, b->seconds[piece]);
    }
}

// Numbers vertices and triangles in the order of the blocks.
static phx_result number_parts(phxi_iso* iso) {
    int64_t vertices = 0, triangles = 0;
    for (int i = 0; i < iso->part_count; ++i) {
        phxi_iso_part* part = &iso->parts[i];
        part->first_vertex = (int)vertices;
        part->first_triangle = (int)triangles;
        vertices += part->vertex_count;
        triangles += part->triangle_count;
        iso->cell_count += part->data ? part->data->cells : 0;
        if (triangles > MOST_TRIANGLES) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "surface of more than %d triangles, expected larger cells",
                             MOST_TRIANGLES);
        }
    }
    iso->vertex_count = (int)vertices;
    iso->triangle_count = (int)triangles;
    return PHX_OK;
}

static phx_result build_parts(phxi_heap* heap, phxi_pool* pool, const phxi_iso_source* source, phxi_iso* iso) {
    iso->parts = phxi_alloc_zero(heap, (size_t)source->block_count, sizeof *iso->parts, "surface blocks");
    if (!iso->parts) {
        return PHX_ERROR_MEMORY;
    }
    iso->part_count = source->block_count;
    for (int i = 0; i < iso->part_count; ++i) {
        iso->parts[i].place = source->blocks[i];
    }
    int pieces = phxi_block_count(iso->part_count, BLOCKS_AT_ONCE);
    build b = {heap, source, iso->parts, NULL, NULL};
    b.results = phxi_alloc_zero(heap, (size_t)pieces, sizeof *b.results, "surface blocks");
    b.seconds = phxi_alloc_zero(heap, (size_t)pieces, sizeof *b.seconds, "surface blocks");
    phx_result result = b.results && b.seconds ? PHX_OK : PHX_ERROR_MEMORY;
    if (result == PHX_OK) {
        phxi_parallel_for(pool, iso->part_count, BLOCKS_AT_ONCE, build_blocks, &b);
        for (int i = 0; i < pieces; ++i) {
            iso->sampling += b.seconds[i][0];
            iso->triangulation += b.seconds[i][1];
            if (b.results[i] != PHX_OK && result == PHX_OK) {
                result = phxi_fail_memory("surface blocks"); // the message of another thread is not seen here
            }
        }
    }
    phxi_free(heap, b.results);
    phxi_free(heap, b.seconds);
    return result;
}

phx_result phxi_iso_build(phxi_heap* heap, phxi_pool* pool, const phxi_iso_source* source, phxi_iso* iso) {
    *iso = (phxi_iso){.heap = heap};
    phx_result result = build_parts(heap, pool, source, iso);
    if (result == PHX_OK) {
        result = number_parts(iso);
    }
    if (result != PHX_OK) {
        phxi_iso_destroy(iso);
    }
    return result;
}

void phxi_iso_destroy(phxi_iso* iso) {
    for (int i = 0; i < iso->part_count; ++i) {
        struct phxi_iso_data* data = iso->parts[i].data;
        if (data) {
            phxi_free(iso->heap, data->cuts);
            phxi_array_destroy(&data->centers, iso->heap);
            phxi_array_destroy(&data->triangles, iso->heap);
            phxi_free(iso->heap, data);
        }
    }
    if (iso->parts) {
        phxi_free(iso->heap, iso->parts);
    }
    *iso = (phxi_iso){.heap = iso->heap};
}

// ------------------------------------------------------------------------------------------------------------ filling

typedef struct filling {
    const phxi_iso* iso;
    phx_vec3 origin;
    double cell;
    double* positions;
    int* indices;
} filling;

static const phxi_iso_part* find_part(const phxi_iso* iso, phxi_place place) {
    int low = 0, high = iso->part_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (phxi_place_compare(iso->parts[middle].place, place) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < iso->part_count && phxi_place_compare(iso->parts[low].place, place) == 0 ? &iso->parts[low] : NULL;
}

static void put_vertex(const filling* f, const phxi_iso_part* part, int vertex, double x, double y, double z) {
    double* p = f->positions + 3 * (size_t)(part->first_vertex + vertex);
    p[0] = f->origin.x + f->cell * (CELLS * (double)part->place.x + x);
    p[1] = f->origin.y + f->cell * (CELLS * (double)part->place.y + y);
    p[2] = f->origin.z + f->cell * (CELLS * (double)part->place.z + z);
}

static void fill_vertices(const filling* f, const phxi_iso_part* part) {
    const struct phxi_iso_data* data = part->data;
    int vertex = 0;
    for (int axis = 0; axis < 3; ++axis) {
        for (int z = 0; z < CELLS; ++z) {
            for (int y = 0; y < CELLS; ++y) {
                for (unsigned bits = crossed(data->inside, axis, y, z); bits; bits &= bits - 1, ++vertex) {
                    double at[3] = {__builtin_ctz(bits), y, z};
                    at[axis] += (double)data->cuts[vertex];
                    put_vertex(f, part, vertex, at[0], at[1], at[2]);
                }
            }
        }
    }
    for (int i = 0; i < data->centers.count; ++i, ++vertex) {
        put_vertex(f, part, vertex, data->centers.items[i].x, data->centers.items[i].y, data->centers.items[i].z);
    }
}

// The number of the vertex with this code; `owners`: the block and its upper neighbours, by which borders are crossed.
static int vertex_of(const phxi_iso_part* const owners[8], int code) {
    if (code >= CENTERS) {
        return owners[0]->first_vertex + owners[0]->data->edge_vertices + code - CENTERS;
    }
    int axis = code / PHXI_BLOCK_VALUES, x = code % NODES, y = code / NODES % NODES, z = code / ROWS % NODES;
    const phxi_iso_part* owner = owners[(x == CELLS) | (y == CELLS) << 1 | (z == CELLS) << 2];
    PHXI_ASSERT(owner && owner->data);
    x %= CELLS, y %= CELLS, z %= CELLS;
    unsigned before = crossed(owner->data->inside, axis, y, z) & ((1u << x) - 1);
    return owner->first_vertex + owner->data->before[axis][row_of(y, z)] + __builtin_popcount(before);
}

static void fill_parts(void* context, int begin, int end, int block) {
    const filling* f = context;
    (void)block;
    for (int i = begin; i < end; ++i) {
        const phxi_iso_part* part = &f->iso->parts[i];
        if (!part->data) {
            continue;
        }
        fill_vertices(f, part);
        const phxi_iso_part* owners[8] = {part};
        for (int k = 1; k < 8; ++k) {
            owners[k] = find_part(
                f->iso, (phxi_place){part->place.x + (k & 1), part->place.y + (k >> 1 & 1), part->place.z + (k >> 2)});
        }
        int* out = f->indices + 3 * (size_t)part->first_triangle;
        for (int t = 0; t < part->triangle_count; ++t) {
            for (int k = 0; k < 3; ++k) {
                *out++ = vertex_of(owners, part->data->triangles.items[t].code[k]);
            }
        }
    }
}

void phxi_iso_fill(const phxi_iso* iso, phxi_pool* pool, phx_vec3 origin, double cell, double* positions,
                   int* indices) {
    filling f = {iso, origin, cell, positions, indices};
    phxi_parallel_for(pool, iso->part_count, BLOCKS_AT_ONCE, fill_parts, &f);
}
