// SPDX-License-Identifier: MIT
// Mode current: kernels on current positions, neighbours searched in every substep, docs/theory/corotated_sph.md
// (12) to (14). The literal reading of the paper, for study: bodies of it come apart at a strain of a tenth, see docs.
//
// All in double and one particle at a time: what it costs does not matter here. Everything is in the axes of the
// frame, where N = R G^2 R^T, so that kernels are made of x_ij and N alone:
//
//   s^2 = x^T N x,  w = 15/pi det G (1 - s)^3,  g = V_j 45/pi det G (1 - s)^2 / s  N x
//
// which is R times the gradient of (12) at y = R^T x. With B = sum x g^T and M = sum X g^T the turned gradient drops
// out: F = B M^-1, and corrected gradients are d = M^-T g.
#include "methods/corotated_sph/corotated_internal.h"

#include "math/decompose3.h"

#include <string.h>

#define PI       3.14159265358979323846
#define LEAST    1e-9  // s of a pair in one place: no direction
#define RANK_CUT 1e-3  // as build.c
#define REACH    1.001 // searched a little farther than kernels reach, for rounding

// -------------------------------------------------------------------------------------------------------------- memory

phx_result phxi_csph_current_create(phxi_heap* heap, phxi_csph_slot* slot) {
    phxi_csph_current* c = slot->current = phxi_alloc_zero(heap, 1, sizeof *c, "corotated neighbours");
    if (!c) {
        return PHX_ERROR_MEMORY;
    }
    for (int a = 0; a < 3; ++a) {
        PHXI_NEW(c->at[a], heap, slot->count, "corotated neighbours");
    }
    PHXI_NEW(c->next, heap, slot->count, "corotated neighbours");
    PHXI_NEW(c->rest, heap, slot->count, "corotated neighbours");
    return phxi_search_create(heap, PHXI_SEARCH_GRID, &c->search);
}

static void free_pairs(phxi_heap* heap, phxi_csph_current* c) {
    phxi_free(heap, c->mirror);
    phxi_free(heap, c->sees);
    phxi_free(heap, c->push);
    c->mirror = NULL, c->sees = NULL, c->push = NULL;
    c->capacity = 0;
}

void phxi_csph_current_destroy(phxi_heap* heap, phxi_csph_slot* slot) {
    phxi_csph_current* c = slot->current;
    if (!c) {
        return;
    }
    free_pairs(heap, c);
    for (int a = 0; a < 3; ++a) {
        phxi_free(heap, c->at[a]);
    }
    phxi_free(heap, c->next);
    phxi_free(heap, c->rest);
    phxi_lists_destroy(heap, &c->lists);
    phxi_search_destroy(c->search);
    phxi_free(heap, c);
    slot->current = NULL;
}

/// Room for the pairs of the lists and half as many more.
static phx_result make_room(phxi_heap* heap, phxi_csph_current* c, int64_t pairs) {
    if (pairs <= c->capacity) {
        return PHX_OK;
    }
    if (pairs > INT32_MAX / 64) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "%lld pairs of neighbours, expected fewer: has the body collapsed?",
                         (long long)pairs);
    }
    free_pairs(heap, c);
    size_t room = (size_t)(pairs + pairs / 2);
    c->mirror = phxi_alloc(heap, room, sizeof *c->mirror, "corotated neighbours");
    c->sees = phxi_alloc(heap, room, sizeof *c->sees, "corotated neighbours");
    c->push = phxi_alloc(heap, room, sizeof *c->push, "corotated neighbours");
    if (!c->mirror || !c->sees || !c->push) {
        free_pairs(heap, c);
        return PHX_ERROR_MEMORY;
    }
    c->capacity = (int)room;
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- search

static double longest(const phxi_csph_slot* slot) {
    double most = 0;
    for (int i = 0; i < slot->count; ++i) {
        most = fmax(most, (double)slot->radius[i]);
    }
    return REACH * most * (slot->params.kernel == PHXI_ISOTROPIC ? 1 : 1 + slot->params.eta);
}

