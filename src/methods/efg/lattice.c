// SPDX-License-Identifier: MIT
// The grid of a body on a cubic lattice: runs, tiles and constants; shape in lattice.h.
//
// Constants are those of the ideal lattice: rest differences are a n, not the rounded ones of the stored positions
// (they differ by what float cuts off). So most runs of a body have the same constants to the last bit, and these are
// stored once: nine tenths of what a substep would read are gone.
#include "methods/efg/lattice.h"

#include "core/hash.h"
#include "methods/efg/efg_build.h"
#include "neighbors/kernel.h"

#include <stdlib.h>
#include <string.h>

static const char label[] = "efg lattice";

/// Work space of building.
typedef struct maker {
    const builder* b;
    const phxi_lattice_fit* fit;
    phxi_efg_lattice* lattice;
    int* place;    // cell of a particle, as an index into fit->cells
    int run_lines; // runs of a line of the bounding box
    double weight[3];
} maker;

static void cell_of(const maker* m, int i, int n[3]) {
    int at = m->place[i], y = m->fit->size[1], z = m->fit->size[2];
    n[0] = at / z / y;
    n[1] = at / z % y;
    n[2] = at % z;
}

/// The particle in a cell, -1 if there is none or it is outside.
static int particle_at(const maker* m, int x, int y, int z) {
    const int* size = m->fit->size;
    if (x < 0 || y < 0 || z < 0 || x >= size[0] || y >= size[1] || z >= size[2]) {
        return -1;
    }
    return m->fit->cells[((size_t)x * size[1] + y) * size[2] + z];
}

/// What a particle sums over its neighbours.
typedef struct cell_sums {
    double moment[3][3]; // sum w n n^T
    double n[3], w, cw;
    int count;
} cell_sums;

static void sum_cell(const maker* m, int i, cell_sums* sums) {
    int at[3];
    cell_of(m, i, at);
    *sums = (cell_sums){0};
    for (int k = 0; k < 27; ++k) {
        const int n[3] = {k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1};
        int steps = abs(n[0]) + abs(n[1]) + abs(n[2]);
        int j = steps ? particle_at(m, at[0] + n[0], at[1] + n[1], at[2] + n[2]) : -1;
        if (j < 0 || m->weight[steps - 1] == 0) {
            continue;
        }
        double w = m->weight[steps - 1];
        ++sums->count;
        sums->w += w;
        sums->cw += w * (double)(phx_real)m->b->stiffness[j];
        for (int a = 0; a < 3; ++a) {
            sums->n[a] += w * n[a];
            for (int c = 0; c < 3; ++c) {
                sums->moment[a][c] += w * n[a] * n[c];
            }
        }
    }
}

/// Why the neighbourhoods of the body are not those of the lattice; NULL: they are.
static const char* check_pairs(const maker* m) {
    const builder* b = m->b;
    for (int i = 0; i < b->count; ++i) {
        if (phxi_efg_is_thin(b->spread[i])) {
            return "neighbours of a particle lie in a plane";
        }
        if (b->radius[i] != b->radius[0]) {
            return "particles have different support radii";
        }
        int at[3];
        cell_sums sums;
        cell_of(m, i, at);
        sum_cell(m, i, &sums);
        for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1]; ++k) {
            int to[3];
            cell_of(m, b->lists.items[k], to);
            if (abs(to[0] - at[0]) > 1 || abs(to[1] - at[1]) > 1 || abs(to[2] - at[2]) > 1) {
                return "the support radius is two spacings or more";
            }
        }
        if (sums.count != b->lists.start[i + 1] - b->lists.start[i]) {
            return "the support radius ends at a shell of the lattice";
        }
    }
    return NULL;
}

static phx_result find_places(maker* m) {
    PHXI_NEW(m->place, m->b->heap, m->b->count, "efg set-up");
    const int* size = m->fit->size;
    for (int at = 0; at < size[0] * size[1] * size[2]; ++at) {
        if (m->fit->cells[at] >= 0) {
            m->place[m->fit->cells[at]] = at;
        }
    }
    double h = (double)m->b->radius[0] / m->b->scale, a = m->fit->spacing / m->b->scale;
    for (int k = 0; k < 3; ++k) {
        // as stored: sums then cancel to the last digit that can be had
        m->weight[k] = (double)(phx_real)phxi_kernel_value(PHXI_KERNEL_POLY6, a * sqrt(k + 1), h);
        m->lattice->weight[k] = (phx_real)m->weight[k];
    }
    return PHX_OK;
}

/// Place in the table of the run a particle is in.
static int table_place(const maker* m, int i) {
    int n[3];
    cell_of(m, i, n);
    return (n[0] + 1) * m->lattice->stride[0] + (n[1] + 1) * m->lattice->stride[1] + 1 + n[2] / PHXI_LANES;
}

