// SPDX-License-Identifier: MIT
// Twist of rods, docs/theory/peridynamics.md (24) to (29): a material frame on every segment between particles that
// follow each other (Bergou, Wardetzky, Robinson, Audoly, Grinspun, "Discrete Elastic Rods", 2008; "Discrete Viscous
// Threads", 2010).
//
//   chain.c         who follows whom, and rest values
//   twist.c         frames at trial positions, forces, energy; drivers that hold frames
//   twist_matrix.c  the part in the matrix of the global step
//   tridiagonal.c   systems along a chain
//
// The frame (t, d, t x d) of a segment is its tangent and a director d, which moves along without turning about t but
// for an angle theta. Rods are thin, so that turning them about themselves has no inertia: theta is where the energy is
// least, found again whenever positions are tried, but for segments both ends of which drivers hold: these turn as the
// drivers do. A chain is a unit of parallel work.
#pragma once

#include "methods/peridynamics/thin.h"

/// A particle of a rod: the segment that begins there, and the node between that and the one before.
typedef struct phxi_peri_segment {
    int next, prev; // particles of the chain as it was made; -1: it ends
    bool whole;     // the bond with the next one is there
    // at rest
    phx_vec3 rest;     // director
    phx_vec3 curve[2]; // q_0 of the two particles, in the axes of the frame, 1/m
    double stiff;      // G J / l of the node, N m; 0: it does not twist
    double bent;       // E I / l of the node, N m
    double twist_rest; // m_0 of the node
    double share[2];   // of the bending energy of the two particles that is by this frame: 1/2, at ends 1
    // of this step
    int hold[2];                  // drivers that hold both its particles; -1: they do not
    phx_vec3 from, from_director; // at its begin; of what is held where drivers have put it, not yet turned
    double spun;                  // theta of what is held
    // at trial positions
    phx_vec3 tangent, director;
    double length;      // m
    phx_vec3 target[2]; // q_0 as the frame is turned
    phx_vec3 binormal;  // kb of the node: 2 tan(angle / 2) about its axis
    double twist;       // m - m_0 of the node
    double couple;      // dE/dm of the node, N m
    double turning;     // dE/dtheta, N m: what a driver holds against
    phx_vec3 pull;      // dE/de, N; also of a product
} phxi_peri_segment;

typedef struct phxi_peri_chain {
    int begin, end; // of `order`
    bool closed;    // the last particle is followed by the first
    bool curved;    // at rest
    bool idle;      // in this step nothing can twist it: it is straight at rest and one end of it is free
} phxi_peri_chain;

/// A system along a chain: symmetric, `diagonal` and `off` (with the one before), and a spring between last and first.
typedef struct phxi_tridiagonal {
    double *diagonal, *off; // become pivots and multipliers
    double* loop;           // its inverse times (1, 0, ..., 0, -1), where there is a spring
    double spring;
    int count;
} phxi_tridiagonal;
/// Factors it in place; positive definite without the spring.
void phxi_tridiagonal_factor(phxi_tridiagonal* system);
/// `values`: from right side to solution.
void phxi_tridiagonal_solve(const phxi_tridiagonal* system, double* values);

struct phxi_peri_twist {
    phxi_peri_segment* segments; // by particle
    int* order;                  // particles chain by chain
    phxi_peri_chain* chains;
    int chain_count;
    bool idle;   // all chains are
    int* holder; // by particle: the driver that holds it; -1: none
    // along `order`
    double* turned;   // theta
    double* step;     // right sides and solutions
    double* coupling; // two each: the energy of bending is -(X cos theta + Y sin theta)
    double *diagonal, *off, *loop;
    phx_vec3 *rates, *moments; // of a product: how tangents turn; couples that turn frames
    phxi_sym3* frames;         // of products: stiffness of frames against turning
    phxi_tridiagonal* systems; // by chain, of products
};

// chain.c
phx_result phxi_peri_make_twist(phxi_step* step, phxi_peri_slot* slot);
void phxi_peri_release_twist(phxi_heap* heap, struct phxi_peri_twist* twist);
/// What follows from bonds that are left and from stiffness; bending is in place.
void phxi_peri_renew_twist(phxi_step* step, phxi_peri_slot* slot);
/// Frames at rest, turned to where particles are, become the state.
void phxi_peri_start_twist(phxi_step* step, const phxi_peri_slot* slot);

// twist.c
/// Before forces: frames as the state has them, and what drivers hold.
void phxi_peri_begin_twist(phxi_step* step, const phxi_peri_slot* slot);
/// After a step: frames where particles are become the state; drivers get the couples that they hold against.
void phxi_peri_end_twist(phxi_step* step, const phxi_peri_slot* slot);
/// Frames and what pulls at segments, at positions x.
void phxi_peri_twist_local(phxi_step* step, const phxi_peri_slot* slot, const phx_vec3* x);
/// The same with frames as the state has them, for measuring.
void phxi_peri_twist_show(phxi_step* step, const phxi_peri_slot* slot, const phx_vec3* x);
/// After either: q_0 of particle i as frames are turned; energy besides a C |q - that|^2 / 2, J; force, N.
bool phxi_peri_twist_target(const phxi_peri_slot* slot, int i, phx_vec3* target);
double phxi_peri_twist_energy(const phxi_peri_slot* slot, int i);
phx_vec3 phxi_peri_twist_force(const phxi_peri_slot* slot, int i);
/// The system for turns of the segments of a chain; twist->diagonal holds what is besides the stiffness of nodes.
void phxi_peri_twist_system(const struct phxi_peri_twist* twist, const phxi_peri_chain* chain,
                            phxi_tridiagonal* system);
/// Turns `a` along with a direction that turns from unit vector `from` to `to`, the shortest way.
phx_vec3 phxi_peri_transport(phx_vec3 from, phx_vec3 to, phx_vec3 a);
/// The angle from director a of the frame along t to b of that along u, after a is turned along.
double phxi_peri_twist_between(phx_vec3 t, phx_vec3 a, phx_vec3 u, phx_vec3 b);

// twist_matrix.c
/// Prepares products at the positions of the last phxi_peri_twist_local.
void phxi_peri_twist_prepare(phxi_step* step, const phxi_peri_slot* slot);
/// Of slot->u: corrects a C q in thin->curved and makes pulls of segments.
void phxi_peri_twist_product(phxi_step* step, const phxi_peri_slot* slot);
