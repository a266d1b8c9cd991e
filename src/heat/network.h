// SPDX-License-Identifier: MIT
// Conduction as a network: what flows between two particles that are near each other is G_ij (T_j - T_i), W, with
//
//   G_ij = -V_i V_j 4 k_i k_j / (k_i + k_j)  (w'/r) r^2 / (r^2 + 0.01 h^2)  (g_i + g_j) / 2
//
// w the quintic spline with support (reach_i + reach_j)/2 = 3 h (docs/theory/melting.md (2), Cleary and Monaghan 1999
// for the mean of conductivities). G_ij and G_ji have the same bits, so what one gives the other takes.
//
// g makes up for what the sum lacks: M_i = -sum_j V_j (w'/r) r^2 / (r^2 + 0.01 h^2) x x^T is the identity in the bulk
// of a lattice but 0.78 along a free surface and 0.61 along an edge, where a thin bar would conduct a fifth too little.
// g_i is 1 over the mean of M_i along the surface, (tr M_i - n.M_i n)/2 with the direction n of n_i below, which is
// any one inside; and at the free surface, where edges have one direction only, over the largest eigenvalue of M_i.
// With the mean of both ends the conductance of a bar is the sum of g_i M_i over its particles: exact along it.
//
// Fixed temperatures are seen through the mirror of neighbors/wall_mirror.h where they have a normal, else with no
// resistance of their own, as if the surface were halfway. They come out as one conductance and one temperature a
// particle. Insulated ones have infinite resistance: nothing flows.
//
// The free surface: n_i = sum_j V_j grad w over all neighbours, C_i = sum_j V_j w with itself, a the side of V_i. A
// particle's share of the surface is f a^2 |n_i| a / sqrt(C_i), times (|n_i| a - 0.15) / 0.1 and (1 - C_i) / 0.05, each
// from 0 to 1, which leave out disorder inside; f makes a face of a lattice right. (The text's a^3 |n_i| is half of the
// surface: half of the layer that n is spread over lies outside. The root makes up for edges, and is the power of C
// with which faces of any direction agree.)
#pragma once

#include "math/simd.h"
#include "neighbors/near.h"

typedef enum phxi_heat_fixing { PHXI_HEAT_FREE, PHXI_HEAT_FIXED, PHXI_HEAT_MIRROR } phxi_heat_fixing;

/// Particles as nodes of the network, by place; near->particle says who they are.
typedef struct phxi_heat_network {
    phxi_heap* heap;
    const phxi_near* near;
    int count, capacity;   // places
    int64_t pair_capacity; // conductances
    int64_t* start;        // by place: first conductance of its row, a multiple of 8; rows as in near->lists
    phx_real* conductance; // W/K; 0 against fixed ones, and behind the end of a row
    phxi_r4* at;           // m: x, y, z, reach
    phxi_r4* trait;        // volume, m^3; resistivity, m K/W; g; phxi_heat_fixing
    phx_real* gain;        // g while it is made: others read whole traits at that time
    phxi_r4* mirror;       // normal, depth
    phxi_r4* face;         // outward normal, not of unit length; its free surface by f, m^2, 0 inside
    double* sum;           // W/K: sum of the row
    phx_real* temperature; // degrees C, of this moment
    phx_real* fixed;       // W/K against fixed temperatures, and their mean
    phx_real* fixed_temperature;
    bool fixing; // some are fixed
    bool built;  // as far as whoever uses it says
} phxi_heat_network;

void phxi_heat_network_init(phxi_heat_network* network, phxi_heap* heap);
void phxi_heat_network_destroy(phxi_heat_network* network);
/// Room for what is near now. Allocates nothing if there is no more of it than before.
phx_result phxi_heat_network_reserve(phxi_heat_network* network, const phxi_near* near);
/// Everything from `at`, `trait` (but g), `mirror` and `temperature`.
void phxi_heat_network_build(phxi_heat_network* network, phxi_pool* pool);
/// What flows into place i, W: sum_j G_ij (T_j - T_i), summed in double. Blocks of places.
void phxi_heat_network_flow(const phxi_heat_network* network, int begin, int end, double* watt);
/// Factor of the surface of a lattice's face for particles that see `reach` spacings far.
double phxi_heat_face_factor(double reach);
