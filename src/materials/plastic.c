// SPDX-License-Identifier: MIT
// See plastic.h. The law is written twice: for one particle in double, plainly, and for a block of lanes. The tests
// hold them against each other.
//
// Flat states have no T^-1 at k = 0: a little roundness (ROUND) is added to I + 2 E_e before the step, which takes a
// thousandth from the flow of ordinary ones. They get it in the next step.
#include "materials/plastic.h"

#include "materials/strain_wide.h"
#include "math/decompose3.h"

#define ROUND       1e-3               // of a third of the trace
#define FLATTEST    1e-6               // elastic stretch that flat and inverted states count with
#define LEAST_PIVOT 1e-12              // of the Cholesky factors, squared
#define EQUIVALENT  0.8164965809277260 // sqrt(2/3): uniaxial flow counts with its axial strain

phxi_plastic phxi_plastic_from(const phx_material_def* def) {
    return (phxi_plastic){.yield = def->yield,
                          .hardening = def->hardening,
                          .creep = def->creep,
                          .limit = def->plastic_limit,
                          .volumetric = def->volumetric,
                          .hencky = def->plasticity == PHX_PLASTICITY_HENCKY,
                          .rate = def->flow_rate};
}

/// The most of the deviator that may flow in dt.
static double creep_share(const phxi_plastic* plastic, double dt) {
    return plastic->creep > 0 ? -expm1(-plastic->creep * dt) : 1;
}

double phxi_plastic_share(const phxi_plastic* plastic, double norm, double amount, double dt) {
    double yield = plastic->yield + plastic->hardening * amount;
    if (!(norm > yield) || !(plastic->yield > 0) || !isfinite(norm)) {
        return 0;
    }
    return fmin((1 - yield / norm) / (1 + EQUIVALENT * plastic->hardening), creep_share(plastic, dt));
}

double phxi_plastic_amount(double flow) {
    return EQUIVALENT * flow;
}

// ------------------------------------------------------------------------------------------------------- one particle

/// L of C = I + 2 eps.
static phxi_mat3 factor(const phxi_sym3* e) {
    phxi_mat3 l = {0};
    l.m[0][0] = sqrt(fmax(1 + 2 * e->xx, LEAST_PIVOT));
    l.m[1][0] = 2 * e->xy / l.m[0][0];
    l.m[2][0] = 2 * e->xz / l.m[0][0];
    l.m[1][1] = sqrt(fmax(1 + 2 * e->yy - l.m[1][0] * l.m[1][0], LEAST_PIVOT));
    l.m[2][1] = (2 * e->yz - l.m[2][0] * l.m[1][0]) / l.m[1][1];
    l.m[2][2] = sqrt(fmax(1 + 2 * e->zz - l.m[2][0] * l.m[2][0] - l.m[2][1] * l.m[2][1], LEAST_PIVOT));
    return l;
}

static phxi_mat3 inverse_transposed(const phxi_mat3* l) {
    double a = 1 / l->m[0][0], b = 1 / l->m[1][1], c = 1 / l->m[2][2];
    double xy = -l->m[1][0] * a * b, yz = -l->m[2][1] * b * c;
    double xz = (l->m[1][0] * l->m[2][1] - l->m[2][0] * l->m[1][1]) * a * b * c;
    return (phxi_mat3){{{a, xy, xz}, {0, b, yz}, {0, 0, c}}};
}

double phxi_plastic_split(const phxi_sym3* strain, const phxi_mat3* f, phxi_mat3* elastic_part, phxi_mat3* map) {
    phxi_mat3 l = factor(strain);
    *map = inverse_transposed(&l);
    *elastic_part = phxi_mat3_mul(f, map);
    return l.m[0][0] * l.m[1][1] * l.m[2][2];
}

static phxi_sym3 green(const phxi_mat3* f) {
    phxi_mat3 t = phxi_mat3_transpose(f), c = phxi_mat3_mul(&t, f);
    return (phxi_sym3){0.5 * (c.m[0][0] - 1), 0.5 * (c.m[1][1] - 1), 0.5 * (c.m[2][2] - 1),
                       0.5 * c.m[0][1],       0.5 * c.m[0][2],       0.5 * c.m[1][2]};
}

