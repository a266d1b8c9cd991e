// SPDX-License-Identifier: MIT
// The inside of a phx_frame: positions in double, fields in float, all on one heap of its own.
#pragma once

#include <phyxel/frame.h>
#include "core/array.h"
#include "neighbors/neighbors.h"

struct phx_frame {
    phxi_heap heap; // owns the frame itself, too
    int points, triangles;
    double time;
    double* positions;                  // 3 a point
    int* indices;                       // 3 a triangle
    PHXI_ARRAY(phx_frame_field) fields; // names and values on the heap
};

/// The distance of neighbouring points: mean of the field "spacing" if there is one, else the median distance to the
/// nearest of the others over a sample of points (1 for a single point).
double phxi_frame_spacing(const phx_frame* frame);

/// Positions as a search for neighbours takes them, in one block of the heap that begins at `x`.
phx_result phxi_frame_points_of(phxi_heap* heap, const double* positions, int count, phxi_points* points);
/// Puts the points, triangles and fields of `part` into `all` from this point and triangle on.
phx_result phxi_frame_append(phx_frame* all, const phx_frame* part, int point, int triangle);
/// Takes a field away, if it is there.
void phxi_frame_drop(phx_frame* frame, const char* field);
/// A frame with the same points, triangles and fields.
phx_result phxi_frame_copy(const phx_frame* frame, phx_frame** copy);
