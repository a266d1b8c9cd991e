// SPDX-License-Identifier: MIT
// First loop over pairs (docs/theory/fluids.md (1) to (3)): how fast a particle is compressed, and the gradient of
// velocity around it.
//
//   d s_i/dt = (1 + s_i) sum V_j (v_i - v_j) . grad W + 2 delta h c sum V_j d_ij (x . grad W) / (r^2 + 0.01 h^2)
//   or         1 + s_i = sum V0_j W / (the same sum on a lattice)
//   d_ij     = s_i - s_j + (a_i + a_j) . x / (2 c^2)
//   D_ab     = sum V_j ((v_j - v_i)_a grad_b W + (v_j - v_i)_b grad_a W),   D = sqrt(1/2 sum D_ab^2)
//
// Walls count with their own velocity in the first, and with the mirrored one in the last. The diffusion of density
// (usually of s_i - s_j alone) leaves out what the fluid's own acceleration tells of the gradient, grad s = - a / c^2:
// else it levels the density of a fluid at rest, which then sinks by some percent a second. It is of higher order this
// way, as that of Antuono et al. (2010), without a gradient to make; the acceleration is that of the last substep.
//
// Whether a row has others than fluid is found on the way: it is taken as it was by the last substep, and again if that
// was wrong. So what comes out does not depend on what was.
#include "methods/wcsph/pairs.h"

/// Sums of one row.
enum { RATE, SPREAD, VALUE, OTHERS, XX, YY, ZZ, NONE, XY, XZ, YZ, NONE_EITHER, SUM_COUNT };
typedef struct sums {
    phxi_lanes of[SUM_COUNT];
} sums;

/// Numbers of particle i.
typedef struct own {
    phxi_r4 x, u, g;
} own;

PHXI_INLINE void add_lanes(const phxi_wcsph* s, phxi_wcsph_loop loop, bool shear, bool value, int i, const int* item,
                           const own* o, sums* t) {
    phxi_lanes x[4], u[4], g[4];
    phxi_wcsph_pair pair;
    phxi_lanes_gather(s->position, item, x);
    phxi_wcsph_measure_pair(s, loop, i, item, &o->x, (const phxi_lanes*)x, value, &pair);
    phxi_lanes_gather(s->velocity, item, u);
    phxi_lanes_gather(s->hydrostatic, item, g);
    phxi_lanes v[3], c = x[3] * pair.slope;
    for (int a = 0; a < 3; ++a) {
        v[a] = o->u[a] - u[a];
    }
    phxi_lanes jump = o->u[3] - u[3];
    for (int a = 0; a < 3; ++a) {
        jump += (o->g[a] + g[a]) * pair.d[a];
    }
    phxi_lanes spread = (c * pair.square) * jump / (pair.square + pair.soft);
    if (loop.mixed || !shear) {
        t->of[RATE] += c * (v[0] * pair.d[0] + v[1] * pair.d[1] + v[2] * pair.d[2]);
    }
    if (value) {
        t->of[VALUE] += x[3] * pair.value;
    }
    t->of[OTHERS] += g[3];
    if (loop.mixed) {
        phxi_wcsph_lanes lanes;
        phxi_wcsph_measure_walls(s, item, &pair, &lanes);
        phxi_lanes_keep(&lanes.fluid, &spread);
        c *= lanes.mirror;
    }
    t->of[SPREAD] += spread;
    if (shear) {
        phxi_lanes x0 = c * v[0], x1 = c * v[1], x2 = c * v[2];
        t->of[XX] += x0 * pair.d[0];
        t->of[YY] += x1 * pair.d[1];
        t->of[ZZ] += x2 * pair.d[2];
        t->of[XY] += x0 * pair.d[1] + x1 * pair.d[0];
        t->of[XZ] += x0 * pair.d[2] + x2 * pair.d[0];
        t->of[YZ] += x1 * pair.d[2] + x2 * pair.d[1];
    }
}

/// The shear rate from sums of v_ij x grad W; D_ab is kept where the stress needs it.
PHXI_INLINE phx_real shear_rate(phxi_wcsph* s, int i, const phxi_r4* diagonal, const phxi_r4* off, phx_real unit) {
    phxi_r4 d = (-2 * unit) * *diagonal, e = -unit * *off;
    phx_real square = (phx_real)0.5 * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    square += e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
    if (s->stress_capacity > 0) {
        s->stress_xx[i] = (phxi_r4){d[0], d[1], d[2], e[0]};
        s->stress_xz[i] = (phxi_r4){e[1], e[2], 0, 0};
    }
    return PHXI_LANE_SQRT(square);
}

