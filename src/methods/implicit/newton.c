// SPDX-License-Identifier: MIT
// Backward Euler by Newton's method: minimises the incremental potential |x - xh|^2_M / (2 s) + U(x) - external . x
// along directions of a positive definite tangent, so each accepted step lowers it and the energy of the body cannot
// grow by itself, whatever the step size. The integrator `implicit_euler`, and what BDF2 falls back to.
#include "methods/implicit/implicit_internal.h"

#include <string.h>

#define BACKTRACKS 12
#define SLOW       0.05 // of the residual is left: the projected tangent is too stiff

/// x = best + t dx, and the slope -g . dx of the first trial.
typedef struct trial {
    phxi_implicit_work* w;
    double t;
} trial;

static phx_vec3 direction_of(const phxi_implicit_work* w, int i) {
    const phxi_implicit* s = w->s;
    return phxi_mat3_apply(&w->search_axes, phxi_vec3(s->dx[0][i], s->dx[1][i], s->dx[2][i]));
}

static void trial_part(void* context, int begin, int end, int block) {
    (void)block;
    const trial* c = context;
    phxi_implicit* s = c->w->s;
    for (int i = begin; i < end; ++i) {
        s->x[i] = phxi_add_scaled(s->best[i], c->t, direction_of(c->w, i));
    }
}

static void slope_part(void* context, int begin, int end, int block) {
    phxi_implicit_work* w = context;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        sum -= phxi_dot(w->s->g[i], direction_of(w, i)) / w->s->s;
    }
    w->s->sums[block].dot[1] = sum;
}

static double slope_of(phxi_implicit_work* w) {
    phxi_implicit_loop(w, slope_part);
    double sum = 0;
    for (int b = 0; b < w->s->sum_count; ++b) {
        sum += w->s->sums[b].dot[1];
    }
    return sum;
}

/// What rounding of the energy may hide, J.
static double noise_of(double potential) {
    return (sizeof(phx_real) == 4 ? 1e-6 : 1e-12) * fabs(potential);
}

/// Shortens the step until the potential falls; the residual at the accepted positions is left in s->g. False if none
/// was found.
static bool search(phxi_implicit_work* w, double before, double slope, double* after) {
    double noise = noise_of(before);
    trial c = {w, 1};
    for (int k = 0; k < BACKTRACKS; ++k, c.t *= 0.5) {
        if (k > 0) {
            phxi_parallel_for(w->step->pool, w->s->count, IMPLICIT_GRAIN, trial_part, &c);
        }
        if (!phxi_implicit_residual(w)) {
            continue;
        }
        *after = phxi_implicit_potential(w);
        // friction has no potential: what it takes is the room it gets; a law may have no energy where the body was
        double room = noise + w->s->friction_work;
        // small strains are all but linear, and contact is on or off: full steps find it, short ones stop at its edge
        bool plain = w->step->collider_count > 0 && !phxi_implicit_strained(&w->s->report.strain);
        if (plain || !isfinite(before) || *after <= before + 1e-4 * c.t * slope + room) {
            return true;
        }
    }
    return false;
}

/// The next step, added to x: by the projected tangent, which always leads down. Under pressure it is too stiff and
/// Newton's method converges by halves; then the exact one, as long as it is positive where it is asked.
static void direction(phxi_implicit_work* w, bool exact, bool* barred) {
    phxi_implicit* s = w->s;
    int iterations = w->def->newton_iterations;
    double tolerance = fmax(0.1 * w->def->tolerance, 1e-3); // no more digits than the next residual can use
    exact = w->op->project(w->op->context, exact) && exact;
    phxi_implicit_solve(w, iterations, tolerance);
    if (exact && s->indefinite) {
        *barred = true;
        memcpy(s->x, s->best, (size_t)s->count * sizeof *s->x);
        phxi_implicit_residual(w); // products have taken the place of its displacements
        w->op->project(w->op->context, false);
        phxi_implicit_solve(w, iterations, tolerance);
    }
}

bool phxi_implicit_newton(phxi_implicit_work* w) {
    phxi_implicit* s = w->s;
    const phxi_implicit_def* def = w->def;
    s->report.careful = s->report.euler = true;
    // from where the body is or from where it would be, whichever is lower: the energy of the end is then no more than
    // that of the start
    size_t size = (size_t)s->count * sizeof *s->x;
    memcpy(s->best, s->x, size);
    memcpy(s->x, s->q, size);
    bool stays = phxi_implicit_residual(w);
    s->energy[0] = s->energy[1] = w->op->energy(w->op->context);
    double potential = phxi_implicit_potential(w);
    memcpy(s->x, s->best, size);
    bool moves = phxi_implicit_residual(w);
    double there = moves ? phxi_implicit_potential(w) : INFINITY;
    if (!moves || (stays && potential < there)) {
        memcpy(s->x, s->q, size);
        moves = phxi_implicit_residual(w);
    } else {
        potential = there;
    }
    if (!moves) {
        return false;
    }
    // a start deep in an obstacle is no measure of what is small
    double last = s->norm, start = last, first = w->scale > 0 ? fmin(last, w->scale) : last;
    int idle = 0;
    bool exact = false, barred = false; // by a direction in which it was not positive
    for (int k = 0; k < def->newton_steps && s->norm > def->tolerance * first && s->norm > 0; ++k) {
        memcpy(s->best, s->x, size);
        direction(w, exact, &barred);
        w->search_axes = w->axes;
        double slope = slope_of(w), after = potential;
        if (!search(w, potential, slope, &after)) {
            memcpy(s->x, s->best, size);
            bool tame = phxi_implicit_residual(w);
            s->energy[1] = w->op->energy(w->op->context);
            return tame && k > 0;
        }
        // no further than rounding, or than what sticks and slides in turns
        bool stuck = s->norm > 0.7 * last;
        idle = stuck ? idle + 1 : 0;
        exact = !barred && (exact || s->norm > SLOW * last);
        last = s->norm;
        s->report.reduced = last / start;
        if (idle > 2 || (!w->touching && stuck && potential - after <= noise_of(potential))) {
            break;
        }
        potential = after;
    }
    s->energy[1] = w->op->energy(w->op->context);
    return true;
}
