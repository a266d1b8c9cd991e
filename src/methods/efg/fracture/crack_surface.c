// SPDX-License-Identifier: MIT
#include "methods/efg/fracture/crack_surface.h"

#include "core/hash.h"

#include <limits.h>
#include <string.h>

#define TINY_AREA 1e-12 // of a triangle, over that of a cell's side
#define BORDER    1e-9  // barycentric coordinates this far outside still hit: no gaps between triangles

void phxi_crack_surface_destroy(phxi_crack_surface* surface, phxi_heap* heap) {
    phxi_array_destroy(&surface->triangles, heap);
    phxi_array_destroy(&surface->entries, heap);
    phxi_free(heap, surface->heads);
    surface->heads = NULL;
    surface->head_count = 0;
}

/// Cells that the box of some points overlaps.
static void cell_range(const phxi_crack_surface* s, const phx_vec3* points, int count, int low[3], int high[3]) {
    phx_vec3 least = points[0], most = points[0];
    for (int k = 1; k < count; ++k) {
        least = phxi_min(least, points[k]);
        most = phxi_max(most, points[k]);
    }
    const double from[3] = {least.x, least.y, least.z}, to[3] = {most.x, most.y, most.z};
    for (int k = 0; k < 3; ++k) {
        // far beyond any body of sane numbers, and safe to convert
        low[k] = (int)fmin(fmax(floor(from[k] / s->cell), -1e9), 1e9);
        high[k] = (int)fmin(fmax(floor(to[k] / s->cell), -1e9), 1e9);
    }
}

static int* head_of(const phxi_crack_surface* s, const int cell[3]) {
    uint64_t hash = phxi_hash_pair((uint64_t)(uint32_t)cell[0] << 32 | (uint32_t)cell[1], (uint64_t)(uint32_t)cell[2]);
    return &s->heads[hash & (uint64_t)(s->head_count - 1)];
}

static phx_result enter(phxi_crack_surface* s, phxi_heap* heap, int triangle) {
    int low[3], high[3], c[3];
    cell_range(s, s->triangles.items[triangle].corner, 3, low, high);
    for (c[2] = low[2]; c[2] <= high[2]; ++c[2]) {
        for (c[1] = low[1]; c[1] <= high[1]; ++c[1]) {
            for (c[0] = low[0]; c[0] <= high[0]; ++c[0]) {
                phxi_crack_entry* entry = phxi_array_add(&s->entries, heap, "efg cracks");
                if (!entry) {
                    return PHX_ERROR_MEMORY;
                }
                int* head = head_of(s, c);
                *entry = (phxi_crack_entry){{c[0], c[1], c[2]}, triangle, *head};
                *head = s->entries.count - 1;
            }
        }
    }
    return PHX_OK;
}

phx_result phxi_crack_surface_index(phxi_crack_surface* s, phxi_heap* heap) {
    int wanted = 64;
    while (wanted < 4 * s->triangles.count && wanted < INT_MAX / 4) {
        wanted *= 2;
    }
    if (wanted > s->head_count) {
        int* heads = phxi_realloc(heap, s->heads, (size_t)wanted, sizeof *heads, "efg cracks");
        if (!heads) {
            return PHX_ERROR_MEMORY;
        }
        s->heads = heads;
        s->head_count = wanted;
    }
    memset(s->heads, -1, (size_t)s->head_count * sizeof *s->heads);
    s->entries.count = 0;
    for (int k = 0; k < s->triangles.count; ++k) {
        PHXI_TRY(enter(s, heap, k));
    }
    return PHX_OK;
}

phx_result phxi_crack_surface_add(phxi_crack_surface* s, phxi_heap* heap, const phx_vec3 corner[3], int crack) {
    phx_vec3 area = phxi_cross(phxi_sub(corner[1], corner[0]), phxi_sub(corner[2], corner[0]));
    if (!(phxi_length(area) > TINY_AREA * s->cell * s->cell)) {
        return PHX_OK;
    }
    phxi_crack_triangle* triangle = phxi_array_add(&s->triangles, heap, "efg cracks");
    if (!triangle) {
        return PHX_ERROR_MEMORY;
    }
    *triangle = (phxi_crack_triangle){{corner[0], corner[1], corner[2]}, crack, 0};
    phx_result result = 4 * s->triangles.count > s->head_count ? phxi_crack_surface_index(s, heap)
                                                               : enter(s, heap, s->triangles.count - 1);
    return result;
}

bool phxi_crack_triangle_cut(const phxi_crack_triangle* triangle, phx_vec3 from, phx_vec3 to, double* t) {
    // Moeller and Trumbore
    phx_vec3 direction = phxi_sub(to, from), a = phxi_sub(triangle->corner[1], triangle->corner[0]),
             b = phxi_sub(triangle->corner[2], triangle->corner[0]), p = phxi_cross(direction, b);
    double det = phxi_dot(a, p), size = phxi_length(a) * phxi_length(b) * phxi_length(direction);
    if (!(fabs(det) > 1e-12 * size)) {
        return false;
    }
    phx_vec3 s = phxi_sub(from, triangle->corner[0]), q = phxi_cross(s, a);
    double u = phxi_dot(s, p) / det, v = phxi_dot(direction, q) / det;
    *t = phxi_dot(b, q) / det;
    return u >= -BORDER && v >= -BORDER && u + v <= 1 + BORDER && *t >= 0 && *t <= 1;
}

/// Sine of the angle between a direction and a triangle.
static double steepness_of(const phxi_crack_triangle* triangle, phx_vec3 direction) {
    phx_vec3 n = phxi_cross(phxi_sub(triangle->corner[1], triangle->corner[0]),
                            phxi_sub(triangle->corner[2], triangle->corner[0]));
    double size = phxi_length(n) * phxi_length(direction);
    return size > 0 ? fabs(phxi_dot(n, direction)) / size : 0;
}

int phxi_crack_surface_cut(const phxi_crack_surface* s, phx_vec3 from, phx_vec3 to, double after, double steepness,
                           double* t) {
    if (s->head_count == 0) {
        return -1;
    }
    int found = -1, low[3], high[3], c[3];
    cell_range(s, (phx_vec3[]){from, to}, 2, low, high);
    *t = 1;
    for (c[2] = low[2]; c[2] <= high[2]; ++c[2]) {
        for (c[1] = low[1]; c[1] <= high[1]; ++c[1]) {
            for (c[0] = low[0]; c[0] <= high[0]; ++c[0]) {
                for (int k = *head_of(s, c); k >= 0; k = s->entries.items[k].next) {
                    const phxi_crack_entry* entry = &s->entries.items[k];
                    const phxi_crack_triangle* triangle = &s->triangles.items[entry->triangle];
                    double at;
                    // the lowest of equals: the answer is independent of the order in a chain
                    if (memcmp(entry->cell, c, sizeof c) == 0 && phxi_crack_triangle_cut(triangle, from, to, &at) &&
                        at > after && (at < *t || (at == *t && (found < 0 || entry->triangle < found))) &&
                        steepness_of(triangle, phxi_sub(to, from)) > steepness) {
                        *t = at;
                        found = entry->triangle;
                    }
                }
            }
        }
    }
    return found;
}
