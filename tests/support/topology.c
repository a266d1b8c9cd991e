// SPDX-License-Identifier: MIT
#include "support/topology.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int compare_edges(const void* a, const void* b) {
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

static int compare_triangles(const void* a, const void* b) {
    return memcmp(a, b, 3 * sizeof(int));
}

static int root_of(int* parent, int i) {
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

static uint64_t edge_key(int from, int to) {
    return (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
}

static void count_edges(uint64_t* edges, int count, phxt_topology* t, int* undirected) {
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int i = 0; i < count; ++i) {
        uint64_t reverse = edges[i] << 32 | edges[i] >> 32;
        bool has_reverse = bsearch(&reverse, edges, (size_t)count, sizeof *edges, compare_edges) != NULL;
        bool first = i == 0 || edges[i] != edges[i - 1];
        t->repeated += !first;
        t->open += first && !has_reverse;
        *undirected += first && (!has_reverse || edges[i] < reverse);
    }
}

static int duplicates(const int* indices, int triangles, int (*sorted)[3]) {
    for (int i = 0; i < triangles; ++i) {
        int* s = sorted[i];
        memcpy(s, indices + 3 * i, 3 * sizeof(int));
        for (int k = 0; k < 3; ++k) { // bubble three numbers
            int j = k % 2;
            if (s[j] > s[j + 1]) {
                int swap = s[j];
                s[j] = s[j + 1];
                s[j + 1] = swap;
            }
        }
    }
    qsort(sorted, (size_t)triangles, sizeof *sorted, compare_triangles);
    int count = 0;
    for (int i = 1; i < triangles; ++i) {
        count += memcmp(sorted[i], sorted[i - 1], sizeof *sorted) == 0;
    }
    return count;
}

// Corners of one vertex are joined where their triangles share an edge at it; each vertex must keep one group.
// (Vertices on an open border keep one group, too.)
static int pinched(const int* indices, int triangles, const uint64_t* edges, const int* corner_of_edge, int* parent,
                   int vertices, int* groups) {
    int corners = 3 * triangles;
    for (int i = 0; i < corners; ++i) {
        parent[i] = i;
    }
    for (int i = 0; i < corners; ++i) {
        int base = i / 3 * 3, a = indices[i], b = indices[base + (i + 1) % 3];
        uint64_t reverse = edge_key(b, a);
        const uint64_t* found = bsearch(&reverse, edges, (size_t)corners, sizeof *edges, compare_edges);
        if (found) {
            int other = corner_of_edge[found - edges]; // its vertex is b, the next one is a
            int next = other / 3 * 3 + (other + 1) % 3;
            parent[root_of(parent, i)] = root_of(parent, next);
            parent[root_of(parent, base + (i + 1) % 3)] = root_of(parent, other);
        }
    }
    memset(groups, 0, (size_t)vertices * sizeof *groups);
    int count = 0;
    for (int i = 0; i < corners; ++i) {
        count += root_of(parent, i) == i && ++groups[indices[i]] == 2;
    }
    return count;
}

bool phxt_topology_of(const int* indices, int triangles, int vertices, phxt_topology* t) {
    *t = (phxt_topology){0};
    int corners = 3 * triangles, undirected = 0, used = 0;
    uint64_t* edges = malloc((size_t)(corners + 1) * sizeof *edges);
    int* corner = malloc((size_t)(corners + 1) * sizeof *corner);
    int* parent = malloc((size_t)(corners + vertices + 1) * sizeof *parent);
    int* groups = calloc((size_t)vertices + 1, sizeof *groups);
    int(*sorted)[3] = malloc((size_t)(triangles + 1) * sizeof *sorted);
    bool good = edges && corner && parent && groups && sorted;
    if (good) {
        for (int i = 0; i < corners; ++i) {
            int base = i / 3 * 3, next = indices[base + (i + 1) % 3];
            edges[i] = edge_key(indices[i], next);
            t->degenerate += indices[i] == next;
            used += groups[indices[i]]++ == 0;
        }
        count_edges(edges, corners, t, &undirected);
        for (int i = 0; i < corners; ++i) {
            uint64_t key = edge_key(indices[i], indices[i / 3 * 3 + (i + 1) % 3]);
            const uint64_t* found = bsearch(&key, edges, (size_t)corners, sizeof *edges, compare_edges);
            corner[found - edges] = i;
        }
        t->duplicate = duplicates(indices, triangles, sorted);
        t->euler = used - undirected + triangles;
        t->pinched = t->repeated ? 0 : pinched(indices, triangles, edges, corner, parent, vertices, groups);
        for (int i = 0; i < vertices; ++i) {
            parent[i] = i;
        }
        t->pieces = used;
        for (int i = 0; i < corners; ++i) {
            int a = root_of(parent, indices[i]), b = root_of(parent, indices[i / 3 * 3 + (i + 1) % 3]);
            t->pieces -= a != b;
            parent[a] = b;
        }
    }
    free(edges);
    free(corner);
    free(parent);
    free(groups);
    free(sorted);
    return good;
}

double phxt_volume_of(const double* positions, const int* indices, int triangles) {
    double sum = 0;
    for (int i = 0; i < triangles; ++i) {
        const double *a = positions + 3 * indices[3 * i], *b = positions + 3 * indices[3 * i + 1],
                     *c = positions + 3 * indices[3 * i + 2];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

double phxt_area_of(const double* positions, const int* indices, int triangles) {
    double sum = 0;
    for (int i = 0; i < triangles; ++i) {
        const double *a = positions + 3 * indices[3 * i], *b = positions + 3 * indices[3 * i + 1],
                     *c = positions + 3 * indices[3 * i + 2];
        double u[3], v[3];
        for (int k = 0; k < 3; ++k) {
            u[k] = b[k] - a[k];
            v[k] = c[k] - a[k];
        }
        double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2], z = u[0] * v[1] - u[1] * v[0];
        sum += sqrt(x * x + y * y + z * z) / 2;
    }
    return sum;
}
