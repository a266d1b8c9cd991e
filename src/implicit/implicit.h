// SPDX-License-Identifier: MIT
// The implicit step of all bodies of all methods (docs/theory/implicit_steps.md): each body provides its forces,
// a tangent and its stencils (an operator). Bodies that may touch are solved together, so action equals reaction
// whatever two bodies are made of.
//
//   step.c      one step: history, schemes, first guess, passes, velocities, and what to do when one pass is not enough
//   newton.c    the careful variant: backward Euler by Newton's method with a line search on the incremental potential
//   buckling.c  what an equilibrium bears
//   statics.c   an equilibrium: Newton's method with steps so long that inertia is nothing
//   projective.c  the cheap variant: backward Euler by a few solves with a matrix that does not follow rotations
//   residual.c  forces, contact and inertia at trial positions; rigid parts taken out
//   contact.c   colliders at trial positions: forces, and stiffness for the diagonal
//   pairs.c     bodies that touch each other or themselves, at trial positions: forces, stiffness, products
//   together.c  which bodies may touch and are solved together, and in how many parts the step is taken
//   pcg.c       (M + s K) dx = g by preconditioned conjugate gradients (solve/cg.h): its passes
//   coarse.c    the preconditioner: diagonal blocks, and rigid modes of bricks with a dense inverse
//   coarse_contact.c  the part of contact in it
//   momenta.c         velocities of the end, and momenta exactly
//   sliding.c         bodies that slide as a whole: how far, and what a blow does not change
//   held.c            forces that drivers feel
//   rails.c           particles that drivers hold along some directions only
//   rebound.c         what comes off a blow that is shorter than a step
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
// If a velocity was changed from outside by dv since the last step (an impulse, a set velocity, a new body), the
// history is changed as if dv had been there before: v- += dv, d += dt- dv. Otherwise BDF2 would turn an impulse into
// 3/2 dv.
//
// Positions, residuals and sums are in double. The linear system is in state precision and in the axes the operator
// chooses; the next residual sees its error. Results are the same at any thread count.
#pragma once

#include "bodies/step.h"
#include "motion/integrator.h"

/// The neighbourhood of particle k in its share of the tangent at rest: dJ = sum_j q_j g_j^T with g of k itself
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

/// What a method provides for a body. Particles are counted from the body's first.
typedef struct phxi_operator {
    void* context;
    int stencil_size; // largest number of neighbours
    /// Internal forces (N, world axes) at x. They and the tangent of `product` refer to this state until the next call.
    /// False: something is not finite or stretched beyond all bounds.
    bool (*forces)(void* context, const phx_vec3* x, phx_vec3* force, phxi_strain* strain);
    /// Elastic energy at the positions of the last `forces`, J; INFINITY where a law has none.
    double (*energy)(void* context);
    /// For Newton's method: until the next `forces`, `product` uses the law's tangent at the positions of the last
    /// `forces`, projected to be positive or, if `exact`, as it is. False: not supported, K is unchanged.
    bool (*project)(void* context, bool exact);
    /// Whether that tangent, exact, has the stiffness of stress in all particles; NULL: it has not.
    bool (*knows_stress)(void* context);
    /// Axes in which q and K q are given, and the rotation R of a particle in them.
    phxi_mat3 (*axes)(void* context);
    void (*rotation)(void* context, int particle, phx_real r[9]);
    /// K q, with K symmetric and positive semidefinite.
    void (*product)(void* context, const phx_real* const q[3], phx_real* const kq[3]);
    void (*stencil)(void* context, int particle, phxi_stencil* stencil);
    /// The current diagonal block of K, xx yy zz xy xz yz, in the axes of `product`. NULL: the one of the stencils,
    /// turned by `rotation`.
    void (*diagonal)(void* context, int particle, double block[6]);
} phxi_operator;

/// How linear systems are solved. The last two use only the diagonal of the matrix; for projective steps.
typedef enum phxi_linear_solver { PHXI_SOLVER_PCG, PHXI_SOLVER_JACOBI, PHXI_SOLVER_CHEBYSHEV } phxi_linear_solver;
extern const char* const phxi_linear_solver_words[];

/// How a body is stepped.
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
    double grip; // how many times less than usual a body held by friction of colliders slips; 0: as usual
} phxi_implicit_def;

/// Parameters of a method for implicit steps; 0: the default.
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
/// How a body of this material is stepped with these parameters.
phxi_implicit_def phxi_implicit_chosen(const phxi_implicit_choice* choice, const phx_material_def* material);

/// Statistics of a step.
typedef struct phxi_implicit_report {
    int passes, iterations; // linear solves, and the sum of their iterations
    int halvings;           // the step was split into 2^halvings smaller ones
    bool euler, careful;    // backward Euler; Newton's method
    bool impact;            // contacts closed or opened
    int contacts;
    double reduced; // last over first residual of Newton's method; 0: it was not used
    phxi_strain strain;
} phxi_implicit_report;

typedef struct phxi_implicit phxi_implicit;

/// Allocates everything a body needs. The particles' rest positions, masses and spacings must be set.
/// `bricks`: with the coarse part of the preconditioner; false for projective steps, whose matrix resists turning.
phx_result phxi_implicit_create(phxi_heap* heap, const phxi_particles* particles, int begin, int count,
                                int stencil_size, bool bricks, phxi_implicit** implicit);
void phxi_implicit_destroy(phxi_implicit* implicit);
/// Whether it was made for these particles; if not, it must be created again.
bool phxi_implicit_fits(const phxi_implicit* implicit, int begin, int count);
/// The stencils have changed (fracture, a new reference): the preconditioner is rebuilt before the next step.
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
/// Inserts a body in the order of its particles. The list has room for all bodies of the world.
void phxi_implicit_list_add(phxi_implicit_list* list, phxi_implicit_body body);

/// What a step towards an equilibrium finds.
typedef struct phxi_implicit_statics {
    double tolerance;  // input: of what is left, over the load and what holds it
    double left, load; // N; of the system that is worst
    int newton;        // most steps of Newton's method that a system took
    int loose;         // a particle of a body that nothing holds; -1: there is none
    bool missed;       // some system has not reached the tolerance
    bool buckling;     // input: it is to be known what the state bears
    double steepest;   // 1 over how many times the load that is, 0: there is no limit
    bool touching;     // that is not known: something touches
    int stressless;    // nor is it where there is no tangent of stress: a particle; -1: there is none
} phxi_implicit_statics;
/// Of a body whose equilibrium is looked for, in place of how it is stepped.
void phxi_implicit_statics_def(phxi_implicit_def* def);

/// What a step needs to know about the rest of the world.
typedef struct phxi_implicit_surroundings {
    double dt, last_dt;               // s; last_dt 0: there was no step yet
    phxi_pairs* pairs;                // possible contacts among these bodies and kinematic ones
    const phxi_contact_scene* scene;  // NULL: nothing can touch
    const bool* has_explicit_contact; // by body of the world: forces of explicit contact act, which are known at the
                                      // start only (BDF2 feeds on them); NULL: nowhere
    double overlap_time;              // s, in which bodies created inside a collider are let out
    phxi_implicit_statics* statics;   // an equilibrium is looked for; NULL: none is
} phxi_implicit_surroundings;
/// One step of all bodies; those that may touch are solved together. If every fallback fails, `trouble` names the first
/// non-finite particle.
phx_result phxi_implicit_step(const phxi_implicit_list* list, const phxi_implicit_surroundings* around, phxi_step* step,
                              phxi_trouble* trouble);
/// Statistics of the last step.
const phxi_implicit_report* phxi_implicit_last(const phxi_implicit* implicit);
