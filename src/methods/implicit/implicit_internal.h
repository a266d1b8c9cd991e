// SPDX-License-Identifier: MIT
// Shared by the files of the implicit solver: the body's work space, and what the files give each other.
#pragma once

#include "methods/implicit/implicit.h"

#define IMPLICIT_GRAIN   256 // particles of a block
#define PHXI_NEAR_BRICKS 27  // in one stencil

/// Sums of one block, added in block order.
typedef struct phxi_implicit_sums {
    double dot[2];
    double mass;
    phx_vec3 first, before, momentum, spin; // sum m q, m d, m v, m q x v about the origin
    phxi_mat3 cross[2];                     // sum m q X^T, now and a step before
    phxi_sym3 second;                       // sum m q q^T
    phx_vec3 force, torque;
    double most;                // largest of something
    int contacts;               // touching
    bool moving;                // some of them come or go
    double potential, friction; // of contact, J; what friction takes
} phxi_implicit_sums;

#define PHXI_COARSE_KEPT     2
#define PHXI_TOUCHING_BRICKS 40 // at most, that coarse_contact.c sees

/// Bricks in contact, and the small matrix they make.
typedef struct phxi_coarse_contact {
    int count;
    int brick[PHXI_TOUCHING_BRICKS];
    double g[PHXI_TOUCHING_BRICKS][6][6];
    double matrix[36 * PHXI_TOUCHING_BRICKS * PHXI_TOUCHING_BRICKS];
} phxi_coarse_contact;

struct phxi_implicit {
    phxi_heap* heap;
    int begin, count;
    phxi_implicit_report report;
    // positions and the like, world axes
    phx_vec3 *q, *v, *d, *past; // at the start
    phx_vec3 *x, *xh, *force, *g;
    phx_vec3* touch;     // contact forces
    phx_vec3* best;      // positions kept by the line search
    phx_vec3 rest_mean;  // mass-weighted
    phxi_sym3 rest_span; // inverse of sum m X X^T about it
    bool any_fixed;
    double last_dt; // of the history in d and past
    // the scheme: (1), (2)
    double a0, a2, ratio, s, dt;
    bool euler;
    double norm;              // of g, sqrt(sum |g|^2 / m)
    bool current;             // force is that at x
    double reached;           // residual of the last linear solve, relative
    bool indefinite;          // it found a direction in which the matrix is not positive
    double contact_potential; // at x, J
    double friction_work;     // what friction takes on the way there, J
    bool spins;               // fast
    bool large;               // strains call for care
    double energy[2];         // elastic, at the start and at the end of Newton's method, J
    bool struck;              // something new was hit in this step
    // linear system, operator's axes: planes of `stride` numbers
    int stride;
    phx_real *dx[3], *r[3], *z[3], *p[3], *ap[3];
    phx_real* block[6];   // inverse of the diagonal block, zero for fixed particles
    phx_real* contact[6]; // s times stiffness of contact
    uint8_t* touched;     // has contact
    double* rest_block;   // 6 a particle: sum of the tangent's share, for s = 1 and without mass
    // bricks
    int brick_count, modes;
    int *brick, *brick_start, *brick_items; // of a particle; particles of a brick
    int* scratch;                           // one a particle
    phx_real* arm[3];                       // of a particle from the middle of its brick
    double* matrix;                         // Ac, then its factors
    float* inverse;                         // the one in use
    float *coarse_r, *coarse_z;
    phxi_coarse_contact* coarse_contact;
    struct {
        double s;       // 0: not yet
        uint64_t fixed; // hash of the fixed particles it was built for
        float* inverse;
    } built[PHXI_COARSE_KEPT];
    int last_built;
    phxi_stencil stencil; // buffers
    phxi_implicit_sums* sums;
    int sum_count;
};

