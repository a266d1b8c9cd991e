// SPDX-License-Identifier: MIT
// Shared by the files of the implicit solver: the body's work space, and what the files give each other.
#pragma once

#include "contact/law/friction.h"
#include "implicit/implicit.h"

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
    double most;  // largest of something
    int contacts; // touching
    bool moving;  // some of them come or go
} phxi_implicit_sums;

#define PHXI_COARSE_KEPT     2
#define PHXI_TOUCHING_BRICKS 32 // at most, that coarse_contact.c sees

/// Bricks in contact, and the small matrices they make.
typedef struct phxi_coarse_contact {
    int count;
    int contacts; // that it was made for; -1: to be made
    int work[PHXI_TOUCHING_BRICKS], brick[PHXI_TOUCHING_BRICKS];
    double g[36 * PHXI_TOUCHING_BRICKS * PHXI_TOUCHING_BRICKS];
    double half[36 * PHXI_TOUCHING_BRICKS * PHXI_TOUCHING_BRICKS];
    double matrix[36 * PHXI_TOUCHING_BRICKS * PHXI_TOUCHING_BRICKS];
} phxi_coarse_contact;

struct phxi_implicit {
    phxi_heap* heap;
    int begin, count;
    phxi_implicit_report report;
    // positions and the like, world axes
    phx_vec3 *q, *v, *d, *past; // at the start
    phx_vec3 *x, *xh, *force, *g;
    phx_vec3* touch;           // contact forces
    phx_vec3* best;            // positions kept by the line search
    phx_vec3 *kept_q, *kept_v; // at the start, for another try
    phx_vec3 rest_mean;        // mass-weighted
    phxi_sym3 rest_span;       // inverse of sum m X X^T about it
    bool any_fixed;
    double last_dt; // of the history in d and past
    // the scheme: (1), (2)
    double a0, a2, ratio, s, dt;
    bool euler, trapezoid;
    double norm;      // of g, sqrt(sum |g|^2 / m)
    bool current;     // force is that at x
    bool spins;       // fast
    bool large;       // strains call for care
    double energy[2]; // elastic, at the start and at the end of Newton's method, J
    bool struck;      // something new was hit in this step
    bool restart;     // its history is that of smaller steps
    // linear system, operator's axes: planes of `stride` numbers
    int stride;
    phx_real *dx[3], *r[3], *z[3], *p[3], *ap[3];
    phx_real* block[6];         // inverse of the diagonal block, zero for fixed particles
    phx_real* contact[6];       // s times stiffness of contact
    uint8_t* touched;           // has contact with a collider
    int *pair_begin, *pair_end; // of a particle: its part of the system's entries
    double* rest_block;         // 6 a particle: sum of the tangent's share, for s = 1 and without mass
    // bricks
    int brick_count, modes;
    int *brick, *brick_start, *brick_items; // of a particle; particles of a brick
    int* scratch;                           // one a particle
    phx_real* arm[3];                       // of a particle from the middle of its brick
    double* matrix;                         // Ac, then its factors
    float* inverse;                         // the one in use
    float *coarse_r, *coarse_z;
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

/// Two particles near each other, contact/pairs.h: U = sum of coefficient times x of its members - offset is how far
/// the two sides have moved against each other since the springs were found.
typedef struct phxi_implicit_pair {
    int begin, end; // of the system's members
    phx_vec3 normal, offset;
    double gap;                                // depth where U = 0, m
    double overlap, parting;                   // m, m/s, of what was put into each other; 0: it was not
    double spared;                             // m of the depth that does not push in this step, as it was there before
    double stiffness, mass, damping, friction; // N/m, kg; fraction of critical; coefficient
    double most, spacing;                      // reduced mass of the bodies, kg; of the particles, m
    phx_vec3 start, before;                    // U at the start of the step, and of the step before (moved since)
    // at trial positions
    phx_vec3 force;             // on members with coefficient 1, N
    phxi_contact_matrix matrix; // its stiffness; nothing along the normal: does not push
    phx_vec3 reaction;          // of a product
    double potential;           // J
    bool pushes, moving;        // comes or goes
    bool outside;               // one side moves by drivers alone
} phxi_implicit_pair;

typedef struct phxi_implicit_member {
    int work, particle; // of the system, of the body
    double coefficient;
} phxi_implicit_member;

/// The same from the particle's side.
typedef struct phxi_implicit_entry {
    int pair;
    double coefficient;
} phxi_implicit_entry;

/// Bodies that are solved together.
typedef struct phxi_implicit_system {
    struct phxi_implicit_work* works;
    int count;
    phxi_step* step;
    const phxi_implicit_surroundings* around;
    phxi_implicit_def def; // of all: the most careful of each
    bool pushed;           // forces of explicit contact act on some of them
    bool mixed;            // projective bodies and others
    double dt;             // of the step as a whole
    double norm;           // of g of all bodies
    double reached;        // residual of the last linear solve, relative
    bool indefinite;       // it found a direction in which the matrix is not positive
    bool touching;         // somebody touches something
    bool may_touch;        // others, or itself
    phxi_implicit_pair* pairs;
    int pair_count;
    phxi_implicit_member* members;
    phxi_implicit_entry* entries;
    phxi_coarse_contact* coarse; // NULL: nothing can touch
    double from, to;             // the part of the step at hand, of all of it
    phxi_collider* colliders;    // those of the step, where they are in this part
    phxi_collider_push* pushes;  // of the tries of this part; NULL: nobody wants to know
} phxi_implicit_system;

/// How a body moves at the end as a whole; `back`: it turned by the opposite in a step.
typedef struct phxi_implicit_pace {
    phx_vec3 center, velocity, spin;
    phxi_mat3 back;
} phxi_implicit_pace;

/// One body of a step as its loops see it.
typedef struct phxi_implicit_work {
    phxi_implicit* s;
    phxi_implicit_system* system;
    const phxi_operator* op;
    phxi_step* step;
    const phxi_implicit_def* def;
    const int* fixed; // of the body's particles, as are the next two
    const phx_real *mass, *spacing;
    phx_vec3 origin, center, velocity, angular; // rigid motion at the start; angular momentum about the centre
    phxi_mat3 spin_inverse;                     // of the inertia tensor
    phx_vec3 push, twist;                       // net external force and torque, without contact
    double total_mass;
    double scale;             // of residuals: sqrt(sum m |dt v|^2) and what the external force adds
    phxi_mat3 turned;         // by how much the body turned in the step before
    phx_vec3 drift;           // and moved
    bool lying;               // touches at the start
    bool blown;               // somebody else has changed its velocity
    phxi_mat3 axes;           // of the linear system
    phxi_mat3 search_axes;    // the same, when dx was found
    bool touching;            // a collider at trial positions
    bool paired;              // has pairs
    bool anchored;            // is pushed by what moves by drivers alone
    int cluster;              // lowest body that it is pushed by, directly or not
    phxi_implicit_sums after; // motion at the end
    phxi_implicit_pace pace;  // the same, if the history is made up from it
} phxi_implicit_work;

// residual.c
/// g = M (xh - x) + s (f(x) + external + contact) into s->g of all bodies; false if not finite.
bool phxi_implicit_residual(phxi_implicit_system* y);
/// The same with forces that are there already.
bool phxi_implicit_balance(phxi_implicit_system* y);
/// What counts as large, for residuals: that of all motion, and of what external forces add to it.
double phxi_implicit_scale(const phxi_implicit_system* y);
/// Gravity and drivers on one particle, N.
phx_vec3 phxi_implicit_external(const phxi_implicit_work* w, int i);
/// A particle's share in mass, moments, momentum and spin; and the sums of all blocks, in their order.
void phxi_implicit_add_motion(phxi_implicit_sums* sums, double mass, phx_vec3 r, phx_vec3 velocity);
phxi_implicit_sums phxi_implicit_merge(const phxi_implicit* s);
/// Inverse of the inertia tensor about the mean, from sums about the origin.
phxi_mat3 phxi_implicit_inertia_inverse(double mass, phx_vec3 mean, phxi_sym3 second);
/// Positions in terms of the incremental potential: |x - xh|^2_M / (2 s) + U - external . x + contact, J.
double phxi_implicit_potential(phxi_implicit_system* y);
/// Elastic energy of all bodies at the positions of the last residual, J.
double phxi_implicit_elastic(phxi_implicit_system* y);

// contact.c
/// Contact at s->x into s->touch and the number of contacts; and s times its stiffness in the solver's axes.
void phxi_implicit_contact(phxi_implicit_work* w);
/// Particles that touch where they are at the start.
int phxi_implicit_contacts_before(phxi_implicit_work* w);
/// Obstacles to where they are from `from` to `to` of the step.
void phxi_implicit_place_colliders(phxi_implicit_system* y, double from, double to);
/// How far the centre of a body goes that lies on an obstacle which drivers move, if it goes on to slip on it as it
/// did; false if it does not. Velocities are no good guess: a table that turns takes what lies on it off the straight
/// line.
bool phxi_implicit_carried(phxi_implicit_work* w, phx_vec3* way);
/// What obstacles that drivers move exert at s->x, for `share` of the step, is added to y->pushes; and these to those
/// of the step (`keep`), or they are forgotten. `last`: its end is that of the step.
void phxi_implicit_add_pushes(phxi_implicit_system* y, double share, bool last);
void phxi_implicit_end_pushes(phxi_implicit_system* y, bool keep);
/// Whether an obstacle that moves touches somebody: energy comes in.
bool phxi_implicit_pushed_on(const phxi_implicit_system* y);

// pcg.c
/// Solves for s->dx with s->g on the right, both in the operator's axes within; adds it to s->x.
void phxi_implicit_solve(phxi_implicit_system* y, int iterations, double tolerance);

// coarse.c
phx_result phxi_implicit_bricks(phxi_implicit* s, const phxi_particles* particles);
/// None: the preconditioner is the diagonal alone.
phx_result phxi_implicit_no_bricks(phxi_implicit* s);
/// Preconditioner for this step size and these fixed particles, unless it is there.
void phxi_implicit_prepare(phxi_implicit_work* w);
/// Diagonal blocks of this pass: turned by R, with contact.
void phxi_implicit_blocks(phxi_implicit_work* w);
/// coarse_z = (Ac + contact)^-1 Z^T r of all bodies; returns coarse_z . Z^T r.
double phxi_implicit_coarse(phxi_implicit_system* y);
/// A row of Ac^-1.
static inline const float* phxi_implicit_coarse_row(const phxi_implicit* s, int row) {
    return s->inverse + (size_t)row * ((size_t)(s->modes + 15) / 16 * 16);
}

// coarse_contact.c
/// Contact as it is now becomes part of the preconditioner, and is taken off coarse_z.
void phxi_implicit_coarse_touch(phxi_implicit_system* y);
void phxi_implicit_coarse_correct(phxi_implicit_system* y);

// pairs.c
/// Who is near whom at s->x of all bodies, for this step.
phx_result phxi_implicit_find_pairs(phxi_implicit_system* y);
/// Bodies that touch others where the pairs were found lie on something.
void phxi_implicit_mark_lying(phxi_implicit_system* y);
/// The step starts at s->q now, after displacements s->d.
void phxi_implicit_start_pairs(phxi_implicit_system* y);
/// Forces and stiffness at s->x; y->touching and impacts of the bodies' reports count them in.
void phxi_implicit_press(phxi_implicit_system* y);
/// Energy in pairs where the step starts, J.
double phxi_implicit_pair_energy(phxi_implicit_system* y);
/// Sum of the pairs' forces on a particle, N; and of their diagonal blocks (xx yy zz xy xz yz), times s, in axes of the
/// solver.
phx_vec3 phxi_implicit_pair_force(const phxi_implicit_work* w, int i);
void phxi_implicit_pair_block(const phxi_implicit_work* w, int i, double block[6]);
/// Reactions of the pairs to s->p of all bodies; their sum on a particle, times s, in axes of the solver.
void phxi_implicit_pair_product(phxi_implicit_system* y);
phx_vec3 phxi_implicit_pair_reaction(const phxi_implicit_work* w, int i);
/// Which bodies push each other, into w->cluster.
void phxi_implicit_clusters(phxi_implicit_system* y);

// step.c
/// One pass is not enough, and energies are to be compared.
bool phxi_implicit_strained(const phxi_strain* strain);
/// State of the start from the particles; parts of a step that are not the first go on from the end of the one before.
void phxi_implicit_load(phxi_implicit_system* y);
/// A step of y->dt, or part `part` of `parts`, from s->q; false in *good: nothing was found.
phx_result phxi_implicit_part(phxi_implicit_system* y, int part, int parts, bool* good);
/// Its end into the particles.
void phxi_implicit_store(phxi_implicit_system* y, int parts, phxi_trouble* trouble);

// held.c
/// Forces on held particles that are in balance with the motion of their body.
void phxi_implicit_balance_held(phxi_implicit_work* w);

// momenta.c
/// Rigid motion at the start, and how bodies turned in the step before.
void phxi_implicit_find_motion(phxi_implicit_work* w);
/// From the motion at the end.
phxi_implicit_pace phxi_implicit_pace_of(const phxi_implicit_work* w);
/// Velocities of the end; momenta of what is free exactly.
void phxi_implicit_velocities(phxi_implicit_system* y);
/// More energy than before, external work taken off.
bool phxi_implicit_energy_grew(phxi_implicit_system* y);

// newton.c
/// Backward Euler from x = q. False if it ends in something that is not finite.
bool phxi_implicit_newton(phxi_implicit_system* y);

// projective.c
/// Backward Euler by y->def.outer solves, from where the bodies would fly. False if it ends in something not finite.
bool phxi_implicit_projective(phxi_implicit_system* y);

/// Runs a loop over the body's particles in blocks.
static inline void phxi_implicit_loop(phxi_implicit_work* w, phxi_loop_body* body) {
    phxi_parallel_for(w->step->pool, w->s->count, IMPLICIT_GRAIN, body, w);
}
