// SPDX-License-Identifier: MIT
// Bodies on lattices and substeps of the efg method by hand, without a world: what the tests of methods stand on.
#pragma once

#include "methods/efg/efg_internal.h"
#include "support/test.h"

#define FIXTURE_BODIES 64

typedef enum lattice { CUBIC, BCC } lattice;

typedef struct efg_fixture {
    phxi_heap heap;
    phxi_arena arena;
    phxi_pool* pool;
    phxi_particles particles;
    phxi_body bodies[FIXTURE_BODIES];
    phxi_efg_params params[FIXTURE_BODIES]; // of body k; set before the body is added
    int own[FIXTURE_BODIES];
    int body_count;
    const phxi_method* method;
    void* state;
    phx_material_def material; // of the next body
    double spacing;            // of the next body, m
    double jitter;             // of the next body
    phx_vec3 gravity;
    double last_dt; // s, of the last substep
} efg_fixture;

/// E = 1e6, rho = 1000, nu = 0.3, St. Venant-Kirchhoff, spacing 0.1 m, no gravity. `allocator` may be NULL.
phx_result fixture_init(efg_fixture* f, const phx_allocator* allocator, int threads);
void fixture_destroy(efg_fixture* f);
/// A block of nx x ny x nz cells at the origin, or shifted.
phx_result fixture_add(efg_fixture* f, lattice kind, int nx, int ny, int nz, phx_vec3 shift);
/// A body of any points and their volumes, m^3.
phx_result fixture_add_points(efg_fixture* f, int count, const phx_vec3* points, const double* volumes);
phxi_step fixture_step(efg_fixture* f);
phx_result fixture_substep(efg_fixture* f, double dt);
double fixture_stable_dt(efg_fixture* f);
/// Kinetic energy, momentum, angular momentum about the origin and what the method measures, over all bodies.
phx_totals fixture_measure(efg_fixture* f);
/// x <- f(x) for all particles, velocities untouched.
void fixture_deform(efg_fixture* f, phx_vec3 (*map)(phx_vec3 x, void* context), void* context);
/// Random shifts of every particle by up to `amount` spacings.
void fixture_shake(efg_fixture* f, double amount, uint64_t seed);
/// Internal forces at the positions as they are (a of the saved fields times mass, without time going on).
void fixture_forces(efg_fixture* f, phx_vec3* forces);
phxi_efg* fixture_efg(efg_fixture* f);
/// A random matrix with entries up to `size`.
phxi_mat3 random_matrix(double size, uint64_t* seed);
