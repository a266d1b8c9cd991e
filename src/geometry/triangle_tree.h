// SPDX-License-Identifier: MIT
// A tree of boxes over the triangles of a mesh, laid out in depth-first order: the left child of an inner node is the
// next one, `next` is the first node behind the whole branch. So a walk needs no stack:
//
//   for (int i = 0; i < tree.node_count;) {
//       if (!wanted(&tree.nodes[i])) { i = tree.nodes[i].next; continue; }
//       if (phxi_tree_is_leaf(&tree, i)) { ... tree.order[first .. first + count) ... }
//       ++i;
//   }
#pragma once

#include "geometry/mesh.h"

typedef struct phxi_tree_node {
    phxi_box box;     // around the triangles
    int first, count; // of `order`
    int next;
} phxi_tree_node;

typedef struct phxi_tree {
    phxi_tree_node* nodes; // nodes[0] is the root; none for a mesh without triangles
    int* order;            // triangles, those of a branch side by side
    int node_count;
} phxi_tree;

enum { PHXI_TREE_X = 1, PHXI_TREE_Y = 2, PHXI_TREE_Z = 4 };

/// `axes`: the directions that may be split, PHXI_TREE_X and so on: a tree for lines along x needs y and z alone.
phx_result phxi_tree_create(phxi_heap* heap, const phx_mesh* mesh, int axes, phxi_tree* tree);
void phxi_tree_destroy(phxi_heap* heap, phxi_tree* tree);
static inline bool phxi_tree_is_leaf(const phxi_tree* tree, int i) {
    return tree->nodes[i].next == i + 1;
}
