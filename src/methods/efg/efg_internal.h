// SPDX-License-Identifier: MIT
// Shared by the files of the efg method; equations in docs/theory/efg.md.
//
// All bodies of a solver share one set of rows, so that hundreds of fragments cost no more than one body:
//
//   rows      body 0: 0 ... n0-1, padding   | body 1 ...           a body starts at a multiple of 16 rows
//   groups    eight rows each               |                      constants and scratch, one lane a row
//   blocks    up to 128 rows of one body    |                      the unit of parallel work
//   pairs     of row r: start[r] ... start[r+1], an even number    neighbours
//   lists     of row r: from list[r] on, one a pair                gradients {w x, w y, w z, w}; equal rows share one
//
// A neighbour is kept as the byte offset of its displacement (4 numbers); its stress row (16 numbers) is at four times
// that. Padding pairs have weight 0 and point at their own row.
#pragma once

#include "core/array.h"
#include "methods/method.h"
#include "materials/expansion.h"
#include "materials/plastic.h"
#include "materials/tangent.h"
#include "math/rotation_wide.h"
#include "motion/explicit.h"
#include "motion/frame.h"
#include "implicit/implicit.h"
#include "motion/rigid_motion.h"
#include "neighbors/kernel.h"
#include "neighbors/neighbors.h"

#define EFG_LANES     8
#define EFG_BLOCK     128
#define EFG_ROW_ALIGN 16 // rows of a body start here: whole groups, and strides the elastic laws accept
#define EFG_NEAREST   10
#define EFG_WILD      1e3 // |F - I| above it is a blow-up: elastic laws are held back there, so it need not get to infinity

typedef enum phxi_efg_volumes { EFG_GEOMETRIC, EFG_DENSITY_SUM } phxi_efg_volumes;
/// h over the spacing of conforming samples. With it the gradient of a particle on a face is that
/// of a point 0.19 spacings inside, which makes bending right (docs/theory/efg.md section 1); two would reach the
/// second shell but for rounding.
#define EFG_SUPPORT 1.999

typedef enum phxi_efg_weights { EFG_WEIGHTS_BALANCED, EFG_WEIGHTS_PLAIN } phxi_efg_weights;
typedef enum phxi_efg_tangent_kind { EFG_TANGENT_PROJECTED, EFG_TANGENT_FROZEN } phxi_efg_tangent_kind;
typedef enum phxi_efg_path { EFG_PATH_AUTO, EFG_PATH_LATTICE, EFG_PATH_ROWS } phxi_efg_path;
typedef enum phxi_efg_reset { EFG_RESET_CARRY, EFG_RESET_ABSORB, EFG_RESET_OFF } phxi_efg_reset_kind;

typedef enum phxi_efg_fracture_kind {
    EFG_FRACTURE_NONE,
    EFG_FRACTURE_FACETS,
    EFG_FRACTURE_FRONT,
    EFG_FRACTURE_KERNEL
} phxi_efg_fracture_kind;

typedef struct phxi_efg_params {
    double support;   // h over the local spacing; 0: EFG_SUPPORT or that of the variant, 1.2 on body-centred lattices
    double hourglass; // alpha
    double volume_stiffness; // k_v, Pa
    int integrator;          // phxi_integrator
    double implicit_dt;      // s; 0: 1/60
    int iterations;          // of a linear solve; 0: 6, or 60 of implicit_euler
    double tolerance;        // of solves; 0: 0.01, or 1e-4 of implicit_euler
    int tangent;             // phxi_efg_tangent_kind, of Newton's method
    int volumes;             // phxi_efg_volumes
    int weights;             // phxi_efg_weights, of bodies without a lattice
    int fracture;            // phxi_efg_fracture_kind, for materials with a strength
    double front_speed;      // of crack fronts at the strength, over that of shear waves
    double front_blur;       // kappa
    int kernel;              // phxi_anisotropy_kind, of fracture by kernels
    double kernel_eta, kernel_full;
    int path;                // phxi_efg_path
    int reset;               // phxi_efg_reset_kind
    double reset_strain;     // between shape and reference, at which that happens; 0: reset.c
    int adaptive;            // 1: particles may split
    double adaptive_limit;   // particles over those at creation
    double adaptive_stretch; // of the distance of particles, at which they split
} phxi_efg_params;

