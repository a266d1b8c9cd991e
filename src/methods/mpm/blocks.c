// SPDX-License-Identifier: MIT
// Which block each particle belongs to, and the blocks of nodes around them.
//
// A particle at x cells from the grid's origin sees nodes from floor(x) - 1 on (cubic) or floor(x - 1/2) on
// (quadratic). Its block along an axis is the block that the middle of these starts in, so that the first node may go
// one on and one back: half a cell to either side. Where it stood when blocks were last assigned is packed to a
// `place`:
//   block x, y, z (18 bits each, from -2^17 on), first node of the block that it sees, x, y, z (3 bits each), plus one
// which is a saved field. Blocks, their order, and the order of particles in them (by first node, then index) follow
// from places alone: a world that goes on from a checkpoint has those of the one that wrote it, and the same sums.
#include "methods/mpm/mpm_internal.h"
#include "methods/mpm/rows.h"

#include <stdlib.h>
#include <string.h>

enum { GRAIN = 4096, FIRST_NODES = 512, HALF_RANGE = 1 << 17, FEW = 3 };

uint64_t phxi_mpm_block_key(const int at[3]) {
    uint64_t key = 0;
    for (int axis = 0; axis < 3; ++axis) {
        key = key << 18 | (uint64_t)(at[axis] / MPM_SIDE + HALF_RANGE);
    }
    return key;
}

int phxi_mpm_first_node(uint64_t place) {
    return (int)((place - 1) & (FIRST_NODES - 1));
}

static void corner_of(uint64_t key, int at[3]) {
    for (int axis = 2; axis >= 0; --axis, key >>= 18) {
        at[axis] = MPM_SIDE * ((int)(key & (2 * HALF_RANGE - 1)) - HALF_RANGE);
    }
}

// ------------------------------------------------------------------------------------------------------------- places

/// A body's particles by turn: turn t < count of body `own[k]`, and so on.
typedef struct turns {
    phxi_mpm* s;
    int first; // turn of the body's first particle
    const phxi_body* body;
    int bad; // lowest particle without a place, by block of the loop
    int* bads;
} turns;

/// False: too far away, or not finite.
static bool place_of(const phxi_mpm* s, int i, uint64_t* place) {
    const phxi_particles* p = s->step->particles;
    const double x[3] = {(double)p->x[i], (double)p->y[i], (double)p->z[i]};
    const double origin[3] = {s->origin.x, s->origin.y, s->origin.z}, reach = phxi_mpm_reach(s);
    uint64_t block = 0, node = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double first = (x[axis] + (double)s->step->particles->low[axis][i] - origin[axis]) / s->h - reach;
        if (!(fabs(first) < MPM_SIDE * (HALF_RANGE - 2.0))) {
            return false;
        }
        int from = (int)floor((first - 0.5) / MPM_SIDE);
        block = block << 18 | (uint64_t)(from + HALF_RANGE);
        node = node << 3 | (uint64_t)((int)floor(first) - MPM_SIDE * from);
    }
    *place = (block << 9 | node) + 1;
    return true;
}

static void place_part(void* context, int begin, int end, int block) {
    const turns* t = context;
    t->bads[block] = -1;
    for (int k = end - 1; k >= begin; --k) {
        int i = t->body->begin + k;
        if (!place_of(t->s, i, &t->s->place[i])) {
            t->s->place[i] = 0;
            t->bads[block] = i;
        }
    }
}

