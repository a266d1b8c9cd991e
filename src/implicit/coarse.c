// SPDX-License-Identifier: MIT
// The preconditioner, docs/theory/implicit_steps.md (11): z = R D^-1 R^T r + Z Ac^-1 Z^T r.
//
// D holds the diagonal blocks of M + s K at rest. Z are the six rigid modes of every brick of particles, Ac = Z^T (M +
// s K) Z at rest, inverted once and kept as a dense matrix in float: to apply it is one product. A neighbourhood within
// one brick is not strained by that brick's modes, so only those across a border have a share in Ac.
//
// Ac is made for a step size rounded to 4^k/60 s and for the particles that are fixed now: it depends on nothing that
// came before, so a restart makes the same one. A rounded step size is as good, since for stiff modes M + s K is s K
// and the factor does not matter. Two of them are kept, for runs whose step changes to and fro to meet the times of
// outputs.
#include "implicit/implicit_internal.h"

#include "core/hash.h"
#include "math/simd.h"
#include "solve/dense.h"

#include <string.h>

#define MOST_MODES   1100 // the dense inverse stays within the second-level cache, its setup within a second
#define LEAST_PER    4    // particles of a brick
#define STRAIN_PARTS 7

// ---------------------------------------------------------------------------------------------------- bricks

typedef struct grid {
    phx_vec3 low;
    double edge[3];
    int cells[3];
    int product;
} grid;

static phx_vec3 rest_of(const phxi_particles* p, int i) {
    return phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]);
}

