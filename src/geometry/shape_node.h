// SPDX-License-Identifier: MIT
// How a shape is kept, shared by shape.c (use), shape_parse.c (text) and shape_kinds.c (distances).
//
// A shape is one array of nodes, each followed by its children (prefix order), so that a whole expression is one block
// of memory and is walked without pointers. One table lists the kinds; a new kind is one row and three short functions.
//
// Every kind's function f has |grad f| <= 1 and f < 0 exactly inside. Hence |f(p)| is never more than the distance from
// p to the surface: the samplers skip by it, and a combination of such functions by min, max, or a mean is one again.
#pragma once

#include "core/array.h"
#include "geometry/shape.h"

#define PHXI_SHAPE_ARGUMENTS 4

typedef struct phxi_shape_node phxi_shape_node;

typedef enum phxi_shape_rule {
    PHXI_SHAPE_ANY,
    PHXI_SHAPE_POSITIVE,     // every component at least 1e-15
    PHXI_SHAPE_NOT_NEGATIVE, // every component
    PHXI_SHAPE_NOT_ZERO,     // as a vector
} phxi_shape_rule;

typedef struct phxi_shape_argument {
    const char* name;
    size_t offset; // in the node: a double, or a phx_vec3
    bool vector, required;
    phxi_shape_rule rule;
    phx_vec3 initial; // x alone for a number
} phxi_shape_argument;

typedef struct phxi_shape_kind {
    const char* name;
    const char* help; // signature, two blanks, one line
    phxi_shape_argument arguments[PHXI_SHAPE_ARGUMENTS];
    int min_children, max_children;
    /// Derives the node's last fields; gives what is wrong with the arguments together, or NULL.
    const char* (*prepare)(phxi_shape_node* node);
    /// The distance, and its gradient if that is not NULL.
    double (*evaluate)(const phxi_shape_node* node, phx_vec3 point, phx_vec3* gradient);
    /// A box around where the distance is below `margin`: infinite where that is, low > high if it is nowhere.
    phxi_box (*bounds)(const phxi_shape_node* node, double margin);
} phxi_shape_kind;

struct phxi_shape_node {
    const phxi_shape_kind* kind;
    int size;      // nodes of this subtree with itself: the next sibling is at node + size
    phx_vec3 a, b; // center, from, point, offset, axis | size, radii, to, normal
    double r, s;   // radius, round, major, radius1, angle, factor | minor, radius2
    phx_vec3 axis; // unit, from a to b or along b
    double length; // of b - a
    phxi_mat3 rotation;
};

struct phxi_shape {
    PHXI_ARRAY(phxi_shape_node) nodes;
};

/// By position and by name; NULL past the end and for no such kind.
const phxi_shape_kind* phxi_shape_kind_at(int i);
const phxi_shape_kind* phxi_shape_kind_find(const char* name);

/// Far away is far enough: with coordinates up to 1e60 no square in a distance overflows.
static inline phx_vec3 phxi_shape_clamp(phx_vec3 p) {
    return phxi_vec3(fmin(fmax(p.x, -1e60), 1e60), fmin(fmax(p.y, -1e60), 1e60), fmin(fmax(p.z, -1e60), 1e60));
}
