// SPDX-License-Identifier: MIT
// The adaptive octree of the melting paper: a node is split into its non-empty octants while it holds more than ten
// points. It adapts to clusters where cells of one size cannot, and costs more per point.
//
// A node keeps the tight box of its points, not the octant: pruning is sharper, and exact without any slack, because
// the distance to a box is computed by the operations of the pair test and rounding is monotone. A tight box of more
// than one point always splits in two or more; only coincident points and the depth limit make larger leaves.
#include "neighbors/engine.h"

#include <math.h>
#include <string.h>

enum { LEAF = 10, DEPTH = 64, STACK = DEPTH * 7 + 8, GRAIN = 256 };

enum { ROOM_NODES, ROOM_INDEX, ROOM_SCRATCH };

typedef struct node {
    phx_real low[3], high[3]; // of its points
    phx_real radius;          // largest of its points
    int begin, end;           // of the sorted points
    int child, children;      // its children follow each other; none: a leaf
} node;

typedef struct tree {
    phxi_scan scan;
    const phxi_query* query;
    phxi_search* search;
    const phx_real* axes[3];
    node* nodes;
    int count;
    int* index; // sorted: number of the point
    int* scratch;
} tree;

// ------------------------------------------------------------------------------------------------------------- build

static void bound(const tree* t, node* n) {
    n->radius = 0;
    for (int a = 0; a < 3; ++a) {
        n->low[a] = n->high[a] = t->axes[a][t->index[n->begin]];
    }
    for (int s = n->begin; s < n->end; ++s) {
        int i = t->index[s];
        for (int a = 0; a < 3; ++a) {
            phx_real v = t->axes[a][i];
            n->low[a] = v < n->low[a] ? v : n->low[a];
            n->high[a] = v > n->high[a] ? v : n->high[a];
        }
        if (t->query->radii && t->query->radii[i] > n->radius) {
            n->radius = t->query->radii[i];
        }
    }
}

// Sorts the points of a node by octant, stably; ends[o] is where octant o ends.
static void partition(const tree* t, const node* n, int ends[8]) {
    double middle[3];
    int count[8] = {0};
    for (int a = 0; a < 3; ++a) {
        middle[a] = 0.5 * (double)n->low[a] + 0.5 * (double)n->high[a];
        if (middle[a] >= (double)n->high[a]) {
            middle[a] = (double)n->low[a]; // neighbouring numbers: the middle was rounded up
        }
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int s = n->begin; s < n->end; ++s) {
            int i = t->index[s], octant = 0;
            for (int a = 0; a < 3; ++a) {
                octant |= ((double)t->axes[a][i] > middle[a]) << a;
            }
            if (pass == 0) {
                ++count[octant];
            } else {
                t->scratch[ends[octant]++] = i;
            }
        }
        for (int o = 0, sum = n->begin; o < 8 && pass == 0; ++o) {
            ends[o] = sum;
            sum += count[o];
        }
    }
    memcpy(t->index + n->begin, t->scratch + n->begin, (size_t)(n->end - n->begin) * sizeof *t->index);
}

static phx_result split(tree* t, int at, int depth) {
    node n = t->nodes[at];
    bool point = n.low[0] == n.high[0] && n.low[1] == n.high[1] && n.low[2] == n.high[2];
    if (n.end - n.begin <= LEAF || depth == DEPTH || point) {
        return PHX_OK;
    }
    int ends[8];
    partition(t, &n, ends);
    node* nodes = phxi_room_take(t->search->heap, &t->search->rooms[ROOM_NODES], (int64_t)t->count + 8, sizeof *nodes);
    if (!nodes) {
        return PHX_ERROR_MEMORY;
    }
    t->nodes = nodes;
    n.child = t->count;
    for (int o = 0, begin = n.begin; o < 8; begin = ends[o++]) {
        if (begin < ends[o]) {
            nodes[t->count] = (node){.begin = begin, .end = ends[o]};
            bound(t, &nodes[t->count++]);
            ++n.children;
        }
    }
    nodes[at] = n;
    for (int c = n.child; c < n.child + n.children; ++c) {
        PHXI_TRY(split(t, c, depth + 1));
    }
    return PHX_OK;
}

static phx_result build(phxi_search* search, const phxi_query* query, tree* t) {
    int count = query->points.count;
    *t = (tree){.query = query, .search = search, .axes = {query->points.x, query->points.y, query->points.z}};
    t->nodes = phxi_room_take(search->heap, &search->rooms[ROOM_NODES], count / 2 + 8, sizeof *t->nodes);
    t->index = phxi_room_take(search->heap, &search->rooms[ROOM_INDEX], count, sizeof *t->index);
    t->scratch = phxi_room_take(search->heap, &search->rooms[ROOM_SCRATCH], count, sizeof *t->scratch);
    if (!t->nodes || !t->index || !t->scratch) {
        return PHX_ERROR_MEMORY;
    }
    if (count == 0) {
        return PHX_OK;
    }
    for (int i = 0; i < count; ++i) {
        t->index[i] = i;
    }
    t->nodes[0] = (node){.begin = 0, .end = count};
    bound(t, &t->nodes[0]);
    t->count = 1;
    return split(t, 0, 0);
}