/// Whether there are others than fluid in the row.
PHXI_INLINE bool rates_row(phxi_wcsph* s, phxi_wcsph_loop loop, bool shear, bool value, int i) {
    const size_t stride = sizeof(sums) / sizeof(phxi_lanes);
    const phxi_lists* lists = &s->near->lists;
    own o = {s->position[i], s->velocity[i], s->hydrostatic[i]};
    sums t[PHXI_PARTS] = {{{{0}}}};
    int pad[PHXI_GROUP], count = 0;
    for (int64_t at = lists->start[i], end = lists->start[i + 1]; at < end; at += PHXI_GROUP) {
        const int* item = phxi_group_of(lists->items, at, end, i, pad);
        for (int part = 0; part < PHXI_PARTS; ++part) {
            add_lanes(s, loop, shear, value, i, item + part * PHXI_LANE_COUNT, &o, &t[part]);
        }
        count += item == pad ? PHXI_GROUP - (int)(end - at) : 0;
    }
    phxi_r4 first, diagonal, off;
    phxi_sum_lanes4(&t->of[RATE], stride, &first);
    phx_real unit = (phx_real)s->slope_unit, compression = o.u[3], flow = first[RATE];
    phxi_r4 out = {0};
    if (shear) {
        phxi_sum_lanes4(&t->of[XX], stride, &diagonal);
        phxi_sum_lanes4(&t->of[XY], stride, &off);
        out[1] = shear_rate(s, i, &diagonal, &off, unit);
        flow = loop.mixed ? flow : diagonal[0] + diagonal[1] + diagonal[2];
    }
    out[0] = unit * flow * (1 + compression) + (phx_real)s->spread_unit * first[SPREAD];
    if (value) { // the padding saw itself; once is right
        phx_real peak = (phx_real)(loop.cubic ? PHXI_CUBIC_FACTOR : 66 * PHXI_QUINTIC_FACTOR);
        phx_real inverse = 1 / ((phx_real)s->scale * s->near->reach[i]);
        phx_real self = o.x[3] * peak * (inverse * inverse * inverse);
        out[2] = (phx_real)s->value_unit * first[VALUE] + (phx_real)(1 - count) * self;
    }
    s->acceleration[i] = out;
    return first[OTHERS] > 0;
}

PHXI_INLINE void rates_range(phxi_wcsph* s, phxi_wcsph_loop loop, bool shear, bool value, int begin, int end) {
    const phxi_wcsph_loop mixed = {loop.cubic, loop.general, true}, plain = {loop.cubic, loop.general, false};
    for (int i = begin; i < end; ++i) {
        if (s->kind[i] != WCSPH_FLUID) {
            continue;
        }
        bool found = s->mixed[i], tried;
        do { // again, in the other form, where the row has changed
            tried = found;
            found = tried ? rates_row(s, mixed, shear, value, i) : rates_row(s, plain, shear, value, i);
        } while (found != tried);
        s->mixed[i] = found;
    }
}

static PHXI_LOOP_CLONES void wcsph_rates_quintic(phxi_wcsph* s, int begin, int end) {
    const phxi_wcsph_loop loop = {false, false, false};
    s->shear ? rates_range(s, loop, true, false, begin, end) : rates_range(s, loop, false, false, begin, end);
}
static PHXI_LOOP_CLONES void wcsph_rates_quintic_sums(phxi_wcsph* s, int begin, int end) {
    const phxi_wcsph_loop loop = {false, false, false};
    rates_range(s, loop, true, true, begin, end);
}
static PHXI_LOOP_CLONES void wcsph_rates_cubic(phxi_wcsph* s, int begin, int end) {
    const phxi_wcsph_loop loop = {true, false, false};
    rates_range(s, loop, true, true, begin, end);
}
static PHXI_LOOP_CLONES void wcsph_rates_general_quintic(phxi_wcsph* s, int begin, int end) {
    const phxi_wcsph_loop loop = {false, true, false};
    rates_range(s, loop, true, true, begin, end);
}
static PHXI_LOOP_CLONES void wcsph_rates_general_cubic(phxi_wcsph* s, int begin, int end) {
    const phxi_wcsph_loop loop = {true, true, false};
    rates_range(s, loop, true, true, begin, end);
}

void PHXI_LANES_NAME(phxi_wcsph_rates)(phxi_wcsph* s, int begin, int end) {
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
