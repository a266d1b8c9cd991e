// SPDX-License-Identifier: MIT
// Bodies of which only a shell is kept (method.h: shell).
#pragma once

#include "geometry/sample.h"
#include "geometry/solid.h"
#include "particles/particles.h"

/// Drops all samples more than `layers` spacings below the surface of the definition's shape or mesh; the others keep
/// their order. Builds the solid from it, or from the shape `surface` if that is not NULL.
phx_result phxi_body_make_shell(phxi_heap* heap, const phx_body_def* def, double layers, const char* surface,
                                phxi_samples* samples, phxi_solid** solid);
/// Chooses three particles of [begin, begin + count), counted from the first, that are far apart and span a plane if
/// any do.
void phxi_body_choose_marks(const phxi_particles* particles, int begin, int count, int mark[3]);
