// SPDX-License-Identifier: MIT
// A body cut into cells, its particles bonded, and cracks made by hand.
#pragma once

#include "geometry/cell_complex.h"
#include "geometry/sample.h"
#include "methods/method.h"

typedef struct phxt_cracked {
    phxi_heap heap;
    phx_mesh* mesh;
    phxi_samples samples;
    phxi_cell_complex* cells;
    int (*bonds)[2];
    int bond_count;
    int *fragment, *root;
    int (*cut)[2];
    phx_vec3 *points, *normals;
    phxi_cracks cracks;
} phxt_cracked;

/// From a body's definition; bonds reach 1.8 spacings. False (and a failure) if it cannot be made.
bool phxt_cracked_create(phxt_cracked* body, const phx_body_def* def);
void phxt_cracked_destroy(phxt_cracked* body);
/// Breaks bonds: those for which `is_cut` gives true, with the plane it tells (normal 0: none), and labels fragments.
typedef bool phxt_cutter(const phxt_cracked* body, int i, int j, phx_vec3* point, phx_vec3* normal, void* context);
void phxt_cracked_cut(phxt_cracked* body, phxt_cutter* is_cut, void* context);
/// A cutter: bonds that pass one of the planes in the context. Partial: only above z = `above`.
typedef struct phxt_planes {
    int count;
    phx_vec3 point[16], normal[16];
    double above;
} phxt_planes;
phxt_cutter phxt_cut_planes;
/// Planes through a box at random.
phxt_planes phxt_random_planes(int count, phx_vec3 low, phx_vec3 high, uint64_t seed);
