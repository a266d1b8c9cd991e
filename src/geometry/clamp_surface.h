// SPDX-License-Identifier: MIT
// The surface of what is going to be held of a body: the sampling `conforming` puts nodes on it, so that the body can
// end there (methods/shared/clamp.h). In the frame of the body before it is turned and moved.
#pragma once

#include "geometry/shape.h"

typedef struct phxi_clamp_surface {
    phxi_shape* shape; // NULL: nothing is
    phxi_mat3 turn;    // a point p of the body is at turn p + shift
    phx_vec3 shift;
} phxi_clamp_surface;

/// Of the region `text`; NULL and "": nothing.
phx_result phxi_clamp_surface_create(phxi_heap* heap, const char* text, const phxi_mat3* turn, phx_vec3 shift,
                                     phxi_clamp_surface* clamp);
void phxi_clamp_surface_destroy(phxi_heap* heap, phxi_clamp_surface* clamp); // fine on a zeroed one
/// Signed distance, infinite without a region; its gradient.
double phxi_clamp_distance(const phxi_clamp_surface* clamp, phx_vec3 point, phx_vec3* normal);
/// Goes to the surface if it is nearer than `most`; exact for flat ones.
bool phxi_clamp_closest(const phxi_clamp_surface* clamp, phx_vec3 point, double most, phx_vec3* on);

enum { PHXI_MOST_CUTS = 64 };
/// Where flat parts of the surface cross a box at right angles to axis 0, 1 or 2: ascending coordinates, no nearer than
/// `apart` to each other and the ends of the box. Returns how many.
int phxi_clamp_cuts(const phxi_clamp_surface* clamp, const phxi_box* box, int axis, double apart,
                    double cuts[PHXI_MOST_CUTS]);