/// Cells of about `across` spacings over the body; no more than there is memory for.
static bool grid_of(const phxi_implicit* s, const phxi_particles* p, double spacing, int across, grid* g) {
    phx_vec3 low = rest_of(p, s->begin), high = low;
    for (int i = s->begin; i < s->begin + s->count; ++i) {
        low = phxi_min(low, rest_of(p, i));
        high = phxi_max(high, rest_of(p, i));
    }
    const double size[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    const double start[3] = {low.x - spacing / 2, low.y - spacing / 2, low.z - spacing / 2};
    double product = 1;
    for (int c = 0; c < 3; ++c) {
        double extent = size[c] + spacing, cells = fmax(1, ceil(extent / (across * spacing) - 0.01));
        product *= cells;
        g->cells[c] = (int)fmin(cells, 1e6);
        g->edge[c] = extent / cells;
    }
    g->low = phxi_vec3(start[0], start[1], start[2]);
    g->product = (int)fmin(product, 1e9);
    return product <= 4.0 * s->count + 4096;
}

static int cell_of(const grid* g, phx_vec3 x) {
    const double at[3] = {x.x - g->low.x, x.y - g->low.y, x.z - g->low.z};
    int cell = 0;
    for (int c = 2; c >= 0; --c) {
        int k = (int)(at[c] / g->edge[c]);
        cell = cell * g->cells[c] + (k < 0 ? 0 : k >= g->cells[c] ? g->cells[c] - 1 : k);
    }
    return cell;
}

/// Numbers of bricks in the order of cells, into `number`; returns how many.
static int number_bricks(const phxi_implicit* s, const phxi_particles* p, const grid* g, int* number) {
    memset(number, 0, (size_t)g->product * sizeof *number);
    for (int i = 0; i < s->count; ++i) {
        ++number[cell_of(g, rest_of(p, s->begin + i))];
    }
    int bricks = 0;
    for (int k = 0; k < g->product; ++k) {
        number[k] = number[k] >= LEAST_PER ? bricks++ : -1;
    }
    return bricks;
}

/// Middles of bricks from their members so far.
static void find_middles(const phxi_implicit* s, const phxi_particles* p, phx_vec3* middle, int* members) {
    memset(middle, 0, (size_t)s->brick_count * sizeof *middle);
    memset(members, 0, (size_t)s->brick_count * sizeof *members);
    for (int i = 0; i < s->count; ++i) {
        if (s->brick[i] >= 0) {
            middle[s->brick[i]] = phxi_add(middle[s->brick[i]], rest_of(p, s->begin + i));
            ++members[s->brick[i]];
        }
    }
    for (int b = 0; b < s->brick_count; ++b) {
        middle[b] = phxi_scale(1.0 / members[b], middle[b]);
    }
}

/// Particles of cells too small for a brick join the nearest one: left out they would hold back the others' modes.
static void join_nearest(phxi_implicit* s, const phxi_particles* p, const phx_vec3* middle) {
    for (int i = 0; i < s->count; ++i) {
        double least = INFINITY;
        for (int b = 0; s->brick[i] < 0 && b < s->brick_count; ++b) {
            double distance = phxi_distance(rest_of(p, s->begin + i), middle[b]);
            if (distance < least) {
                least = distance;
                s->scratch[i] = b;
            }
        }
    }
    for (int i = 0; i < s->count; ++i) {
        s->brick[i] = s->brick[i] < 0 ? s->scratch[i] : s->brick[i];
    }
}

/// Who belongs to which brick, and arms from its middle in units of its size.
static phx_result fill_bricks(phxi_implicit* s, const phxi_particles* p, double unit) {
    phx_vec3* middle;
    PHXI_NEW(middle, s->heap, s->brick_count, "implicit set-up");
    find_middles(s, p, middle, s->brick_start);
    join_nearest(s, p, middle);
    find_middles(s, p, middle, s->brick_start);
    int at = 0;
    for (int b = 0; b < s->brick_count; ++b) {
        int members = s->brick_start[b];
        s->brick_start[b] = at;
        at += members;
    }
    s->brick_start[s->brick_count] = at;
    for (int i = 0; i < s->count; ++i) {
        int b = s->brick[i];
        s->brick_items[s->brick_start[b]++] = i;
        phx_vec3 arm = phxi_scale(1 / unit, phxi_sub(rest_of(p, s->begin + i), middle[b]));
        s->arm[0][i] = (phx_real)arm.x, s->arm[1][i] = (phx_real)arm.y, s->arm[2][i] = (phx_real)arm.z;
    }
    memmove(s->brick_start + 1, s->brick_start, (size_t)s->brick_count * sizeof *s->brick_start);
    s->brick_start[0] = 0;
    phxi_free(s->heap, middle);
    return PHX_OK;
}

phx_result phxi_implicit_bricks(phxi_implicit* s, const phxi_particles* p) {
    double spacing = 0;
    for (int i = s->begin; i < s->begin + s->count; ++i) {
        spacing += (double)p->spacing[i] / s->count;
    }
    int* number;
    PHXI_NEW(number, s->heap, 4 * (size_t)s->count + 4096, "implicit set-up");
    grid g;
    int across = 4;
    for (;; ++across) {
        if (grid_of(s, p, spacing, across, &g)) {
            s->brick_count = number_bricks(s, p, &g, number);
            if (6 * s->brick_count <= MOST_MODES) {
                break;
            }
        }
    }
    for (int i = 0; i < s->count; ++i) { // a body too small for a brick is one
        s->brick[i] = s->brick_count > 0 ? number[cell_of(&g, rest_of(p, s->begin + i))] : 0;
    }
    s->brick_count = s->brick_count > 0 ? s->brick_count : 1;
    phxi_free(s->heap, number);
    PHXI_TRY(fill_bricks(s, p, across * spacing));
    s->modes = 6 * s->brick_count;
    size_t row = (size_t)(s->modes + 15) / 16 * 16;
    PHXI_NEW(s->matrix, s->heap, (size_t)s->modes * (size_t)s->modes + (size_t)s->modes, "implicit coarse");
    for (int k = 0; k < PHXI_COARSE_KEPT; ++k) {
        PHXI_NEW(s->built[k].inverse, s->heap, (size_t)s->modes * row + 16, "implicit coarse");
    }
    PHXI_NEW(s->coarse_r, s->heap, row + 16, "implicit coarse");
    PHXI_NEW(s->coarse_z, s->heap, row + 16, "implicit coarse");
    memset(s->coarse_r, 0, (row + 16) * sizeof *s->coarse_r);
    return PHX_OK;
}

phx_result phxi_implicit_no_bricks(phxi_implicit* s) {
    memset(s->brick, 0, (size_t)s->count * sizeof *s->brick); // all of them see the same zeros
    s->coarse_z = phxi_alloc_zero(s->heap, 6, sizeof *s->coarse_z, "implicit coarse");
    return s->coarse_z ? PHX_OK : PHX_ERROR_MEMORY;
}

// ---------------------------------------------------------------------------------------------------- assembly

/// The six modes of one brick in one stencil, as vectors whose products are the energy: strains, then residuals.
typedef struct local_brick {
    int brick;
    phx_vec3 sum;     // of gradients
    phxi_mat3 moment; // sum of arm g^T
} local_brick;

static void add_member(local_brick* local, int* count, int brick, phx_vec3 arm, phx_vec3 g) {
    int at = 0;
    while (at < *count && local[at].brick != brick) {
        ++at;
    }
    if (at == *count) {
        if (*count == PHXI_NEAR_BRICKS) {
            return;
        }
        local[(*count)++] = (local_brick){.brick = brick};
    }
    const double left[3] = {arm.x, arm.y, arm.z}, right[3] = {g.x, g.y, g.z};
    local[at].sum = phxi_add(local[at].sum, g);
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            local[at].moment.m[a][b] += left[a] * right[b];
        }
    }
}

