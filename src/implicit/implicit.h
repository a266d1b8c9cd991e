// SPDX-License-Identifier: MIT
// The implicit step of all bodies of all methods (docs/theory/implicit_steps.md): each gives its forces, a tangent and
// its stencils (an operator), and whatever may touch is solved together, so that action is reaction whatever two bodies
// are made of.
//
//   step.c      what a step is: history, schemes, start, passes, velocities, and what happens when a pass is not enough
//   newton.c    the careful way: backward Euler by Newton's method with a line search on the incremental potential
//   projective.c  the plain way: backward Euler by a few solves with a matrix that does not follow the rotations
//   residual.c  forces, contact and inertia at trial positions; rigid parts taken out
//   contact.c   colliders at trial positions: forces, and stiffness for the diagonal
//   pairs.c     bodies that touch each other or themselves, at trial positions: forces, stiffness, products
//   together.c  who may touch whom and is solved together, and in how many parts a step is taken for it
//   pcg.c       (M + s K) dx = g by preconditioned conjugate gradients (solve/cg.h): its passes
//   coarse.c    the preconditioner: diagonal blocks, and rigid modes of bricks with a dense inverse
//   coarse_contact.c  the part of contact in it
//   momenta.c         velocities of the end, and momenta exactly
//   held.c            forces that drivers feel
//   workspace.c       memory
//
// Unknowns are positions x at the end of the step. With q, v the state at its start, d the displacement and v- the
// velocity of the step before, r = dt / dt-, a0 = (1+2r)/(1+r), a2 = r^2/(1+r):
//   bdf2   M (x - xh) = s f(x),  s = (dt/a0)^2,  xh = q + (a2 d)/a0 + dt ((1+r) v - a2 v-)/a0^2,
//          v' = (a0 (x - q) - a2 d)/dt                                                                    (1)
//   Euler  a0 = 1, a2 = 0, r = 0                                                                          (2)
//   trapezoid (Newmark 1/4, 1/2)  a0 = 2, a2 = 0, s = (dt/2)^2, xh = q + dt v + s f(q)/m, v' = 2 (x - q)/dt - v   (3)
//          keeps the energy of linear motion, damps nothing; steps that begin in contact are (2)
// For r = 1 that is (4q - q-)/3 + dt (8v - 2v-)/9 and s = 4/9 dt^2.
//
// A velocity that somebody else has changed by dv since the last step (an impulse, a set velocity, a new body) is as if
// it had been there before: v- += dv, d += dt- dv. Without that BDF2 makes 3/2 dv of an impulse.
//
// Positions, residuals and sums are in double. The linear system is in state precision and in the axes the operator
// chooses: its error is seen by the next residual. Everything is the same at any thread count.
#pragma once

#include "bodies/step.h"
#include "motion/integrator.h"

/// The neighbourhood of particle k as its share of the tangent at rest sees it: dJ = sum_j q_j g_j^T with g of k itself
/// = -sum of the others, energy V (mu |sym dJ|^2 + lambda/2 tr^2) + c/2 sum_j w |q_j - q_k - dJ x_j|^2.
typedef struct phxi_stencil {
    int count;
    int* neighbor;      // of the body, from 0
    phx_vec3* gradient; // g_j, 1/m
    phx_vec3* arm;      // x_j, m
    double* weight;     // w
    double volume, mu, lambda, hourglass;
} phxi_stencil;

/// How far from rest a state is.
typedef struct phxi_strain {
    double least_det; // smallest det J
    double most;      // largest |J - R|
} phxi_strain;

/// What a method brings. Particles are those of the body, from 0.
typedef struct phxi_operator {
    void* context;
    int stencil_size; // largest number of neighbours
    /// Internal forces (N, world axes) at x; they and the tangent of `product` stay of this state until the next call.
    /// False: something is not finite or stretched beyond all bounds.
    bool (*forces)(void* context, const phx_vec3* x, phx_vec3* force, phxi_strain* strain);
    /// Elastic energy at the positions of the last `forces`, J; INFINITY where a law has none.
    double (*energy)(void* context);
    /// Makes the tangent of `product` that of the law at the positions of the last `forces`, as far as it is positive
    /// or, if `exact`, as it is; until the next `forces`. For Newton's method. False: it does not, K stays what it was.
    bool (*project)(void* context, bool exact);
    /// Axes in which q and K q are given, and the rotation R of a particle in them.
    phxi_mat3 (*axes)(void* context);
    void (*rotation)(void* context, int particle, phx_real r[9]);
    /// K q, K symmetric and positive semidefinite. May be replaced body by body by something faster.
    void (*product)(void* context, const phx_real* const q[3], phx_real* const kq[3]);
    void (*stencil)(void* context, int particle, phxi_stencil* stencil);
    /// The block of K on the diagonal as it is now, xx yy zz xy xz yz, axes as of `product`. NULL: that of the
    /// stencils, turned by `rotation`.
    void (*diagonal)(void* context, int particle, double block[6]);
} phxi_operator;

