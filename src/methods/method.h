// SPDX-License-Identifier: MIT
// What a method is: a table of functions, its parameters and its particle fields. One solver instance of a method
// advances all bodies that chose it. A new method is one folder, one line in method_table.c and one docs page.
//
// Every method fills in the table below. Optional capabilities are separate tables, each in its own header that says
// who uses it; NULL means that the method does not have the capability (docs/guide/what-goes-together.md lists them). A
// method never calls contact, never reads the parameters of another method and never asks which other bodies exist.
#pragma once

#include "bodies/step.h"
#include "core/params.h"
#include "materials/laws.h"
#include "methods/boundary.h"
#include "methods/display.h"
#include "methods/fracture.h"
#include "methods/implicit.h"
#include "methods/sampling.h"
#include "methods/saving.h"
#include "methods/space.h"
#include "methods/touch.h"
#include "motion/integrator.h"

/// What a particle costs, as measured on blocks of some ten thousand: for estimates alone.
typedef struct phxi_cost {
    double bytes, seconds; // of a particle; of a particle and substep
    double step;           // s; of methods whose steps sound does not limit; 0: it does
} phxi_cost;

typedef struct phxi_method {
    const char* name;
    const char* summary;
    uint32_t state_version; // for checkpoints
    unsigned motion;        // which motion fields it needs (particles.h: PHXI_MOTION_EXPLICIT | ...)
    const phxi_field_def* fields;
    int field_count;
    const phx_param_table* params;
    uint32_t laws;      // PHXI_LAW_...: material laws that it supports; bodies whose material has others are refused
    bool rails;         // its particles can be held along some directions and free along others (particles.h: rail)
    int sheet_layers;   // layers of particles of the thinnest slice it can be: 1, of cells 2; 0: it cannot
                        // (world/plane.c)
    bool sheet_is_free; // and that slice has a free thickness, whatever is asked
    uint32_t made_for;  // of PHXI_LAW_ELASTIC ... PHXI_LAW_MELT: the default method for bodies of such materials
    size_t state_size;  // private state, zeroed before create
    phxi_cost cost;

    phx_result (*create)(void* state, phxi_step* step);
    void (*destroy)(void* state, phxi_step* step); // accepts half-created state
    /// The body is the last of step->own; rest positions, mass, volume, spacing and velocity of its particles are set.
    /// May reorder the particles of this body, as nothing else has seen them yet (cells refer to particle ids). On
    /// failure the state is as before.
    phx_result (*add_body)(void* state, phxi_step* step, int body);
    /// Largest stable substep of all own bodies, s (INFINITY: none), and why, "sound speed of body 'x'".
    double (*stable_dt)(void* state, phxi_step* step, char reason[160]);
    /// Advances all own bodies by dt. External forces are in fx fy fz (gravity is not), fixed[] particles keep the
    /// position and velocity that the drivers have set for the END of the substep. On return, positions and velocities
    /// belong to the same time. `trouble` names the first non-finite particle. Bodies with implicit steps are advanced
    /// by the world (`implicit`). NULL: all bodies take implicit steps.
    phx_result (*substep)(void* state, phxi_step* step, double dt, phxi_trouble* trouble);
    /// Called at the end of each substep: may change neighbourhoods, break bonds, add particles. NULL: nothing to do.
    phx_result (*adapt)(void* state, phxi_step* step, double dt);
    /// The ranges of bodies changed because particles were added or removed. NULL: nothing to do.
    void (*moved)(void* state, phxi_step* step);
    /// What drivers hold of a body of conforming samples has changed (particles.grip): it ends where the clamp begins
    /// from now on (methods/shared/clamp.h). NULL: it does not.
    phx_result (*grip)(void* state, phxi_step* step, int body);
    /// Adds elastic energy and the extremes of particles with selected[i - begin] != 0 (NULL: all) of one body, and the
    /// sum of internal forces to totals->force.
    void (*measure)(void* state, phxi_step* step, int body, const uint8_t* selected, phx_totals* totals);

    // optional capabilities; NULL: not supported
    const phxi_display_table* display;   // fields that can be shown
    const phxi_saving_table* saving;     // state besides saved fields
    const phxi_touch_table* touch;       // what contact should know
    const phxi_space_table* space;       // particles have neighbours in space
    const phxi_implicit_table* implicit; // bodies take implicit steps
    const phxi_fracture_table* fracture; // bodies break, can be cut
    const phxi_boundary_table* boundary; // fluids flow along its bodies
    const phxi_sampling_table* sampling; // bodies are sampled in a way of its own
} phxi_method;

extern const phxi_method* const phxi_methods[];        // NULL terminated, method_table.c
const phxi_method* phxi_method_find(const char* name); // NULL and an error with a did-you-mean
