// SPDX-License-Identifier: MIT
// What contact asks of a method (contact/pairs.h). Whatever has no table touches as loose particles of its material.
// All answers are of the state as it is.
#pragma once

#include "bodies/step.h"

/// Families: bodies of one family leave each other to their methods, and do not touch.
enum { PHXI_FAMILY_NONE, PHXI_FAMILY_FLUID, PHXI_FAMILY_GRID, PHXI_FAMILY_GRAINS };

typedef struct phxi_touch_table {
    int family;
    /// Bodies move by drivers alone: all their particles are fixed[], those without a driver are held at rest.
    bool kinematic;
    /// The method finds what colliders do to its bodies itself: the world makes no forces of theirs.
    bool meets_colliders;
    /// Who is bonded to whom in a body. NULL: all particles of a body are bonded to each other.
    void (*bonds)(const void* state, const phxi_step* step, int body, phxi_bond_view* view);
    /// Young's modulus of a body for contact, Pa: asked once it is added, and after every stable_dt. NULL: that of its
    /// material.
    double (*modulus)(const void* state, const phxi_step* step, int body);
    /// Bodies move as one: describes one, all but `rate` and `spin_rate`, as drivers hold it now. NULL: particles move
    /// on their own.
    void (*rigid)(const void* state, const phxi_step* step, int body, phxi_contact_rigid* rigid);
    /// The least mass that a single contact moves if several around it move the same, kg: for the size of substeps.
    /// NULL: that of a particle.
    double (*contact_mass)(const void* state, const phxi_step* step, int body);
} phxi_touch_table;
