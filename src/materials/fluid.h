// SPDX-License-Identifier: MIT
// Fluids, and solids that melt to them, for methods that carry a strain: an elastic fluid whose shear strain flows away
// by the laws of rheology.h (Maxwell's), under a pressure of its own density (docs/theory/materials.md (31) to (33)).
//
// A particle carries A = e + (J - 1)/3 I, symmetric: e the deviator of its elastic (logarithmic) strain, J its volume
// over that at rest; for small strains this is F - I. Kirchhoff stress and energy per volume at rest:
//     tau = 2 G e - K (1 - J) I,   Psi = G e:e + K (J - 1 - ln J),   which is p = K (rho/rho_0 - 1)
// Over dt, with velocity gradient C = D + W:
//     J' = J det(I + dt C);   e* = e turned by W, + dt dev D;   e' = e* t/t*,   t* = G sqrt(2 e*:e*)
// where t solves t = S(D_v), D_v = (t* - t)/(G dt): S(D) = eta(D) D is the shear stress of the flow curve. This is one
// backward Euler step of the flow. For eta << G dt it is the fluid itself, t = S(D) whatever G is; for eta >> G dt a
// solid that creeps: no viscosity asks for a smaller step than shear waves of G do. Stresses up to S bend the fluid by
// S/(2 G), so G is to be large against them, as K is against pressures. G = 0: no shear strain is carried, and the
// method makes the viscous stress itself.
//
// Tension is borne up to sqrt(3) times the yield stress at the particle's temperature: none in a liquid. Beyond it the
// particle opens, by v, and bears nothing until it has closed again; it remembers `open` at most.
#pragma once

#include "materials/rheology.h"
#include "math/simd.h"

typedef struct phxi_fluid {
    phxi_rheology rheology;
    double shear, bulk; // G, K, Pa; no G: no strain of shear
    double open;        // largest v
} phxi_fluid;

/// Whether the material is one: `fluid`, or it melts.
bool phxi_fluid_is(const phx_material_def* def);
/// With the bulk modulus of its own that a fluid has in a simulation, Pa, and half of that for G; of one that melts:
/// the solid's moduli.
phxi_fluid phxi_fluid_from(const phx_material_def* def, double bulk);
/// Largest speed of waves when substeps are about dt, m/s.
double phxi_fluid_sound(const phxi_fluid* fluid, double density, double dt);
/// Tension that it bears at a temperature, Pa.
double phxi_fluid_tension(const phxi_fluid* fluid, double temperature);
/// t of t*: see above. Pa, both.
double phxi_fluid_flow(const phxi_fluid* fluid, double dt, double trial, double temperature);

/// One particle in double: the reference. `strain` is A, `opening` v.
void phxi_fluid_advance(const phxi_fluid* fluid, double dt, const double velocity_gradient[9], double temperature,
                        double strain[6], double* opening);
/// xx yy zz xy xz yz, Pa; returns the energy, J/m^3.
double phxi_fluid_stress(const phxi_fluid* fluid, const double strain[6], double stress[6]);

/// Many particles in state precision: number k of particle i at [k * stride + i], any alignment, `count` at most
/// PHXI_FLUID_BATCH.
enum { PHXI_FLUID_BATCH = 128 };
typedef struct phxi_fluid_planes {
    phx_real* strain;         // 9, all of A by rows, in and out
    const phx_real* gradient; // 9, C by rows, 1/s
    const phx_real* temperature;
    phx_real* opening; // in and out
} phxi_fluid_planes;
void phxi_fluid_advance_batch(const phxi_fluid* fluid, double dt, int count, int stride, const phxi_fluid_planes* p);
/// Six planes of stress; `energy` may be NULL.
void phxi_fluid_stress_batch(const phxi_fluid* fluid, int count, int stride, const phx_real* strain, phx_real* stress,
                             phx_real* energy);
