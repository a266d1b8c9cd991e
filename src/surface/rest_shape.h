// SPDX-License-Identifier: MIT
// A body as it was in the first frame: where its particles were and which were neighbours. From that come, for any
// later frame, the deformation that carries its skin, the tube of a rod, the sheet of a cloth. Frames hold the body's
// particles alone, in the same order.
#pragma once

#include "surface/frame.h"
#include "neighbors/neighbors.h"

typedef struct phxi_rest_shape {
    phxi_heap* heap;
    int count;
    double spacing;    // m
    double* positions; // 3 a particle
    phxi_lists near;   // within 1.8 spacings
} phxi_rest_shape;

phx_result phxi_rest_shape_create(phxi_heap* heap, const phx_frame* first, double spacing, phxi_rest_shape* shape);
void phxi_rest_shape_destroy(phxi_rest_shape* shape);

/// More than one in a hundred pairs of neighbours are three times as far apart as they were: it has flowed or is in
/// pieces, and a skin would be drawn out between them.
bool phxi_rest_shape_torn(const phxi_rest_shape* shape, const phx_frame* now);
/// Cloth and rods are torn between neighbours that are stretched more than this: twice as much as most of the body is.
phx_result phxi_rest_shape_tear(const phxi_rest_shape* shape, const phx_frame* now, double* tear);
bool phxi_rest_shape_apart(const phxi_rest_shape* shape, const phx_frame* now, int i, int j, double tear);
/// The frame with the fields that phx_skin needs: "rest", "deformation", "spacing".
phx_result phxi_rest_shape_carry(const phxi_rest_shape* shape, const phx_frame* now, phx_frame** carried);

/// Rods: tubes of a radius (m) through chains of particles, which are neighbours of two at most. False in `made`: it is
/// no such body.
phx_result phxi_rest_shape_tubes(const phxi_rest_shape* shape, const phx_frame* now, double radius, phx_frame** tubes,
                                 bool* made);
/// Cloth: a sheet of a thickness (m) through one layer of particles on a square or triangular lattice.
phx_result phxi_rest_shape_sheet(const phxi_rest_shape* shape, const phx_frame* now, double thickness,
                                 phx_frame** sheet, bool* made);
