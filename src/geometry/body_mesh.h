// SPDX-License-Identifier: MIT
// The closed surface of a body, in place.
#pragma once

#include "geometry/mesh.h"

/// As the definition says (mesh or shape, scale, rotate, translate). A plain box is exact, of twelve triangles; any
/// other shape is given vertices half a spacing apart, with creases bevelled (shape_mesh.h).
phx_result phxi_body_mesh(phxi_heap* heap, const phx_body_def* def, phx_mesh** mesh);
/// For `conforming` sampling: creases are sharp, and neither rotate and translate of the definition nor rotations and
/// shifts of the whole shape (phxi_shape_peel) are applied.
phx_result phxi_body_mesh_unplaced(phxi_heap* heap, const phx_body_def* def, phx_mesh** mesh);
