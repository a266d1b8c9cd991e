// SPDX-License-Identifier: MIT
// From a mesh or a shape to particles with volumes that sum to its volume (docs/theory/discretisation.md (1)).
//
//   uniform  one particle in the middle of each cell, with the volume of the cell that is inside
//   bcc      the points of a body-centred cubic lattice that are inside, all of one volume
//   octree   uniform cells of `spacing`, those at the surface halved `levels` times, neighbours differing by one
//            halving
//   blue_noise  points without a lattice, evenly apart, each with the volume that is nearest to it
//   conforming  nodes on the surface, corners and sharp edges kept, and on a lattice that fits the body inside, with
//   the
//            volumes of their cells; sheets and rods of one layer as `uniform`
//   vertices one particle at each corner of the cells of `uniform`, which share their volumes among their corners
//
// Light particles make small time steps, so uniform and octree give away what a cell at the surface holds if that is
// less than a third of it: to its fullest face neighbours that hold a third or more. A cell stays a particle where
// there is no such neighbour (thin parts) or where it joins cells that would not touch without it (necks). What is
// below a tenth and cannot be given away is dropped. In the end one factor brings the sum of all volumes to the exact
// one.
#pragma once

#include "geometry/inside.h"
#include "geometry/shape.h"

enum { PHXI_MAX_LEVELS = 6 }; // of an octree

typedef struct phxi_samples {
    phx_vec3* positions;
    double* volumes;
    double* spacings; // local distance of particles: edge of cells (uniform, vertices) or leaves (octree), lattice
                      // constant (bcc)
    phx_vec3* areas;  // outward area vector of what each particle owns of the surface (m^2), zero inside; NULL: the
                      // sampling puts no particles on the surface (surface_shares.h)
    double* sizes;    // how much of the surface each particle owns (m^2), where `areas` are known
    double thickness; // m, of the body under half of its surface, or more (conforming); 0: not known
    int count;
} phxi_samples;

/// As the definition says (mesh or shape, scale, rotate, translate, spacing, sampling, levels, jitter). Arrays belong
/// to `heap`. Refuses more than 50 million cells, empty results ("no particle fits: spacing 0.1 m, the body is 0.02 m
/// thick"). Jitter moves each coordinate by up to that fraction of the local spacing, the same way every time.
phx_result phxi_sample_body(phxi_heap* heap, const phx_body_def* def, phxi_samples* samples, phx_sample_report* report);
/// Whether the body, before it is turned, is too thin for two layers of nodes: then `conforming` is `uniform`.
phx_result phxi_sample_is_sheet(phxi_heap* heap, const phx_body_def* def, bool* sheet);
void phxi_samples_destroy(phxi_heap* heap, phxi_samples* samples);
