// SPDX-License-Identifier: MIT
// The moving frame of a body, x = center + R (B (X - origin) + u).
//
// Any frame would do: except for rounding, forces do not depend on it. A frame fitted to the particles keeps u small,
// so that float keeps the digits of small strains in bodies that turn and stretch. It is fitted to a few particles in
// every substep, from saved fields only, so there is nothing to keep or restore (docs/theory/discretisation.md (3)).
#pragma once

#include "math/simd.h"
#include "math/vec3.h"
#include "particles/particles.h"

#define PHXI_FRAME_SAMPLES 32 // particles of a body that its frame is fitted to

typedef struct phxi_frame {
    phx_vec3 center, origin;
    phxi_mat3 rotation; // R
    phxi_mat3 stretch;  // B
} phxi_frame;

/// Of the rest positions X of the sample about their mean: K^+ and K K^+, K = sum X X^T.
typedef struct phxi_frame_base {
    phxi_sym3 inverse, span;
} phxi_frame_base;

/// Number of samples of a body of `count` particles, and the particle of sample k (from its first). Samples are spread
/// over the whole range, hence along the whole curve the particles are sorted by.
int phxi_frame_sample_count(int count);
int phxi_frame_sample(int count, int k);

/// The frame at rest.
void phxi_frame_rest(const phx_vec3* rest, int count, phxi_frame_base* base, phxi_frame* frame);
/// The frame of samples at positions `at` with rest positions `rest`. Cannot fail; non-finite positions give the frame
/// at rest.
void phxi_frame_fit(const phxi_frame_base* base, const phx_vec3* rest, const phx_vec3* at, int count,
                    phxi_frame* frame);

/// The same for the particles of a body: at rest, and at their positions after dt.
void phxi_frame_rest_body(const phxi_particles* particles, int begin, int count, phxi_frame_base* base,
                          phxi_frame* frame);
void phxi_frame_fit_body(const phxi_frame_base* base, const phxi_particles* particles, int begin, int count, double dt,
                         phxi_frame* frame);

/// The same at positions x of the caller's, by particle of the body; and displacements there of particles [first, last)
/// of it, in a frame that does not stretch.
void phxi_frame_fit_at(const phxi_frame_base* base, const phxi_particles* particles, int begin, int count,
                       const phx_vec3* x, phxi_frame* frame);
void phxi_frame_place(const phxi_frame* frame, const phxi_particles* particles, int begin, const phx_vec3* x, int first,
                      int last, phxi_r4* u);

/// Arrays of the particles of a range, one per axis.
typedef struct phxi_frame_points {
    const phx_real *x[3], *low[3], *rest[3]; // positions x + low, and X
} phxi_frame_points;

/// u = R^T (x - center) - B (X - origin).
void phxi_frame_displacements(const phxi_frame* frame, const phxi_frame_points* points, int count,
                              phx_real* const u[3]);

/// a = R f / m, from the axes of a frame to the world's. False if anything is not finite.
bool phxi_frame_accelerate(const phxi_mat3* rotation, const phx_real* const force[3], const phx_real* mass, int count,
                           phx_real* const acceleration[3]);
