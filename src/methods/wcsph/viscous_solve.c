// SPDX-License-Identifier: MIT
// Conjugate gradients for viscosity, over rows of the fluid alone.
//
//   number      fluid places become unknowns, in the same order; all below is by unknown
//   rows        per unknown the fluid neighbours and their k_ij, padded to whole vectors with the unknown itself, which
//               adds nothing; walls go to a 3x3 block and a right side; the inverse of the diagonal block
//   residuals   of v* and of the guess: the smaller starts, that of v* is what the tolerance is relative to
//   iterate     q = B p | d += alpha p, r -= alpha q, z = D^-1 r | p = z + beta p (solve/cg.h)
//   finish      without walls the rigid part of the error is known from the sums of momentum: it is taken off
//
// Velocities are taken relative to their mean, so that float is fine enough for bodies that fly. Relative differences
// x_ij are made again from positions in every product: a row holds 8 bytes a pair, and memory is what limits the
// product (storing x_ij: 20 bytes). Vectors of unknowns are rows of four numbers, the last is zero.
#include "methods/wcsph/viscous_internal.h"

#include "core/error.h"
#include "neighbors/near_wide.h"
#include "solve/cg.h"

#include <float.h>
#include <string.h>

#ifdef PHX_DOUBLE
#define ROUNDING DBL_EPSILON
#else
#define ROUNDING FLT_EPSILON
#endif

#define SHARE 1000.0 // of the tolerance: how well the impulse of viscosity is known
#define DEEP  0.1    // of what rounding leaves: as far as iterations go once they are needed

phx_result phxi_viscous_create(phxi_heap* heap, phxi_viscous** viscous) {
    *viscous = phxi_alloc_zero(heap, 1, sizeof **viscous, "viscous solve");
    if (!*viscous) {
        return PHX_ERROR_MEMORY;
    }
    (*viscous)->heap = heap;
    return PHX_OK;
}

void phxi_viscous_destroy(phxi_viscous* s) {
    if (s) {
        phxi_viscous_drop(s);
        phxi_free(s->heap, s);
    }
}

static double sum_dots(const phxi_viscous* s) {
    double sum = 0;
    for (int b = 0; b < phxi_block_count(s->count, VISCOUS_GRAIN); ++b) {
        sum += s->sums[b].dot;
    }
    return sum;
}

// ------------------------------------------------------------------------------------------------------------ product

static void product_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    s->sums[block].dot = PHXI_LANES_CALL(phxi_viscous_product, s, begin, end);
}

/// r = M (v* - p) + walls - dt A p, with dt A p in q; r . z, and the same of M (v* - p).
static void residual_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    double dot = 0, impulse = 0;
    for (int u = begin; u < end; ++u) {
        phxi_r4 change = s->mass[u] * (s->target[u] - s->p[u]), r = change + (s->wall_side[u] - s->q[u]), z;
        phxi_viscous_times(&s->inverse[u], &change, &z);
        impulse += phxi_viscous_dot(&change, &z);
        phxi_viscous_times(&s->inverse[u], &r, &z);
        s->r[u] = r;
        s->z[u] = z;
        dot += phxi_viscous_dot(&r, &z);
    }
    s->sums[block].dot = dot;
    s->sums[block].impulse = impulse;
}

static double residual_of(phxi_viscous* s, phxi_pool* pool, const phxi_r4* v) {
    memcpy(s->p, v, (size_t)s->count * sizeof *v);
    s->inertia = 0;
    phxi_viscous_loop(s, pool, product_part);
    phxi_viscous_loop(s, pool, residual_part);
    s->inertia = 1;
    s->impulse = 0;
    for (int b = 0; b < phxi_block_count(s->count, VISCOUS_GRAIN); ++b) {
        s->impulse += s->sums[b].impulse;
    }
    return sum_dots(s);
}

/// d += alpha p, r -= alpha q, z = D^-1 r, r . z
static void advance_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    phx_real alpha = (phx_real)s->alpha;
    double dot = 0;
    for (int u = begin; u < end; ++u) {
        phxi_r4 r = s->r[u] - alpha * s->q[u], z;
        s->d[u] += alpha * s->p[u];
        phxi_viscous_times(&s->inverse[u], &r, &z);
        s->r[u] = r;
        s->z[u] = z;
        dot += phxi_viscous_dot(&r, &z);
    }
    s->sums[block].dot = dot;
}

static void direction_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    (void)block;
    phx_real beta = (phx_real)s->beta;
    for (int u = begin; u < end; ++u) {
        s->p[u] = s->z[u] + beta * s->p[u];
    }
}

typedef struct iteration {
    phxi_viscous* s;
    phxi_pool* pool;
} iteration;

