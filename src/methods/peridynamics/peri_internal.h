// SPDX-License-Identifier: MIT
// Shared by the files of the peridynamics method; equations in docs/theory/peridynamics.md.
//
// Particles of a body stand in lines, or along a space-filling curve (pack.h); blocks of 128 are the unit of parallel
// work. Bonds are kept in rows, twice each; what is kept of bond k of particle i with j, whose rest vector is X of
// length r:
//
//   near[k]      w_ij / r^2 {X, 1}       what pass 1 multiplies with u_j - u_i
//   far[k]       V_j w_ji / r^2 {X, 1}   what pass 2 multiplies with the row of j
//   rest[k]      {X, r}
//   link[k]      stiffness of the bond in the scalar matrix, both directions, N/m
//   mirror[k]    the bond of j with i
//
// Displacements are in the frame of the body (motion/frame.h), which turns with it and does not stretch: a bond is X +
// u_j - u_i there.
#pragma once

#include "core/array.h"
#include "methods/method.h"
#include "methods/shared/clamp.h"
#include "math/rotation_wide.h"
#include "motion/explicit.h"
#include "motion/frame.h"
#include "implicit/implicit.h"

enum { PERI_BLOCK = 128, PERI_LANES = 8, PERI_SWEEPS = 8, PERI_MOST_BONDS = 512 };

typedef enum phxi_peri_model { PERI_STATE, PERI_BOND } phxi_peri_model;
typedef enum phxi_peri_integrator { PERI_PROJECTIVE, PERI_BDF2, PERI_EULER } phxi_peri_integrator;
/// What becomes of the angular momentum of what flies free.
typedef enum phxi_peri_spin { PERI_SPIN_KEPT, PERI_SPIN_FADES } phxi_peri_spin;

/// Where particles begin.
typedef enum phxi_peri_start { PERI_AT_REST, PERI_RANDOM, PERI_MIRRORED, PERI_FLAT } phxi_peri_start;

typedef struct phxi_peri_params {
    int model;          // phxi_peri_model
    double horizon;     // over the spacing
    double hourglass;   // a, weight of what is not affine, of elastic solids by model state
    int integrator;     // phxi_peri_integrator
    int spin;           // phxi_peri_spin, of projective
    double implicit_dt; // s; 0: 1/60
    int outer;          // local and global steps of projective; 0: by kappa
    int solver;         // phxi_linear_solver
    int iterations;     // of a linear solve; 0: the integrator's own
    double tolerance;   // of a linear solve; 0: the integrator's own
    int start;          // phxi_peri_start
    double thickness;   // of a sheet, or the side of a rod, m; 0: the spacing
    double radius;      // of a rod, m; 0: it is square
    bool breaks;        // if the material can
} phxi_peri_params;

/// Constants of the particles of a block: component k of lane i at [k][i]; symmetric ones are xx yy zz xy xz yz.
typedef struct phxi_peri_rest {
    _Alignas(64) phx_real moment[6][PERI_BLOCK]; // G = sum w n n^T
    phx_real turning[6][PERI_BLOCK];             // (I - G)^+
    phx_real spread[6][PERI_BLOCK];              // G^+
    phx_real middle[3][PERI_BLOCK];              // sum w X / r^2, 1/m
    phx_real rank[PERI_BLOCK];
    phx_real size[PERI_BLOCK];                 // 1 / det rank G, of the directions that bonds span
    phx_real dev[PERI_BLOCK], iso[PERI_BLOCK]; // c_dev, c_iso, Pa
} phxi_peri_rest;

/// What neighbours gather in pass 2. By rows: c = 0..2 of the matrix that acts on X, with c_dev u_c; and (c_dev, c_dev,
/// c_dev, tension of the mean stretch). By columns (pack.h): those of the matrix over c_dev, with u_c; and X of the
/// particle, tension over c_dev.
typedef struct phxi_peri_row {
    phxi_r4 part[4];
} phxi_peri_row;

