// SPDX-License-Identifier: MIT
// (M + s K + contact) dx = g by conjugate gradients with the preconditioner of coarse.c.
//
// Vectors are in state precision, products of vectors in double: per block, then in block order. Convergence is
// measured by sqrt(r . z), the norm the preconditioner knows.
#include "implicit/implicit_internal.h"

#include "math/simd.h"
#include "solve/cg.h"

typedef struct iteration {
    phxi_implicit_system* y;
    phxi_implicit_work* w; // the body whose loop runs
    double alpha, beta;
} iteration;

/// r = g in the operator's axes, dx = p = 0.
static void start_part(void* context, int begin, int end, int block) {
    (void)block;
    const phxi_implicit_work* w = ((iteration*)context)->w;
    phxi_implicit* s = w->s;
    for (int i = begin; i < end; ++i) {
        const double g[3] = {s->g[i].x, s->g[i].y, s->g[i].z};
        for (int k = 0; k < 3; ++k) {
            s->r[k][i] = (phx_real)(w->axes.m[0][k] * g[0] + w->axes.m[1][k] * g[1] + w->axes.m[2][k] * g[2]);
            s->dx[k][i] = s->p[k][i] = 0;
        }
    }
}

/// z = D^-1 r and r . z of particles [begin, end).
static PHXI_CLONES double implicit_jacobi(const phxi_implicit* s, int begin, int end) {
    const phx_real* restrict rx = s->r[0], * restrict ry = s->r[1], * restrict rz = s->r[2];
    const phx_real* restrict xx = s->block[0], * restrict yy = s->block[1], * restrict zz = s->block[2];
    const phx_real* restrict xy = s->block[3], * restrict xz = s->block[4], * restrict yz = s->block[5];
    phx_real* restrict zx = s->z[0], * restrict zy = s->z[1], * restrict zz_out = s->z[2];
    PHXI_SIMD
    for (int i = begin; i < end; ++i) {
        zx[i] = xx[i] * rx[i] + xy[i] * ry[i] + xz[i] * rz[i];
        zy[i] = xy[i] * rx[i] + yy[i] * ry[i] + yz[i] * rz[i];
        zz_out[i] = xz[i] * rx[i] + yz[i] * ry[i] + zz[i] * rz[i];
    }
    double sum[8] = {0};
    int i = begin;
    for (; i + 8 <= end; i += 8) {
        PHXI_SIMD
        for (int k = 0; k < 8; ++k) {
            sum[k] += (double)rx[i + k] * (double)zx[i + k] + (double)ry[i + k] * (double)zy[i + k] +
                      (double)rz[i + k] * (double)zz_out[i + k];
        }
    }
    for (; i < end; ++i) {
        sum[0] += (double)rx[i] * (double)zx[i] + (double)ry[i] * (double)zy[i] + (double)rz[i] * (double)zz_out[i];
    }
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

static void jacobi_part(void* context, int begin, int end, int block) {
    phxi_implicit* s = ((iteration*)context)->w->s;
    s->sums[block].dot[0] = implicit_jacobi(s, begin, end);
}

/// dx += alpha p, r -= alpha A p, then as above.
static PHXI_CLONES void implicit_advance(const phxi_implicit* s, phx_real alpha, int begin, int end) {
    for (int k = 0; k < 3; ++k) {
        phx_real* restrict dx = s->dx[k], * restrict r = s->r[k];
        const phx_real* restrict p = s->p[k], * restrict ap = s->ap[k];
        PHXI_SIMD
        for (int i = begin; i < end; ++i) {
            dx[i] += alpha * p[i];
            r[i] -= alpha * ap[i];
        }
    }
}

static void advance_part(void* context, int begin, int end, int block) {
    const iteration* c = context;
    phxi_implicit* s = c->w->s;
    implicit_advance(s, (phx_real)c->alpha, begin, end);
    s->sums[block].dot[0] = implicit_jacobi(s, begin, end);
}

/// Takes off what is across rails, of a vector in the axes of the linear system.
static void keep_to_rails(const phxi_implicit_work* w, phx_real* const v[3], int begin, int end) {
    for (int i = begin; w->railed && i < end; ++i) {
        if (phxi_implicit_on_rail(w, i)) {
            phxi_mat3 p = phxi_implicit_rail_axes(w, i);
            phxi_vector_set(v, i, phxi_mat3_apply(&p, phxi_vector_at(v, i)));
        }
    }
}

/// p = z + Z coarse_z + beta p
static void direction_part(void* context, int begin, int end, int block) {
    (void)block;
    const iteration* c = context;
    phxi_implicit* s = c->w->s;
    const int* fixed = c->w->fixed;
    phx_real beta = (phx_real)c->beta;
    for (int i = begin; i < end; ++i) {
        phx_real zx = s->z[0][i], zy = s->z[1][i], zz = s->z[2][i];
        if (!fixed[i]) {
            const float* t = s->coarse_z + 6 * s->brick[i];
            phx_real ax = s->arm[0][i], ay = s->arm[1][i], az = s->arm[2][i];
            zx += (phx_real)t[0] + ((phx_real)t[4] * az - (phx_real)t[5] * ay);
            zy += (phx_real)t[1] + ((phx_real)t[5] * ax - (phx_real)t[3] * az);
            zz += (phx_real)t[2] + ((phx_real)t[3] * ay - (phx_real)t[4] * ax);
        }
        s->p[0][i] = zx + beta * s->p[0][i];
        s->p[1][i] = zy + beta * s->p[1][i];
        s->p[2][i] = zz + beta * s->p[2][i];
    }
    keep_to_rails(c->w, s->p, begin, end);
}

static PHXI_CLONES void implicit_mass_product(const phxi_implicit* s, const phx_real* restrict mass,
                                              const int* restrict fixed, int begin, int end) {
    phx_real scale = (phx_real)s->s;
    for (int k = 0; k < 3; ++k) {
        phx_real* restrict ap = s->ap[k];
        const phx_real* restrict p = s->p[k];
        PHXI_SIMD
        for (int i = begin; i < end; ++i) {
            phx_real sum = mass[i] * p[i] + scale * ap[i];
            ap[i] = fixed[i] ? 0 : sum;
        }
    }
}

/// ap = m p + s K p + contact, p . ap; K p is in ap.
static void product_part(void* context, int begin, int end, int block) {
    const iteration* c = context;
    phxi_implicit* s = c->w->s;
    implicit_mass_product(s, c->w->mass, c->w->fixed, begin, end);
    for (int i = begin; c->w->touching && i < end; ++i) {
        if (s->touched[i] && !c->w->fixed[i]) {
            phx_real x = s->p[0][i], y = s->p[1][i], z = s->p[2][i];
            phx_real* const* t = s->contact;
            s->ap[0][i] += t[0][i] * x + t[3][i] * y + t[4][i] * z;
            s->ap[1][i] += t[3][i] * x + t[1][i] * y + t[5][i] * z;
            s->ap[2][i] += t[4][i] * x + t[5][i] * y + t[2][i] * z;
        }
    }
    for (int i = begin; c->w->paired && i < end; ++i) {
        if (s->pair_end[i] > s->pair_begin[i] && !c->w->fixed[i]) {
            phx_vec3 more = phxi_implicit_pair_reaction(c->w, i);
            s->ap[0][i] += (phx_real)more.x, s->ap[1][i] += (phx_real)more.y, s->ap[2][i] += (phx_real)more.z;
        }
    }
    keep_to_rails(c->w, s->ap, begin, end);
    double dot = 0;
    for (int i = begin; i < end; ++i) {
        dot += (double)s->p[0][i] * (double)s->ap[0][i] + (double)s->p[1][i] * (double)s->ap[1][i] +
               (double)s->p[2][i] * (double)s->ap[2][i];
    }
    s->sums[block].dot[0] = dot;
}

static void loop(iteration* c, phxi_loop_body* body) {
    phxi_parallel_for(c->w->step->pool, c->w->s->count, IMPLICIT_GRAIN, body, c);
}

static double sum_blocks(const phxi_implicit* s) {
    double sum = 0;
    for (int b = 0; b < s->sum_count; ++b) {
        sum += s->sums[b].dot[0];
    }
    return sum;
}

static phx_vec3 step_of(const phxi_implicit_work* w, int i) {
    const phxi_implicit* s = w->s;
    return phxi_mat3_apply(&w->axes, phxi_vec3(s->dx[0][i], s->dx[1][i], s->dx[2][i]));
}

/// x += dx, and the largest |dx|.
static void finish_part(void* context, int begin, int end, int block) {
    const iteration* c = context;
    phxi_implicit* s = c->w->s;
    double most = 0;
    for (int i = begin; i < end; ++i) {
        phx_vec3 dx = step_of(c->w, i);
        s->x[i] = phxi_add(s->x[i], dx);
        most = fmax(most, phxi_dot(dx, dx));
    }
    s->sums[block].most = most;
}

// ---------------------------------------------------------------------------------------------------- large turns

/// Sums of x and dx as of positions and velocities.
static void turn_sums_part(void* context, int begin, int end, int block) {
    const phxi_implicit_work* w = ((iteration*)context)->w;
    const phxi_implicit* s = w->s;
    phxi_implicit_sums sums = {0};
    for (int i = begin; i < end; ++i) {
        phxi_implicit_add_motion(&sums, (double)w->mass[i], phxi_sub(s->x[i], w->origin), step_of(w, i));
    }
    s->sums[block] = sums;
}

typedef struct turn_context {
    phxi_implicit_work* w;
    phx_vec3 center, shift, spin;
    phxi_mat3 rotation;
} turn_context;

/// x = c + t + exp(w) (r + dx - t - w x r)
static void turn_part(void* context, int begin, int end, int block) {
    const turn_context* c = context;
    phxi_implicit* s = c->w->s;
    double most = 0;
    for (int i = begin; i < end; ++i) {
        phx_vec3 r = phxi_sub(s->x[i], c->center), dx = step_of(c->w, i);
        phx_vec3 rest = phxi_sub(phxi_sub(dx, c->shift), phxi_cross(c->spin, r));
        phx_vec3 turned = phxi_mat3_apply(&c->rotation, phxi_add(r, rest));
        most = fmax(most, phxi_dot(dx, dx));
        s->x[i] = phxi_add(phxi_add(c->center, c->shift), turned);
    }
    s->sums[block].most = most;
}

/// The rigid part of dx as a motion and not as its first order, which would stretch a body that tips over.
static void finish_turning(iteration* it) {
    phxi_implicit* s = it->w->s;
    loop(it, turn_sums_part);
    phxi_implicit_sums all = phxi_implicit_merge(s);
    phx_vec3 mean = phxi_scale(1 / all.mass, all.first);
    phxi_mat3 inverse = phxi_implicit_inertia_inverse(all.mass, mean, all.second);
    turn_context c = {
        .w = it->w, .center = phxi_add(it->w->origin, mean), .shift = phxi_scale(1 / all.mass, all.momentum)};
    c.spin = phxi_mat3_apply(&inverse, phxi_sub(all.spin, phxi_cross(mean, all.momentum)));
    c.rotation = phxi_rotation(c.spin, phxi_length(c.spin));
    phxi_parallel_for(it->w->step->pool, s->count, IMPLICIT_GRAIN, turn_part, &c);
}

/// Runs a loop over all bodies; the sum of what it leaves in the blocks.
static double run_all(iteration* c, phxi_loop_body* body) {
    double sum = 0;
    for (int k = 0; k < c->y->count; ++k) {
        c->w = &c->y->works[k];
        loop(c, body);
        sum += sum_blocks(c->w->s);
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------------- passes

static double start(iteration* c) {
    run_all(c, start_part);
    return run_all(c, jacobi_part) + phxi_implicit_coarse(c->y);
}

static void direction(void* context, double beta) {
    iteration* c = context;
    c->beta = beta;
    run_all(c, direction_part);
}

static double product(void* context) {
    iteration* c = context;
    for (int k = 0; k < c->y->count; ++k) {
        const phxi_implicit_work* w = &c->y->works[k];
        w->op->product(w->op->context, (const phx_real* const*)w->s->p, w->s->ap);
    }
    phxi_implicit_pair_product(c->y);
    return run_all(c, product_part);
}

static double advance(void* context, double alpha) {
    iteration* c = context;
    c->alpha = alpha;
    return run_all(c, advance_part) + phxi_implicit_coarse(c->y);
}

/// Steps of sweep k that need no products of vectors: those of Jacobi, or of Chebyshev for eigenvalues 1 - rho to 1 +
/// rho of the matrix over its diagonal.
static void sweep_steps(void* context, int k, double* alpha, double* beta) {
    const phxi_implicit_def* def = &((const iteration*)context)->y->def;
    double rho = def->kappa / (1 + def->kappa), half = rho * *alpha / 2;
    *beta = k == 0 || def->solver == PHXI_SOLVER_JACOBI ? 0 : k == 1 ? 2 * half * half : half * half;
    *alpha = *beta > 0 ? 1 / (1 - *beta / *alpha) : 1;
}

// ---------------------------------------------------------------------------------------------------- solve

static void prepare_solve(phxi_implicit_system* y) {
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit_work* w = &y->works[k];
        w->axes = w->op->axes(w->op->context);
        phxi_implicit_blocks(w);
    }
    phxi_implicit_coarse_add_contact(y);
}

static void finish(iteration* c, int taken) {
    for (int k = 0; k < c->y->count; ++k) {
        c->w = &c->y->works[k];
        phxi_implicit* s = c->w->s;
        if ((c->w->touching || c->w->pressed) && !s->any_fixed && !s->report.careful) {
            finish_turning(c);
        } else {
            loop(c, finish_part);
        }
        s->report.iterations += taken;
        ++s->report.passes;
    }
}

void phxi_implicit_solve(phxi_implicit_system* y, int iterations, double tolerance) {
    iteration c = {.y = y};
    bool gradients = y->def.outer == 0 || y->def.solver == PHXI_SOLVER_PCG;
    phxi_cg_problem problem = {&c, direction, product, advance, gradients ? NULL : sweep_steps};
    prepare_solve(y);
    double first = start(&c);
    phxi_cg_report report = phxi_cg(&problem, first, tolerance * tolerance * first, iterations);
    y->indefinite = report.indefinite;
    y->reached = first > 0 ? sqrt(report.left / first) : 0;
    finish(&c, report.iterations);
}
