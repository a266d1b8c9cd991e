// SPDX-License-Identifier: MIT
// Rows of pairs and constants of a body at rest, docs/theory/corotated_sph.md (1) to (4).
#include "methods/corotated_sph/corotated_internal.h"
#include "methods/shared/balance.h"

#include "math/decompose3.h"
#include "neighbors/kernel.h"
#include "neighbors/neighbors.h"

#include <string.h>

#define RANK_CUT 1e-3 // of M^+: eigenvalues below this share of the largest count as none
#define SPANNED  1e-3 // det M over (tr M / 3)^3
#define KERNEL   PHXI_KERNEL_SPIKY

// ------------------------------------------------------------------------------------------------------------- memory

static phx_result allocate(phxi_heap* heap, phxi_csph_slot* slot) {
    size_t count = (size_t)phxi_block_count(slot->count, CSPH_BLOCK) * CSPH_BLOCK, pairs = (size_t)slot->pair_count;
    slot->mirror = phxi_alloc(heap, pairs, sizeof *slot->mirror, "corotated pairs");
    slot->near = phxi_alloc(heap, pairs, sizeof *slot->near, "corotated pairs");
    slot->far = phxi_alloc(heap, pairs, sizeof *slot->far, "corotated pairs");
    slot->rest = phxi_alloc(heap, pairs, sizeof *slot->rest, "corotated pairs");
    slot->seen = phxi_alloc(heap, pairs, sizeof *slot->seen, "corotated pairs");
    bool breaks = slot->params.permanent;
    slot->cut_distance = breaks ? phxi_alloc(heap, pairs, sizeof *slot->cut_distance, "corotated pairs") : NULL;
    slot->sums = phxi_alloc_zero(heap, count / CSPH_BLOCK, sizeof *slot->sums, "corotated particles");
    slot->volume = phxi_alloc_zero(heap, count, sizeof *slot->volume, "corotated particles");
    slot->stiffness = phxi_alloc_zero(heap, count, sizeof *slot->stiffness, "corotated particles");
    slot->radius = phxi_alloc_zero(heap, count, sizeof *slot->radius, "corotated particles");
    slot->margin = phxi_alloc_zero(heap, count, sizeof *slot->margin, "corotated particles");
    slot->whole = phxi_alloc(heap, count, sizeof *slot->whole, "corotated particles");
    slot->u = phxi_alloc_zero(heap, count, sizeof *slot->u, "corotated particles");
    slot->rows = phxi_alloc_zero(heap, count, sizeof *slot->rows, "corotated particles");
    slot->own = phxi_alloc_zero(heap, count, sizeof *slot->own, "corotated particles");
    slot->found = phxi_alloc_zero(heap, count / CSPH_BLOCK, sizeof *slot->found, "corotated particles");
    bool all = slot->mirror && slot->near && slot->far && slot->rest && slot->seen && slot->sums && slot->volume &&
               slot->stiffness && slot->radius && slot->margin && slot->whole && slot->u && slot->rows && slot->own &&
               slot->found && (slot->cut_distance || !breaks);
    if (!all) {
        return PHX_ERROR_MEMORY;
    }
    memset(slot->whole, 1, count);
    return slot->params.mode == CSPH_CURRENT ? phxi_csph_current_create(heap, slot) : PHX_OK;
}

void phxi_csph_release(phxi_heap* heap, phxi_csph_slot* slot) {
    void* const all[] = {slot->start, slot->other,        slot->mirror, slot->near,   slot->far,       slot->rest,
                         slot->seen,  slot->cut_distance, slot->sums,   slot->volume, slot->stiffness, slot->radius,
                         slot->u,     slot->rows,         slot->own,    slot->found,  slot->margin,    slot->whole};
    phxi_csph_current_destroy(heap, slot);
    phxi_csph_implicit_destroy(slot, heap);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        phxi_free(heap, all[k]);
    }
}

// -------------------------------------------------------------------------------------------------------------- pairs