static double norm_of(const phxi_sym3* e) {
    return sqrt(e->xx * e->xx + e->yy * e->yy + e->zz * e->zz + 2 * (e->xy * e->xy + e->xz * e->xz + e->yz * e->yz));
}

/// eps_p + (L A L^T)/2
static phxi_sym3 push(const phxi_sym3* strain, const phxi_mat3* l, const phxi_mat3* a) {
    phxi_mat3 t = phxi_mat3_transpose(l), b = phxi_mat3_mul(a, &t);
    b = phxi_mat3_mul(l, &b);
    return (phxi_sym3){strain->xx + 0.5 * b.m[0][0], strain->yy + 0.5 * b.m[1][1], strain->zz + 0.5 * b.m[2][2],
                       strain->xy + 0.5 * b.m[0][1], strain->xz + 0.5 * b.m[0][2], strain->yz + 0.5 * b.m[1][2]};
}

/// C_p <- L (I + A) L^T, as far as the limit allows, with `flow` of plastic strain. True if there was any.
static bool grow(const phxi_plastic* plastic, const phxi_mat3* l, phxi_mat3* a, double flow, phxi_sym3* strain,
                 double* amount) {
    phxi_sym3 to = push(strain, l, a);
    double before = norm_of(strain), after = norm_of(&to);
    if (after > plastic->limit && after > before) {
        // the norm is convex, so the shortened step ends within the limit
        double share = fmax(0, plastic->limit - before) / (after - before);
        for (int i = 0; i < 9; ++i) {
            a->m[i / 3][i % 3] *= share;
        }
        flow *= share;
        to = push(strain, l, a);
    }
    *strain = to;
    *amount += EQUIVALENT * flow;
    return flow > 0;
}

/// Whether dev ln(1 + 2 E)/2 may be above `yield`: its slope is nowhere more than one over the smallest 1 + 2 E.
static bool may_flow(const phxi_sym3* green_strain, double yield) {
    double third = (green_strain->xx + green_strain->yy + green_strain->zz) / 3;
    phxi_sym3 n = *green_strain;
    n.xx -= third, n.yy -= third, n.zz -= third;
    double norm = norm_of(&n), least = 1 + 2 * (third - EQUIVALENT * norm);
    return !(least > 0 && norm <= yield * least);
}

static bool flow_hencky(const phxi_plastic* plastic, const phxi_mat3* f, double dt, phxi_sym3* strain, double* amount) {
    phxi_mat3 l = factor(strain), map = inverse_transposed(&l), elastic_part = phxi_mat3_mul(f, &map), v, a;
    phxi_sym3 e = green(&elastic_part), c = {1 + 2 * e.xx, 1 + 2 * e.yy, 1 + 2 * e.zz, 2 * e.xy, 2 * e.xz, 2 * e.yz};
    double yield = plastic->yield + plastic->hardening * *amount, squares[3], n[3], square = 0;
    if (!isfinite(norm_of(&e)) || !(plastic->yield > 0) || (!plastic->volumetric && !may_flow(&e, yield))) {
        return false;
    }
    phxi_eigen_sym3(&c, squares, &v);
    for (int i = 0; i < 3; ++i) {
        n[i] = 0.5 * log(fmax(squares[i], FLATTEST * FLATTEST));
    }
    double mean = plastic->volumetric ? 0 : (n[0] + n[1] + n[2]) / 3;
    for (int i = 0; i < 3; ++i) {
        n[i] -= mean;
        square += n[i] * n[i];
    }
    double norm = sqrt(square);
    if (!(norm > yield)) {
        return false;
    }
    double over = 1 - yield / norm, whole = over / (1 + EQUIVALENT * plastic->hardening);
    double k = creep_share(plastic, dt) * (plastic->rate > 0 ? fmin(plastic->rate * over, 1) : whole);
    for (int i = 0; i < 9; ++i) {
        double sum = 0;
        for (int b = 0; b < 3; ++b) {
            sum += v.m[i / 3][b] * expm1(2 * k * n[b]) * v.m[i % 3][b];
        }
        a.m[i / 3][i % 3] = sum;
    }
    return grow(plastic, &l, &a, k * norm, strain, amount);
}

