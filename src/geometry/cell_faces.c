// SPDX-License-Identifier: MIT
// Walls: what of each face between two cells is inside of the body.
//
// An edge of the cells is in the body between one crossing with the mesh and the next; a corner is if the first
// crossing along any of its edges leads out. Edges without a crossing hand this on from corner to corner, and the few
// groups of corners that no crossing tells about ask for the winding number. A wall is then bounded by the sides of the
// pieces on its face and by the inner parts of the face's edges: chained to rings and cut into triangles.
#include "geometry/cell_cut.h"
#include "geometry/inside.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN, OUTSIDE, INSIDE };

typedef struct walling {
    phxi_cutting* cut;
    int* group;          // of each corner: union-find
    uint8_t* state;      // of each group's root
    int* crossing_begin; // of each edge, in crossings sorted by edge and place
    int* segment_begin;  // of each face, in segments sorted by face
    phxi_cut_segment* segments;
    PHXI_ARRAY(phxi_cut_edge) edges; // of the face at hand
    PHXI_ARRAY(int) next;            // edge from the same vertex, -1: last; -2: used
    int* first_edge;                 // by vertex, -1: none
    int vertex_capacity;
} walling;

// ------------------------------------------------------------------------------------------------------------ corners

static int find(int* parent, int i) {
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

static phx_result set_state(walling* w, int corner, int state) {
    int root = find(w->group, corner);
    if (w->state[root] != UNKNOWN && w->state[root] != state) {
        return phxi_cut_degenerate(w->cut, "inside and outside are contradictory",
                                   w->cut->voronoi.corners.items[corner]);
    }
    w->state[root] = (uint8_t)state;
    return PHX_OK;
}

static phx_result ask_mesh(walling* w, int corner) {
    const phxi_cutting* cut = w->cut;
    phx_vec3 point = phxi_add(phxi_voronoi_unshear(cut->voronoi.corners.items[corner]), cut->center);
    return set_state(w, corner, phxi_winding_number(cut->mesh, point) > 0.5 ? INSIDE : OUTSIDE);
}

static phx_result classify_corners(walling* w) {
    const phxi_voronoi* v = &w->cut->voronoi;
    const phxi_cut_crossing* crossings = w->cut->crossings.items;
    phxi_heap* heap = w->cut->heap;
    phxi_free(heap, w->group);
    phxi_free(heap, w->state);
    w->group = phxi_alloc(heap, (size_t)v->corners.count, sizeof *w->group, "cell corners");
    w->state = phxi_alloc_zero(heap, (size_t)v->corners.count, sizeof *w->state, "cell corners");
    if (!w->group || !w->state) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < v->corners.count; ++i) {
        w->group[i] = i;
    }
    for (int e = 0; e < v->edge_count; ++e) {
        if (w->crossing_begin[e] == w->crossing_begin[e + 1]) {
            int a = find(w->group, v->edges[e].corner[0]), b = find(w->group, v->edges[e].corner[1]);
            w->group[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (int e = 0; e < v->edge_count; ++e) {
        int begin = w->crossing_begin[e], end = w->crossing_begin[e + 1];
        if (begin < end) {
            PHXI_TRY(set_state(w, v->edges[e].corner[0], crossings[begin].leaves ? INSIDE : OUTSIDE));
            PHXI_TRY(set_state(w, v->edges[e].corner[1], crossings[end - 1].leaves ? OUTSIDE : INSIDE));
        }
    }
    for (int i = 0; i < v->corners.count; ++i) {
        if (w->state[find(w->group, i)] == UNKNOWN) {
            PHXI_TRY(ask_mesh(w, i));
        }
    }
    return PHX_OK;
}

static bool is_inside(walling* w, int corner) {
    return w->state[find(w->group, corner)] == INSIDE;
}

// ------------------------------------------------------------------------------------------------------------ sorting

static int by_edge(const void* a, const void* b) {
    const phxi_cut_crossing *p = a, *q = b;
    if (p->edge != q->edge) {
        return p->edge < q->edge ? -1 : 1;
    }
    return p->at != q->at ? (p->at < q->at ? -1 : 1) : (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static phx_result sort_crossings(walling* w) {
    phxi_cutting* cut = w->cut;
    int edges = cut->voronoi.edge_count;
    phxi_free(cut->heap, w->crossing_begin);
    w->crossing_begin = phxi_alloc_zero(cut->heap, (size_t)edges + 1, sizeof *w->crossing_begin, "cell crossings");
    if (!w->crossing_begin) {
        return PHX_ERROR_MEMORY;
    }
    if (cut->crossings.count > 0) {
        qsort(cut->crossings.items, (size_t)cut->crossings.count, sizeof *cut->crossings.items, by_edge);
    }
    for (int i = 0; i < cut->crossings.count; ++i) {
        ++w->crossing_begin[cut->crossings.items[i].edge + 1];
    }
    for (int e = 0; e < edges; ++e) {
        w->crossing_begin[e + 1] += w->crossing_begin[e];
    }
    return PHX_OK;
}

static phx_result sort_segments(walling* w) {
    phxi_cutting* cut = w->cut;
    int faces = cut->voronoi.faces.count;
    w->segment_begin = phxi_alloc_zero(cut->heap, (size_t)faces + 2, sizeof *w->segment_begin, "cell segments");
    w->segments = phxi_alloc(cut->heap, (size_t)cut->segments.count, sizeof *w->segments, "cell segments");
    if (!w->segment_begin || !w->segments) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < cut->segments.count; ++i) {
        ++w->segment_begin[cut->segments.items[i].face + 2];
    }
    for (int f = 0; f < faces; ++f) {
        w->segment_begin[f + 2] += w->segment_begin[f + 1];
    }
    for (int i = 0; i < cut->segments.count; ++i) {
        w->segments[w->segment_begin[cut->segments.items[i].face + 1]++] = cut->segments.items[i];
    }
    return PHX_OK;
}

/// Cells that the body reaches into but no triangle does; they are as deep inside as ghosts get.
static phx_result need_inner_cells(walling* w, bool* added) {
    phxi_voronoi* v = &w->cut->voronoi;
    *added = false;
    for (int f = 0, count = v->faces.count; f < count; ++f) { // of new faces the corners are not known yet
        phxi_voronoi_face face = v->faces.items[f];
        bool inside = false;
        for (int k = face.begin; k < face.begin + face.count; ++k) {
            inside = inside || is_inside(w, v->rings.items[k]);
        }
        for (int k = 0; k < 2 && inside; ++k) {
            if (v->cell_begin[face.cell[k]] < 0) {
                if (phxi_voronoi_need(v, face.cell[k]) != PHX_OK) {
                    w->cut->degenerate = v->degenerate;
                    return v->degenerate ? PHX_ERROR_ARGUMENT : PHX_ERROR_MEMORY;
                }
                *added = true;
            }
        }
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- rings

static phx_result add_edge(walling* w, int from, int to) {
    if (!phxi_array_reserve(&w->edges, 1, w->cut->heap, "wall edges")) {
        return PHX_ERROR_MEMORY;
    }
    w->edges.items[w->edges.count++] = (phxi_cut_edge){from, to};
    return PHX_OK;
}

static int corner_vertex(phxi_cutting* cut, int corner) {
    int* slot = phxi_key_slot(&cut->by_corner, (uint64_t)corner);
    if (slot && *slot < 0) {
        if (!phxi_array_reserve(&cut->vertices, 1, cut->heap, "cell vertices")) {
            return -1;
        }
        phx_vec3 at = phxi_add(phxi_voronoi_unshear(cut->voronoi.corners.items[corner]), cut->center);
        *slot = cut->vertices.count;
        cut->vertices.items[cut->vertices.count++] = (phxi_cut_vertex){at, PHXI_CELL_INNER, {corner, -1}};
    }
    return slot ? *slot : -1;
}

/// The inner parts of one edge of a face, in the ring's direction.
static phx_result add_intervals(walling* w, int ring_edge) {
    phxi_cutting* cut = w->cut;
    int e = ring_edge >> 1, start = -1;
    bool back = ring_edge & 1;
    const int* corner = cut->voronoi.edges[e].corner;
    bool inside = is_inside(w, corner[0]);
    if (inside && (start = corner_vertex(cut, corner[0])) < 0) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = w->crossing_begin[e]; i <= w->crossing_begin[e + 1]; ++i) {
        bool last = i == w->crossing_begin[e + 1];
        if (last && !inside) {
            break;
        }
        const phxi_cut_crossing* crossing = last ? NULL : &cut->crossings.items[i];
        if (crossing && crossing->leaves != inside) {
            return phxi_cut_degenerate(cut, "the mesh is left twice in a row", cut->voronoi.corners.items[corner[0]]);
        }
        int here = crossing ? crossing->vertex : corner_vertex(cut, corner[1]);
        if (here < 0) {
            return PHX_ERROR_MEMORY;
        }
        if (inside) {
            PHXI_TRY(add_edge(w, back ? here : start, back ? start : here));
        }
        start = here;
        inside = !inside;
    }
    return PHX_OK;
}

static phx_result grow_vertices(walling* w) {
    int count = w->cut->vertices.count;
    if (count > w->vertex_capacity) {
        int wanted = count + count / 2 + 64;
        int* wider = phxi_realloc(w->cut->heap, w->first_edge, (size_t)wanted, sizeof *wider, "wall edges");
        if (!wider) {
            return PHX_ERROR_MEMORY;
        }
        memset(wider + w->vertex_capacity, 0xFF, (size_t)(wanted - w->vertex_capacity) * sizeof *wider); // -1
        w->first_edge = wider;
        w->vertex_capacity = wanted;
    }
    return PHX_OK;
}

static phx_result add_point(walling* w, const phxi_voronoi_face* face, phx_vec3 u, phx_vec3 v, int vertex) {
    phxi_ear_clipper* clipper = &w->cut->clipper;
    phx_vec3 at = phxi_sub(phxi_sub(w->cut->vertices.items[vertex].position, w->cut->center), face->middle);
    phxi_flat_point* point = phxi_array_add(&clipper->points, clipper->heap, "wall points");
    if (!point) {
        return PHX_ERROR_MEMORY;
    }
    *point = (phxi_flat_point){phxi_dot(at, u), phxi_dot(at, v), vertex};
    return PHX_OK;
}

/// Edges to rings: from each edge to the next one that starts where it ends, until the start is there again.
static phx_result chain_rings(walling* w, const phxi_voronoi_face* face) {
    PHXI_TRY(grow_vertices(w));
    phxi_ear_clipper* clipper = &w->cut->clipper;
    w->next.count = 0;
    if (!phxi_array_reserve(&w->next, w->edges.count, w->cut->heap, "wall edges")) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < w->edges.count; ++i) {
        w->next.items[i] = w->first_edge[w->edges.items[i].from];
        w->first_edge[w->edges.items[i].from] = i;
    }
    phx_vec3 normal = phxi_normalize(face->normal, phxi_vec3(0, 0, 1)), u = phxi_perpendicular(normal);
    phx_vec3 v = phxi_cross(normal, u);
    phx_result result = PHX_OK;
    for (int i = 0; i < w->edges.count && result == PHX_OK; ++i) {
        int start = w->edges.items[i].from, at = start;
        if (w->next.items[i] == -2) {
            continue;
        }
        int* ring = phxi_array_add(&clipper->ring_begin, clipper->heap, "wall rings");
        if (!ring) {
            result = PHX_ERROR_MEMORY;
            break;
        }
        *ring = clipper->points.count;
        do {
            int edge = w->first_edge[at];
            if (edge < 0) {
                result = phxi_cut_degenerate(w->cut, "a wall between cells has a gap", face->middle);
                break;
            }
            w->first_edge[at] = w->next.items[edge];
            w->next.items[edge] = -2;
            result = add_point(w, face, u, v, at);
            at = w->edges.items[edge].to;
        } while (at != start && result == PHX_OK);
    }
    for (int i = 0; i < w->edges.count; ++i) {
        w->first_edge[w->edges.items[i].from] = -1;
    }
    return result;
}

// -------------------------------------------------------------------------------------------------------------- walls

// The triangles and rings of the clipper, polygon by polygon.
static phx_result add_walls(phxi_cutting* cut, const phxi_voronoi_face* face) {
    const phxi_ear_clipper* c = &cut->clipper;
    if (!phxi_array_reserve(&cut->walls, c->polygon_count, cut->heap, "cell walls") ||
        !phxi_array_reserve(&cut->wall_triangles, c->triangles.count, cut->heap, "cell walls") ||
        !phxi_array_reserve(&cut->wall_edges, c->points.count, cut->heap, "cell walls")) {
        return PHX_ERROR_MEMORY;
    }
    for (int polygon = 0; polygon < c->polygon_count; ++polygon) {
        phxi_cut_wall wall = {.cell = {face->cell[0], face->cell[1]},
                              .begin = cut->wall_triangles.count,
                              .edge_begin = cut->wall_edges.count};
        for (int t = 0; t < c->triangles.count; ++t) {
            const int* id = c->triangles.items[t].id;
            if (c->triangles.items[t].polygon == polygon) {
                cut->wall_triangles.items[cut->wall_triangles.count++] = (phxi_cell_triangle){{id[0], id[1], id[2]}};
            }
        }
        for (int r = 0; r < c->ring_begin.count; ++r) {
            int begin = c->ring_begin.items[r];
            int end = r + 1 < c->ring_begin.count ? c->ring_begin.items[r + 1] : c->points.count;
            for (int i = begin; i < end && c->ring_polygon.items[r] == polygon; ++i) {
                cut->wall_edges.items[cut->wall_edges.count++] =
                    (phxi_cut_edge){c->points.items[i].id, c->points.items[i + 1 < end ? i + 1 : begin].id};
            }
        }
        wall.count = cut->wall_triangles.count - wall.begin;
        wall.edge_count = cut->wall_edges.count - wall.edge_begin;
        cut->walls.items[cut->walls.count++] = wall;
    }
    return PHX_OK;
}

static phx_result make_wall(walling* w, int f) {
    phxi_cutting* cut = w->cut;
    const phxi_voronoi_face* face = &cut->voronoi.faces.items[f];
    w->edges.count = 0;
    for (int i = w->segment_begin[f]; i < w->segment_begin[f + 1]; ++i) {
        PHXI_TRY(add_edge(w, w->segments[i].edge.from, w->segments[i].edge.to));
    }
    for (int k = face->begin; k < face->begin + face->count; ++k) {
        PHXI_TRY(add_intervals(w, cut->voronoi.ring_edges.items[k]));
    }
    if (w->edges.count == 0) {
        return PHX_OK;
    }
    phxi_ear_reset(&cut->clipper);
    PHXI_TRY(chain_rings(w, face));
    PHXI_TRY(phxi_ear_clip(&cut->clipper));
    return add_walls(cut, face);
}

static phx_result make_walls(walling* w) {
    bool added = true;
    while (added) {
        PHXI_TRY(sort_crossings(w));
        PHXI_TRY(classify_corners(w));
        PHXI_TRY(need_inner_cells(w, &added));
    }
    PHXI_TRY(sort_segments(w));
    for (int f = 0; f < w->cut->voronoi.faces.count; ++f) {
        PHXI_TRY(make_wall(w, f));
    }
    return PHX_OK;
}

phx_result phxi_cut_faces(phxi_cutting* cut) {
    walling w = {.cut = cut};
    phx_result result = make_walls(&w);
    phxi_free(cut->heap, w.group);
    phxi_free(cut->heap, w.state);
    phxi_free(cut->heap, w.crossing_begin);
    phxi_free(cut->heap, w.segment_begin);
    phxi_free(cut->heap, w.segments);
    phxi_free(cut->heap, w.first_edge);
    phxi_array_destroy(&w.edges, cut->heap);
    phxi_array_destroy(&w.next, cut->heap);
    return result;
}
