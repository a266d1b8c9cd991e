// SPDX-License-Identifier: MIT
// First loop over pairs, with X = x_j - x_i and the weight omega:
//   K = sum omega X X^T,  s = sum omega,  M = sum omega (v_j - v_i) X^T,
// and the density sum V_j w of the cubic spline, where somebody asks.
#include "methods/granular/pairs.h"
#include "neighbors/kernel_wide.h"

typedef struct sums {
    phxi_lanes t[4 * GRANULAR_SUMS];
} sums;

PHXI_INLINE void add_lanes(const phxi_granular* s, bool general, bool dense, int i, const int* item, sums* t) {
    phxi_lanes x[4], u[4], v[3], w[3];
    phxi_granular_pair pair;
    phxi_lanes_gather(s->x, item, x);
    phxi_granular_measure_pair(s, general, i, item, &s->x[i], (const phxi_lanes*)x, &pair);
    phxi_lanes_gather(s->u, item, u);
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
    if (dense) {
        phxi_lanes per = (phxi_lanes){0} + s->per_square, inverse, value;
        phxi_lane_mask other = (phxi_lane_mask)(pair.square > 0);
        phxi_lanes_sqrt(&per, &inverse);
        phxi_cubic_lanes(&pair.square, &inverse, &value, NULL);
        value *= x[3] * u[3];
        phxi_lanes_keep(&other, &value);
        t->t[16] += value;
    }
}

PHXI_INLINE void rates_range(phxi_granular* s, bool general, bool dense, int begin, int end) {
    const phxi_lists* lists = &s->near->lists;
    for (int i = begin; i < end; ++i) {
        if (s->ordinal[i] < 0) {
            continue;
        }
        sums t[PHXI_PARTS] = {{{{0}}}};
        int pad[PHXI_GROUP];
        for (int64_t at = lists->start[i], last = lists->start[i + 1]; at < last; at += PHXI_GROUP) {
            const int* item = phxi_group_of(lists->items, at, last, i, pad);
            for (int part = 0; part < PHXI_PARTS; ++part) {
                add_lanes(s, general, dense, i, item + part * PHXI_LANE_COUNT, &t[part]);
            }
        }
        for (int g = 0; g < (dense ? GRANULAR_SUMS : GRANULAR_SUMS - 1); ++g) {
            phxi_sum_lanes4(t->t + 4 * g, sizeof(sums) / sizeof(phxi_lanes), &s->sums[i].r[g]);
        }
    }
}

static PHXI_LOOP_CLONES void granular_rates_plain(phxi_granular* s, int begin, int end) {
    rates_range(s, false, false, begin, end);
}
static PHXI_LOOP_CLONES void granular_rates_general(phxi_granular* s, int begin, int end) {
    rates_range(s, true, false, begin, end);
}
static PHXI_LOOP_CLONES void granular_rates_dense(phxi_granular* s, int begin, int end) {
    rates_range(s, false, true, begin, end);
}
static PHXI_LOOP_CLONES void granular_rates_general_dense(phxi_granular* s, int begin, int end) {
    rates_range(s, true, true, begin, end);
}

void PHXI_LANES_NAME(phxi_granular_rates)(phxi_granular* s, int begin, int end) {
    if (s->springs) {
        s->general ? granular_rates_general_dense(s, begin, end) : granular_rates_dense(s, begin, end);
    } else {
        s->general ? granular_rates_general(s, begin, end) : granular_rates_plain(s, begin, end);
    }
}
