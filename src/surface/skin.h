// SPDX-License-Identifier: MIT
// Points of a mesh carried by particles (docs/theory/surfaces.md (2)), in double. phx_skin wraps this for frames.
//
//   moving least squares   x_s = sum w_i (x_i + F_i (X_s - X_i)) / sum w_i,  w = (1 - r^2/h^2)^3, h grown by half until
//                          four particles are within; exact for affine motion, smooth, needs no full rank: leaves and
//                          rods work. Normals: sum w_i cof(F_i) n_0, normalised.
//   barycentric            x_s = sum b_k x_k over the best tetrahedron of the eight nearest particles; normals by its
//   own
//                          deformation. Where there is none (sheets) the point is carried by moving least squares.
#pragma once

#include <phyxel/surface.h>
#include "core/array.h"
#include "math/vec3.h"

typedef struct phxi_binding {
    phxi_heap* heap;
    int count;              // points
    const phx_vec3* points; // at rest, with their normals; of the caller
    const phx_vec3* normals;
    const double* rest; // 3 a particle; of the caller
    int* start;         // weights of point s: start[s] ... start[s+1]
    bool* tetrahedron;  // four barycentric weights, F is not used
    PHXI_ARRAY(int) items;
    PHXI_ARRAY(double) weights; // sum 1
} phxi_binding;

/// `radius` in m. Fails without particles, or when positions are too far apart for `radius`.
phx_result phxi_skin_bind(phxi_heap* heap, phxi_binding* binding, int particles, double radius, phx_skin_kind kind);
void phxi_skin_unbind(phxi_binding* binding);
/// 3 positions and 9 numbers of F (by rows) a particle in; 3 of the position and 3 of the normal a point out.
void phxi_skin_move(const phxi_binding* binding, const double* positions, const double* deformations, double* points,
                    double* normals);
