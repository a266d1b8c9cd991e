// SPDX-License-Identifier: MIT
// An equilibrium, docs/theory/statics.md: the step of backward Euler with steps so long that inertia is nothing. What
// is left of it in the matrix, M/s, only keeps a direction that nothing holds from being singular.
#include "implicit/implicit_internal.h"

#include <string.h>

#define ROUNDS 4 // of Newton's method, which stops where its line search does not get on
#define STILL                                                                                                          \
    1e-3          // spacings: a round that moves nothing farther has come as near as the precision of the state lets it
#define NOISE  10 // times the tolerance, that rounding may leave
#define LINEAR 400 // iterations of a linear solve, at most
#define LONG   1.0 // s; from there on a body must be held by something

void phxi_implicit_statics_def(phxi_implicit_def* def) {
    def->newton = true;
    def->trapezoid = false;
    def->outer = 0;
    def->solver = PHXI_SOLVER_PCG;
    def->newton_steps = 30;
    def->newton_iterations = LINEAR;
    def->tolerance = 1e-7; // it ends by what is left over the load
    def->damping = 0;
}

phx_result phxi_implicit_start_static(phxi_implicit_system* y) {
    for (int k = 0; k < y->count; ++k) { // rollers that move take what is on them along; nothing else moves it there
        phxi_implicit_go_to_start(&y->works[k]);
    }
    if (y->may_touch) {
        PHXI_TRY(phxi_implicit_find_pairs(y));
        phxi_implicit_start_pairs(y);
    }
    return PHX_OK;
}

/// What warmth presses with where nothing gives way, on what a particle owns of the surface, N: a body that grows
/// freely has no other load.
static double thermal_load(const phxi_implicit_work* w, int i) {
    const phxi_particles* p = w->step->particles;
    int k = w->s->begin + i;
    const phxi_body* body = &w->step->bodies[p->body[k]];
    double area = phxi_length(phxi_vec3(p->area_x[k], p->area_y[k], p->area_z[k]));
    area = area > 0 || body->conforming ? area : (double)w->spacing[i] * (double)w->spacing[i];
    return p->thermal ? body->material.young * (double)p->thermal[k] * area : 0;
}

static void left_part(void* context, int begin, int end, int block) {
    phxi_implicit_work* w = context;
    phxi_implicit* s = w->s;
    double left = 0, load = 0;
    for (int i = begin; i < end; ++i) {
        if (w->fixed[i]) {
            load += phxi_dot(s->force[i], s->force[i]);
            continue;
        }
        phx_vec3 external = phxi_implicit_external(w, i);
        phx_vec3 inertia = phxi_scale((double)w->mass[i], phxi_sub(s->xh[i], s->x[i])); // of short steps it counts
        phx_vec3 force = phxi_scale(1 / s->s, phxi_sub(s->g[i], inertia));
        left += phxi_dot(force, force);
        double warm = thermal_load(w, i);
        load += phxi_dot(external, external) + warm * warm;
        if (phxi_implicit_on_rail(w, i)) { // and what its rollers exert
            phx_vec3 all = phxi_add(s->force[i], external);
            phx_vec3 across = phxi_sub(all, phxi_implicit_on_rail_only(w, i, all, phxi_vec3(0, 0, 0)));
            load += phxi_dot(across, across);
        }
        if (w->touching) {
            load += phxi_dot(s->contact_force[i], s->contact_force[i]);
        }
    }
    s->sums[block].dot[0] = left;
    s->sums[block].dot[1] = load;
}

/// What is left, N, over loads and what holds the bodies.
static void measure(phxi_implicit_system* y, double* left, double* load) {
    *left = *load = 0;
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit_work* w = &y->works[k];
        phxi_implicit_loop(w, left_part);
        for (int b = 0; b < w->s->sum_count; ++b) {
            *left += w->s->sums[b].dot[0];
            *load += w->s->sums[b].dot[1];
        }
    }
    *left = sqrt(*left);
    *load = sqrt(*load);
}

static void report(phxi_implicit_system* y, double left, double load, bool reached) {
    phxi_implicit_statics* found = y->around->statics;
    int newton = 0;
    for (int k = 0; k < y->count; ++k) {
        const phxi_implicit_work* w = &y->works[k];
        bool held = w->s->any_fixed || w->touching || w->paired;
        newton = w->s->report.passes > newton ? w->s->report.passes : newton;
        if (!held && y->dt >= LONG && found->loose < 0) {
            found->loose = w->s->begin;
        }
    }
    found->newton = newton > found->newton ? newton : found->newton;
    found->missed = found->missed || !reached;
    if (!(left * found->load <= found->left * load)) {
        found->left = left;
        found->load = load;
    }
}

/// Keeps where the bodies are, in what a start at rest does not need.
static void keep(phxi_implicit_system* y) {
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit* s = y->works[k].s;
        memcpy(s->past, s->x, (size_t)s->count * sizeof *s->x);
    }
}

/// The farthest way from there, over the spacing.
static double moved(const phxi_implicit_system* y) {
    double most = 0;
    for (int k = 0; k < y->count; ++k) {
        const phxi_implicit_work* w = &y->works[k];
        for (int i = 0; i < w->s->count; ++i) {
            most = fmax(most, phxi_distance(w->s->x[i], w->s->past[i]) / (double)w->spacing[i]);
        }
    }
    return most;
}

bool phxi_implicit_equilibrium(phxi_implicit_system* y) {
    double left = INFINITY, load = 1, tolerance = y->around->statics->tolerance;
    bool reached = false;
    for (int round = 0; round < ROUNDS && !reached; ++round) {
        keep(y);
        if (!phxi_implicit_newton(y)) {
            break;
        }
        measure(y, &left, &load);
        reached = left <= tolerance * load || (left <= NOISE * tolerance * load && moved(y) < STILL);
    }
    report(y, left, load, reached);
    if (reached && y->around->statics->buckling) {
        y->out_of_memory = phxi_implicit_buckling(y) != PHX_OK || y->out_of_memory;
    }
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit_work* w = &y->works[k];
        w->after = (phxi_implicit_sums){.mass = 0}; // nothing moves
        w->s->current = true;
    }
    return true;
}
