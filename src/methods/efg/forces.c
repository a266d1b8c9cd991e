// SPDX-License-Identifier: MIT
// The two pair loops and what lies between them, docs/theory/efg.md (3) to (8).
//
//   pass 1    M = sum_j u_j y^T - u_i (sum y)^T,  s = sum_j w u_j - u_i sum w      rows: (M_c0 M_c1 M_c2 s_c), c = 0..2
//   law       H = M A^+,  F = B + H,  P(F),  Q = V P A^+T - c H
//   pass 2    f_i = sum_j (Q_j | c_j u_j) y4 + [Q_i sum y + c_i s_i - u_i sum_j w c_j]
//
// Both passes have no shuffle but the three broadcasts of pass 1: y4 = {w x, w y, w z, w} meets rows of four numbers
// that are summed across lanes once a particle. All in between is done for eight particles at once, a group, so its
// rows are transposed: two rows side by side in the halves of wide registers, both halves at once. Shapes of memory:
// efg_internal.h.
#include "methods/efg/block_data.h"

#include "materials/elastic_batch.h"
#include "methods/efg/fracture/fracture.h"
#include "methods/efg/plastic.h"

/// Of a phx_real, as one instruction.
#define EFG_SQRT(x)    _Generic((x), float : sqrtf, double : sqrt)(x)
#define SPLAT(a, lane) __builtin_shufflevector(a, a, lane, lane, lane, lane)
/// Four lanes and four lanes: eight.
#define JOIN(low, high) __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7)
/// Four lanes twice. So written compilers load them twice at once; a shuffle would take turns with those of the loops.
#define TWICE(a) ((phxi_r8){(a)[0], (a)[1], (a)[2], (a)[3], (a)[0], (a)[1], (a)[2], (a)[3]})
/// Lanes of a and b by turns: the first two of each half, the last two.
#define UNPACK_LOW(a, b)  __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define UNPACK_HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
/// From lanes of even rows and lanes of odd rows to the order of the rows, and back.
#define BY_TURNS(a) __builtin_shufflevector(a, a, 0, 4, 1, 5, 2, 6, 3, 7)
#define APART(a)    __builtin_shufflevector(a, a, 0, 2, 4, 6, 1, 3, 5, 7)
#define LOW(a)      __builtin_shufflevector(a, a, 0, 1, 2, 3)
#define HIGH(a)     __builtin_shufflevector(a, a, 4, 5, 6, 7)

/// Rows become columns, in both halves.
PHXI_INLINE void transpose4(phxi_r8* a, phxi_r8* b, phxi_r8* c, phxi_r8* d) {
    phxi_r8 ac_low = UNPACK_LOW(*a, *c), ac_high = UNPACK_HIGH(*a, *c);
    phxi_r8 bd_low = UNPACK_LOW(*b, *d), bd_high = UNPACK_HIGH(*b, *d);
    *a = UNPACK_LOW(ac_low, bd_low), *b = UNPACK_HIGH(ac_low, bd_low);
    *c = UNPACK_LOW(ac_high, bd_high), *d = UNPACK_HIGH(ac_high, bd_high);
}

/// Sums of the four lanes of each half of a, b, c, d, in the order of their rows.
PHXI_INLINE void sums4(const phxi_r8* a, const phxi_r8* b, const phxi_r8* c, const phxi_r8* d, phxi_r8* sum) {
    phxi_r8 ab = UNPACK_LOW(*a, *b) + UNPACK_HIGH(*a, *b), cd = UNPACK_LOW(*c, *d) + UNPACK_HIGH(*c, *d);
    phxi_r8 sums = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13) +
                   __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
    *sum = BY_TURNS(sums);
}

/// Lists of two rows that follow each other.
typedef struct row_pair {
    const int *near, *far; // offsets
    int near_count, far_count;
    const phxi_r4 *near_y, *far_y;
    bool twins; // the same gradients
} row_pair;

