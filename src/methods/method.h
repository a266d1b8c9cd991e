// SPDX-License-Identifier: MIT
// What a method is: a table of functions, its parameters and its particle fields. One solver instance of a method
// advances all bodies that chose it. A new method is one folder, one line in method_table.c and one docs page.
//
// The table below is what every method has. What only some can do stands in tables of its own, each in a header that
// says who asks: a NULL there is a capability that the method does not have, and docs/guide/what-goes-together.md says
// so. A method never calls contact, never looks at the parameters of another and never asks who else is there.
#pragma once

#include "bodies/step.h"
#include "core/params.h"
#include "methods/boundary.h"
#include "methods/display.h"
#include "methods/fracture.h"
#include "methods/implicit.h"
#include "methods/sampling.h"
#include "methods/saving.h"
#include "methods/space.h"
#include "methods/touch.h"
#include "motion/integrator.h"

typedef struct phxi_method {
    const char* name;
    const char* summary;
    uint32_t state_version; // for checkpoints
    unsigned motion;        // which motion fields it needs (particles.h: PHXI_MOTION_EXPLICIT | ...)
    const phxi_field_def* fields;
    int field_count;
    const phx_param_table* params;
    size_t state_size; // private state, zeroed before create

    phx_result (*create)(void* state, phxi_step* step);
    void (*destroy)(void* state, phxi_step* step); // accepts half-created state
    /// The body (last of step->own) has its particles at rest in place, mass, volume, spacing, velocity set. May
    /// reorder the particles of this body before anything else has seen them (cells are told by the particles' ids). On
    /// failure the state is as before.
    phx_result (*add_body)(void* state, phxi_step* step, int body);
    /// Largest stable substep of all own bodies, s (INFINITY: none), and why, "sound speed of body 'x'".
    double (*stable_dt)(void* state, phxi_step* step, char reason[160]);
    /// Advances all own bodies by dt. External forces are in fx fy fz (gravity is not), fixed[] particles keep the
    /// position and velocity that the drivers have set for the END of the substep. Positions and velocities that other
    /// parts see are of the same time. `trouble` names the first non-finite particle. Bodies with implicit steps are
    /// the world's to advance (`implicit`); NULL: all are.
    phx_result (*substep)(void* state, phxi_step* step, double dt, phxi_trouble* trouble);
    /// After each substep, when all else is done: neighbourhoods may change, bonds break, particles be added. NULL:
    /// nothing changes.
    phx_result (*adapt)(void* state, phxi_step* step, double dt);
    /// Bodies begin elsewhere, or have another count: particles were added or taken away again. NULL: does not matter.
    void (*moved)(void* state, phxi_step* step);
    /// Adds elastic energy and the extremes of particles with selected[i - begin] != 0 (NULL: all) of one body, and the
    /// sum of internal forces to totals->force.
    void (*measure)(void* state, phxi_step* step, int body, const uint8_t* selected, phx_totals* totals);

    // what it can do besides; NULL: it cannot
    const phxi_display_table* display;   // fields that can be shown
    const phxi_saving_table* saving;     // state besides saved fields
    const phxi_touch_table* touch;       // what contact should know
    const phxi_space_table* space;       // particles see others in space
    const phxi_implicit_table* implicit; // bodies take implicit steps
    const phxi_fracture_table* fracture; // bodies break, can be cut
    const phxi_boundary_table* boundary; // fluids flow along its bodies
    const phxi_sampling_table* sampling; // bodies are filled otherwise
} phxi_method;

extern const phxi_method* const phxi_methods[];        // NULL terminated, method_table.c
const phxi_method* phxi_method_find(const char* name); // NULL and an error with a did-you-mean
