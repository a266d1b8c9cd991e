// SPDX-License-Identifier: MIT
// Bonds that break because kernels lose them (fracture: kernel): the numerical fracture of Liu et al., "Anisotropic
// Kernels for Meshless Elastic Solids", and the kernels that delay it (methods/shared/anisotropy.h), for this method.
//
// Weights of efg are one number a pair, or momentum would be lost. So a pair is in reach if it is within the mean of
// its two kernels, x^T (N_i + N_j) x < 2 with x where they are now; and what is lost once is lost for good, as every
// bond that breaks (bonds.c). Kernels are those of the strains at the end of the same substep.
#include "methods/efg/block_data.h"
#include "methods/efg/fracture/fracture.h"

#include "methods/shared/anisotropy.h"

#include <string.h>

#define ROOM 1.0001 // of a kernel beyond the farthest neighbour at rest, for rounding

typedef struct kernel_stage {
    phxi_efg_crack_stage* s;
    phx_real* n;       // component k of particle i at n[k stride + i]: N in the axes of the frame
    const phx_real* h; // radii at rest
    uint8_t* may_lose; // by particle
    int stride;
} kernel_stage;

phx_result phxi_efg_kernel_fracture_create(phxi_efg_crack_stage* s) {
    phxi_efg_fracture* f = s->fracture;
    int rows = phxi_block_count(f->count, EFG_BLOCK) * EFG_BLOCK;
    f->kernel_radius = phxi_alloc_zero(s->step->heap, (size_t)rows, sizeof *f->kernel_radius, "efg fracture");
    if (!f->kernel_radius) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < rows; ++i) {
        int own = i < f->count ? i : 0;
        double h = s->slot->support * (double)s->step->particles->spacing[s->slot->begin + own];
        for (int pair = phxi_efg_pair_begin(s, own); pair < phxi_efg_pair_end(s, own); ++pair) {
            int j = phxi_efg_pair_other(s, pair);
            h = fmax(h, ROOM * phxi_distance(phxi_efg_rest_of(s, own), phxi_efg_rest_of(s, j)));
        }
        f->kernel_radius[i] = (phx_real)h;
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- kernels

/// (R^T F + F^T R) / 2 - I of `count` lanes.
static void strains(const block_data* d, const phxi_turn8* turns, int count, phx_real strain[6][EFG_BLOCK]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < count; ++i) {
        double stretch[9] = {0};
        for (int k = 0; k < 27; ++k) {
            int a = k / 9, b = k / 3 % 3, c = k % 3;
            double f = (double)d->g[3 * c + b][i] + (c == b);
            stretch[3 * a + b] += (double)turns[i / EFG_LANES].r[3 * c + a][i % EFG_LANES] * f;
        }
        for (int k = 0; k < 6; ++k) {
            double both = stretch[3 * row[k] + column[k]] + stretch[3 * column[k] + row[k]];
            strain[k][i] = (phx_real)(both / 2 - (k < 3));
        }
    }
}

/// F of rows whose neighbours do not span space, as they follow.
static void thin_lanes(const phxi_efg_crack_stage* s, const phxi_efg_block* block, block_data* d) {
    phxi_efg_law law = {&s->body->elastic, s->slot->params.volume_stiffness};
    for (int k = block->flat_begin; k < block->flat_end; ++k) {
        const phxi_efg_flat* flat = &s->efg->flats.items[k];
        phxi_mat3 f = phxi_efg_gradient(s->efg, s->slot, flat->row, NULL);
        f = phxi_efg_thin_gradient(flat, &law, &f);
        for (int b = 0; b < 9; ++b) {
            d->g[b][flat->row - block->row] = (phx_real)(f.m[b / 3][b % 3] - (b % 4 == 0));
        }
    }
}