/// dJ of a mode: e_c g^T summed, or (e_c x arm) g^T summed.
static phxi_mat3 mode_gradient(const local_brick* l, int mode) {
    phxi_mat3 j = {0};
    int c = mode % 3;
    if (mode < 3) {
        j.m[c][0] = l->sum.x, j.m[c][1] = l->sum.y, j.m[c][2] = l->sum.z;
        return j;
    }
    int up = (c + 1) % 3, down = (c + 2) % 3; // e_c x a = a_up e_down - a_down e_up
    for (int b = 0; b < 3; ++b) {
        j.m[down][b] = l->moment.m[up][b];
        j.m[up][b] = -l->moment.m[down][b];
    }
    return j;
}

static phx_vec3 mode_value(int mode, phx_vec3 arm) {
    int c = mode % 3;
    phx_vec3 axis = phxi_vec3(c == 0, c == 1, c == 2);
    return mode < 3 ? axis : phxi_cross(axis, arm);
}

/// Square roots of the energy's terms: products of two such vectors are the bilinear form of strain and hourglass.
static void mode_vector(const phxi_implicit* s, const phxi_stencil* t, int particle, const local_brick* l, int mode,
                        const int* brick, double* out) {
    phxi_mat3 j = mode_gradient(l, mode);
    double shear = sqrt(2 * t->mu * t->volume), across = sqrt(t->mu * t->volume);
    for (int c = 0; c < 3; ++c) {
        int up = (c + 1) % 3;
        out[c] = shear * j.m[c][c];
        out[3 + c] = across * (j.m[c][up] + j.m[up][c]);
    }
    out[6] = sqrt(fmax(0, t->lambda) * t->volume) * (j.m[0][0] + j.m[1][1] + j.m[2][2]);
    phx_vec3 own = {0};
    if (brick[particle] == l->brick) {
        own = mode_value(mode, phxi_vec3(s->arm[0][particle], s->arm[1][particle], s->arm[2][particle]));
    }
    for (int k = 0; k < t->count; ++k) {
        int i = t->neighbor[k];
        phx_vec3 e = phxi_scale(-1, own);
        if (brick[i] == l->brick) {
            e = phxi_add(e, mode_value(mode, phxi_vec3(s->arm[0][i], s->arm[1][i], s->arm[2][i])));
        }
        e = phxi_sub(e, phxi_mat3_apply(&j, t->arm[k]));
        double root = sqrt(t->hourglass * t->weight[k]);
        double* to = out + STRAIN_PARTS + 3 * k;
        to[0] = root * e.x, to[1] = root * e.y, to[2] = root * e.z;
    }
}