PHXI_INLINE row_pair pair_at(const phxi_efg* efg, int row) {
    const int *start = efg->start.items + row, *list = efg->list.items + row;
    row_pair p = {.near = efg->offset.items + start[0],
                  .far = efg->offset.items + start[1],
                  .near_count = start[1] - start[0],
                  .far_count = start[2] - start[1],
                  .near_y = efg->gradient.items + list[0],
                  .far_y = efg->gradient.items + list[1]};
    p.twins = list[0] == list[1] && p.near_count == p.far_count;
    return p;
}

#ifdef PHX_DOUBLE

/// One row: sums over its pairs, two at a time.
PHXI_INLINE void row_gradient(const char* base, const int* near, int count, const phxi_r4* y, phxi_r4 out[3]) {
    phxi_r4 a0 = {0}, a1 = {0}, a2 = {0}, b0 = {0}, b1 = {0}, b2 = {0};
    for (int k = 0; k < count; k += 2) {
        phxi_r4 a = *(const phxi_r4*)(base + near[k]), b = *(const phxi_r4*)(base + near[k + 1]);
        a0 += SPLAT(a, 0) * y[k], a1 += SPLAT(a, 1) * y[k], a2 += SPLAT(a, 2) * y[k];
        b0 += SPLAT(b, 0) * y[k + 1], b1 += SPLAT(b, 1) * y[k + 1], b2 += SPLAT(b, 2) * y[k + 1];
    }
    out[0] = a0 + b0, out[1] = a1 + b1, out[2] = a2 + b2;
}

#else

/// s[c] += u_c y^T of two neighbours, one in each half.
PHXI_INLINE void add_pairs(const char* base, int low, int high, const phxi_r8* y, phxi_r8 s[3]) {
    phxi_r4 a = *(const phxi_r4*)(base + low), b = *(const phxi_r4*)(base + high);
    phxi_r8 both = JOIN(a, b);
    s[0] += __builtin_shufflevector(both, both, 0, 0, 0, 0, 4, 4, 4, 4) * *y;
    s[1] += __builtin_shufflevector(both, both, 1, 1, 1, 1, 5, 5, 5, 5) * *y;
    s[2] += __builtin_shufflevector(both, both, 2, 2, 2, 2, 6, 6, 6, 6) * *y;
}

/// One row: two pairs at once.
PHXI_INLINE void row_gradient(const char* base, const int* near, int count, const phxi_r4* y, phxi_r4 out[3]) {
    phxi_r8 s[3] = {0};
    for (int k = 0; k < count; k += 2) {
        add_pairs(base, near[k], near[k + 1], (const phxi_r8*)(y + k), s);
    }
    for (int c = 0; c < 3; ++c) {
        out[c] = LOW(s[c]) + HIGH(s[c]);
    }
}

/// Two rows with the same gradients: a pair of each at once, nothing to add up in the end.
PHXI_INLINE void twin_gradients(const char* base, const row_pair* p, phxi_r8 out[3]) {
    phxi_r8 s[3] = {0}, t[3] = {0};
    const phxi_r4* y = p->near_y;
    for (int k = 0; k < p->near_count; k += 2) {
        phxi_r8 y1 = TWICE(y[k]), y2 = TWICE(y[k + 1]);
        add_pairs(base, p->near[k], p->far[k], &y1, s);
        add_pairs(base, p->near[k + 1], p->far[k + 1], &y2, t);
    }
    for (int c = 0; c < 3; ++c) {
        out[c] = s[c] + t[c];
    }
}

#endif

