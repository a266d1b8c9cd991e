// SPDX-License-Identifier: MIT
// Shared by the files of the corotated_sph method; equations in docs/theory/corotated_sph.md.
//
// Particles of a body are in the order of a space-filling curve; blocks of 128 are the unit of parallel work. Pairs are
// kept in rows, twice each; what is kept of a pair k of particle i with j:
//
//   near[k]      g V_j {X, 1}    what pass 1 multiplies with u_j - u_i
//   far[k]       g V_i {X, 1}    what pass 2 multiplies with the row of j
//   rest[k]      {X, W}          for what looks where pairs are now
//   mirror[k]    the pair of j with i
//
// X = X_j - X_i, and g X is the gradient of the kernel at X, pointing to j. Displacements are in the frame of the body
// (motion/frame.h).
#pragma once

#include "core/array.h"
#include "materials/expansion.h"
#include "materials/tangent.h"
#include "methods/method.h"
#include "methods/shared/anisotropy.h"
#include "methods/shared/clamp.h"
#include "motion/explicit.h"
#include "motion/frame.h"
#include "motion/rigid_motion.h"
#include "neighbors/neighbors.h"

enum { CSPH_BLOCK = 128, CSPH_LANES = 8, CSPH_TURNS = 4 };
enum { CSPH_TANGENTS = PHXI_TANGENT_NUMBERS * CSPH_BLOCK }; // numbers of a block, materials/tangent.h

typedef enum phxi_csph_mode { CSPH_REFERENCE, CSPH_MEMBERSHIP, CSPH_CURRENT } phxi_csph_mode;
typedef enum phxi_csph_gradient { CSPH_CORRECTED, CSPH_PLAIN } phxi_csph_gradient;
typedef enum phxi_csph_rotation { CSPH_FROM_GRADIENT, CSPH_FROM_SHAPE } phxi_csph_rotation;
typedef enum phxi_csph_strain { CSPH_LINEAR, CSPH_GREEN } phxi_csph_strain;
typedef enum phxi_csph_tangent_kind { CSPH_PROJECTED, CSPH_FROZEN } phxi_csph_tangent_kind;
typedef enum phxi_csph_volumes { CSPH_GEOMETRIC, CSPH_DENSITY_SUM } phxi_csph_volumes;
typedef enum phxi_csph_weights { CSPH_BALANCED_WEIGHTS, CSPH_PLAIN_WEIGHTS } phxi_csph_weights;

enum { CSPH_SEEN = 1, CSPH_CUT = 2 };

typedef struct phxi_csph_params {
    double support;     // h over the spacing
    int mode;           // phxi_csph_mode
    int kernel;         // phxi_anisotropy_kind
    double eta;         // of anisotropic ones
    double full;        // strain at which they are longest
    int permanent;      // pairs that were lost stay lost
    int gradient;       // phxi_csph_gradient
    int rotation;       // phxi_csph_rotation
    int strain;         // phxi_csph_strain
    int volumes;        // phxi_csph_volumes
    int weights;        // phxi_csph_weights
    double pair_share;  // of the force of a pair; 0.5: as printed by Liu et al.
    double hourglass;   // alpha; below 0: 0.1, or 0.5 of modes membership and current
    int integrator;     // phxi_integrator
    double implicit_dt; // s; 0: 1/60
    int iterations;     // of a linear solve; 0: 6, or 60 of implicit_euler
    double tolerance;   // of solves; 0: 0.01, or 1e-4 of implicit_euler
    int tangent;        // phxi_csph_tangent_kind, of Newton's method
} phxi_csph_params;

/// Sums of the particles of a block over the pairs that they see, and what follows from them: component k of lane i at
/// [k][i]; symmetric matrices are xx yy zz xy xz yz.
typedef struct phxi_csph_sums {
    _Alignas(64) phx_real moment[6][CSPH_BLOCK]; // M = sum V_j g X X^T
    phx_real inverse[6][CSPH_BLOCK];             // M^-1, or M^+ of those whose neighbours do not span space
    phx_real span[6][CSPH_BLOCK];                // M M^+
    phx_real gradient[3][CSPH_BLOCK];            // sum V_j g X

} phxi_csph_sums;

/// What neighbours gather in pass 2, four numbers for each of c = 0..2: (P_c - c_j (K - I)_c, c_j u_c), then (0, 0, 0,
/// c_j): all meet the same four of `far`. A cache line in float.
typedef struct phxi_csph_row {
    phxi_r8 half[2];
} phxi_csph_row;

