// SPDX-License-Identifier: MIT
// Second loop over pairs (docs/theory/fluids.md (5), (6)): pressure, artificial viscosity, viscosity where it is
// explicit, XSPH.
//
//   m_i a_i = - sum (V_i^2 p_i + V_j^2 p_j) grad W                        equal masses: m^2 (p_i/rho_i^2 + p_j/rho_j^2)
//             + sum m_i m_j alpha c h min(0, v.x) / (r^2 + 0.01 h^2) 1/2 (1/rho_i + 1/rho_j) grad W
//             + sum V_i V_j 10 e_ij (v.x) / (r^2 + 0.01 h^2) grad W       angular
//             + sum V_i V_j 2 e_ij v (x.grad W) / (r^2 + 0.01 h^2)        morris
//             + sum V_i V_j (S_i + S_j) grad W                            stress, S = eta D
//   hat_i   = sum m_j 1/2 (1/rho_i + 1/rho_j) (v_j - v_i) W               moves particles, is no momentum
//
// with v = v_i - v_j, x = x_i - x_j. All but XSPH of walls count: rho_w = rho_0, m_w = rho_0 V_w, e = eta_i, S_w = S_i,
// and (1 + b) v in viscosity. p_w = max(0, p_i + rho_i g.(x_w - x_i)): the pressure of a fluid at rest goes on into the
// wall (with the usual p_w = p_i water in a tank never comes to rest, KE/E0 2e-3, 2 s after a start that leaves 5e-7
// here). Fluid pairs are antisymmetric to rounding: momentum is conserved.
#include "methods/wcsph/pairs.h"

typedef enum viscous { NONE, ANGULAR, MORRIS, STRESS } viscous;

/// Numbers of particle i that multiply whole sums or every lane.
typedef struct own {
    phxi_r4 x, u, q, s1, s2;
    phxi_r4 push;      // phxi_wcsph_push_of
    phx_real drag;     // of approach: alpha c h / 2
    phx_real friction; // of viscosity
    phx_real mass;     // of m_j in XSPH
} own;

/// Sums of one row: those of `a` and `hat` four at a time, as they are added up.
typedef struct sums {
    phxi_lanes a[4], hat[4], nearest;
} sums;

/// (S_i + S_j) d
PHXI_INLINE void add_stress(const phxi_wcsph* s, const own* o, const int* item, const phxi_wcsph_pair* pair,
                            const phxi_wcsph_lanes* lanes, const phxi_lanes* c, sums* t) {
    phxi_lanes s1[4], s2[4];
    phxi_lanes_gather(s->stress_xx, item, s1);
    phxi_lanes_gather(s->stress_xz, item, s2);
    for (int k = 0; k < 6; ++k) {
        phx_real mine = k < 4 ? o->s1[k] : o->s2[k - 4];
        phxi_lanes* theirs = k < 4 ? &s1[k] : &s2[k - 4];
        if (lanes) {
            phxi_lanes same = (phxi_lanes){0} + mine;
            phxi_lanes_select(&lanes->fluid, theirs, &same, theirs);
        }
        *theirs += mine;
    }
    const phxi_lanes* d = pair->d;
    t->a[0] += *c * (s1[0] * d[0] + s1[3] * d[1] + s2[0] * d[2]);
    t->a[1] += *c * (s1[3] * d[0] + s1[1] * d[1] + s2[1] * d[2]);
    t->a[2] += *c * (s2[0] * d[0] + s2[1] * d[1] + s1[2] * d[2]);
}

