// SPDX-License-Identifier: MIT
// A block of N particles with 26 neighbours (14 on body-centred lattices), shaken a little, one substep after the
// other; beside it the bare loop.
//
// The bare loop goes over the same lists in the same order and does nothing but what every pair loop must: load the
// neighbour's offset and the pair's gradient vector, gather one padded position, multiply and add. A substep has two
// passes over the pairs (gradient, force), so `x limit` = substep / (2 bare passes), both on the same thread count.
//
// "full lists" is the same block with particles shifted by a hundredth of their distance: no two rows are equal, so
// each has its own list of 20 bytes a pair, as all had in the first version.
#include "bench/bench_block.h"

#include "math/simd.h"
#include "neighbors/neighbors.h"

#include <math.h>

enum { BLOCK = 128 };

typedef struct lists {
    int count;
    int* start;         // rows of pairs
    int* offsets;       // bytes to the neighbour's position
    phxi_r4* gradients; // one a pair
    phxi_r4* positions; // one a particle, padded
    phxi_r4* sums;      // result, so that the loop cannot be left out
} lists;

PHXI_CLONES static void bare_loop_rows(const int* restrict start, const int* restrict offsets,
                                       const phxi_r4* restrict gradients, const phxi_r4* restrict positions,
                                       phxi_r4* restrict sums, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        phxi_r4 sum = {0, 0, 0, 0};
        for (int k = start[i]; k < start[i + 1]; ++k) {
            sum += gradients[k] * *(const phxi_r4*)(const void*)((const char*)positions + offsets[k]);
        }
        sums[i] = sum;
    }
}

static void bare_block(void* context, int begin, int end, int block) {
    const lists* l = context;
    (void)block;
    bare_loop_rows(l->start, l->offsets, l->gradients, l->positions, l->sums, begin, end);
}

// Lists over the particles in the order in which the world keeps them.
static phx_result make_lists(phxi_heap* heap, phx_world* world, double support, lists* l) {
    const phxi_particles* p = &world->particles;
    phxi_search* search = NULL;
    phxi_lists pairs = {0};
    PHXI_TRY(phxi_search_create(heap, PHXI_SEARCH_GRID, &search));
    phxi_points points = {p->rest_x, p->rest_y, p->rest_z, p->count};
    phx_result result = phxi_search_pairs(search, world->pool, points, NULL, support * (double)p->spacing[0], &pairs);
    phxi_search_destroy(search);
    PHXI_TRY(result);
    int64_t total = pairs.start[p->count];
    l->count = p->count;
    PHXI_NEW(l->start, heap, p->count + 1, "bench starts");
    PHXI_NEW(l->offsets, heap, total, "bench offsets");
    PHXI_NEW(l->gradients, heap, total, "bench gradients");
    PHXI_NEW(l->positions, heap, p->count, "bench positions");
    PHXI_NEW(l->sums, heap, p->count, "bench sums");
    for (int i = 0; i < p->count; ++i) {
        l->start[i] = (int)pairs.start[i];
        l->positions[i] = (phxi_r4){p->x[i], p->y[i], p->z[i], 1};
        for (int64_t k = pairs.start[i]; k < pairs.start[i + 1]; ++k) {
            int j = pairs.items[k];
            l->offsets[k] = j * (int)sizeof(phxi_r4);
            l->gradients[k] = (phxi_r4){p->x[j] - p->x[i], p->y[j] - p->y[i], p->z[j] - p->z[i], 1};
        }
    }
    l->start[p->count] = (int)total;
    phxi_lists_destroy(heap, &pairs);
    return PHX_OK;
}

enum { LATTICE, ROWS, FULL, PATHS };

/// Of cubic and body-centred blocks.
static const char* const names[2][PATHS] = {{"lattice", "rows", "full lists"}, {"bcc lattice", "bcc rows", "bcc full"}};
static const char* const ratio_names[2][3] = {{"lattice : rows", "lattice : full", "rows : full"},
                                              {"bcc lattice : rows", "bcc lattice : full", "bcc rows : full"}};

typedef struct setup {
    bool centred; // the lattice is body-centred
    phx_world* worlds[PATHS];
    lists l;
} setup;

/// Ratios, which are printed when all speeds are.
typedef struct ratios {
    int count;
    phx_bench_line lines[64];
} ratios;

