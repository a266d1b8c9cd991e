// SPDX-License-Identifier: MIT
// Cloth as a sheet: triangles between neighbours of one layer of particles, twice, half a thickness to both sides, with
// a rim around them. On a square lattice two neighbours of a particle that share another neighbour span a square; on a
// triangular one they are neighbours themselves.
#include "surface/rest_shape.h"

#include "core/array.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 8 }; // neighbours of a particle in a layer, at 1.2 spacings

typedef struct sheet {
    const phxi_rest_shape* shape;
    int (*near)[MOST]; // -1 behind the last
    PHXI_ARRAY(int) triangles;
    phx_vec3* normals;
} sheet;

static phx_vec3 at(const double* positions, int i) {
    return (phx_vec3){positions[3 * (size_t)i], positions[3 * (size_t)i + 1], positions[3 * (size_t)i + 2]};
}

static bool list_near(sheet* s, const phx_frame* now, double tear) {
    const phxi_rest_shape* r = s->shape;
    for (int i = 0; i < r->count; ++i) {
        int found = 0;
        for (int64_t k = r->near.start[i]; k < r->near.start[i + 1]; ++k) {
            int j = r->near.items[k];
            if (phxi_distance(at(r->positions, i), at(r->positions, j)) < 1.2 * r->spacing &&
                !phxi_rest_shape_apart(r, now, i, j, tear)) {
                if (found == MOST) {
                    return false; // more than a layer
                }
                s->near[i][found++] = j;
            }
        }
        for (int k = found; k < MOST; ++k) {
            s->near[i][k] = -1;
        }
    }
    return true;
}

static bool are_near(const sheet* s, int i, int j) {
    for (int k = 0; k < MOST && s->near[i][k] >= 0; ++k) {
        if (s->near[i][k] == j) {
            return true;
        }
    }
    return false;
}

/// Another neighbour of both a and b; -1: none.
static int fourth(const sheet* s, int i, int a, int b) {
    for (int k = 0; k < MOST && s->near[a][k] >= 0; ++k) {
        int c = s->near[a][k];
        if (c != i && are_near(s, b, c)) {
            return c;
        }
    }
    return -1;
}

static phx_result add_triangle(sheet* s, phxi_heap* heap, int a, int b, int c) {
    if (!phxi_array_reserve(&s->triangles, 3, heap, "sheet")) {
        return PHX_ERROR_MEMORY;
    }
    int* t = s->triangles.items + s->triangles.count;
    t[0] = a, t[1] = b, t[2] = c;
    s->triangles.count += 3;
    return PHX_OK;
}

// Squares and triangles, each from its particle of the lowest number.
static phx_result list_triangles(sheet* s, phxi_heap* heap) {
    for (int i = 0; i < s->shape->count; ++i) {
        for (int k = 0; k < MOST && s->near[i][k] >= 0; ++k) {
            for (int m = k + 1; m < MOST && s->near[i][m] >= 0; ++m) {
                int a = s->near[i][k], b = s->near[i][m];
                if (are_near(s, a, b)) {
                    if (i < a && i < b) {
                        PHXI_TRY(add_triangle(s, heap, i, a, b));
                    }
                    continue;
                }
                int c = fourth(s, i, a, b);
                if (c >= 0 && i < a && i < b && i < c) {
                    PHXI_TRY(add_triangle(s, heap, i, a, c));
                    PHXI_TRY(add_triangle(s, heap, i, c, b));
                }
            }
        }
    }
    return PHX_OK;
}

typedef struct edge {
    int a, b, triangle;
} edge;

