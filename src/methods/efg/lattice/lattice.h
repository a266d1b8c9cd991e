// SPDX-License-Identifier: MIT
// Bodies on a cubic or body-centred lattice with a support radius that reaches its nearest shells alone (below two
// spacings on cubic ones, the square root of two on others): the same forces without lists of neighbours.
//
// Particles sit in cells of a grid along the lattice's own axes, the longest of them z. Cells are stored in runs of
// PHXI_LANES along z, one lane a cell, and only runs that hold a particle are stored at all. Columns of cells are a
// step apart: a spacing, or half of it on body-centred lattices, where every other column is empty and those of odd
// steps are half a spacing higher:
//
//   table    one number for every run of the bounding box and a layer around it: which stored run, 0: none
//   runs     u[3][lane] | q[12][lane], q_4c..4c+2 = Q_c, q_4c+3 = c u_c | own[3][lane];  run 0 is all zeros
//   tiles    up to 128 cells of whole runs, the unit of parallel work; particles are in the order of the runs
//
// Cells without a particle hold zeros, so no sum needs a mask. Weights depend on the distance of a neighbour alone
// (face, edge, corner; corner and face of body-centred ones), which lets 26 or 14 neighbours be summed line by line
// from nine columns, docs/theory/efg.md (11).
//
// In the axes of the lattice rest differences are n steps with whole n. The frame of the body (frame.c) is turned into
// these axes, and so are F and P; laws are isotropic.
#pragma once

#include "materials/elastic.h"
#include "math/wide.h"
#include "methods/efg/efg_internal.h"

#define EFG_TILE_RUNS (EFG_BLOCK / PHXI_LANES)

/// Steps of a spacing.
typedef enum phxi_lattice_kind { PHXI_CUBIC = 1, PHXI_BODY_CENTRED = 2 } phxi_lattice_kind;

/// Where the points of a body are in a lattice.
typedef struct phxi_lattice_fit {
    int kind;       // phxi_lattice_kind
    double step;    // m
    phxi_mat3 axes; // columns: unit vectors of the lattice, right-handed
    int size[3];    // of the bounding box: columns in x and y, cells along z, where the box is longest
    int* cells;     // point in a cell or -1, [x][y][z]; NULL: no lattice, or not worth a grid
    bool regular;   // all points lie on one
} phxi_lattice_fit;

/// Finds the lattice of `count` points a `spacing` apart, if there is one. Fails only for want of memory.
phx_result phxi_lattice_find(phxi_heap* heap, const phx_vec3* points, int count, double spacing, phxi_lattice_fit* fit);
/// The cell at n steps from the corner of the box, -1: outside; and back.
int phxi_lattice_cell(const phxi_lattice_fit* fit, const int n[3]);
void phxi_lattice_steps(const phxi_lattice_fit* fit, int cell, int n[3]);
/// The order of the points along runs and tiles, and cells renumbered to it.
void phxi_lattice_order(phxi_lattice_fit* fit, int* order);
void phxi_lattice_fit_destroy(phxi_heap* heap, phxi_lattice_fit* fit);

/// Constants of a run; equal ones are stored once. Weights w are over that of the nearest neighbours, and c is times
/// it: then the nearest need no product.
typedef struct phxi_lattice_constants {
    phxi_rw inverse[9]; // of sum_j w x_ij n_ij^T, by rows; zero in cells without a particle, as is all the rest
    phxi_rw volume;     // V
    phxi_rw stiffness;  // c
    phxi_rw sum_n[3];   // sum_j w n_ij
    phxi_rw sum_w;      // sum_j w
    phxi_rw sum_cw;     // sum_j w c_j
    int64_t diagonal;   // 1: `inverse` is, in all lanes: everywhere but along edges
} phxi_lattice_constants;

/// Stored runs around a run, by the signs of their steps in x and y; whether there are any around the places before and
/// after it along z.
typedef struct phxi_lattice_near {
    int runs[9];
    bool before, after;
} phxi_lattice_near;

typedef struct phxi_lattice_tile {
    int run, run_count;
    int first, count;   // particles of the body
    bool full;          // every cell has one
    bool clamped;       // some of them are deep in clamps
    bool bad;           // of the last substep: something is beyond bounds or not finite
    phxi_strain strain; // of implicit steps
    double least, most; // stretches, when last asked for
} phxi_lattice_tile;