bool phxi_plastic_flow(const phxi_plastic* plastic, const phxi_mat3* f, double dt, phxi_sym3* strain, double* amount) {
    if (plastic->hencky) {
        return flow_hencky(plastic, f, dt, strain, amount);
    }
    phxi_mat3 l = factor(strain), map = inverse_transposed(&l), elastic_part = phxi_mat3_mul(f, &map);
    phxi_sym3 n = green(&elastic_part);
    double third = (n.xx + n.yy + n.zz) / 3, mean = plastic->volumetric ? 0 : third;
    double round = 1 + 2 * mean + ROUND * (1 + 2 * third);
    n.xx -= mean, n.yy -= mean, n.zz -= mean;
    double k = phxi_plastic_share(plastic, norm_of(&n), *amount, dt);
    if (!(k > 0)) {
        return false;
    }
    phxi_mat3 a = phxi_sym3_full(&n), t, inverse;
    for (int i = 0; i < 9; ++i) {
        t.m[i / 3][i % 3] = 2 * (1 - k) * a.m[i / 3][i % 3] + (i % 4 == 0 ? round : 0);
    }
    phxi_mat3_inverse(&t, &inverse);
    a = phxi_mat3_mul(&a, &inverse);
    for (int i = 0; i < 9; ++i) {
        a.m[i / 3][i % 3] = 2 * k * a.m[i / 3][i % 3] + (i % 4 == 0);
    }
    double flow = 0; // ||W||/2
    for (int i = 0; i < 9; ++i) {
        double w = a.m[i / 3][i % 3] - (i % 4 == 0);
        flow += 0.25 * w * w;
    }
    double scale = plastic->volumetric ? 1 : 1 / cbrt(phxi_mat3_det(&a));
    for (int i = 0; i < 9; ++i) {
        a.m[i / 3][i % 3] = scale * a.m[i / 3][i % 3] - (i % 4 == 0);
    }
    return grow(plastic, &l, &a, sqrt(flow), strain, amount);
}

bool phxi_plastic_move(const phxi_mat3* j, phxi_sym3* strain) {
    phxi_mat3 inverse;
    if (!phxi_mat3_inverse(j, &inverse)) {
        return false;
    }
    phxi_sym3 total = green(j);
    phxi_sym3 left = {strain->xx - total.xx, strain->yy - total.yy, strain->zz - total.zz,
                      strain->xy - total.xy, strain->xz - total.xz, strain->yz - total.yz};
    phxi_mat3 a = phxi_sym3_full(&left), t = phxi_mat3_transpose(&inverse);
    const phxi_sym3 zero = {0};
    *strain = push(&zero, &t, &a);
    *strain =
        (phxi_sym3){2 * strain->xx, 2 * strain->yy, 2 * strain->zz, 2 * strain->xy, 2 * strain->xz, 2 * strain->yz};
    return true;
}

// -------------------------------------------------------------------------------------------------------------- lanes

/// The law in state precision.
typedef struct wide_flow {
    phx_real yield, hardening, share, limit;
    bool volumetric;
} wide_flow;

/// L - I (diagonal) and L (below it) as xx yy zz xy xz yz, M - I and w.
typedef struct wide_split {
    phxi_rw l[6], m[6], w;
} wide_split;

/// sqrt(1 + x) - 1 without cancellation.
PHXI_INLINE void root_wide(const phxi_rw* x, phxi_rw* y) {
    const phxi_rw least = {0}, pivot = PHXI_R(1) + *x;
    const phxi_rw safe = PHXI_SELECT((phxi_mw)(pivot < PHXI_R(LEAST_PIVOT)), least + PHXI_R(LEAST_PIVOT), pivot);
    phxi_rw root;
    phxi_wide_sqrt(&safe, &root);
    *y = (safe - PHXI_R(1)) / (PHXI_R(1) + root);
}

