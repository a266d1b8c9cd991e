// SPDX-License-Identifier: MIT
// Backward Euler by Newton's method: minimises the incremental potential |x - xh|^2_M / (2 s) + U(x) - external . x
// along directions of a positive definite tangent, so each accepted step lowers it and the energy of the body cannot
// grow by itself, whatever the step size. The integrator `implicit_euler`, and what BDF2 falls back to; with another xh
// and s also `trapezoid`.
#include "implicit/implicit_internal.h"

#include <string.h>

#define BACKTRACKS   12
#define HALF         0.5  // of the residual is left: a good step
#define SLID         1e-3 // way of a body that slides, over the spacing, above which friction is not settled
#define UNSETTLED    0.05 // change of the push, above which that is so, too
#define STUCK        0.7  // of the residual is left: no step
#define STATIC_STUCK 0.95 // the same where nothing but the residual counts
#define SLOW         0.05 // of the residual is left: the projected tangent is too stiff
// of a static state by a tangent that does not know of stress:
#define MOST_ALONG  4.0 // steps that one is stretched to
#define LEAST_ALONG 0.1
#define WELL        0.1 // of a step, too little to correct

/// One body of a trial x = best + t dx.
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

/// -g . dx, of the direction that was just found.
static double slope_of(phxi_implicit_system* y) {
    double sum = 0;
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit_work* w = &y->works[k];
        w->search_axes = w->axes;
        phxi_implicit_loop(w, slope_part);
        for (int b = 0; b < w->s->sum_count; ++b) {
            sum += w->s->sums[b].dot[1];
        }
    }
    return sum;
}

/// What rounding of the energy may hide, J.
static double noise_of(double potential) {
    return (sizeof(phx_real) == 4 ? 1e-6 : 1e-12) * fabs(potential);
}

typedef enum place { START, BEST } place;

/// Positions to what was kept, or of the start.
static void go_to(phxi_implicit_system* y, place to) {
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit* s = y->works[k].s;
        if (to == START) {
            phxi_implicit_go_to_start(&y->works[k]);
        } else {
            memcpy(s->x, s->best, (size_t)s->count * sizeof *s->x);
        }
    }
}

static void keep(phxi_implicit_system* y) {
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit* s = y->works[k].s;
        memcpy(s->best, s->x, (size_t)s->count * sizeof *s->x);
    }
}

static bool is_strained(const phxi_implicit_system* y) {
    bool strained = false;
    for (int k = 0; k < y->count; ++k) {
        strained = strained || phxi_implicit_strained(&y->works[k].s->report.strain);
    }
    return strained;
}

static void go_along(phxi_implicit_system* y, double t) {
    for (int b = 0; b < y->count; ++b) {
        trial c = {&y->works[b], t};
        phxi_parallel_for(y->step->pool, c.w->s->count, IMPLICIT_GRAIN, trial_part, &c);
    }
}

/// Where along the step the slope would be nothing, from its slopes at the start and at the end, where the bodies are.
/// A tangent without the stiffness of stress oversteps what is tight and does not reach what is loose, ever so little
/// less in each step.
static bool correct(phxi_implicit_system* y, double slope) {
    double end = slope_of(y), t = end > slope ? slope / (slope - end) : MOST_ALONG;
    t = fmin(fmax(t, LEAST_ALONG), MOST_ALONG);
    if (fabs(t - 1) < WELL) {
        return true;
    }
    go_along(y, t);
    return phxi_implicit_residual(y);
}

/// Shortens the step until the potential falls; the residual at the accepted positions is left in s->g. False if none
/// was found.
static bool search(phxi_implicit_system* y, double before, double slope, bool corrects, double* after) {
    double noise = noise_of(before), t = 1, norm = y->norm;
    for (int k = 0; k < BACKTRACKS; ++k, t *= 0.5) {
        if (k > 0) {
            go_along(y, t);
        }
        double slid = 0, pushed = 0;
        if (!(k == 0 ? phxi_implicit_residual_sliding(y, &slid, &pushed) : phxi_implicit_residual(y))) {
            continue;
        }
        if (k == 0 && corrects && !correct(y, slope)) {
            continue;
        }
        y->slides = slid > SLID || pushed > UNSETTLED;
        *after = phxi_implicit_potential(y);
        // small strains are all but linear, and contact is on or off: full steps find it, short ones stop at its edge
        bool plain = y->coarse && !is_strained(y);
        // a law may have no energy where the body was
        // friction has no potential: what it does is judged by what is left
        bool settles = k == 0 && y->touching && y->norm <= HALF * norm;
        if (plain || settles || !isfinite(before) || *after <= before + 1e-4 * t * slope + noise) {
            return true;
        }
    }
    return false;
}

/// Makes the tangent that of the laws; false: some body keeps another one.
static bool project(phxi_implicit_system* y, bool exact) {
    bool all = true;
    for (int k = 0; k < y->count; ++k) {
        all = y->works[k].op->project(y->works[k].op->context, exact) && all;
    }
    return all;
}

/// Tangents from the one that converges fastest to the one that is never far from the preconditioner.
typedef enum tangent { EXACT, PROJECTED, FROZEN } tangent;

