// SPDX-License-Identifier: MIT
// Cracks with fronts after Pauly et al. 2005 (docs/theory/fracture.md section 6): geometry alone, in the reference
// frame.
//
//   crack_surface.c  the triangles that fronts leave behind, and what crosses them
//   crack_front.c    nodes of fronts, chained; how chains begin, part, join and end
//   crack_growth.c   where nodes go
//
// A front is the border of a crack inside the body: a chain of nodes, closed, or open with ends at the body's surface.
// Chains have an orientation: ahead = tangent x normal points out of the crack, so that which way to grow is never a
// guess. One question decides all changes of topology: is the place just ahead of a node cracked already? Then the node
// is covered, and
//
//   one front            its nodes run into each other in a dent, or at the last of a closing ring: covered nodes are
//                        taken out, and their neighbours become neighbours
//   two fronts           that meet, in whatever way: covered nodes part their chains, and ends that are left side by
//                        side become neighbours, so that there is one front around both cracks
//
// The other way to die is to leave the body, or to run into the side of another crack. All inside nodes of a chain are
// alive; a dead node is only ever the end of a chain that still lives: the place from which the rest of it goes on.
#pragma once

#include "methods/efg/fracture/crack_surface.h"

typedef enum phxi_node_state {
    PHXI_NODE_UNUSED,
    PHXI_NODE_LIVE,
    PHXI_NODE_DEAD,    // at a surface
    PHXI_NODE_COVERED, // met another front, or another part of its own
} phxi_node_state;

typedef struct phxi_crack_node {
    phx_vec3 at, from; // now, and before the last advance, m
    phx_vec3 normal;   // of the crack's surface here
    phx_vec3 ahead;    // out of the crack, in its surface
    double pending;    // m, advance that was too short to be made yet
    int prev, next;    // -1: end of a chain; `next` also links unused nodes
    int crack;
    int state; // phxi_node_state
} phxi_crack_node;

/// A chain of live nodes, as found by phxi_cracks_find_chains.
typedef struct phxi_crack_chain {
    int first, count;
    bool closed;
} phxi_crack_chain;

typedef struct phxi_crack_set {
    double spacing; // a, m
    PHXI_ARRAY(phxi_crack_node) nodes;
    int unused;             // first unused node, -1: none
    PHXI_ARRAY(int) parent; // of a crack: a lower one it has joined, or itself
    phxi_crack_surface surface;
    PHXI_ARRAY(phxi_crack_chain) chains;
    PHXI_ARRAY(bool) seen;    // nodes, while chains are found
    PHXI_ARRAY(double) reach; // of a node in this step, m
} phxi_crack_set;

/// The body, as fronts see it.
typedef struct phxi_crack_medium {
    void* context;
    /// Whether there is a particle ahead of a point, near enough to go on.
    bool (*solid)(void* context, phx_vec3 at, phx_vec3 ahead);
    /// Largest principal stress at a point over strength, and the normal of the plane it acts on (unit, any sign);
    /// 0: not known.
    double (*tension)(void* context, phx_vec3 at, phx_vec3* normal);
    double speed; // m/s, of a front where stress is just the strength
} phxi_crack_medium;

/// For a new set: zeros, then this.
void phxi_cracks_init(phxi_crack_set* set, double spacing);
void phxi_cracks_destroy(phxi_crack_set* set, phxi_heap* heap);

/// A new crack: a disc of `count` nodes about a point, all of them alive.
phx_result phxi_cracks_nucleate(phxi_crack_set* set, phxi_heap* heap, phx_vec3 center, phx_vec3 normal, int count);
/// A new crack: a strip from one row of points to another, where its open front is.
phx_result phxi_cracks_add_strip(phxi_crack_set* set, phxi_heap* heap, const phx_vec3* back, const phx_vec3* front,
                                 int count);
/// Moves all fronts on by dt.
phx_result phxi_cracks_grow(phxi_crack_set* set, phxi_heap* heap, const phxi_crack_medium* medium, double dt);

/// The crack that stands for all that have joined this one.
int phxi_cracks_root(const phxi_crack_set* set, int crack);
/// Distance of a point to the nearest front of a crack and those it has joined (`crack` < 0: of all), m; INFINITY:
/// none.
double phxi_cracks_distance(const phxi_crack_set* set, int crack, phx_vec3 x);
/// Whether a node and the next are an edge of a front.
bool phxi_cracks_is_edge(const phxi_crack_set* set, int node);
/// Nearest point of the edge from a node to the next.
phx_vec3 phxi_cracks_nearest(const phxi_crack_set* set, int node, phx_vec3 x);
int phxi_cracks_live_nodes(const phxi_crack_set* set);

// Shared by crack_front.c and crack_growth.c.

phx_result phxi_cracks_find_chains(phxi_crack_set* set, phxi_heap* heap);
/// A triangle of a crack's surface.
phx_result phxi_cracks_cover(phxi_crack_set* set, phxi_heap* heap, phx_vec3 a, phx_vec3 b, phx_vec3 c, int crack);
/// Direction of a chain at a node; unit, or zero where it cannot be told.
phx_vec3 phxi_cracks_tangent(const phxi_crack_set* set, int node);
/// The triangle at a point, within half a spacing across a surface with this normal; -1: not cracked there.
int phxi_cracks_at(const phxi_crack_set* set, phx_vec3 x, phx_vec3 normal);
/// Everything that follows an advance: nodes that are covered die, dead nodes part their chains, fronts side by side
/// join, edges become neither short nor long, what is left of nothing vanishes.
phx_result phxi_cracks_mend(phxi_crack_set* set, phxi_heap* heap, const phxi_crack_medium* medium);
