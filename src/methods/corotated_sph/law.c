// SPDX-License-Identifier: MIT
// What lies between the two loops of forces.c in implicit steps: stresses by a law of materials/elastic.h, and its
// tangents. The linear strain R^T F - I is that of the corotated law, Green's that of St. Venant and Kirchhoff.
//
// Stresses are made from F - I, which keeps the digits of small strains: what is left when forces balance may be a
// thousandth of what rounding leaves in (6).
//
// Where neighbours do not span space F is completed by its rotation in the directions that they leave out, which then
// have no strain. That they have no stress either, in sheets and rods, is in the lambda of the whole body; flat parts
// of bodies that are not flat as a whole are too stiff by it.
#include "methods/corotated_sph/corotated_internal.h"

#include "materials/elastic_batch.h"

#include <string.h>

static const phx_real* thermal_of(const phxi_csph_slot* slot, int block) {
    return slot->thermal ? slot->thermal + slot->begin + block * CSPH_BLOCK : NULL;
}

static bool spans(const phxi_csph_sums* sums, int lane) {
    return sums->span[0][lane] == 1 && sums->span[1][lane] == 1 && sums->span[2][lane] == 1;
}

bool phxi_csph_all_span(const phxi_csph_slot* slot) {
    bool all = true;
    for (int i = 0; i < slot->count && all; ++i) {
        all = spans(&slot->sums[i / CSPH_BLOCK], i % CSPH_BLOCK);
    }
    return all;
}

int phxi_csph_widest(const phxi_csph_slot* slot) {
    int most = 1;
    for (int i = 0; i < slot->count && most < 3; ++i) {
        const phxi_csph_sums* sums = &slot->sums[i / CSPH_BLOCK];
        double trace = 0;
        for (int k = 0; k < 3; ++k) {
            trace += (double)sums->span[k][i % CSPH_BLOCK];
        }
        int rank = phxi_csph_rank(trace);
        most = rank > most ? rank : most;
    }
    return most;
}

