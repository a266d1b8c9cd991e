// SPDX-License-Identifier: MIT
#include "geometry/conforming.h"

#include "geometry/body_mesh.h"
#include "geometry/shape_mesh.h"

#include <stdlib.h>

#define SHARP     40.0 // degrees by which the surface turns at an edge that is kept
#define AXIS_BITS 20

static const char label[] = "conforming surface";

// ------------------------------------------------------------------------------------------------------------ edges

static uint64_t cube_key(const int at[3]) {
    return (uint64_t)at[0] << 2 * AXIS_BITS | (uint64_t)at[1] << AXIS_BITS | (uint64_t)at[2];
}

/// One is added, so that the cubes around have no negative numbers.
static void cube_of(const phxi_conforming* s, phx_vec3 p, int at[3]) {
    at[0] = (int)floor((p.x - s->low.x) / s->reach) + 2;
    at[1] = (int)floor((p.y - s->low.y) / s->reach) + 2;
    at[2] = (int)floor((p.z - s->low.z) / s->reach) + 2;
}

static phx_result add_piece(phxi_conforming* s, phx_vec3 from, phx_vec3 to) {
    phxi_sharp_edge* piece = phxi_array_add(&s->pieces, s->heap, label);
    int* next = piece ? phxi_array_add(&s->next, s->heap, label) : NULL;
    int at[3], *slot = NULL;
    cube_of(s, phxi_scale(0.5, phxi_add(from, to)), at);
    if (next) {
        *piece = (phxi_sharp_edge){from, to};
        slot = phxi_key_slot(&s->cubes, cube_key(at));
    }
    if (!slot) {
        return PHX_ERROR_MEMORY;
    }
    *next = *slot;
    *slot = s->pieces.count - 1;
    return PHX_OK;
}

static phx_result cut_edges(phxi_conforming* s) {
    for (int e = 0; e < s->features.edges.count; ++e) {
        const phxi_sharp_edge* edge = &s->features.edges.items[e];
        phx_vec3 way = phxi_sub(edge->to, edge->from);
        int parts = (int)fmax(1, ceil(phxi_length(way) / s->reach));
        for (int k = 0; k < parts; ++k) {
            PHXI_TRY(add_piece(s, phxi_add_scaled(edge->from, (double)k / parts, way),
                               phxi_add_scaled(edge->from, (double)(k + 1) / parts, way)));
        }
    }
    return PHX_OK;
}

static phx_vec3 closest_of_piece(const phxi_sharp_edge* piece, phx_vec3 p) {
    phx_vec3 way = phxi_sub(piece->to, piece->from);
    double square = phxi_dot(way, way), along = phxi_dot(phxi_sub(p, piece->from), way);
    double part = square > 0 ? fmin(fmax(along / square, 0), 1) : 0;
    return phxi_add_scaled(piece->from, part, way);
}

bool phxi_conforming_edge(const phxi_conforming* s, phx_vec3 point, phx_vec3* on) {
    double best = s->reach * (1 + 1e-9);
    bool found = false;
    int cube[3];
    cube_of(s, point, cube);
    // the middle of a piece is at most half a reach farther than the piece: two cubes each way
    for (int n = 0; n < 125 && s->pieces.count > 0; ++n) {
        const int at[3] = {cube[0] + n % 5 - 2, cube[1] + n / 5 % 5 - 2, cube[2] + n / 25 - 2};
        bool in = at[0] >= 0 && at[1] >= 0 && at[2] >= 0;
        for (int k = in ? phxi_key_find(&s->cubes, cube_key(at)) : -1; k >= 0; k = s->next.items[k]) {
            phx_vec3 there = closest_of_piece(&s->pieces.items[k], point);
            double distance = phxi_distance(there, point);
            if (distance < best) {
                best = distance;
                *on = there;
                found = true;
            }
        }
    }
    return found;
}

// ------------------------------------------------------------------------------------------------------------ faces

bool phxi_conforming_inside(const phxi_conforming* s, phx_vec3 point) {
    return s->shape ? phxi_shape_distance(s->shape, point) < 0 : phxi_solid_inside(s->solid, point);
}

bool phxi_conforming_face(const phxi_conforming* s, phx_vec3 point, double most, phx_vec3* on, phx_vec3* normal) {
    if (!phxi_solid_near(s->solid, point, most, on, normal)) {
        return false;
    }
    // the mesh of a shape has flat triangles; the rest of the way is short
    for (int step = 0; s->shape && step < 3; ++step) {
        phx_vec3 way;
        double distance = phxi_shape_distance_normal(s->shape, *on, &way);
        if (fabs(distance) < 0.1 * s->reach) {
            *on = phxi_add_scaled(*on, -distance, way);
        }
    }
    *normal = s->turned ? phxi_scale(-1, *normal) : *normal;
    return true;
}

