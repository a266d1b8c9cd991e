// SPDX-License-Identifier: MIT
// Which vertices are the same point and which edges are open, by two hash tables with linear probing.
//
// An edge counts as open when its two directions are not used equally often. That is the boundary of the triangles
// taken as a chain: where it is empty every line meets as many entries as exits, which is what the columns of inside.c
// need. Edges shared by four triangles, doubled triangles of opposite sense and triangles without area thus do no harm.
// Points are compared by position, so a mesh whose vertices are split along seams is closed if it looks closed.
#include "geometry/mesh.h"
#include "core/hash.h"

#include <string.h>

enum { EMPTY = -1 };

// A power of two that is at most half full.
static size_t table_size(size_t items) {
    size_t size = 16;
    while (size < 2 * items) {
        size *= 2;
    }
    return size;
}

static bool same_point(phx_vec3 a, phx_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static uint64_t hash_point(phx_vec3 p) {
    const double clean[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0}; // -0 becomes 0
    uint64_t bits[3];
    memcpy(bits, clean, sizeof bits);
    return phxi_hash_pair(phxi_hash_pair(bits[0], bits[1]), bits[2]);
}

phx_result phxi_mesh_weld_map(phxi_heap* heap, const phx_vec3* positions, int count, int* map) {
    const size_t size = table_size((size_t)count);
    int* slots = NULL;
    PHXI_NEW(slots, heap, size, "welding");
    memset(slots, 0xFF, size * sizeof *slots); // EMPTY
    for (int i = 0; i < count; ++i) {
        size_t slot = hash_point(positions[i]) & (size - 1);
        while (slots[slot] != EMPTY && !same_point(positions[slots[slot]], positions[i])) {
            slot = (slot + 1) & (size - 1);
        }
        if (slots[slot] == EMPTY) {
            slots[slot] = i;
        }
        map[i] = slots[slot];
    }
    phxi_free(heap, slots);
    return PHX_OK;
}

typedef struct edge {
    int low, high; // vertices; low EMPTY: a free slot
    int balance;   // uses from low to high minus uses from high to low
} edge;

static int count_open(const phx_mesh* mesh, const int* map, edge* edges, size_t size) {
    int open = 0;
    for (size_t i = 0; i < (size_t)mesh->triangle_count * 3; ++i) {
        const int from = map[mesh->triangles[i]], to = map[mesh->triangles[i % 3 == 2 ? i - 2 : i + 1]];
        if (from == to) {
            continue;
        }
        const int low = from < to ? from : to, high = from < to ? to : from;
        size_t slot = phxi_hash_pair((uint64_t)low, (uint64_t)high) & (size - 1);
        while (edges[slot].low != EMPTY && (edges[slot].low != low || edges[slot].high != high)) {
            slot = (slot + 1) & (size - 1);
        }
        if (edges[slot].low == EMPTY) {
            edges[slot] = (edge){low, high, 0};
        }
        const int before = edges[slot].balance;
        edges[slot].balance += from < to ? 1 : -1;
        open += (edges[slot].balance != 0) - (before != 0);
    }
    return open;
}

int phx_mesh_open_edges(const phx_mesh* mesh) {
    if (!mesh) {
        return 0;
    }
    phxi_heap heap; // a heap of its own: the mesh is const and may be in use by several threads
    phxi_heap_init(&heap, &mesh->heap.allocator);
    const size_t size = table_size((size_t)mesh->triangle_count * 3);
    int* map = phxi_alloc(&heap, (size_t)mesh->vertex_count, sizeof *map, "welding");
    edge* edges = phxi_alloc(&heap, size, sizeof *edges, "edges");
    int open = -1;
    if (map && edges && phxi_mesh_weld_map(&heap, mesh->positions, mesh->vertex_count, map) == PHX_OK) {
        memset(edges, 0xFF, size * sizeof *edges);
        open = count_open(mesh, map, edges, size);
    }
    phxi_heap_destroy(&heap);
    return open;
}