/// Numbers the runs in the order of particles.
static phx_result make_runs(maker* m) {
    phxi_efg_lattice* l = m->lattice;
    const int* size = m->fit->size;
    m->run_lines = phxi_block_count(size[2], PHXI_LANES);
    l->stride[1] = m->run_lines + 2;
    l->stride[0] = (size[1] + 2) * l->stride[1];
    l->table = phxi_alloc_zero(m->b->heap, (size_t)(size[0] + 2) * (size_t)l->stride[0], sizeof *l->table, label);
    if (!l->table) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < m->b->count; ++i) {
        int at = table_place(m, i);
        if (l->table[at] == 0) {
            l->table[at] = ++l->run_count;
        }
    }
    size_t runs = (size_t)l->run_count + 1;
    PHXI_NEW(l->at, m->b->heap, runs, label);
    PHXI_NEW(l->shared, m->b->heap, runs, label);
    PHXI_NEW(l->place, m->b->heap, m->b->count, label);
    l->u = phxi_alloc_zero(m->b->heap, runs, sizeof *l->u, label);
    l->q = phxi_alloc_zero(m->b->heap, runs, sizeof *l->q, label);
    l->own = phxi_alloc_zero(m->b->heap, runs, sizeof *l->own, label);
    for (int i = 0; i < m->b->count; ++i) {
        int at = table_place(m, i);
        l->at[l->table[at]] = at;
    }
    return l->u && l->q && l->own ? PHX_OK : PHX_ERROR_MEMORY;
}

/// Whole runs, up to EFG_TILE_RUNS.
static phx_result make_tiles(maker* m) {
    phxi_efg_lattice* l = m->lattice;
    l->tile_count = phxi_block_count(l->run_count, EFG_TILE_RUNS);
    l->tiles = phxi_alloc_zero(m->b->heap, (size_t)l->tile_count, sizeof *l->tiles, label);
    if (!l->tiles) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < m->b->count; ++i) {
        int run = l->table[table_place(m, i)], n[3];
        phxi_lattice_tile* tile = &l->tiles[(run - 1) / EFG_TILE_RUNS];
        cell_of(m, i, n);
        tile->first = tile->count == 0 ? i : tile->first;
        ++tile->count;
        l->place[i] = (uint8_t)((run - 1) % EFG_TILE_RUNS * PHXI_LANES + n[2] % PHXI_LANES);
    }
    for (int t = 0; t < l->tile_count; ++t) {
        phxi_lattice_tile* tile = &l->tiles[t];
        tile->run = 1 + t * EFG_TILE_RUNS;
        int rest = l->run_count + 1 - tile->run;
        tile->run_count = rest < EFG_TILE_RUNS ? rest : EFG_TILE_RUNS;
        tile->full = tile->count == tile->run_count * PHXI_LANES;
    }
    return PHX_OK;
}

/// Constants of one particle; false if its moment cannot be inverted.
static bool set_lane(const maker* m, int i, phxi_lattice_constants* c, int lane) {
    cell_sums sums;
    sum_cell(m, i, &sums);
    phxi_mat3 moment, inverse;
    for (int k = 0; k < 9; ++k) {
        moment.m[k / 3][k % 3] = sums.moment[k / 3][k % 3];
    }
    if (!phxi_mat3_inverse(&moment, &inverse)) {
        return false;
    }
    for (int k = 0; k < 9; ++k) {
        c->inverse[k][lane] = (phx_real)(inverse.m[k / 3][k % 3] / m->fit->spacing);
    }
    for (int k = 0; k < 3; ++k) {
        c->sum_n[k][lane] = (phx_real)sums.n[k];
    }
    c->volume[lane] = m->b->particles->volume[m->b->begin + i];
    c->stiffness[lane] = (phx_real)m->b->stiffness[i];
    c->sum_w[lane] = (phx_real)sums.w;
    c->sum_cw[lane] = (phx_real)sums.cw;
    return true;
}

/// The number of equal constants seen before, or a new one; `known` is a hash table of numbers, 0: free.
static int share(phxi_efg_lattice* l, const phxi_lattice_constants* fresh, int* known, unsigned mask) {
    for (unsigned at = (unsigned)phxi_hash_bytes(fresh, sizeof *fresh, 0);; ++at) {
        int* slot = &known[at & mask];
        if (*slot == 0) {
            l->constants[l->constants_count] = *fresh;
            *slot = ++l->constants_count;
        }
        if (memcmp(&l->constants[*slot - 1], fresh, sizeof *fresh) == 0) {
            return *slot - 1;
        }
    }
}

