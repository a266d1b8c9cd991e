// SPDX-License-Identifier: MIT
// Particles against obstacles: penalty with damping and Coulomb friction (specs/corotated_sph_anisotropic.md section 8).
// Particle radius is half its spacing. f_n = max(0, k (a/2 - phi) - c v_n), k = E a / 2, c = 2 zeta sqrt(k m);
// friction opposes the tangential velocity, min(mu f_n, c |v_t|).
#pragma once

#include "core/params.h"
#include "geometry/shape.h"
#include "parallel/parallel.h"
#include "particles/particles.h"

extern const phx_param_table phxi_collider_table;
#define PHXI_COLLIDER_STAMP 0x434f4c31u

typedef struct phxi_collider {
    phxi_shape* shape;
    bool inside;
    double stiffness, damping, friction;
} phxi_collider;

phx_result phxi_collider_init(phxi_collider* collider, phxi_heap* heap, const phx_collider_def* def);
void phxi_collider_destroy(phxi_collider* collider, phxi_heap* heap);
/// Adds to fx, fy, fz of all particles. `young[body]` in Pa. Adds the penalty energy per block in block order.
void phxi_collide(const phxi_collider* collider, phxi_pool* pool, phxi_particles* particles, const double* young);
/// Stored energy of one particle, J; and the stiffness of one particle against this collider, N/m.
double phxi_collider_energy(const phxi_collider* collider, const phxi_particles* particles, int i, double young);
double phxi_collider_stiffness(const phxi_collider* collider, double young, double spacing);