/// Pass 1 of whole groups from row `first` on: sums over pairs.
static PHXI_CLONES void efg_pass1(const phxi_efg* efg, int first, int groups, phxi_r8 (*out)[3]) {
    const char* base = (const char*)efg->u.items;
    for (int row = first; row < first + groups * EFG_LANES; row += 2, ++out) {
        row_pair p = pair_at(efg, row);
#ifndef PHX_DOUBLE
        if (p.twins) {
            twin_gradients(base, &p, *out);
            continue;
        }
#endif
        phxi_r4 low[3], high[3];
        row_gradient(base, p.near, p.near_count, p.near_y, low);
        row_gradient(base, p.far, p.far_count, p.far_y, high);
        for (int c = 0; c < 3; ++c) {
            (*out)[c] = JOIN(low[c], high[c]);
        }
    }
}

PHXI_INLINE phxi_r8* lanes_at(phx_real* row, int group) {
    return (phxi_r8*)(void*)(row + group * EFG_LANES);
}

/// out = m a, or m a^T; all by rows.
PHXI_INLINE void times(const phxi_r8 m[9], const phxi_r8 a[9], bool transposed, phxi_r8 out[9]) {
    int across = transposed ? 1 : 3, along = transposed ? 3 : 1;
    for (int c = 0; c < 3; ++c) {
        for (int b = 0; b < 3; ++b) {
            out[3 * c + b] = m[3 * c] * a[along * b] + m[3 * c + 1] * a[along * b + across] +
                             m[3 * c + 2] * a[along * b + 2 * across];
        }
    }
}

/// H = M A^+ and G = B - I + H of whole groups; true if a G may be beyond all bounds or not a number.
static PHXI_CLONES bool efg_gradients(block_data* d, int groups, const phxi_efg_group* constants,
                                      const phxi_efg_lane* lanes, const phx_real stretch[9]) {
    phxi_r8 squares = {0};
    for (int q = 0; q < groups; ++q) {
        const phxi_efg_group* k = &constants[q];
        phxi_r8 m[9], h[9];
        for (int c = 0; c < 3; ++c) {
            phxi_r8 t[4];
            for (int i = 0; i < 4; ++i) {
                t[i] = d->pass1[4 * q + i][c];
            }
            transpose4(&t[0], &t[1], &t[2], &t[3]);
            phxi_r8 u = lanes[q].u[c];
            for (int b = 0; b < 3; ++b) {
                m[3 * c + b] = BY_TURNS(t[b]) - u * k->sum_y[b];
            }
            *lanes_at(d->s[c], q) = BY_TURNS(t[3]) - u * k->sum_w;
        }
        times(m, k->inverse, false, h);
        for (int b = 0; b < 9; ++b) {
            *lanes_at(d->h[b], q) = h[b];
            phxi_r8 g = h[b] + stretch[b];
            *lanes_at(d->g[b], q) = g;
            squares += g * g;
        }
    }
    bool wild = false;
    for (int lane = 0; lane < EFG_LANES; ++lane) {
        wild = wild || !(squares[lane] < (phx_real)(EFG_WILD * EFG_WILD));
    }
    return wild;
}

static PHXI_CLONES void efg_volume_term(block_data* d, int groups, phx_real k_v) {
    for (int q = 0; q < groups; ++q) {
        phxi_r8 g[9], cof[9];
        for (int b = 0; b < 9; ++b) {
            g[b] = *lanes_at(d->g[b], q);
        }
        // det(I + G) - 1 without the one: trace, second invariant, determinant of G
        phxi_r8 minor = g[4] * g[8] - g[5] * g[7];
        phxi_r8 det = g[0] * minor - g[1] * (g[3] * g[8] - g[5] * g[6]) + g[2] * (g[3] * g[7] - g[4] * g[6]);
        phxi_r8 second = g[0] * g[4] - g[1] * g[3] + g[0] * g[8] - g[2] * g[6] + minor;
        phxi_r8 pressure = k_v * (g[0] + g[4] + g[8] + second + det);
        g[0] += 1, g[4] += 1, g[8] += 1;
        for (int a = 0; a < 3; ++a) {
            int a1 = 3 * ((a + 1) % 3), a2 = 3 * ((a + 2) % 3);
            for (int b = 0; b < 3; ++b) {
                int b1 = (b + 1) % 3, b2 = (b + 2) % 3;
                cof[3 * a + b] = g[a1 + b1] * g[a2 + b2] - g[a1 + b2] * g[a2 + b1];
            }
        }
        for (int b = 0; b < 9; ++b) {
            *lanes_at(d->p[b], q) += pressure * cof[b];
        }
    }
}