/// One step as its loops see it.
typedef struct phxi_implicit_work {
    phxi_implicit* s;
    const phxi_operator* op;
    const phxi_implicit_fields* fields;
    phxi_step* step;
    const phxi_implicit_def* def;
    const int* fixed; // of the body's particles, as are the next two
    const phx_real *mass, *spacing;
    phx_vec3 origin, center, velocity, angular; // rigid motion at the start; angular momentum about the centre
    phxi_mat3 spin_inverse;                     // of the inertia tensor
    phx_vec3 push, twist;                       // net external force and torque, without contact
    double total_mass;
    double scale;          // of residuals: sqrt(sum m |dt v|^2) and what the external force adds
    phxi_mat3 turned;      // by how much the body turned in the step before
    phx_vec3 drift;        // and moved
    bool lying;            // touches at the start
    phxi_mat3 axes;        // of the linear system
    phxi_mat3 search_axes; // the same, when dx was found
    bool touching;         // contacts at trial positions
} phxi_implicit_work;

// residual.c
/// g = M (xh - x) + s (f(x) + external + contact) into s->g; false if not finite.
bool phxi_implicit_residual(phxi_implicit_work* w);
/// The same with forces that are there already.
bool phxi_implicit_balance(phxi_implicit_work* w);
/// Gravity and drivers on one particle, N.
phx_vec3 phxi_implicit_external(const phxi_implicit_work* w, int i);
/// A particle's share in mass, moments, momentum and spin; and the sums of all blocks, in their order.
void phxi_implicit_add_motion(phxi_implicit_sums* sums, double mass, phx_vec3 r, phx_vec3 velocity);
phxi_implicit_sums phxi_implicit_merge(const phxi_implicit* s);
/// Inverse of the inertia tensor about the mean, from sums about the origin.
phxi_mat3 phxi_implicit_inertia_inverse(double mass, phx_vec3 mean, phxi_sym3 second);
/// Positions in terms of the incremental potential: |x - xh|^2_M / (2 s) + U - external . x + contact, J.
double phxi_implicit_potential(phxi_implicit_work* w);

// contact.c
/// Contact at s->x into s->touch and the number of contacts; and s times its stiffness in the solver's axes.
void phxi_implicit_contact(phxi_implicit_work* w);
/// Particles that touch where they are at the start.
int phxi_implicit_contacts_before(phxi_implicit_work* w);

// pcg.c
/// Solves for s->dx with s->g on the right, both in the operator's axes within; adds it to s->x. Returns iterations.
int phxi_implicit_solve(phxi_implicit_work* w, int iterations, double tolerance);

// coarse.c
phx_result phxi_implicit_bricks(phxi_implicit* s, const phxi_particles* particles);
/// Preconditioner for this step size and these fixed particles, unless it is there.
void phxi_implicit_prepare(phxi_implicit_work* w);
/// Diagonal blocks of this pass: turned by R, with contact.
void phxi_implicit_blocks(phxi_implicit_work* w);
/// coarse_z = Ac^-1 Z^T r; returns coarse_z . Z^T r.
double phxi_implicit_coarse(phxi_implicit_work* w);
/// A row of Ac^-1.
static inline const float* phxi_implicit_coarse_row(const phxi_implicit* s, int row) {
    return s->inverse + (size_t)row * ((size_t)(s->modes + 15) / 16 * 16);
}

// coarse_contact.c
/// Contact as it is now becomes part of the preconditioner, and is taken off coarse_z.
void phxi_implicit_coarse_touch(phxi_implicit_work* w);
void phxi_implicit_coarse_correct(phxi_implicit* s);

// step.c
/// One pass is not enough, and energies are to be compared.
bool phxi_implicit_strained(const phxi_strain* strain);

// newton.c
/// Backward Euler from x = q. False if it ends in something that is not finite.
bool phxi_implicit_newton(phxi_implicit_work* w);

/// Runs a loop over the body's particles in blocks.
static inline void phxi_implicit_loop(phxi_implicit_work* w, phxi_loop_body* body) {
    phxi_parallel_for(w->step->pool, w->s->count, IMPLICIT_GRAIN, body, w);
}