/// What a block found out.
typedef struct phxi_csph_found {
    bool bad;
    int parted, cut; // particles that do not see all their pairs; pairs that `permanent` has cut
    double energy, min_det, max_stress;
    double most; // largest |F - R|^2
    phx_vec3 force;
} phxi_csph_found;

/// Of mode current: who is seen now.
typedef struct phxi_csph_current {
    phxi_search* search;
    phxi_lists lists; // all within the longest kernel
    int capacity;     // pairs that there is room for
    int* mirror;      // by pair: that of the other with this one
    uint8_t* sees;
    phx_vec3* push;  // what a particle does to itself for the sake of the other; the other gets minus that
    phx_real* at[3]; // by particle: where it is in the frame
    phx_vec3* rest;  // and was at rest
    int* next;
    double young; // Pa
} phxi_csph_current;

typedef struct phxi_csph_slot {
    int body, begin, count;
    phxi_csph_params params; // with defaults filled in
    phxi_frame frame;
    phxi_frame_base base;
    double rest_dt;         // s, largest stable substep at rest
    int pair_count, broken; // pairs; how many of them `permanent` has cut
    uint32_t version;       // of what is broken
    // by pair
    int *start, *other, *mirror; // start: one more than particles
    phxi_r4 *near, *far, *rest;
    uint8_t* seen;          // CSPH_SEEN: i sees j; CSPH_CUT: never again
    phx_real* cut_distance; // for contact/bonds.h; NULL unless `permanent`
    bool held;              // plane strain: what is flat keeps its thickness
    bool parted;            // a particle does not see all its pairs
    uint64_t grip;          // phxi_clamp_hash that the pairs were found with
    phxi_clamp clamp;       // what drivers leave of the body; of slots that are being built
    int turn;               // of the substep, see CSPH_WORD_TURN
    // by particle
    phxi_csph_sums* sums;                  // by block; of all pairs
    phx_real *volume, *stiffness, *radius; // V, c, h
    const phx_real* thermal;               // th - 1 of all particles (materials/expansion.h), as last seen; NULL: none
    phx_real* margin;                      // how far neighbours can go until one may be out of reach, squared
    uint8_t* whole;                        // sees all its pairs
    phxi_r4* u;
    phxi_csph_row* rows;
    phx_real (*own)[4];     // own part of the force
    phxi_csph_found* found; // by block
    phxi_csph_current* current;
    bool automatic;          // params.integrator was chosen by auto
    phxi_implicit* implicit; // of bodies with implicit steps, from the first one on
    phxi_turn8* turns;       // the same; R of the last forces, by lanes of the body
    phx_real* tangents;      // the same; by block
    bool projected;          // products are by them
} phxi_csph_slot;

/// The shapes N of kernels, xx yy zz xy xz yz; 0: no pair is near the edge, all are seen.
enum { CSPH_FIELD_COUNT = 6 };
extern const phxi_field_def phxi_csph_fields[CSPH_FIELD_COUNT];

/// CSPH_WORD_TURN: whose turn it is to get new kernels (membership.c), below CSPH_TURNS.
enum { CSPH_WORD_LAST_DT, CSPH_WORD_TURN, CSPH_WORD_COUNT };

typedef struct phxi_csph {
    PHXI_ARRAY(phxi_csph_slot) slots;
    double words[CSPH_WORD_COUNT];
} phxi_csph;

static inline int phxi_csph_blocks(const phxi_csph_slot* slot) {
    return phxi_block_count(slot->count, CSPH_BLOCK);
}
static inline bool phxi_csph_is_implicit(const phxi_csph_slot* slot) {
    return phxi_implicit_is(slot->params.integrator);
}
/// Whether the pairs at rest are looked at where they are.
static inline bool phxi_csph_has_membership(const phxi_csph_slot* slot) {
    return slot->params.mode == CSPH_MEMBERSHIP;
}
/// Strain that warmth makes where nothing holds: of th I in the measure of the body.
static inline phx_real phxi_csph_thermal_strain(const phxi_csph_slot* slot, int i) {
    phx_real t = slot->thermal ? slot->thermal[slot->begin + i] : 0;
    return slot->params.strain == CSPH_GREEN ? t + t * t / 2 : t;
}
/// Particles of a block.
static inline int phxi_csph_count(const phxi_csph_slot* slot, int block) {
    int left = slot->count - block * CSPH_BLOCK;
    return left < CSPH_BLOCK ? left : CSPH_BLOCK;
}
phxi_csph_slot* phxi_csph_slot_of(phxi_csph* csph, int body);
/// What is left of lambda where neighbours span so many directions: across them no stress is left, as the body is free
/// to thin; or all of it, in plane strain.
static inline double phxi_csph_lambda(const phxi_csph_slot* slot, const phxi_elastic* elastic, int rank) {
    const double mu = elastic->mu, lambda = elastic->lambda;
    return rank == 3 || (rank == 2 && slot->held) ? lambda
           : rank == 2                            ? 2 * mu * lambda / (lambda + 2 * mu)
                                                  : mu * lambda / (lambda + mu);
}
/// From the trace of M M^+.
static inline int phxi_csph_rank(double trace) {
    return trace > 2.5 ? 3 : trace > 1.5 ? 2 : 1;
}