/// Whether a body can crack. Then its forces go over the rows.
static inline bool phxi_efg_cracks(const phxi_body* body) {
    const phx_material_def* m = &body->material;
    int fracture = ((const phxi_efg_params*)body->params)->fracture;
    bool weak = m->strength > 0 || (m->yield > 0 && m->ductile_strain > 0);
    return fracture == EFG_FRACTURE_KERNEL || (weak && fracture != EFG_FRACTURE_NONE);
}

/// Whether it does so at a stress. All that crack take explicit steps.
static inline bool phxi_efg_breaks(const phxi_body* body) {
    int fracture = ((const phxi_efg_params*)body->params)->fracture;
    return body->material.strength > 0 && phxi_efg_cracks(body) && fracture != EFG_FRACTURE_KERNEL;
}

/// Constants of eight rows.
typedef struct phxi_efg_group {
    phxi_r8 inverse[9]; // A^+ by rows
    phxi_r8 volume;     // V
    phxi_r8 stiffness;  // c = alpha E V / tr A
    phxi_r8 sum_y[3];   // sum_j w x_ij
    phxi_r8 sum_w;      // sum_j w
    phxi_r8 sum_cw;     // sum_j w c_j
} phxi_efg_group;

/// What a substep writes for eight rows and reads again.
typedef struct phxi_efg_lane {
    phxi_r8 u[3];   // displacement from the frame
    phxi_r8 own[3]; // the part of the force that needs no neighbour
} phxi_efg_lane;

/// What neighbours gather in pass 2: rows c = 0..2 of (B | c_j u_j), one cache line in float.
typedef struct phxi_efg_row {
    phxi_r4 part[4]; // the last is padding
} phxi_efg_row;

/// Rotations of eight rows at which the tangent is frozen.
typedef phxi_turn8 phxi_efg_turn;

/// A row whose neighbours lie in a plane, on a line or nowhere, or nearly so: thin.c.
typedef struct phxi_efg_flat {
    int row, rank;
    phxi_mat3 basis; // columns: directions the neighbours spread in, most first
    double share[4]; // of its law: that of nothing, a rod, a sheet, a solid
    bool held;       // a sheet whose thickness stays: plane strain
} phxi_efg_flat;

/// What a particle's energy is made of.
typedef struct phxi_efg_law {
    const phxi_elastic* elastic;
    double volume_stiffness; // k_v, Pa
} phxi_efg_law;

typedef struct phxi_efg_block {
    int row, count;           // rows
    int slot;                 // body
    int flat_begin, flat_end; // its rows in `flats`
} phxi_efg_block;

/// One body.
typedef struct phxi_efg_slot {
    int body, begin, count; // particles
    int row;                // its first
    int block_begin, block_end;
    phxi_efg_params params;
    phxi_frame frame;
    phxi_frame_base base;
    double support;                     // h over spacing, as chosen
    double rest_dt;                     // s, largest stable step of the body at rest
    phxi_rigid_motion motion;           // of this substep, if the material damps
    const phxi_rigid_motion* motions;   // the same of its fragments; NULL: it is in one piece
    struct phxi_efg_fracture* fracture; // fracture.h; NULL: the body cannot break
    struct phxi_efg_lattice* lattice;   // NULL: forces go over the rows; lattice.h
    struct phxi_lattice_fit* fit;       // of bodies that end at clamps: what their lattice is made from; NULL: none
    bool own_lists;                     // no two rows share gradients
    bool balanced;                      // weights are those of balance.c
    int reference;                      // field of the particles that holds x of their reference positions; y and
                                        // z follow: rest_x, or that of plastic.h
    phxi_plastic plastic;               // how the body flows; yield 0: not at all
    uint64_t built_from;                // hash of what its rows were made from: renew.c
    uint64_t grip;                      // phxi_clamp_hash when its rows were last looked at for clamps
    int deeps;                          // particles that its rows leave out
    bool stale;                         // they belong to other particles and could not be rebuilt yet
    bool calm;                          // in this substep: can break, but has no stress to speak of (efg.c)
    bool automatic;                     // params.integrator was chosen by auto
    phxi_implicit* implicit;            // of bodies with implicit steps, from the first one on
    phxi_efg_turn* turns;               // the same; by group of the body
    phx_real* stiffness;                // the same; projected tangents by block or tile, see materials/tangent.h
    bool projected;                     // products are by them
} phxi_efg_slot;

