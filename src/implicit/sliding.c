// SPDX-License-Identifier: MIT
// Bodies that slide as a whole, docs/theory/implicit_steps.md (14b), (14c) and (4b).
//
// Friction goes into the matrix as a drag that a solve holds constant. A body that begins to slide would be let go bit
// by bit: the drag of what holds is stiff, and from solve to solve the slip grows by load over bound. But a solve that
// finds friction beyond Coulomb's bound has found the load as well, and so how far the body slides under what is left.
//
// Directions in which contact holds a body back are left out: with the pushes N_k along n_k, A = sum N_k n_k n_k^T /
// sum N_k, of a motion u the part (1 + (A/e)^4)^-1 u is free. On a plane that is what lies along it, in a groove what
// goes along the groove.
#include "implicit/implicit_internal.h"

#include "math/decompose3.h"

#define FREE    0.1  // e: share of the push along a direction, above which it is not free
#define MUCH    1e-3 // of friction, by which it may miss the bound
#define SETTLED 0.25 // change of the push from solve to solve, above which friction is not known

void phxi_implicit_grip_add(phxi_implicit_grip* grip, double push, phx_vec3 n) {
    grip->push += push;
    grip->normals.xx += push * n.x * n.x, grip->normals.yy += push * n.y * n.y, grip->normals.zz += push * n.z * n.z;
    grip->normals.xy += push * n.x * n.y, grip->normals.xz += push * n.x * n.z, grip->normals.yz += push * n.y * n.z;
}

void phxi_implicit_grip_rub(phxi_implicit_grip* grip, double drag, phx_vec3 slip, double most, double least) {
    phx_vec3 friction = phxi_scale(-drag, slip);
    double strength = phxi_length(friction);
    bool slides = drag > 0 && phxi_length(slip) > least;
    grip->most += most;
    grip->slip = phxi_add_scaled(grip->slip, most, slip);
    if (slides || strength > most) {
        grip->excess = phxi_add_scaled(grip->excess, 1 - most / strength, friction);
    } else {
        grip->spare += most - strength;
    }
}

void phxi_implicit_grip_merge(phxi_implicit_grip* to, const phxi_implicit_grip* from) {
    to->push += from->push;
    to->normals.xx += from->normals.xx, to->normals.yy += from->normals.yy, to->normals.zz += from->normals.zz;
    to->normals.xy += from->normals.xy, to->normals.xz += from->normals.xz, to->normals.yz += from->normals.yz;
    to->excess = phxi_add(to->excess, from->excess);
    to->spare += from->spare;
    to->most += from->most;
    to->slip = phxi_add(to->slip, from->slip);
}

/// The part of a motion that contact leaves free.
static phx_vec3 free_part(const phxi_implicit_grip* grip, phx_vec3 u) {
    if (!(grip->push > 0)) {
        return u;
    }
    double values[3];
    phxi_mat3 axes;
    phxi_eigen_sym3(&grip->normals, values, &axes);
    phx_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        phx_vec3 axis = phxi_vec3(axes.m[0][k], axes.m[1][k], axes.m[2][k]);
        double held = fmax(0, values[k]) / grip->push / FREE, share = 1 / (1 + held * held * held * held);
        sum = phxi_add_scaled(sum, share * phxi_dot(u, axis), axis);
    }
    return sum;
}

// ------------------------------------------------------------------------------------------------------------
// positions

typedef struct shift_context {
    phxi_implicit* s;
    phx_vec3 way;
} shift_context;

static void shift_part(void* context, int begin, int end, int block) {
    (void)block;
    const shift_context* c = context;
    for (int i = begin; i < end; ++i) {
        c->s->x[i] = phxi_add(c->s->x[i], c->way);
    }
}

/// Moves bodies that slide as far as what is left of their load takes them; the farthest way over the spacing.
static double slide(phxi_implicit_system* y) {
    double farthest = 0;
    for (int k = 0; k < y->count; ++k) {
        phxi_implicit_work* w = &y->works[k];
        const phxi_implicit_grip* grip = &w->grip;
        double excess = phxi_length(grip->excess) - grip->spare;
        bool settled = fabs(grip->push - w->pushed) <= SETTLED * w->pushed;
        if (!settled || w->s->any_fixed || !(excess > MUCH * grip->most) || !(w->total_mass > 0)) {
            continue;
        }
        double scale = w->s->s / w->total_mass * excess / phxi_length(grip->excess);
        // the excess is friction that there is not: without it the body goes on against it
        shift_context c = {w->s, free_part(grip, phxi_scale(-scale, grip->excess))};
        double back = -phxi_dot(c.way, grip->slip) / phxi_dot(grip->slip, grip->slip);
        if (back * grip->most > 0.5) { // too little friction does not turn it round
            c.way = phxi_scale(0.5 / (back * grip->most), c.way);
        }
        phxi_parallel_for(w->step->pool, w->s->count, IMPLICIT_GRAIN, shift_part, &c);
        farthest = fmax(farthest, phxi_length(c.way) / (double)w->spacing[0]);
    }
    return farthest;
}

bool phxi_implicit_residual_sliding(phxi_implicit_system* y, double* way, double* pushed) {
    *way = *pushed = 0;
    if (!phxi_implicit_residual(y)) {
        return false;
    }
    for (int k = 0; k < y->count; ++k) {
        const phxi_implicit_work* w = &y->works[k];
        if (w->grip.most > 0) {
            *pushed = fmax(*pushed, fabs(w->grip.push - w->pushed) / w->grip.push);
        }
    }
    bool solved = y->def.outer == 0 || y->def.solver == PHXI_SOLVER_PCG; // others leave loads that are none
    *way = y->touching && solved ? slide(y) : 0;
    return *way > 0 ? phxi_implicit_residual(y) : true;
}

// ------------------------------------------------------------------------------------------------------------- history

phx_vec3 phxi_implicit_smooth_change(const phxi_implicit_work* w) {
    const phxi_implicit_sums* t = &w->after;
    if (w->s->any_fixed || !(t->mass > 0)) {
        return phxi_vec3(0, 0, 0);
    }
    phx_vec3 all = phxi_sub(phxi_scale(1 / t->mass, t->momentum), w->velocity);
    phx_vec3 load = phxi_scale(w->s->dt / t->mass, w->push), contact = phxi_sub(all, load);
    // of what contact did as much is no blow as its push is what carries the load
    phx_vec3 carried = phxi_sub(load, free_part(&w->grip, load)),
             pushed = phxi_sub(contact, free_part(&w->grip, contact));
    double share = fmin(1, phxi_length(carried) / fmax(phxi_length(pushed), 1e-300));
    phx_vec3 smooth = phxi_add_scaled(load, share, contact);
    return phxi_scale(w->system->dt / w->s->dt, free_part(&w->grip, smooth));
}