static int edge_order(const void* x, const void* y) {
    const edge *a = x, *b = y;
    return a->a != b->a   ? (a->a > b->a) - (a->a < b->a)
           : a->b != b->b ? (a->b > b->b) - (a->b < b->b)
                          : (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

static edge* list_edges(const sheet* s, phxi_heap* heap) {
    int count = s->triangles.count;
    edge* edges = phxi_alloc(heap, (size_t)count, sizeof *edges, "sheet");
    for (int i = 0; edges && i < count; ++i) {
        int a = s->triangles.items[i], b = s->triangles.items[i / 3 * 3 + (i + 1) % 3];
        edges[i] = (edge){a < b ? a : b, a < b ? b : a, i / 3};
    }
    if (edges) {
        qsort(edges, (size_t)count, sizeof *edges, edge_order);
    }
    return edges;
}

/// Whether the edge belongs to two triangles.
static bool is_shared(const sheet* s, const edge* edges, int i) {
    return (i > 0 && edges[i - 1].a == edges[i].a && edges[i - 1].b == edges[i].b) ||
           (i + 1 < s->triangles.count && edges[i + 1].a == edges[i].a && edges[i + 1].b == edges[i].b);
}

static bool has_edge(const int* t, int a, int b) {
    return (t[0] == a && t[1] == b) || (t[1] == a && t[2] == b) || (t[2] == a && t[0] == b);
}

/// Neighbouring triangles see the same side; each piece of cloth begins with its first triangle.
static phx_result orient(sheet* s, phxi_heap* heap, const edge* edges) {
    int count = s->triangles.count / 3;
    int(*across)[3], *open, opened = 0;
    bool* done = phxi_alloc_zero(heap, (size_t)count, sizeof *done, "sheet");
    across = phxi_alloc(heap, (size_t)count, sizeof *across, "sheet");
    open = phxi_alloc(heap, (size_t)count, sizeof *open, "sheet");
    if (!done || !across || !open) {
        return PHX_ERROR_MEMORY;
    }
    memset(across, 0xff, (size_t)count * sizeof *across);
    for (int i = 0; i + 1 < s->triangles.count; ++i) {
        const edge *e = &edges[i], *f = &edges[i + 1];
        if (e->a == f->a && e->b == f->b) {
            for (int side = 0; side < 2; ++side) {
                int* list = across[side ? f->triangle : e->triangle];
                for (int k = 0; k < 3; ++k) {
                    if (list[k] < 0) {
                        list[k] = side ? e->triangle : f->triangle;
                        break;
                    }
                }
            }
        }
    }
    for (int first = 0; first < count; ++first) {
        if (!done[first]) {
            done[first] = true;
            open[opened++] = first;
        }
        while (opened > 0) {
            int t = open[--opened];
            const int* own = s->triangles.items + 3 * (size_t)t;
            for (int k = 0; k < 3 && across[t][k] >= 0; ++k) {
                int other = across[t][k], *corners = s->triangles.items + 3 * (size_t)other;
                if (done[other]) {
                    continue;
                }
                bool same = false;
                for (int m = 0; m < 3; ++m) {
                    same = same || has_edge(corners, own[m], own[(m + 1) % 3]);
                }
                if (same) { // an edge is walked in opposite directions from its two sides
                    int swap = corners[1];
                    corners[1] = corners[2];
                    corners[2] = swap;
                }
                done[other] = true;
                open[opened++] = other;
            }
        }
    }
    phxi_free(heap, done);
    phxi_free(heap, across);
    phxi_free(heap, open);
    return PHX_OK;
}

static void find_normals(sheet* s, const phx_frame* now) {
    memset(s->normals, 0, (size_t)now->points * sizeof *s->normals);
    for (int t = 0; t < s->triangles.count; t += 3) {
        const int* c = s->triangles.items + t;
        phx_vec3 a = at(now->positions, c[0]);
        phx_vec3 n = phxi_cross(phxi_sub(at(now->positions, c[1]), a), phxi_sub(at(now->positions, c[2]), a));
        for (int k = 0; k < 3; ++k) {
            s->normals[c[k]] = phxi_add(s->normals[c[k]], n);
        }
    }
    for (int i = 0; i < now->points; ++i) {
        s->normals[i] = phxi_normalize(s->normals[i], (phx_vec3){0, 0, 1});
    }
}

// Points: the upper side, then the lower one. Triangles: upper, lower, rim.
static phx_result fill(const sheet* s, const phx_frame* now, double thickness, const edge* edges, phx_frame* out) {
    int count = now->points;
    for (int f = 0; f < now->fields.count; ++f) {
        const phx_frame_field* from = &now->fields.items[f];
        size_t size = (size_t)from->components * (size_t)count;
        float* values;
        PHXI_TRY(phx_frame_add_field(out, from->name, from->components, &values));
        memcpy(values, from->values, size * sizeof *values);
        memcpy(values + size, from->values, size * sizeof *values);
    }
    for (int i = 0; i < 2 * count; ++i) {
        double half = i < count ? 0.5 * thickness : -0.5 * thickness;
        phx_vec3 x = phxi_add_scaled(at(now->positions, i % count), half, s->normals[i % count]);
        memcpy(out->positions + 3 * (size_t)i, &x, sizeof x);
    }
    for (int i = 0; i < s->triangles.count; ++i) {
        out->indices[i] = s->triangles.items[i];
        out->indices[s->triangles.count + i] = s->triangles.items[i / 3 * 3 + 2 - i % 3] + count;
    }
    int* to = out->indices + 2 * (size_t)s->triangles.count;
    for (int i = 0; i < s->triangles.count; ++i) {
        if (is_shared(s, edges, i)) {
            continue;
        }
        const int* own = s->triangles.items + 3 * (size_t)edges[i].triangle;
        bool forward = has_edge(own, edges[i].a, edges[i].b);
        int a = forward ? edges[i].a : edges[i].b, b = forward ? edges[i].b : edges[i].a;
        const int corners[6] = {b, a, a + count, b, a + count, b + count};
        memcpy(to, corners, sizeof corners);
        to += 6;
    }
    return PHX_OK;
}

static int count_rims(const sheet* s, const edge* edges) {
    int rims = 0;
    for (int i = 0; i < s->triangles.count; ++i) {
        rims += !is_shared(s, edges, i);
    }
    return rims;
}

phx_result phxi_rest_shape_sheet(const phxi_rest_shape* shape, const phx_frame* now, double thickness,
                                 phx_frame** result, bool* made) {
    phxi_heap* heap = shape->heap;
    sheet s = {.shape = shape};
    PHXI_NEW(s.near, heap, shape->count, "sheet");
    PHXI_NEW(s.normals, heap, shape->count, "sheet");
    edge* edges = NULL;
    double tear;
    phx_result good = phxi_rest_shape_tear(shape, now, &tear);
    *made = good == PHX_OK && now->points == shape->count && list_near(&s, now, tear);
    if (*made) {
        good = list_triangles(&s, heap);
        edges = good == PHX_OK ? list_edges(&s, heap) : NULL;
        good = edges ? orient(&s, heap, edges) : PHX_ERROR_MEMORY;
        *made = s.triangles.count > 0;
    }
    if (good == PHX_OK && *made) {
        int rims = count_rims(&s, edges);
        find_normals(&s, now);
        good = phx_frame_create(2 * shape->count, 2 * s.triangles.count / 3 + 2 * rims, now->time, NULL, result);
        good = good == PHX_OK ? fill(&s, now, thickness, edges, *result) : good;
    }
    phxi_free(heap, edges);
    phxi_free(heap, s.near);
    phxi_free(heap, s.normals);
    phxi_array_destroy(&s.triangles, heap);
    return good;
}
