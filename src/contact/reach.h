// SPDX-License-Identifier: MIT
// How far a particle reaches, how stiff it is to the touch, and how flat the surface is there (docs/theory/contact.md
// section 1).
//
// A particle in the middle of its cell reaches half a spacing a: there is the surface of the body. One that stands on
// the surface touches where it is, with the stiffness of the surface that it owns. Others of such a body are below
// those, and reach half way to the nearest of them, at most a/2: they touch only where what covered them is gone.
#pragma once

#include "particles/particles.h"

#include <math.h>

/// Of what stands on the surface, as a multiple of E A / a. Such a spring is in series with the body: at 5 it takes
/// p a / (5 E) of an approach, little beside what a body of several particles across is pressed in itself.
#define PHXI_SURFACE_STIFFNESS 5.0
/// Times that in implicit steps, which it does not shorten.
#define PHXI_IMPLICIT_STIFFER 4.0

/// How far from it contact begins, m.
static inline double phxi_contact_radius(const phxi_particles* p, int i) {
    return 0.5 * (double)p->spacing[i] - (double)p->inset[i];
}
/// Whether it stands on the surface of its body.
static inline bool phxi_on_surface(const phxi_particles* p, int i) {
    return p->inset[i] > 0 && (p->area_x[i] != 0 || p->area_y[i] != 0 || p->area_z[i] != 0);
}
/// Whether other bodies touch it there. (At the corners of cells the particles of round bodies stand on steps: they own
/// parts of a surface that is elsewhere.)
static inline bool phxi_is_surface(const phxi_particles* p, int i) {
    return p->surface[i] > 0 && phxi_on_surface(p, i);
}
/// What counts of its surface, m^2: no more than belongs to its volume, so that its mass and its spring are in
/// proportion, and the stable step with them.
static inline double phxi_contact_area(const phxi_particles* p, int i) {
    double x = p->area_x[i], y = p->area_y[i], z = p->area_z[i];
    return fmin(sqrt(x * x + y * y + z * z), 2 * (double)p->volume[i] / (double)p->spacing[i]);
}
/// Times E this is its stiffness as a ball, N/m, and against another particle; both sides act in series.
static inline double phxi_ball_width(const phxi_particles* p, int i) {
    double a = p->spacing[i];
    return (double)p->volume[i] / (a * a);
}
static inline double phxi_contact_width(const phxi_particles* p, int i) {
    return phxi_is_surface(p, i) ? PHXI_SURFACE_STIFFNESS * phxi_contact_area(p, i) / (double)p->spacing[i]
                                 : phxi_ball_width(p, i);
}
/// The same against a collider, which does not give.
static inline double phxi_collider_width(const phxi_particles* p, int i) {
    double a = p->spacing[i];
    return phxi_on_surface(p, i) ? PHXI_SURFACE_STIFFNESS * phxi_contact_area(p, i) / a : 0.5 * phxi_ball_width(p, i);
}
/// Of what stands on the surface: 1 where that is flat or gently curved, 0 at edges and corners. The area of a part
/// with a bend is shorter than the part is large: 0.92 at one of 45 degrees, 0.71 at edges and 0.58 at corners of
/// boxes.
static inline double phxi_surface_flatness(const phxi_particles* p, int i) {
    double x = p->area_x[i], y = p->area_y[i], z = p->area_z[i], all = p->surface[i];
    double flat = all > 0 ? fmin(1, fmax(0, (sqrt(x * x + y * y + z * z) / all - 0.85) / 0.13)) : 0;
    return flat * flat * flat * flat;
}