static phx_result find_places(phxi_mpm* s, phxi_trouble* trouble) {
    for (int k = 0; k < s->step->own_count; ++k) {
        const phxi_body* body = &s->step->bodies[s->step->own[k]];
        int blocks = phxi_block_count(body->count, GRAIN);
        turns t = {.s = s, .body = body, .bads = phxi_arena_take(s->step->arena, (size_t)blocks, sizeof(int))};
        if (!t.bads) {
            return PHX_ERROR_MEMORY;
        }
        phxi_parallel_for(s->step->pool, body->count, GRAIN, place_part, &t);
        for (int b = 0; b < blocks; ++b) {
            if (t.bads[b] >= 0 && (trouble->particle < 0 || t.bads[b] < trouble->particle)) {
                *trouble = (phxi_trouble){t.bads[b], "blocks of the grid"};
            }
        }
    }
    ++s->words[MPM_WORD_SORTS];
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- blocks

static int total_of(const phxi_step* step) {
    int total = 0;
    for (int k = 0; k < step->own_count; ++k) {
        total += step->bodies[step->own[k]].count;
    }
    return total;
}

/// Counts the particles of each block, in any order of blocks, and notes whose each particle is.
static phx_result count_blocks(phxi_mpm* s) {
    s->unsorted.count = 0;
    phxi_key_clear(&s->table);
    uint64_t last = UINT64_MAX;
    int block = -1, turn = 0;
    for (int b = 0; b < s->step->own_count; ++b) {
        const phxi_body* body = &s->step->bodies[s->step->own[b]];
        for (int i = body->begin; i < body->begin + body->count; ++i, ++turn) {
            uint64_t key = (s->place[i] - 1) >> 9;
            if (key != last) {
                int* slot = phxi_key_slot(&s->table, key);
                if (!slot) {
                    return PHX_ERROR_MEMORY;
                }
                if (*slot < 0) {
                    phxi_mpm_block* made = phxi_array_add(&s->unsorted, s->heap, "mpm");
                    if (!made) {
                        return PHX_ERROR_MEMORY;
                    }
                    *made = (phxi_mpm_block){.key = key, .bad = *slot = s->unsorted.count - 1};
                }
                block = *slot;
                last = key;
            }
            ++s->unsorted.items[block].count;
            s->block_of.items[turn] = block;
        }
    }
    return PHX_OK;
}

static int by_key(const void* a, const void* b) {
    uint64_t x = ((const phxi_mpm_block*)a)->key, y = ((const phxi_mpm_block*)b)->key;
    return (x > y) - (x < y);
}

/// Blocks in the order of their keys; particles of each in the order of their indices.
static phx_result order_blocks(phxi_mpm* s) {
    int count = s->unsorted.count, begin = 0, turn = 0;
    PHXI_MPM_RESERVE(&s->blocks, count);
    memcpy(s->blocks.items, s->unsorted.items, (size_t)count * sizeof *s->blocks.items);
    qsort(s->blocks.items, (size_t)count, sizeof *s->blocks.items, by_key);
    for (int h = 0; h < count; ++h) {
        phxi_mpm_block* block = &s->blocks.items[h];
        block->begin = s->unsorted.items[block->bad].begin = begin; // `bad` is its number among the unsorted
        begin += block->count;
        corner_of(block->key, block->at);
    }
    for (int b = 0; b < s->step->own_count; ++b) {
        const phxi_body* body = &s->step->bodies[s->step->own[b]];
        for (int i = body->begin; i < body->begin + body->count; ++i, ++turn) {
            s->spare.items[s->unsorted.items[s->block_of.items[turn]].begin++] = i;
        }
    }
    return PHX_OK;
}

/// Particles of a block by their first nodes, and as they stood among those of one.
static void order_part(void* context, int begin, int end, int part) {
    phxi_mpm* s = context;
    (void)part;
    for (int h = begin; h < end; ++h) {
        const phxi_mpm_block* block = &s->blocks.items[h];
        const int* from = s->spare.items + block->begin;
        int starts[FIRST_NODES + 1] = {0};
        for (int k = 0; k < block->count; ++k) {
            ++starts[phxi_mpm_first_node(s->place[from[k]]) + 1];
        }
        for (int n = 0; n < FIRST_NODES; ++n) {
            starts[n + 1] += starts[n];
        }
        for (int k = 0; k < block->count; ++k) {
            s->order.items[block->begin + starts[phxi_mpm_first_node(s->place[from[k]])]++] = from[k];
        }
    }
}

// -------------------------------------------------------------------------------------------------------------- nodes

/// The block of nodes with a first node; made if there is none. -1: no memory.
static int nodes_at(phxi_mpm* s, const int at[3]) {
    int* slot = phxi_key_slot(&s->table, phxi_mpm_block_key(at));
    if (!slot) {
        return -1;
    }
    if (*slot < 0) {
        phxi_mpm_nodes* made = phxi_array_add(&s->nodes, s->heap, "mpm");
        if (!made) {
            return -1;
        }
        *slot = s->nodes.count - 1;
        *made = (phxi_mpm_nodes){.at = {at[0], at[1], at[2]}, .blocks = {-1, -1, -1, -1, -1, -1, -1, -1}, .held = -1};
    }
    return *slot;
}

static phx_result link_nodes(phxi_mpm* s) {
    s->nodes.count = 0;
    phxi_key_clear(&s->table);
    for (int h = 0; h < s->blocks.count; ++h) {
        phxi_mpm_block* block = &s->blocks.items[h];
        for (int octant = 0; octant < 8; ++octant) {
            const int at[3] = {block->at[0] + (octant & 4), block->at[1] + 2 * (octant & 2),
                               block->at[2] + 4 * (octant & 1)};
            int nodes = nodes_at(s, at);
            if (nodes < 0) {
                return PHX_ERROR_MEMORY;
            }
            block->nodes[octant] = nodes;
            s->nodes.items[nodes].blocks[octant] = h;
        }
        block->bad = -1;
    }
    return PHX_OK;
}

static phx_result reserve_numbers(phxi_mpm* s) {
    int tiles;
    if (s->nodes.count > INT32_MAX / MPM_BLOCK) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "particles stand in %d blocks of the grid, expected at most %d",
                         s->nodes.count, INT32_MAX / MPM_BLOCK);
    }
    PHXI_TRY(phxi_mpm_place_tiles(s, &tiles));
    PHXI_MPM_RESERVE(&s->tiles, tiles);
    PHXI_MPM_RESERVE(&s->velocity, s->nodes.count * MPM_BLOCK);
    if (s->keeps_old) {
        PHXI_MPM_RESERVE(&s->old_tiles, tiles);
        PHXI_MPM_RESERVE(&s->old_velocity, s->nodes.count * MPM_BLOCK);
    }
    return PHX_OK;
}