/// Reference positions of all particles along an axis, for those of the slot.
static inline phx_real* phxi_efg_reference(const phxi_efg_slot* slot, const phxi_particles* particles, int axis) {
    return particles->fields[slot->reference + axis].data;
}

/// How much longer warmth makes the particles of a slot from `first` on (materials/expansion.h); NULL: nothing expands.
static inline const phx_real* phxi_efg_thermal(const phxi_particles* particles, const phxi_efg_slot* slot, int first) {
    return particles->thermal ? particles->thermal + slot->begin + first : NULL;
}
static inline double phxi_efg_thermal_at(const phxi_particles* particles, const phxi_efg_slot* slot, int i) {
    return particles->thermal ? (double)particles->thermal[slot->begin + i] : 0;
}

/// A unit of work of a substep: block `part`, or tile `part` of the lattice of the slot.
typedef struct phxi_efg_job {
    int slot, part;
} phxi_efg_job;

/// What a block found out; merged in block order.
typedef struct phxi_efg_sums {
    double energy, min_det, max_von_mises, min_stretch, max_stretch; // J, 1, Pa, 1, 1
    double before, after;                                            // norms of a power iteration
    phx_vec3 force;                                                  // N
    phxi_rigid_sums rigid[2];
    double flow; // how far the reference of a plastic body is from its shape: plastic.h
    bool bad;    // something is not finite or beyond bounds
} phxi_efg_sums;

enum { EFG_WORD_LAST_DT, EFG_WORD_LEVEL, EFG_WORD_LEVEL_TIME, EFG_WORD_SUBSTEPS, EFG_WORD_COUNT };

/// What tells methods apart that are made of these rows: efg itself, and elastoplastic_sph. Their parameters are a
/// phxi_efg_params, of which a table may name a part and the method fills in the rest before a body is added.
typedef struct phxi_efg_variant {
    const char* name;
    const phxi_field_def* fields;  // EFG_FIELD_COUNT: those of explicit.h, of implicit.h, then "splits"
    const phxi_field_def* plastic; // EFG_PLASTIC_FIELDS, for bodies that flow: plastic.h
    phxi_kernel kernel;            // weights by distance at rest
    double support;                // h over spacing where the parameters say 0 and the samples are not conforming
} phxi_efg_variant;

typedef struct phxi_efg {
    const phxi_efg_variant* variant;
    PHXI_ARRAY(int) start; // one more than rows
    PHXI_ARRAY(int) list;  // first gradient of a row
    PHXI_ARRAY(phxi_r4) gradient;
    PHXI_ARRAY(int) offset;
    PHXI_ARRAY(phxi_efg_group) groups;
    PHXI_ARRAY(phxi_efg_lane) lanes;
    PHXI_ARRAY(phxi_r4) u;
    PHXI_ARRAY(phxi_efg_row) rows;
    PHXI_ARRAY(phxi_efg_flat) flats;
    PHXI_ARRAY(phxi_efg_block) blocks;
    PHXI_ARRAY(phxi_efg_sums) sums; // one a block
    PHXI_ARRAY(phxi_efg_slot) slots;
    PHXI_ARRAY(phxi_efg_job) jobs; // all slots
    double words[EFG_WORD_COUNT];
    phxi_particles* particles;
    int plastic_fields;   // where those of plastic.h begin in the particles' table, 0: there are none yet
    double flow_dt;       // s; stresses that are found now let plastic bodies flow for this time
    bool level_is_needed; // by the stretches that the stable step was found for
} phxi_efg;