void phxi_efg_volume_term(block_data* d, int groups, double k_v) {
    efg_volume_term(d, groups, (phx_real)k_v);
}

/// P = (lambda + k_v) tr(H) I + mu (H + H^T): every law at rest.
static PHXI_CLONES void efg_linear_law(block_data* d, int groups, phx_real mu, phx_real lambda) {
    for (int q = 0; q < groups; ++q) {
        phxi_r8 pressure = lambda * (*lanes_at(d->h[0], q) + *lanes_at(d->h[4], q) + *lanes_at(d->h[8], q));
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                phxi_r8 shear = mu * (*lanes_at(d->h[3 * a + b], q) + *lanes_at(d->h[3 * b + a], q));
                *lanes_at(d->p[3 * a + b], q) = a == b ? shear + pressure : shear;
            }
        }
    }
}

/// Q = V P A^+T - c H, the rows (Q | c u) that neighbours gather, and the own part of the force.
static PHXI_CLONES void efg_stress_rows(block_data* d, int groups, const phxi_efg_group* constants,
                                        phxi_efg_lane* lanes, phxi_efg_row* rows) {
    for (int q = 0; q < groups; ++q) {
        const phxi_efg_group* k = &constants[q];
        phxi_r8 p[9], m[9];
        for (int b = 0; b < 9; ++b) {
            p[b] = *lanes_at(d->p[b], q) * k->volume;
        }
        times(p, k->inverse, true, m);
        for (int b = 0; b < 9; ++b) {
            m[b] -= k->stiffness * *lanes_at(d->h[b], q);
        }
        for (int c = 0; c < 3; ++c) {
            phxi_r8 u = lanes[q].u[c], cu = k->stiffness * u;
            lanes[q].own[c] = m[3 * c] * k->sum_y[0] + m[3 * c + 1] * k->sum_y[1] + m[3 * c + 2] * k->sum_y[2] +
                              k->stiffness * *lanes_at(d->s[c], q) - u * k->sum_cw;
            phxi_r8 t[4] = {APART(m[3 * c]), APART(m[3 * c + 1]), APART(m[3 * c + 2]), APART(cu)};
            transpose4(&t[0], &t[1], &t[2], &t[3]);
            for (int i = 0; i < 4; ++i) {
                rows[q * EFG_LANES + 2 * i].part[c] = LOW(t[i]);
                rows[q * EFG_LANES + 2 * i + 1].part[c] = HIGH(t[i]);
            }
        }
    }
}

/// H of a lane; with the frame's stretch F.
static phxi_mat3 lane_of(const block_data* d, int i, const phxi_mat3* stretch) {
    phxi_mat3 f;
    for (int b = 0; b < 9; ++b) {
        f.m[b / 3][b % 3] = (double)d->h[b][i] + (stretch ? stretch->m[b / 3][b % 3] : 0);
    }
    return f;
}

