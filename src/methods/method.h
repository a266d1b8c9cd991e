// SPDX-License-Identifier: MIT
// What a method is: a table of functions, its parameters and its particle fields. One solver instance of a method
// advances all bodies that chose it. A new method is one folder, one line in method_table.c and one docs page.
#pragma once

#include "bodies/step.h"
#include "core/params.h"
#include "materials/laws.h"
#include "methods/implicit.h"
#include "motion/integrator.h"

/// What is broken in a body: the cracks that its surface shows. Particles are numbered from the first of the body.
typedef struct phxi_cracks {
    int fragment_count;
    const int* fragment;                        // by particle of the body
    int cut_count;                              // broken bonds:
    const int (*cut)[2];                        // pairs of particles, i < j, sorted
    const phx_vec3 *plane_point, *plane_normal; // of the facet that cut the pair, reference frame; normal 0: cut by
                                                // stretch
} phxi_cracks;

/// A blade in space at one moment: a rectangle that moves in its own plane. Unit vectors at right angles.
typedef struct phxi_blade {
    phx_vec3 edge;                   // m, middle of the leading edge
    phx_vec3 along, forward, normal; // along the edge; the way it moves; across
    double half_width, depth;        // m, INFINITY: no end
} phxi_blade;

/// Where packed bytes go: into memory, a file, a hash.
typedef struct phxi_sink {
    void (*put)(struct phxi_sink* sink, const void* data, size_t size);
} phxi_sink;

/// Fields of a method that can be shown (computed on demand): "von_mises", "det_f", ...
typedef struct phxi_derived_field {
    const char* name;
    const char* unit;
    const char* help;
    int components;
} phxi_derived_field;

typedef struct phxi_method {
    const char* name;
    const char* summary;
    uint32_t state_version; // for checkpoints
    unsigned motion;        // which motion fields it needs (particles.h: PHXI_MOTION_EXPLICIT | ...)
    const phxi_field_def* fields;
    int field_count;
    const phx_param_table* params;
    uint32_t laws;     // PHXI_LAW_...: of a material that it obeys; a body whose material has others is refused
    uint32_t made_for; // of PHXI_LAW_ELASTIC ... PHXI_LAW_MELT: bodies of such materials take it if they name none
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
    /// the world's (`implicit`); NULL: all are.
    phx_result (*substep)(void* state, phxi_step* step, double dt, phxi_trouble* trouble);
    /// Adds elastic energy and the extremes of particles with selected[i - begin] != 0 (NULL: all) of one body;
    /// internal force sum into totals->force.
    void (*measure)(void* state, phxi_step* step, int body, const uint8_t* selected, phx_totals* totals);
    /// Values of derived[field] for one body, components a particle.
    const phxi_derived_field* derived;
    int derived_count;
    void (*derive)(void* state, phxi_step* step, int body, int field, phx_real* values);
    /// Velocities were changed from outside (phx_body_set_velocity), or all fields were restored from a checkpoint:
    /// caches are to be renewed. Everything that matters must be in saved fields or in `words` below.
    phx_result (*restored)(void* state, phxi_step* step);
    /// Small private numbers that belong to the state (last dt, counters): copied to and from checkpoints.
    int word_count;
    double* (*words)(void* state);

    // what follows may be NULL

    const phxi_implicit_table* implicit; // bodies that take implicit steps

    /// After each substep, when all else is done: neighbourhoods may change, bonds break, particles be added.
    phx_result (*adapt)(void* state, phxi_step* step, double dt);
    /// Bodies begin elsewhere, or have another count: particles were added or taken away again.
    void (*moved)(void* state, phxi_step* step);
    /// State of varying size, which no field or word can hold (bonds, facets). What unpack is given may come from a
    /// damaged file: on an error the state is as before. `restored` is called afterwards.
    void (*pack)(const void* state, phxi_sink* sink);
    phx_result (*unpack)(void* state, phxi_step* step, const uint8_t* bytes, size_t size);
    /// Whether a body of this material and with these parameters can break, so that its particles are to have exact
    /// cells and their volumes (phxi_body.cells) before add_body. NULL: no.
    bool (*needs_cells)(const phxi_body* body);
    /// What is broken in a body; NULL: nothing. Of the method, until its next substep.
    const phxi_cracks* (*cracks)(const void* state, phxi_step* step, int body);

    /// Parts what a blade crosses where it is now; blade NULL: makes the body ready for one. After a substep, before
    /// `adapt`. NULL: cannot be cut.
    phx_result (*cut)(void* state, phxi_step* step, int body, const phxi_blade* blade);

    /// How far particles of a body see others in space, in spacings: they take part in phxi_step.near, at the begin of
    /// every substep. NULL: not at all.
    double (*reach)(const phxi_body* body);
    /// How far they ask others to be listed, in spacings: at most `reach`. NULL: as far.
    double (*sight)(const phxi_body* body);
    /// Whether particles of a body have no use for others of such bodies, which phxi_step.near then leaves out; unless
    /// they conduct heat. NULL: no.
    bool (*apart)(const phxi_body* body);
    /// What contact takes for Young's modulus of a body, Pa: asked once it is added, and after every stable_dt. NULL:
    /// that of its material.
    double (*modulus)(const void* state, const phxi_step* step, int body);
    /// How much of a body is kept, in spacings below its surface: deeper particles are left out. Its shape is kept
    /// (phxi_body.solid), or the one of the text that is written to `surface`. NULL: all of it, without a shape.
    double (*shell)(const phxi_body* body, const char** surface);
    /// Particles stand at the corners of cells where the definition says uniform.
    bool corners;
    /// Bodies move by drivers alone: all their particles are fixed[], those without a driver with velocity zero.
    bool still;
    /// Finds what colliders do to its bodies itself: the world makes no forces of theirs.
    bool meets_colliders;
    /// Not 0: bodies whose methods have the same one leave each other to their methods, and do not touch.
    int family;

    // what contact between particles asks (contact/pairs.h); all answers are of the state as it is

    /// How far apart contact keeps particles i < j of one body, m, at most half the sum of their spacings; 0: they are
    /// bonded and do not touch. NULL: all particles of a body are bonded.
    double (*contact_distance)(const void* state, const phxi_step* step, int i, int j);
    /// Another number whenever an answer of contact_distance for this body has changed (a bond broke). 0: nothing is
    /// broken, and contact within the body is looked for only if it wants self-contact. NULL: always 0.
    uint32_t (*bond_version)(const void* state, const phxi_step* step, int body);
    /// Writes the particles that i is bonded to, each of which is bonded to i, and returns how many (at most
    /// PHXI_MAX_BONDS). They take the couples of friction, which turn without pushing. NULL: none.
    int (*bonds)(const void* state, const phxi_step* step, int i, int neighbors[PHXI_MAX_BONDS]);
    /// Bodies move as one: describes one, all but `rate` and `spin_rate`, as drivers hold it now. NULL: particles move
    /// on their own.
    void (*rigid)(const void* state, const phxi_step* step, int body, phxi_contact_rigid* rigid);
    /// What a contact that is alone moves at least, kg, if several around it move the same: for the size of substeps.
    /// NULL: a particle.
    double (*contact_mass)(const void* state, const phxi_step* step, int body);
} phxi_method;

/// Families: see phxi_method.family.
enum { PHXI_FAMILY_FLUID = 1, PHXI_FAMILY_GRID, PHXI_FAMILY_GRAINS };

extern const phxi_method* const phxi_methods[];        // NULL terminated, method_table.c
const phxi_method* phxi_method_find(const char* name); // NULL and an error with a did-you-mean
