// SPDX-License-Identifier: MIT
// Bonds that break where they are stretched too far, docs/theory/peridynamics.md (21) to (23). What breaks is gone from
// the lists, of solids, sheets and rods alike: weights, moments and bending are those of the bonds that are left, so
// that a crack has the faces of a body. Pairs that are not bonded any longer may touch (method.h: contact_distance).
#pragma once

#include "methods/peridynamics/peri_internal.h"

struct phxi_peri_breaking {
    phx_real* limit;          // by particle: the elastic stretch that breaks its bonds
    phx_real* ductile;        // by particle: the accumulated plastic strain that does so; NULL: none
    phx_real *worst, *around; // by particle: largest load over strength of its bonds; and of its neighbours'
    phx_vec3* where;
    int* bonds;   // by particle: how many it had
    double drawn; // stretch from which bonds that have flowed far break
    int broken;   // pairs so far
};

/// Whether a body of this material can break.
bool phxi_peri_is_weak(const phx_material_def* material);
phx_result phxi_peri_make_breaking(phxi_step* step, phxi_peri_slot* slot);
/// After a step: breaks what is to break.
phx_result phxi_peri_break(phxi_step* step, phxi_peri_slot* slot);
/// Leaves out of the lists what is marked by a negative `shrink`; phxi_peri_renew comes next.
void phxi_peri_drop_bonds(phxi_peri_slot* slot);
/// Share of the bonds of particle i that have broken.
double phxi_peri_damage(const phxi_peri_slot* slot, int i);
