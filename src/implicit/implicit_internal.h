// SPDX-License-Identifier: MIT
// Shared by the files of the implicit solver: the workspace of a body, and the functions of each file.
#pragma once

#include "contact/law/friction.h"
#include "implicit/implicit.h"

#define IMPLICIT_GRAIN   256 // particles of a block
#define PHXI_NEAR_BRICKS 27  // in one stencil

/// How a body is in touch with others, for sliding.c.
typedef struct phxi_implicit_grip {
    double push;       // N, of all contacts
    phxi_sym3 normals; // sum push n n^T
    phx_vec3 excess;   // N, by which drags that were held constant exceed Coulomb's bound, where they do
    double spare;      // N, what the others may take more
    double most;       // N, the bounds of all
    phx_vec3 slip;     // m, times the bounds
} phxi_implicit_grip;

/// Sums of one block, added in block order.
typedef struct phxi_implicit_sums {
    double dot[2];
    double mass;
    phx_vec3 first, before, momentum, spin; // sum m q, m d, m v, m q x v about the origin
    phxi_mat3 cross[2];                     // sum m q X^T, now and a step before
    phxi_sym3 second;                       // sum m q q^T
    phx_vec3 force, torque;
    double most;  // largest of something
    int contacts; // in contact
    bool moving;  // some of them are closing or opening
    phxi_implicit_grip grip;
    double potential; // J, of contact
} phxi_implicit_sums;

#define PHXI_COARSE_KEPT     2
#define PHXI_TOUCHING_BRICKS 32 // at most, that coarse_contact.c handles

/// Bricks in contact, and their small matrices.
typedef struct phxi_coarse_contact {
    int count;
    int contacts; // it was built for this number; -1: not built yet
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
    phx_vec3* contact_force;   // contact forces
    phx_vec3* best;            // positions kept by the line search
    phx_vec3 *kept_q, *kept_v; // at the start, for retries
    phx_vec3 rest_mean;        // mass-weighted
    phxi_sym3 rest_span;       // inverse of sum m X X^T about it
    bool any_fixed;
    double last_dt; // of the history in d and past
    // the scheme: (1), (2)
    double a0, a2, ratio, s, dt;
    bool euler, trapezoid;
    double norm;      // of g, sqrt(sum |g|^2 / m)
    bool current;     // `force` belongs to x
    bool spins;       // turns fast
    bool large;       // strains are large: Newton's method is needed
    double energy[2]; // J, elastic, before and after Newton's method
    bool hit;         // a new contact was made in this step
    bool restart;     // its history comes from smaller steps
    bool rebounds;    // its velocity is that of a rebound
    // linear system, operator's axes: planes of `stride` numbers
    int stride;
    phx_real *dx[3], *r[3], *z[3], *p[3], *ap[3];
    phx_real* block[6];         // inverse of the diagonal block, zero for fixed particles
    phx_real* contact[6];       // s times stiffness of contact
    uint8_t* touched;           // has contact with a collider
    double* drag;               // of friction on colliders, in the matrix, N/m
    int *pair_begin, *pair_end; // range of the system's entries, by particle
    double* rest_block;         // 6 per particle: the tangent's diagonal at rest, for s = 1 and without mass
    // bricks
    int brick_count, modes;
    int *brick, *brick_start, *brick_items; // brick of a particle; particles of a brick
    int* scratch;                           // one per particle
    phx_real* arm[3];                       // from the middle of its brick, by particle
    double* matrix;                         // Ac, later its factors
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
    double gap;              // depth where U = 0, m
    double overlap, parting; // m, m/s, of bodies created inside each other; 0: not the case
    double spared;           // m, part of the depth that does not push in this step because it was there before
    double stiffness, mass, damping, friction; // N/m, kg; fraction of critical; coefficient
    double most, spacing;                      // reduced mass of the bodies, kg; of the particles, m
    phx_vec3 start, before;                    // U at the start of the step, and change of U in the step before
    phx_vec3 driven, driven_rate;              // U by time, and again, that members bring which drivers alone move
    // at trial positions
    phx_vec3 force;             // on members with coefficient 1, N
    phxi_contact_matrix matrix; // its stiffness; zero along the normal: it does not push
    phx_vec3 reaction;          // of a product
    phx_vec3 share_force;       // N, on j: from the change of shares over the step
    double potential;           // J
    double push;                // N, where it pushes
    double drag;                // N/m, of the last matrix
    phx_vec3 slip;              // m
    bool pushes, moving;        // moving: closing or opening
    bool outside;               // one side is kinematic
    int i, j;                   // the particles; the normal goes from i to j
} phxi_implicit_pair;

typedef struct phxi_implicit_member {
    int work, particle; // of the system, of the body
    double coefficient;
    double side; // -1: particle i of the pair, 1: j, 0: one that the normal comes from
} phxi_implicit_member;