/// How linear systems are solved; the last two take the diagonal for the matrix, and are for projective steps.
typedef enum phxi_linear_solver { PHXI_SOLVER_PCG, PHXI_SOLVER_JACOBI, PHXI_SOLVER_CHEBYSHEV } phxi_linear_solver;
extern const char* const phxi_linear_solver_words[];

/// How a body is to be stepped.
typedef struct phxi_implicit_def {
    bool newton;                         // backward Euler to convergence; false: BDF2
    bool trapezoid;                      // with `newton`: the trapezoidal rule instead, where nothing touches
    int outer;                           // not 0: projective, backward Euler by as many solves
    bool spin_fades;                     // of projective steps: angular momentum is what backward Euler leaves of it
    phxi_linear_solver solver;           // of projective steps
    double kappa;                        // of projective steps: largest diagonal of s K over the mass
    int iterations;                      // at most, of one linear solve
    double tolerance;                    // of a linear solve, relative; of Newton's method likewise
    int newton_steps, newton_iterations; // at most, and of each of its linear solves
    double damping;                      // 1/s, of the motion that is not rigid
    double young;                        // Pa, for contact
    double grip;                         // how much less than usual slips what friction of obstacles holds; 0: no less
} phxi_implicit_def;

/// What parameters of a method say of implicit steps; 0: the usual number.
typedef struct phxi_implicit_choice {
    int integrator;   // phxi_integrator
    double dt;        // s; 1/60
    int iterations;   // 6 of bdf2, 60 of the others
    double tolerance; // 0.01 of bdf2, 1e-4 of the others
} phxi_implicit_choice;
static inline bool phxi_implicit_is(int integrator) {
    return integrator >= PHXI_BDF2 && integrator <= PHXI_TRAPEZOID;
}
/// The length of such a step, s.
double phxi_implicit_length(const phxi_implicit_choice* choice);
/// How a body of this material is stepped then.
phxi_implicit_def phxi_implicit_chosen(const phxi_implicit_choice* choice, const phx_material_def* material);

/// What a step was like.
typedef struct phxi_implicit_report {
    int passes, iterations; // linear solves, and iterations of all of them
    int halvings;           // 2^halvings small steps were taken instead
    bool euler, careful;    // backward Euler; Newton's method
    bool impact;            // contacts that come or go
    int contacts;
    double reduced; // what Newton's method left of the first residual; 0: it was not called
    phxi_strain strain;
} phxi_implicit_report;

typedef struct phxi_implicit phxi_implicit;

/// Everything a body needs, allocated at once. The particles' rest positions, masses and spacings must be in place.
/// `bricks`: with the coarse part of the preconditioner; false for projective steps, whose matrix resists turning.
phx_result phxi_implicit_create(phxi_heap* heap, const phxi_particles* particles, int begin, int count,
                                int stencil_size, bool bricks, phxi_implicit** implicit);
void phxi_implicit_destroy(phxi_implicit* implicit);
/// Whether it was made for these particles; if not it is to be made anew.
bool phxi_implicit_fits(const phxi_implicit* implicit, int begin, int count);
/// The stencils have changed (fracture, a new reference): the preconditioner is built anew before the next step.
void phxi_implicit_rebuild(phxi_implicit* implicit);
/// A body of a step: a contiguous range of particles, of one body of the world or of several.
typedef struct phxi_implicit_body {
    phxi_implicit* implicit;
    phxi_operator op;
    phxi_implicit_def def;
} phxi_implicit_body;
/// All of them, in memory of the step's arena.
typedef struct phxi_implicit_list {
    phxi_implicit_body* items;
    int count, capacity;
} phxi_implicit_list;
/// Puts a body where its particles stand in order; there is room, as the list is made for all bodies of the world.
void phxi_implicit_list_add(phxi_implicit_list* list, phxi_implicit_body body);

/// What a step is told of the world besides.
typedef struct phxi_implicit_surroundings {
    double dt, last_dt;              // s; last_dt 0: there was no step yet
    phxi_pairs* pairs;               // who may touch where, among these bodies and those that drivers alone move
    const phxi_contact_scene* scene; // NULL: nobody
    const bool* pushed; // by body of the world: forces of explicit contact act, which are known at the start only (BDF2
                        // feeds on them); NULL: nowhere
    double overlap_time; // s, in which what was put into an obstacle is let out
} phxi_implicit_surroundings;
/// One step of all bodies; those that may touch are solved together. `trouble` names the first particle that is not
/// finite, after everything has been tried.
phx_result phxi_implicit_step(const phxi_implicit_list* list, const phxi_implicit_surroundings* around, phxi_step* step,
                              phxi_trouble* trouble);
/// Of the last step.
const phxi_implicit_report* phxi_implicit_last(const phxi_implicit* implicit);
