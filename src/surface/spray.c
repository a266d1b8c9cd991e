// SPDX-License-Identifier: MIT
#include "surface/spray.h"

#include "neighbors/neighbors.h"

#include <math.h>
#include <string.h>

enum { FEW = 8, RINGS = 6, SIDES = 10, VERTICES = 2 + (RINGS - 1) * SIDES, FACES = 2 * SIDES * (RINGS - 1) };
static const double link_length = 2; // particles this far apart belong together, in spacings

static int root(int* parent, int i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static phx_result find_groups(phxi_heap* heap, const phx_frame* f, double spacing, int* parent) {
    phxi_points points;
    phxi_search* search;
    phxi_lists lists = {0};
    PHXI_TRY(phxi_frame_points_of(heap, f->positions, f->points, &points));
    PHXI_TRY(phxi_search_create(heap, PHXI_SEARCH_GRID, &search));
    phx_result result = phxi_search_pairs(search, NULL, points, NULL, link_length * spacing, &lists);
    for (int i = 0; result == PHX_OK && i < f->points; ++i) {
        for (int64_t k = lists.start[i]; k < lists.start[i + 1]; ++k) {
            int a = root(parent, i), b = root(parent, lists.items[k]);
            parent[a < b ? b : a] = a < b ? a : b; // the lowest number is the root
        }
    }
    phxi_lists_destroy(heap, &lists);
    phxi_search_destroy(search);
    phxi_free(heap, (void*)(uintptr_t)points.x);
    return result;
}

phx_result phxi_spray_find(phxi_heap* heap, const phx_frame* f, double spacing, phxi_spray* spray) {
    int *parent, *size, *drop_of;
    *spray = (phxi_spray){0};
    PHXI_NEW(parent, heap, f->points, "spray");
    size = phxi_alloc_zero(heap, (size_t)f->points, sizeof *size, "spray");
    PHXI_NEW(drop_of, heap, f->points, "spray");
    PHXI_NEW(spray->bulk, heap, f->points, "spray");
    PHXI_NEW(spray->drops, heap, f->points, "spray");
    if (!size) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < f->points; ++i) {
        parent[i] = i;
    }
    PHXI_TRY(find_groups(heap, f, spacing, parent));
    for (int i = 0; i < f->points; ++i) {
        ++size[root(parent, i)];
    }
    for (int i = 0; i < f->points; ++i) { // the root is the first of its group
        int first = root(parent, i);
        spray->bulk[i] = size[first] >= FEW;
        if (spray->bulk[i]) {
            continue;
        }
        if (first == i) {
            double radius = spacing * cbrt(3 * size[i] / (4 * 3.14159265358979324));
            drop_of[i] = spray->count;
            spray->drops[spray->count++] = (phxi_drop){{0, 0, 0}, radius, i};
        }
        phxi_drop* drop = &spray->drops[drop_of[first]];
        for (int k = 0; k < 3; ++k) {
            drop->center[k] += f->positions[3 * (size_t)i + (size_t)k] / size[first];
        }
    }
    phxi_free(heap, parent);
    phxi_free(heap, size);
    phxi_free(heap, drop_of);
    return PHX_OK;
}

/// Vertex v of a ball: the poles, then rings.
static void ball_vertex(int v, float n[3]) {
    if (v < 2) {
        n[0] = n[1] = 0, n[2] = v ? -1 : 1;
        return;
    }
    int ring = (v - 2) / SIDES + 1;
    double down = 3.14159265358979324 * ring / RINGS, around = 6.283185307179586 * ((v - 2) % SIDES) / SIDES;
    n[0] = (float)(sin(down) * cos(around)), n[1] = (float)(sin(down) * sin(around)), n[2] = (float)cos(down);
}

static void ball_faces(int first, int* out) {
    for (int k = 0; k < SIDES; ++k) {
        int next = (k + 1) % SIDES, last = 2 + (RINGS - 2) * SIDES;
        const int top[3] = {first, first + 2 + k, first + 2 + next};
        const int bottom[3] = {first + 1, first + last + next, first + last + k};
        memcpy(out, top, sizeof top);
        memcpy(out + 3, bottom, sizeof bottom);
        out += 6;
        for (int ring = 0; ring + 2 < RINGS; ++ring, out += 6) {
            int a = first + 2 + ring * SIDES;
            const int pair[6] = {a + k, a + SIDES + k, a + next, a + next, a + SIDES + k, a + SIDES + next};
            memcpy(out, pair, sizeof pair);
        }
    }
}

phx_result phxi_spray_add(const phxi_spray* spray, const phx_frame* points, phx_frame** surface) {
    phx_frame *bulk = *surface, *all = NULL;
    if (spray->count == 0) {
        return PHX_OK;
    }
    int first = bulk->points;
    PHXI_TRY(phx_frame_create(first + VERTICES * spray->count, bulk->triangles + FACES * spray->count, bulk->time,
                              &bulk->heap.allocator, &all));
    phx_result result = phxi_frame_append(all, bulk, 0, 0);
    float* normals = NULL;
    result = result == PHX_OK ? phx_frame_add_field(all, "normal", 3, &normals) : result;
    for (int f = 0; result == PHX_OK && f < points->fields.count; ++f) {
        const phx_frame_field* from = &points->fields.items[f];
        size_t size = (size_t)from->components;
        float* to;
        if (strcmp(from->name, "normal") == 0) {
            continue;
        }
        result = phx_frame_add_field(all, from->name, from->components, &to);
        for (int i = 0; result == PHX_OK && i < VERTICES * spray->count; ++i) {
            memcpy(to + size * (size_t)(first + i), from->values + size * (size_t)spray->drops[i / VERTICES].particle,
                   size * sizeof *to);
        }
    }
    if (result != PHX_OK) {
        phx_frame_destroy(all);
        return result;
    }
    for (int i = 0; i < VERTICES * spray->count; ++i) {
        const phxi_drop* drop = &spray->drops[i / VERTICES];
        float* n = normals + 3 * (size_t)(first + i);
        ball_vertex(i % VERTICES, n);
        for (int k = 0; k < 3; ++k) {
            all->positions[3 * (size_t)(first + i) + (size_t)k] = drop->center[k] + drop->radius * (double)n[k];
        }
    }
    for (int d = 0; d < spray->count; ++d) {
        ball_faces(first + VERTICES * d, all->indices + 3 * (size_t)(bulk->triangles + FACES * d));
    }
    phx_frame_destroy(bulk);
    *surface = all;
    return PHX_OK;
}