/// The same, seen from the particle.
typedef struct phxi_implicit_entry {
    int pair;
    double coefficient, side;
} phxi_implicit_entry;

/// Bodies solved together.
typedef struct phxi_implicit_system {
    struct phxi_implicit_work* works;
    int count;
    phxi_step* step;
    const phxi_implicit_surroundings* around;
    phxi_implicit_def def;     // common to all: the most careful choice of each member
    bool has_explicit_contact; // explicit contact forces act on some of them
    bool mixed;                // projective bodies and others
    double dt;                 // of the step as a whole
    double norm;               // of g of all bodies
    double reached;            // residual of the last linear solve, relative
    bool indefinite;           // the solve met a direction in which the matrix is not positive
    bool touching;             // there is contact
    bool slides;               // in Newton's method: friction is not what its push says yet
    bool may_touch;            // contact is possible, with others or with itself
    bool out_of_memory;        // a rebound had none
    bool fresh;                // a body has no history, of which BDF2 would make one of rest: its first step
    phxi_implicit_pair* pairs;
    int pair_count;
    phxi_implicit_member* members;
    phxi_implicit_entry* entries;
    phxi_coarse_contact* coarse; // NULL: nothing can touch
    double from, to;             // the current part of the step, as fractions of it
    phxi_collider* colliders;    // placed for this part of the step
    phxi_collider_push* pushes;  // collected in the attempts at this part; NULL: not wanted
    phx_vec3* body_pushes;       // likewise, of collider c on work k at [k * collider_count + c]
} phxi_implicit_system;

/// Rigid motion of a body at the end of a step; `back` is the inverse of its rotation within the step.
typedef struct phxi_implicit_pace {
    phx_vec3 center, velocity, spin;
    phxi_mat3 back;
} phxi_implicit_pace;

/// One body of a step, as used in loops.
typedef struct phxi_implicit_work {
    phxi_implicit* s;
    phxi_implicit_system* system;
    const phxi_operator* op;
    phxi_step* step;
    const phxi_implicit_def* def;
    const int* fixed; // by particle of the body, as the next two
    bool railed;      // some of its particles are on rails
    const phx_real *mass, *spacing;
    phx_vec3 origin, center, velocity, angular; // rigid motion at the start; angular momentum about the centre
    phxi_mat3 spin_inverse;                     // of the inertia tensor
    phx_vec3 push, twist;                       // net external force and torque, without contact
    double total_mass;
    double scale;             // of residuals: sqrt(sum m |dt v|^2) and what the external force adds
    phxi_mat3 turned;         // rotation of the body in the step before
    phx_vec3 drift;           // and its displacement
    bool starts_in_contact;   // in contact at the start of the step
    bool velocity_changed;    // its velocity was changed from outside
    phx_vec3 smooth;          // change of its velocity in a step without the blow, if it was struck
    phxi_mat3 axes;           // of the linear system
    phxi_mat3 search_axes;    // the same, when dx was found
    bool touching;            // touches a collider at trial positions
    bool paired;              // has pairs
    bool pressed;             // one of them pushes at trial positions
    bool anchored;            // is pushed by a kinematic body
    phxi_implicit_grip grip;  // at trial positions
    double potential;         // J, of contact with colliders
    double pushed;            // N, push of all contacts at the positions before
    int cluster;              // lowest body connected to it by pushes, directly or not
    phxi_implicit_sums after; // motion at the end
    phxi_implicit_pace pace;  // the same, if the history is rebuilt from it
} phxi_implicit_work;

