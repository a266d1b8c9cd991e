// SPDX-License-Identifier: MIT
// What happens at one place between the two loops over pairs, for as many as there are lanes: gradient of velocity
// G = M K^-1, elastic strain carried along and returned to the cone, stress, and the rows that the second loop reads.
//
//   eps* = eps + dt (D + W eps - eps W),  D and W the symmetric and skew parts of G
//   tau  = that of the law; 2 eta D more where nothing yields, eta = zeta rho c_s dx; less the pressure of the spring
//
// A neighbourhood that is nearly flat has a pseudo-inverse; one of fewer than four bonds bears nothing.
#include "methods/granular/granular_internal.h"

#include "math/decompose3.h"
#include "neighbors/kernel_wide.h"

#define FLAT      0.05 // det K below this much of (tr K / 3)^3
#define THIN      0.08 // eigenvalues below this much of the largest do not count
#define MEMORY_MU 12.0 // residual stiffness in units of chi mu
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
    bool few[PHXI_LANES];
    phxi_rw k[6], m[9], weight, density;
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

static void mend(group* c, int l) {
    phxi_sym3 k = {c->k[0][l], c->k[1][l], c->k[2][l], c->k[3][l], c->k[4][l], c->k[5][l]}, inverse = {0};
    if (!c->few[l]) {
        phxi_pseudo_inverse_sym3(&k, THIN, &inverse, NULL);
    }
    const double numbers[6] = {inverse.xx, inverse.yy, inverse.zz, inverse.xy, inverse.xz, inverse.yz};
    for (int n = 0; n < 6; ++n) {
        c->inverse[n][l] = (phx_real)numbers[n];
        c->grains.strain[n][l] = c->few[l] ? 0 : c->grains.strain[n][l];
    }
    c->grains.opening[l] = c->few[l] ? 0 : c->grains.opening[l];
}

PHXI_INLINE void invert(group* c, phxi_mw* poor) {
    const phxi_rw xx = c->k[0], yy = c->k[1], zz = c->k[2], xy = c->k[3], xz = c->k[4], yz = c->k[5];
    const phxi_rw cofactor[6] = {yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy,
                                 xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - xx * yz};
    const phxi_rw det = xx * cofactor[0] + xy * cofactor[3] + xz * cofactor[4];
    const phxi_rw mean = (xx + yy + zz) * PHXI_R(1.0 / 3), zero = {0};
    *poor = ~((phxi_mw)(det > zero) & (phxi_mw)(det >= PHXI_R(FLAT) * (mean * mean * mean)));
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

static PHXI_CLONES void granular_gradient(group* c, double step) {
    phxi_mw poor;
    invert(c, &poor);
    for (int l = 0; l < c->used; ++l) {
        if (poor[l] || c->few[l]) {
            mend(c, l);
        }
    }
    carry(c, (phx_real)step);
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

/// The largest eigenvalue of K^-1, at most: 1/m^2.
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
    return most * s->scale * s->scale;
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
        phx_real twice = (phx_real)n.damping;
        e[0] += twice * g[0];
        e[1] += twice * g[4];
        e[2] += twice * g[8];
        e[3] += twice * half * (g[1] + g[3]);
        e[4] += twice * half * (g[2] + g[6]);
        e[5] += twice * half * (g[5] + g[7]);
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
    granular_gradient(c, s->last_dt * s->scale);
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
