// SPDX-License-Identifier: MIT
#include "geometry/mesh_features.h"

#include "geometry/key_table.h"

static const char label[] = "mesh features";

typedef struct finder {
    phxi_heap* heap;
    const phx_mesh* mesh;
    phxi_features* features;
    double cosine;          // of the angle
    int* weld;              // the vertex that stands for all at its place
    phxi_key_table by_edge; // the first half edge found of each edge, 3 triangle + side
    phx_vec3* ways;         // by vertex: unit vector along its first sharp edge, away from it
    uint8_t* degrees;       // by vertex: sharp edges, at most 3 counted; 3: a corner
} finder;

static phx_vec3 normal_of(const finder* f, int triangle) {
    const int* v = f->mesh->triangles + 3 * (size_t)triangle;
    const phx_vec3* p = f->mesh->positions;
    phx_vec3 normal = phxi_cross(phxi_sub(p[v[1]], p[v[0]]), phxi_sub(p[v[2]], p[v[0]]));
    return phxi_normalize(normal, phxi_vec3(0, 0, 0));
}

/// Counts the edge at one of its vertices. Two that go on nearly straight are no corner.
static void meet(finder* f, int vertex, phx_vec3 way) {
    uint8_t* degree = &f->degrees[vertex];
    if (*degree == 0) {
        f->ways[vertex] = way;
        *degree = 1;
    } else if (*degree == 1 && -phxi_dot(f->ways[vertex], way) >= f->cosine) {
        *degree = 2;
    } else {
        *degree = 3;
    }
}

static phx_result add_edge(finder* f, int a, int b) {
    phxi_sharp_edge* edge = phxi_array_add(&f->features->edges, f->heap, label);
    if (!edge) {
        return PHX_ERROR_MEMORY;
    }
    *edge = (phxi_sharp_edge){f->mesh->positions[a], f->mesh->positions[b]};
    phx_vec3 way = phxi_normalize(phxi_sub(edge->to, edge->from), phxi_vec3(0, 0, 0));
    meet(f, a, way);
    meet(f, b, phxi_scale(-1, way));
    return PHX_OK;
}

static phx_result visit(finder* f, int half) {
    int side = half % 3, triangle = half / 3;
    int a = f->weld[f->mesh->triangles[half]], b = f->weld[f->mesh->triangles[3 * triangle + (side + 1) % 3]];
    phx_vec3 normal = normal_of(f, triangle);
    if (a == b || phxi_dot(normal, normal) < 0.5) {
        return PHX_OK;
    }
    int* slot = phxi_key_slot(&f->by_edge, phxi_key_pair(a < b ? a : b, a < b ? b : a));
    if (!slot) {
        return PHX_ERROR_MEMORY;
    }
    if (*slot < 0) {
        *slot = half;
        return PHX_OK;
    }
    return phxi_dot(normal, normal_of(f, *slot / 3)) < f->cosine ? add_edge(f, a, b) : PHX_OK;
}

static phx_result find_all(finder* f) {
    const phx_mesh* mesh = f->mesh;
    PHXI_NEW(f->weld, f->heap, mesh->vertex_count, label);
    PHXI_NEW(f->ways, f->heap, mesh->vertex_count, label);
    f->degrees = phxi_alloc_zero(f->heap, (size_t)mesh->vertex_count, sizeof *f->degrees, label);
    if (!f->degrees) {
        return PHX_ERROR_MEMORY;
    }
    PHXI_TRY(phxi_mesh_weld_map(f->heap, mesh->positions, mesh->vertex_count, f->weld));
    for (int half = 0; half < 3 * mesh->triangle_count; ++half) {
        PHXI_TRY(visit(f, half));
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (f->degrees[v] < 3) {
            continue;
        }
        phx_vec3* corner = phxi_array_add(&f->features->corners, f->heap, label);
        if (!corner) {
            return PHX_ERROR_MEMORY;
        }
        *corner = mesh->positions[v];
    }
    return PHX_OK;
}

phx_result phxi_features_find(phxi_heap* heap, const phx_mesh* mesh, double angle, phxi_features* features) {
    *features = (phxi_features){0};
    finder f = {.heap = heap,
                .mesh = mesh,
                .features = features,
                .cosine = cos(angle * (3.14159265358979323846 / 180)),
                .by_edge = {.heap = heap}};
    phx_result result = find_all(&f);
    phxi_key_destroy(&f.by_edge);
    phxi_free(heap, f.weld);
    phxi_free(heap, f.ways);
    phxi_free(heap, f.degrees);
    if (result != PHX_OK) {
        phxi_features_destroy(heap, features);
    }
    return result;
}

void phxi_features_destroy(phxi_heap* heap, phxi_features* features) {
    phxi_array_destroy(&features->edges, heap);
    phxi_array_destroy(&features->corners, heap);
}
