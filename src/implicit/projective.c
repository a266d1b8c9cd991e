// SPDX-License-Identifier: MIT
// Backward Euler in projective form (docs/theory/peridynamics.md (9)): a given number of times the residual, which
// finds the targets of all bonds, and a solve with a matrix that holds them constant. Each solve lowers the
// incremental potential, whatever the step size and however far from rest the body is: that matrix is no less than the
// true one. So there is no line search and nothing to fall back to; what it costs is that rotations are found bit by
// bit.
#include "implicit/implicit_internal.h"

#define CONTACT_FINER 0.1  // of the tolerance where bodies touch: weight and what carries it all but cancel
#define CONTACT_MORE  2    // times as many passes there: who touches changes
#define STILL         1e-4 // displacement of a pass over the spacing, below which the next would change nothing

const char* const phxi_linear_solver_words[] = {"pcg", "jacobi", "chebyshev", NULL};

/// Where particles would fly; held bodies and those that lie on something are not in free fall.
static void flight_part(void* context, int begin, int end, int block) {
    (void)block;
    const phxi_implicit_work* w = context;
    phxi_implicit* s = w->s;
    bool falls = !s->any_fixed && !w->starts_in_contact;
    for (int i = begin; i < end; ++i) {
        phx_vec3 there =
            falls ? phxi_add_scaled(s->xh[i], s->s / (double)w->mass[i], phxi_implicit_external(w, i)) : s->xh[i];
        s->x[i] = w->fixed[i] ? s->q[i] : there; // on rails: across them by v, as in xh
    }
}

/// Whether the last solve moved no particle noticeably.
static bool is_still(const phxi_implicit_system* y) {
    bool still = true;
    for (int k = 0; k < y->count && still; ++k) {
        const phxi_implicit_work* w = &y->works[k];
        double least = STILL * (double)w->spacing[0];
        for (int b = 0; b < w->s->sum_count; ++b) {
            still = still && w->s->sums[b].most < least * least;
        }
    }
    return still;
}

bool phxi_implicit_projective(phxi_implicit_system* y) {
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit_work* w = &y->works[k];
        w->s->report.euler = w->s->report.careful = true; // rigid parts of residuals are to be solved for
        phxi_implicit_loop(w, flight_part);
    }
    bool touching = false, still = false;
    for (int pass = 0; pass < (touching ? CONTACT_MORE : 1) * y->def.outer && !still; ++pass) {
        double slid, pushed;
        if (!phxi_implicit_residual_sliding(y, &slid, &pushed)) {
            return false;
        }
        touching = touching || y->touching;
        phxi_implicit_solve(y, y->def.iterations, (touching ? CONTACT_FINER : 1) * y->def.tolerance);
        still = is_still(y);
    }
    return true;
}