/// "<prefix>.splits".
#define EFG_FIELD_COUNT 1
#define EFG_FIELDS(prefix)                                                                                             \
    { prefix ".splits", "", "how often it was split; -1 and less: thin from the start", PHXI_FIELD_INT, true }
extern const phxi_field_def phxi_efg_fields[EFG_FIELD_COUNT];

// efg.c: entries of the method's table that variants share. The state's `variant` is set by their own `create`.
void phxi_efg_destroy(void* state, phxi_step* step);
phx_result phxi_efg_add_body(void* state, phxi_step* step, int body);
phx_result phxi_efg_substep(void* state, phxi_step* step, double dt, phxi_trouble* trouble);
phx_result phxi_efg_restored(void* state, phxi_step* step);
phx_result phxi_efg_adapt(void* state, phxi_step* step, double dt);
void phxi_efg_moved(void* state, phxi_step* step);
double* phxi_efg_words(void* state);

// neighborhood.c
/// Neighbourhoods, gradients and constants of a body as new rows, blocks and a slot at the end; the body's particles
/// are put in the order of a space-filling curve first. State unchanged on failure.
phx_result phxi_efg_add_rows(phxi_efg* efg, phxi_step* step, int body);
/// The same for a slot whose particles have changed; they keep their order. Rows of other bodies stay as they are.
/// State unchanged on failure.
phx_result phxi_efg_rebuild_rows(phxi_efg* efg, phxi_step* step, int slot);

// frame.c
/// Where the frame will be in dt. Cannot fail; not finite positions give the resting frame.
void phxi_efg_fit_sample(phxi_efg_slot* slot, const phxi_particles* particles);
void phxi_efg_fit_frame(phxi_efg_slot* slot, const phxi_particles* particles, double dt);
/// The frame of positions of the caller's choice, by particle of the body.
void phxi_efg_fit_frame_at(phxi_efg_slot* slot, const phxi_particles* particles, const phx_vec3* x);
void phxi_efg_fill_at(phxi_efg* efg, const phxi_particles* particles, const phx_vec3* x, const phxi_efg_block* block);
/// One array an axis as displacements of a block.
void phxi_efg_fill_with(phxi_efg* efg, const phx_real* const u[3], const phxi_efg_block* block);
/// Displacements u = R^T (x - center) - B (X - origin) of `count` particles, in double until the end; the frame is the
/// slot's or that turned.
void phxi_efg_displacements(const phxi_efg_slot* slot, const phxi_frame* frame, const phxi_particles* particles,
                            int begin, int count, phx_real u[3][EFG_BLOCK]);
/// Displacements of a block's particles into u and lanes.
void phxi_efg_fill(phxi_efg* efg, const phxi_particles* particles, const phxi_efg_block* block);
/// Frames and displacements of the positions as they are, for one body.
void phxi_efg_refresh(phxi_efg* efg, phxi_step* step, int slot);

// forces.c
/// Displacements to stresses: pass 1, the law (`linear`: its tangent at rest), and the rows that pass 2 gathers.
/// False if a particle is stretched beyond EFG_WILD, or not a number.
bool phxi_efg_stress(phxi_efg* efg, const phxi_elastic* elastic, bool linear, const phxi_efg_block* block);
/// Smallest and largest principal (elastic) stretch of a block's particles, or a little beyond; at rest and beyond are
/// 1. Returns how much stiffer plastic flow has made them against the reference, at least 1.
double phxi_efg_stretches(const phxi_efg* efg, const phxi_elastic* elastic, const phxi_efg_block* block, double* least,
                          double* most);
