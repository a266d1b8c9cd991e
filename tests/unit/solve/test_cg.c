// SPDX-License-Identifier: MIT
// Conjugate gradients on small systems whose answers are known.
#include "solve/cg.h"
#include "support/test.h"

enum { MOST = 12 };

/// A dense matrix, and its diagonal for a preconditioner if asked.
typedef struct dense_system {
    int n;
    bool jacobi;
    double a[MOST][MOST];
    double x[MOST], r[MOST], z[MOST], p[MOST], q[MOST];
    int directions;
    double first_beta;
} dense_system;

static double dot(int n, const double* a, const double* b) {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static double precondition(dense_system* s) {
    for (int i = 0; i < s->n; ++i) {
        s->z[i] = s->jacobi ? s->r[i] / s->a[i][i] : s->r[i];
    }
    return dot(s->n, s->r, s->z);
}

static void direction(void* context, double beta) {
    dense_system* s = context;
    s->first_beta = s->directions++ == 0 ? beta : s->first_beta;
    for (int i = 0; i < s->n; ++i) {
        s->p[i] = s->z[i] + beta * s->p[i];
    }
}

static double product(void* context) {
    dense_system* s = context;
    for (int i = 0; i < s->n; ++i) {
        s->q[i] = dot(s->n, s->a[i], s->p);
    }
    return dot(s->n, s->p, s->q);
}

static double advance(void* context, double alpha) {
    dense_system* s = context;
    for (int i = 0; i < s->n; ++i) {
        s->x[i] += alpha * s->p[i];
        s->r[i] -= alpha * s->q[i];
    }
    return precondition(s);
}

static phxi_cg_problem problem_of(dense_system* s) {
    return (phxi_cg_problem){s, direction, product, advance, NULL};
}

/// H + I with H_ij = 1 / (i + j + 1): positive, and far from its diagonal.
static dense_system hilbert(int n, bool jacobi) {
    dense_system s = {.n = n, .jacobi = jacobi};
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            s.a[i][j] = 1.0 / (i + j + 1) + (i == j);
        }
    }
    return s;
}

TEST(small_systems_are_solved_exactly) {
    for (int n = 1; n <= MOST; ++n) {
        for (int jacobi = 0; jacobi < 2; ++jacobi) {
            dense_system s = hilbert(n, jacobi);
            double wanted[MOST];
            for (int i = 0; i < n; ++i) {
                wanted[i] = 1 + i % 3;
            }
            for (int i = 0; i < n; ++i) {
                s.r[i] = dot(n, s.a[i], wanted);
            }
            phxi_cg_problem problem = problem_of(&s);
            double first = precondition(&s);
            phxi_cg_report report = phxi_cg(&problem, first, 1e-24 * first, 3 * n);
            ENSURE(report.iterations <= n); // as many as there are unknowns, were there no rounding
            ENSURE(report.left <= 1e-24 * first && !report.indefinite);
            ENSURE(s.first_beta == 0);
            for (int i = 0; i < n; ++i) {
                ENSURE_NEAR(s.x[i], wanted[i], 1e-11);
            }
        }
    }
}

TEST(it_ends_after_as_many_iterations_as_asked) {
    dense_system s = hilbert(8, false);
    for (int i = 0; i < 8; ++i) {
        s.r[i] = i - 3;
    }
    phxi_cg_problem problem = problem_of(&s);
    double first = precondition(&s);
    phxi_cg_report report = phxi_cg(&problem, first, 0, 2);
    ENSURE(report.iterations == 2 && report.left > 0 && report.left < first && !report.indefinite);
    ENSURE_NEAR(report.left, dot(8, s.r, s.z), 0);
}

TEST(nothing_on_the_right_takes_no_iteration) {
    dense_system s = hilbert(5, true);
    phxi_cg_problem problem = problem_of(&s);
    phxi_cg_report report = phxi_cg(&problem, precondition(&s), 0, 10);
    ENSURE(report.iterations == 0 && report.left == 0 && !report.indefinite && s.directions == 0);
    for (int i = 0; i < 5; ++i) {
        ENSURE(s.x[i] == 0);
    }
}

TEST(a_matrix_that_is_not_positive_is_told) {
    dense_system s = {.n = 3, .a = {{1, 0, 0}, {0, -1, 0}, {0, 0, 2}}, .r = {0, 1, 0}};
    phxi_cg_problem problem = problem_of(&s);
    double first = precondition(&s);
    phxi_cg_report report = phxi_cg(&problem, first, 1e-12 * first, 10);
    ENSURE(report.indefinite && report.iterations == 0 && report.left == first);
    ENSURE(s.x[1] == 0); // what it has is kept
}

TEST(what_is_not_finite_ends_it) {
    dense_system s = {.n = 2, .a = {{INFINITY, 0}, {0, 1}}, .r = {1, 1}};
    phxi_cg_problem problem = problem_of(&s);
    phxi_cg_report report = phxi_cg(&problem, precondition(&s), 0, 10);
    ENSURE(report.iterations == 0);
    ENSURE(phxi_cg(&problem, NAN, 0, 10).iterations == 0);
    ENSURE(phxi_cg(&problem, INFINITY, 0, 10).iterations == 0);
}

static void unit_steps(void* context, int k, double* alpha, double* beta) {
    (void)context;
    (void)k;
    *alpha = 1;
    *beta = 0;
}

/// Jacobi's sweeps: x = D^-1 (b - (A - D) x), again and again.
TEST(steps_may_be_given) {
    dense_system s = {.n = 2, .jacobi = true, .a = {{2, 1}, {1, 4}}, .r = {3, 5}};
    phxi_cg_problem problem = problem_of(&s);
    problem.steps = unit_steps;
    phxi_cg_report report = phxi_cg(&problem, precondition(&s), 0, 3);
    double x[2] = {0, 0};
    for (int k = 0; k < 3; ++k) {
        double next[2] = {(3 - x[1]) / 2, (5 - x[0]) / 4};
        x[0] = next[0], x[1] = next[1];
    }
    ENSURE(report.iterations == 3);
    ENSURE_NEAR(s.x[0], x[0], 1e-15);
    ENSURE_NEAR(s.x[1], x[1], 1e-15);
}