/// Stresses of rows whose neighbours do not span space, in place of what the law of solids has made of them.
static void thin_stresses(const phxi_efg* efg, const phxi_efg_block* block, const phxi_efg_law* law, bool linear,
                          block_data* d) {
    const phxi_efg_slot* slot = &efg->slots.items[block->slot];
    for (int k = block->flat_begin; k < block->flat_end; ++k) {
        const phxi_efg_flat* flat = &efg->flats.items[k];
        int i = flat->row - block->row;
        double thermal = linear ? 0 : phxi_efg_thermal_at(efg->particles, slot, flat->row - slot->row);
        phxi_mat3 f = lane_of(d, i, linear ? NULL : &slot->frame.stretch);
        f = phxi_thermal_part(thermal, &f);
        phxi_mat3 p = linear                    ? phxi_efg_thin_linear(flat, law, &f)
                      : slot->plastic.yield > 0 ? phxi_efg_plastic_thin_stress(efg, slot, flat, law, &f)
                                                : phxi_efg_thin_stress(flat, law, &f, NULL);
        p = phxi_thermal_times(thermal, 2, &p);
        for (int b = 0; b < 9; ++b) {
            d->p[b][i] = (phx_real)p.m[b / 3][b % 3];
        }
    }
}

/// F - I of such rows.
static void thin_gradients(const phxi_efg* efg, const phxi_efg_block* block, const phxi_efg_law* law, block_data* d) {
    const phxi_efg_slot* slot = &efg->slots.items[block->slot];
    for (int k = block->flat_begin; k < block->flat_end; ++k) {
        const phxi_efg_flat* flat = &efg->flats.items[k];
        int i = flat->row - block->row;
        double thermal = phxi_efg_thermal_at(efg->particles, slot, flat->row - slot->row);
        phxi_mat3 f = lane_of(d, i, &slot->frame.stretch);
        f = phxi_thermal_part(thermal, &f);
        f = slot->plastic.yield > 0 ? phxi_efg_plastic_thin_gradient(efg, slot, flat, law, &f)
                                    : phxi_efg_thin_gradient(flat, law, &f);
        f = phxi_thermal_times(thermal, 1, &f);
        for (int b = 0; b < 9; ++b) {
            d->g[b][i] = (phx_real)(f.m[b / 3][b % 3] - (b % 4 == 0 ? 1 : 0));
        }
    }
}

/// Marks lanes whose Cauchy stress P F^T / det F is above `limit` in the norm of its components, which is never less
/// than its largest principal value.
static PHXI_CLONES void efg_alarms(const block_data* d, int count, phx_real limit, uint8_t* restrict alarm) {
    PHXI_SIMD
    for (int i = 0; i < count; ++i) {
        phx_real f[9], square = 0;
        for (int b = 0; b < 9; ++b) {
            f[b] = d->g[b][i] + (b % 4 == 0 ? 1 : 0);
        }
        for (int b = 0; b < 9; ++b) {
            const int row = b / 3, column = b % 3;
            phx_real t = d->p[3 * row][i] * f[3 * column] + d->p[3 * row + 1][i] * f[3 * column + 1] +
                         d->p[3 * row + 2][i] * f[3 * column + 2];
            square += t * t;
        }
        phx_real det = f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) +
                       f[2] * (f[3] * f[7] - f[4] * f[6]);
        alarm[i] = square > limit * limit * det * det;
    }
}

bool phxi_efg_find_gradients(const phxi_efg* efg, const phxi_efg_block* block, int groups, block_data* d) {
    const phxi_efg_slot* slot = &efg->slots.items[block->slot];
    phx_real stretch[9];
    for (int b = 0; b < 9; ++b) {
        stretch[b] = (phx_real)(slot->frame.stretch.m[b / 3][b % 3] - (b % 4 == 0 ? 1 : 0));
    }
    efg_pass1(efg, block->row, groups, d->pass1);
    return !efg_gradients(d, groups, efg->groups.items + block->row / EFG_LANES,
                          efg->lanes.items + block->row / EFG_LANES, stretch);
}

void phxi_efg_fill_stress(phxi_efg* efg, const phxi_efg_block* block, int groups, block_data* d) {
    efg_stress_rows(d, groups, efg->groups.items + block->row / EFG_LANES, efg->lanes.items + block->row / EFG_LANES,
                    efg->rows.items + block->row);
}