PHXI_INLINE void add_lanes(const phxi_wcsph* s, phxi_wcsph_loop loop, viscous form, int i, const int* item,
                           const own* o, sums* t) {
    phxi_lanes x[4], u[4], q[4], v[3];
    phxi_wcsph_pair pair;
    phxi_wcsph_lanes lanes;
    phxi_lanes_gather(s->position, item, x);
    phxi_wcsph_measure_pair(s, loop, i, item, &o->x, (const phxi_lanes*)x, true, &pair);
    phxi_lanes_gather(s->velocity, item, u);
    phxi_lanes_gather(s->pressure, item, q);
    for (int a = 0; a < 3; ++a) {
        v[a] = o->u[a] - u[a];
    }
    phxi_lanes vx = v[0] * pair.d[0] + v[1] * pair.d[1] + v[2] * pair.d[2], by = 1 / (pair.square + pair.soft);
    phxi_lanes push = o->q[0] + q[0], away = -vx, volume = x[3];
    phxi_lanes_positive(&away);
    phxi_lanes share = (o->mass * q[3] + volume) * pair.value, drag = (o->q[1] + q[1]) * (q[3] * by);
    if (loop.mixed) {
        phxi_wcsph_measure_walls(s, item, &pair, &lanes);
        phxi_lanes against = o->push[0] + (o->push[1] * pair.d[0] + o->push[2] * pair.d[1] + o->push[3] * pair.d[2]);
        phxi_lanes_positive(&against);
        against *= volume;
        phxi_lanes_select(&lanes.fluid, &push, &against, &push);
        phxi_lane_mask sticks = ~lanes.slips;
        phxi_lanes_keep(&lanes.fluid, &share);
        phxi_lanes_keep(&sticks, &drag);
        phxi_lanes thick = (phxi_lanes){0} + o->q[2], far = (phxi_lanes){0} + 1, square;
        phxi_lanes_select(&lanes.wall, &thick, &q[2], &q[2]);
        phxi_lanes_select(&lanes.wall, &pair.square, &far, &square);
        phxi_lane_mask nearer = (phxi_lane_mask)(square < t->nearest);
        phxi_lanes_select(&nearer, &square, &t->nearest, &t->nearest);
    }
    phxi_lanes c = -push - o->drag * drag * away;
    if (form == ANGULAR || form == MORRIS) {
        phxi_lanes rub = o->friction * volume * by / (o->q[2] + q[2]);
        rub = loop.mixed ? rub * lanes.mirror : rub;
        if (form == ANGULAR) {
            c += rub * vx;
        } else {
            rub *= pair.square * pair.slope;
            for (int a = 0; a < 3; ++a) {
                t->a[a] += rub * v[a];
            }
        }
    }
    c *= pair.slope;
    for (int a = 0; a < 3; ++a) {
        t->a[a] += c * pair.d[a];
        t->hat[a] -= share * v[a];
    }
    if (form == STRESS) {
        phxi_lanes rub = o->friction * volume * pair.slope;
        if (loop.mixed) {
            phxi_lane_mask sticks = ~lanes.slips;
            phxi_lanes_keep(&sticks, &rub);
        }
        add_stress(s, o, item, &pair, loop.mixed ? &lanes : NULL, &rub, t);
    }
}

static own own_of(const phxi_wcsph* s, int i, viscous form) {
    own o = {.x = s->position[i], .u = s->velocity[i], .q = s->pressure[i]};
    phxi_wcsph_push_of(s, i, &o.push);
    double volume = (double)o.x[3], mass = (double)o.q[3], inverse_density = (double)o.q[1], length = s->unit;
    double cell = s->mass_unit / (length * length * length);
    o.drag = (phx_real)(0.5 * s->params->alpha * s->sound * s->spacing / length * mass * cell * cell);
    o.friction = (phx_real)(form == ANGULAR ? 20 * volume / length : form == MORRIS ? 4 * volume / length : volume);
    o.mass = (phx_real)(cell * inverse_density);
    if (form == STRESS) {
        o.s1 = s->stress_xx[i];
        o.s2 = s->stress_xz[i];
    }
    return o;
}