/// The next step, added to x: by the projected tangent, which always leads down. Under pressure it is too stiff and
/// Newton's method converges by halves; then the exact one, as long as it is positive where it is asked.
static bool direction(phxi_implicit_system* y, tangent* kind) {
    int iterations = y->def.newton_iterations;
    double tolerance = fmax(0.1 * y->def.tolerance, 1e-3); // no more digits than the next residual can use
    bool taken = *kind == FROZEN || project(y, *kind == EXACT);
    phxi_implicit_solve(y, iterations, tolerance);
    if (*kind == EXACT && taken && y->indefinite) {
        *kind = PROJECTED;
        go_to(y, BEST);
        phxi_implicit_residual(y); // products have taken the place of its displacements
        project(y, false);
        phxi_implicit_solve(y, iterations, tolerance);
    }
    return taken;
}

/// Direction and search. Where particles are all but flat or inside out the laws' own tangents are so far from those of
/// rest that a solve ends nowhere: then the frozen ones.
static bool descend(phxi_implicit_system* y, double potential, tangent* kind, double* after) {
    keep(y);
    bool taken = direction(y, kind);
    *after = potential;
    if (search(y, potential, slope_of(y), y->around->statics && !taken, after)) {
        return true;
    }
    go_to(y, BEST);
    if (*kind == FROZEN || !phxi_implicit_residual(y)) {
        return false;
    }
    *kind = FROZEN;
    taken = direction(y, kind);
    *after = potential;
    return search(y, potential, slope_of(y), y->around->statics && !taken, after);
}

/// Energies of the bodies, for the momenta of the end.
static void note_energy(phxi_implicit_system* y, int when) {
    for (int k = 0; k < y->count; ++k) {
        y->works[k].s->energy[when] = y->works[k].op->energy(y->works[k].op->context);
    }
}

/// From where the bodies are or from where they would be, whichever is lower: the energy of the end is then no more
/// than that of the start. Leaves residual and potential; false if they are nowhere finite.
static bool begin(phxi_implicit_system* y, double* potential) {
    for (int k = 0; k < y->count; ++k) {
        y->works[k].s->report.careful = true;
        y->works[k].s->report.euler = !y->works[k].s->trapezoid;
    }
    keep(y);
    go_to(y, START);
    bool stays = phxi_implicit_residual(y);
    note_energy(y, 0);
    note_energy(y, 1);
    *potential = phxi_implicit_potential(y);
    go_to(y, BEST);
    bool moves = phxi_implicit_residual(y);
    double there = moves ? phxi_implicit_potential(y) : INFINITY;
    if (!moves || (stays && *potential < there)) {
        go_to(y, START);
        return phxi_implicit_residual(y);
    }
    *potential = there;
    return true;
}

/// What nothing touches goes where its load takes it, to the last digit and not to that of the residual: its moments
/// about the origin are made of that.
static void put_centers(phxi_implicit_system* y) {
    for (int k = 0; k < y->count && !y->around->statics; ++k) {
        const phxi_implicit_work* w = &y->works[k];
        phxi_implicit* s = w->s;
        phx_vec3 sum = {0, 0, 0};
        double mass = 0;
        for (int i = 0; i < s->count; ++i) {
            sum = phxi_add(sum, s->g[i]);
            mass += (double)w->mass[i];
        }
        phx_vec3 shift = phxi_scale(1 / mass, sum);
        for (int i = 0; i < s->count && !s->any_fixed && !w->touching && !w->pressed; ++i) {
            s->x[i] = phxi_add(s->x[i], shift);
        }
    }
}

static bool minimise(phxi_implicit_system* y) {
    const phxi_implicit_def* def = &y->def;
    double potential;
    if (!begin(y, &potential)) {
        return false;
    }
    // a start deep in a collider is no measure of what is small
    double last = y->norm, start = last, scale = phxi_implicit_scale(y), first = scale > 0 ? fmin(last, scale) : last;
    int idle = 0;
    tangent kind = PROJECTED;
    bool barred = false; // the exact tangent, by a direction in which it was not positive
    for (int k = 0; k < def->newton_steps && y->norm > def->tolerance * first && y->norm > 0; ++k) {
        double after;
        tangent tried = kind;
        if (!descend(y, potential, &kind, &after)) {
            go_to(y, BEST);
            bool tame = phxi_implicit_residual(y);
            note_energy(y, 1);
            return tame && k > 0;
        }
        // no further than rounding, or than what sticks and slides in turns
        bool stuck = y->norm > (y->around->statics ? STATIC_STUCK : STUCK) * last;
        idle = stuck && !y->slides ? idle + 1 : 0;
        barred = barred || (tried == EXACT && kind != EXACT);
        kind = kind == PROJECTED && !barred && y->norm > SLOW * last ? EXACT : kind;
        last = y->norm;
        for (int b = 0; b < y->count; ++b) {
            y->works[b].s->report.reduced = last / start;
        }
        if (idle > 2 || (!y->touching && stuck && fabs(potential - after) <= noise_of(potential))) {
            break;
        }
        potential = after;
    }
    note_energy(y, 1);
    return true;
}

bool phxi_implicit_newton(phxi_implicit_system* y) {
    bool found = minimise(y);
    if (found) {
        put_centers(y);
    }
    return found;
}
