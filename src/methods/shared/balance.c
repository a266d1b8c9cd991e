// SPDX-License-Identifier: MIT
// docs/theory/efg.md (18).
//
// With gradients d_ij = M_i^-1 w_ij x_ij and a stress P that is the same everywhere, the force on a particle is P r_i,
//
//   r_i = sum_j w_ij (V_i M_i^-1 + V_j M_j^-1) x_ij
//
// which should be nothing inside. On lattices it is, by symmetry. Where cells of two sizes meet it is not, the body
// gives way there, and is too soft. Gradients stay exact for linear fields with any symmetric weights, momenta too, and
// forces stay the gradient of the energy; so the weights are free to make r vanish. They change as little as they can:
// w -> w exp(e), e_ij = (m_i - m_j) . (V_i M_i^-1 + V_j M_j^-1) x_ij, where the m are as the displacements of a truss
// with bars w along these vectors that is loaded with -r and held at the surface. M follows w, so a few rounds.
//
// At the surface -r is the area that a particle stands for. Where that is known r is made so, and what is sheared along
// a curved surface is as stiff as it should be. Else particles are at the surface if a wide cone about their
// neighbourhood's empty side has no neighbour in it, and are left as they are.
#include "methods/shared/balance.h"

#include "math/decompose3.h"
#include "solve/cg.h"

#include <string.h>

#define CONE       0.5    // cosine of half its angle
#define ROUNDS     12     // at most
#define GOAL       3e-3   // what r lacks over the square of the spacing, root mean square
#define SLOWLY     0.5    // of the mean square: with areas, a round that leaves more of it changes weights for little
#define MOST       1.3863 // log 4: how far a weight may go
#define MOST_ROUND 0.7    // in one round
#define TOLERANCE  1e-2   // of the truss
#define ITERATIONS 60
#define LEAST_STEP 0.1
#define LEVEL      1e-3 // of the spacing: how far particles of a lattice may be off their places

enum { GRAIN = 128 };

typedef struct balancer {
    const phxi_balance_body* b;
    const double* first;  // by pair: weights at the start
    bool* exempt;         // at the surface: r is not known
    phx_vec3* area;       // -r as it should be
    phxi_sym3* flux;      // V M^-1
    float *tilt, *change; // e of all rounds, of this round
    float* weight;        // as they are now
    double step;          // fraction of the change that is tried
    phx_vec3 *residual, *shift, *direction, *product;
    double* sums; // one a block
} balancer;

static phx_vec3 times(const phxi_sym3* s, phx_vec3 x) {
    return phxi_vec3(s->xx * x.x + s->xy * x.y + s->xz * x.z, s->xy * x.x + s->yy * x.y + s->yz * x.z,
                     s->xz * x.x + s->yz * x.y + s->zz * x.z);
}

static phx_vec3 difference(const phxi_balance_body* b, int i, int j) {
    return phxi_sub(phxi_vec3(b->rest[0][j], b->rest[1][j], b->rest[2][j]),
                    phxi_vec3(b->rest[0][i], b->rest[1][i], b->rest[2][i]));
}

/// (V_i M_i^-1 + V_j M_j^-1) x_ij, to the last bit the negative of that of j and i.
static phx_vec3 bar(const balancer* a, int i, int j) {
    phx_vec3 x = difference(a->b, i, j);
    return phxi_add(times(&a->flux[i], x), times(&a->flux[j], x));
}

/// A new weight; the same bits for both rows of a pair.
static double weigh(balancer* a, int64_t pair) {
    a->weight[pair] = (float)(a->first[pair] * exp((double)a->tilt[pair]));
    return (double)a->weight[pair];
}

// ----------------------------------------------------------------------------------------------------------- start

/// The empty side of a neighbourhood is where its first moment does not point. Sheets and rods have no inside.
static bool at_surface(const balancer* a, int i) {
    const phxi_balance_body* b = a->b;
    phx_vec3 full = {0, 0, 0};
    for (int64_t k = b->lists->start[i]; k < b->lists->start[i + 1]; ++k) {
        full = phxi_add_scaled(full, a->first[k], difference(b, i, b->lists->items[k]));
    }
    double size = phxi_length(full);
    for (int64_t k = b->lists->start[i]; k < b->lists->start[i + 1]; ++k) {
        phx_vec3 x = difference(b, i, b->lists->items[k]);
        if (-phxi_dot(x, full) >= CONE * phxi_length(x) * size) {
            return false;
        }
    }
    return true;
}

static phx_vec3 area_of(const phxi_balance_body* b, int i) {
    return b->area[0] ? phxi_vec3(b->area[0][i], b->area[1][i], b->area[2][i]) : phxi_vec3(0, 0, 0);
}

