// SPDX-License-Identifier: MIT
// First loop over pairs, with X = x_j - x_i and the weight omega:
//   K = sum omega X X^T,  s = sum omega,  M = sum omega (v_j - v_i) X^T,
// and the density sum V_j w of the cubic spline, where needed. Where weights are frozen omega is that of the
// bond, and bonds that weigh something are counted: lists are longer.
#include "methods/granular/pairs.h"
#include "neighbors/kernel_wide.h"

#include <string.h>

/// Constant switches of the loop.
typedef struct loop_kind {
    bool general, dense, frozen;
} loop_kind;

typedef struct sums {
    phxi_lanes t[4 * GRANULAR_SUMS];
} sums;

/// The weight that bonds have kept, at `kept`, or the current one if that is larger: bonds that shorten gain weight at
/// once.
PHXI_INLINE void recall(phx_real* kept, phxi_lanes* weight) {
    phxi_lanes old;
    memcpy(&old, kept, sizeof old);
    phxi_lane_mask more = (phxi_lane_mask)(old > *weight);
    phxi_lanes_select(&more, &old, weight, weight);
    memcpy(kept, weight, sizeof *weight);
}

PHXI_INLINE void add_lanes(const phxi_granular* s, loop_kind kind, int i, const int* item, phx_real* kept, sums* t) {
    phxi_lanes x[4], u[4], v[3], w[3];
    phxi_granular_pair pair;
    phxi_lanes_gather(s->x, item, x);
    phxi_granular_measure_pair(s, kind.general, i, item, &s->x[i], (const phxi_lanes*)x, &pair);
    phxi_lanes_gather(s->u, item, u);
    phxi_lane_mask other = (phxi_lane_mask)(pair.square > 0);
    if (kind.frozen) {
        recall(kept, &pair.weight);
        phxi_lanes_keep(&other, &pair.weight);
    }
    phxi_lanes weight = pair.weight * u[3];
    for (int a = 0; a < 3; ++a) {
        v[a] = u[a] - s->u[i][a];
        w[a] = weight * pair.x[a];
    }
    t->t[0] += w[0] * pair.x[0];
    t->t[1] += w[1] * pair.x[1];
    t->t[2] += w[2] * pair.x[2];
    t->t[3] += w[0] * pair.x[1];
    t->t[4] += w[0] * pair.x[2];
    t->t[5] += w[1] * pair.x[2];
    t->t[6] += weight;
    for (int k = 0; k < 9; ++k) {
        t->t[7 + k] += v[k / 3] * w[k % 3];
    }
    if (kind.frozen) {
        phxi_lanes one = (phxi_lanes){0} + 1;
        phxi_lane_mask bond = (phxi_lane_mask)(weight > 0);
        phxi_lanes_keep(&bond, &one);
        t->t[17] += one;
    }
    if (kind.dense) {
        phxi_lanes per = (phxi_lanes){0} + s->per_square, inverse, value;
        phxi_lanes_sqrt(&per, &inverse);
        phxi_cubic_lanes(&pair.square, &inverse, &value, NULL);
        value *= x[3] * u[3];
        phxi_lanes_keep(&other, &value);
        t->t[16] += value;
    }
}

PHXI_INLINE void rates_range(phxi_granular* s, loop_kind kind, int begin, int end) {
    const phxi_lists* lists = &s->near->lists;
    const int rows = kind.dense || kind.frozen ? GRANULAR_SUMS : GRANULAR_SUMS - 1;
    for (int i = begin; i < end; ++i) {
        if (s->ordinal[i] < 0) {
            continue;
        }
        sums t[PHXI_PARTS] = {{{{0}}}};
        int pad[PHXI_GROUP];
        const int64_t first = lists->start[i], last = lists->start[i + 1];
        phx_real* kept = NULL;
        if (kind.frozen) {
            phxi_granular_match(s, s->ordinal[i], lists->items + first, (int)(last - first));
            kept = phxi_granular_bonds_of(&s->bonds, s->ordinal[i]) + 3 * s->bonds.stride;
        }
        for (int64_t at = first; at < last; at += PHXI_GROUP) {
            const int* item = phxi_group_of(lists->items, at, last, i, pad);
            for (int part = 0; part < PHXI_PARTS; ++part) {
                phx_real* own = kind.frozen ? kept + (at - first) + part * PHXI_LANE_COUNT : NULL;
                add_lanes(s, kind, i, item + part * PHXI_LANE_COUNT, own, &t[part]);
            }
        }
        for (int g = 0; g < rows; ++g) {
            phxi_sum_lanes4(t->t + 4 * g, sizeof(sums) / sizeof(phxi_lanes), &s->sums[i].r[g]);
        }
    }
}

static PHXI_LOOP_CLONES void granular_rates_plain(phxi_granular* s, int begin, int end) {
    rates_range(s, (loop_kind){false, false, false}, begin, end);
}
static PHXI_LOOP_CLONES void granular_rates_general(phxi_granular* s, int begin, int end) {
    rates_range(s, (loop_kind){true, false, false}, begin, end);
}
static PHXI_LOOP_CLONES void granular_rates_dense(phxi_granular* s, int begin, int end) {
    rates_range(s, (loop_kind){false, true, false}, begin, end);
}
static PHXI_LOOP_CLONES void granular_rates_general_dense(phxi_granular* s, int begin, int end) {
    rates_range(s, (loop_kind){true, true, false}, begin, end);
}
static PHXI_LOOP_CLONES void granular_rates_frozen(phxi_granular* s, int begin, int end) {
    rates_range(s, (loop_kind){true, true, true}, begin, end);
}

void PHXI_LANES_NAME(phxi_granular_rates)(phxi_granular* s, int begin, int end) {
    if (s->frozen) {
        granular_rates_frozen(s, begin, end);
    } else if (s->springs) {
        s->general ? granular_rates_general_dense(s, begin, end) : granular_rates_dense(s, begin, end);
    } else {
        s->general ? granular_rates_general(s, begin, end) : granular_rates_plain(s, begin, end);
    }
}
