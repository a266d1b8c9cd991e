// SPDX-License-Identifier: MIT
// Free rotation: how a rigid body turns while no torque acts on it.
//
// The energy l_1^2 / 2 I_1 + l_2^2 / 2 I_2 + l_3^2 / 2 I_3 is split into its three terms, of which each turns the body
// about one of its own axes by an angle that is known (Dullweber, Leimkuhler and McLachlan 1997). Half of 1, half of
// 2, all of 3, half of 2, half of 1 is of second order; five of these, by Suzuki, are of fourth. Every part is a
// rotation, so the angular momentum in space stays to the last digit, and the map is symplectic and reversible: energy
// errors stay bounded. Steps are cut so that a part turns by little, and the error is near rounding.
#pragma once

#include "math/vec3.h"

/// Inertia of a body in its own frame: moments about principal axes, which are the columns of `axes`.
typedef struct phxi_principal_inertia {
    double moments[3]; // kg m^2
    phxi_mat3 axes;
} phxi_principal_inertia;

phxi_principal_inertia phxi_principal_inertia_of(const phxi_sym3* inertia);
/// Inverse of the inertia in space, where the body is turned by `rotation`. What cannot spin (a rod about itself) gives
/// none.
phxi_mat3 phxi_principal_inverse(const phxi_principal_inertia* principal, const phxi_mat3* rotation);
/// The inertia itself in space.
phxi_mat3 phxi_principal_tensor(const phxi_principal_inertia* principal, const phxi_mat3* rotation);
/// Where it is turned to after dt, with the angular momentum l in space.
phxi_quat phxi_free_rotation(const phxi_principal_inertia* principal, phxi_quat orientation, phx_vec3 l, double dt);