static void add_ratio(ratios* r, const char* name, const setup* s, const double times[PATHS], const int pair[2],
                      double goal) {
    int count = s->l.count;
    if (r->count < (int)(sizeof r->lines / sizeof r->lines[0])) {
        r->lines[r->count++] = (phx_bench_line){.name = name,
                                                .particles = count,
                                                .pairs = s->l.start[count],
                                                .threads = phx_world_threads(s->worlds[ROWS]),
                                                .unit = "ns/particle",
                                                .measured = 1e9 * times[pair[0]] / count,
                                                .against = names[s->centred][pair[1]],
                                                .reference = 1e9 * times[pair[1]] / count,
                                                .ratio = times[pair[1]] / times[pair[0]],
                                                .goal = goal};
    }
}

static void bare_pass(void* context) {
    setup* s = context;
    phxi_parallel_for(s->worlds[ROWS]->pool, s->l.count, BLOCK, bare_block, &s->l);
}

static phx_result set_up(phxi_heap* heap, int side, int threads, setup* s) {
    for (int k = 0; k < PATHS; ++k) {
        phxi_bench_block block = phxi_bench_cube(side, threads);
        block.bcc = s->centred;
        block.path = k == LATTICE ? "lattice" : "rows";
        block.jitter = k == FULL ? 0.01 : 0; // no two rows are equal
        PHXI_TRY(phxi_bench_world(&block, &s->worlds[k]));
    }
    return make_lists(heap, s->worlds[ROWS], s->centred ? 1.2 : 1.8, &s->l);
}

static void tear_down(phxi_heap* heap, setup* s) {
    phxi_free(heap, s->l.start);
    phxi_free(heap, s->l.offsets);
    phxi_free(heap, s->l.gradients);
    phxi_free(heap, s->l.positions);
    phxi_free(heap, s->l.sums);
    for (int k = 0; k < PATHS; ++k) {
        phx_world_destroy(s->worlds[k]);
    }
}

static void report(phxi_bench* bench, const setup* s, const double times[PATHS + 1], double alone[PATHS], ratios* r) {
    int threads = phx_world_threads(s->worlds[ROWS]), count = s->l.count, pairs = s->l.start[count];
    for (int k = 0; k < PATHS; ++k) {
        alone[k] = threads == 1 ? times[k] : alone[k];
        phx_bench_line line = {.name = names[s->centred][k],
                               .particles = count,
                               .pairs = pairs,
                               .threads = threads,
                               .ns_per_particle = 1e9 * times[k] / count,
                               .ns_per_pair = 1e9 * times[k] / pairs,
                               .x_limit = times[k] / (2 * times[PATHS]),
                               .speedup = alone[k] / times[k],
                               .share = NAN};
        phxi_bench_report(bench, &line);
    }
    const char* const* ratio = ratio_names[s->centred];
    add_ratio(r, ratio[0], s, times, (const int[]){LATTICE, ROWS}, 1.8);
    add_ratio(r, ratio[1], s, times, (const int[]){LATTICE, FULL}, count > 200000 ? 2 : NAN);
    add_ratio(r, ratio[2], s, times, (const int[]){ROWS, FULL}, NAN);
}

static phx_result run_size(phxi_bench* bench, bool centred, int side, int threads, double alone[PATHS], ratios* r) {
    setup s = {.centred = centred};
    double times[PATHS + 1];
    phx_result result = set_up(bench->heap, side, threads, &s);
    if (result == PHX_OK) {
        result = phxi_bench_turns(s.worlds, PATHS, bare_pass, &s, PATHS * bench->def->seconds, times);
    }
    if (result == PHX_OK) {
        report(bench, &s, times, alone, r);
    }
    tear_down(bench->heap, &s);
    return result;
}

phx_result phxi_bench_efg_paths(phxi_bench* bench) {
    static const int sides[2][3] = {{16, 32, 64}, {16, 24, 48}};
    int most;
    ratios r = {0};
    PHXI_TRY(phxi_bench_threads(bench, &most));
    for (int i = 0; i < 6; ++i) {
        bool centred = i % 2;
        int side = sides[centred][i / 2], count = side * side * side * (centred ? 2 : 1);
        if (bench->def->max_particles > 0 && count > bench->def->max_particles) {
            continue;
        }
        double alone[PATHS] = {0};
        for (int threads = 1; threads <= most; threads = threads < most && 2 * threads > most ? most : 2 * threads) {
            PHXI_TRY(run_size(bench, centred, side, threads, alone, &r));
        }
    }
    for (int k = 0; k < r.count; ++k) {
        phxi_bench_report(bench, &r.lines[k]);
    }
    return PHX_OK;
}
