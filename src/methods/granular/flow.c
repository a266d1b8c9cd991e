// SPDX-License-Identifier: MIT
// What happens at one place between the two loops over pairs, for as many as there are lanes: gradient of velocity
// G = M K^-1, elastic strain carried along and returned to the cone, stress, and the rows that the second loop reads.
//
//   eps* = eps + dt (D + W eps - eps W),  D and W the symmetric and skew parts of G
//   tau  = that of the law; 2 eta D more where nothing yields, eta = zeta rho c_s dx; less the pressure of the spring
//
// Neighbourhoods that are poor in some direction count less there (poor.c); one of fewer than four bonds bears nothing.
#include "methods/granular/granular_internal.h"

#include "math/decompose3.h"
#include "neighbors/kernel_wide.h"

// Eigenvalues of K that count in full, in supports^2. A lattice has 0.9 inside and 0.2 at its corners, where sum omega
// is 6.9 and 2.5; the second bound is for crowds that lie in a plane, whose bonds are many.
#define ENOUGH      0.15
#define ENOUGH_EACH 0.05 // of sum omega
#define IMPACT      0.5  // speeds of the residual viscosity, 2 sqrt(g dx): from there on impacts are inelastic
#define MEMORY_MU   12.0 // residual stiffness in units of chi mu
// of implicit steps, stiffness.c
#define LEAST_BULK     1.8 // bulk moduli
#define MEMORY_STIFFER 4.0 // what bonds remember, in units of chi mu
#define LEAST_FIRMNESS 0.05
#define OPEN_FIRMNESS  0.02 // beyond the apex
enum { FEWEST = 4 };

/// Numbers of up to PHXI_LANES places; `used` of them, the rest zero.
typedef struct group {
    int place[PHXI_LANES], particle[PHXI_LANES], body[PHXI_LANES];
    int used;
    bool few[PHXI_LANES], poor[PHXI_LANES];
    phxi_sym3 share[PHXI_LANES]; // S, where poor
    double unseen[PHXI_LANES];   // 1 - the least s_a^2
    phxi_rw k[6], m[9], weight, density, enough;
    phxi_rw inverse[6], g[9];
    phxi_rw trial[6]; // eps*
    phxi_grain_lanes grains;
    phxi_rw tau[6]; // all of it, over the unit of forces
} group;

static void load(const phxi_granular* s, group* c) {
    const int64_t* start = s->near->lists.start;
    for (int l = 0; l < PHXI_LANES; ++l) {
        bool used = l < c->used;
        int place = used ? c->place[l] : c->place[0], i = c->particle[used ? l : 0];
        const phxi_r4* r = s->sums[place].r;
        for (int k = 0; k < 6; ++k) {
            c->k[k][l] = k < 4 ? r[0][k] : r[1][k - 4];
            c->grains.strain[k][l] = s->field[GRANULAR_STRAIN + k][i];
        }
        c->weight[l] = r[1][2];
        double enough = fmax(ENOUGH, ENOUGH_EACH * (double)r[1][2]);
        c->enough[l] = (phx_real)enough * s->supports[place] * s->supports[place];
        for (int k = 0; k < 9; ++k) {
            c->m[k][l] = r[(7 + k) / 4][(7 + k) % 4];
        }
        c->density[l] = s->springs ? r[4][0] : 0;
        c->grains.opening[l] = s->field[GRANULAR_OPENING][i];
        c->few[l] = s->frozen ? r[4][1] < FEWEST : start[place + 1] - start[place] < FEWEST;
    }
}

/// Lists with strangers in them are longer than the number of bonds.
static void count_grains(const phxi_granular* s, group* c) {
    const phxi_lists* lists = &s->near->lists;
    for (int l = 0; l < c->used; ++l) {
        int grains = 0, place = c->place[l];
        for (int64_t at = lists->start[place]; at < lists->start[place + 1] && grains < FEWEST; ++at) {
            grains += s->ordinal[lists->items[at]] >= 0;
        }
        c->few[l] = grains < FEWEST;
    }
}

static void set6(phxi_rw row[6], int l, const phxi_sym3* a) {
    const double numbers[6] = {a->xx, a->yy, a->zz, a->xy, a->xz, a->yz};
    for (int n = 0; n < 6; ++n) {
        row[n][l] = (phx_real)numbers[n];
    }
}

static phxi_sym3 get6(const phxi_rw row[6], int l) {
    return (phxi_sym3){row[0][l], row[1][l], row[2][l], row[3][l], row[4][l], row[5][l]};
}