// ------------------------------------------------------------------------------------------------------------- query

static double outside(double low, double high, double v) {
    return v < low ? low - v : v > high ? v - high : 0;
}

// Never more than phxi_square_distance to a point in the box.
static double square_to_box(const node* n, const double* p) {
    return phxi_square_distance(outside((double)n->low[0], (double)n->high[0], p[0]),
                                outside((double)n->low[1], (double)n->high[1], p[1]),
                                outside((double)n->low[2], (double)n->high[2], p[2]));
}

static double square_to_point(const tree* t, const double* p, int j) {
    return phxi_square_distance(p[0] - (double)t->axes[0][j], p[1] - (double)t->axes[1][j],
                                p[2] - (double)t->axes[2][j]);
}

static bool scan_leaf(const tree* t, const node* n, const double* p, int i, phxi_row_writer* writer) {
    int* row = phxi_row_room(writer, n->end - n->begin);
    double radius = phxi_radius(t->query, i);
    int found = 0;
    for (int s = n->begin; row && s < n->end; ++s) {
        int j = t->index[s];
        if (square_to_point(t, p, j) < phxi_square_limit(radius, phxi_radius(t->query, j)) && j != i) {
            row[found++] = j;
        }
    }
    phxi_row_add(writer, found);
    return row != NULL;
}

static bool scan_point(const tree* t, int i, phxi_row_writer* writer) {
    double p[3] = {(double)t->axes[0][i], (double)t->axes[1][i], (double)t->axes[2][i]};
    double radius = phxi_radius(t->query, i);
    int stack[STACK], height = 0;
    stack[height++] = 0;
    while (height > 0) {
        const node* n = &t->nodes[stack[--height]];
        double reach = t->query->radii ? (double)n->radius : radius;
        if (!(square_to_box(n, p) < phxi_square_limit(radius, reach))) {
            continue;
        }
        if (n->children == 0 && !scan_leaf(t, n, p, i, writer)) {
            return false;
        }
        for (int c = 0; c < n->children; ++c) {
            stack[height++] = n->child + c;
        }
    }
    phxi_row_finish(writer, i);
    return true;
}

static void scan_block(void* context, int begin, int end, int block) {
    const tree* t = context;
    phxi_row_writer writer = phxi_row_writer_of(&t->scan);
    (void)block;
    for (int s = begin; s < end && scan_point(t, t->index[s], &writer); ++s) {
    }
}

static phx_result octree_pairs(phxi_search* search, const phxi_query* query, phxi_lists* lists) {
    tree t;
    PHXI_TRY(build(search, query, &t));
    return phxi_rows_collect(search, query, scan_block, &t.scan, lists);
}

// Puts the children on the stack, nearest on top.
static int push_children(const tree* t, const node* n, const double* p, int* stack, int height) {
    double square[8];
    for (int c = 0; c < n->children; ++c) {
        double here = square_to_box(&t->nodes[n->child + c], p);
        int at = c;
        for (; at > 0 && square[at - 1] < here; --at) {
            square[at] = square[at - 1];
            stack[height + at] = stack[height + at - 1];
        }
        square[at] = here;
        stack[height + at] = n->child + c;
    }
    return height + n->children;
}

static void nearest_block(void* context, int begin, int end, int block) {
    const tree* t = context;
    (void)block;
    for (int s = begin; s < end; ++s) {
        int i = t->index[s];
        double p[3] = {(double)t->axes[0][i], (double)t->axes[1][i], (double)t->axes[2][i]};
        phxi_best best = {.k = t->query->k};
        int stack[STACK], height = 0;
        stack[height++] = 0;
        while (height > 0) {
            const node* n = &t->nodes[stack[--height]];
            if (!phxi_best_wants(&best, square_to_box(n, p))) {
                continue;
            }
            for (int m = n->begin; n->children == 0 && m < n->end; ++m) {
                int j = t->index[m];
                double square = square_to_point(t, p, j);
                if (j != i && phxi_best_wants(&best, square)) {
                    phxi_best_offer(&best, square, j);
                }
            }
            height = push_children(t, n, p, stack, height);
        }
        phxi_best_store(&best, t->query, i);
    }
}

static phx_result octree_nearest(phxi_search* search, const phxi_query* query) {
    tree t;
    PHXI_TRY(build(search, query, &t));
    phxi_parallel_for(query->pool, query->points.count, GRAIN, nearest_block, &t);
    return PHX_OK;
}

const phxi_engine phxi_engine_octree = {octree_pairs, octree_nearest};
