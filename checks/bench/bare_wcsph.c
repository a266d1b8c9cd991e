// SPDX-License-Identifier: MIT
#include "bench/bare_wcsph.h"

#include "methods/wcsph/pairs.h"

typedef struct bare_sums {
    phxi_lanes of[4];
} bare_sums;

PHXI_LOOP_CLONES static void bare_wcsph_range(const phxi_wcsph* s, int begin, int end, phxi_r4* sums) {
    const phxi_wcsph_loop loop = {false, false, false};
    const phxi_lists* lists = &s->near->lists;
    for (int i = begin; i < end; ++i) {
        bare_sums t[PHXI_PARTS] = {{{{0}}}};
        phxi_r4 own = s->position[i];
        int pad[PHXI_GROUP];
        for (int64_t at = lists->start[i]; at < lists->start[i + 1]; at += PHXI_GROUP) {
            const int* item = phxi_group_of(lists->items, at, lists->start[i + 1], i, pad);
            for (int part = 0; part < PHXI_PARTS; ++part, item += PHXI_LANE_COUNT) {
                phxi_lanes x[4], u[4];
                phxi_wcsph_pair pair;
                phxi_lanes_gather(s->position, item, x);
                phxi_lanes_gather(s->velocity, item, u);
                phxi_wcsph_measure_pair(s, loop, i, item, &own, (const phxi_lanes*)x, false, &pair);
                for (int a = 0; a < 3; ++a) {
                    t[part].of[a] += pair.slope * u[a];
                }
            }
        }
        phxi_sum_lanes4(t->of, sizeof(bare_sums) / sizeof(phxi_lanes), &sums[i]);
    }
}

void PHXI_LANES_NAME(phxi_bare_wcsph_rows)(const phxi_wcsph* s, int begin, int end, phxi_r4* sums) {
    bare_wcsph_range(s, begin, end, sums);
}
