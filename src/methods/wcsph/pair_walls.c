// SPDX-License-Identifier: MIT
// Third loop over pairs, over the rows of walls: what fluids do to them, which is minus what pair_forces.c does to the
// fluids, pair by pair, from the same numbers.
//
// Friction by an implicit step (viscous_solve.c) acts with the velocities it has found: `w`, else it is that of all.
#include "methods/wcsph/pairs.h"

/// Numbers of the wall particle.
typedef struct own {
    phxi_r4 x, u, q, n, w;
    bool slips;
    phx_real drag;     // times m_i: of approach
    phx_real friction; // times V_i: of viscosity
} own;

typedef struct sums {
    phxi_lanes f[4];
} sums;

/// 1 + b, for a fluid particle at -d from the wall's.
PHXI_INLINE void mirror_of(const own* o, const phxi_wcsph_pair* pair, phxi_lanes* mirror) {
    phxi_lanes one = (phxi_lanes){0} + 1, most = one * (phx_real)1.5, by;
    phxi_lanes height = -(pair->d[0] * o->n[0] + pair->d[1] * o->n[1] + pair->d[2] * o->n[2]) - o->n[3];
    phxi_lane_mask near = (phxi_lane_mask)(o->n[3] < (phx_real)1.5 * height);
    phxi_lanes_select(&near, &height, &one, &by);
    phxi_lanes share = o->n[3] / by;
    phxi_lanes_select(&near, &share, &most, mirror);
    *mirror += 1;
}

/// (S_i + S_i) d
PHXI_INLINE void add_stress(const phxi_wcsph* s, const int* item, const phxi_wcsph_pair* pair,
                            const phxi_lane_mask* is_fluid, const phxi_lanes* c, sums* t) {
    phxi_lanes s1[4], s2[4], twice = 2 * *c;
    const phxi_lanes* d = pair->d;
    phxi_lanes_gather(s->stress_xx, item, s1);
    phxi_lanes_gather(s->stress_xz, item, s2);
    for (int k = 0; k < 4; ++k) { // of others they were never made
        phxi_lanes_keep(is_fluid, &s1[k]);
        phxi_lanes_keep(is_fluid, &s2[k]);
    }
    t->f[0] += twice * (s1[0] * d[0] + s1[3] * d[1] + s2[0] * d[2]);
    t->f[1] += twice * (s1[3] * d[0] + s1[1] * d[1] + s2[1] * d[2]);
    t->f[2] += twice * (s2[0] * d[0] + s2[1] * d[1] + s1[2] * d[2]);
}

/// `thin`: 1 / viscosity of fluids, 1 of others.
PHXI_INLINE void add_friction(const phxi_wcsph* s, int form, const int* item, const own* o, const phxi_wcsph_pair* pair,
                              const phxi_lane_mask* is_fluid, const phxi_lanes* volume, const phxi_lanes* thin,
                              sums* t) {
    phxi_lanes v[4], mirror, rub = *volume;
    phxi_lanes_keep(is_fluid, &rub);
    rub *= o->friction * o->x[3];
    if (form == WCSPH_STRESS) {
        rub *= pair->slope;
        add_stress(s, item, pair, is_fluid, &rub, t);
        return;
    }
    mirror_of(o, pair, &mirror);
    phxi_lanes_gather(s->friction_velocity, item, v);
    for (int a = 0; a < 3; ++a) {
        v[a] = o->w[a] - v[a];
    }
    rub *= mirror * pair->slope / ((2 * *thin) * (pair->square + pair->soft));
    if (form == WCSPH_ANGULAR) {
        rub *= v[0] * pair->d[0] + v[1] * pair->d[1] + v[2] * pair->d[2];
    } else {
        rub *= pair->square;
    }
    for (int a = 0; a < 3; ++a) {
        t->f[a] += rub * (form == WCSPH_ANGULAR ? pair->d[a] : v[a]);
    }
}

