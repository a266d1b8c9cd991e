// SPDX-License-Identifier: MIT
// Which neighbours a kernel reaches: mode membership, docs/theory/corotated_sph.md (10), (11).
//
// A kernel is never shorter than at rest. So pairs need not be checked as long as no neighbour has moved farther (in
// the frame, turns and all) than the one at the edge has left, which pass 1 finds out on the way; and as long as none
// has gone eight tenths of that, no kernel is made: N = 0, which sees all. A neighbour would have to go the rest within
// one substep to be overlooked, and then would be so for one substep. Existing kernels are renewed every other substep,
// principal ones, which are dear, every CSPH_TURNS, groups of lanes in turn: strains hardly change within so few.
#include "methods/corotated_sph/corotated_internal.h"

#include <string.h>

#define NEAR_EDGE ((phx_real)0.64) // share of the margin, squared

/// r N r^T, or r^T N r, of lanes begin to end - 1.
static PHXI_CLONES void csph_turn_shapes(const phxi_mat3* rotation, bool back, int begin, int end,
                                         phx_real in[6][CSPH_BLOCK], phx_real out[6][CSPH_BLOCK]) {
    phx_real r[9];
    for (int k = 0; k < 9; ++k) {
        r[k] = (phx_real)(back ? rotation->m[k % 3][k / 3] : rotation->m[k / 3][k % 3]);
    }
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k) {
        const phx_real *a = r + 3 * row[k], *b = r + 3 * column[k];
        PHXI_SIMD
        for (int i = begin; i < end; ++i) {
            out[k][i] = a[0] * b[0] * in[0][i] + a[1] * b[1] * in[1][i] + a[2] * b[2] * in[2][i] +
                        (a[0] * b[1] + a[1] * b[0]) * in[3][i] + (a[0] * b[2] + a[2] * b[0]) * in[4][i] +
                        (a[1] * b[2] + a[2] * b[1]) * in[5][i];
        }
    }
}

void phxi_csph_kernels(const phxi_csph_slot* slot, phx_real* const shape[6], int first, int count,
                       phx_real n[6][CSPH_BLOCK]) {
    if (slot->params.kernel == PHXI_ISOTROPIC) {
        for (int i = 0; i < count; ++i) {
            phx_real h = slot->radius[first + i];
            n[0][i] = n[1][i] = n[2][i] = 1 / (h * h);
            n[3][i] = n[4][i] = n[5][i] = 0;
        }
        return;
    }
    phx_real world[6][CSPH_BLOCK];
    for (int k = 0; k < 6; ++k) {
        memcpy(world[k], shape[k] + slot->begin + first, (size_t)count * sizeof *world[k]);
    }
    csph_turn_shapes(&slot->frame.rotation, true, 0, count, world, n);
}

// ---------------------------------------------------------------------------------------------------------------- look

/// Looks where the pairs of particle i are; true if it sees all of them. n: N, in the axes of the frame.
static bool look(const phxi_csph_slot* slot, int i, const phx_real n[6], int* cuts) {
    bool all = true;
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) {
        phxi_r4 x = slot->rest[k] + (slot->u[slot->other[k]] - slot->u[i]);
        phx_real square = n[0] * x[0] * x[0] + n[1] * x[1] * x[1] + n[2] * x[2] * x[2] +
                          2 * (n[3] * x[0] * x[1] + n[4] * x[0] * x[2] + n[5] * x[1] * x[2]);
        uint8_t cut = slot->seen[k] & CSPH_CUT;
        bool sees = square < 1 && !cut;
        if (!sees && slot->params.permanent) {
            cut = CSPH_CUT;
        }
        slot->seen[k] = (uint8_t)(cut | (sees ? CSPH_SEEN : 0));
        all = all && sees;
        *cuts += cut != 0;
    }
    return all;
}

bool phxi_csph_update_membership(const phxi_csph_slot* slot, phx_real* const shape[6], int block, phxi_csph_block* b) {
    int first = block * CSPH_BLOCK, count = phxi_csph_count(slot, block), parted = 0, cuts = 0;
    phx_real n[6][CSPH_BLOCK];
    bool made = false;
    for (int i = 0; i < count; ++i) {
        if (slot->whole[first + i] && b->reach[i] < slot->margin[first + i]) {
            continue;
        }
        if (!made) {
            phxi_csph_kernels(slot, shape, first, count, n);
            made = true;
        }
        phx_real own[6] = {n[0][i], n[1][i], n[2][i], n[3][i], n[4][i], n[5][i]};
        slot->whole[first + i] = look(slot, first + i, own, &cuts);
        parted += !slot->whole[first + i];
    }
    slot->found[block].parted = parted;
    slot->found[block].cut = cuts;
    return parted == 0;
}

// ------------------------------------------------------------------------------------------------------------- kernels

/// Whether a lane needs a kernel in the next substep.
static bool awake(const phxi_csph_slot* slot, const phxi_csph_block* b, int first, int i) {
    return !slot->whole[first + i] || !(b->reach[i] < NEAR_EDGE * slot->margin[first + i]);
}

/// Whether a group of lanes gets kernels now: in its turn, and when one that needs a kernel has none.
static bool due(const phxi_csph_slot* slot, const phx_real* xx, int first, int group, int end, const bool* needs) {
    int turns = slot->params.kernel == PHXI_ANISOTROPIC_PRINCIPAL ? CSPH_TURNS : CSPH_TURNS / 2;
    if ((first + group) / CSPH_LANES % turns == slot->turn % turns) {
        return true;
    }
    for (int i = group; i < end; ++i) {
        if (needs[i] && xx[i] == 0) {
            return true;
        }
    }
    return false;
}

/// New kernels of lanes begin to end - 1, whole groups but for the end of the block; none for those that need none.
static void renew(const phxi_csph_slot* slot, phx_real* const shape[6], int first, int begin, int end,
                  const bool* needs, const phxi_csph_block* b) {
    _Alignas(64) phx_real n[6][CSPH_BLOCK], world[6][CSPH_BLOCK];
    phxi_anisotropy kernel = {slot->params.kernel, slot->params.eta, slot->params.full};
    bool any = false;
    for (int i = begin; i < end; ++i) {
        any = any || needs[i];
    }
    if (any) {
        phxi_anisotropy_shapes(&kernel, b->strain[0] + begin, b->turns + begin / CSPH_LANES,
                               slot->radius + first + begin, CSPH_BLOCK, end - begin, n[0] + begin);
        csph_turn_shapes(&slot->frame.rotation, false, begin, end, n, world);
    }
    for (int k = 0; k < 6; ++k) {
        phx_real* to = shape[k] + slot->begin + first;
        for (int i = begin; i < end; ++i) {
            to[i] = needs[i] ? world[k][i] : 0;
        }
    }
}

void phxi_csph_new_kernels(const phxi_csph_slot* slot, bool all, phx_real* const shape[6], int first, int count,
                           const phxi_csph_block* b) {
    bool needs[CSPH_BLOCK];
    for (int i = 0; i < count; ++i) {
        needs[i] = all || awake(slot, b, first, i);
    }
    int begin = 0; // of the groups in a row that get kernels
    for (int group = 0; group < count; group += CSPH_LANES) {
        int end = count - group < CSPH_LANES ? count : group + CSPH_LANES;
        if (!all && !due(slot, shape[0] + slot->begin + first, first, group, end, needs)) {
            renew(slot, shape, first, begin, group, needs, b);
            begin = end;
        }
    }
    renew(slot, shape, first, begin, count, needs, b);
}