typedef struct phxi_efg_lattice {
    int kind;      // phxi_lattice_kind
    uint8_t* deep; // by particle: left out, deep in a clamp (methods/shared/clamp.h); NULL: none is
    double step;   // m
    phxi_mat3 axes;
    phxi_frame frame;    // of the slot, in the axes of the lattice: R axes, axes^T B
    phx_real stretch[9]; // axes^T B axes - I
    phx_real weight[2];  // over that of the nearest: of edges, of corners; of faces, of two of them
    int stride[2];       // of the table, along x and y
    int around[9];       // places of the columns with neighbours from that of a run: lattice_forces.c
    int* table;
    int run_count; // without run 0
    int* at;       // place of a run in the table
    phxi_lattice_near* near;
    int* shared; // its constants
    phxi_lattice_constants* constants;
    int constants_count;
    phxi_rw (*u)[3];
    phxi_rw (*q)[12];
    phxi_rw (*own)[3];
    uint8_t* place;       // lane of a particle within its tile
    phx_real* thermal;    // how much longer warmth makes it, by lane of all runs; NULL: it does not expand
    phxi_efg_turn* turns; // of implicit steps, by lane, in the axes of the lattice; NULL: none yet
    phxi_lattice_tile* tiles;
    int tile_count;
} phxi_efg_lattice;

/// The frame of the slot turned into the axes of its lattice; after each new frame.
void phxi_lattice_turn(phxi_efg_slot* slot);

struct builder;
struct block_data;
phx_result phxi_lattice_build(const struct builder* b, const phxi_lattice_fit* fit, phxi_efg_lattice** lattice,
                              const char** why);
void phxi_lattice_destroy(phxi_heap* heap, phxi_efg_lattice* lattice);

// lattice_forces.c: the stages of a substep for one tile
/// Displacements of its particles.
void phxi_lattice_fill(const phxi_efg_slot* slot, const phxi_particles* particles, const phxi_lattice_tile* tile);
/// How much longer warmth makes them, if the body expands: with every new displacements.
void phxi_lattice_warm(const phxi_efg_slot* slot, const phxi_particles* particles, const phxi_lattice_tile* tile);
/// The same as fill, given by particle of the tile in the axes of the lattice.
void phxi_lattice_put(const phxi_efg_lattice* lattice, const phxi_lattice_tile* tile, phx_real u[3][EFG_BLOCK]);
/// Pass 1, law, and what neighbours gather. False if a particle is stretched beyond EFG_WILD, or not a number.
bool phxi_lattice_stress(const phxi_efg_slot* slot, const phxi_elastic* elastic, phxi_lattice_tile* tile);
/// Its first part, H and F - I, and its last, from H and P on.
bool phxi_lattice_gradients(const phxi_efg_lattice* lattice, const phxi_lattice_tile* tile, const phx_real stretch[9],
                            struct block_data* d);
void phxi_lattice_store(const phxi_efg_lattice* lattice, const phxi_lattice_tile* tile, struct block_data* d);
/// Pass 2: forces in the axes of the lattice, force[axis][k] of its particle k.
void phxi_lattice_force(const phxi_efg_slot* slot, const phxi_lattice_tile* tile, phx_real force[3][EFG_BLOCK]);

/// Smallest and largest stretch of a body where its particles are now.
void phxi_lattice_stretches(phxi_step* step, phxi_efg_slot* slot, double* least, double* most);

// lattice_implicit.c: the operator of implicit steps (implicit.c), for a whole body
phx_result phxi_lattice_prepare(phxi_heap* heap, phxi_efg_lattice* lattice);
/// Rotations of a tile, for products here and by particle for whoever asks.
void phxi_lattice_freeze(const phxi_efg_slot* slot, phxi_lattice_tile* tile, const struct block_data* d);
/// Forces at positions x, by particle of the body; the frame is fitted to them.
bool phxi_lattice_forces_at(phxi_step* step, const phxi_efg_slot* slot, const phxi_elastic* elastic, const phx_vec3* x,
                            phx_vec3* force, phxi_strain* strain);
/// Projected (or exact) tangents at the positions of the last forces; the slot has room for them.
void phxi_lattice_project(phxi_step* step, const phxi_efg_slot* slot, const phxi_elastic* elastic, bool exact);
/// K q in the axes of the frame.
void phxi_lattice_product(phxi_step* step, const phxi_efg_slot* slot, const phxi_elastic* elastic,
                          const phx_real* const q[3], phx_real* const kq[3]);
/// Displacements of the last forces or product back to the rows, for what works on these.
void phxi_lattice_spill(phxi_efg* efg, const phxi_efg_slot* slot);