bool phxi_efg_stress(phxi_efg* efg, const phxi_elastic* elastic, bool linear, const phxi_efg_block* block) {
    const phxi_efg_slot* slot = &efg->slots.items[block->slot];
    int groups = (block->count + EFG_LANES - 1) / EFG_LANES, rows = groups * EFG_LANES;
    block_data d;
    phxi_efg_law law = {elastic, slot->params.volume_stiffness};
    const phx_real* thermal = linear ? NULL : phxi_efg_thermal(efg->particles, slot, block->row - slot->row);
    bool tame = phxi_efg_find_gradients(efg, block, groups, &d);
    if (linear) {
        efg_linear_law(&d, groups, (phx_real)elastic->mu, (phx_real)(elastic->lambda + slot->params.volume_stiffness));
    } else {
        if (slot->turns) {
            thin_gradients(efg, block, &law, &d);
            phxi_efg_freeze(efg, block, groups, &d);
        }
        phxi_efg_flow flow;
        if (slot->plastic.yield > 0) {
            thin_gradients(efg, block, &law, &d);
        }
        phxi_thermal_take(thermal, block->count, EFG_BLOCK, d.g[0]);
        if (slot->plastic.yield > 0) {
            efg->sums.items[block - efg->blocks.items].flow =
                phxi_efg_plastic_begin(efg, block, efg->flow_dt, d.g, &flow);
        }
        phxi_elastic_batch(elastic, rows, EFG_BLOCK, d.g[0], d.p[0], NULL);
        if (slot->params.volume_stiffness > 0) {
            phxi_efg_volume_term(&d, groups, slot->params.volume_stiffness);
        }
        if (slot->plastic.yield > 0) {
            phxi_efg_plastic_end(&flow, rows, d.p);
        }
    }
    if (slot->fracture && !linear) {
        efg_alarms(&d, block->count, (phx_real)slot->fracture->alarm_stress,
                   slot->fracture->alarm + block->row - slot->row);
    }
    phxi_thermal_stress(thermal, block->count, EFG_BLOCK, d.p[0]);
    thin_stresses(efg, block, &law, linear, &d);
    phxi_efg_fill_stress(efg, block, groups, &d);
    return tame;
}

/// Bounds of the eigenvalues of E = F^T F - I, lane by lane: with mean m and deviator of size r they are
/// m + 2 r cos(angle + 2 pi k / 3), cos(3 angle) = t = det / (2 r^3). The largest cosine c is a root of 4 c^3 - 3 c =
/// t, that is (c + 1) (2 c - 1)^2 = 1 + t, which c <- (1 + sqrt((1 + t) / (c + 1))) / 2 solves from both sides in
/// turns, eight times nearer each time and without trouble at the double root. The smallest one is that of -E.
/// They lie within m +- 2 r: groups that cannot widen the bounds need no roots.
static PHXI_CLONES void efg_stretch_bounds(const block_data* d, int groups, phx_real* least, phx_real* most) {
    for (int q = 0; q < groups; ++q) {
        phx_real mean[EFG_LANES], size[EFG_LANES], turn[EFG_LANES], low[EFG_LANES], high[EFG_LANES];
#pragma omp simd
        for (int lane = 0; lane < EFG_LANES; ++lane) {
            int i = q * EFG_LANES + lane;
            phx_real a = d->g[0][i], b = d->g[1][i], c = d->g[2][i], e = d->g[3][i], f = d->g[4][i], g = d->g[5][i],
                     h = d->g[6][i], k = d->g[7][i], l = d->g[8][i];
            phx_real xx = 2 * a + a * a + e * e + h * h, yy = 2 * f + b * b + f * f + k * k,
                     zz = 2 * l + c * c + g * g + l * l;
            phx_real xy = b + e + a * b + e * f + h * k, xz = c + h + a * c + e * g + h * l,
                     yz = g + k + b * c + f * g + k * l;
            phx_real m = (xx + yy + zz) / 3;
            xx -= m, yy -= m, zz -= m;
            phx_real square = (xx * xx + yy * yy + zz * zz + 2 * (xy * xy + xz * xz + yz * yz)) / 6 + (phx_real)1e-30;
            phx_real r = EFG_SQRT(square);
            phx_real det = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
            phx_real t = det / (2 * square * r);
            mean[lane] = m, size[lane] = r, turn[lane] = t < -1 ? -1 : t > 1 ? 1 : t;
        }
        bool within = true;
        for (int lane = 0; lane < EFG_LANES; ++lane) {
            within &= mean[lane] - 2 * size[lane] >= *least && mean[lane] + 2 * size[lane] <= *most;
        }
        if (within) {
            continue;
        }
#pragma omp simd
        for (int lane = 0; lane < EFG_LANES; ++lane) {
            phx_real up = 1, down = 1;
            for (int n = 0; n < 8; ++n) {
                up = (1 + EFG_SQRT((1 + turn[lane]) / (up + 1))) / 2;
                down = (1 + EFG_SQRT((1 - turn[lane]) / (down + 1))) / 2;
            }
            low[lane] = mean[lane] - 2 * size[lane] * down;
            high[lane] = mean[lane] + 2 * size[lane] * up;
        }
        for (int lane = 0; lane < EFG_LANES; ++lane) {
            *least = low[lane] < *least ? low[lane] : *least;
            *most = high[lane] > *most ? high[lane] : *most;
        }
    }
}

