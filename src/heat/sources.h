// SPDX-License-Identifier: MIT
// Heat that comes from outside: power into a group, a group held at a temperature, a beam on what it lights, a ball of
// some temperature.
//
// A spot is a Gaussian beam, intensity 2 P / (pi R^2) exp(-2 r^2 / R^2) around its axis. It is taken up by particles of
// the free surface that face it and that no other of the group hides: in columns along the beam, one spacing wide, none
// is more than 1.5 spacings in front of them. Each takes what falls on its cell, a^2 times the cosine to the beam;
// where that adds up to more than P it is scaled to P. What falls beside the bodies is lost.
#pragma once

#include "core/arena.h"
#include "heat/network.h"

typedef enum phxi_heat_source_kind {
    PHXI_HEAT_POWER, // shared by mass
    PHXI_HEAT_HOLD,
    PHXI_HEAT_SPOT,
    PHXI_HEAT_BALL,
} phxi_heat_source_kind;

typedef struct phxi_heat_source {
    phxi_heat_source_kind kind;
    const int* particles; // that it may heat
    int count;
    const phx_real* targets; // degrees C of each of them: hold
    double power;            // W, mean over the time: power, spot
    double temperature;      // degrees C: ball
    double exchange;         // W/(m^2 K), mean over the time: ball
    double radius;           // m: spot, ball
    phx_vec3 center;         // m: spot: on its axis, ball
    phx_vec3 axis;           // unit vector: the way the beam goes
} phxi_heat_source;

/// What all sources together do to each place; NULL: nothing.
typedef struct phxi_heat_load {
    double* power;         // W
    phx_real* exchange;    // W/K with
    phx_real* temperature; // degrees C
    phx_real* hold;        // degrees C; not finite: free
} phxi_heat_load;

/// From the arena. Needs network->face.
phx_result phxi_heat_load_make(phxi_heat_load* load, phxi_arena* arena, const phxi_particles* particles,
                               const phxi_heat_network* network, const phxi_heat_source* sources, int count);
