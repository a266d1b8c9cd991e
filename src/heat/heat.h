// SPDX-License-Identifier: MIT
// Heat of all particles, whatever their method: conduction (network.h), exchange with the air, sources, melting
// (enthalpy.h). Explicit steps, as many as stability wants, over conductances that are made once for all of them.
//
// In a step of tau no particle takes more than a third of the heat that would bring it to its neighbours' temperature:
// tau <= 1 / (3 max_i (sum_j G_ij + ...) / (m_i c_i)), about 0.1 a^2 / diffusivity. So no new extremes appear.
//
// What flows between two particles is one product for both, summed in double; enthalpies are kept to 48 bits or more:
// insulated heat is conserved to rounding of double, in builds of either precision.
#pragma once

#include "heat/enthalpy.h"
#include "heat/network.h"
#include "heat/sources.h"

/// A body, for heat.
typedef struct phxi_heat_body {
    int thermal; // phx_thermal
    phxi_heat_law law;
    double conductivity; // W/(m K)
    double exchange;     // W/(m^2 K)
    double face;         // factor of its free surface, phxi_heat_face_factor
} phxi_heat_body;

typedef struct phxi_heat_input {
    phxi_pool* pool;
    phxi_arena* arena;
    phxi_particles* particles;
    const phxi_heat_body* bodies; // by body of the particles
    const phxi_near* near;        // all that take part
    bool same;                    // `near` is that of the last advance
    const phx_real* expansion;    // by particle: volume now over volume at rest; NULL: 1
    double air_temperature;       // degrees C
    double duration;              // s
    const phxi_heat_source* sources;
    int source_count;
} phxi_heat_input;

/// What came into the particles, J.
typedef struct phxi_heat_gain {
    double driven, air, fixed; // from sources, from the air, from bodies of fixed temperature
} phxi_heat_gain;

typedef struct phxi_heat {
    phxi_heat_network network;
} phxi_heat;

void phxi_heat_init(phxi_heat* heat, phxi_heap* heap);
void phxi_heat_destroy(phxi_heat* heat);
/// Enthalpies and temperatures after `duration`, where particles are now. Adds to `gain`.
phx_result phxi_heat_advance(phxi_heat* heat, const phxi_heat_input* input, phxi_heat_gain* gain);
/// About the longest explicit step of a body whose particles are `spacing` apart, s; INFINITY if nothing flows in it.
double phxi_heat_body_dt(const phxi_heat_body* body, double density, double spacing);
