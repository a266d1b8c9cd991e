// SPDX-License-Identifier: MIT
// The grid of a body on a lattice: runs, tiles and constants; shape in lattice.h.
//
// Constants are those of the ideal lattice: rest differences are n steps, not the rounded ones of the stored positions
// (they differ by what float cuts off). So most runs of a body have the same constants to the last bit, and these are
// stored once: nine tenths of what a substep would read are gone.
#include "methods/efg/lattice/lattice.h"

#include "core/hash.h"
#include "methods/efg/build/build.h"
#include "neighbors/kernel.h"

#include <stdlib.h>
#include <string.h>

static const char label[] = "efg lattice";

/// Work space of building.
typedef struct maker {
    const builder* b;
    const phxi_lattice_fit* fit;
    phxi_efg_lattice* lattice;
    int* place;       // cell of a particle, as an index into fit->cells
    int run_lines;    // runs of a line of the bounding box
    double nearest;   // weight of the nearest neighbours
    double weight[3]; // of all, over it
} maker;

/// Steps of a particle from the corner of the box.
static void steps_of(const maker* m, int i, int n[3]) {
    phxi_lattice_steps(m->fit, m->place[i], n);
}

/// Which weight a neighbour at n steps has, -1: none.
static int shell_of(int kind, const int n[3]) {
    int square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    if (kind == PHXI_CUBIC) {
        return square <= 3 ? square - 1 : -1; // the particle itself: -1
    }
    return square == 3 ? 0 : square == 4 ? 1 : -1;
}

/// What a particle sums over its neighbours.
typedef struct cell_sums {
    double moment[3][3]; // sum w n n^T
    double n[3], w, cw;
    int count;
} cell_sums;

static phx_real stiffness(const maker* m, int i) {
    return (phx_real)(m->b->stiffness[i] * m->nearest);
}

