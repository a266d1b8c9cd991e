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
    int grown; // how many of its particles, the last ones, were added while it moved
    phx_material_def material;
    phxi_elastic elastic;
    int solver;   // index in the world
    void* params; // the method's parameter struct, checked and complete
    phxi_contact_traits contact;
    double modulus;     // Pa, that contact takes for its stiffness: Young's, or what its method says
    double reach;       // how far its particles see others in space (phxi_step.near), in spacings; 0: they take no part
    double list_radius; // how far others are listed, in spacings; at most `reach`
    int thermal;        // phx_thermal
    uint32_t generation;
    phxi_cell_complex* cells; // the body cut into a cell for each particle; NULL unless the method needs_cells
    uint64_t first_id;        // of the particle that cell 0 is of; the others follow, in whatever order they now stand
    phxi_solid* solid;        // its shape or mesh as it was at the start; NULL unless its method makes a shell of it
    int mark[3];            // of a body with a solid: particles far apart, from its first, that tell how it has turned
    bool kinematic;         // moves by drivers alone: nothing else pushes it
    bool ignores_colliders; // the world makes no forces of theirs: it is kinematic, or its method meets them itself
} phxi_body;