/// What a block found out.
typedef struct phxi_peri_found {
    bool bad;
    int cut; // bonds, counted from both ends
    double energy, min_det, most, max_stress;
    phx_vec3 force;
} phxi_peri_found;

typedef struct phxi_peri_slot {
    int body, begin, count;
    phxi_peri_params params; // with defaults filled in
    phxi_frame frame;
    phxi_frame_base base;
    double kappa;     // largest sum of link / m, 1/s^2
    uint64_t grip;    // phxi_clamp_hash that the bonds were found with
    phxi_clamp clamp; // what drivers leave of the body; of slots that are being built
    int bond_count;
    // by bond
    int *start, *other, *mirror; // start: one more than particles
    phxi_r4 *near, *far, *rest;
    phx_real* link;
    phx_real* shrink; // r / |Y| of the last local step
    // by particle
    phxi_peri_rest* constants; // by block
    phx_real* volume;
    phx_real* diagonal; // sum of link
    phxi_r4* u;
    phxi_peri_row* rows;
    phx_real (*own)[4];     // own part of the force
    phxi_turn8* turns;      // R, by eights
    phxi_peri_found* found; // by block
    phxi_implicit* implicit;
    struct phxi_peri_pack* pack;         // bonds for the loops of solids (pack.h); NULL: they go by rows
    struct phxi_peri_thin* thin;         // of a sheet or rod of one layer (thin.h); NULL: it is solid
    struct phxi_peri_flow* flow;         // of a body that yields (flow.h); NULL: it is elastic
    struct phxi_peri_breaking* breaking; // of a body that can break (breaking.h); NULL: it cannot
    phx_real* thermal;                   // by particle: mean of what warmth stretches its bonds by; NULL: nothing
    phx_real* stiff;                     // by particle: factor of the moduli by temperature; NULL: it is always 1
    int bond_capacity, row_capacity;     // of arrays by bond; of `other` and `rest`
} phxi_peri_slot;

/// What bodies that yield remember, and frames of rods.
enum { PERI_FIELD_COUNT = 11 };
extern const phxi_field_def phxi_peri_fields[PERI_FIELD_COUNT];

typedef struct phxi_peri {
    PHXI_ARRAY(phxi_peri_slot) slots;
} phxi_peri;

static inline int phxi_peri_blocks(const phxi_peri_slot* slot) {
    return phxi_block_count(slot->count, PERI_BLOCK);
}
phxi_peri_slot* phxi_peri_slot_of(phxi_peri* peri, int body);
/// The bond of i with j, particles of the slot; -1: none.
int phxi_peri_find_bond(const phxi_peri_slot* slot, int i, int j);
extern const char* const phxi_peri_integrator_words[];

// weights.c
/// Weights of the bonds of one particle: r^(-1/2), made isotropic, their sum 1. `moment` becomes sum w n n^T. Returns
/// how many directions the bonds span: 3 inside solids, 2 in sheets, 1 in rods, 0 without bonds; eigenvalues of the
/// moment below `cut` of the largest count as none.
#define PERI_FLAT_CUT   1e-6
#define PERI_SPREAD_CUT 1e-3 // of what flows: grains that have spread to a single layer do not know what is across
#define PERI_CURVED_CUT 0.08 // of sheets and rods: bonds leave the tangent by up to 16 degrees, bends of 3.6 spacings
int phxi_peri_weigh(const phx_vec3* bonds, int count, double cut, double* weights, phxi_sym3* moment);
/// c_dev and c_iso of a material where bonds span `rank` directions, Pa.
typedef struct phxi_peri_moduli {
    double dev, iso;
} phxi_peri_moduli;
phxi_peri_moduli phxi_peri_moduli_of(const phx_material_def* material, int model, int rank);

// flow.c, breaking.c
void phxi_peri_release_flow(phxi_heap* heap, struct phxi_peri_flow* flow);
void phxi_peri_release_breaking(phxi_heap* heap, struct phxi_peri_breaking* breaking);

