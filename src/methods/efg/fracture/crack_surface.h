// SPDX-License-Identifier: MIT
// Surfaces of cracks in the reference frame: triangles that are only ever added, found by a hash grid of cells one
// spacing wide. What is asked of them is where a segment crosses: the step of a front, or the line between two
// neighbouring particles.
#pragma once

#include "core/array.h"
#include "math/vec3.h"

typedef struct phxi_crack_triangle {
    phx_vec3 corner[3];
    int crack;
    int padding; // zero: triangles are saved as they lie in memory
} phxi_crack_triangle;

/// A triangle in one of the cells its box overlaps.
typedef struct phxi_crack_entry {
    int cell[3];
    int triangle, next;
} phxi_crack_entry;

typedef struct phxi_crack_surface {
    double cell; // m
    PHXI_ARRAY(phxi_crack_triangle) triangles;
    PHXI_ARRAY(phxi_crack_entry) entries;
    int* heads; // of chains of entries
    int head_count;
} phxi_crack_surface;

void phxi_crack_surface_destroy(phxi_crack_surface* surface, phxi_heap* heap);
/// A triangle without area is left out.
phx_result phxi_crack_surface_add(phxi_crack_surface* surface, phxi_heap* heap, const phx_vec3 corner[3], int crack);
/// Rebuilds the grid after triangles were inserted or removed.
phx_result phxi_crack_surface_index(phxi_crack_surface* surface, phxi_heap* heap);

/// Whether the segment crosses the triangle, borders included; *t is the share of the way. Segments in its plane do
/// not.
bool phxi_crack_triangle_cut(const phxi_crack_triangle* triangle, phx_vec3 from, phx_vec3 to, double* t);
/// The first triangle that the segment crosses later than `after` (share of the way) and at an angle whose sine is
/// above `steepness`; -1: none.
int phxi_crack_surface_cut(const phxi_crack_surface* surface, phx_vec3 from, phx_vec3 to, double after,
                           double steepness, double* t);