/// Neighbouring blocks of few particles go through planes together, which are as dear for one as for sixteen.
static phx_result batch_blocks(phxi_mpm* s) {
    PHXI_MPM_RESERVE(&s->batches, s->blocks.count);
    int count = 0, filled = MPM_CHUNK;
    for (int h = 0; h < s->blocks.count; ++h) {
        filled += s->blocks.items[h].count;
        if (filled > MPM_CHUNK) {
            s->batches.items[count++] = (phxi_mpm_batch){h, 0};
            filled = s->blocks.items[h].count;
        }
        ++s->batches.items[count - 1].count;
    }
    s->batches.count = count;
    return PHX_OK;
}

/// Rebuilds everything from the places.
static phx_result build(phxi_mpm* s) {
    int total = total_of(s->step);
    s->settled = false;
    s->table.heap = s->heap;
    PHXI_MPM_RESERVE(&s->order, total);
    PHXI_MPM_RESERVE(&s->spare, total);
    PHXI_MPM_RESERVE(&s->block_of, total);
    PHXI_TRY(count_blocks(s));
    PHXI_TRY(order_blocks(s));
    phxi_parallel_for(s->step->pool, s->blocks.count, 8, order_part, s);
    PHXI_TRY(batch_blocks(s));
    PHXI_TRY(link_nodes(s));
    ++s->builds;
    PHXI_TRY(reserve_numbers(s));
    s->own_count = total;
    s->settled = true;
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------- held

/// Rows of nodes that particles of a block see.
static void find_rows(const phxi_mpm* s, phxi_mpm_block* block) {
    phxi_mpm_rows rows = {{0, 0}};
    phxi_mpm_chunk chunk;
    if (block->count > MPM_MANY || s->every_row) {
        block->rows = (phxi_mpm_rows){{MPM_ALL_ROWS, MPM_ALL_ROWS}};
        return;
    }
    phxi_mpm_open_chunk(s, &(phxi_mpm_batch){(int)(block - s->blocks.items), 1}, 0, &chunk);
    phxi_mpm_find_bases(s, &chunk);
    for (int k = 0; k < chunk.count; ++k) {
        phxi_mpm_see(&rows, chunk.base[k], s->params->kernel == MPM_CUBIC);
    }
    block->rows = rows;
}

/// Whether no other block has particles that see one of its rows.
static bool is_alone(const phxi_mpm* s, const phxi_mpm_block* block) {
    for (int octant = 0; octant < 8; ++octant) {
        const phxi_mpm_nodes* nodes = &s->nodes.items[block->nodes[octant]];
        const uint32_t own = phxi_mpm_octant_rows(&block->rows, octant);
        for (int n = 0; n < 8 && own; ++n) {
            if (n != octant && nodes->blocks[n] >= 0 &&
                (phxi_mpm_octant_rows(&s->blocks.items[nodes->blocks[n]].rows, n) & own)) {
                return false;
            }
        }
    }
    return block->held == 0;
}

static void alone_part(void* context, int begin, int end, int part) {
    phxi_mpm* s = context;
    (void)part;
    for (int h = begin; h < end; ++h) {
        phxi_mpm_block* block = &s->blocks.items[h];
        block->alone = is_alone(s, block);
        block->taken = block->alone && block->count <= FEW;
    }
}

/// Whether all particles of a block still see nodes of its tile alone; and how many are fixed.
static void look_part(void* context, int begin, int end, int part) {
    phxi_mpm* s = context;
    const phxi_particles* p = s->step->particles;
    const phx_real per = (phx_real)(1 / s->h), low = (phx_real)phxi_mpm_reach(s), high = low + 5;
    const phx_real* const x[3] = {p->x, p->y, p->z};
    const double origin[3] = {s->origin.x, s->origin.y, s->origin.z};
    (void)part;
    for (int h = begin; h < end; ++h) {
        phxi_mpm_block* block = &s->blocks.items[h];
        int within = 1, held = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const phx_real from = (phx_real)(origin[axis] + s->h * block->at[axis]);
            for (int k = block->begin; k < block->begin + block->count; ++k) {
                int i = s->order.items[k];
                phx_real r = ((x[axis][i] - from) + s->step->particles->low[axis][i]) * per;
                within &= (r >= low) & (r < high);
            }
        }
        for (int k = block->begin; k < block->begin + block->count; ++k) {
            held += p->fixed[s->order.items[k]] != 0;
        }
        block->held = held;
        block->bad = within ? -1 : 0;
        block->alone = block->taken = false;
        if (within) {
            find_rows(s, block);
        }
    }
}