/// Forgets its strain and sees nothing.
static void leave_alone(group* c, int l) {
    const phxi_sym3 none = {0};
    set6(c->inverse, l, &none);
    set6(c->grains.strain, l, &none);
    c->grains.opening[l] = 0;
    c->share[l] = none;
    c->unseen[l] = 1;
    for (int k = 0; k < 9; ++k) {
        c->g[k][l] = 0;
    }
}

/// carry() of one that is poor. `e` is its strain before.
static void carry_poor(group* c, int l, double step, const phxi_sym3* e) {
    phxi_sym3 k = get6(c->k, l);
    phxi_mat3 m, was = {{{e->xx, e->xy, e->xz}, {e->xy, e->yy, e->yz}, {e->xz, e->yz, e->zz}}};
    phxi_granular_sight sight;
    for (int n = 0; n < 9; ++n) {
        m.m[n / 3][n % 3] = c->m[n][l];
    }
    phxi_granular_see_poorly(&k, &m, (double)c->enough[l], &sight);
    phxi_mat3 turned = phxi_mat3_mul(&sight.spin, &was), d = sight.strain;
    for (int n = 0; n < 9; ++n) { // W eps - eps W is W eps and its transpose
        d.m[n / 3][n % 3] += turned.m[n / 3][n % 3] + turned.m[n % 3][n / 3];
        c->g[n][l] = (phx_real)sight.g.m[n / 3][n % 3];
    }
    phxi_sym3 now = {e->xx + step * d.m[0][0], e->yy + step * d.m[1][1], e->zz + step * d.m[2][2],
                     e->xy + step * d.m[0][1], e->xz + step * d.m[0][2], e->yz + step * d.m[1][2]};
    set6(c->grains.strain, l, &now);
    set6(c->inverse, l, &sight.inverse);
    c->share[l] = sight.share;
    c->unseen[l] = 1 - sight.least;
}

/// K^-1; and where its norm says that some eigenvalue of K may be small.
PHXI_INLINE void invert(group* c, phxi_mw* poor) {
    const phxi_rw xx = c->k[0], yy = c->k[1], zz = c->k[2], xy = c->k[3], xz = c->k[4], yz = c->k[5];
    const phxi_rw cofactor[6] = {yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy,
                                 xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - xx * yz};
    const phxi_rw det = xx * cofactor[0] + xy * cofactor[3] + xz * cofactor[4], zero = {0};
    phxi_rw square = zero;
    for (int k = 0; k < 6; ++k) {
        square += (k < 3 ? PHXI_R(1) : PHXI_R(2)) * (cofactor[k] * cofactor[k]);
    }
    const phxi_rw least = c->enough * c->enough * square;
    *poor = ~((phxi_mw)(det > zero) & (phxi_mw)(least < det * det));
    const phxi_rw by = PHXI_R(1) / PHXI_SELECT(*poor, zero + PHXI_R(1), det);
    for (int k = 0; k < 6; ++k) {
        c->inverse[k] = by * cofactor[k];
    }
}

/// G = M K^-1; eps* from it. `step` is dt / L.
PHXI_INLINE void carry(group* c, phx_real step) {
    const phxi_rw* n = c->inverse;
    for (int a = 0; a < 3; ++a) {
        const phxi_rw x = c->m[3 * a], y = c->m[3 * a + 1], z = c->m[3 * a + 2];
        c->g[3 * a] = x * n[0] + y * n[3] + z * n[4];
        c->g[3 * a + 1] = x * n[3] + y * n[1] + z * n[5];
        c->g[3 * a + 2] = x * n[4] + y * n[5] + z * n[2];
    }
    const phxi_rw* g = c->g;
    const phx_real half = PHXI_R(0.5) * step;
    const phxi_rw xy = half * (g[1] - g[3]), xz = half * (g[2] - g[6]), yz = half * (g[5] - g[7]); // W
    phxi_rw e[6];
    for (int k = 0; k < 6; ++k) {
        e[k] = c->grains.strain[k];
    }
    c->grains.strain[0] = e[0] + (step * g[0] + PHXI_R(2) * (xy * e[3] + xz * e[4]));
    c->grains.strain[1] = e[1] + (step * g[4] + PHXI_R(2) * (yz * e[5] - xy * e[3]));
    c->grains.strain[2] = e[2] + (step * g[8] - PHXI_R(2) * (xz * e[4] + yz * e[5]));
    c->grains.strain[3] = e[3] + (half * (g[1] + g[3]) + (xy * (e[1] - e[0]) + xz * e[5] + yz * e[4]));
    c->grains.strain[4] = e[4] + (half * (g[2] + g[6]) + (xy * e[5] + xz * (e[2] - e[0]) - yz * e[3]));
    c->grains.strain[5] = e[5] + (half * (g[5] + g[7]) + (yz * (e[2] - e[1]) - xy * e[4] - xz * e[3]));
}

