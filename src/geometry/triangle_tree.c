// SPDX-License-Identifier: MIT
// Building: halve the triangles at the median of their middles along the longest side of the box of the middles, until
// few are left. The median (and not the surface area rule) bounds depth and memory for any input, the worst included:
// at most log2(n) deep, n nodes; a grid of cells could need triangles times cells.
#include "geometry/triangle_tree.h"
#include "core/hash.h"

enum { LEAF = 4 };

typedef struct builder {
    const phx_mesh* mesh;
    phxi_tree* tree;
    phx_vec3* middles; // of triangles, by triangle
    int axes;
} builder;

static double component(phx_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static phxi_box triangle_box(const phx_mesh* mesh, int triangle) {
    const int* corner = mesh->triangles + 3 * (size_t)triangle;
    const phx_vec3 a = mesh->positions[corner[0]], b = mesh->positions[corner[1]], c = mesh->positions[corner[2]];
    return (phxi_box){phxi_min(a, phxi_min(b, c)), phxi_max(a, phxi_max(b, c))};
}

// Moves the `half` triangles with the smallest middles to the front (Hoare's selection). The pivot is hashed: no
// order of triangles in a file makes this quadratic.
static void split_median(const builder* b, int first, int count, int half, int axis) {
    int* order = b->tree->order;
    int low = first, high = first + count - 1;
    const int target = first + half;
    while (low < high) {
        const uint64_t draw = phxi_hash_pair((uint64_t)low, (uint64_t)high);
        const double pivot = component(b->middles[order[low + (int)(draw % (uint64_t)(high - low + 1))]], axis);
        int i = low, j = high;
        while (i <= j) {
            while (component(b->middles[order[i]], axis) < pivot) {
                ++i;
            }
            while (component(b->middles[order[j]], axis) > pivot) {
                --j;
            }
            if (i <= j) {
                const int swap = order[i];
                order[i++] = order[j];
                order[j--] = swap;
            }
        }
        if (target <= j) {
            high = j;
        } else if (target >= i) {
            low = i;
        } else {
            return;
        }
    }
}

static int longest_axis(const builder* b, int first, int count) {
    const int* order = b->tree->order;
    phxi_box box = {b->middles[order[first]], b->middles[order[first]]};
    for (int i = first + 1; i < first + count; ++i) {
        box.low = phxi_min(box.low, b->middles[order[i]]);
        box.high = phxi_max(box.high, b->middles[order[i]]);
    }
    const phx_vec3 size = phxi_sub(box.high, box.low);
    int best = -1;
    for (int axis = 0; axis < 3; ++axis) {
        if ((b->axes >> axis & 1) && (best < 0 || component(size, axis) > component(size, best))) {
            best = axis;
        }
    }
    return best;
}

static void build_branch(const builder* b, int first, int count) {
    phxi_tree* tree = b->tree;
    const int self = tree->node_count++;
    phxi_tree_node* node = &tree->nodes[self];
    if (count <= LEAF) {
        node->box = triangle_box(b->mesh, tree->order[first]);
        for (int i = first + 1; i < first + count; ++i) {
            const phxi_box box = triangle_box(b->mesh, tree->order[i]);
            node->box = (phxi_box){phxi_min(node->box.low, box.low), phxi_max(node->box.high, box.high)};
        }
    } else {
        const int half = count / 2;
        split_median(b, first, count, half, longest_axis(b, first, count));
        build_branch(b, first, half);
        const int right = tree->node_count;
        build_branch(b, first + half, count - half);
        const phxi_box *one = &tree->nodes[self + 1].box, *two = &tree->nodes[right].box;
        node->box = (phxi_box){phxi_min(one->low, two->low), phxi_max(one->high, two->high)};
    }
    node->first = first;
    node->count = count;
    node->next = tree->node_count;
}

phx_result phxi_tree_create(phxi_heap* heap, const phx_mesh* mesh, int axes, phxi_tree* tree) {
    *tree = (phxi_tree){0};
    const int count = mesh->triangle_count;
    // A leaf has at least two triangles unless it is the root, so there are at most `count` nodes.
    tree->nodes = phxi_alloc(heap, (size_t)count, sizeof *tree->nodes, "triangle tree");
    tree->order = phxi_alloc(heap, (size_t)count, sizeof *tree->order, "triangle tree");
    phx_vec3* middles = phxi_alloc(heap, (size_t)count, sizeof *middles, "triangle tree");
    if (!tree->nodes || !tree->order || !middles) {
        phxi_free(heap, middles);
        phxi_tree_destroy(heap, tree);
        return PHX_ERROR_MEMORY;
    }
    for (int t = 0; t < count; ++t) {
        const phxi_box box = triangle_box(mesh, t);
        middles[t] = phxi_scale(0.5, phxi_add(box.low, box.high));
        tree->order[t] = t;
    }
    const builder b = {mesh, tree, middles, axes};
    if (count > 0) {
        build_branch(&b, 0, count);
    }
    phxi_free(heap, middles);
    return PHX_OK;
}

void phxi_tree_destroy(phxi_heap* heap, phxi_tree* tree) {
    phxi_free(heap, tree->nodes);
    phxi_free(heap, tree->order);
    *tree = (phxi_tree){0};
}
