// SPDX-License-Identifier: MIT
// The implicit step of viscosity: (M + dt A(eta)) v = M v* for the fluid among the places of phxi_near, by conjugate
// gradients with inverted 3x3 blocks of the diagonal, matrix-free over pair coefficients that are made once a solve.
//
//   angular   (A v)_i = sum_j k_ij ((v_i - v_j) . x_ij) x_ij    k_ij = -10 V_i V_j e_ij (w'/r) / (r^2 + 0.01 h^2)
//   morris    (A v)_i = sum_j k_ij (v_i - v_j)                  k_ij = -2 V_i V_j e_ij (w'/r) r^2 / (r^2 + 0.01 h^2)
//
// w is the quintic spline with support (reach_i + reach_j)/2 = 3 h, or the cubic one with 2 h, e_ij = 2 eta_i eta_j /
// (eta_i + eta_j), and eta_i against a wall (docs/theory/fluids.md (7)). Both are symmetric and positive, so momentum
// is conserved and energy falls whatever dt is; `angular` conserves angular momentum too, and a body that turns rigidly
// feels nothing.
//
// A wall has a known velocity u. With a normal its velocity is mirrored, so that the fluid's is u on the surface:
// i sees u - b (v_i - u) with b = phxi_wall_mirror. The pair then adds (1 + b) k to the diagonal alone.
#pragma once

#include "neighbors/near.h"
#include "boundary/mirror.h"

typedef enum phxi_viscous_kind {
    PHXI_VISCOUS_OTHER, // takes no part
    PHXI_VISCOUS_FLUID,
    PHXI_VISCOUS_WALL,
} phxi_viscous_kind;

typedef enum phxi_viscous_form { PHXI_VISCOUS_ANGULAR, PHXI_VISCOUS_MORRIS } phxi_viscous_form;

/// All arrays are by place and only read. A fluid place without mass takes no part.
typedef struct phxi_viscous_input {
    const phxi_near* near;
    phxi_viscous_form form;
    bool cubic;                // kernel; else quintic
    double dt;                 // s
    const uint8_t* kind;       // phxi_viscous_kind
    const phx_real* mass;      // kg, fluid
    const phx_real* volume;    // m^3, fluid and walls
    const phx_real* viscosity; // Pa s, fluid, 0 or more
    const phx_real* target[3]; // m/s: v* of the fluid, u of walls
    const phx_real* guess[3];  // m/s, fluid: where to start, the velocity of the step before
    const phx_real* normal[3]; // walls: unit vector into the fluid; all NULL: no mirrors. Zero: no mirror here
    const phx_real* depth;     // m, walls: how far below the surface, 0 or more; NULL as the normals
    double tolerance;          // of the residual, relative to that of v*, and 1000 times it to its impulse; 0: 1e-4
    int iterations;            // at most; 0: 500
} phxi_viscous_input;

typedef struct phxi_viscous_report {
    int unknowns;    // fluid places
    int iterations;  // taken; 0: v* was good enough as it is
    double residual; // reached, relative as the tolerance
    bool converged;  // false: after all iterations, or because of numbers beyond bounds (then v* is the answer)
} phxi_viscous_report;

/// Memory of a solver, kept from solve to solve: one as large as the last allocates nothing.
typedef struct phxi_viscous phxi_viscous;

phx_result phxi_viscous_create(phxi_heap* heap, phxi_viscous** viscous);
void phxi_viscous_destroy(phxi_viscous* viscous); // NULL is fine

/// Writes the velocity of fluid places, which may be the arrays of `target` or `guess`. Fails for lack of memory only;
/// what is written is finite if the input is. Same bits at any thread count. Without walls the sums of momentum (and of
/// angular momentum: form angular, no periods) are those of v* to rounding, however coarse the tolerance.
phx_result phxi_viscous_solve(phxi_viscous* viscous, phxi_pool* pool, const phxi_viscous_input* input,
                              phx_real* const velocity[3], phxi_viscous_report* report);