static PHXI_CLONES void granular_gradient(group* c, double step, phxi_mw* poor) {
    invert(c, poor);
    carry(c, (phx_real)step);
}

/// Strain of the time and what it is made of.
static void look_around(group* c, double step) {
    phxi_rw before[6];
    phxi_mw poor;
    for (int k = 0; k < 6; ++k) {
        before[k] = c->grains.strain[k];
    }
    granular_gradient(c, step, &poor);
    for (int l = 0; l < c->used; ++l) {
        c->poor[l] = poor[l] || c->few[l];
        if (c->few[l]) {
            leave_alone(c, l);
        } else if (poor[l]) {
            phxi_sym3 e = get6(before, l);
            carry_poor(c, l, step, &e);
        }
    }
}

/// The law of the body of each lane; mostly they are all of one.
static void yield(const phxi_granular* s, group* c) {
    phxi_grain_lanes before = c->grains;
    for (int k = 0; k < 6; ++k) {
        c->trial[k] = before.strain[k];
    }
    for (int l = 0; l < c->used; ++l) {
        int body = c->body[l];
        bool seen = false;
        for (int k = 0; k < l; ++k) {
            seen = seen || c->body[k] == body;
        }
        if (seen) {
            continue;
        }
        phxi_grain_lanes made = before;
        phxi_drucker_prager_lanes(&s->bodies.items[body].law, s->last_dt, &made);
        phxi_mw mine = {0};
        for (int k = 0; k < PHXI_LANES; ++k) {
            mine[k] = k >= c->used || c->body[k] == body ? -1 : 0;
        }
        for (int k = 0; k < 6; ++k) {
            c->grains.strain[k] = PHXI_SELECT(mine, made.strain[k], c->grains.strain[k]);
            c->grains.stress[k] = PHXI_SELECT(mine, made.stress[k], c->grains.stress[k]);
        }
        c->grains.opening = PHXI_SELECT(mine, made.opening, c->grains.opening);
        c->grains.still = (made.still & mine) | (c->grains.still & ~mine);
    }
}

/// Last numbers of the rows of one place, in units of the loops.
typedef struct constants {
    double most, stiffness, viscosity, squeeze, fade, keep; // GRANULAR_ROW_...
    double damping;                                         // 2 eta / L, Pa for a gradient in m/s over L
    double force;                                           // V / (mass_unit L)
    double pressure, crowded;                               // of the spring, Pa; the field of that name
    double speed;                                           // m/s, of the residual viscosity
} constants;

/// Shear that the law has taken away, sqrt(2 d:d): gamma of simple shear.
static double plastic_shear(const group* c, int l) {
    double d[6], third = 0, sum = 0;
    for (int k = 0; k < 6; ++k) {
        d[k] = (double)c->trial[k][l] - (double)c->grains.strain[k][l];
        third += k < 3 ? d[k] / 3 : 0;
    }
    for (int k = 0; k < 6; ++k) {
        sum += k < 3 ? (d[k] - third) * (d[k] - third) : 2 * d[k] * d[k];
    }
    return sqrt(2 * sum);
}

static constants constants_of(const phxi_granular* s, const group* c, int l) {
    const phxi_particles* p = s->step->particles;
    const phxi_granular_body* body = &s->bodies.items[c->body[l]];
    const phxi_granular_params* params = body->params;
    int i = c->particle[l];
    double volume = (double)p->volume[i], spacing = (double)p->spacing[i], density = body->density;
    double speed = params->speed > 0 ? params->speed : 4 * sqrt(phxi_length(s->step->gravity) * spacing);
    double per_area = 0.5 * density * volume / (spacing * s->mass_unit);
    double third = (double)(c->grains.stress[0][l] + c->grains.stress[1][l] + c->grains.stress[2][l]) / 3;
    constants made = {
        .most = params->limit * phxi_drucker_prager_strength(&body->law, -third) / (2 * body->law.mu),
        .stiffness = 0.5 * MEMORY_MU * params->chi * body->law.mu * volume / (s->mass_unit * s->unit),
        .speed = speed,
        .viscosity = body->alpha * speed * per_area,
        .squeeze = body->squeeze * body->sound * per_area,
        .fade = body->law.relaxation > 0 ? exp(-s->last_dt / body->law.relaxation) : 1,
        .damping = 2 * params->zeta * density * body->shear_sound * spacing * s->scale,
        .force = volume / (s->mass_unit * s->unit),
    };
    if (params->freeze > 0) {
        made.keep = exp(-plastic_shear(c, l) / (2 * params->freeze));
    }
    if (params->spring > 0) {
        double inverse = sqrt((double)s->per_square), cube = inverse * inverse * inverse;
        double own = PHXI_CUBIC_FACTOR * (double)s->x[c->place[l]][3];
        double ratio = cube * ((double)c->density[l] + own);
        if (s->implicit.active) { // positions are those of the middle of the step
            ratio *= 1 - 0.5 * s->last_dt * s->scale * (double)(c->g[0][l] + c->g[4][l] + c->g[8][l]);
        }
        // what began too close together may stay so, but not come closer again once it has loosened
        double known = (double)s->field[GRANULAR_CROWDED][i];
        made.crowded = fmax(params->spring, known > 0 ? fmin(known, ratio) : ratio);
        made.pressure = body->law.bulk * fmax(0, ratio - made.crowded);
    }
    return made;
}

