// SPDX-License-Identifier: MIT
// Second loop over pairs (docs/theory/granular.md (5) to (8)). With T = V tau K^-1, omega^ = omega (1/s_i + 1/s_j)/2
// and means over the two of what the material gives,
//   f_i = sum omega (T_i + T_j) X                                         the stress
//       + sum omega^ alpha rho c_v (V/dx) u                               residual viscosity, u = v_j - v_i -
//       (G_i+G_j)/2 X
//       + sum omega^ chi 12 mu V z / r^2                                  residual stiffness
//       + sum omega^ a_q rho c_0 (V/dx) (v.X) X / r^2, where v.X < 0      squeeze, v = v_j - v_i
//   z' = z + dt (u + w x z), w the mean spin, |z| <= r z_lim (A + 3 B p)/(2 mu)
// Where weights are frozen omega is that of the bond, and then omega' = w(r) + k_i k_j (omega - w(r)), k =
// exp(-gamma/(2 gamma_ref)) of the plastic shear gamma of this substep; 0 where nothing is frozen. All that is summed
// over a pair is antisymmetric to the last bit: momentum is exact but for the order of sums.
#include "methods/granular/pairs.h"

#include <string.h>

#define NEAREST PHXI_R(0.03) // supports^2, 0.35 spacings: as near as that bonds are as stiff as they get

/// Rows of bonds stand by grain, not by place: memory is told early.
PHXI_INLINE void fetch_bonds(const phxi_granular* s, int i, int end) {
    enum { AHEAD = 3, LINE = 64 };
    if (i + AHEAD < end && s->ordinal[i + AHEAD] >= 0) {
        size_t row = (size_t)s->ordinal[i + AHEAD] * (size_t)s->bonds.stride;
        size_t used = 32 * sizeof(phx_real), stride = (size_t)s->bonds.stride * sizeof(phx_real);
        const char *key = (const char*)(s->bonds.key + row),
                   *z = (const char*)phxi_granular_bonds_of(&s->bonds, s->ordinal[i + AHEAD]);
        for (size_t at = 0; at < 32 * sizeof *s->bonds.key; at += LINE) {
            __builtin_prefetch(key + at);
        }
        for (size_t at = 0; at < used; at += LINE) {
            __builtin_prefetch(z + at, 1);
            __builtin_prefetch(z + stride + at, 1);
            __builtin_prefetch(z + 2 * stride + at, 1);
        }
    }
}

/// Constant switches of the loop.
typedef struct loop_kind {
    bool general, memory, squeeze, frozen;
} loop_kind;

/// u + w x z of a step, in L; then no longer than the cone allows.
PHXI_INLINE void remember(const phxi_granular* s, const phxi_lanes u[3], const phxi_lanes g[9], const phxi_lanes* fade,
                          const phxi_lanes* most, const phxi_granular_pair* pair, phxi_lanes z[3]) {
    const phx_real h = (phx_real)(s->last_dt * s->scale), half = (phx_real)0.5;
    phxi_lanes wx = half * (g[7] - g[5]), wy = half * (g[2] - g[6]), wz = half * (g[3] - g[1]);
    phxi_lanes turned[3] = {wy * z[2] - wz * z[1], wz * z[0] - wx * z[2], wx * z[1] - wy * z[0]};
    for (int a = 0; a < 3; ++a) {
        z[a] = *fade * z[a] + h * (u[a] + turned[a]);
    }
    phxi_lanes square = z[0] * z[0] + z[1] * z[1] + z[2] * z[2], bound = *most * *most * pair->square;
    phxi_lane_mask over = (phxi_lane_mask)(square > bound);
    phxi_lanes one = (phxi_lanes){0} + 1, by, ratio, less;
    phxi_lanes_select(&over, &square, &one, &by);
    ratio = bound / by;
    phxi_lanes_sqrt(&ratio, &less);
    phxi_lanes_select(&over, &less, &one, &less);
    phxi_lane_mask real = (phxi_lane_mask)(pair->weight > 0);
    for (int a = 0; a < 3; ++a) {
        z[a] *= less;
        phxi_lanes_keep(&real, &z[a]);
    }
}