// build.c
/// Rows of pairs and constants of a body; its particles are put in the order of a curve first.
phx_result phxi_csph_build(phxi_step* step, int body, phxi_csph_slot* slot);
void phxi_csph_release(phxi_heap* heap, phxi_csph_slot* slot);
/// The same after what drivers hold of the body has changed. Nothing to do for bodies that lose pairs. State unchanged
/// on failure.
phx_result phxi_csph_grip(void* state, phxi_step* step, int body);
/// Whether pairs of the body can be lost, so that who sees whom is a part of the state.
static inline bool phxi_csph_loses_pairs(const phxi_csph_slot* slot) {
    return slot->params.mode != CSPH_REFERENCE;
}
/// Sums of particle `lane` of a block over the pairs [begin, end) that it sees.
void phxi_csph_sum(const phxi_csph_slot* slot, int begin, int end, phxi_csph_sums* sums, int lane);

/// A block between its two passes; arrays as those of the sums.
typedef struct phxi_csph_block {
    _Alignas(64) phx_real s[9][CSPH_BLOCK];  // S = sum u_ij (V_j g X)^T
    _Alignas(64) phx_real su[3][CSPH_BLOCK]; // sum V_j g u_ij
    _Alignas(64) phx_real g[9][CSPH_BLOCK];  // F - I, or what the rotation is of
    _Alignas(64) phx_real strain[6][CSPH_BLOCK];
    _Alignas(64) phx_real p[9][CSPH_BLOCK];       // V R sigma M^-1
    _Alignas(64) phx_real k[9][CSPH_BLOCK];       // R (I + D) - I
    _Alignas(64) phx_real elastic[9][CSPH_BLOCK]; // F - I without warmth (law.c)
    phx_real det[CSPH_BLOCK], distance[CSPH_BLOCK];
    phx_real thermal[CSPH_BLOCK]; // strain of warmth
    phx_real lambda[CSPH_BLOCK];  // of flat ones what is left of it
    const phx_real* span;         // M M^+ of the strains, six rows of CSPH_BLOCK
    phx_real reach[CSPH_BLOCK];   // at least how far a neighbour has gone, squared
    double hourglass[CSPH_BLOCK]; // J, of mode current
    phxi_turn8 turns[CSPH_BLOCK / CSPH_LANES];
    phxi_csph_sums part; // where a particle does not see all its pairs
} phxi_csph_block;

// forces.c
/// Pass 1, rotations, strains, and rows for pass 2. `shape` (NULL: not needed) holds the previous kernels and
/// receives the current ones, in the axes of the world. False if something is not finite.
bool phxi_csph_stress(const phxi_csph_slot* slot, const phxi_elastic* elastic, phx_real* const shape[6], int block,
                      phxi_csph_block* b);
/// Pass 2: forces in the axes of the frame.
void phxi_csph_force(const phxi_csph_slot* slot, int block, phx_real force[3][CSPH_BLOCK]);
/// Its parts, of bodies that see all their pairs: pass 1; F - I of what it found; and rows of b->p and b->k.
void phxi_csph_whole_sums(const phxi_csph_slot* slot, int block, phxi_csph_block* b);
void phxi_csph_gradients(const phxi_csph_sums* sums, phxi_csph_block* b);
bool phxi_csph_fill_rows(const phxi_csph_slot* slot, int block, const phxi_csph_block* b);
/// Rows u_c y^T of a particle over what it sees, the last column sum V_j g u_c.
void phxi_csph_seen_sums(const phxi_csph_slot* slot, int i, phxi_r4 s[3]);
/// A / (tr K / 3) - I into b->g, A = sum V_j W x_ij X^T, K the same at rest: what rotations are taken of by option.
void phxi_csph_shape_matrices(const phxi_csph_slot* slot, int first, int count, phxi_csph_block* b);

// membership.c
/// Updates which pairs kernels reach where one may be out of reach, or was (b->reach tells); true if all are in reach.
bool phxi_csph_update_membership(const phxi_csph_slot* slot, phx_real* const shape[6], int block, phxi_csph_block* b);
/// Kernels of a block in the axes of the frame, and new ones from the strains of those whose turn it is; `all`: of all,
/// also where nothing is near their edges.
void phxi_csph_kernels(const phxi_csph_slot* slot, phx_real* const shape[6], int first, int count,
                       phx_real n[6][CSPH_BLOCK]);