static void kernel_block(void* context, int begin, int end, int index) {
    (void)end, (void)index;
    const kernel_stage* at = context;
    const phxi_efg_crack_stage* s = at->s;
    const phxi_efg_params* p = &s->slot->params;
    const phxi_efg_block* block = &s->efg->blocks.items[s->slot->block_begin + begin];
    phxi_anisotropy kernel = {p->kernel, p->kernel_eta, p->kernel_full};
    int groups = (block->count + EFG_LANES - 1) / EFG_LANES, first = block->row - s->slot->row;
    block_data d;
    _Alignas(64) phx_real strain[6][EFG_BLOCK], n[6][EFG_BLOCK], det[EFG_BLOCK], distance[EFG_BLOCK];
    phxi_turn8 turns[EFG_BLOCK / EFG_LANES];
    phxi_efg_find_gradients(s->efg, block, groups, &d);
    thin_lanes(s, block, &d);
    memset(turns, 0, sizeof turns);
    memset(strain, 0, sizeof strain);
    phxi_rotations(d.g[0], EFG_BLOCK, block->count, turns, det, distance);
    strains(&d, turns, block->count, strain);
    phxi_anisotropy_shapes(&kernel, strain[0], turns, at->h + first, EFG_BLOCK, block->count, n[0]);
    for (int k = 0; k < 6; ++k) {
        memcpy(at->n + (size_t)k * (size_t)at->stride + first, n[k], (size_t)block->count * sizeof *n[k]);
    }
}

// ---------------------------------------------------------------------------------------------------------------- look

/// Whether the kernels of i and j together still reach from one to the other.
static bool in_reach(const kernel_stage* at, int i, int j) {
    const phxi_efg_crack_stage* s = at->s;
    const phxi_r4 *a = &s->efg->u.items[s->slot->row + i], *b = &s->efg->u.items[s->slot->row + j];
    phx_vec3 rest = phxi_sub(phxi_efg_reference_of(s, j), phxi_efg_reference_of(s, i));
    phx_vec3 x = phxi_mat3_apply(&s->slot->frame.stretch, rest);
    x = phxi_add(x, phxi_vec3((double)(*b)[0] - (double)(*a)[0], (double)(*b)[1] - (double)(*a)[1],
                              (double)(*b)[2] - (double)(*a)[2]));
    double n[6];
    for (int k = 0; k < 6; ++k) {
        const phx_real* component = at->n + (size_t)k * (size_t)at->stride;
        n[k] = (double)component[i] + (double)component[j];
    }
    return n[0] * x.x * x.x + n[1] * x.y * x.y + n[2] * x.z * x.z +
               2 * (n[3] * x.x * x.y + n[4] * x.x * x.z + n[5] * x.y * x.z) <
           2;
}

static bool loses(const kernel_stage* at, int i, int pair) {
    int j = phxi_efg_pair_other(at->s, pair);
    return j > i && at->s->fracture->bond[pair] < 0 && !in_reach(at, i, j);
}

static void find_kernels(void* context, int begin, int end, int index) {
    (void)index;
    const kernel_stage* at = context;
    for (int i = begin; i < end; ++i) {
        at->may_lose[i] = 0;
        for (int pair = phxi_efg_pair_begin(at->s, i); pair < phxi_efg_pair_end(at->s, i); ++pair) {
            at->may_lose[i] |= loses(at, i, pair);
        }
    }
}

phx_result phxi_efg_lose_bonds(phxi_efg_crack_stage* s) {
    phxi_efg_fracture* f = s->fracture;
    kernel_stage at = {.s = s, .h = f->kernel_radius, .stride = phxi_block_count(f->count, EFG_BLOCK) * EFG_BLOCK};
    at.n = phxi_arena_take(s->step->arena, 6 * (size_t)at.stride, sizeof *at.n);
    at.may_lose = phxi_arena_take(s->step->arena, (size_t)f->count, 1);
    if (!at.n || !at.may_lose) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(s->step->pool, s->slot->block_end - s->slot->block_begin, 1, kernel_block, &at);
    phxi_parallel_for(s->step->pool, f->count, EFG_BLOCK, find_kernels, &at);
    for (int i = 0; i < f->count; ++i) {
        for (int pair = phxi_efg_pair_begin(s, i); at.may_lose[i] && pair < phxi_efg_pair_end(s, i); ++pair) {
            if (loses(&at, i, pair)) {
                PHXI_TRY(phxi_efg_break_bond(s, i, pair, -1, 0.5));
            }
        }
    }
    return PHX_OK;
}
