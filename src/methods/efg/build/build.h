// SPDX-License-Identifier: MIT
// What is known of a body while it is being added: found by neighborhood.c, put into rows by rows.c.
#pragma once

#include "methods/efg/efg_internal.h"
#include "methods/shared/balance.h"
#include "methods/shared/clamp.h"

/// Eigenvalue over the largest, below which a direction is left out. What is left out though it is there costs angular
/// momentum: in double only what is rounding.
#ifdef PHX_DOUBLE
#define EFG_RANK_RATIO 1e-12
#else
#define EFG_RANK_RATIO 1e-6
#endif

typedef struct builder {
    phxi_heap* heap;
    phxi_pool* pool;
    const phxi_particles* particles;
    int begin, count;
    bool expands;            // when it is warm
    bool held;               // a slice in plane strain
    bool own_lists;          // every row has its own list of gradients, so that its bonds can break
    int reference;           // field of the reference positions: phxi_efg_slot
    const phx_real* rest[3]; // its data
    bool rest_areas;         // areas of particles are those of these positions
    const phx_real* widened; // radius over the usual one, less one, of all particles; NULL: 0
    phxi_sym3* metric;       // G: distances are sqrt(x_ij^T (G_i + G_j) x_ij / 2); NULL: I
    double* reach;           // how far G lets a radius go at most, over it
    phx_real* wide;          // of a search: radii times that and `cut`
    double cut;              // of a radius: neighbours beyond it weigh next to nothing and are left out
    double scale; // mean spacing, m; weights are in units of its cube, so that float never over- or underflows
    phxi_kernel kernel;
    double usual;     // radius over spacing on cubic lattices
    double support;   // radius over spacing, before any grows
    phx_real* radius; // h_i
    phx_real* enough; // first radius with more neighbours than dimensions, 0: none yet
    phxi_lists lists;
    double* balance;     // factors of the weights of pairs, in the order of `lists`; NULL: all 1
    phxi_sym3* moment;   // A_i
    double* stiffness;   // c_i
    int* rank;           // of A_i
    double (*spread)[3]; // of the neighbours along its eigenvectors, m^2
    phxi_mat3* basis;    // its eigenvectors, largest eigenvalue first
    phxi_r4* scratch;    // of stability.c
    phxi_search* search;
    bool gripped;     // drivers hold some of it
    phxi_clamp clamp; // what these leave, once pairs were found
} builder;

static inline phx_vec3 phxi_efg_rest(const builder* b, int i) {
    int k = b->begin + i;
    return (phx_vec3){b->rest[0][k], b->rest[1][k], b->rest[2][k]};
}

/// V_i, or the part of it outside of clamps.
static inline phx_real phxi_efg_volume(const builder* b, int i) {
    return phxi_clamp_volume(&b->clamp, b->particles->volume[b->begin + i], i);
}

static inline phxi_points phxi_efg_rest_points(const builder* b) {
    return (phxi_points){b->rest[0] + b->begin, b->rest[1] + b->begin, b->rest[2] + b->begin, b->count};
}

/// w_ij at the difference x, for the mean radius of the pair; `pair` of the lists, in row i.
double phxi_efg_weight(const builder* b, int i, int64_t pair, phx_vec3 x);
/// Masses and volumes of option volumes: density_sum.
phx_result phxi_efg_density_volumes(builder* b, double density);

/// Rows, blocks and the slot of the body, at the end of the solver's. State unchanged on failure.
phx_result phxi_efg_fill_rows(phxi_efg* efg, const builder* b, int body, const phxi_efg_params* params);
/// Puts the rows of `part`, a solver with one body, in the place of those of the slot; how many particles and
/// neighbours there are may have changed. Rows of other bodies move but do not change. State unchanged on failure.
phx_result phxi_efg_splice_rows(phxi_efg* efg, phxi_heap* heap, int slot, const phxi_efg* part);
/// Frees the arrays of rows.
void phxi_efg_destroy_rows(phxi_efg* efg, phxi_heap* heap);
