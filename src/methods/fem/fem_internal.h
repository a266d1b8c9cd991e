// SPDX-License-Identifier: MIT
// Shared by the files of the fem method; equations in docs/theory/fem.md.
//
// Particles are the nodes, cells the cubes between eight of them. All cells of a body are alike, so the gradients of
// the shape functions at the points of a cell are one table. Sixteen cells are a block, in whose arrays lane
// q * FEM_CELLS + c is point q of cell c; a cell keeps the forces on its eight corners, which the nodes gather in the
// order of the corners.
//
//   corner k of a cell is at ((k & 1), (k >> 1 & 1), (k >> 2 & 1)) edges from its first
#pragma once

#include "core/array.h"
#include "methods/method.h"
#include "motion/explicit.h"
#include "materials/expansion.h"
#include "materials/tangent.h"
#include "motion/frame.h"
#include "implicit/implicit.h"
#include "motion/rigid_motion.h"

enum { FEM_CELLS = 16, FEM_CORNERS = 8, FEM_MOST_POINTS = 8, FEM_LANES = FEM_CELLS * FEM_MOST_POINTS, FEM_NODES = 128 };
enum { FEM_NEIGHBORS = 26, FEM_FREEDOMS = 3 * FEM_CORNERS }; // of a node, at most; of a cell

typedef enum phxi_fem_kind { FEM_HEXAHEDRA, FEM_TETRAHEDRA } phxi_fem_kind;

typedef enum phxi_fem_tangent { FEM_PROJECTED, FEM_FROZEN } phxi_fem_tangent;

typedef struct phxi_fem_params {
    int element;    // phxi_fem_kind
    int integrator; // phxi_integrator
    double implicit_dt;
    int iterations; // of a linear solve; 0: the usual number
    double tolerance;
    int tangent; // phxi_fem_tangent
} phxi_fem_params;

/// What a cell of edge 1 is: where its energy is looked at, each point with the same share of its volume.
typedef struct phxi_fem_element {
    int points;
    phx_real gradient[FEM_MOST_POINTS][FEM_CORNERS][3]; // of the shape functions of the corners
    phx_real value[FEM_MOST_POINTS][FEM_CORNERS];       // of the same; of tetrahedra' points their means
} phxi_fem_element;

/// K of a cell of edge 1 at rest, Pa; forces on the corners are minus K u.
typedef struct phxi_fem_matrix {
    double column[FEM_FREEDOMS][FEM_FREEDOMS]; // 3 * corner + axis
} phxi_fem_matrix;

/// What a block found out.
typedef struct phxi_fem_found {
    bool bad;
    double energy, min_det, max_stress, least, most; // J, 1, Pa; principal stretches
    phx_vec3 force;                                  // N
} phxi_fem_found;

/// Forces on the corners of the cells of a block, axes of the frame: [3 * corner + axis][cell].
typedef struct phxi_fem_forces {
    _Alignas(64) phx_real f[3 * FEM_CORNERS][FEM_CELLS];
} phxi_fem_forces;

typedef struct phxi_fem_slot {
    int body, begin, count, cell_count;
    phxi_fem_params params;
    phxi_fem_element element;
    double edge;    // m
    double rest_dt; // s, largest stable substep at rest
    phxi_frame frame;
    phxi_frame_base base;
    int (*corner)[FEM_CORNERS];   // by cell: its particles, from 0
    int (*around)[FEM_CORNERS];   // by particle: the cell whose corner k it is; -1: none
    int *bond_start, *bond_other; // by particle: nodes of the cells around, for contact/bonds.h
    phx_real* volume;             // by cell, whole blocks
    phxi_r4* u;                   // by particle: displacement from the frame
    const phx_real* thermal;      // th - 1 by particle (materials/expansion.h), as last seen; NULL: it does not expand
    phxi_fem_forces* forces;      // by block of cells
    phxi_fem_found* found;        // by block of cells, or of nodes
    phxi_implicit* implicit;      // of bodies with implicit steps, from the first one on
    phxi_turn8* turns;            // the same: rotations of the lanes of a block, as many for each
    phx_real* stiffness;          // the same: tangents of the lanes of a block
    bool projected;               // products are by them
} phxi_fem_slot;

enum { FEM_WORD_LAST_DT, FEM_WORD_COUNT };

