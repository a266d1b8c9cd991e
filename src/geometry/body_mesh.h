// SPDX-License-Identifier: MIT
// The closed surface of a body, in place.
#pragma once

#include "geometry/mesh.h"

/// As the definition says (mesh or shape, scale, rotate, translate). A plain box is exact, of twelve triangles; any
/// other shape is given vertices half a spacing apart, with creases bevelled, or sharp for `conforming` sampling
/// (shape_mesh.h).
phx_result phxi_body_mesh(phxi_heap* heap, const phx_body_def* def, phx_mesh** mesh);
