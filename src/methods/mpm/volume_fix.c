// SPDX-License-Identifier: MIT
// Fluids keep their volume.
//
// J of a particle follows the gradient C that it takes from the grid, which is that of a smoothed velocity, and
// particles go with the velocity itself. What moves within a cell or two is seen by one and not by the other, and
// gravity finds every way to pack particles closer that J does not know of: a fluid that sloshes for long would sink
// into its lowest cell.
//
// How full space is, nodes know: m_i over the mass rho h^3 of a full cell, against the share f_i of the cell that is
// not in colliders. A particle takes the excess x = sum w_i (m_i / (rho h^3) - f_i), which should be 1/J - 1 in a fluid
// and is less at its surface. Where it is more, J gives way,
//     dJ/dt = -(x - (1/J - 1) - SPARE) c / (WAIT h)
// and pressure makes room. WAIT: slow against the waves of a cell, or the two would swing. SPARE: what particles
// without order miss or exceed, so that a fluid at rest is left alone. rho is that of the densest body, as nodes know
// no volumes.
#include "methods/mpm/mpm_internal.h"

#define SPARE 0.03
#define WAIT  200

enum { NODES = MPM_BLOCK / 4, GRAIN = 8 };

phx_result phxi_mpm_begin_volume_fix(phxi_mpm* s) {
    double density = 0;
    for (int k = 0; k < s->step->own_count; ++k) {
        density = fmax(density, s->step->bodies[s->step->own[k]].material.density);
    }
    s->full = density * s->h * s->h * s->h;
    PHXI_MPM_RESERVE(&s->space, s->nodes.count * NODES);
    return PHX_OK;
}

void phxi_mpm_clear_space(phxi_mpm* s, int block) {
    for (int n = block * NODES; n < (block + 1) * NODES; ++n) {
        s->space.items[n] = 1;
    }
}

void phxi_mpm_take_space(phxi_mpm* s, int block, int node, double distance) {
    phx_real* space = &s->space.items[(ptrdiff_t)block * NODES + node];
    double taken = fmin(fmax(0.5 - distance / s->h, 0), 1); // of a plane across an axis
    *space = (phx_real)fmax((double)*space - taken, 0);
}

static void find_part(void* context, int begin, int end, int block) {
    phxi_mpm* s = context;
    const phx_real per = (phx_real)(1 / s->full);
    (void)block;
    for (int n = begin * NODES; n < end * NODES; ++n) {
        phx_real* mass = &s->velocity.items[4 * (ptrdiff_t)n];
        *mass = *mass * per - s->space.items[n];
    }
}

void phxi_mpm_find_excess(phxi_mpm* s) {
    phxi_mpm_double_planes(s);
    phxi_parallel_for(s->step->pool, s->nodes.count, GRAIN, find_part, s);
}

void phxi_mpm_fix_volumes(const phxi_mpm* s, const phxi_fluid* fluid, phxi_mpm_chunk* c, int begin, int end) {
    const double sound = sqrt(fluid->bulk * s->h * s->h * s->h / s->full);
    const phx_real rate = (phx_real)fmin(s->dt * sound / (WAIT * s->h), 0.1);
    for (int k = begin; k < end; ++k) {
        const phx_real q = c->g[0][k] + c->g[4][k] + c->g[8][k];
        const phx_real excess = c->excess[k] + q / (1 + q) - (phx_real)SPARE;
        const phx_real less = excess > 0 ? rate * excess * (phx_real)(1.0 / 3) : 0;
        c->g[0][k] -= less, c->g[4][k] -= less, c->g[8][k] -= less;
    }
}
