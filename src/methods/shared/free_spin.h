// SPDX-License-Identifier: MIT
// Angular momentum of particles that fly free.
//
// Pair forces that do not act along the line between two particles keep momentum, but their torques need not add up to
// zero, and a drift of positions (XSPH) moves momentum to another place. A method sums up the angular momentum that its
// own substep made, and takes it back by the rigid rotation of its particles that has as much of it:
//
//   v_i -= omega x (x_i - c),   I omega = sum_i l_i
//
// with l_i what particle i gained other than by outer forces, c and I the centre and inertia tensor of all of them.
// This spreads what was made at one place over all particles of the method, so it is left out where particles may touch
// a collider or are held: angular momentum is not conserved there anyway. The loss it mends is 1e-5 to 3e-3 of what is
// exchanged.
#pragma once

#include "bodies/step.h"
#include "motion/rigid_motion.h"

/// Of a block, merged in block order; PHXI_SPIN_NONE at first.
typedef struct phxi_spin_sums {
    phxi_rigid_sums made; // `spin`: what the substep made, kg m^2/s, about the world's origin
    phx_vec3 low, high;   // bounds of centres, m
    double reach;         // how far the widest is seen from its centre, m
    bool any, held;
} phxi_spin_sums;
#define PHXI_SPIN_NONE                                                                                                 \
    {                                                                                                                  \
        .low = {INFINITY, INFINITY, INFINITY}, .high = { -INFINITY, -INFINITY, -INFINITY }                             \
    }

/// Adds a particle at x, after its move, that gained `made` other than by outer forces. `held`: it is not free.
static inline void phxi_spin_add(phxi_spin_sums* s, double mass, phx_vec3 x, phx_vec3 made, double reach, bool held) {
    phxi_rigid_sums* r = &s->made;
    s->low =
        phxi_vec3(x.x < s->low.x ? x.x : s->low.x, x.y < s->low.y ? x.y : s->low.y, x.z < s->low.z ? x.z : s->low.z);
    s->high = phxi_vec3(x.x > s->high.x ? x.x : s->high.x, x.y > s->high.y ? x.y : s->high.y,
                        x.z > s->high.z ? x.z : s->high.z);
    s->reach = reach > s->reach ? reach : s->reach;
    s->any = true;
    s->held |= held;
    const double mx = mass * x.x, my = mass * x.y, mz = mass * x.z;
    r->mass += mass;
    r->first.x += mx, r->first.y += my, r->first.z += mz;
    r->spin.x += made.x, r->spin.y += made.y, r->spin.z += made.z;
    r->second.xx += mx * x.x, r->second.yy += my * x.y, r->second.zz += mz * x.z;
    r->second.xy += mx * x.y, r->second.xz += mx * x.z, r->second.yz += my * x.z;
}
void phxi_spin_merge(phxi_spin_sums* sums, const phxi_spin_sums* more);
/// The motion to take off; false: particles are not free.
bool phxi_spin_solve(const phxi_spin_sums* sums, const phxi_step* step, phxi_rigid_motion* motion);
/// Takes what was made off the velocities of all own bodies, if they are free.
void phxi_spin_give_back(const phxi_spin_sums* sums, phxi_step* step);
/// Takes it off the velocity of a particle.
void phxi_spin_take_off(const phxi_rigid_motion* motion, phxi_particles* particles, int i);