/// A M^+ for nine planes.
static PHXI_CLONES void csph_times_inverse(const phx_real (*a)[CSPH_BLOCK], const phxi_csph_sums* sums,
                                           phx_real (*out)[CSPH_BLOCK]) {
    static const int sym[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    for (int k = 0; k < 9; ++k) {
        const int row = 3 * (k / 3), column = k % 3;
        const phx_real *a0 = a[row], *a1 = a[row + 1], *a2 = a[row + 2];
        const phx_real *c0 = sums->inverse[sym[column]], *c1 = sums->inverse[sym[3 + column]];
        const phx_real* c2 = sums->inverse[sym[6 + column]];
        phx_real* restrict to = out[k];
        PHXI_SIMD
        for (int i = 0; i < CSPH_BLOCK; ++i) {
            to[i] = a0[i] * c0[i] + a1[i] * c1[i] + a2[i] * c2[i];
        }
    }
}

/// Rows of b->s = dP, b->g = F - I or its change.
static bool spread(const phxi_csph_slot* slot, int block, phxi_csph_block* b) {
    const phx_real* volume = slot->volume + block * CSPH_BLOCK;
    csph_times_inverse((const phx_real(*)[CSPH_BLOCK])b->s, &slot->sums[block], b->p);
    for (int k = 0; k < 9; ++k) {
        for (int i = 0; i < CSPH_BLOCK; ++i) {
            b->p[k][i] *= volume[i];
        }
    }
    memcpy(b->k, b->g, sizeof b->k);
    return phxi_csph_fill_rows(slot, block, b);
}

/// F + th R (1 - M M^+), less I.
static void complete(const phxi_csph_sums* sums, const phx_real* thermal, int count, phxi_csph_block* b) {
    static const int sym[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    for (int i = 0; i < count; ++i) {
        if (spans(sums, i)) {
            continue;
        }
        const phxi_turn8* turn = &b->turns[i / CSPH_LANES];
        double stretch = 1 + (thermal ? (double)thermal[i] : 0);
        for (int k = 0; k < 9; ++k) {
            double sum = 0;
            for (int a = 0; a < 3; ++a) {
                double out = (a == k % 3) - (double)sums->span[sym[3 * a + k % 3]][i];
                sum += (double)turn->r[3 * (k / 3) + a][i % CSPH_LANES] * out;
            }
            b->g[k][i] += (phx_real)(stretch * sum);
        }
    }
}

/// By th to a power: the law of strains less th - 1 is th^2 Psi(F/th), that of Green's strains less th - 1 + (th -
/// 1)^2/2 th^4 Psi(F/th).
static void scale_warm(const phx_real* thermal, int count, int power, phx_real* values) {
    for (int i = 0; thermal && i < count; ++i) {
        for (int k = 0; k < power; ++k) {
            values[i] *= 1 + thermal[i];
        }
    }
}

bool phxi_csph_law_stress(const phxi_csph_slot* slot, const phxi_elastic* law, int block, phxi_csph_block* b,
                          phx_real energy[CSPH_BLOCK]) {
    int count = phxi_csph_count(slot, block), power = law->law == PHX_LAW_STVK ? 4 : 2;
    const phx_real* thermal = thermal_of(slot, block);
    phxi_turn8* turns = slot->turns + (ptrdiff_t)block * CSPH_BLOCK / CSPH_LANES;
    phxi_csph_whole_sums(slot, block, b);
    phxi_csph_gradients(&slot->sums[block], b);
    memset(b->turns, 0, sizeof b->turns);
    phxi_rotations(b->g[0], CSPH_BLOCK, count, b->turns, b->det, b->distance);
    memcpy(turns, b->turns, sizeof b->turns);
    complete(&slot->sums[block], thermal, count, b);
    memcpy(b->elastic, b->g, sizeof b->elastic);
    phxi_thermal_take(thermal, count, CSPH_BLOCK, b->elastic[0]);
    phxi_elastic_batch(law, count, CSPH_BLOCK, b->elastic[0], b->s[0], energy);
    for (int k = 0; k < 9; ++k) {
        scale_warm(thermal, count, power - 1, b->s[k]);
        memset(b->s[k] + count, 0, (size_t)(CSPH_BLOCK - count) * sizeof *b->s[k]);
    }
    if (energy) {
        scale_warm(thermal, count, power, energy);
    }
    return spread(slot, block, b);
}

void phxi_csph_project(const phxi_csph_slot* slot, const phxi_elastic* law, bool exact, int block) {
    int count = phxi_csph_count(slot, block);
    const phx_real* thermal = thermal_of(slot, block);
    phx_real* tangents = slot->tangents + (ptrdiff_t)block * CSPH_TANGENTS;
    phxi_csph_block b;
    phxi_csph_whole_sums(slot, block, &b);
    phxi_csph_gradients(&slot->sums[block], &b);
    phxi_thermal_take(thermal, count, CSPH_BLOCK, b.g[0]);
    for (int i = 0; i < count; ++i) {
        const phxi_turn8* turn = &slot->turns[(block * CSPH_BLOCK + i) / CSPH_LANES];
        for (int k = 0; k < 9 && !spans(&slot->sums[block], i); ++k) {
            b.g[k][i] = turn->r[k][i % CSPH_LANES] - (k % 4 == 0);
        }
    }
    phxi_tangent_batch(law, 0, exact, count, CSPH_BLOCK, b.g[0], tangents);
    for (int k = 0; k < 2 && law->law == PHX_LAW_STVK; ++k) {
        phxi_thermal_tangent(thermal, count, CSPH_BLOCK, tangents);
    }
}

void phxi_csph_tangent(const phxi_csph_slot* slot, const phxi_elastic* law, int block) {
    phxi_csph_block b;
    phxi_csph_whole_sums(slot, block, &b);
    csph_times_inverse((const phx_real(*)[CSPH_BLOCK])b.s, &slot->sums[block], b.g);
    if (slot->projected) {
        const phx_real* tangents = slot->tangents + (ptrdiff_t)block * CSPH_TANGENTS;
        phxi_tangent_apply_batch(CSPH_BLOCK, CSPH_BLOCK, tangents, b.g[0], b.s[0]);
    } else {
        const phxi_turn8* turns = slot->turns + (ptrdiff_t)block * CSPH_BLOCK / CSPH_LANES;
        phxi_tangent_frozen(law->mu, law->lambda, turns, CSPH_BLOCK, CSPH_BLOCK, b.g[0], b.s[0]);
    }
    (void)spread(slot, block, &b);
}
