// SPDX-License-Identifier: MIT
// Weights of irregular bodies (octrees, jitter), balanced so that inside them a uniform stress is at rest:
// docs/theory/efg.md (18).
//
// With gradients d_ij = A_i^-1 w_ij x_ij and a stress P that is the same everywhere, the force on a particle is P r_i,
//
//   r_i = sum_j w_ij (V_i A_i^-1 + V_j A_j^-1) x_ij
//
// which should be nothing inside. On lattices it is, by symmetry. Where cells of two sizes meet it is not, the body
// gives way there, and is too soft. Gradients stay exact for linear fields with any symmetric weights, momenta too, and
// forces stay the gradient of the energy; so the weights are free to make r vanish. They change as little as they can:
// w -> w exp(e), e_ij = (m_i - m_j) . (V_i A_i^-1 + V_j A_j^-1) x_ij, where the m are as the displacements of a truss
// with bars w along these vectors that is loaded with -r and held at the surface. A follows w, so a few rounds.
//
// At the surface r is the area that a particle stands for. Particles are there if a wide cone about their
// neighbourhood's empty side has no neighbour in it.
#include "methods/efg/build/build.h"

#include "math/decompose3.h"
#include "solve/cg.h"

#include <string.h>

#define CONE       0.5    // cosine of half its angle
#define ROUNDS     12     // at most
#define GOAL       3e-3   // r over the square of the spacing, root mean square
#define MOST       1.3863 // log 4: how far a weight may go
#define MOST_ROUND 0.7    // in one round
#define TOLERANCE  1e-2   // of the truss
#define ITERATIONS 60
#define LEAST_STEP 0.1

static const char label[] = "efg set-up";

typedef struct balancer {
    const builder* b;
    bool* surface;
    phxi_sym3* flux;      // V A^-1
    double* first;        // by pair: weights at the start
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

static phx_vec3 difference(const builder* b, int i, int j) {
    return phxi_sub(phxi_efg_rest(b, j), phxi_efg_rest(b, i));
}

/// (V_i A_i^-1 + V_j A_j^-1) x_ij, to the last bit the negative of that of j and i.
static phx_vec3 bar(const balancer* a, int i, int j) {
    phx_vec3 x = difference(a->b, i, j);
    return phxi_add(times(&a->flux[i], x), times(&a->flux[j], x));
}

static double spacing_of(const builder* b, int i) {
    return (double)b->particles->spacing[b->begin + i] / b->scale;
}

/// A new weight; the same bits for both rows of a pair.
static double weigh(balancer* a, int64_t pair) {
    a->weight[pair] = (float)(a->first[pair] * exp((double)a->tilt[pair]));
    return (double)a->weight[pair];
}

// ----------------------------------------------------------------------------------------------------------- start

/// The empty side of a neighbourhood is where its first moment does not point. Sheets and rods have no inside.
static bool at_surface(const balancer* a, int i) {
    const builder* b = a->b;
    phx_vec3 full = {0, 0, 0};
    if (b->rank[i] < 3 || phxi_efg_is_thin(b->spread[i])) {
        return true;
    }
    for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1]; ++k) {
        full = phxi_add_scaled(full, a->first[k], difference(b, i, b->lists.items[k]));
    }
    double size = phxi_length(full);
    for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1]; ++k) {
        phx_vec3 x = difference(b, i, b->lists.items[k]);
        if (-phxi_dot(x, full) >= CONE * phxi_length(x) * size) {
            return false;
        }
    }
    return true;
}

/// Weights by volumes of cells, as an integral has them: most of the way where cells have two sizes.
static void start_rows(void* context, int begin, int end, int block) {
    (void)block;
    balancer* a = context;
    const builder* b = a->b;
    for (int i = begin; i < end; ++i) {
        for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1]; ++k) {
            int j = b->lists.items[k];
            double cells = spacing_of(b, i) * spacing_of(b, j);
            a->first[k] = cells * cells * cells * phxi_efg_weight(b, i, k, difference(b, i, j));
            a->tilt[k] = 0;
        }
        a->surface[i] = at_surface(a, i);
    }
}

// ----------------------------------------------------------------------------------------------------------- rounds

static void flux_rows(void* context, int begin, int end, int block) {
    (void)block;
    balancer* a = context;
    const builder* b = a->b;
    for (int i = begin; i < end; ++i) {
        phxi_sym3 m = {0}, q;
        for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1]; ++k) {
            phx_vec3 x = difference(b, i, b->lists.items[k]);
            double w = weigh(a, k);
            m.xx += w * x.x * x.x, m.yy += w * x.y * x.y, m.zz += w * x.z * x.z;
            m.xy += w * x.x * x.y, m.xz += w * x.x * x.z, m.yz += w * x.y * x.z;
        }
        phxi_pseudo_inverse_sym3(&m, EFG_RANK_RATIO, &q, NULL);
        double v = (double)phxi_efg_volume(b, i);
        a->flux[i] = (phxi_sym3){v * q.xx, v * q.yy, v * q.zz, v * q.xy, v * q.xz, v * q.yz};
    }
}

