// SPDX-License-Identifier: MIT
// Tangents of implicit steps, docs/theory/efg.md (17), for displacements q between the two pair loops of forces.c. Both
// are symmetric and positive semidefinite for every law.
//   frozen     rotations R = polar(F) are, and the moduli are those of rest: dP = R (mu (A + A^T) + lambda tr(A) I),
//              A = R^T H(q). Good for small strains, cheap to make: what bdf2 takes.
//   projected  dP/dF of the law at F with negative eigenvalues left out (materials/tangent.h): what Newton's method
//              takes; exact, with them, where it has all but converged. Of particles that have flowed dP = w C(F_e) :
//              (H B) B^T, F_e = J B (plastic.h).
// Thin rows have the frozen one in both.
#include "methods/efg/block_data.h"

#include "math/decompose3.h"
#include "methods/efg/plastic.h"

#include <string.h>

void phxi_efg_rotate_lanes(const block_data* d, int count, phxi_efg_turn* turns, phxi_strain* strain) {
    phx_real det[EFG_BLOCK], size[EFG_BLOCK];
    phxi_rotations(d->g[0], EFG_BLOCK, count, turns, det, size);
    double least = INFINITY, most = 0;
    for (int i = 0; i < count; ++i) {
        least = fmin(least, (double)det[i]);
        most = fmax(most, (double)size[i]);
    }
    *strain = (phxi_strain){least, sqrt(most)};
}

void phxi_efg_freeze(phxi_efg* efg, const phxi_efg_block* block, int groups, const block_data* d) {
    (void)groups;
    const phxi_efg_slot* slot = &efg->slots.items[block->slot];
    phxi_efg_sums* sums = &efg->sums.items[block - efg->blocks.items];
    phxi_strain strain;
    phxi_efg_rotate_lanes(d, block->count, slot->turns + (block->row - slot->row) / EFG_LANES, &strain);
    sums->min_det = strain.least_det;
    sums->max_stretch = strain.most;
}

void phxi_efg_frozen_law(block_data* d, int groups, const phxi_efg_turn* turns, double mu, double lambda) {
    phxi_tangent_frozen(mu, lambda, turns, groups * EFG_LANES, EFG_BLOCK, d->h[0], d->p[0]);
}

/// The same for rows that are thin, with their law at rest in place of that of solids.
static void thin_laws(const phxi_efg* efg, const phxi_efg_block* block, const phxi_efg_law* law,
                      const phxi_efg_turn* turns, block_data* d) {
    for (int k = block->flat_begin; k < block->flat_end; ++k) {
        const phxi_efg_flat* flat = &efg->flats.items[k];
        int i = flat->row - block->row;
        phxi_mat3 h, r;
        for (int a = 0; a < 9; ++a) {
            h.m[a / 3][a % 3] = (double)d->h[a][i];
            r.m[a / 3][a % 3] = (double)turns[i / EFG_LANES].r[a][i % EFG_LANES];
        }
        phxi_mat3 back = phxi_mat3_transpose(&r), turned = phxi_mat3_mul(&back, &h);
        phxi_mat3 stress = phxi_efg_thin_linear(flat, law, &turned), p = phxi_mat3_mul(&r, &stress);
        for (int a = 0; a < 9; ++a) {
            d->p[a][i] = (phx_real)p.m[a / 3][a % 3];
        }
    }
}

static phx_real* stiffness_of(const phxi_efg* efg, const phxi_efg_block* block) {
    const phxi_efg_slot* slot = &efg->slots.items[block->slot];
    return slot->stiffness + (block - efg->blocks.items - slot->block_begin) * EFG_BLOCK_STIFFNESS;
}

void phxi_efg_project(phxi_efg* efg, const phxi_elastic* elastic, bool exact, const phxi_efg_block* block) {
    const phxi_efg_slot* slot = &efg->slots.items[block->slot];
    block_data d;
    phxi_efg_find_gradients(efg, block, phxi_block_count(block->count, EFG_LANES), &d);
    const phx_real* thermal = phxi_efg_thermal(efg->particles, slot, block->row - slot->row);
    phxi_thermal_take(thermal, block->count, EFG_BLOCK, d.g[0]);
    if (slot->plastic.yield > 0) {
        phxi_efg_flow flow;
        phxi_efg_plastic_begin(efg, block, 0, d.g, &flow);
    }
    phxi_tangent_batch(elastic, slot->params.volume_stiffness, exact, block->count, EFG_BLOCK, d.g[0],
                       stiffness_of(efg, block));
    phxi_thermal_tangent(thermal, block->count, EFG_BLOCK, stiffness_of(efg, block));
}

/// H B, in place of H.
static void carry_lanes(const phxi_efg_flow* flow, int rows, lanes9 h) {
    for (int i = 0; i < rows; ++i) {
        for (int a = 0; a < 9; a += 3) {
            phx_real x = h[a][i], y = h[a + 1][i], z = h[a + 2][i];
            for (int b = 0; b < 3; ++b) {
                h[a + b][i] += x * flow->b[b][i] + y * flow->b[3 + b][i] + z * flow->b[6 + b][i];
            }
        }
    }
}

static void projected_law(const phxi_efg* efg, const phxi_efg_block* block, int rows, block_data* d) {
    const phx_real* stiffness = stiffness_of(efg, block);
    if (!(efg->slots.items[block->slot].plastic.yield > 0)) {
        phxi_tangent_apply_batch(rows, EFG_BLOCK, stiffness, d->h[0], d->p[0]);
        return;
    }
    phxi_efg_flow flow;
    phxi_efg_plastic_begin(efg, block, 0, d->g, &flow); // g is not used here, B does not depend on it
    memcpy(d->p, d->h, sizeof d->p);
    carry_lanes(&flow, rows, d->p);
    phxi_tangent_apply_batch(rows, EFG_BLOCK, stiffness, d->p[0], d->p[0]);
    phxi_efg_plastic_end(&flow, rows, d->p);
}

void phxi_efg_tangent(phxi_efg* efg, const phxi_elastic* elastic, const phxi_efg_block* block) {
    const phxi_efg_slot* slot = &efg->slots.items[block->slot];
    int groups = phxi_block_count(block->count, EFG_LANES);
    block_data d;
    phxi_efg_find_gradients(efg, block, groups, &d);
    const phxi_efg_turn* turns = slot->turns + (block->row - slot->row) / EFG_LANES;
    phxi_efg_law law = {elastic, slot->params.volume_stiffness};
    if (slot->projected) {
        projected_law(efg, block, groups * EFG_LANES, &d);
    } else {
        phxi_efg_frozen_law(&d, groups, turns, elastic->mu, elastic->lambda + law.volume_stiffness);
    }
    thin_laws(efg, block, &law, turns, &d);
    phxi_efg_fill_stress(efg, block, groups, &d);
}
