// SPDX-License-Identifier: MIT
// The surface of a shape as triangles.
#pragma once

#include "geometry/mesh.h"

/// Closed, every edge with one triangle on each side, outward, vertices on the surface but for creases, which are
/// bevelled by about a spacing. Parts thinner than the spacing may be lost. Refuses shapes without end and more than 50
/// million cells.
phx_result phxi_mesh_from_shape(const phx_allocator* allocator, const char* text, double spacing, phx_mesh** mesh);
/// The same with creases kept where they are, unless two of them are in one cell of the spacing; of the shape before
/// rotations and shifts of the whole (phxi_shape_peel).
phx_result phxi_mesh_sharp_from_shape(const phx_allocator* allocator, const char* text, double spacing,
                                      phx_mesh** mesh);
/// The same around what an open mesh has inside: where it winds around a point by more than a half. Holes get a lid.
phx_result phxi_mesh_close(const phx_allocator* allocator, const phx_mesh* open, double spacing, phx_mesh** mesh);
/// The same with creases kept.
phx_result phxi_mesh_sharp_close(const phx_allocator* allocator, const phx_mesh* open, double spacing, phx_mesh** mesh);