PHXI_INLINE void add_lanes(const phxi_granular* s, loop_kind kind, int i, const int* item, phx_real* const at[4],
                           phxi_lanes f[4]) {
    const phxi_granular_row* own = &s->rows[i];
    const phxi_r4* all = s->rows->r;
    int row[PHXI_LANE_COUNT];
    for (int k = 0; k < PHXI_LANE_COUNT; ++k) {
        row[k] = GRANULAR_ROWS * item[k];
    }
    phxi_lanes x[4], v[4], g[9], t[4], extra[3];
    phxi_granular_pair pair;
    phxi_lanes_gather(all + GRANULAR_ROW_X, row, x);
    phxi_granular_measure_pair(s, kind.general, i, item, &own->r[GRANULAR_ROW_X], (const phxi_lanes*)x, &pair);
    phxi_lanes kept = {0}, now = pair.weight;
    if (kind.frozen) {
        memcpy(&kept, at[3], sizeof kept);
        pair.weight = kept;
    }
    phxi_lanes_gather(all + GRANULAR_ROW_V, row, v);
    phxi_lanes share = pair.weight * (own->r[GRANULAR_ROW_V][3] + v[3]), u[3], force[3], fade = {0};
    for (int a = 0; a < 3; ++a) {
        phxi_lanes_gather(all + GRANULAR_ROW_G + a, row, t);
        for (int b = 0; b < 3; ++b) {
            g[3 * a + b] = own->r[GRANULAR_ROW_G + a][b] + t[b];
        }
        extra[a] = own->r[GRANULAR_ROW_G + a][3] + t[3];
        v[a] -= own->r[GRANULAR_ROW_V][a];
        u[a] = v[a] - (g[3 * a] * pair.x[0] + g[3 * a + 1] * pair.x[1] + g[3 * a + 2] * pair.x[2]);
    }
    for (int a = 0; a < 3; ++a) {
        phxi_lanes_gather(all + GRANULAR_ROW_T + a, row, t);
        for (int b = 0; b < 3; ++b) {
            t[b] += own->r[GRANULAR_ROW_T + a][b];
        }
        force[a] = t[0] * pair.x[0] + t[1] * pair.x[1] + t[2] * pair.x[2];
        if (a == 0) { // strangers weigh nothing
            pair.weight *= t[3];
            share *= t[3];
        } else if (a == 1) {
            fade = (phx_real)0.5 * (own->r[GRANULAR_ROW_T + 1][3] + t[3]);
        } else if (kind.frozen) { // weights follow as far as the two have sheared
            kept = now + own->r[GRANULAR_ROW_T + 2][3] * t[3] * (kept - now);
            memcpy(at[3], &kept, sizeof kept);
        }
    }
    phxi_lanes drag = share * extra[1];
    for (int a = 0; a < 3; ++a) {
        f[a] += pair.weight * force[a] + drag * u[a];
    }
    if (kind.memory || kind.squeeze) {
        phxi_lanes least = NEAREST / pair.per, by; // grains that coincide are not infinitely stiff
        phxi_lane_mask apart = (phxi_lane_mask)(pair.square > least);
        phxi_lanes_select(&apart, &pair.square, &least, &by);
        share /= by;
    }
    if (kind.memory) {
        phxi_lanes z[3], most = (phx_real)0.5 * (own->r[GRANULAR_ROW_X][3] + x[3]);
        for (int a = 0; a < 3; ++a) {
            memcpy(&z[a], at[a], sizeof z[a]);
            z[a] *= (phx_real)s->scale;
        }
        remember(s, u, g, &fade, &most, &pair, z);
        phxi_lanes pull = share * extra[0];
        for (int a = 0; a < 3; ++a) {
            f[a] += pull * z[a];
            z[a] *= (phx_real)s->unit;
            if (!s->implicit.trial) {
                memcpy(at[a], &z[a], sizeof z[a]);
            }
        }
    }
    if (kind.squeeze) {
        phxi_lanes away = -(v[0] * pair.x[0] + v[1] * pair.x[1] + v[2] * pair.x[2]);
        phxi_lanes_positive(&away);
        phxi_lanes push = share * extra[2] * away;
        for (int a = 0; a < 3; ++a) {
            f[a] -= push * pair.x[a];
        }
    }
}

