// SPDX-License-Identifier: MIT
// Fields of a frame carried to another one: weighted means, or the value of the heaviest point for names and numbers.
#pragma once

#include "surface/cloud.h"
#include "surface/frame.h"

/// A field of the points and where its values go.
typedef struct phxi_carried {
    const float* from;
    float* to;
    int components;
    bool nearest; // "body", "id": a mean would name something else
} phxi_carried;

typedef struct phxi_carriage {
    phxi_carried* fields;
    int count, components; // of all fields together
} phxi_carriage;

/// Adds all fields of `from` to `to`, except "normal"; the list is on `heap`.
phx_result phxi_carriage_create(phxi_heap* heap, const phx_frame* from, phx_frame* to, phxi_carriage* carriage);
/// Starts a mean in `sums` (one number a component).
void phxi_carriage_begin(const phxi_carriage* carriage, double* sums);
void phxi_carriage_add(const phxi_carriage* carriage, double* sums, int point, double weight);
/// Writes the means to a point; `total` is the sum of the weights, `heaviest` the point with the largest (-1: none).
void phxi_carriage_end(const phxi_carriage* carriage, const double* sums, double total, int heaviest, int to);

/// The field "normal" (-grad chi / |grad chi|) and all fields of the points, means by V_j W, at the vertices of a
/// surface in the cells of the cloud.
phx_result phxi_surface_attributes(const phxi_cloud* cloud, phxi_pool* pool, const phxi_iso* iso,
                                   const phx_frame* points, phx_frame* surface);