/// Each of its neighbours has another one opposite.
static bool is_even(const phxi_balance_body* b, int i) {
    const double least = LEVEL * LEVEL * (double)b->spacing[i] * (double)b->spacing[i];
    for (int64_t k = b->lists->start[i]; k < b->lists->start[i + 1]; ++k) {
        const phx_vec3 x = difference(b, i, b->lists->items[k]);
        bool found = false;
        for (int64_t n = b->lists->start[i]; n < b->lists->start[i + 1] && !found; ++n) {
            const phx_vec3 sum = phxi_add(x, difference(b, i, b->lists->items[n]));
            found = phxi_dot(sum, sum) <= least;
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

/// Counts those inside that stand on no lattice, too.
static void start_rows(void* context, int begin, int end, int block) {
    balancer* a = context;
    a->sums[block] = 0;
    for (int i = begin; i < end; ++i) {
        a->area[i] = area_of(a->b, i);
        const bool known = phxi_dot(a->area[i], a->area[i]) > 0, outside = known || at_surface(a, i);
        a->exempt[i] = a->b->flat[i] || (a->b->open && a->b->open[i]) || (outside && !known);
        a->sums[block] += !outside && !a->exempt[i] && !is_even(a->b, i);
    }
}

/// Whatever the weights, sum r_i X_i^T is minus the volume times I. Areas are led there, or there is nothing to find.
static void fit_areas(balancer* a) {
    const phxi_balance_body* b = a->b;
    phxi_mat3 moment = {0}, inverse;
    double volume = 0;
    for (int i = 0; i < b->count; ++i) {
        phx_vec3 area = a->area[i], x = difference(b, 0, i);
        const double n[3] = {area.x, area.y, area.z}, at[3] = {x.x, x.y, x.z};
        volume += b->volume[i];
        for (int k = 0; k < 9; ++k) {
            moment.m[k / 3][k % 3] += n[k / 3] * at[k % 3];
        }
    }
    bool fits = phxi_mat3_inverse(&moment, &inverse);
    for (int i = 0; i < b->count && fits; ++i) {
        a->area[i] = phxi_scale(volume, phxi_mat3_apply(&inverse, a->area[i]));
    }
}

// ----------------------------------------------------------------------------------------------------------- rounds

static void flux_rows(void* context, int begin, int end, int block) {
    (void)block;
    balancer* a = context;
    const phxi_balance_body* b = a->b;
    for (int i = begin; i < end; ++i) {
        phxi_sym3 m = {0}, q;
        for (int64_t k = b->lists->start[i]; k < b->lists->start[i + 1]; ++k) {
            phx_vec3 x = difference(b, i, b->lists->items[k]);
            double w = weigh(a, k);
            m.xx += w * x.x * x.x, m.yy += w * x.y * x.y, m.zz += w * x.z * x.z;
            m.xy += w * x.x * x.y, m.xz += w * x.x * x.z, m.yz += w * x.y * x.z;
        }
        phxi_pseudo_inverse_sym3(&m, b->rank_ratio, &q, NULL);
        double v = b->volume[i];
        a->flux[i] = (phxi_sym3){v * q.xx, v * q.yy, v * q.zz, v * q.xy, v * q.xz, v * q.yz};
    }
}

/// What r lacks, and the sum of its square over the fourth power of the spacing.
static void residual_rows(void* context, int begin, int end, int block) {
    balancer* a = context;
    const phxi_balance_body* b = a->b;
    a->sums[block] = 0;
    for (int i = begin; i < end; ++i) {
        phx_vec3 r = a->exempt[i] ? phxi_vec3(0, 0, 0) : phxi_scale(-1, a->area[i]);
        for (int64_t k = b->lists->start[i]; k < b->lists->start[i + 1] && !a->exempt[i]; ++k) {
            r = phxi_add_scaled(r, -(double)a->weight[k], bar(a, i, b->lists->items[k]));
        }
        double area = (double)b->spacing[i] * (double)b->spacing[i];
        a->residual[i] = a->direction[i] = r;
        a->shift[i] = phxi_vec3(0, 0, 0);
        a->sums[block] += phxi_dot(r, r) / (area * area);
    }
}

/// The truss: forces of the direction, and its product with them.
static void truss_rows(void* context, int begin, int end, int block) {
    balancer* a = context;
    const phxi_balance_body* b = a->b;
    a->sums[block] = 0;
    for (int i = begin; i < end; ++i) {
        phx_vec3 sum = {0, 0, 0};
        for (int64_t k = b->lists->start[i]; k < b->lists->start[i + 1] && !a->exempt[i]; ++k) {
            int j = b->lists->items[k];
            phx_vec3 along = bar(a, i, j);
            double stretch = phxi_dot(phxi_sub(a->direction[i], a->direction[j]), along);
            sum = phxi_add_scaled(sum, (double)a->weight[k] * stretch, along);
        }
        a->product[i] = sum;
        a->sums[block] += phxi_dot(sum, a->direction[i]);
    }
}

static void change_rows(void* context, int begin, int end, int block) {
    (void)block;
    balancer* a = context;
    const phxi_balance_body* b = a->b;
    for (int i = begin; i < end; ++i) {
        for (int64_t k = b->lists->start[i]; k < b->lists->start[i + 1]; ++k) {
            int j = b->lists->items[k];
            double e = phxi_dot(phxi_sub(a->shift[i], a->shift[j]), bar(a, i, j));
            e = fmax(-MOST_ROUND, fmin(MOST_ROUND, e));
            double tilt = (double)a->tilt[k];
            a->change[k] = (float)(fmax(-MOST, fmin(MOST, tilt + e)) - tilt);
        }
    }
}

static double run(balancer* a, phxi_loop_body* body) {
    int count = a->b->count;
    double sum = 0;
    phxi_parallel_for(a->b->pool, count, GRAIN, body, a);
    for (int k = 0; k < phxi_block_count(count, GRAIN); ++k) {
        sum += a->sums[k];
    }
    return sum;
}

static double square_of(const phx_vec3* x, int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += phxi_dot(x[i], x[i]);
    }
    return sum;
}

static void turn(void* context, double beta) {
    balancer* a = context;
    for (int i = 0; i < a->b->count; ++i) {
        a->direction[i] = phxi_add_scaled(a->residual[i], beta, a->direction[i]);
    }
}

static double load_truss(void* context) {
    return run(context, truss_rows);
}

static double shift(void* context, double alpha) {
    balancer* a = context;
    for (int i = 0; i < a->b->count; ++i) {
        a->shift[i] = phxi_add_scaled(a->shift[i], alpha, a->direction[i]);
        a->residual[i] = phxi_add_scaled(a->residual[i], -alpha, a->product[i]);
    }
    return square_of(a->residual, a->b->count);
}

/// The truss as far as it is worth it; `residual` is used up.
static void solve(balancer* a) {
    phxi_cg_problem truss = {a, turn, load_truss, shift, NULL};
    double first = square_of(a->residual, a->b->count);
    phxi_cg(&truss, first, TOLERANCE * TOLERANCE * first, ITERATIONS);
}

static void move(balancer* a, double step) {
    for (int64_t k = 0; k < a->b->lists->start[a->b->count]; ++k) {
        a->tilt[k] += (float)step * a->change[k];
    }
}

/// Rounds until r is small or does not get smaller.
static void iterate(balancer* a) {
    int inside = 0;
    for (int i = 0; i < a->b->count; ++i) {
        inside += !a->exempt[i];
    }
    double last = INFINITY, goal = GOAL * GOAL * inside;
    a->step = 1;
    for (int round = 0; round <= ROUNDS && inside > 0; ++round) {
        run(a, flux_rows);
        double square = run(a, residual_rows);
        bool enough = square <= goal || round == ROUNDS || (a->b->area[0] && square > SLOWLY * last);
        if (square < last && enough) {
            return;
        }
        if (square < last) {
            last = square;
            solve(a);
            run(a, change_rows);
            a->step = fmin(1, 2 * a->step);
            move(a, a->step);
        } else { // too far: back half of the way, or all of it
            bool all = a->step < 2 * LEAST_STEP || round == ROUNDS;
            move(a, all ? -a->step : -a->step / 2);
            if (all) {
                return;
            }
            a->step /= 2;
        }
    }
}

// ----------------------------------------------------------------------------------------------------------- memory

static phx_result balancer_init(balancer* a, const phxi_balance_body* b, const double* weight, float* e) {
    const char* label = b->label;
    size_t count = (size_t)b->count, pairs = (size_t)b->lists->start[b->count];
    *a = (balancer){.b = b, .first = weight, .tilt = e};
    PHXI_NEW(a->exempt, b->heap, count, label);
    PHXI_NEW(a->area, b->heap, count, label);
    PHXI_NEW(a->flux, b->heap, count, label);
    PHXI_NEW(a->change, b->heap, pairs, label);
    PHXI_NEW(a->weight, b->heap, pairs, label);
    PHXI_NEW(a->residual, b->heap, 4 * count, label);
    a->shift = a->residual + count, a->direction = a->shift + count, a->product = a->direction + count;
    a->sums = phxi_alloc_zero(b->heap, (size_t)phxi_block_count(b->count, GRAIN), sizeof *a->sums, label);
    return a->sums ? PHX_OK : PHX_ERROR_MEMORY;
}

static void balancer_destroy(balancer* a) {
    phxi_heap* heap = a->b->heap;
    phxi_free(heap, a->exempt);
    phxi_free(heap, a->area);
    phxi_free(heap, a->flux);
    phxi_free(heap, a->change);
    phxi_free(heap, a->weight);
    phxi_free(heap, a->residual);
    phxi_free(heap, a->sums);
}

phx_result phxi_balance(const phxi_balance_body* body, const double* weight, float* e, bool* regular) {
    balancer a;
    phx_result result = balancer_init(&a, body, weight, e);
    *regular = true;
    if (result == PHX_OK) {
        memset(e, 0, (size_t)body->lists->start[body->count] * sizeof *e);
        *regular = run(&a, start_rows) == 0;
    }
    if (result == PHX_OK && !*regular) {
        if (body->area[0] && !body->open) {
            fit_areas(&a);
        }
        iterate(&a);
    }
    balancer_destroy(&a);
    return result;
}