phx_result phxi_csph_current_search(phxi_step* step, phxi_csph_slot* slot, int* lost) {
    phxi_csph_current* c = slot->current;
    const phxi_particles* p = step->particles;
    const phx_real* const rest[3] = {p->rest_x + slot->begin, p->rest_y + slot->begin, p->rest_z + slot->begin};
    *lost = -1;
    for (int i = 0; i < slot->count && *lost < 0; ++i) {
        c->rest[i] = phxi_vec3(rest[0][i], rest[1][i], rest[2][i]);
        for (int a = 0; a < 3; ++a) {
            c->at[a][i] = rest[a][i] + slot->u[i][a];
            *lost = isfinite(c->at[a][i]) ? *lost : i;
        }
    }
    if (*lost >= 0) {
        return PHX_OK;
    }
    PHXI_TRY(phxi_search_pairs(c->search, step->pool, (phxi_points){c->at[0], c->at[1], c->at[2], slot->count}, NULL,
                               longest(slot), &c->lists));
    PHXI_TRY(make_room(step->heap, c, c->lists.start[slot->count]));
    c->young = step->bodies[slot->body].material.young;
    for (int i = 0; i < slot->count; ++i) { // rows ascend: pairs of j with ever larger i follow each other
        c->next[i] = (int)c->lists.start[i];
    }
    for (int i = 0; i < slot->count; ++i) {
        for (int64_t k = c->lists.start[i]; k < c->lists.start[i + 1]; ++k) {
            c->mirror[k] = c->next[c->lists.items[k]]++;
        }
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- pass 1

/// What a particle sums over those it sees, and what follows.
typedef struct sums {
    phxi_mat3 b, m, inverse, span; // sum u g^T, sum X g^T, M^+, M M^+
    double spread;                 // sum w |X|^2
    int seen;
} sums;

typedef struct metric {
    phxi_mat3 n;
    double det; // of G
} metric;

typedef struct pair {
    phx_vec3 rest, moved, gradient; // X, u, g
    double weight;                  // w; 0: out of reach
} pair;

static phx_vec3 vec_of(const phxi_r4* a) {
    return phxi_vec3((double)(*a)[0], (double)(*a)[1], (double)(*a)[2]);
}

static pair pair_of(const phxi_csph_slot* slot, const metric* kernel, int i, int j) {
    phxi_r4 u = slot->u[j] - slot->u[i];
    pair p = {phxi_sub(slot->current->rest[j], slot->current->rest[i]), vec_of(&u), {0, 0, 0}, 0};
    phx_vec3 x = phxi_add(p.rest, p.moved), slope = phxi_mat3_apply(&kernel->n, x);
    double square = phxi_dot(x, slope);
    if (square < 1 && square > LEAST * LEAST) {
        double s = sqrt(square), left = 1 - s;
        p.weight = 15 / PI * kernel->det * left * left * left;
        p.gradient = phxi_scale((double)slot->volume[j] * 45 / PI * kernel->det * left * left / s, slope);
    }
    return p;
}

static void add_outer(phxi_mat3* sum, phx_vec3 a, phx_vec3 b) {
    const double left[3] = {a.x, a.y, a.z}, right[3] = {b.x, b.y, b.z};
    for (int k = 0; k < 9; ++k) {
        sum->m[k / 3][k % 3] += left[k / 3] * right[k % 3];
    }
}

/// M^+ and what it spans. M is not symmetric: singular values take the place of eigenvalues.
static void invert(sums* s) {
    phxi_mat3 u, v;
    double values[3], third;
    phxi_svd3(&s->m, &u, values, &v);
    third = (fabs(values[0]) + fabs(values[1]) + fabs(values[2])) / 3;
    bool spanned = s->seen >= 4 && values[0] * values[1] * values[2] > RANK_CUT * third * third * third;
    s->inverse = s->span = (phxi_mat3){0};
    for (int k = 0; k < 3; ++k) {
        if (!spanned && !(fabs(values[k]) > RANK_CUT * values[0])) {
            continue;
        }
        phx_vec3 left = {u.m[0][k], u.m[1][k], u.m[2][k]}, right = {v.m[0][k], v.m[1][k], v.m[2][k]};
        add_outer(&s->inverse, phxi_scale(1 / values[k], right), left);
        add_outer(&s->span, left, left);
    }
}

static metric kernel_of(phx_real n[6][CSPH_BLOCK], int lane) {
    phxi_sym3 all = {n[0][lane], n[1][lane], n[2][lane], n[3][lane], n[4][lane], n[5][lane]};
    metric k = {phxi_sym3_full(&all), 0};
    k.det = sqrt(fmax(0, phxi_mat3_det(&k.n)));
    return k;
}

static sums sum_up(const phxi_csph_slot* slot, const metric* kernel, int i) {
    const phxi_csph_current* c = slot->current;
    sums s = {0};
    for (int64_t k = c->lists.start[i]; k < c->lists.start[i + 1]; ++k) {
        pair p = pair_of(slot, kernel, i, c->lists.items[k]);
        c->sees[k] = p.weight > 0;
        s.seen += p.weight > 0;
        s.spread += p.weight * phxi_dot(p.rest, p.rest);
        add_outer(&s.b, p.moved, p.gradient);
        add_outer(&s.m, p.rest, p.gradient);
    }
    invert(&s);
    return s;
}

// -------------------------------------------------------------------------------------------------------------- stress

/// F - I into the block, for rotations: of what is spanned.
static void put_gradient(const sums* s, int lane, phxi_csph_block* b) {
    phxi_mat3 g = phxi_mat3_mul(&s->b, &s->inverse);
    for (int k = 0; k < 9; ++k) {
        b->g[k][lane] = (phx_real)(g.m[k / 3][k % 3] + s->span.m[k / 3][k % 3] - (k % 4 == 0));
    }
}

/// D of (6) in rest axes: R^T (B + M) M^+ - M M^+, or (R^T (B + M) - M) R where gradients are plain.
static phxi_mat3 gradient_of(const phxi_csph_slot* slot, const sums* s, const phxi_mat3* turn) {
    phxi_mat3 back = phxi_mat3_transpose(turn), now = s->b;
    for (int k = 0; k < 9; ++k) {
        now.m[k / 3][k % 3] += s->m.m[k / 3][k % 3];
    }
    now = phxi_mat3_mul(&back, &now);
    for (int k = 0; k < 9; ++k) {
        now.m[k / 3][k % 3] -= s->m.m[k / 3][k % 3];
    }
    return phxi_mat3_mul(&now, slot->params.gradient == CSPH_CORRECTED ? &s->inverse : turn);
}

static int rank_of(const sums* s) {
    return phxi_csph_rank(s->span.m[0][0] + s->span.m[1][1] + s->span.m[2][2]);
}

static phxi_mat3 stress_of(const phxi_csph_slot* slot, const phxi_elastic* elastic, const sums* s, const phxi_mat3* d,
                           int i, phxi_mat3* strain) {
    double trace = 0, warm = (double)phxi_csph_thermal_strain(slot, i);
    phxi_mat3 stress;
    for (int k = 0; k < 9; ++k) {
        int row = k / 3, column = k % 3;
        double e = (d->m[row][column] + d->m[column][row]) / 2;
        for (int a = 0; a < 3 && slot->params.strain == CSPH_GREEN; ++a) {
            e += d->m[a][row] * d->m[a][column] / 2;
        }
        e -= warm * s->span.m[row][column];
        strain->m[row][column] = e;
        trace += row == column ? e : 0;
    }
    const double lambda = phxi_csph_lambda(slot, elastic, rank_of(s));
    for (int k = 0; k < 9; ++k) {
        int row = k / 3, column = k % 3;
        stress.m[row][column] = 2 * elastic->mu * strain->m[row][column] + lambda * trace * s->span.m[row][column];
    }
    return stress;
}

/// Q, the force of a pair over its gradient, and K = R (I + D).
static phxi_mat3 push_of(const phxi_csph_slot* slot, const sums* s, const phxi_mat3* turn, const phxi_mat3* d,
                         const phxi_mat3* stress, double volume, phxi_mat3* turned) {
    phxi_mat3 stretched = *d, q, last;
    for (int k = 0; k < 3; ++k) {
        stretched.m[k][k] += 1;
    }
    *turned = phxi_mat3_mul(turn, &stretched);
    q = phxi_mat3_mul(slot->params.strain == CSPH_GREEN ? turned : turn, stress);
    last = phxi_mat3_transpose(slot->params.gradient == CSPH_CORRECTED ? &s->inverse : turn);
    q = phxi_mat3_mul(&q, &last);
    for (int k = 0; k < 9; ++k) {
        q.m[k / 3][k % 3] *= volume * slot->params.pair_share;
    }
    return q;
}

/// The pushes of a particle's pairs. Returns the energy of its hourglass forces.
static double push(const phxi_csph_slot* slot, const metric* kernel, int i, const phxi_mat3* q, const phxi_mat3* turned,
                   double stiffness) {
    const phxi_csph_current* c = slot->current;
    double energy = 0;
    for (int64_t k = c->lists.start[i]; k < c->lists.start[i + 1]; ++k) {
        c->push[k] = (phx_vec3){0, 0, 0};
        if (c->sees[k]) {
            pair p = pair_of(slot, kernel, i, c->lists.items[k]);
            phx_vec3 off = phxi_sub(phxi_add(p.rest, p.moved), phxi_mat3_apply(turned, p.rest));
            c->push[k] = phxi_add_scaled(phxi_mat3_apply(q, p.gradient), stiffness * p.weight, off);
            energy += stiffness * p.weight * phxi_dot(off, off) / 2;
        }
    }
    return energy;
}

static void finish(const phxi_csph_slot* slot, const phxi_elastic* elastic, const metric* kernel, const sums* s, int i,
                   int lane, phxi_csph_block* b) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const phxi_turn8* lanes = &b->turns[lane / CSPH_LANES];
    phxi_mat3 turn, strain, turned;
    for (int k = 0; k < 9; ++k) {
        turn.m[k / 3][k % 3] = (double)lanes->r[k][lane % CSPH_LANES];
    }
    phxi_mat3 d = gradient_of(slot, s, &turn), stress = stress_of(slot, elastic, s, &d, i, &strain);
    double volume = (double)slot->volume[i];
    phxi_mat3 q = push_of(slot, s, &turn, &d, &stress, volume, &turned);
    double stiffness =
        s->spread > 0 ? slot->params.hourglass * slot->params.pair_share * slot->current->young * volume / s->spread
                      : 0;
    b->hourglass[lane] = push(slot, kernel, i, &q, &turned, stiffness);
    for (int k = 0; k < 6; ++k) {
        b->strain[k][lane] = (phx_real)strain.m[row[k]][column[k]];
        b->part.span[k][lane] = (phx_real)s->span.m[row[k]][column[k]];
    }
    b->lambda[lane] = (phx_real)phxi_csph_lambda(slot, elastic, rank_of(s));
    for (int k = 0; k < 9; ++k) {
        b->k[k][lane] = (phx_real)(turned.m[k / 3][k % 3] - (k % 4 == 0));
    }
}

bool phxi_csph_current_stress(const phxi_csph_slot* slot, const phxi_elastic* elastic, phx_real* const shape[6],
                              bool renew, int block, phxi_csph_block* b) {
    int first = block * CSPH_BLOCK, count = phxi_csph_count(slot, block);
    phx_real n[6][CSPH_BLOCK];
    sums all[CSPH_BLOCK];
    metric kernels[CSPH_BLOCK];
    phxi_csph_kernels(slot, shape, first, count, n);
    for (int i = 0; i < count; ++i) {
        kernels[i] = kernel_of(n, i);
        all[i] = sum_up(slot, &kernels[i], first + i);
        put_gradient(&all[i], i, b);
    }
    if (slot->params.rotation == CSPH_FROM_SHAPE) {
        phxi_csph_shape_matrices(slot, first, count, b);
    }
    memset(b->turns, 0, sizeof b->turns);
    phxi_rotations(b->g[0], CSPH_BLOCK, count, b->turns, b->det, b->distance);
    bool finite = true;
    b->span = b->part.span[0];
    for (int i = 0; i < count; ++i) {
        finish(slot, elastic, &kernels[i], &all[i], first + i, i, b);
        finite = finite && isfinite(b->hourglass[i] + (double)b->strain[0][i] + (double)b->strain[1][i]);
    }
    if (renew && slot->params.kernel != PHXI_ISOTROPIC) {
        phxi_csph_new_kernels(slot, true, shape, first, count, b);
    }
    return finite;
}

// -------------------------------------------------------------------------------------------------------------- pass 2

void phxi_csph_current_force(const phxi_csph_slot* slot, int block, phx_real force[3][CSPH_BLOCK]) {
    const phxi_csph_current* c = slot->current;
    int first = block * CSPH_BLOCK, count = phxi_csph_count(slot, block);
    for (int i = 0; i < count; ++i) {
        phx_vec3 sum = {0, 0, 0};
        for (int64_t k = c->lists.start[first + i]; k < c->lists.start[first + i + 1]; ++k) {
            sum = phxi_add(sum, phxi_sub(c->push[k], c->push[c->mirror[k]]));
        }
        force[0][i] = (phx_real)sum.x, force[1][i] = (phx_real)sum.y, force[2][i] = (phx_real)sum.z;
    }
}

double phxi_csph_current_lost(const phxi_csph_slot* slot, int i) {
    const phxi_csph_current* c = slot->current;
    int seen = 0, all = slot->start[i + 1] - slot->start[i];
    int64_t at = c->lists.start[i], end = c->lists.start[i + 1];
    for (int k = slot->start[i]; k < slot->start[i + 1]; ++k) { // both ascend
        while (at < end && c->lists.items[at] < slot->other[k]) {
            ++at;
        }
        seen += at < end && c->lists.items[at] == slot->other[k] && c->sees[at];
    }
    return all > 0 ? 1 - (double)seen / all : 0;
}