/// Pairs nearer than the mean of their radii; `lists` belong to the caller also on failure.
static phx_result find_pairs(phxi_step* step, phxi_csph_slot* slot, phxi_lists* lists) {
    const phxi_particles* p = step->particles;
    phxi_search* search = NULL;
    phxi_points points = {p->rest_x + slot->begin, p->rest_y + slot->begin, p->rest_z + slot->begin, slot->count};
    phx_real* radii = phxi_alloc(step->heap, (size_t)slot->count, sizeof *radii, "corotated radii");
    phx_result result = radii ? phxi_search_create(step->heap, PHXI_SEARCH_GRID, &search) : PHX_ERROR_MEMORY;
    for (int i = 0; result == PHX_OK && i < slot->count; ++i) {
        radii[i] = (phx_real)(slot->params.support * (double)p->spacing[slot->begin + i]);
    }
    if (result == PHX_OK) {
        result = phxi_search_pairs(search, step->pool, points, radii, 0, lists);
    }
    if (result == PHX_OK && slot->grip != 0) {
        result = phxi_clamp_find(step->heap, p, slot->begin, slot->count, lists, &slot->clamp);
        if (result == PHX_OK) {
            phxi_clamp_filter(&slot->clamp, lists);
        }
    }
    if (result == PHX_OK && lists->start[slot->count] > INT32_MAX / 64) {
        result = phxi_fail(PHX_ERROR_ARGUMENT, "%lld pairs of neighbours, expected fewer: is support too large?",
                           (long long)lists->start[slot->count]);
    }
    if (result == PHX_OK) {
        size_t pairs = (size_t)lists->start[slot->count];
        slot->pair_count = (int)pairs;
        slot->start = phxi_alloc(step->heap, (size_t)slot->count + 1, sizeof *slot->start, "corotated pairs");
        slot->other = phxi_alloc(step->heap, pairs, sizeof *slot->other, "corotated pairs");
        result = slot->start && slot->other ? PHX_OK : PHX_ERROR_MEMORY;
        for (int i = 0; result == PHX_OK && i <= slot->count; ++i) {
            slot->start[i] = (int)lists->start[i];
        }
        if (result == PHX_OK && pairs > 0) {
            memcpy(slot->other, lists->items, pairs * sizeof *slot->other);
        }
    }
    phxi_search_destroy(search);
    phxi_free(step->heap, radii);
    return result;
}