static void sum_cell(const maker* m, int i, cell_sums* sums) {
    int at[3], most = m->fit->kind, span = 2 * most + 1;
    steps_of(m, i, at);
    *sums = (cell_sums){0};
    for (int k = 0; k < span * span * span; ++k) {
        const int n[3] = {k / span / span - most, k / span % span - most, k % span - most};
        int shell = shell_of(m->fit->kind, n);
        int cell = shell < 0 ? -1 : phxi_lattice_cell(m->fit, (int[]){at[0] + n[0], at[1] + n[1], at[2] + n[2]});
        int j = cell < 0 ? -1 : m->fit->cells[cell];
        if (j < 0 || m->weight[shell] == 0 || phxi_clamp_is_deep(&m->b->clamp, j)) {
            continue;
        }
        double w = m->weight[shell];
        ++sums->count;
        sums->w += w;
        sums->cw += w * (double)stiffness(m, j);
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
        if (phxi_clamp_is_deep(&b->clamp, i)) {
            continue;
        }
        if (phxi_efg_is_thin(b->spread[i])) {
            return "neighbours of a particle lie in a plane";
        }
        if (b->radius[i] != b->radius[0]) {
            return "particles have different support radii";
        }
        int at[3];
        cell_sums sums;
        steps_of(m, i, at);
        sum_cell(m, i, &sums);
        for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1]; ++k) {
            int to[3];
            steps_of(m, b->lists.items[k], to);
            if (shell_of(m->fit->kind, (int[]){to[0] - at[0], to[1] - at[1], to[2] - at[2]}) < 0) {
                return "the support radius is two spacings or more (body-centred: 1.41)";
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
    double h = (double)m->b->radius[0] / m->b->scale, a = m->fit->step / m->b->scale;
    int square = m->fit->kind == PHXI_CUBIC ? 1 : 3; // of the steps to the nearest
    m->nearest = phxi_kernel_value(m->b->kernel, a * sqrt(square), h);
    for (int k = 0; k < 3; ++k) {
        // as stored: sums then cancel to the last digit that can be had
        double w = phxi_kernel_value(m->b->kernel, a * sqrt(square + k), h);
        m->weight[k] = (double)(phx_real)(w / m->nearest);
    }
    m->lattice->weight[0] = (phx_real)m->weight[1];
    m->lattice->weight[1] = (phx_real)(m->fit->kind == PHXI_CUBIC ? m->weight[2] : 2 * m->weight[1]);
    return PHX_OK;
}

/// Place in the table of the run a particle is in.
static int table_place(const maker* m, int i) {
    const phxi_lattice_fit* fit = m->fit;
    int column = m->place[i] / fit->size[2], run = m->place[i] % fit->size[2] / PHXI_LANES;
    return (column / fit->size[1] + fit->kind) * m->lattice->stride[0] +
           (column % fit->size[1] + fit->kind) * m->lattice->stride[1] + 1 + run;
}

/// Columns with neighbours; on body-centred lattices those beside a particle's own are two steps away.
static void place_columns(phxi_efg_lattice* l) {
    for (int k = 0; k < 9; ++k) {
        int x = k / 3 - 1, y = k % 3 - 1, steps = x == 0 || y == 0 ? l->kind : 1;
        l->around[k] = steps * (x * l->stride[0] + y * l->stride[1]);
    }
}

/// Runs around every run; they all have places.
static void find_near(phxi_efg_lattice* l) {
    l->near[0] = (phxi_lattice_near){0};
    for (int run = 1; run <= l->run_count; ++run) {
        phxi_lattice_near* near = &l->near[run];
        *near = (phxi_lattice_near){0};
        for (int k = 0; k < 9; ++k) {
            const int* at = &l->table[l->at[run] + l->around[k]];
            near->runs[k] = at[0];
            near->before = near->before || at[-1] != 0;
            near->after = near->after || at[1] != 0;
        }
    }
}

/// Numbers the runs in the order of particles.
static phx_result make_runs(maker* m) {
    phxi_efg_lattice* l = m->lattice;
    const int* size = m->fit->size;
    m->run_lines = phxi_block_count(size[2], PHXI_LANES);
    l->stride[1] = m->run_lines + 2;
    l->stride[0] = (size[1] + 2 * l->kind) * l->stride[1];
    place_columns(l);
    l->table =
        phxi_alloc_zero(m->b->heap, (size_t)(size[0] + 2 * l->kind) * (size_t)l->stride[0], sizeof *l->table, label);
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
    PHXI_NEW(l->near, m->b->heap, runs, label);
    PHXI_NEW(l->shared, m->b->heap, runs, label);
    PHXI_NEW(l->place, m->b->heap, m->b->count, label);
    l->u = phxi_alloc_zero(m->b->heap, runs, sizeof *l->u, label);
    l->q = phxi_alloc_zero(m->b->heap, runs, sizeof *l->q, label);
    l->own = phxi_alloc_zero(m->b->heap, runs, sizeof *l->own, label);
    for (int i = 0; i < m->b->count; ++i) {
        int at = table_place(m, i);
        l->at[l->table[at]] = at;
    }
    if (m->b->expands) {
        l->thermal = phxi_alloc_zero(m->b->heap, runs * PHXI_LANES, sizeof *l->thermal, label);
    }
    find_near(l);
    bool warm = !m->b->expands || l->thermal;
    return l->u && l->q && l->own && warm ? PHX_OK : PHX_ERROR_MEMORY;
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
        int run = l->table[table_place(m, i)], z = m->place[i] % m->fit->size[2];
        phxi_lattice_tile* tile = &l->tiles[(run - 1) / EFG_TILE_RUNS];
        tile->first = tile->count == 0 ? i : tile->first;
        ++tile->count;
        l->place[i] = (uint8_t)((run - 1) % EFG_TILE_RUNS * PHXI_LANES + z % PHXI_LANES);
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

/// Constants of one particle; false if its moment cannot be inverted. Those of deep ones are zero.
static bool set_lane(const maker* m, int i, phxi_lattice_constants* c, int lane) {
    if (phxi_clamp_is_deep(&m->b->clamp, i)) {
        return true;
    }
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
        c->inverse[k][lane] = (phx_real)(inverse.m[k / 3][k % 3] / m->fit->step);
        c->diagonal = c->diagonal && (k % 4 == 0 || sums.moment[k / 3][k % 3] == 0);
    }
    for (int k = 0; k < 3; ++k) {
        c->sum_n[k][lane] = (phx_real)sums.n[k];
    }
    c->volume[lane] = phxi_efg_volume(m->b, i);
    c->stiffness[lane] = stiffness(m, i);
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
        fresh.diagonal = 1;
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

/// What is deep in clamps has a cell whose constants are zero; neighbours find zeros there.
static phx_result mask(maker* m) {
    phxi_efg_lattice* l = m->lattice;
    if (m->b->clamp.deeps == 0) {
        return PHX_OK;
    }
    PHXI_NEW(l->deep, m->b->heap, m->b->count, label);
    memcpy(l->deep, m->b->clamp.deep, (size_t)m->b->count);
    for (int t = 0; t < l->tile_count; ++t) {
        phxi_lattice_tile* tile = &l->tiles[t];
        tile->clamped = memchr(l->deep + tile->first, 1, (size_t)tile->count) != NULL;
    }
    return PHX_OK;
}

static phx_result make(maker* m, const char** why) {
    PHXI_TRY(find_places(m));
    if ((*why = check_pairs(m)) != NULL) {
        return PHX_OK;
    }
    PHXI_TRY(make_runs(m));
    PHXI_TRY(make_tiles(m));
    PHXI_TRY(mask(m));
    return make_constants(m, why);
}

phx_result phxi_lattice_build(const builder* b, const phxi_lattice_fit* fit, phxi_efg_lattice** lattice,
                              const char** why) {
    *lattice = NULL;
    *why = "particles do not lie on a cubic or body-centred lattice";
    if (!fit->cells) {
        return PHX_OK;
    }
    phxi_efg_lattice* l = phxi_alloc_zero(b->heap, 1, sizeof *l, label);
    if (!l) {
        return PHX_ERROR_MEMORY;
    }
    l->kind = fit->kind;
    l->step = fit->step;
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
        phxi_free(heap, l->deep);
        phxi_free(heap, l->table);
        phxi_free(heap, l->at);
        phxi_free(heap, l->near);
        phxi_free(heap, l->shared);
        phxi_free(heap, l->constants);
        phxi_free(heap, l->u);
        phxi_free(heap, l->q);
        phxi_free(heap, l->own);
        phxi_free(heap, l->place);
        phxi_free(heap, l->thermal);
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

void phxi_efg_forget_fit(phxi_efg_slot* slot, phxi_heap* heap) {
    if (slot->fit) {
        phxi_lattice_fit_destroy(heap, slot->fit);
        phxi_free(heap, slot->fit);
        slot->fit = NULL;
    }
}

void phxi_efg_leave_lattice(phxi_efg* efg, phxi_heap* heap, int slot) {
    phxi_lattice_destroy(heap, efg->slots.items[slot].lattice);
    phxi_efg_forget_fit(&efg->slots.items[slot], heap);
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