PHXI_INLINE void forces_row(phxi_wcsph* s, phxi_wcsph_loop loop, viscous form, int i) {
    const phxi_lists* lists = &s->near->lists;
    own o = own_of(s, i, form);
    sums t[PHXI_PARTS] = {{.nearest = {0}}};
    for (int part = 0; part < PHXI_PARTS; ++part) {
        t[part].nearest += 1;
    }
    int pad[PHXI_GROUP];
    for (int64_t at = lists->start[i], end = lists->start[i + 1]; at < end; at += PHXI_GROUP) {
        const int* item = phxi_group_of(lists->items, at, end, i, pad);
        for (int part = 0; part < PHXI_PARTS; ++part) {
            add_lanes(s, loop, form, i, item + part * PHXI_LANE_COUNT, &o, &t[part]);
        }
    }
    phx_real unit = (phx_real)(s->force_unit / ((double)o.q[3] * s->mass_unit)), hat = (phx_real)s->hat_unit;
    phx_real nearest = 1;
    for (int k = 0; loop.mixed && k < PHXI_GROUP; ++k) {
        phx_real other = t[k / PHXI_LANE_COUNT].nearest[k % PHXI_LANE_COUNT];
        nearest = other < nearest ? other : nearest;
    }
    phxi_r4 force, drift;
    phxi_sum_lanes4(t->a, sizeof(sums) / sizeof(phxi_lanes), &force);
    phxi_sum_lanes4(t->hat, sizeof(sums) / sizeof(phxi_lanes), &drift);
    force *= unit;
    force[3] = nearest;
    s->acceleration[i] = force;
    s->drift[i] = hat * drift;
}

PHXI_INLINE void forces_range(phxi_wcsph* s, phxi_wcsph_loop loop, viscous form, int begin, int end) {
    const phxi_wcsph_loop mixed = {loop.cubic, loop.general, true};
    for (int i = begin; i < end; ++i) {
        if (s->kind[i] == WCSPH_FLUID) {
            s->mixed[i] ? forces_row(s, mixed, form, i) : forces_row(s, loop, form, i);
        }
    }
}

static viscous form_of(const phxi_wcsph* s) {
    if (s->implicit || s->inviscid) {
        return NONE;
    }
    return s->params->form == WCSPH_ANGULAR ? ANGULAR : s->params->form == WCSPH_MORRIS ? MORRIS : STRESS;
}

/// A copy of the loop for each form. Loops that are general are rare and ask at every group instead.
PHXI_INLINE void forces_form(phxi_wcsph* s, phxi_wcsph_loop loop, int begin, int end) {
    viscous form = form_of(s);
    if (loop.general) {
        forces_range(s, loop, form, begin, end);
    } else if (form == NONE) {
        forces_range(s, loop, NONE, begin, end);
    } else if (form == ANGULAR) {
        forces_range(s, loop, ANGULAR, begin, end);
    } else if (form == MORRIS) {
        forces_range(s, loop, MORRIS, begin, end);
    } else {
        forces_range(s, loop, STRESS, begin, end);
    }
}

static PHXI_LOOP_CLONES void wcsph_forces_quintic(phxi_wcsph* s, int begin, int end) {
    forces_form(s, (phxi_wcsph_loop){false, false, false}, begin, end);
}
static PHXI_LOOP_CLONES void wcsph_forces_cubic(phxi_wcsph* s, int begin, int end) {
    forces_form(s, (phxi_wcsph_loop){true, false, false}, begin, end);
}
static PHXI_LOOP_CLONES void wcsph_forces_general_quintic(phxi_wcsph* s, int begin, int end) {
    forces_form(s, (phxi_wcsph_loop){false, true, false}, begin, end);
}
static PHXI_LOOP_CLONES void wcsph_forces_general_cubic(phxi_wcsph* s, int begin, int end) {
    forces_form(s, (phxi_wcsph_loop){true, true, false}, begin, end);
}

void PHXI_LANES_NAME(phxi_wcsph_forces)(phxi_wcsph* s, int begin, int end) {
    bool cubic = s->params->kernel == PHXI_SPH_CUBIC, general = s->periodic || !s->uniform;
    if (general) {
        cubic ? wcsph_forces_general_cubic(s, begin, end) : wcsph_forces_general_quintic(s, begin, end);
    } else {
        cubic ? wcsph_forces_cubic(s, begin, end) : wcsph_forces_quintic(s, begin, end);
    }
}