// build.c
/// Bonds and constants of a body; its particles are put in the order of a curve first.
phx_result phxi_peri_build(phxi_step* step, int body, phxi_peri_slot* slot);
void phxi_peri_release(phxi_heap* heap, phxi_peri_slot* slot);
/// The same after what drivers hold of the body has changed. Nothing to do for sheets and rods, and for bodies that
/// yield or break. State unchanged on failure.
phx_result phxi_peri_grip(void* state, phxi_step* step, int body);
/// Weights of particle i and what follows from its `count` bonds, which lie in `bonds`; `weights` has as much room.
void phxi_peri_set_particle(phxi_peri_slot* slot, const phxi_particles* p, const phx_material_def* material, int i,
                            const phx_vec3* bonds, double* weights);
/// Rows ascend, so the bonds of j with ever larger i come one after the other. `next` has room for all particles.
void phxi_peri_find_mirrors(const phxi_peri_slot* slot, int* next);
/// What follows from both ends of bonds.
void phxi_peri_set_links(phxi_peri_slot* slot, const phxi_particles* p);

// renew.c
/// Constants of particle i from slot->rest, which has changed.
void phxi_peri_renew_particle(phxi_step* step, phxi_peri_slot* slot, int i);
/// All that follows from `start`, `other` and `rest`, for all particles; memory grows if need be.
phx_result phxi_peri_renew(phxi_step* step, phxi_peri_slot* slot);
/// Where particles are, in double.
void phxi_peri_positions(phxi_step* step, const phxi_peri_slot* slot, phx_vec3* x);

// pack.c
/// Bonds of a solid body for the loops of pack.h. Bodies that yield, whose bonds have rest vectors of their own, go
/// without, by rows.
phx_result phxi_peri_make_pack(phxi_step* step, phxi_peri_slot* slot, bool straight);
/// The same again, where weights, volumes or moduli have changed or bonds are gone; never more than it was made for.
void phxi_peri_fill_pack(const phxi_peri_slot* slot);
void phxi_peri_release_pack(phxi_heap* heap, phxi_peri_slot* slot);
/// Puts particles of a body in lines, as straight columns need them; and whether they serve.
phx_result phxi_peri_line_order(phxi_step* step, int begin, int count);
bool phxi_peri_is_straight(const phxi_peri_slot* slot);

// local.c
/// A block between its two passes; arrays as those of the constants.
typedef struct phxi_peri_block {
    _Alignas(64) phx_real s[9][PERI_BLOCK];  // S = sum w u_ij X^T / r^2
    _Alignas(64) phx_real su[3][PERI_BLOCK]; // sum w u_ij / r^2
    phx_real pull[3][PERI_BLOCK];            // sum w (r / |Y|) Y / r^2, by loops.c alone
    _Alignas(64) phx_real g[9][PERI_BLOCK];  // rank (S + G) - I
    phx_real stretch[PERI_BLOCK];            // e = sum w (|Y| / r - 1)
    phx_real scale[PERI_BLOCK];              // s - 1
    phx_real det[PERI_BLOCK], distance[PERI_BLOCK];
} phxi_peri_block;
/// The local step of a block: mean stretch, rotations, rows for pass 2. False if something is not finite.
bool phxi_peri_local(const phxi_peri_slot* slot, int block, phxi_peri_block* b);
/// S of a block and the rotations that follow, of any model: without mean stretch, without rows.
void phxi_peri_turn(const phxi_peri_slot* slot, int block, phxi_peri_block* b);
/// Forces of a block in the axes of the frame, after the local step of all.
void phxi_peri_force(const phxi_peri_slot* slot, int block, phx_real force[3][PERI_BLOCK]);
/// Energy of particle i of the slot, J, after its local step; and eps_d : eps_d.
double phxi_peri_energy(const phxi_peri_slot* slot, const phxi_peri_block* b, int i, double* shear);