static void direction(void* context, double beta) {
    const iteration* c = context;
    c->s->beta = beta;
    phxi_viscous_loop(c->s, c->pool, direction_part);
}

static double product(void* context) {
    const iteration* c = context;
    phxi_viscous_loop(c->s, c->pool, product_part);
    return sum_dots(c->s);
}

static double advance(void* context, double alpha) {
    const iteration* c = context;
    c->s->alpha = alpha;
    phxi_viscous_loop(c->s, c->pool, advance_part);
    return sum_dots(c->s);
}

// -------------------------------------------------------------------------------------------------------------- solve

static void scatter_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    double size = 0;
    const double mean[3] = {s->mean.x, s->mean.y, s->mean.z};
    for (int u = begin; u < end; ++u) {
        for (int a = 0; a < 3; ++a) {
            phx_real v = (phx_real)(mean[a] + (double)s->d[u][a]);
            s->d[u][a] = v;
            size += (double)(v - v); // zero for finite numbers alone
        }
    }
    s->sums[block].dot = size;
}

static void write_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    (void)block;
    for (int u = begin; u < end; ++u) {
        for (int a = 0; a < 3; ++a) {
            s->velocity[a][s->place[u]] = s->d[u][a];
        }
    }
}

static void keep_target_part(void* context, int begin, int end, int block) {
    phxi_viscous* s = context;
    (void)block;
    for (int u = begin; u < end; ++u) {
        for (int a = 0; a < 3; ++a) {
            s->velocity[a][s->place[u]] = s->input->target[a][s->place[u]];
        }
    }
}

/// The better of v* and the guess to d, its residual to r and z; returns r . z, and that of v*.
static double begin(phxi_viscous* s, phxi_pool* pool, double goal, double* reference) {
    *reference = residual_of(s, pool, s->target);
    if (*reference > goal) {
        phxi_viscous_match_momentum(s, pool);
        double guessed = residual_of(s, pool, s->d);
        if (guessed < *reference) {
            return guessed;
        }
        residual_of(s, pool, s->target);
    }
    memcpy(s->d, s->target, (size_t)s->count * sizeof *s->d);
    return *reference;
}

/// What rounding of velocities leaves of r . z, and whether there are walls.
static double rounding_goal(phxi_viscous* s) {
    double size = 0;
    s->walls = false;
    for (int b = 0; b < phxi_block_count(s->count, VISCOUS_GRAIN); ++b) {
        size += s->sums[b].size;
        s->walls |= s->sums[b].walls;
    }
    return size * ROUNDING * ROUNDING;
}

/// Velocities are to be right to `tolerance` of what v* would be changed by, and the impulse of viscosity, which is all
/// that holds up what is thick, to SHARE times that: a cold solid flows by so little that the first alone takes any
/// slow motion for none. What a rigid guess leaves may be rounding alone; then there is nothing to do.
static double find_goal(const phxi_viscous* s, double tolerance, double reference, double first, double rounding) {
    double square = tolerance * tolerance, wanted = fmin(square * reference, SHARE * SHARE * square * s->impulse);
    return fmax(first <= rounding ? rounding : DEEP * DEEP * rounding, wanted);
}

phx_result phxi_viscous_solve(phxi_viscous* s, phxi_pool* pool, const phxi_viscous_input* input,
                              phx_real* const velocity[3], phxi_viscous_report* report) {
    *report = (phxi_viscous_report){.converged = true};
    s->input = input;
    s->velocity = velocity;
    s->angular = input->form == PHXI_VISCOUS_ANGULAR;
    s->periodic = phxi_near_periodic(input->near);
    PHXI_TRY(phxi_viscous_number(s));
    report->unknowns = s->count;
    if (s->count == 0) {
        return PHX_OK;
    }
    phxi_viscous_make_rows(s, pool);
    double goal = rounding_goal(s), tolerance = input->tolerance > 0 ? input->tolerance : 1e-4, reference;
    double rz = begin(s, pool, goal, &reference);
    goal = find_goal(s, tolerance, reference, rz, goal);
    iteration context = {s, pool};
    phxi_cg_problem problem = {&context, direction, product, advance, NULL};
    phxi_cg_report solved = phxi_cg(&problem, rz, goal, input->iterations > 0 ? input->iterations : 500);
    report->iterations = solved.iterations;
    report->converged = solved.left <= goal;
    report->residual = reference > 0 ? sqrt(solved.left / reference) : 0;
    if (report->iterations > 0) {
        phxi_viscous_match_momentum(s, pool);
    }
    phxi_viscous_loop(s, pool, scatter_part);
    bool finite = sum_dots(s) == 0;
    report->converged = report->converged && finite;
    phxi_viscous_loop(s, pool, finite ? write_part : keep_target_part);
    return PHX_OK;
}