void phxi_csph_new_kernels(const phxi_csph_slot* slot, bool all, phx_real* const shape[6], int first, int count,
                           const phxi_csph_block* b);

// current.c
phx_result phxi_csph_current_create(phxi_heap* heap, phxi_csph_slot* slot);
void phxi_csph_current_destroy(phxi_heap* heap, phxi_csph_slot* slot);
/// Who is near whom now. `lost`: the first particle that is nowhere, -1: none.
phx_result phxi_csph_current_search(phxi_step* step, phxi_csph_slot* slot, int* lost);
/// As phxi_csph_stress and phxi_csph_force, with kernels on current positions; `shape` is never NULL, and the same
/// afterwards unless `renew`.
bool phxi_csph_current_stress(const phxi_csph_slot* slot, const phxi_elastic* elastic, phx_real* const shape[6],
                              bool renew, int block, phxi_csph_block* b);
void phxi_csph_current_force(const phxi_csph_slot* slot, int block, phx_real force[3][CSPH_BLOCK]);
/// Share of the neighbours at rest that are not seen.
double phxi_csph_current_lost(const phxi_csph_slot* slot, int i);

// law.c
/// As phxi_csph_stress by a law of materials/elastic.h, which keeps all digits of small strains; for implicit steps, of
/// mode reference. Keeps the rotations in slot->turns. `energy` (may be NULL): by lane, J/m^3.
bool phxi_csph_law_stress(const phxi_csph_slot* slot, const phxi_elastic* law, int block, phxi_csph_block* b,
                          phx_real energy[CSPH_BLOCK]);
/// Whether the neighbours of every particle span space.
bool phxi_csph_all_span(const phxi_csph_slot* slot);
/// The most directions that neighbours of a particle span: 3, but for bodies that are sheets or rods as a whole.
int phxi_csph_widest(const phxi_csph_slot* slot);
/// dP/dF of the law at the displacements as they are, made positive or `exact`, into slot->tangents. Where neighbours
/// do not span space, the frozen one.
void phxi_csph_project(const phxi_csph_slot* slot, const phxi_elastic* law, bool exact, int block);
/// As phxi_csph_stress, of the tangent: pass 2 then gives -K u. That of phxi_csph_project if slot->projected, else with
/// the moduli of rest and slot->turns.
void phxi_csph_tangent(const phxi_csph_slot* slot, const phxi_elastic* law, int block);

// implicit.c
/// What a bdf2 step counts in explicit substeps of the same body. It costs 9 to 20 (`phyxel bench
/// corotated_sph.implicit`); as much as with efg, so that bodies of both step alike.
#define CSPH_STEP_COST 25.0
/// Why bodies with these parameters have no energy that implicit steps could lower, "mode current, ..."; NULL: they do.
const char* phxi_csph_no_energy(const phxi_csph_params* params);
/// Chooses what `auto` means for a body whose rest_dt is known.
void phxi_csph_choose(phxi_csph_slot* slot, const phxi_step* step);
void phxi_csph_implicit_destroy(phxi_csph_slot* slot, phxi_heap* heap);
extern const phxi_implicit_table phxi_csph_implicit;

// stability.c
/// Fills slot->rest_dt.
phx_result phxi_csph_set_rest_dt(phxi_step* step, phxi_csph_slot* slot);
double phxi_csph_stable_dt(void* state, phxi_step* step, char reason[160]);

// measure.c
/// The frame of where the particles will be in dt; and displacements of a block in it.
void phxi_csph_fit(const phxi_particles* particles, phxi_csph_slot* slot, double dt);
void phxi_csph_fill(phxi_step* step, const phxi_csph_slot* slot, int block);
/// The six fields of kernels.
void phxi_csph_shapes(const phxi_step* step, phx_real* shape[6]);
/// sum_j c V_j g |x_ij - K X|^2 / 2 over what i sees, J.
double phxi_csph_hourglass_energy(const phxi_csph_slot* slot, const phxi_csph_block* b, int i, int lane);
void phxi_csph_measure(void* state, phxi_step* step, int body, const uint8_t* selected, phx_totals* totals);
#define CSPH_DERIVED_COUNT 6
extern const phxi_derived_field phxi_csph_derived[CSPH_DERIVED_COUNT];
void phxi_csph_derive(void* state, phxi_step* step, int body, int field, phx_real* values);