/// Rows ascend, so the pairs of j with ever larger i come one after the other.
static void find_mirrors(const phxi_csph_slot* slot, int* next) {
    memcpy(next, slot->start, (size_t)slot->count * sizeof *next);
    for (int i = 0; i < slot->count; ++i) {
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            slot->mirror[k] = next[slot->other[k]]++;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------- constants

static double rest_length(const phxi_csph_slot* slot, int k) {
    phxi_r4 x = slot->rest[k];
    return sqrt((double)x[0] * (double)x[0] + (double)x[1] * (double)x[1] + (double)x[2] * (double)x[2]);
}

/// V: of the cell, or m over the density that the kernel sees (as published; too small by a third inside).
static void set_volumes(const phxi_step* step, phxi_csph_slot* slot) {
    const phxi_particles* p = step->particles;
    for (int i = 0; i < slot->count; ++i) {
        double mass = (double)p->mass[slot->begin + i], h = (double)slot->radius[i];
        double density = mass * phxi_kernel_value(KERNEL, 0, h);
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            double both = (h + (double)slot->radius[slot->other[k]]) / 2;
            density +=
                (double)p->mass[slot->begin + slot->other[k]] * phxi_kernel_value(KERNEL, rest_length(slot, k), both);
        }
        phx_real volume =
            slot->params.volumes == CSPH_GEOMETRIC ? p->volume[slot->begin + i] : (phx_real)(mass / density);
        slot->volume[i] = phxi_clamp_volume(&slot->clamp, volume, i);
    }
}

/// M^+ and what it spans.
static void invert(phxi_csph_sums* s, int lane, int neighbours) {
    phxi_sym3 m = {.xx = s->moment[0][lane],
                   .yy = s->moment[1][lane],
                   .zz = s->moment[2][lane],
                   .xy = s->moment[3][lane],
                   .xz = s->moment[4][lane],
                   .yz = s->moment[5][lane]};
    double third = (m.xx + m.yy + m.zz) / 3;
    phxi_mat3 full = phxi_sym3_full(&m);
    bool spanned = neighbours >= 4 && phxi_mat3_det(&full) > SPANNED * third * third * third;
    phxi_sym3 inverse = {0}, span = {0};
    phxi_pseudo_inverse_sym3(&m, spanned ? 1e-12 : RANK_CUT, &inverse, &span);
    const double inverses[6] = {inverse.xx, inverse.yy, inverse.zz, inverse.xy, inverse.xz, inverse.yz};
    const double spans[6] = {span.xx, span.yy, span.zz, span.xy, span.xz, span.yz};
    for (int k = 0; k < 6; ++k) {
        s->inverse[k][lane] = (phx_real)inverses[k];
        s->span[k][lane] = (phx_real)(spanned ? k < 3 : spans[k]);
    }
}

void phxi_csph_sum(const phxi_csph_slot* slot, int begin, int end, phxi_csph_sums* s, int lane) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double moment[6] = {0}, gradient[3] = {0};
    int neighbours = 0;
    for (int n = begin; n < end; ++n) {
        if (!(slot->seen[n] & CSPH_SEEN)) {
            continue;
        }
        phxi_r4 y = slot->near[n], x = slot->rest[n];
        for (int k = 0; k < 6; ++k) {
            moment[k] += (double)y[row[k]] * (double)x[column[k]];
        }
        for (int a = 0; a < 3; ++a) {
            gradient[a] += (double)y[a];
        }
        ++neighbours;
    }
    for (int k = 0; k < 6; ++k) {
        s->moment[k][lane] = (phx_real)moment[k];
    }
    for (int a = 0; a < 3; ++a) {
        s->gradient[a][lane] = (phx_real)gradient[a];
    }
    invert(s, lane, neighbours);
}

/// `factor`: of the weights of pairs; NULL: 1.
static void set_pairs(phxi_csph_slot* slot, double young, const double* factor) {
    for (int i = 0; i < slot->count; ++i) {
        double spread = 0, margin = (double)slot->radius[i];
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            int j = slot->other[k];
            double r = rest_length(slot, k), h = ((double)slot->radius[i] + (double)slot->radius[j]) / 2;
            double w = phxi_kernel_value(KERNEL, r, h), g = r > 1e-9 * h ? -phxi_kernel_slope(KERNEL, r, h) / r : 0;
            g = factor ? factor[k] * g : g;
            phx_real out = (phx_real)(g * (double)slot->volume[j]), in = (phx_real)(g * (double)slot->volume[i]);
            phxi_r4 x = slot->rest[k];
            slot->near[k] = (phxi_r4){out * x[0], out * x[1], out * x[2], out};
            slot->far[k] = (phxi_r4){in * x[0], in * x[1], in * x[2], in};
            slot->rest[k][3] = (phx_real)w;
            slot->seen[k] = CSPH_SEEN;
            spread += g * (double)slot->volume[j] * r * r;
            margin = fmin(margin, (double)slot->radius[i] * (1 - 1e-5) - r);
        }
        slot->margin[i] = (phx_real)(margin > 0 ? margin * margin : 0);
        slot->stiffness[i] = (phx_real)(spread > 0 ? slot->params.hourglass * slot->params.pair_share * young *
                                                         (double)slot->volume[i] / spread
                                                   : 0);
        phxi_csph_sum(slot, slot->start[i], slot->start[i + 1], &slot->sums[i / CSPH_BLOCK], i % CSPH_BLOCK);
        for (int k = 0; k < 3 && phxi_clamp_is_deep(&slot->clamp, i); ++k) {
            slot->sums[i / CSPH_BLOCK].span[k][i % CSPH_BLOCK] = 1; // F = I: it is not flat, but left out
        }
    }
}