/// Pass 2: internal forces in the axes of the frame, force[axis][k] of row block->row + k.
void phxi_efg_force(const phxi_efg* efg, const phxi_efg_block* block, phx_real force[3][EFG_BLOCK]);

// thin.c
/// Whether neighbours that are spread so far along the columns of `basis` (sums of squares, or eigenvalues of A) are
/// too little so along one of them; `rank` of A.
bool phxi_efg_is_thin(const double spread[3]);
phxi_efg_flat phxi_efg_thin_row(int row, int rank, const double spread[3], const phxi_mat3* basis);
/// dPsi/dF and Psi of solid rows.
phxi_mat3 phxi_efg_law_stress(const phxi_efg_law* law, const phxi_mat3* f);
double phxi_efg_law_energy(const phxi_efg_law* law, const phxi_mat3* f);
/// The same of thin rows, F as the neighbours have it (`energy` may be NULL); and at rest, H = F - I small.
phxi_mat3 phxi_efg_thin_stress(const phxi_efg_flat* flat, const phxi_efg_law* law, const phxi_mat3* f, double* energy);
phxi_mat3 phxi_efg_thin_linear(const phxi_efg_flat* flat, const phxi_efg_law* law, const phxi_mat3* h);
/// F with the free directions as they follow: for fields, bounds, stretches.
phxi_mat3 phxi_efg_thin_gradient(const phxi_efg_flat* flat, const phxi_efg_law* law, const phxi_mat3* f);

// measure.c
/// R^T F of a row as its neighbours have it, in double from the displacements; `residual` (may be NULL): U_i of the
/// hourglass term, J.
phxi_mat3 phxi_efg_gradient(const phxi_efg* efg, const phxi_efg_slot* slot, int row, double* residual);
/// The row's entry in `flats`, NULL for the usual ones.
const phxi_efg_flat* phxi_efg_find_flat(const phxi_efg* efg, const phxi_efg_block* block, int row);
/// One particle: F (completed in thin rows), its elastic part and the stress that goes with it, energy per volume at
/// rest, and what has flowed.
typedef struct phxi_efg_local {
    phxi_mat3 f, elastic, p;
    double energy, hourglass, amount, strain;
} phxi_efg_local;
phxi_efg_local phxi_efg_local_of(const phxi_efg* efg, const phxi_efg_slot* slot, const phxi_efg_flat* flat,
                                 const phxi_elastic* elastic, int row);
/// The same without hourglass energy.
phxi_efg_local phxi_efg_local_stress(const phxi_efg* efg, const phxi_efg_slot* slot, const phxi_efg_flat* flat,
                                     const phxi_elastic* elastic, int row);
void phxi_efg_measure(void* state, phxi_step* step, int body, const uint8_t* selected, phx_totals* totals);
void phxi_efg_derive(void* state, phxi_step* step, int body, int field, phx_real* values);
/// Elastic energy of the displacements as they are, J.
double phxi_efg_energy(phxi_efg* efg, phxi_step* step, const phxi_efg_slot* slot);
#define EFG_DERIVED_COUNT 10
extern const phxi_derived_field phxi_efg_derived[EFG_DERIVED_COUNT];

// stability.c
/// Largest stable step at rest by `iterations` power iterations, from below 2/omega; scratch: 4 numbers a row of it.
double phxi_efg_spectral_dt(phxi_efg* efg, phxi_step* step, int slot, int iterations, phxi_r4* scratch);
/// Fills slot->rest_dt.
void phxi_efg_set_rest_dt(phxi_efg* efg, phxi_step* step, int slot, phxi_r4* scratch);
double phxi_efg_stable_dt(void* state, phxi_step* step, char reason[160]);
/// Before every substep: notes that the level of the step was needed.
void phxi_efg_use_level(phxi_efg* efg, double now);