PHXI_INLINE void split_wide(const phxi_rw e[6], wide_split* s) {
    phxi_rw *l = s->l, *m = s->m;
    phxi_rw x = PHXI_R(2) * e[0];
    root_wide(&x, &l[0]);
    const phxi_rw a = PHXI_R(1) / (PHXI_R(1) + l[0]);
    l[3] = PHXI_R(2) * e[3] * a, l[4] = PHXI_R(2) * e[4] * a;
    x = PHXI_R(2) * e[1] - l[3] * l[3];
    root_wide(&x, &l[1]);
    const phxi_rw b = PHXI_R(1) / (PHXI_R(1) + l[1]);
    l[5] = (PHXI_R(2) * e[5] - l[4] * l[3]) * b;
    x = PHXI_R(2) * e[2] - l[4] * l[4] - l[5] * l[5];
    root_wide(&x, &l[2]);
    const phxi_rw c = PHXI_R(1) / (PHXI_R(1) + l[2]);
    m[0] = -l[0] * a, m[1] = -l[1] * b, m[2] = -l[2] * c;
    m[3] = -l[3] * a * b, m[5] = -l[5] * b * c;
    m[4] = (l[3] * l[5] - l[4] * (PHXI_R(1) + l[1])) * a * b * c;
    s->w = (PHXI_R(1) + l[0]) * (PHXI_R(1) + l[1]) * (PHXI_R(1) + l[2]);
}

/// F_e - I = G + (I + G)(M - I)
PHXI_INLINE void elastic_part_wide(const phxi_rw g[9], const phxi_rw m[6], phxi_rw out[9]) {
    for (int row = 0; row < 3; ++row) {
        const phxi_rw x = g[3 * row], y = g[3 * row + 1], z = g[3 * row + 2];
        out[3 * row] = x + x * m[0];
        out[3 * row + 1] = y + (x * m[3] + y * m[1]);
        out[3 * row + 2] = z + (x * m[4] + y * m[5] + z * m[2]);
    }
    out[0] += m[0], out[1] += m[3], out[2] += m[4], out[4] += m[1], out[5] += m[5], out[8] += m[2];
}

PHXI_INLINE void norm_wide(const phxi_rw e[6], phxi_rw* norm) {
    const phxi_rw square =
        e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + PHXI_R(2) * (e[3] * e[3] + e[4] * e[4] + e[5] * e[5]);
    phxi_wide_sqrt(&square, norm);
}

/// A = (I + D)/cbrt(det(I + D)) - I
PHXI_INLINE void keep_volume_wide(phxi_rw d[6]) {
    const phxi_rw pairs = d[0] * d[1] + d[1] * d[2] + d[2] * d[0] - d[3] * d[3] - d[4] * d[4] - d[5] * d[5];
    const phxi_rw det =
        d[0] * (d[1] * d[2] - d[5] * d[5]) - d[3] * (d[3] * d[2] - d[5] * d[4]) + d[4] * (d[3] * d[5] - d[1] * d[4]);
    const phxi_rw change = (d[0] + d[1] + d[2]) + (pairs + det);
    phxi_rw log, rest, more;
    phxi_wide_log1p(&change, &log, &rest);
    const phxi_rw third = PHXI_R(-1.0 / 3) * log;
    phxi_wide_expm1(&third, &more, &rest);
    for (int k = 0; k < 6; ++k) {
        d[k] += more * d[k];
    }
    d[0] += more, d[1] += more, d[2] += more;
}

/// (L A L^T)/2
PHXI_INLINE void push_wide(const phxi_rw l[6], const phxi_rw a[6], phxi_rw out[6]) {
    const phxi_rw x = PHXI_R(1) + l[0], y = PHXI_R(1) + l[1], z = PHXI_R(1) + l[2];
    // L A, as far as it is needed
    const phxi_rw r00 = x * a[0], r10 = l[3] * a[0] + y * a[3], r11 = l[3] * a[3] + y * a[1];
    const phxi_rw r20 = l[4] * a[0] + l[5] * a[3] + z * a[4], r21 = l[4] * a[3] + l[5] * a[1] + z * a[5],
                  r22 = l[4] * a[4] + l[5] * a[5] + z * a[2];
    out[0] = PHXI_R(0.5) * (r00 * x);
    out[1] = PHXI_R(0.5) * (r10 * l[3] + r11 * y);
    out[2] = PHXI_R(0.5) * (r20 * l[4] + r21 * l[5] + r22 * z);
    out[3] = PHXI_R(0.5) * (r10 * x);
    out[4] = PHXI_R(0.5) * (r20 * x);
    out[5] = PHXI_R(0.5) * (r20 * l[3] + r21 * y);
}

