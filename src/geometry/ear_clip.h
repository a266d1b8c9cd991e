// SPDX-License-Identifier: MIT
// Triangles for polygons with holes, several at a time, without new points: what is joined along their sides stays
// joined.
//
// A ring that turns clockwise is a hole of the smallest ring that turns the other way around it; it is joined to that
// one by a bridge. Then ears are cut off, the best shaped first. Where rounding leaves no proper ear the least bad one
// is taken: the number of triangles and their sides are right for any input, even where the shape is not.
#pragma once

#include "core/array.h"

typedef struct phxi_flat_point {
    double u, v;
    int id;
} phxi_flat_point;

typedef struct phxi_flat_triangle {
    int id[3]; // counter-clockwise
    int polygon;
} phxi_flat_triangle;

/// Fill `points` and `ring_begin` (where each ring starts), clip, read the rest; reset before the next use.
typedef struct phxi_ear_clipper {
    phxi_heap* heap;
    PHXI_ARRAY(phxi_flat_point) points;
    PHXI_ARRAY(int) ring_begin;
    PHXI_ARRAY(phxi_flat_triangle) triangles;
    PHXI_ARRAY(int) ring_polygon; // which polygon each ring bounds
    int polygon_count;
    // scratch
    PHXI_ARRAY(int) chain; // of points, with bridges walked twice
    PHXI_ARRAY(double) areas;
} phxi_ear_clipper;

void phxi_ear_reset(phxi_ear_clipper* clipper);
phx_result phxi_ear_clip(phxi_ear_clipper* clipper);
void phxi_ear_destroy(phxi_ear_clipper* clipper);