static phx_result fill_constants(maker* m, int* known, unsigned mask, const char** why) {
    phxi_efg_lattice* l = m->lattice;
    int i = 0, capacity = 0;
    l->shared[0] = 0;
    for (int run = 1; run <= l->run_count; ++run) {
        phxi_lattice_constants fresh;
        memset(&fresh, 0, sizeof fresh);
        for (; i < m->b->count && l->table[table_place(m, i)] == run; ++i) {
            if (!set_lane(m, i, &fresh, l->place[i] % PHXI_LANES)) {
                *why = "neighbours of a particle do not span space";
                return PHX_OK;
            }
        }
        if (!phxi_array_reserve_bytes((void**)&l->constants, l->constants_count, &capacity, 1, sizeof *l->constants,
                                      m->b->heap, label)) {
            return PHX_ERROR_MEMORY;
        }
        l->shared[run] = share(l, &fresh, known, mask);
    }
    return PHX_OK;
}

static phx_result make_constants(maker* m, const char** why) {
    unsigned slots = 16;
    while (slots < 2u * (unsigned)m->lattice->run_count) {
        slots *= 2;
    }
    int* known = phxi_alloc_zero(m->b->heap, slots, sizeof *known, "efg set-up");
    if (!known) {
        return PHX_ERROR_MEMORY;
    }
    phx_result result = fill_constants(m, known, slots - 1, why);
    phxi_free(m->b->heap, known);
    return result;
}

static phx_result make(maker* m, const char** why) {
    PHXI_TRY(find_places(m));
    if ((*why = check_pairs(m)) != NULL) {
        return PHX_OK;
    }
    PHXI_TRY(make_runs(m));
    PHXI_TRY(make_tiles(m));
    return make_constants(m, why);
}

phx_result phxi_lattice_build(const builder* b, const phxi_lattice_fit* fit, phxi_efg_lattice** lattice,
                              const char** why) {
    *lattice = NULL;
    *why = "particles do not lie on a cubic lattice";
    if (!fit->cells) {
        return PHX_OK;
    }
    phxi_efg_lattice* l = phxi_alloc_zero(b->heap, 1, sizeof *l, label);
    if (!l) {
        return PHX_ERROR_MEMORY;
    }
    l->spacing = fit->spacing;
    l->axes = fit->axes;
    maker m = {.b = b, .fit = fit, .lattice = l};
    phx_result result = make(&m, why);
    phxi_free(b->heap, m.place);
    if (result != PHX_OK || *why) {
        phxi_lattice_destroy(b->heap, l);
        return result;
    }
    *lattice = l;
    return PHX_OK;
}

void phxi_lattice_destroy(phxi_heap* heap, phxi_efg_lattice* l) {
    if (l) {
        phxi_free(heap, l->table);
        phxi_free(heap, l->at);
        phxi_free(heap, l->shared);
        phxi_free(heap, l->constants);
        phxi_free(heap, l->u);
        phxi_free(heap, l->q);
        phxi_free(heap, l->own);
        phxi_free(heap, l->place);
        phxi_free(heap, l->turns);
        phxi_free(heap, l->tiles);
        phxi_free(heap, l);
    }
}

void phxi_lattice_turn(phxi_efg_slot* slot) {
    phxi_efg_lattice* l = slot->lattice;
    phxi_mat3 turned = phxi_mat3_transpose(&l->axes), stretch = phxi_mat3_mul(&turned, &slot->frame.stretch);
    l->frame = slot->frame;
    l->frame.rotation = phxi_mat3_mul(&slot->frame.rotation, &l->axes);
    l->frame.stretch = stretch;
    stretch = phxi_mat3_mul(&stretch, &l->axes);
    for (int k = 0; k < 9; ++k) {
        l->stretch[k] = (phx_real)(stretch.m[k / 3][k % 3] - (k % 4 == 0 ? 1 : 0));
    }
}

void phxi_efg_leave_lattice(phxi_efg* efg, phxi_heap* heap, int slot) {
    phxi_lattice_destroy(heap, efg->slots.items[slot].lattice);
    efg->slots.items[slot].lattice = NULL;
    phxi_efg_list_jobs(efg);
}

void phxi_efg_list_jobs(phxi_efg* efg) {
    efg->jobs.count = 0;
    for (int k = 0; k < efg->slots.count; ++k) {
        const phxi_efg_slot* slot = &efg->slots.items[k];
        int begin = slot->lattice ? 0 : slot->block_begin;
        int end = slot->lattice ? slot->lattice->tile_count : slot->block_end;
        for (int part = begin; part < end; ++part) {
            efg->jobs.items[efg->jobs.count++] = (phxi_efg_job){k, part}; // tiles are no fewer than blocks
        }
    }
}
