// SPDX-License-Identifier: MIT
// First loop over pairs: how fast a particle is compressed, and the gradient of velocity around it.
//
//   d s_i/dt = (1 + s_i) sum V_j (v_i - v_j) . grad W + 2 delta h c sum V_j d_ij (x . grad W) / (r^2 + 0.01 h^2)
//   or         1 + s_i = sum V0_j W / (the same sum on a lattice)
//   d_ij     = s_i - s_j + (a_i + a_j) . x / (2 c^2)
//   dv_a/dx_b = sum V_j (v_j - v_i)_a grad_b W,   D = sqrt(1/2 sum D_ab^2)
//
// Walls count with their own velocity in the first, and with the mirrored one in the last. The diffusion of density
// (specs: of s_i - s_j alone) leaves out what the fluid's own acceleration tells of the gradient, grad s = - a / c^2:
// else it levels the density of a fluid at rest, which then sinks by some percent a second. It is of higher order this
// way, as that of Antuono et al. (2010), without a gradient to make; the acceleration is that of the last substep.
#include "methods/wcsph/pairs.h"

/// Sums of one row.
typedef struct sums {
    phxi_r8 rate, spread, value;
    phxi_r8 gradient[3][3];
} sums;

PHXI_INLINE void add_eight(const phxi_wcsph* s, phxi_wcsph_loop loop, bool shear, bool value, int i, const int* item,
                           const phxi_r4* own_x, const phxi_r4* own_u, const phxi_r4* own_g, sums* t) {
    phxi_r8 x[4], u[4], g[4];
    phxi_wcsph_pair pair;
    phxi_gather8(s->x, item, x);
    phxi_gather8(s->u, item, u);
    phxi_gather8(s->g, item, g);
    phxi_wcsph_measure_pair(s, loop, i, item, own_x, (const phxi_r8*)x, value, &pair);
    phxi_r8 v[3], c = x[3] * pair.slope;
    for (int a = 0; a < 3; ++a) {
        v[a] = (*own_u)[a] - u[a];
    }
    phxi_r8 jump = (*own_u)[3] - u[3];
    for (int a = 0; a < 3; ++a) {
        jump += ((*own_g)[a] + g[a]) * pair.d[a];
    }
    phxi_r8 spread = (c * pair.square) * jump / (pair.square + pair.soft);
    t->rate += c * (v[0] * pair.d[0] + v[1] * pair.d[1] + v[2] * pair.d[2]);
    if (value) {
        t->value += x[3] * pair.value;
    }
    if (loop.mixed) {
        phxi_wcsph_lanes lanes;
        phxi_wcsph_look_at_walls(s, item, &pair, &lanes);
        phxi_wcsph_keep8(&lanes.fluid, &spread);
        c *= lanes.mirror;
    }
    t->spread += spread;
    for (int a = 0; shear && a < 3; ++a) {
        phxi_r8 cv = c * v[a];
        for (int b = 0; b < 3; ++b) {
            t->gradient[a][b] -= cv * pair.d[b];
        }
    }
}

/// The deformation rate D_ab, twice its symmetric part: kept where the stress needs it.
static void store_gradient(phxi_wcsph* s, int i, const sums* t, phx_real unit, phx_real* rate) {
    phx_real g[3][3];
    for (int k = 0; k < 9; ++k) {
        g[k / 3][k % 3] = unit * phxi_sum8(&t->gradient[k / 3][k % 3]);
    }
    phx_real xx = 2 * g[0][0], yy = 2 * g[1][1], zz = 2 * g[2][2];
    phx_real xy = g[0][1] + g[1][0], xz = g[0][2] + g[2][0], yz = g[1][2] + g[2][1];
    phx_real square = (phx_real)0.5 * (xx * xx + yy * yy + zz * zz) + (xy * xy + xz * xz + yz * yz);
    *rate = PHXI_LANE_SQRT(square);
    if (s->stress_capacity > 0) {
        s->s1[i] = (phxi_r4){xx, yy, zz, xy};
        s->s2[i] = (phxi_r4){xz, yz, 0, 0};
    }
}

