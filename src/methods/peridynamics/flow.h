// SPDX-License-Identifier: MIT
// Bodies that yield: every bond owns its rest vector X_ij, in the frame of i, and it flows (docs/theory/peridynamics.md
// (16) to (20)).
//
// What acts is computed in double from positions, without a frame of the body: what is at rest has no longer anything
// to do with where particles were. slot->rest holds X_ij and is not that of the mirrored bond with the other sign;
// slot->far holds what bonds pull, from their own side:
//
//   far[k]   V_i w_ij / r^2 {T, secant stiffness},  T = c_dev kept (Y - s R X) + c_iso mean r Y/|Y|
//
// so that f_i = sum far[k] - far[mirror[k]] keeps momentum to the last bit, and link[k] = far[k].w + far[mirror[k]].w.
#pragma once

#include "materials/yield.h"
#include "methods/peridynamics/peri_internal.h"
#include "neighbors/neighbors.h"

/// A particle of a body that yields as it is now.
typedef struct phxi_peri_flowing {
    phxi_mat3 gradient; // sum w Y X^T / r^2
    phxi_mat3 rotation; // R
    double scale;       // s
    double stretch; // e, less what warmth makes of it: s - 1, which does not count disorder of the bonds as swelling;
                    // of grains sum w (|Y|/r - 1)
    double spread;  // sum w |Y - s R X|^2 / r^2
    phxi_yielded borne;
} phxi_peri_flowing;

struct phxi_peri_flow {
    phxi_yield law;
    phxi_peri_flowing* now; // by particle
    phx_vec3* where;        // of the particles as they are
    double dt;              // s, of the step at hand; 0: nothing flows with time
    double strayed;         // largest plastic strain since the lists were made, summed over steps
    bool steady;            // lists are never rebuilt: the body can break
    // for rebuilding lists
    phxi_search* search;
    phxi_lists found;
    phx_real* radii;
    int *next_start, *next_other;
    phxi_r4* next_rest;
    int next_capacity;
};

/// Saved fields of a body that yields.
typedef struct phxi_peri_memory {
    phx_real *amount, *opening;
    phx_real* strain[6]; // (P P^T - I)/2 of all plastic stretches P so far, in the frame of X
} phxi_peri_memory;
phxi_peri_memory phxi_peri_remember(phxi_particles* particles);

// flow.c
phx_result phxi_peri_make_flow(phxi_step* step, phxi_peri_slot* slot);
/// Forces at positions x; links and diagonal of the scalar matrix are made for them.
void phxi_peri_flow_forces(phxi_step* step, const phxi_peri_slot* slot, const phx_vec3* x, phx_vec3* force);
/// The local step where particles are.
void phxi_peri_flow_local(phxi_step* step, const phxi_peri_slot* slot);
/// That of one particle, in the place where the last one of all was made: its own bonds at rest have changed.
void phxi_peri_flow_again(phxi_step* step, const phxi_peri_slot* slot, int i);
/// After it, of particle i: elastic energy, J, and eps_d : eps_d; volume over that at the start.
double phxi_peri_flow_energy(const phxi_peri_slot* slot, int i, double* shear);
double phxi_peri_flow_det(const phxi_step* step, const phxi_peri_slot* slot, int i);
/// Norm of the plastic strain.
double phxi_peri_flow_strain(const phxi_step* step, const phxi_peri_slot* slot, int i);

// update.c
/// What has yielded becomes rest: after a step of dt.
void phxi_peri_flow_update(phxi_step* step, phxi_peri_slot* slot, double dt);

// lists.c
/// Finds the bonds of a body that has flowed far again.
phx_result phxi_peri_flow_lists(phxi_step* step, phxi_peri_slot* slot);
void phxi_peri_release_lists(phxi_heap* heap, struct phxi_peri_flow* flow);
