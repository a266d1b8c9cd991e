// SPDX-License-Identifier: MIT
// A lattice block in a world of its own, with its internal forces and its stiffness at rest as an operator: what the
// cases about forces, modes and static bending are made of.
#pragma once

#include "validate/validate.h"
#include "world/world.h"

typedef struct phxi_block_def {
    int cells[3];
    int sampling;            // PHX_SAMPLING_UNIFORM or _BCC
    double spacing;          // m
    double support;          // h over spacing; 0: the method's own
    double hourglass;        // alpha
    double volume_stiffness; // Pa
    double jitter;
    const char* fracture; // NULL: the method's own; needs a strength of the material
    double front_blur;
    const phx_mesh* mesh;        // its vertices instead of cells; NULL
    const char* method;          // NULL: efg, with the numbers above; others take
    const phx_setting* settings; // these
    int setting_count;
    phx_material_def material; // phxi_block_default: E = 1e6, rho = 1000, nu = 0.3, stvk
} phxi_block_def;

typedef struct phxi_block {
    phxi_validation* validation;
    phx_world* world;
    phx_body_id body;
    int count;
    double spacing;
    phx_vec3* rest;
    bool* held;                         // not part of the operator: clamped
    phx_vec3* forces;                   // of the last phxi_block_forces
    phx_real *low[3], *acceleration[3]; // fields of its method
} phxi_block;

phxi_block_def phxi_block_default(int x, int y, int z);
phx_result phxi_block_create(phxi_validation* v, const phxi_block_def* def, phxi_block* block);
void phxi_block_destroy(phxi_block* block);

/// Puts all particles at x, with the digits that a float would lose kept where the method keeps them.
void phxi_block_place(phxi_block* block, const phx_vec3* x);
/// Internal forces at x, into block->forces.
phx_result phxi_block_forces(phxi_block* block, const phx_vec3* x);
/// K q by central differences about the state at rest; held particles neither move nor feel.
phx_result phxi_block_stiffness(phxi_block* block, const phx_vec3* q, phx_vec3* result);
/// Solves K u = b by conjugate gradients; u holds the start.
phx_result phxi_block_solve(phxi_block* block, const phx_vec3* b, double tolerance, phx_vec3* u);
/// Largest angular frequency: power iteration.
phx_result phxi_block_fastest(phxi_block* block, int iterations, double* omega);
/// How far a block has swung.
typedef double (*phxi_block_amplitude)(const phxi_block* block, const void* context);
/// Lets it swing in `steps` substeps of a period that is about known, and measures it: from the first to the last of
/// `passages` through zero. NaN if there are not so many.
phx_result phxi_block_swing(phxi_block* block, double period, int steps, int passages, phxi_block_amplitude amplitude,
                            const void* context, double* measured);
/// All angular frequencies, ascending (3 count of them, on the validation's heap); those of negative squares as minus
/// the root of the size.
phx_result phxi_block_spectrum(phxi_block* block, double** omegas);

enum { PHXI_BLOCK_CLAMP = 3 }; // layers that are clamped
/// Holds the first of them along x and returns where the last of these lies.
double phxi_block_clamp(phxi_block* block, double layer);
/// Timoshenko's sag of a cantilever of square section and free length `length` under its own weight, at x from its
/// clamp, m.
double phxi_block_timoshenko(const phxi_block_def* def, double gravity, double length, double x);
/// A cantilever along x that sags under its own weight, so little that it stays straight: its tip over Timoshenko's.
phx_result phxi_block_sag(phxi_validation* v, const phxi_block_def* def, double* ratio);