PHXI_INLINE void add_lanes(const phxi_wcsph* s, phxi_wcsph_loop loop, int form, int i, const int* item, const own* o,
                           sums* t) {
    phxi_lanes x[4], u[4], q[4], n[4], push[4], v[3];
    phxi_wcsph_pair pair;
    phxi_lanes_gather(s->position, item, x);
    phxi_lanes_gather(s->velocity, item, u);
    phxi_lanes_gather(s->pressure, item, q);
    phxi_lanes_gather(s->wall_normal, item, n);
    phxi_lanes_gather(s->push, item, push);
    phxi_wcsph_measure_pair(s, loop, i, item, &o->x, (const phxi_lanes*)x, false, &pair);
    phxi_lane_mask is_fluid = (phxi_lane_mask)(n[3] == WCSPH_IS_FLUID);
    phxi_lanes one = (phxi_lanes){0} + 1, thin, mass = q[3];
    phxi_lanes_select(&is_fluid, &q[2], &one, &thin);
    phxi_lanes_keep(&is_fluid, &mass);
    for (int a = 0; a < 3; ++a) {
        v[a] = o->u[a] - u[a];
    }
    phxi_lanes away = -(v[0] * pair.d[0] + v[1] * pair.d[1] + v[2] * pair.d[2]);
    phxi_lanes by = 1 / (pair.square + pair.soft);
    phxi_lanes against = push[0] - (push[1] * pair.d[0] + push[2] * pair.d[1] + push[3] * pair.d[2]);
    phxi_lanes_positive(&away);
    phxi_lanes_positive(&against);
    phxi_lanes_keep(&is_fluid, &against);
    phxi_lanes c = -o->x[3] * against;
    if (!o->slips) {
        c -= (o->drag * mass) * ((o->q[1] + q[1]) * (o->q[3] * by)) * away;
    }
    c *= pair.slope;
    for (int a = 0; a < 3; ++a) {
        t->f[a] += c * pair.d[a];
    }
    if (!o->slips && !s->inviscid) {
        add_friction(s, form, item, o, &pair, &is_fluid, &x[3], &thin, t);
    }
}

static own own_of(const phxi_wcsph* s, int k) {
    double length = s->unit, cell = s->mass_unit / (length * length * length);
    int form = s->params->form;
    own o = {.x = s->position[k],
             .u = s->velocity[k],
             .q = s->pressure[k],
             .n = s->wall_normal[k],
             .w = s->friction_velocity[k]};
    o.slips = o.n[3] >= (phx_real)WCSPH_SLIPS;
    o.drag = (phx_real)(0.5 * s->params->alpha * s->sound * s->spacing / length * cell * cell);
    o.friction = (phx_real)(form == WCSPH_ANGULAR ? 20 / length : form == WCSPH_MORRIS ? 4 / length : 1);
    return o;
}

/// N on wall places [begin, end), to `a`.
PHXI_INLINE void walls_range(phxi_wcsph* s, phxi_wcsph_loop loop, int form, int begin, int end) {
    const phxi_lists* lists = &s->near->lists;
    for (int k = begin; k < end; ++k) {
        if (s->kind[k] != WCSPH_WALL) {
            continue;
        }
        own o = own_of(s, k);
        sums t[PHXI_PARTS] = {{{{0}}}};
        int pad[PHXI_GROUP];
        for (int64_t at = lists->start[k], last = lists->start[k + 1]; at < last; at += PHXI_GROUP) {
            const int* item = phxi_group_of(lists->items, at, last, k, pad);
            for (int part = 0; part < PHXI_PARTS; ++part) {
                add_lanes(s, loop, form, k, item + part * PHXI_LANE_COUNT, &o, &t[part]);
            }
        }
        phxi_sum_lanes4(t->f, sizeof(sums) / sizeof(phxi_lanes), &s->acceleration[k]);
        s->acceleration[k] *= (phx_real)s->force_unit;
    }
}

/// A copy of the loop for each form. Loops that are general are rare and ask at every group instead.
PHXI_INLINE void walls_form(phxi_wcsph* s, bool cubic, bool general, int begin, int end) {
    const phxi_wcsph_loop loop = {cubic, general, false};
    int form = s->params->form;
    if (general) {
        walls_range(s, loop, form, begin, end);
    } else if (form == WCSPH_ANGULAR) {
        walls_range(s, loop, WCSPH_ANGULAR, begin, end);
    } else if (form == WCSPH_MORRIS) {
        walls_range(s, loop, WCSPH_MORRIS, begin, end);
    } else {
        walls_range(s, loop, WCSPH_STRESS, begin, end);
    }
}

static PHXI_LOOP_CLONES void wcsph_walls_any(phxi_wcsph* s, int begin, int end) {
    bool cubic = s->params->kernel == PHXI_SPH_CUBIC, general = s->periodic || !s->uniform;
    if (general) {
        cubic ? walls_form(s, true, true, begin, end) : walls_form(s, false, true, begin, end);
    } else {
        cubic ? walls_form(s, true, false, begin, end) : walls_form(s, false, false, begin, end);
    }
}

void PHXI_LANES_NAME(phxi_wcsph_walls)(phxi_wcsph* s, int begin, int end) {
    wcsph_walls_any(s, begin, end);
}
