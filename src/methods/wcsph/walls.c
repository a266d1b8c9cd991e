// SPDX-License-Identifier: MIT
// What fluids do to walls, as "<wall>.ax" ...: forces by the mass of wall particles, as every method keeps its own, so
// that probes, the field `force`, reactions and work of drivers come of themselves. Only in substeps after which
// the result is needed: the last of a step, and all while drivers move walls. (The rows of a tank's walls hold a tenth
// of all pairs.) What keeps single particles off (guard.c) is not in it.
#include "methods/wcsph/wcsph_internal.h"

static const char label[] = "wcsph walls";

void phxi_wcsph_drop_walls(phxi_wcsph* s) {
    phxi_free(s->heap, s->push);
    phxi_free(s->heap, s->solved);
    s->push = s->solved = NULL;
    s->walls_capacity = 0;
}

static phx_result reserve(phxi_wcsph* s, int places) {
    if (places > s->walls_capacity) {
        phxi_wcsph_drop_walls(s);
        PHXI_NEW(s->push, s->heap, places, label);
        PHXI_NEW(s->solved, s->heap, places, label);
        s->walls_capacity = places;
    }
    return PHX_OK;
}

static void gather_part(void* context, int begin, int end, int block) {
    phxi_wcsph* s = context;
    (void)block;
    for (int k = begin; k < end; ++k) {
        s->push[k] = (phxi_r4){0};
        if (s->kind[k] == WCSPH_FLUID) {
            phxi_wcsph_push_of(s, k, &s->push[k]);
        }
        if (s->implicit) {
            phx_real* const* v = &s->solve[WCSPH_SOLVE_TARGET];
            s->solved[k] = (phxi_r4){v[0][k], v[1][k], v[2][k], 0};
        }
    }
}

static void walls_part(void* context, int begin, int end, int block) {
    phxi_wcsph* s = context;
    const phxi_particles* p = s->step->particles;
    (void)block;
    PHXI_LANES_CALL(phxi_wcsph_walls, s, begin, end);
    for (int k = begin; k < end; ++k) {
        if (s->kind[k] == WCSPH_WALL) {
            int i = s->near->particle[k];
            for (int a = 0; a < 3; ++a) {
                p->acceleration[a][i] = s->acceleration[k][a] / p->mass[i];
            }
        }
    }
}

phx_result phxi_wcsph_push_walls(phxi_wcsph* s) {
    if (!s->step->watched || !s->step->particles->boundary_depth) {
        return PHX_OK;
    }
    PHXI_TRY(reserve(s, s->near->count));
    phxi_parallel_for(s->step->pool, s->near->count, WCSPH_GRAIN, gather_part, s);
    s->friction_velocity = s->implicit ? s->solved : s->velocity;
    phxi_parallel_for(s->step->pool, s->near->count, WCSPH_GRAIN, walls_part, s);
    return PHX_OK;
}