/// W = 2 k n T^-1 in place of n, T = 2 (1 - k) n + round I.
PHXI_INLINE void step_wide(const phxi_rw* k, const phxi_rw* round, phxi_rw n[6]) {
    phxi_rw t[6], c[6];
    for (int i = 0; i < 6; ++i) {
        t[i] = PHXI_R(2) * (PHXI_R(1) - *k) * n[i] + (i < 3 ? *round : PHXI_R(0) * *round);
    }
    c[0] = t[1] * t[2] - t[5] * t[5], c[1] = t[0] * t[2] - t[4] * t[4], c[2] = t[0] * t[1] - t[3] * t[3];
    c[3] = t[4] * t[5] - t[3] * t[2], c[4] = t[3] * t[5] - t[4] * t[1], c[5] = t[3] * t[4] - t[0] * t[5];
    const phxi_rw f = PHXI_R(2) * *k / (t[0] * c[0] + t[3] * c[3] + t[4] * c[4]);
    const phxi_rw x = n[0], y = n[1], z = n[2], xy = n[3], xz = n[4], yz = n[5];
    n[0] = f * (x * c[0] + xy * c[3] + xz * c[4]);
    n[1] = f * (xy * c[3] + y * c[1] + yz * c[5]);
    n[2] = f * (xz * c[4] + yz * c[5] + z * c[2]);
    n[3] = f * (x * c[3] + xy * c[1] + xz * c[5]);
    n[4] = f * (x * c[4] + xy * c[5] + xz * c[2]);
    n[5] = f * (xy * c[4] + y * c[5] + yz * c[2]);
}

/// How the plastic strain grows; true if a lane flows.
PHXI_INLINE bool flow_wide(const wide_flow* law, const phxi_rw g[9], const wide_split* s, phxi_rw strain[6],
                           phxi_rw* amount) {
    phxi_rw n[6], norm, flow, grown[6], before, after;
    green_strain_wide(g, n);
    const phxi_rw zero = {0}, third = PHXI_R(1.0 / 3) * (n[0] + n[1] + n[2]), mean = law->volumetric ? zero : third;
    const phxi_rw round = PHXI_R(1) + PHXI_R(2) * mean + PHXI_R(ROUND) * (PHXI_R(1) + PHXI_R(2) * third);
    n[0] -= mean, n[1] -= mean, n[2] -= mean;
    norm_wide(n, &norm);
    const phxi_rw yield = law->yield + law->hardening * *amount;
    const phxi_mw flows = (phxi_mw)(norm > yield) & (phxi_mw)(norm < PHXI_R(1e30));
    if (!phxi_wide_any(&flows)) {
        return false;
    }
    const phxi_rw inverse = PHXI_R(1) / PHXI_SELECT(flows, norm, zero + PHXI_R(1));
    phxi_rw k = (PHXI_R(1) - yield * inverse) * (PHXI_R(1) / (PHXI_R(1) + PHXI_R(EQUIVALENT) * law->hardening));
    k = PHXI_SELECT((phxi_mw)(k > law->share), zero + law->share, k);
    k = PHXI_SELECT(flows, k, zero);
    step_wide(&k, &round, n);
    norm_wide(n, &flow);
    if (!law->volumetric) {
        keep_volume_wide(n);
    }
    push_wide(s->l, n, grown);
    norm_wide(strain, &before);
    for (int i = 0; i < 6; ++i) {
        n[i] = strain[i] + grown[i];
    }
    norm_wide(n, &after);
    const phxi_mw beyond = (phxi_mw)(after > law->limit) & (phxi_mw)(after > before);
    const phxi_rw left = law->limit - before, room = PHXI_SELECT((phxi_mw)(left > zero), left, zero);
    const phxi_rw part = PHXI_SELECT(beyond, room / (after - before), zero + PHXI_R(1));
    for (int i = 0; i < 6; ++i) {
        strain[i] = PHXI_SELECT(flows, strain[i] + part * grown[i], strain[i]);
    }
    *amount = PHXI_SELECT(flows, *amount + PHXI_R(0.5 * EQUIVALENT) * part * flow, *amount);
    return true;
}

