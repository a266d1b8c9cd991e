// SPDX-License-Identifier: MIT
// A body in a world of its own that is pulled until it breaks, and what is then known of its cracks:
// docs/theory/fracture.md F1 to F8.
//
// Spacing 1 m, E = 1e6 Pa, rho = 1000 kg/m^3, nu = 0.3; strength 0.02 E, or yield at 0.02 and a plastic strain that
// breaks. Shapes are turned against the lattice, which always lies along the axes.
#pragma once

#include "math/vec3.h"
#include "methods/efg/fracture/fracture.h"
#include "validate/validate.h"
#include "world/world.h"

typedef struct phxi_trial {
    phxi_validation* v;
    phx_world* world;
    phx_body_id body;
    phxi_mat3 turn; // of the body against the lattice
    int notch;      // facets of the notch that was cut into it
} phxi_trial;

typedef struct phxi_trial_def {
    const char* shape;       // not turned
    double about_y, about_z; // degrees
    int sampling;
    double safety; // of the step; 0: the usual one
    int threads;
    double ductile;    // plastic strain that breaks; 0: brittle
    const char* reset; // NULL: the method's own
    double spacing;    // m; 0: layers 1 apart
    double toughness;  // J/m^2, in the place of strength; 0: not used
} phxi_trial_def;

phx_result phxi_trial_create(phxi_validation* v, const phxi_trial_def* def, phxi_trial* t);
phxi_efg* phxi_trial_efg(const phxi_trial* t);
const phxi_efg_fracture* phxi_trial_fracture(const phxi_trial* t);
/// Of pressure waves, m/s.
double phxi_trial_wave_speed(void);

/// Grips of three layers at x = -half and x = half (before turning) that part with `speed`; all moves along from the
/// start, so that there is no shock.
phx_result phxi_trial_pull(phxi_trial* t, int axis, double half, double speed);
/// Cuts all bonds that cross y = 0 at tip - length < x < tip (before turning): a crack whose tip does not depend on the
/// sampling.
phx_result phxi_trial_notch(phxi_trial* t, double tip, double length);
/// Energy that is not the work of grips, J; and all of it. Kinetic energy is that of leap-frog, m v(-).v(+) / 2.
phx_result phxi_trial_energy(phxi_trial* t, double* free, double* total);

/// The largest rise of energy from one look to the next while there are cracks, over the total.
typedef struct phxi_trial_watch {
    int every; // substeps between looks
    double rise;
} phxi_trial_watch;

/// Runs until it is in two, but for dust, and `after` substeps more; `watch` may be NULL.
phx_result phxi_trial_part(phxi_trial* t, int most, int after, phxi_trial_watch* watch);

/// A smooth, rigid ball: what lies inside is pushed out, no friction.
typedef struct phxi_trial_ball {
    double radius, mass; // m, kg
    phx_vec3 center, velocity;
} phxi_trial_ball;
phx_result phxi_trial_strike(phxi_trial* t, phxi_trial_ball* ball, int substeps);

/// The surface between fragments, from where its bonds are crossed.
typedef struct phxi_trial_split {
    int large, dust;         // fragments of 8 and more; particles of smaller ones
    double smaller, larger;  // particles of the two largest
    double place, rms, tilt; // m along the axis, m, degrees
    double path;             // degrees in the plane of x and y: the part of the tilt that a plate shows from above
} phxi_trial_split;

/// Velocities that tear a body apart and turn it: rate (x + 0.3 e_z x x).
void phxi_trial_explode(phx_world* world, double rate);
/// Angular momentum with velocities of half a substep ago. Forces of contact are known at the start of a substep only;
/// the velocity of its end, which others see, has them where the particles were before (motion/explicit.h). What a
/// substep keeps exactly is sum m x(t) x v(t - dt/2).
phx_vec3 phxi_trial_turning(const phx_world* world);
/// sum m |v|, kg m/s.
double phxi_trial_gross(const phx_world* world);

phxi_trial_split phxi_trial_split_of(const phxi_trial* t, int axis);