void phxi_efg_stretch_range(const block_data* d, int groups, double* least, double* most) {
    phx_real low = 0, high = 0;
    efg_stretch_bounds(d, groups, &low, &high);
    *least = sqrt(fmax(0, 1 + (double)low));
    *most = sqrt(1 + (double)high);
}

double phxi_efg_stretches(const phxi_efg* efg, const phxi_elastic* elastic, const phxi_efg_block* block, double* least,
                          double* most) {
    phxi_efg_law law = {elastic, efg->slots.items[block->slot].params.volume_stiffness};
    int groups = (block->count + EFG_LANES - 1) / EFG_LANES;
    block_data d;
    phxi_efg_find_gradients(efg, block, groups, &d);
    thin_gradients(efg, block, &law, &d);
    double stiffer = 1;
    const phxi_efg_slot* slot = &efg->slots.items[block->slot];
    phxi_thermal_take(phxi_efg_thermal(efg->particles, slot, block->row - slot->row), block->count, EFG_BLOCK, d.g[0]);
    if (slot->plastic.yield > 0) {
        phxi_efg_flow flow;
        phxi_efg_plastic_begin(efg, block, 0, d.g, &flow);
        stiffer += flow.stiffer;
    }
    for (int i = block->count; i < groups * EFG_LANES; ++i) { // padding follows the frame, which pieces pull apart
        for (int b = 0; b < 9; ++b) {
            d.g[b][i] = 0;
        }
    }
    phxi_efg_stretch_range(&d, groups, least, most);
    return stiffer;
}

/// The stress row of a neighbour.
#define ROW(base, near) ((const phxi_efg_row*)((base) + 4 * (int64_t)(near)))

#ifdef PHX_DOUBLE

/// One row.
PHXI_INLINE void sum_row(const char* base, const int* near, int count, const phxi_r4* y, phxi_r4 out[3]) {
    phxi_r4 s0 = {0}, s1 = {0}, s2 = {0};
    for (int k = 0; k < count; ++k) {
        const phxi_efg_row* a = ROW(base, near[k]);
        s0 += a->part[0] * y[k], s1 += a->part[1] * y[k], s2 += a->part[2] * y[k];
    }
    out[0] = s0, out[1] = s1, out[2] = s2;
}

#else

