// SPDX-License-Identifier: MIT
// What contact asks of a method (contact/pairs.h). Bodies of methods without this table touch as loose particles of
// their material. All answers refer to the current state.
#pragma once

#include "bodies/step.h"

/// Bodies of one family have no contact forces between them; their methods handle the interaction.
enum { PHXI_FAMILY_NONE, PHXI_FAMILY_FLUID, PHXI_FAMILY_GRID, PHXI_FAMILY_GRAINS };

typedef struct phxi_touch_table {
    int family;
    /// Bodies are moved by drivers alone: all their particles are fixed[]; those without a driver are held at rest.
    bool kinematic;
    /// Whether a body is, where that is its own choice. Such bodies of methods with a boundary are of
    /// PHXI_FAMILY_FLUID. NULL: as `kinematic` says.
    bool (*is_kinematic)(const phxi_body* body);
    /// The method handles colliders itself; the world adds no collider forces.
    bool meets_colliders;
    /// Which particles of a body are bonded. NULL: all particles of a body are bonded to each other.
    void (*bonds)(const void* state, const phxi_step* step, int body, phxi_bond_view* view);
    /// Young's modulus of a body for contact, Pa; asked when it is added and after every stable_dt. NULL: that of its
    /// material.
    double (*modulus)(const void* state, const phxi_step* step, int body);
    /// How many times longer than for loose particles a substep may be while colliders push, where an implicit step of
    /// the method's own holds neighbours together; asked after every stable_dt. NULL: 1.
    double (*contact_slack)(const void* state, const phxi_step* step, int body);
    /// For rigid bodies: describes one as drivers hold it now, all but `rate` and `spin_rate`. NULL: particles move
    /// individually.
    void (*rigid)(const void* state, const phxi_step* step, int body, phxi_contact_rigid* rigid);
    /// Smallest mass, kg, moved by a single contact when its neighbours move alike; limits the substep. NULL: that of a
    /// particle.
    double (*contact_mass)(const void* state, const phxi_step* step, int body);
} phxi_touch_table;
