// SPDX-License-Identifier: MIT
// Making and asking a distance field: see distance_field.h for what is kept.
//
// Corners of a block are asked in a row: the distance of the one before, plus the way between them, bounds the search
// for the closest triangle; and two points whose distances add up to more than the way between them are on the same
// side, so that only those next to the surface need a winding number. (Where a mesh is open, sides change without a
// surface in between, and every corner asks.)
#include "geometry/distance_field.h"

#include "geometry/solid.h"

#include <string.h>

enum { CELLS = 8, CORNERS = CELLS + 1, NODES = CORNERS * CORNERS * CORNERS };
enum { MOST_FINE = 1 << 15, MOST_CHOSEN = 1 << 12, MOST_BLOCKS = 1 << 22 };

static const char label[] = "distance field";
#define CHOSEN 96.0 // cells along the largest side
#define BAND   2.0  // cells on either side of the surface that are always kept
/// Largest error of an interpolated distance over the cell, whatever the surface: 3/2 of the mean distance of the
/// corners by weight, at the middle of a cell.
#define WORST 1.3

typedef struct node {
    float distance, normal[3];
} node;

struct phxi_distance_field {
    phxi_heap* heap;
    phxi_solid* solid;
    phxi_box box;    // of the mesh
    phx_vec3 origin; // lowest corner of the blocks
    double cell;     // m
    int size[3];     // blocks
    int open_edges;
    int* fine;     // of a block: its nodes are nodes[fine * NODES ...]; -1: it has none
    float* middle; // signed distance of the middle of a block, 0: its corners do not agree on a side
    node* nodes;
    int fine_count;
};

// ---------------------------------------------------------------------------------------------------------------
// asking

typedef struct cell_place {
    const node* low; // NULL: not in a block with nodes
    int block;       // -1: outside of all
    double t[3];     // within the cell, 0 to 1; within the block, in cells, if there are no nodes
} cell_place;

static cell_place find(const phxi_distance_field* f, phx_vec3 p) {
    cell_place place = {.block = -1};
    double inverse = 1 / f->cell;
    const double at[3] = {(p.x - f->origin.x) * inverse, (p.y - f->origin.y) * inverse, (p.z - f->origin.z) * inverse};
    int block[3], cell[3];
    for (int a = 0; a < 3; ++a) {
        if (!(at[a] >= 0 && at[a] < (double)(CELLS * f->size[a]))) {
            return place;
        }
        int whole = (int)at[a];
        block[a] = whole / CELLS;
        cell[a] = whole % CELLS;
        place.t[a] = at[a] - whole;
    }
    place.block = (block[2] * f->size[1] + block[1]) * f->size[0] + block[0];
    int fine = f->fine[place.block];
    if (fine >= 0) {
        place.low = f->nodes + (size_t)fine * NODES + (cell[2] * CORNERS + cell[1]) * CORNERS + cell[0];
    } else {
        for (int a = 0; a < 3; ++a) {
            place.t[a] += cell[a];
        }
    }
    return place;
}

static const node* corner_of(const cell_place* place, int corner) {
    return place->low + (corner & 1) + CORNERS * (corner >> 1 & 1) + CORNERS * CORNERS * (corner >> 2);
}

static double interpolate(const phxi_distance_field* f, const cell_place* place, phx_vec3* normal) {
    const double *t = place->t, half = 0.5 * f->cell;
    double distance = 0, sum[3] = {0};
    for (int corner = 0; corner < 8; ++corner) {
        const node* n = corner_of(place, corner);
        double weight = 1, slope = 0, g[3];
        for (int a = 0; a < 3; ++a) {
            int high = corner >> a & 1;
            g[a] = (double)n->normal[a];
            weight *= high ? t[a] : 1 - t[a];
            slope += g[a] * (t[a] - high);
        }
        distance += weight * ((double)n->distance + half * slope);
        for (int a = 0; a < 3; ++a) {
            sum[a] += weight * g[a];
        }
    }
    if (normal) {
        *normal = phxi_normalize(phxi_vec3(sum[0], sum[1], sum[2]), phxi_vec3(0, 0, 1));
    }
    return distance;
}