/// -r, and the sum of r^2 over the fourth power of the spacing.
static void residual_rows(void* context, int begin, int end, int block) {
    balancer* a = context;
    const builder* b = a->b;
    a->sums[block] = 0;
    for (int i = begin; i < end; ++i) {
        phx_vec3 r = {0, 0, 0};
        for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1] && !a->surface[i]; ++k) {
            r = phxi_add_scaled(r, -(double)a->weight[k], bar(a, i, b->lists.items[k]));
        }
        double area = (double)b->particles->spacing[b->begin + i] * (double)b->particles->spacing[b->begin + i];
        a->residual[i] = a->direction[i] = r;
        a->shift[i] = phxi_vec3(0, 0, 0);
        a->sums[block] += phxi_dot(r, r) / (area * area);
    }
}

/// The truss: forces of the direction, and its product with them.
static void truss_rows(void* context, int begin, int end, int block) {
    balancer* a = context;
    const builder* b = a->b;
    a->sums[block] = 0;
    for (int i = begin; i < end; ++i) {
        phx_vec3 sum = {0, 0, 0};
        for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1] && !a->surface[i]; ++k) {
            int j = b->lists.items[k];
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
    const builder* b = a->b;
    for (int i = begin; i < end; ++i) {
        for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1]; ++k) {
            int j = b->lists.items[k];
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
    phxi_parallel_for(a->b->pool, count, EFG_BLOCK, body, a);
    for (int k = 0; k < phxi_block_count(count, EFG_BLOCK); ++k) {
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
    for (int64_t k = 0; k < a->b->lists.start[a->b->count]; ++k) {
        a->tilt[k] += (float)step * a->change[k];
    }
}

/// Rounds until r is small or does not get smaller.
static void iterate(balancer* a) {
    int inside = 0;
    for (int i = 0; i < a->b->count; ++i) {
        inside += !a->surface[i];
    }
    double last = INFINITY, goal = GOAL * GOAL * inside;
    a->step = 1;
    for (int round = 0; round <= ROUNDS && inside > 0; ++round) {
        run(a, flux_rows);
        double square = run(a, residual_rows);
        if (square < last && (square <= goal || round == ROUNDS)) {
            return;
        }
        if (square < last) {
            last = square;
            solve(a);
            run(a, change_rows);
            a->step = fmin(1, 2 * a->step);
            move(a, a->step);
        } else { // too far: back half of the way, or all of it
            bool enough = a->step < 2 * LEAST_STEP || round == ROUNDS;
            move(a, enough ? -a->step : -a->step / 2);
            if (enough) {
                return;
            }
            a->step /= 2;
        }
    }
}

// ----------------------------------------------------------------------------------------------------------- memory

static phx_result balancer_init(balancer* a, const builder* b) {
    size_t count = (size_t)b->count, pairs = (size_t)b->lists.start[b->count];
    *a = (balancer){.b = b};
    PHXI_NEW(a->surface, b->heap, count, label);
    PHXI_NEW(a->flux, b->heap, count, label);
    PHXI_NEW(a->first, b->heap, pairs, label);
    PHXI_NEW(a->tilt, b->heap, pairs, label);
    PHXI_NEW(a->change, b->heap, pairs, label);
    PHXI_NEW(a->weight, b->heap, pairs, label);
    PHXI_NEW(a->residual, b->heap, 4 * count, label);
    a->shift = a->residual + count, a->direction = a->shift + count, a->product = a->direction + count;
    a->sums = phxi_alloc_zero(b->heap, (size_t)phxi_block_count(b->count, EFG_BLOCK), sizeof *a->sums, label);
    return a->sums ? PHX_OK : PHX_ERROR_MEMORY;
}

static void balancer_destroy(balancer* a) {
    phxi_heap* heap = a->b->heap;
    phxi_free(heap, a->surface);
    phxi_free(heap, a->flux);
    phxi_free(heap, a->first);
    phxi_free(heap, a->tilt);
    phxi_free(heap, a->change);
    phxi_free(heap, a->weight);
    phxi_free(heap, a->residual);
    phxi_free(heap, a->sums);
}

phx_result phxi_efg_balance(builder* b) {
    balancer a;
    phx_result result = balancer_init(&a, b);
    if (result == PHX_OK) {
        phxi_parallel_for(b->pool, b->count, EFG_BLOCK, start_rows, &a);
        iterate(&a);
        for (int i = 0; i < b->count; ++i) {
            for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1]; ++k) {
                double cells = spacing_of(b, i) * spacing_of(b, b->lists.items[k]);
                a.first[k] = cells * cells * cells * exp((double)a.tilt[k]);
            }
        }
        b->balance = a.first;
        a.first = NULL;
    }
    balancer_destroy(&a);
    return result;
}
