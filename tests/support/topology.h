// SPDX-License-Identifier: MIT
// What a list of triangles is: closed, oriented, in how many pieces, with how many holes.
#pragma once

#include <stdbool.h>

typedef struct phxt_topology {
    int open;       // directed edges without the opposite one
    int repeated;   // directed edges that are used twice or more
    int degenerate; // triangles that use a vertex twice
    int duplicate;  // triangles of the same three vertices as another, in any order
    int pinched;    // vertices whose triangles are not one fan
    int pieces;     // connected by vertices
    int euler;      // vertices - edges + triangles, over the vertices in use
} phxt_topology;

/// False when memory runs out.
bool phxt_topology_of(const int* indices, int triangles, int vertices, phxt_topology* topology);

/// Closed, oriented, two-manifold.
static inline bool phxt_is_closed(const phxt_topology* t) {
    return t->open == 0 && t->repeated == 0 && t->degenerate == 0 && t->duplicate == 0 && t->pinched == 0;
}

/// Signed volume inside, and area.
double phxt_volume_of(const double* positions, const int* indices, int triangles);
double phxt_area_of(const double* positions, const int* indices, int triangles);