/// From the triangles, where a closed mesh is far: the side is that of the whole block, or outside of all blocks, and
/// the distance of the middle bounds the search. The answer of phxi_solid_distance, without a winding number.
static double exact(const phxi_distance_field* f, const cell_place* place, phx_vec3 point, phx_vec3* normal) {
    double most = INFINITY, sign = 1;
    phx_vec3 away;
    if (place->block >= 0) {
        phx_vec3 way = phxi_vec3(place->t[0] - 0.5 * CELLS, place->t[1] - 0.5 * CELLS, place->t[2] - 0.5 * CELLS);
        double middle = (double)f->middle[place->block];
        most = 1.001 * (fabs(middle) + f->cell * phxi_length(way));
        sign = middle < 0 ? -1 : 1;
    }
    double distance = phxi_solid_closest(f->solid, point, most, &away);
    if (normal) {
        *normal = phxi_scale(sign, away);
    }
    return sign * distance;
}

double phxi_distance_field_at(const phxi_distance_field* field, phx_vec3 point, phx_vec3* normal) {
    cell_place place = find(field, point);
    return place.low                ? interpolate(field, &place, normal)
           : field->open_edges == 0 ? exact(field, &place, point, normal)
                                    : phxi_solid_distance(field->solid, point, normal);
}

/// Of a place without nodes.
static double far_away(const phxi_distance_field* f, const cell_place* place, phx_vec3 p) {
    if (place->block < 0) {
        phx_vec3 out = phxi_max(phxi_max(phxi_sub(f->box.low, p), phxi_sub(p, f->box.high)), phxi_vec3(0, 0, 0));
        return phxi_length(out);
    }
    double middle = (double)f->middle[place->block];
    phx_vec3 away = phxi_vec3(place->t[0] - 0.5 * CELLS, place->t[1] - 0.5 * CELLS, place->t[2] - 0.5 * CELLS);
    double least = fmax(0, fabs(middle) * (1 - 1e-6) - f->cell * phxi_length(away));
    return middle < 0 ? -least : least;
}

double phxi_distance_field_far(const phxi_distance_field* field, phx_vec3 point) {
    cell_place place = find(field, point);
    return place.low ? 0 : far_away(field, &place, point);
}

double phxi_distance_field_bound(const phxi_distance_field* field, phx_vec3 point) {
    cell_place place = find(field, point);
    double best = 0, sign = 1;
    if (!place.low) {
        double far = far_away(field, &place, point);
        best = fabs(far);
        sign = far < 0 ? -1 : 1;
    }
    for (int corner = 0; place.low && corner < 8; ++corner) {
        double distance = (double)corner_of(&place, corner)->distance;
        phx_vec3 away =
            phxi_vec3(place.t[0] - (corner & 1), place.t[1] - (corner >> 1 & 1), place.t[2] - (corner >> 2));
        double least = fabs(distance) * (1 - 1e-6) - field->cell * phxi_length(away);
        if (least > best) {
            best = least;
            sign = distance < 0 ? -1 : 1;
        }
    }
    // those around may be in cells, whose answers are not exact
    return sign * fmax(0, best - WORST * field->cell);
}

// ---------------------------------------------------------------------------------------------------------------
// making

static phx_vec3 block_corner(const phxi_distance_field* f, int block) {
    const int* n = f->size;
    double edge = CELLS * f->cell;
    int x = block % n[0], y = block / n[0] % n[1], z = block / n[0] / n[1];
    return phxi_add(f->origin, phxi_vec3(edge * x, edge * y, edge * z));
}

/// The distance of the middle; and whether the surface is near, or the side of corners differs.
static void look_block(void* context, int begin, int end, int block_number) {
    phxi_distance_field* f = context;
    (void)block_number;
    double edge = CELLS * f->cell, radius = 0.5 * sqrt(3) * edge;
    for (int b = begin; b < end; ++b) {
        phx_vec3 low = block_corner(f, b), middle = phxi_add(low, phxi_vec3(edge / 2, edge / 2, edge / 2));
        double distance = phxi_solid_distance(f->solid, middle, NULL);
        f->middle[b] = (float)distance;
        f->fine[b] = fabs(distance) <= radius + BAND * f->cell ? 0 : -1;
        for (int corner = 0; f->open_edges > 0 && f->fine[b] < 0 && corner < 8; ++corner) {
            phx_vec3 at = phxi_add(low, phxi_vec3(edge * (corner & 1), edge * (corner >> 1 & 1), edge * (corner >> 2)));
            f->middle[b] = phxi_solid_inside(f->solid, at) == (distance < 0) ? f->middle[b] : 0;
        }
    }
}

