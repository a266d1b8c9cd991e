// SPDX-License-Identifier: MIT
#include "bench/bare_granular.h"

#include "methods/granular/pairs.h"

typedef struct bare_sums {
    phxi_lanes of[4];
} bare_sums;

PHXI_LOOP_CLONES static void bare_granular_range(const phxi_granular* s, int begin, int end, phxi_r4* sums) {
    const phxi_lists* lists = &s->near->lists;
    for (int i = begin; i < end; ++i) {
        bare_sums t[PHXI_PARTS] = {{{{0}}}};
        int pad[PHXI_GROUP];
        for (int64_t at = lists->start[i], last = lists->start[i + 1]; at < last; at += PHXI_GROUP) {
            const int* item = phxi_group_of(lists->items, at, last, i, pad);
            for (int part = 0; part < PHXI_PARTS; ++part, item += PHXI_LANE_COUNT) {
                phxi_lanes x[4], u[4];
                phxi_granular_pair pair;
                phxi_lanes_gather(s->x, item, x);
                phxi_lanes_gather(s->u, item, u);
                phxi_granular_measure_pair(s, false, i, item, &s->x[i], (const phxi_lanes*)x, &pair);
                for (int a = 0; a < 3; ++a) {
                    t[part].of[a] += pair.weight * u[a];
                }
            }
        }
        phxi_sum_lanes4(t->of, sizeof(bare_sums) / sizeof(phxi_lanes), &sums[i]);
    }
}

void PHXI_LANES_NAME(phxi_bare_granular_rows)(const phxi_granular* s, int begin, int end, phxi_r4* sums) {
    bare_granular_range(s, begin, end, sums);
}