// bond.c
/// The same of model `bond`.
bool phxi_peri_bond_local(const phxi_peri_slot* slot, int block, phxi_peri_block* b);
void phxi_peri_bond_force(const phxi_peri_slot* slot, int block, phx_real force[3][PERI_BLOCK]);

// thin.c
/// Makes a body whose bonds lie in planes (rank 2) or on lines (1) a sheet or rod.
phx_result phxi_peri_make_thin(phxi_step* step, phxi_peri_slot* slot, int rank);
void phxi_peri_release_thin(phxi_heap* heap, struct phxi_peri_thin* thin);
/// What follows from the bonds, which have changed.
void phxi_peri_renew_thin(phxi_step* step, phxi_peri_slot* slot);
/// Forces at positions x; the matrix of the product is made for them.
void phxi_peri_thin_forces(phxi_step* step, const phxi_peri_slot* slot, const phx_vec3* x, phx_vec3* force);
void phxi_peri_thin_product(phxi_step* step, const phxi_peri_slot* slot, const phx_real* const q[3],
                            phx_real* const kq[3]);
void phxi_peri_thin_diagonal(const phxi_peri_slot* slot, int i, double block[6]);
/// The local step alone, at x; or where particles are, which it returns.
void phxi_peri_thin_local(phxi_step* step, const phxi_peri_slot* slot, const phx_vec3* x);
const phx_vec3* phxi_peri_thin_refresh(phxi_step* step, const phxi_peri_slot* slot);
/// After it: energy of particle i, J, and eps_d : eps_d; area or length over that at rest.
double phxi_peri_thin_energy(const phxi_peri_slot* slot, const phx_vec3* x, int i, double* shear);
double phxi_peri_thin_det(const phxi_peri_slot* slot, int i);
double phxi_peri_thin_stretch(const phxi_peri_slot* slot, int i);

// matrix.c
/// K q with rotations of the last local step: of the elastic energy with R and the mean stretch free to follow.
void phxi_peri_tangent(phxi_step* step, phxi_peri_slot* slot, const phx_real* const q[3], phx_real* const kq[3]);
/// L q: targets stand still.
void phxi_peri_laplacian(phxi_step* step, phxi_peri_slot* slot, const phx_real* const q[3], phx_real* const kq[3]);

// warmth.c
/// Room for what warmth does to a body that expands; what it is now, before every local step.
phx_result phxi_peri_make_warmth(phxi_step* step, phxi_peri_slot* slot);
void phxi_peri_warm(phxi_step* step, const phxi_peri_slot* slot);
/// By how much warmth stretches the bonds of particle i, in the mean.
static inline double phxi_peri_warmth(const phxi_peri_slot* slot, int i) {
    return slot->thermal ? (double)slot->thermal[i] : 0;
}

// place.c
/// The frame of positions x, by particle of the slot; and displacements in it.
void phxi_peri_place(phxi_step* step, phxi_peri_slot* slot, const phx_vec3* x);
/// The same of the particles as they are.
void phxi_peri_refresh(phxi_step* step, phxi_peri_slot* slot);

/// Puts the particles of a body where params.start says.
void phxi_peri_begin(phxi_step* step, const phxi_peri_slot* slot);

// implicit.c
/// What the implicit solver's questions come with.
typedef struct phxi_peri_binding {
    phxi_step* step;
    phxi_peri_slot* slot;
    const phx_vec3* x;
    phx_vec3* force;
} phxi_peri_binding;
phxi_operator phxi_peri_operator(phxi_peri_binding* binding);
extern const phxi_implicit_table phxi_peri_implicit;

// measure.c
void phxi_peri_measure(void* state, phxi_step* step, int body, const uint8_t* selected, phx_totals* totals);
#define PERI_DERIVED_COUNT 7
extern const phxi_derived_field phxi_peri_derived[PERI_DERIVED_COUNT];
void phxi_peri_derive(void* state, phxi_step* step, int body, int field, phx_real* values);