// residual.c
/// g = M (xh - x) + s (f(x) + external + contact) into s->g of all bodies; false if not finite.
bool phxi_implicit_residual(phxi_implicit_system* y);
/// The same with forces already computed.
bool phxi_implicit_balance(phxi_implicit_system* y);
/// The scale that residuals are compared with: of the motion, and of what external forces add to it.
double phxi_implicit_scale(const phxi_implicit_system* y);
/// Gravity and drivers on one particle, N.
phx_vec3 phxi_implicit_external(const phxi_implicit_work* w, int i);
/// Whether a particle is on a rail (particles.h), and what of a vector that leaves free; the rest is v's, s->v across
/// it being the driver's in the whole step.
static inline bool phxi_implicit_on_rail(const phxi_implicit_work* w, int i) {
    return w->railed && phxi_on_rail(w->step->particles, w->s->begin + i);
}
static inline phx_vec3 phxi_implicit_on_rail_only(const phxi_implicit_work* w, int i, phx_vec3 free, phx_vec3 driven) {
    const phxi_particles* p = w->step->particles;
    return phxi_add(driven, phxi_along_rail(p, w->s->begin + i, phxi_sub(free, driven)));
}
/// The projector of its rail in the axes of the linear system.
static inline phxi_mat3 phxi_implicit_rail_axes(const phxi_implicit_work* w, int i) {
    const phxi_particles* p = w->step->particles;
    phxi_mat3 back = phxi_mat3_transpose(&w->axes),
              turned = phxi_mat3_mul(&p->rails[p->rail[w->s->begin + i] - 1], &w->axes);
    return phxi_mat3_mul(&back, &turned);
}
/// Adds a particle to the sums of mass, moments, momentum and spin; merges the sums of all blocks in order.
void phxi_implicit_add_motion(phxi_implicit_sums* sums, double mass, phx_vec3 r, phx_vec3 velocity);
phxi_implicit_sums phxi_implicit_merge(const phxi_implicit* s);
/// Inverse of the inertia tensor about the mean, from sums about the origin.
phxi_mat3 phxi_implicit_inertia_inverse(double mass, phx_vec3 mean, phxi_sym3 second);
/// The incremental potential at the current positions: |x - xh|^2_M / (2 s) + U - external . x + contact, J.
double phxi_implicit_potential(phxi_implicit_system* y);
/// Elastic energy of all bodies at the positions of the last residual, J.
double phxi_implicit_elastic(phxi_implicit_system* y);

// contact.c
/// Contact with colliders at s->x: forces into s->contact_force, the number of contacts, and s times the stiffness in
/// the axes of the solver.
void phxi_implicit_contact(phxi_implicit_work* w);
/// Number of particles in contact at the start.
int phxi_implicit_contacts_before(phxi_implicit_work* w);
/// Places colliders for the part of the step between the fractions `from` and `to`.
void phxi_implicit_place_colliders(phxi_implicit_system* y, double from, double to);
/// Displacement of the centre of a body that lies on a driven collider, if it keeps slipping as it did; false if it
/// lies on none. Velocities would be a bad guess: a turning table carries what lies on it off the straight line.
bool phxi_implicit_carried(phxi_implicit_work* w, phx_vec3* way);
/// Adds what driven colliders exert at s->x during `share` of the step to y->pushes (`last`: this part ends the step).
/// phxi_implicit_end_pushes then adds these to the pushes of the step (`keep`), or drops them.
void phxi_implicit_add_pushes(phxi_implicit_system* y, double share, bool last);
void phxi_implicit_end_pushes(phxi_implicit_system* y, bool keep);
/// Whether a driven collider touches a body, so that it may add energy.
bool phxi_implicit_driven_collider_pushes(const phxi_implicit_system* y);

// pcg.c
/// Solves for s->dx with the right-hand side s->g, both in the operator's axes; adds the solution to s->x.
void phxi_implicit_solve(phxi_implicit_system* y, int iterations, double tolerance);

// coarse.c
phx_result phxi_implicit_bricks(phxi_implicit* s, const phxi_particles* particles);
/// No bricks: the preconditioner is the diagonal alone.
phx_result phxi_implicit_no_bricks(phxi_implicit* s);
/// Builds the preconditioner for this step size and these fixed particles, unless it exists.
void phxi_implicit_prepare(phxi_implicit_work* w);
/// Diagonal blocks for this pass: turned by R, including contact.
void phxi_implicit_blocks(phxi_implicit_work* w);
/// coarse_z = (Ac + contact)^-1 Z^T r of all bodies; returns coarse_z . Z^T r.
double phxi_implicit_coarse(phxi_implicit_system* y);
/// A row of Ac^-1.
static inline const float* phxi_implicit_coarse_row(const phxi_implicit* s, int row) {
    return s->inverse + (size_t)row * ((size_t)(s->modes + 15) / 16 * 16);
}

// coarse_contact.c
/// Makes the current contacts part of the preconditioner; corrects coarse_z for them.
void phxi_implicit_coarse_add_contact(phxi_implicit_system* y);
void phxi_implicit_coarse_correct(phxi_implicit_system* y);

// pairs.c
/// Finds all pairs near each other at s->x, for this step.
phx_result phxi_implicit_find_pairs(phxi_implicit_system* y);
/// Marks bodies in contact with others where the pairs were found.
void phxi_implicit_mark_starts_in_contact(phxi_implicit_system* y);
/// The step now starts at s->q, after displacements s->d.
void phxi_implicit_start_pairs(phxi_implicit_system* y);
/// Contact forces and stiffness of all pairs at s->x; updates y->touching and the bodies' reports.
void phxi_implicit_add_contact_forces(phxi_implicit_system* y);
/// Energy in pairs where the step starts, J.
double phxi_implicit_pair_energy(phxi_implicit_system* y);
/// Sum of the pairs' forces on a particle, N; and of their diagonal blocks (xx yy zz xy xz yz), times s, in axes of the
/// solver.
phx_vec3 phxi_implicit_pair_force(const phxi_implicit_work* w, int i);
void phxi_implicit_pair_block(const phxi_implicit_work* w, int i, double block[6]);
/// Reactions of the pairs to s->p of all bodies; their sum on a particle, times s, in axes of the solver.
void phxi_implicit_pair_product(phxi_implicit_system* y);
phx_vec3 phxi_implicit_pair_reaction(const phxi_implicit_work* w, int i);
/// Sets w->cluster: which bodies push each other.
void phxi_implicit_clusters(phxi_implicit_system* y);

