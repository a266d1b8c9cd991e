// SPDX-License-Identifier: MIT
// Points on a sparse grid: the characteristic function of particles (docs/theory/surfaces.md (1)),
//
//   chi(x) = sum_j V_j W(x - x_j),   V_j = 1 / sum_k W(x_j - x_k),   W = (h^2 - r^2)^3 for r < h,
//
// whose constant factor cancels (and with it the determinant of a stretched kernel). Lengths are in cells of the grid.
// A point is the node below it and what is left: a whole number and a fraction. Differences to nodes are then exact to
// rounding of the fraction and do not depend on the block of nodes that asks, so two blocks that share a node compute
// the same bits for it.
//
// Points are sorted into bins (cubes of nodes with an edge of at least h), bins by z, y, x; what is empty costs
// nothing, so memory follows the points and not the box around them.
#pragma once

#include "surface/marching_cubes.h"

/// A point.
typedef struct phxi_grain {
    int x, y, z;   // node below
    float u, v, w; // beyond it, 0 to 1
    float volume;  // V_j
    int index;     // in the arrays of the caller
} phxi_grain;

typedef struct phxi_cloud {
    phxi_heap* heap;
    phx_vec3 origin; // m, of node 0
    double cell;     // m
    float reach;     // h, in cells
    int bin;         // nodes a side of a bin, at least h
    phxi_grain* grains;
    int count;
    phxi_place* bins; // those that are not empty, ascending
    int* bin_start;   // first grain of each, and the end
    int bin_count;
    int* row_start; // first bin of each row (y, z), and the end
    int row_count;
    phxi_place* blocks; // of nodes that some point reaches, ascending
    int block_count;
    float (*shapes)[6]; // xx, yy, zz, xy, xz, yz a grain: W = (1 - d^T S d)^3; NULL: round
} phxi_cloud;

/// `reach` in cells, 1 to 64. Positions must be finite; an error names one that is too far from the others.
phx_result phxi_cloud_create(phxi_heap* heap, phxi_pool* pool, const double* positions, int count, double cell,
                             double reach, phxi_cloud* cloud);
void phxi_cloud_destroy(phxi_cloud* cloud);
/// Places in ascending order, each of them once, on the heap. Coordinates are not negative.
phx_result phxi_places_unique(phxi_heap* heap, const phxi_place* places, int count, phxi_place** unique, int* kept);
/// Computes V_j of all grains, each with its own kernel.
phx_result phxi_cloud_find_volumes(phxi_cloud* cloud, phxi_pool* pool);

/// Grains of the bins low ... high (inclusive) along x of row (y, z).
typedef struct phxi_grain_range {
    int begin, end;
} phxi_grain_range;
phxi_grain_range phxi_cloud_row(const phxi_cloud* cloud, int y, int z, int low, int high);

/// The bins with grains that can reach the 16^3 nodes from this one on.
void phxi_cloud_node_bins(const phxi_cloud* cloud, phxi_place node, phxi_place* low, phxi_place* high);

/// The values of a block: chi at its nodes (an phxi_iso_source's sample; context: the cloud).
bool phxi_cloud_sample(void* cloud, phxi_place block, float* values);
/// The distance to the nearest point at the 16^3 nodes from `base` on, in cells, the reach at most; x fastest.
void phxi_cloud_nearest(const phxi_cloud* cloud, phxi_place base, float* values);

/// Grains of a box of bins side by side, relative to a node: loops over neighbours read these arrays.
typedef struct phxi_stage {
    float *x, *y, *z; // padded with points far away
    float* volume;
    int* grain; // which
    int count, padded;
    int capacity;
} phxi_stage;
phx_result phxi_stage_add(const phxi_cloud* cloud, phxi_stage* stage, phxi_grain_range range, phxi_place base);
phx_result phxi_stage_pad(const phxi_cloud* cloud, phxi_stage* stage);
/// All grains of a bin and of the bins around it (one layer: all that reach into it), relative to its first node.
phx_result phxi_stage_bin(const phxi_cloud* cloud, phxi_stage* stage, int bin, int layers);
void phxi_stage_destroy(const phxi_cloud* cloud, phxi_stage* stage);
