// SPDX-License-Identifier: MIT
// What a body is.
#pragma once

#include "contact/pairs.h"
#include "materials/material.h"

typedef struct phxi_cell_complex phxi_cell_complex; // geometry/cell_complex.h
typedef struct phxi_solid phxi_solid;               // geometry/solid.h

/// A contiguous range of particles with one material and one method.
typedef struct phxi_body {
    char name[64];
    int begin, count;
    int grown;                 // how many of its particles, the last ones, were added while it moved
    bool conforming;           // its outermost particles stand on its surface, inner ones on a lattice that fits
    phx_material_def material; // what it is computed with: that of its definition, or softer if `slowing` is above 1
    phxi_elastic elastic;
    double slowing; // how many times slower sound is in it than in the material of its definition (materials/sound.h)
    const char* chosen_for; // the property of its material that chose its method; NULL: its definition named it
    int solver;             // index in the world
    void* params;           // the method's parameter struct, checked and complete
    phxi_contact_traits contact;
    double modulus;     // Pa, stiffness used by contact: Young's modulus, or the value of its method
    double slack;       // contact with colliders may take substeps so many times longer than loose particles can
    double reach;       // how far its particles see others in space (phxi_step.near), in spacings; 0: they take no part
    double list_radius; // how far others are listed, in spacings; at most `reach`
    int thermal;        // phx_thermal
    int plane;          // phx_slice: its thickness is held, free, or what its particles make of it
    bool expands;       // its material does, and its method moves it by forces
    double made_at;     // degrees C: where its particles have their lengths at rest
    uint32_t generation;
    phxi_cell_complex* cells; // the body cut into a cell for each particle; NULL unless the method needs_cells
    uint64_t first_id; // of the particle of cell 0; ids of the other cells follow, whatever the order of the particles
    phxi_solid* solid; // its initial shape or mesh; NULL unless its method keeps a shell
    int mark[3];       // of a body with a solid: three particles far apart, from its first, that give its rotation
    bool kinematic;    // moved by drivers alone
    bool
        ignores_colliders; // the world adds no collider forces: it is kinematic, or its method handles colliders itself
} phxi_body;