static double plain_dot(const double* a, const double* b, int count) {
    double sum = 0;
    for (int k = 0; k < count; ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

/// Adds the share of one neighbourhood; `vectors` has room for PHXI_NEAR_BRICKS * 6 of them.
static void add_stencil(phxi_implicit* s, const phxi_stencil* t, int particle, const int* brick, double scale,
                        double* vectors) {
    local_brick local[PHXI_NEAR_BRICKS];
    int count = 0;
    bool alone = true; // all in one brick, nothing held
    phx_vec3 own = {0};
    for (int k = 0; k < t->count; ++k) {
        own = phxi_sub(own, t->gradient[k]);
        alone = alone && brick[t->neighbor[k]] == brick[particle];
    }
    if (alone) {
        return;
    }
    for (int k = -1; k < t->count; ++k) {
        int i = k < 0 ? particle : t->neighbor[k];
        if (brick[i] >= 0) {
            phx_vec3 arm = phxi_vec3(s->arm[0][i], s->arm[1][i], s->arm[2][i]);
            add_member(local, &count, brick[i], arm, k < 0 ? own : t->gradient[k]);
        }
    }
    int length = STRAIN_PARTS + 3 * t->count;
    for (int a = 0; a < 6 * count; ++a) {
        mode_vector(s, t, particle, &local[a / 6], a % 6, brick, vectors + (size_t)a * (size_t)length);
        for (int b = 0; b <= a; ++b) {
            double share =
                scale * plain_dot(vectors + (size_t)a * (size_t)length, vectors + (size_t)b * (size_t)length, length);
            int row = 6 * local[a / 6].brick + a % 6, column = 6 * local[b / 6].brick + b % 6;
            s->matrix[(size_t)(row > column ? row : column) * (size_t)s->modes +
                      (size_t)(row > column ? column : row)] += share;
        }
    }
}

static void add_masses(const phxi_implicit_work* w, const int* brick) {
    phxi_implicit* s = w->s;
    for (int i = 0; i < s->count; ++i) {
        if (brick[i] < 0) {
            continue;
        }
        phx_vec3 arm = phxi_vec3(s->arm[0][i], s->arm[1][i], s->arm[2][i]);
        for (int a = 0; a < 6; ++a) {
            for (int b = 0; b <= a; ++b) {
                size_t row = (size_t)(6 * brick[i] + a), column = (size_t)(6 * brick[i] + b);
                s->matrix[row * (size_t)s->modes + column] +=
                    (double)w->mass[i] * phxi_dot(mode_value(a, arm), mode_value(b, arm));
            }
        }
    }
}

/// The share of one neighbourhood in the diagonal blocks of K: V (mu |g|^2 I + (mu + lambda) g g^T) and hourglass.
static void add_blocks(phxi_implicit* s, const phxi_stencil* t, int particle) {
    phx_vec3 own = {0}, moment = {0};
    double weights = 0;
    for (int k = 0; k < t->count; ++k) {
        own = phxi_sub(own, t->gradient[k]);
        moment = phxi_add_scaled(moment, t->weight[k], t->arm[k]);
        weights += t->weight[k];
    }
    for (int k = -1; k < t->count; ++k) {
        phx_vec3 g = k < 0 ? own : t->gradient[k];
        // what a unit shift leaves after the fit: w - w x . g, or for the middle one, sum w + sum w x . g
        double rest =
            k < 0 ? weights + phxi_dot(moment, own) : t->weight[k] - t->weight[k] * phxi_dot(t->arm[k], t->gradient[k]);
        double* to = s->rest_block + 6 * (size_t)(k < 0 ? particle : t->neighbor[k]);
        double plain = t->volume * t->mu * phxi_dot(g, g) + t->hourglass * fmax(0, rest);
        double outer = t->volume * (t->mu + t->lambda);
        to[0] += plain + outer * g.x * g.x;
        to[1] += plain + outer * g.y * g.y;
        to[2] += plain + outer * g.z * g.z;
        to[3] += outer * g.x * g.y;
        to[4] += outer * g.x * g.z;
        to[5] += outer * g.y * g.z;
    }
}

// ---------------------------------------------------------------------------------------------------- dense inverse

static size_t row_length(const phxi_implicit* s) {
    return (size_t)(s->modes + 15) / 16 * 16;
}

/// Rows of L^-T L^-1, each on its own.
static void product_rows(void* context, int begin, int end, int block) {
    (void)block;
    phxi_implicit* s = ((phxi_implicit_work*)context)->s;
    int n = s->modes;
    size_t length = row_length(s);
    double line[MOST_MODES];
    for (int i = begin; i < end; ++i) {
        memset(line, 0, (size_t)(i + 1) * sizeof *line);
        for (int k = i; k < n; ++k) {
            const double* row = s->matrix + (size_t)k * (size_t)n;
            phxi_dense_subtract(line, row, -row[i], i + 1);
        }
        for (int j = 0; j <= i; ++j) {
            s->inverse[(size_t)i * length + (size_t)j] = (float)line[j];
        }
    }
}

static void invert(phxi_implicit_work* w) {
    phxi_implicit* s = w->s;
    size_t length = row_length(s);
    phxi_dense_factor(s->matrix, s->modes);
    phxi_dense_invert(s->matrix, s->modes, s->matrix + (size_t)s->modes * (size_t)s->modes);
    phxi_parallel_for(w->step->pool, s->modes, 16, product_rows, w);
    for (size_t i = 0; i < (size_t)s->modes; ++i) {
        for (size_t j = i + 1; j < length; ++j) {
            s->inverse[i * length + j] = j < (size_t)s->modes ? s->inverse[j * length + i] : 0;
        }
    }
}

// ---------------------------------------------------------------------------------------------------- per step

/// 4/9 dt^2 with dt rounded to 4^k/60 s.
static double rounded_s(double dt) {
    double rounded = exp2(2 * nearbyint(log2(60 * dt) / 2)) / 60;
    return 4.0 / 9 * rounded * rounded;
}

static void build(phxi_implicit_work* w, double s_built) {
    phxi_implicit* s = w->s;
    if (s->modes > 0) {
        memset(s->matrix, 0, (size_t)s->modes * (size_t)s->modes * sizeof *s->matrix);
    }
    memset(s->rest_block, 0, 6 * (size_t)s->count * sizeof *s->rest_block);
    int* brick = s->scratch; // with the fixed ones left out
    for (int i = 0; i < s->count; ++i) {
        brick[i] = w->fixed[i] ? -1 : s->brick[i];
    }
    double* vectors = (double*)(s->stencil.weight + w->op->stencil_size);
    for (int i = 0; i < s->count; ++i) {
        w->op->stencil(w->op->context, i, &s->stencil);
        add_blocks(s, &s->stencil, i);
        if (s->modes > 0) {
            add_stencil(s, &s->stencil, i, brick, s_built, vectors);
        }
    }
    if (s->modes > 0) {
        add_masses(w, brick);
        invert(w);
    }
}

void phxi_implicit_prepare(phxi_implicit_work* w) {
    phxi_implicit* s = w->s;
    double wanted = rounded_s(w->system->dt);
    uint64_t fixed = phxi_hash_bytes(w->fixed, (size_t)s->count * sizeof *w->fixed, 0);
    for (int k = 0; k < PHXI_COARSE_KEPT; ++k) {
        if (wanted == s->built[k].s && fixed == s->built[k].fixed) {
            s->inverse = s->built[k].inverse;
            s->last_built = k;
            return;
        }
    }
    s->last_built = (s->last_built + 1) % PHXI_COARSE_KEPT; // not the one in use
    s->inverse = s->built[s->last_built].inverse;
    s->built[s->last_built].s = wanted;
    s->built[s->last_built].fixed = fixed;
    build(w, wanted);
}

void phxi_implicit_rebuild(phxi_implicit* s) {
    for (int k = 0; k < PHXI_COARSE_KEPT; ++k) {
        s->built[k].s = 0;
    }
}

/// Inverse of a symmetric 3x3 by cofactors.
static void invert_block(const double d[6], phx_real* const out[6], int i) {
    double xx = d[1] * d[2] - d[5] * d[5], xy = d[4] * d[5] - d[3] * d[2], xz = d[3] * d[5] - d[4] * d[1];
    double yy = d[0] * d[2] - d[4] * d[4], yz = d[3] * d[4] - d[0] * d[5], zz = d[0] * d[1] - d[3] * d[3];
    double det = d[0] * xx + d[3] * xy + d[4] * xz, scale = det > 0 ? 1 / det : 0;
    const double all[6] = {xx, yy, zz, xy, xz, yz};
    for (int k = 0; k < 6; ++k) {
        out[k][i] = (phx_real)(scale * all[k]);
    }
}

/// The block of particle i at rest, turned along.
static void turn_block(const phxi_implicit_work* w, int i, double block[6]) {
    phx_real r[9];
    double full[9], turned[9];
    const double* rest = w->s->rest_block + 6 * (size_t)i;
    const double all[9] = {rest[0], rest[3], rest[4], rest[3], rest[1], rest[5], rest[4], rest[5], rest[2]};
    w->op->rotation(w->op->context, i, r);
    for (int a = 0; a < 9; ++a) { // R D
        int row = a / 3, column = a % 3;
        full[a] = (double)r[3 * row] * all[column] + (double)r[3 * row + 1] * all[3 + column] +
                  (double)r[3 * row + 2] * all[6 + column];
    }
    for (int a = 0; a < 9; ++a) { // (R D) R^T
        int row = a / 3, column = a % 3;
        turned[a] = full[3 * row] * (double)r[3 * column] + full[3 * row + 1] * (double)r[3 * column + 1] +
                    full[3 * row + 2] * (double)r[3 * column + 2];
    }
    static const int at[6] = {0, 4, 8, 1, 2, 5};
    for (int k = 0; k < 6; ++k) {
        block[k] = turned[at[k]];
    }
}

/// I - P of a rail in the axes of the linear system, as xx yy zz xy xz yz.
static void across_rail(const phxi_implicit_work* w, int i, double n[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    phxi_mat3 p = phxi_implicit_rail_axes(w, i);
    for (int k = 0; k < 6; ++k) {
        n[k] = (row[k] == column[k]) - p.m[row[k]][column[k]];
    }
}

/// P D P + (I - P), which has an inverse on the rail and beside it.
static void keep_to_rail(const phxi_implicit_work* w, int i, double d[6]) {
    double n[6];
    across_rail(w, i, n);
    phxi_mat3 p = phxi_implicit_rail_axes(w, i), own = {{{d[0], d[3], d[4]}, {d[3], d[1], d[5]}, {d[4], d[5], d[2]}}};
    phxi_mat3 right = phxi_mat3_mul(&own, &p), both = phxi_mat3_mul(&p, &right);
    const double kept[6] = {both.m[0][0], both.m[1][1], both.m[2][2], both.m[0][1], both.m[0][2], both.m[1][2]};
    for (int k = 0; k < 6; ++k) {
        d[k] = kept[k] + n[k] * (double)w->mass[i]; // of the size of the others
    }
}

static void leave_rail_out(const phxi_implicit_work* w, int i) {
    double n[6];
    across_rail(w, i, n);
    for (int k = 0; k < 6; ++k) {
        w->s->block[k][i] -= (phx_real)(n[k] / (double)w->mass[i]);
    }
}

static void block_part(void* context, int begin, int end, int block) {
    (void)block;
    const phxi_implicit_work* w = context;
    phxi_implicit* s = w->s;
    for (int i = begin; i < end; ++i) {
        if (w->fixed[i]) {
            for (int k = 0; k < 6; ++k) {
                s->block[k][i] = 0;
            }
            continue;
        }
        double k_own[6], d[6];
        if (w->op->diagonal) {
            w->op->diagonal(w->op->context, i, k_own);
        } else {
            turn_block(w, i, k_own);
        }
        for (int k = 0; k < 6; ++k) {
            d[k] = s->s * k_own[k] + (k < 3 ? (double)w->mass[i] : 0);
            d[k] += w->touching && s->touched[i] ? (double)s->contact[k][i] : 0;
        }
        if (w->paired) {
            phxi_implicit_pair_block(w, i, d);
        }
        if (phxi_implicit_on_rail(w, i)) {
            keep_to_rail(w, i, d);
        }
        invert_block(d, s->block, i);
        if (phxi_implicit_on_rail(w, i)) {
            leave_rail_out(w, i);
        }
    }
}

void phxi_implicit_blocks(phxi_implicit_work* w) {
    phxi_implicit_loop(w, block_part);
}

/// Z^T r of a range of bricks.
static void restrict_bricks(void* context, int begin, int end, int block) {
    (void)block;
    phxi_implicit* s = ((phxi_implicit_work*)context)->s;
    for (int b = begin; b < end; ++b) {
        double sum[6] = {0};
        for (int k = s->brick_start[b]; k < s->brick_start[b + 1]; ++k) {
            int i = s->brick_items[k];
            double rx = (double)s->r[0][i], ry = (double)s->r[1][i], rz = (double)s->r[2][i];
            double ax = (double)s->arm[0][i], ay = (double)s->arm[1][i], az = (double)s->arm[2][i];
            sum[0] += rx, sum[1] += ry, sum[2] += rz;
            sum[3] += ay * rz - az * ry, sum[4] += az * rx - ax * rz, sum[5] += ax * ry - ay * rx;
        }
        for (int k = 0; k < 6; ++k) {
            s->coarse_r[6 * b + k] = (float)sum[k];
        }
    }
}

typedef float wide_float __attribute__((vector_size(64)));

static PHXI_CLONES void implicit_coarse_rows(const phxi_implicit* s, int begin, int end) {
    size_t length = row_length(s);
    for (int i = begin; i < end; ++i) {
        const wide_float* row = (const wide_float*)(const void*)(s->inverse + (size_t)i * length);
        const wide_float* r = (const wide_float*)(const void*)s->coarse_r;
        wide_float sum = {0};
        for (size_t k = 0; k < length / 16; ++k) {
            sum += row[k] * r[k];
        }
        float total = 0;
        for (int lane = 0; lane < 16; ++lane) {
            total += sum[lane];
        }
        s->coarse_z[i] = total;
    }
}

static void coarse_rows(void* context, int begin, int end, int block) {
    (void)block;
    implicit_coarse_rows(((phxi_implicit_work*)context)->s, begin, end);
}

double phxi_implicit_coarse(phxi_implicit_system* y) {
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit_work* w = &y->works[k];
        phxi_parallel_for(w->step->pool, w->s->brick_count, 8, restrict_bricks, w);
        phxi_parallel_for(w->step->pool, w->s->modes, 64, coarse_rows, w);
    }
    if (y->coarse && y->coarse->count > 0) {
        phxi_implicit_coarse_correct(y);
    }
    double dot = 0;
    for (int k = 0; k < y->count; ++k) {
        const phxi_implicit* s = y->works[k].s;
        for (int m = 0; m < s->modes; ++m) {
            dot += (double)s->coarse_r[m] * (double)s->coarse_z[m];
        }
    }
    return dot;
}