PHXI_INLINE void forces_range(phxi_granular* s, loop_kind kind, int begin, int end) {
    const phxi_lists* lists = &s->near->lists;
    const phxi_granular_bonds* bonds = &s->bonds;
    typedef struct sums {
        phxi_lanes f[4];
    } sums;
    for (int i = begin; i < end; ++i) {
        if (s->ordinal[i] < 0) {
            continue;
        }
        int64_t first = lists->start[i], last = lists->start[i + 1];
        phx_real* z = NULL;
        if (kind.memory) {
            fetch_bonds(s, i, end);
            z = phxi_granular_bonds_of(bonds, s->ordinal[i]);
            phxi_granular_match(s, s->ordinal[i], lists->items + first, (int)(last - first));
        }
        sums t[PHXI_PARTS] = {{{{0}}}};
        int pad[PHXI_GROUP];
        for (int64_t at = first; at < last; at += PHXI_GROUP) {
            const int* item = phxi_group_of(lists->items, at, last, i, pad);
            for (int part = 0; part < PHXI_PARTS; ++part) {
                phx_real* own = kind.memory ? z + (at - first) + part * PHXI_LANE_COUNT : NULL;
                phx_real* const planes[4] = {own, kind.memory ? own + bonds->stride : NULL,
                                             kind.memory ? own + 2 * bonds->stride : NULL,
                                             kind.frozen ? own + 3 * bonds->stride : NULL};
                add_lanes(s, kind, i, item + part * PHXI_LANE_COUNT, planes, t[part].f);
            }
        }
        phxi_sum_lanes4(t->f, sizeof(sums) / sizeof(phxi_lanes), &s->a[i]);
    }
}

static PHXI_LOOP_CLONES void granular_forces_sand(phxi_granular* s, int begin, int end) {
    forces_range(s, (loop_kind){false, true, false, false}, begin, end);
}
static PHXI_LOOP_CLONES void granular_forces_slime(phxi_granular* s, int begin, int end) {
    forces_range(s, (loop_kind){false, true, true, false}, begin, end);
}
static PHXI_LOOP_CLONES void granular_forces_forgetful(phxi_granular* s, int begin, int end) {
    forces_range(s, (loop_kind){false, false, true, false}, begin, end);
}
static PHXI_LOOP_CLONES void granular_forces_general(phxi_granular* s, int begin, int end) {
    forces_range(s, (loop_kind){true, true, true, false}, begin, end);
}
static PHXI_LOOP_CLONES void granular_forces_general_forgetful(phxi_granular* s, int begin, int end) {
    forces_range(s, (loop_kind){true, false, true, false}, begin, end);
}
static PHXI_LOOP_CLONES void granular_forces_frozen(phxi_granular* s, int begin, int end) {
    forces_range(s, (loop_kind){true, true, true, true}, begin, end);
}

void PHXI_LANES_NAME(phxi_granular_forces)(phxi_granular* s, int begin, int end) {
    if (s->frozen) {
        granular_forces_frozen(s, begin, end);
    } else if (s->general) {
        s->memory ? granular_forces_general(s, begin, end) : granular_forces_general_forgetful(s, begin, end);
    } else if (!s->memory) {
        granular_forces_forgetful(s, begin, end);
    } else {
        s->squeezes ? granular_forces_slime(s, begin, end) : granular_forces_sand(s, begin, end);
    }
}