/// True if blocks are still right.
static bool look(phxi_mpm* s) {
    phxi_parallel_for(s->step->pool, s->blocks.count, 8, look_part, s);
    for (int h = 0; h < s->blocks.count; ++h) {
        if (s->blocks.items[h].bad >= 0) {
            return false;
        }
    }
    return true;
}

/// Tiles and blocks for what fixed particles alone give and see.
static phx_result find_held(phxi_mpm* s) {
    s->held_count = s->held_nodes = 0;
    for (int h = 0; h < s->blocks.count; ++h) {
        s->held_count += s->blocks.items[h].held;
    }
    for (int n = 0; n < s->nodes.count; ++n) {
        phxi_mpm_nodes* nodes = &s->nodes.items[n];
        bool near = false;
        for (int octant = 0; octant < 8; ++octant) {
            near = near || (nodes->blocks[octant] >= 0 && s->blocks.items[nodes->blocks[octant]].held > 0);
        }
        nodes->held = near ? s->held_nodes++ : -1;
    }
    PHXI_MPM_RESERVE(&s->held_tiles, s->held_count > 0 ? s->tiles.count : 0);
    PHXI_MPM_RESERVE(&s->held_velocity, s->held_nodes * MPM_BLOCK);
    return PHX_OK;
}

static bool all_placed(const phxi_mpm* s) {
    for (int k = 0; k < s->step->own_count; ++k) {
        const phxi_body* body = &s->step->bodies[s->step->own[k]];
        for (int i = body->begin; i < body->begin + body->count; ++i) {
            if (s->place[i] == 0) {
                return false;
            }
        }
    }
    return true;
}

