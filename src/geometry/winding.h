// SPDX-License-Identifier: MIT
// The generalised winding number, fast: a tree of triangles, each branch with its area vector (a dipole) for points far
// from it.
#pragma once

#include "geometry/triangle_tree.h"

typedef struct phxi_winding {
    const phx_mesh* mesh;
    phxi_tree tree;
    struct phxi_dipole* dipoles; // one a node
} phxi_winding;

phx_result phxi_winding_create(phxi_heap* heap, const phx_mesh* mesh, phxi_winding* winding);
void phxi_winding_destroy(phxi_heap* heap, phxi_winding* winding);
/// At the points (x0 + i dx, y, z), i < count: within 0.02 of phxi_winding_number.
void phxi_winding_column(const phxi_winding* winding, double x0, double dx, int count, double y, double z,
                         double* numbers);
