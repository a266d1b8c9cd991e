// SPDX-License-Identifier: MIT
// Bodies of which a shell is kept (method.h: shell).
#pragma once

#include "geometry/sample.h"
#include "geometry/solid.h"
#include "particles/particles.h"

/// Drops all samples more than `layers` of their spacings below the surface of the definition's shape or mesh; those
/// that are left keep their order. Makes the solid of it, or of the shape `surface` if that is not NULL.
phx_result phxi_body_make_shell(phxi_heap* heap, const phx_body_def* def, double layers, const char* surface,
                                phxi_samples* samples, phxi_solid** solid);
/// Three particles of [begin, begin + count), counted from the first, that are far apart and span a plane if any do.
void phxi_body_choose_marks(const phxi_particles* particles, int begin, int count, int mark[3]);
