// SPDX-License-Identifier: MIT
// For methods whose bodies take implicit steps. The world owns the step: it asks every method for the
// operators of its implicit bodies, takes one step of all of them with the contacts among them (implicit/implicit.h),
// and tells the methods when it is done.
#pragma once

#include "bodies/step.h"
#include "implicit/implicit.h"

typedef struct phxi_implicit_table {
    /// The step of a body, s, and its reason, "bdf2 steps of body 'x'". 0: the body takes explicit substeps; the world
    /// then computes its contact forces, and stable_dt covers it.
    double (*dt)(void* state, phxi_step* step, int body, char reason[160]);
    /// Adds the operators of all own bodies with implicit steps; they stay valid until `finish`.
    phx_result (*offer)(void* state, phxi_step* step, double dt, phxi_implicit_list* list);
    /// The step is done; positions and velocities are those of its end. NULL: nothing to do.
    phx_result (*finish)(void* state, phxi_step* step, double dt, phxi_trouble* trouble);
    /// Whether an equilibrium of this body can be found: its operator has forces, an energy and a tangent, whatever it
    /// is stepped with. If not, `why` ends "body 'x' ... ". NULL: of none.
    bool (*rests)(void* state, const phxi_step* step, int body, char why[160]);
} phxi_implicit_table;