typedef struct fill_context {
    phxi_distance_field* field;
    const int* blocks; // with nodes
} fill_context;

/// A corner with its distance, not yet with its side.
typedef struct known {
    double distance;
    bool inside;
} known;

static known ask(const phxi_distance_field* f, phx_vec3 point, const known* before, node* n) {
    known now;
    phx_vec3 away;
    double way = f->cell, most = before ? before->distance + 1.01 * way : INFINITY;
    now.distance = phxi_solid_closest(f->solid, point, most, &away);
    bool same = before && f->open_edges == 0 && before->distance + now.distance > 1.01 * way;
    now.inside = same ? before->inside : phxi_solid_inside(f->solid, point);
    double sign = now.inside ? -1 : 1;
    *n = (node){(float)(sign * now.distance), {(float)(sign * away.x), (float)(sign * away.y), (float)(sign * away.z)}};
    return now;
}

static void fill_block(void* context, int begin, int end, int block_number) {
    const fill_context* c = context;
    phxi_distance_field* f = c->field;
    (void)block_number;
    for (int k = begin; k < end; ++k) {
        phx_vec3 low = block_corner(f, c->blocks[k]);
        node* nodes = f->nodes + (size_t)k * NODES;
        known slice = {0}, row = {0}, last = {0};
        for (int i = 0; i < NODES; ++i) {
            int x = i % CORNERS, y = i / CORNERS % CORNERS, z = i / CORNERS / CORNERS;
            phx_vec3 point = phxi_add(low, phxi_vec3(f->cell * x, f->cell * y, f->cell * z));
            const known* before = x > 0 ? &last : y > 0 ? &row : z > 0 ? &slice : NULL;
            last = ask(f, point, before, &nodes[i]);
            row = x == 0 ? last : row;
            slice = x == 0 && y == 0 ? last : slice;
        }
    }
}

/// Blocks over the box. Corners of cells do not lie on sides of a mesh that is drawn on a grid: there is no way out
/// there.
static phx_result lay_out(phxi_distance_field* f, double cell) {
    phx_vec3 shift = {0.37 * cell, 0.29 * cell, 0.41 * cell};
    phx_vec3 extent = phxi_sub(f->box.high, f->box.low);
    const double sides[3] = {extent.x, extent.y, extent.z};
    double count = 1;
    f->cell = cell;
    f->origin = phxi_sub(f->box.low, phxi_add(shift, phxi_vec3(BAND * cell, BAND * cell, BAND * cell)));
    for (int a = 0; a < 3; ++a) {
        double blocks = ceil((sides[a] / cell + 2 * BAND + 1) / CELLS);
        count *= blocks;
        f->size[a] = blocks < MOST_BLOCKS ? (int)blocks : MOST_BLOCKS;
    }
    if (!(count <= MOST_BLOCKS)) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "cells of %g divide the box of the mesh into %g blocks of 8^3, expected at "
                         "most %d: a resolution of about %.3g (times its scale)",
                         cell, count, (int)MOST_BLOCKS, cell * cbrt(count / MOST_BLOCKS));
    }
    return PHX_OK;
}

/// Blocks and which of them are near the surface.
static phx_result look(phxi_distance_field* f, phxi_pool* pool, double cell) {
    PHXI_TRY(lay_out(f, cell));
    int count = f->size[0] * f->size[1] * f->size[2];
    phxi_free(f->heap, f->fine);
    phxi_free(f->heap, f->middle);
    f->middle = NULL;
    PHXI_NEW(f->fine, f->heap, count, label);
    PHXI_NEW(f->middle, f->heap, count, label);
    phxi_parallel_for(pool, count, 16, look_block, f);
    f->fine_count = 0;
    for (int b = 0; b < count; ++b) {
        f->fine[b] = f->fine[b] < 0 ? -1 : f->fine_count++;
    }
    return PHX_OK;
}