/// How much of the trial strain is left, sigma of docs/theory/granular.md (12): what yields gives way.
static double firmness(const group* c, int l) {
    double left = 0, tried = 0;
    for (int k = 0; k < 6; ++k) {
        double now = (double)c->grains.strain[k][l], trial = (double)c->trial[k][l];
        left += (k < 3 ? 1 : 2) * now * now;
        tried += (k < 3 ? 1 : 2) * trial * trial;
    }
    return c->grains.opening[l] > 0 ? OPEN_FIRMNESS : tried > 0 ? fmax(LEAST_FIRMNESS, sqrt(left / tried)) : 1;
}

/// What K^-1 and what is seen make of a stiffness, at most: 1/m^2.
static double largest_inverse(const phxi_granular* s, const group* c, int l) {
    static const int rows[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    double most = 0;
    for (int a = 0; a < 3; ++a) {
        double sum = 0;
        for (int b = 0; b < 3; ++b) {
            sum += fabs((double)c->inverse[rows[a][b]][l]);
        }
        most = fmax(most, sum);
    }
    return (c->poor[l] ? fmin(most, 1 / (double)c->enough[l]) : most) * s->scale * s->scale;
}

/// A grain's share in the stiffness of its bonds, stiffness.c.
static void stiffen(phxi_granular* s, const group* c, int l, const constants* n) {
    const phxi_drucker_prager* law = &s->bodies.items[c->body[l]].law;
    double volume = n->force * s->mass_unit * s->unit, chi = s->bodies.items[c->body[l]].params->chi;
    phx_real* firm = &s->implicit.firm[c->place[l]]; // what has been firm in a step may be so again
    *firm = (phx_real)fmax((double)*firm, firmness(c, l));
    double modulus = fmax(law->bulk + 4 * law->mu / 3, LEAST_BULK * law->bulk) * (double)*firm +
                     (n->pressure > 0 ? LEAST_BULK * law->bulk : 0) + MEMORY_STIFFER * chi * law->mu +
                     (c->grains.still[l] ? n->damping * s->unit / s->last_dt : 0);
    double drag =
        c->weight[l] > 0 ? (n->viscosity + n->squeeze) * s->mass_unit / (s->last_dt * (double)c->weight[l]) : 0;
    s->implicit.stiff[c->place[l]] = (phx_real)(volume * largest_inverse(s, c, l) * modulus + drag);
}

/// S A S of a symmetric A.
static void between(const phxi_sym3* share, phx_real a[6]) {
    phxi_mat3 s = {
        {{share->xx, share->xy, share->xz}, {share->xy, share->yy, share->yz}, {share->xz, share->yz, share->zz}}};
    phxi_mat3 all = {{{a[0], a[3], a[4]}, {a[3], a[1], a[5]}, {a[4], a[5], a[2]}}};
    all = phxi_mat3_mul(&s, &all);
    all = phxi_mat3_mul(&all, &s);
    a[0] = (phx_real)all.m[0][0], a[1] = (phx_real)all.m[1][1], a[2] = (phx_real)all.m[2][2];
    a[3] = (phx_real)all.m[0][1], a[4] = (phx_real)all.m[0][2], a[5] = (phx_real)all.m[1][2];
}

/// D, or D' of (2b).
static void rate_of(const group* c, int l, phx_real d[6]) {
    const phx_real half = PHXI_R(0.5);
    d[0] = c->g[0][l], d[1] = c->g[4][l], d[2] = c->g[8][l];
    d[3] = half * (c->g[1][l] + c->g[3][l]);
    d[4] = half * (c->g[2][l] + c->g[6][l]);
    d[5] = half * (c->g[5][l] + c->g[7][l]);
    if (c->poor[l]) {
        between(&c->share[l], d);
    }
}

/// Grains that fly into each other do not spring back: those that see little bear up to twice their stress while they
/// are pressed, and none while they part (long steps brake by themselves). All of the stress, or what brakes them would
/// be a pressure without friction.
static double bounce_of(const phxi_granular* s, const group* c, int l, const constants* n) {
    phx_real d[6];
    rate_of(c, l, d);
    double apart = (double)(d[0] + d[1] + d[2]) * (double)s->supports[c->place[l]] / GRANULAR_SUPPORT; // m/s
    double share = n->speed > 0 && !s->implicit.active ? apart / (IMPACT * n->speed) : 0;
    return 1 - c->unseen[l] * fmax(-1, fmin(1, share));
}

/// T = V tau K^-1 and all else that the second loop reads; strain and opening back to the particle.
static void store(phxi_granular* s, const group* c, int l) {
    constants n = constants_of(s, c, l);
    phxi_granular_row* row = &s->rows[c->place[l]];
    const phx_real half = PHXI_R(0.5), force = (phx_real)n.force;
    phx_real g[9], e[6], k[6];
    for (int q = 0; q < 9; ++q) {
        g[q] = c->g[q][l];
    }
    for (int q = 0; q < 6; ++q) {
        e[q] = c->grains.stress[q][l] - (q < 3 ? (phx_real)n.pressure : 0);
        k[q] = c->inverse[q][l];
    }
    if (c->grains.still[l]) {
        const phx_real twice = (phx_real)n.damping;
        phx_real d[6];
        rate_of(c, l, d);
        for (int q = 0; q < 6; ++q) {
            e[q] += twice * d[q];
        }
    }
    if (c->poor[l]) {
        const double bounce = bounce_of(s, c, l, &n);
        for (int q = 0; q < 6; ++q) {
            e[q] *= (phx_real)bounce;
        }
        between(&c->share[l], e);
    }
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const phx_real last[3] = {(phx_real)n.stiffness, (phx_real)n.viscosity, (phx_real)n.squeeze};
    const phx_real behind[3] = {1, (phx_real)n.fade, (phx_real)n.keep};
    for (int a = 0; a < 3; ++a) {
        phx_real t[3];
        for (int b = 0; b < 3; ++b) {
            t[b] = force * (e[at[a][0]] * k[at[0][b]] + e[at[a][1]] * k[at[1][b]] + e[at[a][2]] * k[at[2][b]]);
        }
        row->r[GRANULAR_ROW_G + a] = (phxi_r4){half * g[3 * a], half * g[3 * a + 1], half * g[3 * a + 2], last[a]};
        row->r[GRANULAR_ROW_T + a] = (phxi_r4){t[0], t[1], t[2], behind[a]};
    }
    row->r[GRANULAR_ROW_X] = s->x[c->place[l]];
    row->r[GRANULAR_ROW_X][3] = (phx_real)n.most;
    row->r[GRANULAR_ROW_V] = s->u[c->place[l]];
    row->r[GRANULAR_ROW_V][3] = c->weight[l] > 0 ? half / c->weight[l] : 0;
    if (s->implicit.active) {
        stiffen(s, c, l, &n);
    }
    for (int q = 0; q < 6 && !s->implicit.trial; ++q) {
        s->field[GRANULAR_STRAIN + q][c->particle[l]] = c->grains.strain[q][l];
    }
    if (!s->implicit.trial) {
        s->field[GRANULAR_OPENING][c->particle[l]] = c->grains.opening[l];
        s->field[GRANULAR_CROWDED][c->particle[l]] = (phx_real)n.crowded;
    }
}

static void flow_group(phxi_granular* s, group* c) {
    if (c->used == 0) {
        return;
    }
    load(s, c);
    if (s->others && !s->frozen) {
        count_grains(s, c);
    }
    look_around(c, s->last_dt * s->scale);
    yield(s, c);
    for (int l = 0; l < c->used; ++l) {
        store(s, c, l);
    }
    c->used = 0;
}

void phxi_granular_flow(phxi_granular* s, int begin, int end) {
    group c = {.used = 0};
    for (int k = begin; k < end; ++k) {
        if (s->ordinal[k] < 0) {
            s->rows[k] = (phxi_granular_row){{{0}}};
            continue;
        }
        int i = s->near->particle[k];
        c.place[c.used] = k;
        c.particle[c.used] = i;
        c.body[c.used] = s->step->particles->body[i];
        if (++c.used == PHXI_LANES) {
            flow_group(s, &c);
        }
    }
    flow_group(s, &c);
}
