// SPDX-License-Identifier: MIT
// From a mesh or a shape to particles with volumes that sum to its volume (specs/efg.md section 2).
#pragma once

#include "geometry/inside.h"
#include "geometry/shape.h"

typedef struct phxi_samples {
    phx_vec3* positions;
    double* volumes;
    double* spacings; // local distance of particles: the cell edge (uniform), lattice constant (bcc), leaf edge (octree)
    int count;
} phxi_samples;

/// As the definition says (mesh or shape, scale, rotate, translate, spacing, sampling, levels, jitter). Arrays belong
/// to `heap`. Refuses more than 50 million cells, empty results ("no particle fits: spacing 0.1 m, the body is 0.02 m thick").
phx_result phxi_sample_body(phxi_heap* heap, const phx_body_def* def, phxi_samples* samples, phx_sample_report* report);
void phxi_samples_destroy(phxi_heap* heap, phxi_samples* samples);