// step.c
/// Whether strains are so large that one pass is not enough and energies must be compared.
bool phxi_implicit_strained(const phxi_strain* strain);
/// Reads the initial state from the particles. Later parts of a step continue from the end of the part before.
void phxi_implicit_load(phxi_implicit_system* y);
/// Takes a step of y->dt, or part `part` of `parts`, from s->q. *good is false if no solution was found.
phx_result phxi_implicit_part(phxi_implicit_system* y, int part, int parts, bool* good);
/// Writes the end of the step to the particles.
void phxi_implicit_store(phxi_implicit_system* y, int parts, phxi_trouble* trouble);

// sliding.c
/// Adds a contact to what a body is in touch with: its push along the normal, the friction that a drag held constant
/// gives, and the most there is.
void phxi_implicit_grip_add(phxi_implicit_grip* grip, double push, phx_vec3 normal);
void phxi_implicit_grip_rub(phxi_implicit_grip* grip, double drag, phx_vec3 slip, double most, double least);
void phxi_implicit_grip_merge(phxi_implicit_grip* to, const phxi_implicit_grip* from);
/// The residual after a linear solve. Bodies that slide are first moved as far as what is left of their load takes
/// them; *way: how far, over the spacing, 0: none slides further; *pushed: the largest change of a body's pushes in the
/// solve, relative, where there is friction.
bool phxi_implicit_residual_sliding(phxi_implicit_system* y, double* way, double* pushed);
/// The change of velocity in a step of a body that was struck in it, without the blow.
phx_vec3 phxi_implicit_smooth_change(const phxi_implicit_work* w);

// buckling.c
/// At an equilibrium: how many times the load it bears, into y->around->statics.
phx_result phxi_implicit_buckling(phxi_implicit_system* y);

// rails.c
/// x = q; across rails, and what is fixed, where drivers want it at the end.
void phxi_implicit_go_to_start(phxi_implicit_work* w);
/// Of what is held, and of what rails hold.
uint64_t phxi_implicit_held_hash(const phxi_implicit_work* w);
/// Makes the diagonal block D of a particle P D P + c (I - P), which has an inverse on the rail and beside it; returns
/// c, the mean of D. Takes c off again when the inverse has been stored.
double phxi_implicit_keep_to_rail(const phxi_implicit_work* w, int i, double d[6]);
void phxi_implicit_leave_rail_out(const phxi_implicit_work* w, int i, double mean);

// held.c
/// Forces on held particles that are in balance with the motion of their body.
void phxi_implicit_balance_held(phxi_implicit_work* w);

// momenta.c
/// Damps motion that is not rigid, at the start of a step.
void phxi_implicit_damp(phxi_implicit_work* w);
/// Rigid motion at the start, and the rotation of the step before.
void phxi_implicit_find_motion(phxi_implicit_work* w);
/// Computed from the motion at the end.
phxi_implicit_pace phxi_implicit_pace_of(const phxi_implicit_work* w);
/// Velocities at the end; corrects the momenta of free bodies to be exact.
void phxi_implicit_velocities(phxi_implicit_system* y);
/// Whether there is more energy than before, external work subtracted.
bool phxi_implicit_energy_grew(phxi_implicit_system* y);

// rebound.c
/// Velocities of stiff bodies that have come off a blow within the step.
phx_result phxi_implicit_rebound(phxi_implicit_system* y);

// newton.c
/// Backward Euler from x = q. False if the result is not finite.
bool phxi_implicit_newton(phxi_implicit_system* y);

// statics.c
/// From where the bodies are: nothing moves on by itself.
phx_result phxi_implicit_start_static(phxi_implicit_system* y);
/// The equilibrium nearest to s->q. False: it is not reached; s->x is then as near as Newton's method came.
bool phxi_implicit_equilibrium(phxi_implicit_system* y);

// projective.c
/// Backward Euler by y->def.outer solves, starting from free flight. False if the result is not finite.
bool phxi_implicit_projective(phxi_implicit_system* y);

/// Runs a loop over the body's particles, in blocks.
static inline void phxi_implicit_loop(phxi_implicit_work* w, phxi_loop_body* body) {
    phxi_parallel_for(w->step->pool, w->s->count, IMPLICIT_GRAIN, body, w);
}