/// One row: parts 0 and 1 of a neighbour at once, parts 2 of two neighbours at once.
PHXI_INLINE void sum_row(const char* base, const int* near, int count, const phxi_r4* y, phxi_r4 out[3]) {
    phxi_r8 a01 = {0}, b01 = {0}, s2 = {0};
    for (int k = 0; k < count; k += 2) {
        const phxi_efg_row *a = ROW(base, near[k]), *b = ROW(base, near[k + 1]);
        a01 += *(const phxi_r8*)a->part * TWICE(y[k]);
        b01 += *(const phxi_r8*)b->part * TWICE(y[k + 1]);
        s2 += JOIN(a->part[2], b->part[2]) * *(const phxi_r8*)(y + k);
    }
    a01 += b01;
    out[0] = LOW(a01), out[1] = HIGH(a01), out[2] = LOW(s2) + HIGH(s2);
}

/// Two rows with the same gradients: half as many to load.
PHXI_INLINE void sum_twins(const char* base, const row_pair* p, phxi_r8 out[3]) {
    phxi_r8 a01 = {0}, b01 = {0}, s2 = {0}, c01 = {0}, d01 = {0}, t2 = {0};
    const phxi_r4* y = p->near_y;
    for (int k = 0; k < p->near_count; k += 2) {
        const phxi_efg_row *a = ROW(base, p->near[k]), *b = ROW(base, p->far[k]);
        const phxi_efg_row *c = ROW(base, p->near[k + 1]), *d = ROW(base, p->far[k + 1]);
        phxi_r8 y1 = TWICE(y[k]), y2 = TWICE(y[k + 1]);
        a01 += *(const phxi_r8*)a->part * y1;
        b01 += *(const phxi_r8*)b->part * y1;
        s2 += JOIN(a->part[2], b->part[2]) * y1;
        c01 += *(const phxi_r8*)c->part * y2;
        d01 += *(const phxi_r8*)d->part * y2;
        t2 += JOIN(c->part[2], d->part[2]) * y2;
    }
    a01 += c01, b01 += d01;
    out[0] = JOIN(LOW(a01), LOW(b01)), out[1] = JOIN(HIGH(a01), HIGH(b01)), out[2] = s2 + t2;
}

#endif

/// Pass 2 of whole groups: sums over pairs of row times gradient, not yet summed across lanes.
static PHXI_CLONES void efg_pass2(const phxi_efg* efg, int first, int groups, phxi_r8 (*out)[3]) {
    const char* base = (const char*)efg->rows.items;
    for (int row = first; row < first + groups * EFG_LANES; row += 2, ++out) {
        row_pair p = pair_at(efg, row);
#ifndef PHX_DOUBLE
        if (p.twins) {
            sum_twins(base, &p, *out);
            continue;
        }
#endif
        phxi_r4 low[3], high[3];
        sum_row(base, p.near, p.near_count, p.near_y, low);
        sum_row(base, p.far, p.far_count, p.far_y, high);
        for (int c = 0; c < 3; ++c) {
            (*out)[c] = JOIN(low[c], high[c]);
        }
    }
}

static PHXI_CLONES void efg_force_sums(phxi_r8 (*rows)[3], int groups, const phxi_efg_lane* lanes,
                                       phx_real force[3][EFG_BLOCK]) {
    for (int q = 0; q < groups; ++q, rows += 4) {
        for (int c = 0; c < 3; ++c) {
            phxi_r8 sum;
            sums4(&rows[0][c], &rows[1][c], &rows[2][c], &rows[3][c], &sum);
            *lanes_at(force[c], q) = sum + lanes[q].own[c];
        }
    }
}

void phxi_efg_force(const phxi_efg* efg, const phxi_efg_block* block, phx_real force[3][EFG_BLOCK]) {
    int groups = (block->count + EFG_LANES - 1) / EFG_LANES;
    phxi_r8 rows[EFG_BLOCK / 2][3];
    efg_pass2(efg, block->row, groups, rows);
    efg_force_sums(rows, groups, efg->lanes.items + block->row / EFG_LANES, force);
}