static PHXI_CLONES void phxi_plastic_clones(const wide_flow* law, bool flow, int count, ptrdiff_t stride,
                                            const phxi_plastic_planes* p) {
    for (int i = 0; i < count; i += PHXI_LANES) {
        const size_t bytes = (size_t)(count - i < PHXI_LANES ? count - i : PHXI_LANES) * sizeof(phx_real);
        phxi_rw g[9] = {{0}}, e[6] = {{0}}, part[9], amount = {0};
        wide_split s;
        for (int k = 0; k < 9; ++k) {
            memcpy(&g[k], p->g + k * stride + i, bytes);
        }
        for (int k = 0; k < 6; ++k) {
            memcpy(&e[k], p->strain + k * stride + i, bytes);
        }
        memcpy(&amount, p->amount + i, bytes);
        split_wide(e, &s);
        elastic_part_wide(g, s.m, part);
        if (flow && flow_wide(law, part, &s, e, &amount)) {
            split_wide(e, &s);
            elastic_part_wide(g, s.m, part);
            for (int k = 0; k < 6; ++k) {
                memcpy(p->strain + k * stride + i, &e[k], bytes);
            }
            memcpy(p->amount + i, &amount, bytes);
        }
        for (int k = 0; k < 9; ++k) {
            memcpy(p->g + k * stride + i, &part[k], bytes);
        }
        for (int k = 0; k < 6; ++k) {
            memcpy(p->map + k * stride + i, &s.m[k], bytes);
        }
        memcpy(p->weight + i, &s.w, bytes);
    }
}

/// One after the other and in double: most lanes need no eigenvectors.
static void flow_lanes(const phxi_plastic* plastic, double dt, int count, int stride, const phxi_plastic_planes* p) {
    for (int i = 0; i < count; ++i) {
        phxi_mat3 f;
        double e[6], amount = (double)p->amount[i];
        for (int k = 0; k < 9; ++k) {
            f.m[k / 3][k % 3] = (k % 4 == 0) + (double)p->g[k * (ptrdiff_t)stride + i];
        }
        for (int k = 0; k < 6; ++k) {
            e[k] = (double)p->strain[k * (ptrdiff_t)stride + i];
        }
        phxi_sym3 strain = {e[0], e[1], e[2], e[3], e[4], e[5]};
        if (!phxi_plastic_flow(plastic, &f, dt, &strain, &amount)) {
            continue;
        }
        const double grown[6] = {strain.xx, strain.yy, strain.zz, strain.xy, strain.xz, strain.yz};
        for (int k = 0; k < 6; ++k) {
            p->strain[k * (ptrdiff_t)stride + i] = (phx_real)grown[k];
        }
        p->amount[i] = (phx_real)amount;
    }
}

void phxi_plastic_batch(const phxi_plastic* plastic, double dt, int count, int stride, const phxi_plastic_planes* p) {
    const wide_flow law = {.yield = (phx_real)plastic->yield,
                           .hardening = (phx_real)plastic->hardening,
                           .share = (phx_real)creep_share(plastic, dt),
                           .limit = (phx_real)fmin(plastic->limit, 1e30),
                           .volumetric = plastic->volumetric};
    bool flows = dt > 0 && plastic->yield > 0;
    if (flows && plastic->hencky) {
        flow_lanes(plastic, dt, count, stride, p);
    }
    phxi_plastic_clones(&law, flows && !plastic->hencky, count, stride, p);
}