static phx_result check_memory(double cell, double blocks) {
    double bytes = (double)(NODES * sizeof(node));
    return blocks <= MOST_FINE
               ? PHX_OK
               : phxi_fail(
                     PHX_ERROR_ARGUMENT,
                     "cells of %g need %.0f MB for the surface of the mesh, expected at most %.0f MB: a resolution "
                     "of about %.3g (times its scale)",
                     cell, 1e-6 * bytes * blocks, 1e-6 * bytes * MOST_FINE, cell * sqrt(blocks / MOST_FINE));
}

static phx_result make(phxi_distance_field* f, phxi_pool* pool, double area, double resolution) {
    phx_vec3 extent = phxi_sub(f->box.high, f->box.low);
    double largest = fmax(extent.x, fmax(extent.y, extent.z)), edge = CELLS * resolution;
    if (resolution > 0) { // not worth looking: a block has about its side of surface, and there are those beside it
        PHXI_TRY(check_memory(resolution, area / (edge * edge)));
    }
    PHXI_TRY(look(f, pool, resolution > 0 ? resolution : largest / CHOSEN));
    for (int k = 0; k < 4 && resolution == 0 && f->fine_count > MOST_CHOSEN; ++k) {
        PHXI_TRY(look(f, pool, 1.05 * f->cell * sqrt((double)f->fine_count / MOST_CHOSEN)));
    }
    PHXI_TRY(check_memory(f->cell, f->fine_count));
    PHXI_NEW(f->nodes, f->heap, (size_t)f->fine_count * NODES, label);
    int* blocks = NULL;
    PHXI_NEW(blocks, f->heap, f->fine_count, label);
    for (int b = 0, k = 0; k < f->fine_count; ++b) {
        if (f->fine[b] >= 0) {
            blocks[k++] = b;
        }
    }
    fill_context context = {f, blocks};
    phxi_parallel_for(pool, f->fine_count, 1, fill_block, &context);
    phxi_free(f->heap, blocks);
    return PHX_OK;
}

phx_result phxi_distance_field_create(phxi_heap* heap, phxi_pool* pool, const phx_mesh* mesh, double resolution,
                                      phxi_distance_field** field) {
    if (!(phxi_mesh_area(mesh) > 0)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "the mesh of %d triangles has no area, expected a closed surface",
                         mesh->triangle_count);
    }
    phxi_distance_field* made = phxi_alloc_zero(heap, 1, sizeof *made, label);
    if (!made) {
        return PHX_ERROR_MEMORY;
    }
    made->heap = heap;
    made->box = phxi_mesh_box(mesh);
    made->open_edges = phx_mesh_open_edges(mesh);
    phx_body_def def = {.mesh = mesh, .scale = 1};
    phx_result result = made->open_edges < 0 ? PHX_ERROR_MEMORY : phxi_solid_create(heap, &def, &made->solid);
    result = result == PHX_OK ? make(made, pool, phxi_mesh_area(mesh), resolution) : result;
    if (result != PHX_OK) {
        phxi_distance_field_destroy(made);
        return result;
    }
    *field = made;
    return PHX_OK;
}

void phxi_distance_field_destroy(phxi_distance_field* field) {
    if (field) {
        phxi_solid_destroy(field->solid);
        phxi_free(field->heap, field->fine);
        phxi_free(field->heap, field->middle);
        phxi_free(field->heap, field->nodes);
        phxi_free(field->heap, field);
    }
}

const phx_mesh* phxi_distance_field_mesh(const phxi_distance_field* field) {
    return phxi_solid_mesh(field->solid);
}

int phxi_distance_field_open_edges(const phxi_distance_field* field) {
    return field->open_edges;
}

double phxi_distance_field_cell(const phxi_distance_field* field) {
    return field->cell;
}

size_t phxi_distance_field_bytes(const phxi_distance_field* field) {
    return (size_t)field->fine_count * NODES * sizeof(node);
}