PHXI_INLINE void rates_row(phxi_wcsph* s, phxi_wcsph_loop loop, bool shear, bool value, int i) {
    const phxi_lists* lists = &s->near->lists;
    phxi_r4 own_x = s->x[i], own_u = s->u[i], own_g = s->g[i];
    sums t = {0};
    int pad[WCSPH_LANES], count = 0;
    for (int64_t at = lists->start[i], end = lists->start[i + 1]; at < end; at += WCSPH_LANES) {
        const int* item = phxi_wcsph_eight(lists->items, at, end, i, pad);
        add_eight(s, loop, shear, value, i, item, &own_x, &own_u, &own_g, &t);
        count += item == pad ? WCSPH_LANES - (int)(end - at) : 0;
    }
    phx_real unit = (phx_real)s->slope_unit, compression = own_u[3], rate = 0;
    phx_real flow = unit * phxi_sum8(&t.rate) * (1 + compression);
    phxi_r4 out = {flow + (phx_real)s->spread_unit * phxi_sum8(&t.spread), 0, 0, 0};
    if (value) { // the padding saw itself; once is right
        phx_real peak = (phx_real)(loop.cubic ? PHXI_CUBIC_FACTOR : 66 * PHXI_QUINTIC_FACTOR);
        phx_real inverse = 1 / ((phx_real)s->scale * s->near->reach[i]);
        phx_real self = own_x[3] * peak * (inverse * inverse * inverse);
        out[2] = (phx_real)s->value_unit * phxi_sum8(&t.value) + (phx_real)(1 - count) * self;
    }
    if (shear) {
        store_gradient(s, i, &t, unit, &rate);
        out[1] = rate;
    }
    s->a[i] = out;
}

PHXI_INLINE void rates_range(phxi_wcsph* s, phxi_wcsph_loop loop, bool shear, bool value, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        if (s->kind[i] != WCSPH_FLUID) {
            continue;
        }
        phxi_wcsph_loop row = {loop.cubic, loop.general, true};
        phxi_wcsph_loop plain = {loop.cubic, loop.general, false};
        if (s->mixed[i]) {
            rates_row(s, row, shear, value, i);
        } else {
            rates_row(s, plain, shear, value, i);
        }
    }
}

static PHXI_CLONES void wcsph_rates_quintic(phxi_wcsph* s, int begin, int end) {
    const phxi_wcsph_loop loop = {false, false, false};
    s->shear ? rates_range(s, loop, true, false, begin, end) : rates_range(s, loop, false, false, begin, end);
}
static PHXI_CLONES void wcsph_rates_quintic_sums(phxi_wcsph* s, int begin, int end) {
    const phxi_wcsph_loop loop = {false, false, false};
    rates_range(s, loop, true, true, begin, end);
}
static PHXI_CLONES void wcsph_rates_cubic(phxi_wcsph* s, int begin, int end) {
    const phxi_wcsph_loop loop = {true, false, false};
    rates_range(s, loop, true, true, begin, end);
}
static PHXI_CLONES void wcsph_rates_general_quintic(phxi_wcsph* s, int begin, int end) {
    const phxi_wcsph_loop loop = {false, true, false};
    rates_range(s, loop, true, true, begin, end);
}
static PHXI_CLONES void wcsph_rates_general_cubic(phxi_wcsph* s, int begin, int end) {
    const phxi_wcsph_loop loop = {true, true, false};
    rates_range(s, loop, true, true, begin, end);
}

void phxi_wcsph_rates(phxi_wcsph* s, int begin, int end) {
    bool cubic = s->params->kernel == PHXI_SPH_CUBIC;
    if (s->periodic || !s->uniform) {
        cubic ? wcsph_rates_general_cubic(s, begin, end) : wcsph_rates_general_quintic(s, begin, end);
    } else if (cubic) {
        wcsph_rates_cubic(s, begin, end);
    } else if (s->params->density == WCSPH_SUMMATION) {
        wcsph_rates_quintic_sums(s, begin, end);
    } else {
        wcsph_rates_quintic(s, begin, end);
    }
}