phx_result phxi_mpm_settle(phxi_mpm* s, phxi_trouble* trouble) {
    bool same = s->settled && s->own_count == total_of(s->step);
    if (!same && s->placed && all_placed(s)) { // from a checkpoint
        PHXI_TRY(build(s));
        same = true;
    }
    if (!same || !look(s)) {
        PHXI_TRY(find_places(s, trouble));
        if (trouble->particle >= 0) {
            s->settled = false;
            return PHX_OK;
        }
        s->placed = true;
        PHXI_TRY(build(s));
        look(s);
    }
    s->pushes = NULL;
    if (!s->every_row && !s->keeps_old && !phxi_mpm_wants_pushes(s->step)) {
        phxi_parallel_for(s->step->pool, s->blocks.count, 32, alone_part, s);
    }
    return find_held(s);
}

// -------------------------------------------------------------------------------------------------------------- memory

typedef struct placed {
    uint64_t place;
    int index;
} placed;

static int by_place(const void* a, const void* b) {
    const placed *x = a, *y = b;
    return x->place != y->place ? (x->place > y->place) - (x->place < y->place) : x->index - y->index;
}

phx_result phxi_mpm_sort_body(phxi_mpm* s, phxi_step* step, int index) {
    const phxi_body* body = &step->bodies[index];
    placed* entries = phxi_alloc(s->heap, (size_t)body->count, sizeof *entries, "mpm");
    int* order = phxi_alloc(s->heap, (size_t)body->count, sizeof *order, "mpm");
    phx_result result = entries && order ? PHX_OK : PHX_ERROR_MEMORY;
    phxi_mpm_bind(s, step);
    for (int k = 0; result == PHX_OK && k < body->count; ++k) {
        uint64_t place = 0;
        place_of(s, body->begin + k, &place); // those that have none will be told when they move
        entries[k] = (placed){place, k};
    }
    if (result == PHX_OK) {
        qsort(entries, (size_t)body->count, sizeof *entries, by_place);
        for (int k = 0; k < body->count; ++k) {
            order[k] = entries[k].index;
        }
        result = phxi_particles_reorder(step->particles, body->begin, body->count, order);
    }
    phxi_free(s->heap, entries);
    phxi_free(s->heap, order);
    return result;
}

void phxi_mpm_release(phxi_mpm* s) {
    phxi_array_destroy(&s->materials, s->heap);
    phxi_array_destroy(&s->walls, s->heap);
    phxi_mpm_release_wall_caches(s);
    phxi_array_destroy(&s->tangents, s->heap);
    phxi_array_destroy(&s->bound, s->heap);
    phxi_array_destroy(&s->change, s->heap);
    phxi_array_destroy(&s->rest, s->heap);
    phxi_array_destroy(&s->direction, s->heap);
    phxi_array_destroy(&s->image, s->heap);
    phxi_array_destroy(&s->gain, s->heap);
    phxi_array_destroy(&s->space, s->heap);
    phxi_array_destroy(&s->blocks, s->heap);
    phxi_array_destroy(&s->batches, s->heap);
    phxi_array_destroy(&s->unsorted, s->heap);
    phxi_array_destroy(&s->nodes, s->heap);
    phxi_array_destroy(&s->order, s->heap);
    phxi_array_destroy(&s->block_of, s->heap);
    phxi_array_destroy(&s->spare, s->heap);
    phxi_array_destroy(&s->tiles, s->heap);
    phxi_array_destroy(&s->old_tiles, s->heap);
    phxi_array_destroy(&s->held_tiles, s->heap);
    phxi_array_destroy(&s->velocity, s->heap);
    phxi_array_destroy(&s->old_velocity, s->heap);
    phxi_array_destroy(&s->held_velocity, s->heap);
    phxi_key_destroy(&s->table);
}