/// What balanced weights are made of, by pair and by particle.
typedef struct balance_arrays {
    double *weight, *volume;
    float* e;
    bool *flat, *open;
} balance_arrays;

static phx_result allocate_balance(phxi_heap* heap, const phxi_csph_slot* slot, balance_arrays* a) {
    PHXI_NEW(a->weight, heap, slot->pair_count, "corotated set-up");
    PHXI_NEW(a->e, heap, slot->pair_count, "corotated set-up");
    PHXI_NEW(a->volume, heap, slot->count, "corotated set-up");
    PHXI_NEW(a->flat, heap, slot->count, "corotated set-up");
    PHXI_NEW(a->open, heap, slot->count, "corotated set-up");
    return PHX_OK;
}

/// V_i V_j g, and who has an inside: whose neighbours span space.
static void fill_balance(const phxi_csph_slot* slot, balance_arrays* a) {
    for (int i = 0; i < slot->count; ++i) {
        phxi_sym3 m = {0};
        a->volume[i] = (double)slot->volume[i];
        a->open[i] = phxi_clamp_cuts(&slot->clamp, i);
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            int j = slot->other[k];
            double r = rest_length(slot, k), h = ((double)slot->radius[i] + (double)slot->radius[j]) / 2;
            double g = r > 1e-9 * h ? -phxi_kernel_slope(KERNEL, r, h) / r : 0;
            phxi_r4 x = slot->rest[k];
            a->weight[k] = g * (double)slot->volume[i] * (double)slot->volume[j];
            m.xx += a->weight[k] * x[0] * x[0], m.yy += a->weight[k] * x[1] * x[1], m.zz += a->weight[k] * x[2] * x[2];
            m.xy += a->weight[k] * x[0] * x[1], m.xz += a->weight[k] * x[0] * x[2], m.yz += a->weight[k] * x[1] * x[2];
        }
        double third = (m.xx + m.yy + m.zz) / 3;
        phxi_mat3 full = phxi_sym3_full(&m);
        a->flat[i] = !(phxi_mat3_det(&full) > SPANNED * third * third * third);
    }
}

/// Factors of the weights of bodies that are irregular and have gradients that are exact for linear fields; NULL for
/// others.
static phx_result balance(phxi_step* step, phxi_csph_slot* slot, const phxi_lists* lists, double** factor) {
    const phxi_particles* p = step->particles;
    const phxi_csph_params* params = &slot->params;
    const int begin = slot->begin;
    *factor = NULL;
    if (params->weights == CSPH_PLAIN_WEIGHTS || params->mode != CSPH_REFERENCE || params->gradient != CSPH_CORRECTED ||
        params->volumes != CSPH_GEOMETRIC || slot->pair_count == 0) {
        return PHX_OK;
    }
    const phx_real* const area[3] = {p->area_x, p->area_y, p->area_z};
    balance_arrays a = {0};
    bool regular = true;
    phx_result result = allocate_balance(step->heap, slot, &a);
    if (result == PHX_OK) {
        fill_balance(slot, &a);
        phxi_balance_body body = {.heap = step->heap,
                                  .pool = step->pool,
                                  .label = "corotated set-up",
                                  .count = slot->count,
                                  .lists = lists,
                                  .rest = {p->rest_x + begin, p->rest_y + begin, p->rest_z + begin},
                                  .spacing = p->spacing + begin,
                                  .volume = a.volume,
                                  .flat = a.flat,
                                  .open = slot->clamp.deeps > 0 ? a.open : NULL,
                                  .rank_ratio = RANK_CUT};
        for (int k = 0; k < 3 && step->bodies[slot->body].conforming; ++k) {
            body.area[k] = area[k] + begin;
        }
        result = phxi_balance(&body, a.weight, a.e, &regular);
    }
    for (int k = 0; k < slot->pair_count && !regular; ++k) {
        a.weight[k] = exp((double)a.e[k]);
    }
    if (result == PHX_OK && !regular) {
        *factor = a.weight;
        a.weight = NULL;
    }
    phxi_free(step->heap, a.weight);
    phxi_free(step->heap, a.volume);
    phxi_free(step->heap, a.e);
    phxi_free(step->heap, a.flat);
    phxi_free(step->heap, a.open);
    return result;
}