// tangent.c
/// Numbers of the projected tangents of a block.
#define EFG_BLOCK_STIFFNESS (PHXI_TANGENT_NUMBERS * EFG_BLOCK)
/// Projected (or exact) tangents of a block at the displacements as they are, for products while slot->projected.
void phxi_efg_project(phxi_efg* efg, const phxi_elastic* elastic, bool exact, const phxi_efg_block* block);
/// -K q of the frozen or projected tangent in the axes of the frame, q being the displacements: first of all blocks,
/// then by phxi_efg_force.
void phxi_efg_tangent(phxi_efg* efg, const phxi_elastic* elastic, const phxi_efg_block* block);

// implicit.c
/// What a bdf2 step costs in explicit substeps of the same body: `phyxel bench efg.implicit`, 1000 to 20000 particles.
/// A number and no measurement of the run, so that results do not depend on how busy a machine is.
#define EFG_STEP_COST 25.0
/// Chooses what `auto` means for a body whose rest_dt is known.
void phxi_efg_choose(phxi_efg_slot* slot, const phxi_step* step);
static inline bool phxi_efg_is_implicit(const phxi_efg_slot* slot) {
    return phxi_implicit_is(slot->params.integrator);
}
/// A body as the operator of the implicit solver sees it; the first four are the caller's.
typedef struct phxi_efg_binding {
    phxi_efg* efg;
    phxi_step* step;
    phxi_efg_slot* slot;
    const phxi_elastic* elastic;
    const phx_vec3* x;
    phx_vec3* force;
    const phx_real* const* q;
    phx_real* const* kq;
    bool exact;
} phxi_efg_binding;
/// The binding must outlive it, and the slot have taken an implicit step (for its memory).
phxi_operator phxi_efg_operator(phxi_efg_binding* binding);
extern const phxi_implicit_table phxi_efg_implicit;
extern const phxi_touch_table phxi_efg_touch;
void phxi_efg_implicit_destroy(phxi_efg_slot* slot, phxi_heap* heap);

/// The same after what drivers hold of it has changed. Nothing to do for bodies whose rows are not to end at clamps:
/// those that flow, break or split.
phx_result phxi_efg_grip(void* state, phxi_step* step, int body);

// renew.c
/// A body was built.
void phxi_efg_rows_added(phxi_efg* efg, phxi_step* step, int slot);
/// Rebuilds the rows of a body after its reference or its particles have changed. State unchanged on failure.
phx_result phxi_efg_renew_rows(phxi_efg* efg, phxi_step* step, int slot);
/// Fields were changed from outside: rebuilds rows that belong to other particles.
phx_result phxi_efg_rows_restored(phxi_efg* efg, phxi_step* step);
/// Rebuilds rows that could not be rebuilt before for lack of memory.
phx_result phxi_efg_catch_up(phxi_efg* efg, phxi_step* step);

// adaptive.c
/// A body was built: its thin particles are marked.
void phxi_efg_adaptive_added(phxi_efg* efg, phxi_step* step, int slot);
/// After a substep: splits particles that are stretched too far, or whose neighbourhoods have become thin.
phx_result phxi_efg_adaptive_adapt(phxi_efg* efg, phxi_step* step);

// lattice.c
/// The body's forces go over its rows from now on: its neighbourhoods are about to change. Nothing if they do already.
void phxi_efg_leave_lattice(phxi_efg* efg, phxi_heap* heap, int slot);
/// It never goes over a lattice again.
void phxi_efg_forget_fit(phxi_efg_slot* slot, phxi_heap* heap);
/// Puts the blocks or tiles of all slots in order; there is room.
void phxi_efg_list_jobs(phxi_efg* efg);

static inline phxi_efg_slot* phxi_efg_slot_of(phxi_efg* efg, int body) {
    for (int k = 0; k < efg->slots.count; ++k) {
        if (efg->slots.items[k].body == body) {
            return &efg->slots.items[k];
        }
    }
    PHXI_ASSERT(false); // every body of this method has one
    return NULL;
}
