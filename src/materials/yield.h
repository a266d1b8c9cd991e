// SPDX-License-Identifier: MIT
// Yield in terms of two numbers, the mean strain e and the norm g of the deviator, for methods that have no tensor of
// strain but sums over bonds (docs/theory/materials.md (28)). Both laws of the library, with the meaning that their
// keys have elsewhere: plastic.h (`yield`: metals, clay, dough) and drucker_prager.h (`friction_angle`, `cohesion`:
// grains, wet sand, slime); the latter if a material has both.
//
// What comes back is what of the trial state the material bears: the deviator shrinks to `kept` of itself, the mean
// strain becomes `mean`.
#pragma once

#include "materials/drucker_prager.h"
#include "materials/plastic.h"

typedef struct phxi_yield {
    bool grains; // by `cone`, else by `flow`
    phxi_plastic flow;
    phxi_drucker_prager cone;
} phxi_yield;

/// What a particle remembers.
typedef struct phxi_yield_past {
    double amount;  // accumulated plastic strain
    double opening; // v_c of grains
    bool full;      // it has taken all the plastic strain that it may, and is strained further that way
} phxi_yield_past;

typedef struct phxi_yielded {
    double kept, mean;    // of the deviator; e
    double growth;        // of both moduli (`stiffening`)
    double opening;       // v_c
    bool flows;           // something does not come back
    double root_j2, most; // of the trial state and what it may be, Pa; of grains alone
} phxi_yielded;

bool phxi_yield_is(const phx_material_def* def);
phxi_yield phxi_yield_from(const phx_material_def* def);
/// Over dt. `stiff` is the factor of moduli and cohesion by temperature (softening.h), 1 without.
phxi_yielded phxi_yield_return(const phxi_yield* law, double stiff, double dt, double mean, double deviator,
                               const phxi_yield_past* past);
