// SPDX-License-Identifier: MIT
// Smoothing of a closed surface (Taubin 1995): a step towards the mean of the neighbours, then a slightly longer one
// back, which removes ripples and keeps the volume. On a closed surface every edge out of a vertex belongs to one
// triangle, so the triangles around a vertex list its neighbours once each.
#include "surface/reconstruct.h"

#include <string.h>

enum { VERTICES_AT_ONCE = 2048 };

typedef struct smoothing {
    const int* indices;
    const int* start;   // first corner of each vertex in `corners`
    const int* corners; // corner 3 t + k: triangle t, where the vertex stands at k
    const double* from;
    double* to;
    double step;
    float* normals;
} smoothing;

static void move_vertices(void* context, int begin, int end, int block) {
    const smoothing* s = context;
    (void)block;
    for (int i = begin; i < end; ++i) {
        double sum[3] = {0};
        int count = s->start[i + 1] - s->start[i];
        for (int c = s->start[i]; c < s->start[i + 1]; ++c) {
            int corner = s->corners[c];
            const double* p = s->from + 3 * (size_t)s->indices[corner / 3 * 3 + (corner + 1) % 3];
            for (int k = 0; k < 3; ++k) {
                sum[k] += p[k] - s->from[3 * i + k];
            }
        }
        for (int k = 0; k < 3; ++k) {
            s->to[3 * i + k] = s->from[3 * i + k] + (count ? s->step * sum[k] / count : 0);
        }
    }
}

static void find_normals(void* context, int begin, int end, int block) {
    const smoothing* s = context;
    (void)block;
    for (int i = begin; i < end; ++i) {
        phx_vec3 sum = {0, 0, 0};
        for (int c = s->start[i]; c < s->start[i + 1]; ++c) {
            const int* t = s->indices + s->corners[c] / 3 * 3;
            const double *a = s->from + 3 * (size_t)t[0], *b = s->from + 3 * (size_t)t[1],
                         *d = s->from + 3 * (size_t)t[2];
            phx_vec3 u = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v = {d[0] - a[0], d[1] - a[1], d[2] - a[2]};
            sum = phxi_add(sum, phxi_cross(u, v));
        }
        float* n = s->normals + 3 * (size_t)i;
        phx_vec3 before = phxi_normalize((phx_vec3){(double)n[0], (double)n[1], (double)n[2]}, (phx_vec3){0, 0, 1});
        sum = phxi_normalize(sum, before); // faces of no size have none
        n[0] = (float)sum.x, n[1] = (float)sum.y, n[2] = (float)sum.z;
    }
}

// corners by vertex, ascending.
static void list_corners(const phx_frame* surface, int* start, int* corners) {
    memset(start, 0, (size_t)(surface->points + 2) * sizeof *start);
    for (int i = 0; i < 3 * surface->triangles; ++i) {
        ++start[surface->indices[i] + 2];
    }
    for (int i = 1; i <= surface->points; ++i) {
        start[i + 1] += start[i];
    }
    for (int i = 0; i < 3 * surface->triangles; ++i) {
        corners[start[surface->indices[i] + 1]++] = i;
    }
}

phx_result phxi_surface_smooth(phxi_heap* heap, phxi_pool* pool, phx_frame* surface, int rounds) {
    smoothing s = {.indices = surface->indices, .from = surface->positions};
    PHXI_TRY(phx_frame_add_field(surface, "normal", 3, &s.normals));
    int* start = phxi_alloc(heap, (size_t)surface->points + 2, sizeof *start, "smoothing");
    int* corners = phxi_alloc(heap, (size_t)surface->triangles, 3 * sizeof *corners, "smoothing");
    double* moved = phxi_alloc(heap, (size_t)surface->points, 3 * sizeof *moved, "smoothing");
    if (start && corners && moved) {
        list_corners(surface, start, corners);
        s.start = start;
        s.corners = corners;
        for (int round = 0; round < 2 * rounds; ++round) {
            s.from = round % 2 == 0 ? surface->positions : moved;
            s.to = round % 2 == 0 ? moved : surface->positions;
            s.step = round % 2 == 0 ? 0.5 : -0.53;
            phxi_parallel_for(pool, surface->points, VERTICES_AT_ONCE, move_vertices, &s);
        }
        s.from = surface->positions;
        phxi_parallel_for(pool, surface->points, VERTICES_AT_ONCE, find_normals, &s);
    }
    phx_result result = start && corners && moved ? PHX_OK : PHX_ERROR_MEMORY;
    phxi_free(heap, start);
    phxi_free(heap, corners);
    phxi_free(heap, moved);
    return result;
}
