// SPDX-License-Identifier: MIT
// Drops: groups of a few particles that fly apart from all others are drawn as balls of their volume. A surface made
// for the bulk would show each as the core of a particle.
#pragma once

#include "surface/frame.h"

typedef struct phxi_drop {
    double center[3], radius; // m
    int particle;             // whose fields it has
} phxi_drop;

typedef struct phxi_spray {
    bool* bulk; // by particle: no part of a drop
    phxi_drop* drops;
    int count;
} phxi_spray;

/// Memory is the heap's.
phx_result phxi_spray_find(phxi_heap* heap, const phx_frame* points, double spacing, phxi_spray* spray);
/// The surface with the drops added as balls, with the fields of their particles and normals; replaces the frame.
phx_result phxi_spray_add(const phxi_spray* spray, const phx_frame* points, phx_frame** surface);