typedef struct phxi_fem {
    PHXI_ARRAY(phxi_fem_slot) slots;
    double words[FEM_WORD_COUNT];
} phxi_fem;

static inline int phxi_fem_cell_blocks(const phxi_fem_slot* slot) {
    return phxi_block_count(slot->cell_count, FEM_CELLS);
}
static inline int phxi_fem_node_blocks(const phxi_fem_slot* slot) {
    return phxi_block_count(slot->count, FEM_NODES);
}
phxi_fem_slot* phxi_fem_slot_of(phxi_fem* fem, int body);

// element.c
void phxi_fem_element_make(int kind, phxi_fem_element* element);
void phxi_fem_element_matrix(const phxi_fem_element* element, const phxi_elastic* elastic, phxi_fem_matrix* k);
/// Largest eigenvalue of M^-1 K of one cell at rest times density edge^2, Pa, whose corners have these shares of its
/// mass: no body of such cells swings faster.
double phxi_fem_element_stiffness(const phxi_fem_matrix* k, const double share[FEM_CORNERS]);

// build.c
/// Cells and constants of a body; its particles are put in the order of a curve first.
phx_result phxi_fem_build(phxi_step* step, int body, phxi_fem_slot* slot);
void phxi_fem_release(phxi_heap* heap, phxi_fem_slot* slot);

// forces.c
/// Points of a block: number k of lane i at [k][i].
typedef struct phxi_fem_block {
    _Alignas(64) phx_real u[3 * FEM_CORNERS][FEM_CELLS];
    _Alignas(64) phx_real g[9][FEM_LANES + 16]; // F - I in the axes of the frame; a stride that no cache set dislikes
    _Alignas(64) phx_real p[9][FEM_LANES + 16]; // first Piola stress
    _Alignas(64) phx_real energy[FEM_LANES + 16];
} phxi_fem_block;
enum { FEM_STRIDE = FEM_LANES + 16 };
/// th - 1 at the points of a block of cells; NULL where bodies do not expand.
const phx_real* phxi_fem_thermal(const phxi_fem_slot* slot, int block, phx_real thermal[FEM_LANES]);
/// Takes that of the particles, which may have moved in memory, before anything is made of it.
static inline void phxi_fem_warm(const phxi_particles* particles, phxi_fem_slot* slot) {
    slot->thermal = particles->thermal ? particles->thermal + slot->begin : NULL;
}
/// Displacements to F - I of a block of cells.
void phxi_fem_gradients(const phxi_fem_slot* slot, int block, phxi_fem_block* b);
/// Gradients, stresses and (if asked) energies of a block of cells.
void phxi_fem_stress(const phxi_fem_slot* slot, const phxi_elastic* elastic, int block, bool energy, phxi_fem_block* b);
/// From stresses to forces on corners.
void phxi_fem_corner_forces(const phxi_fem_slot* slot, int block, const phxi_fem_block* b);
/// Forces on a block of nodes, axes of the frame.
void phxi_fem_gather(const phxi_fem_slot* slot, int block, phx_real force[3][FEM_NODES]);

// implicit.c
static inline phxi_implicit_choice phxi_fem_choice(const phxi_fem_slot* slot) {
    const phxi_fem_params* p = &slot->params;
    return (phxi_implicit_choice){p->integrator, p->implicit_dt, p->iterations, p->tolerance};
}
extern const phxi_implicit_table phxi_fem_implicit;
void phxi_fem_implicit_destroy(phxi_fem_slot* slot, phxi_heap* heap);

// measure.c
/// The frame of where the particles will be in dt; and displacements of a block of nodes in it.
void phxi_fem_fit(const phxi_particles* particles, phxi_fem_slot* slot, double dt);
void phxi_fem_fill(phxi_step* step, const phxi_fem_slot* slot, int block);
double phxi_fem_stable_dt(void* state, phxi_step* step, char reason[160]);
void phxi_fem_measure(void* state, phxi_step* step, int body, const uint8_t* selected, phx_totals* totals);
#define FEM_DERIVED_COUNT 5
extern const phxi_derived_field phxi_fem_derived[FEM_DERIVED_COUNT];
void phxi_fem_derive(void* state, phxi_step* step, int body, int field, phx_real* values);