static phx_result set_constants(phxi_step* step, phxi_csph_slot* slot, const phxi_lists* lists) {
    const phxi_particles* p = step->particles;
    int* next = phxi_alloc(step->heap, (size_t)slot->count, sizeof *next, "corotated pairs");
    if (!next) {
        return PHX_ERROR_MEMORY;
    }
    find_mirrors(slot, next);
    phxi_free(step->heap, next);
    for (int i = 0; i < phxi_block_count(slot->count, CSPH_BLOCK) * CSPH_BLOCK; ++i) {
        slot->radius[i] =
            (phx_real)(slot->params.support * (double)p->spacing[slot->begin + (i < slot->count ? i : 0)]);
    }
    for (int i = 0; i < slot->count; ++i) {
        for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
            int a = slot->begin + i, b = slot->begin + slot->other[k];
            slot->rest[k] =
                (phxi_r4){p->rest_x[b] - p->rest_x[a], p->rest_y[b] - p->rest_y[a], p->rest_z[b] - p->rest_z[a], 0};
        }
    }
    set_volumes(step, slot);
    double* factor;
    PHXI_TRY(balance(step, slot, lists, &factor));
    set_pairs(slot, step->bodies[slot->body].material.young, factor);
    phxi_free(step->heap, factor);
    return PHX_OK;
}

/// From particles in their order.
static phx_result build(phxi_step* step, int index, uint64_t grip, phxi_csph_slot* slot) {
    const phxi_body* body = &step->bodies[index];
    *slot = (phxi_csph_slot){.body = index, .begin = body->begin, .count = body->count, .grip = grip};
    slot->params = *(const phxi_csph_params*)body->params;
    slot->held = body->plane == PHX_SLICE_STRAIN;
    if (slot->params.hourglass < 0) {
        slot->params.hourglass = slot->params.mode == CSPH_REFERENCE ? 0.1 : 0.5;
    }
    phxi_lists lists = {0};
    phx_result result = find_pairs(step, slot, &lists);
    if (result == PHX_OK) {
        result = allocate(step->heap, slot);
    }
    if (result == PHX_OK) {
        result = set_constants(step, slot, &lists);
    }
    phxi_lists_destroy(step->heap, &lists);
    phxi_clamp_destroy(step->heap, &slot->clamp);
    if (result != PHX_OK) {
        phxi_csph_release(step->heap, slot);
        return result;
    }
    phxi_frame_rest_body(step->particles, slot->begin, slot->count, &slot->base, &slot->frame);
    return PHX_OK;
}

phx_result phxi_csph_build(phxi_step* step, int index, phxi_csph_slot* slot) {
    PHXI_TRY(phxi_curve_sort(step->particles, step->bodies[index].begin, step->bodies[index].count));
    return build(step, index, 0, slot);
}

phx_result phxi_csph_grip(void* state, phxi_step* step, int index) {
    phxi_csph_slot *slot = phxi_csph_slot_of(state, index), made;
    uint64_t grip = phxi_clamp_hash(step->particles, slot->begin, slot->count);
    if (phxi_csph_loses_pairs(slot) || slot->params.volumes != CSPH_GEOMETRIC || grip == slot->grip) {
        return PHX_OK;
    }
    PHXI_TRY(build(step, index, grip, &made));
    made.params = slot->params; // what was chosen stays
    made.automatic = slot->automatic;
    phx_result result = phxi_csph_set_rest_dt(step, &made);
    if (result != PHX_OK) {
        phxi_csph_release(step->heap, &made);
        return result;
    }
    phxi_csph_release(step->heap, slot);
    *slot = made;
    return PHX_OK;
}
