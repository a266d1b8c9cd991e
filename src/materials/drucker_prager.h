// SPDX-License-Identifier: MIT
// Sand, wet sand and slime: pressure and friction bound the shear stress (Drucker and Prager), and what is pulled apart
// opens freely and bears nothing until it has closed again (docs/theory/materials.md section 4).
//
// A particle carries its elastic logarithmic strain eps and its opening v_c >= 0. Stress and yield, compression
// positive:
//     T = tr eps + v_c,  d = dev eps,  p = -K T,  tau = 2 mu d - p I,  sqrt(J2) = 2 mu sqrt(d:d/2) <= Y = A + 3 B p.
// Return mapping of a trial strain:
//     T > T_a    opens: v_c = T - T_a, T = T_a. The largest tension is the apex of the cone, T_a = A/(3 B K), where no
//                shear is left; or a cut-off, T_a = p_t / K, where Y is what it is there
//     else       v_c = 0
//     sqrt(J2) > Y   d shrinks to Y: at once, or by the rate `creep`, sqrt(J2) -> Y + (sqrt(J2) - Y)/(1 + dt creep),
//                which is a viscosity mu / creep
// The volume does not yield otherwise, so flow neither dilates nor compacts. Elastic particles keep their shear stress:
// this is static friction. With `relaxation` t, d fades as exp(-dt/t) (Maxwell).
//
// Cones. Steady shear of a bed of sand flows on a slope of atan(3 B), c is the cohesion, phi the friction angle:
//     repose        B = tan(phi)/3, A = c tan(45 + phi/2) (1 - tan phi): a bed flows at the slope phi, and a vertical
//                   cut stands as high as Mohr and Coulomb say. (1 - tan phi is cos(phi') / tan(45 + phi'/2) for
//                   sin(phi') = tan(phi); it vanishes at 45 degrees, so A is kept at what it is at 40.)
//     plane         B = sin(phi)/3, A = c cos(phi): Mohr and Coulomb in plane strain
//     compression   B = 2 sin(phi) / (sqrt3 (3 - sin phi)), A = 6 c cos(phi) / (sqrt3 (3 - sin phi))
//     extension     the same with 3 + sin(phi)
#pragma once

#include "materials/elastic.h"
#include "math/wide.h"

extern const char* const phxi_cone_words[];

typedef struct phxi_drucker_prager {
    double mu, bulk;   // Pa
    double a, b;       // A in Pa, B
    double cut;        // p_t / K; INFINITY: none
    double creep;      // 1/s; 0: at once
    double relaxation; // s; 0: never
    double stiffening; // mu and K grow as exp(stiffening (exp(-T) - 1)) where T < 0
    double softening;  // A falls as exp(-softening (1 - exp(-v_c)))
} phxi_drucker_prager;

typedef enum phxi_grain_state { PHXI_GRAIN_ELASTIC, PHXI_GRAIN_YIELDS, PHXI_GRAIN_OPEN } phxi_grain_state;

/// Whether the material has a friction angle or cohesion.
bool phxi_drucker_prager_is(const phx_material_def* def);
phxi_drucker_prager phxi_drucker_prager_from(const phx_material_def* def);
/// What may be added to the shear stress of a bond where the pressure is p: max(0, A + 3 B p), Pa.
static inline double phxi_drucker_prager_strength(const phxi_drucker_prager* law, double pressure) {
    return fmax(0, law->a + 3 * law->b * pressure);
}
/// Return mapping over dt, one particle: trial strain and opening in, elastic ones out; and the stress tau, Pa (tension
/// positive).
phxi_grain_state phxi_drucker_prager_return(const phxi_drucker_prager* law, double dt, phxi_sym3* strain,
                                            double* opening, phxi_sym3* stress);

/// As many particles as there are lanes, in state precision: the same operations. Strain and stress are xx yy zz xy xz
/// yz; `still` where neither yielding nor open.
typedef struct phxi_grain_lanes {
    phxi_rw strain[6], opening; // in and out
    phxi_rw stress[6];          // out
    phxi_mw still;              // out
} phxi_grain_lanes;
void phxi_drucker_prager_lanes(const phxi_drucker_prager* law, double dt, phxi_grain_lanes* lanes);