double phxi_conforming_thickness(const phxi_conforming* s, phx_vec3 on, phx_vec3 normal, double most) {
    enum { PARTS = 4, HALVINGS = 12 };
    for (int k = 1; k <= PARTS; ++k) {
        double low = most * (k - 1) / PARTS, high = most * k / PARTS;
        if (phxi_conforming_inside(s, phxi_add_scaled(on, -high, normal))) {
            continue;
        }
        for (int halving = 0; halving < HALVINGS; ++halving) {
            double middle = 0.5 * (low + high);
            bool in = phxi_conforming_inside(s, phxi_add_scaled(on, -middle, normal));
            low = in ? middle : low;
            high = in ? high : middle;
        }
        return low;
    }
    return most;
}

typedef struct measured {
    double thickness, area;
} measured;

static int by_thickness(const void* a, const void* b) {
    const measured *p = a, *q = b;
    return p->thickness < q->thickness ? -1 : p->thickness > q->thickness;
}

phx_result phxi_conforming_median_thickness(const phxi_conforming* s, int count, const phx_vec3* positions,
                                            const phx_vec3* areas, double most, double* median) {
    measured* all;
    int found = 0;
    double sum = 0, so_far = 0;
    PHXI_NEW(all, s->heap, count, label);
    for (int i = 0; i < count; ++i) {
        phx_vec3 on, normal;
        double area = phxi_length(areas[i]);
        if (area > 0 && phxi_conforming_face(s, positions[i], s->reach, &on, &normal)) {
            // beside an edge the normal is that of one of its faces: what is below it is as thick as the body
            all[found++] = (measured){phxi_conforming_thickness(s, on, normal, most), area};
            sum += area;
        }
    }
    qsort(all, (size_t)found, sizeof *all, by_thickness);
    *median = most;
    for (int i = 0; i < found && so_far < 0.5 * sum; ++i) {
        so_far += all[i].area;
        *median = all[i].thickness;
    }
    phxi_free(s->heap, all);
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------- creation

/// The surface around what a mesh has inside: where it is open, or crosses itself.
static phx_result mesh_again(phxi_heap* heap, const phx_body_def* def, bool sharp, phx_mesh** mesh) {
    phx_mesh* given = *mesh;
    *mesh = NULL;
    phx_result result =
        (sharp ? phxi_mesh_sharp_close : phxi_mesh_close)(&heap->allocator, given, 0.5 * def->spacing, mesh);
    phx_mesh_destroy(given);
    return result;
}

static phx_result closed_mesh(phxi_heap* heap, const phx_body_def* def, phxi_conforming_care care, phx_mesh** mesh) {
    PHXI_TRY(phxi_body_mesh_unplaced(heap, def, mesh));
    int open = phx_mesh_open_edges(*mesh);
    if (open < 0) {
        return PHX_ERROR_MEMORY;
    }
    bool again = open > 0 || care != PHXI_CONFORMING_GIVEN;
    return again ? mesh_again(heap, def, care != PHXI_CONFORMING_BEVELLED, mesh) : PHX_OK;
}

static phx_result create(phxi_conforming* s, const phx_body_def* def, phxi_conforming_care care) {
    PHXI_TRY(closed_mesh(s->heap, def, care, &s->mesh));
    s->turned = phx_mesh_volume(s->mesh) < 0;
    const phx_body_def meshed = {.mesh = s->mesh, .scale = 1};
    PHXI_TRY(phxi_solid_create(s->heap, &meshed, &s->solid));
    PHXI_TRY(phxi_features_find(s->heap, s->mesh, SHARP, &s->features));
    return cut_edges(s);
}

phx_result phxi_conforming_create(phxi_heap* heap, const phx_body_def* def, const phxi_region* region, double reach,
                                  phxi_conforming_care care, phxi_conforming* surface) {
    *surface = (phxi_conforming){
        .heap = heap, .shape = region->shape, .reach = reach, .low = region->box.low, .cubes = {.heap = heap}};
    phx_result result = create(surface, def, care);
    if (result != PHX_OK) {
        phxi_conforming_destroy(surface);
    }
    return result;
}

void phxi_conforming_destroy(phxi_conforming* s) {
    if (s->heap) {
        phxi_array_destroy(&s->pieces, s->heap);
        phxi_array_destroy(&s->next, s->heap);
        phxi_key_destroy(&s->cubes);
        phxi_features_destroy(s->heap, &s->features);
        phxi_solid_destroy(s->solid);
        phx_mesh_destroy(s->mesh);
    }
    *s = (phxi_conforming){0};
}
