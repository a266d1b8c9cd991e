// SPDX-License-Identifier: MIT
// Rays against triangles or spheres. CMake builds trace_embree.c where Embree is found, else trace_none.c, whose
// tracer cannot be created (PHX_ERROR_UNSUPPORTED); render.c then falls back to the z-buffer (raster.c).
#pragma once

#include "core/heap.h"
#include "render/look.h"

/// What is drawn, in float, relative to a centre so that large coordinates keep their digits.
typedef struct phxi_drawing {
    int points, triangles;             // triangles 0: spheres
    const float* positions;            // x, y, z, radius a point
    const int* indices;                // 3 a triangle
    const float* normals;              // 3 a point, or NULL: flat
    const float* colors;               // 3 a point, linear
    const float* glow;                 // 3 a point, light that it gives off; NULL: none
    const float* roughness;            // one a point, in place of the look's; NULL: none
    const phxi_surface_look* look;     // NULL in drafts
    float radius;                      // of the whole, about the origin
    const struct phxi_drawing* beside; // drawn with it; NULL: nothing
} phxi_drawing;

typedef struct phxi_hit {
    float distance;  // along the ray; INFINITY: nothing
    float normal[3]; // unit, towards the viewer, smooth where vertices have normals
    float face[3];   // unit, of the surface itself, towards the viewer
    float color[3];
    const phxi_drawing* of; // what was hit; by rays only
    int point;              // of it, the one with the largest share in the hit
    bool from_outside;      // the side that was hit is the outer one
} phxi_hit;

typedef struct phxi_tracer phxi_tracer;

phx_result phxi_tracer_create(phxi_heap* heap, const phxi_drawing* drawing, phxi_tracer** tracer);
void phxi_tracer_destroy(phxi_heap* heap, phxi_tracer* tracer);
/// Nearest hit along a unit direction. May be called from many threads.
void phxi_tracer_hit(const phxi_tracer* tracer, const float origin[3], const float direction[3], phxi_hit* hit);
/// How many of `count` <= 8 rays from one origin hit something nearer than `reach`; directions by x, y, z, then by ray.
int phxi_tracer_blocked(const phxi_tracer* tracer, const float origin[3], const float (*directions)[8], int count,
                        float reach);
/// Whether anything lies in a direction.
bool phxi_tracer_shaded(const phxi_tracer* tracer, const float origin[3], const float direction[3]);
/// False: nothing is nearer than `reach`, for its box is not.
bool phxi_tracer_near(const phxi_tracer* tracer, const float point[3], float reach);
/// From vertex numbers and weights of a hit to normal and color; shared with raster.c.
void phxi_hit_finish(const phxi_drawing* drawing, int triangle, const float weights[3], const float direction[3],
                     phxi_hit* hit);
extern const char* const phxi_tracer_name; // NULL where there is none
