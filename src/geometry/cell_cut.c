// SPDX-License-Identifier: MIT
// The mesh cut by the cells: for each triangle a flood from cell to cell. In each the triangle is clipped by the planes
// of the cell's faces; the sides of what is left know whether they are of the triangle or of which face, so corners
// know what they are the meeting of, and the faces that were met lead on.
//
// The two triangles along an edge, and the cells along it, all compute the points on it from the edge's own ends, so
// they agree bit by bit.
#include "geometry/cell_cut.h"

#include <string.h>

enum { POLYGON = 128, MOST = 60 }; // corners of a triangle clipped by a cell; a clip may add some

typedef struct polygon {
    phx_vec3 corner[POLYGON]; // sheared
    int side[POLYGON];        // from this corner to the next: face, or -1 - (side of the triangle)
    int count;
} polygon;

typedef struct flood {
    phxi_cutting* cut;
    int* stamp; // the last triangle that came to each cell
    PHXI_ARRAY(int) stack;
    int* home; // cell of each mesh vertex, -1: not known yet
    int triangle;
    int corner[3], edge[3]; // mesh vertices and edges
} flood;

phx_result phxi_cut_degenerate(phxi_cutting* cut, const char* what, phx_vec3 where) {
    where = phxi_add(phxi_voronoi_unshear(where), cut->center);
    cut->degenerate = true;
    return phxi_fail(PHX_ERROR_ARGUMENT, "%s at (%g, %g, %g) m: does the mesh cross itself there?", what, where.x,
                     where.y, where.z);
}

// ------------------------------------------------------------------------------------------------------------- mesh

static phx_result number_edges(phxi_cutting* cut) {
    const phx_mesh* mesh = cut->mesh;
    phxi_key_table table = {.heap = cut->heap};
    size_t most = (size_t)mesh->triangle_count * 3;
    cut->mesh_edges = phxi_alloc(cut->heap, most, sizeof *cut->mesh_edges, "mesh edges");
    cut->triangle_edges =
        phxi_alloc(cut->heap, (size_t)mesh->triangle_count, sizeof *cut->triangle_edges, "mesh edges");
    phx_result result = cut->mesh_edges && cut->triangle_edges ? PHX_OK : PHX_ERROR_MEMORY;
    for (size_t i = 0; i < most && result == PHX_OK; ++i) {
        int a = cut->weld[mesh->triangles[i]], b = cut->weld[mesh->triangles[i % 3 == 2 ? i - 2 : i + 1]];
        int* slot = phxi_key_slot(&table, a < b ? phxi_key_pair(a, b) : phxi_key_pair(b, a));
        if (!slot) {
            result = PHX_ERROR_MEMORY;
            break;
        }
        if (*slot < 0) {
            *slot = cut->mesh_edge_count++;
            cut->mesh_edges[*slot][0] = a < b ? a : b;
            cut->mesh_edges[*slot][1] = a < b ? b : a;
        }
        cut->triangle_edges[i / 3][i % 3] = *slot;
    }
    phxi_key_destroy(&table);
    return result;
}

static phx_result prepare_mesh(phxi_cutting* cut) {
    const phx_mesh* mesh = cut->mesh;
    PHXI_NEW(cut->weld, cut->heap, mesh->vertex_count, "mesh welding");
    PHXI_NEW(cut->sheared, cut->heap, mesh->vertex_count, "mesh vertices");
    PHXI_TRY(phxi_mesh_weld_map(cut->heap, mesh->positions, mesh->vertex_count, cut->weld));
    for (int i = 0; i < mesh->vertex_count; ++i) {
        cut->sheared[i] = phxi_voronoi_shear(phxi_sub(mesh->positions[i], cut->center));
    }
    return number_edges(cut);
}

// ---------------------------------------------------------------------------------------------------------- vertices

static int add_vertex(phxi_cutting* cut, phxi_key_table* table, uint64_t key, phxi_cut_vertex vertex, bool* fresh) {
    int* slot = phxi_key_slot(table, key);
    *fresh = slot && *slot < 0;
    if (*fresh) {
        if (!phxi_array_reserve(&cut->vertices, 1, cut->heap, "cell vertices")) {
            return -1;
        }
        *slot = cut->vertices.count;
        cut->vertices.items[cut->vertices.count++] = vertex;
    }
    return slot ? *slot : -1;
}

static phx_vec3 mix(phx_vec3 a, phx_vec3 b, double t) {
    return phxi_vec3((1 - t) * a.x + t * b.x, (1 - t) * a.y + t * b.y, (1 - t) * a.z + t * b.z);
}

/// Where a mesh edge meets a face's plane, 0 to 1 from its lower vertex; the same bits whoever asks.
static double edge_meets(const phxi_cutting* cut, int edge, const phxi_voronoi_face* face) {
    double a = phxi_voronoi_side(face, cut->sheared[cut->mesh_edges[edge][0]]);
    double b = phxi_voronoi_side(face, cut->sheared[cut->mesh_edges[edge][1]]);
    return fmin(fmax(a / (a - b), 0), 1);
}

static int edge_vertex(phxi_cutting* cut, int edge, int face) {
    const int* end = cut->mesh_edges[edge];
    double t = edge_meets(cut, edge, &cut->voronoi.faces.items[face]);
    phxi_cut_vertex vertex = {
        mix(cut->mesh->positions[end[0]], cut->mesh->positions[end[1]], t), PHXI_CELL_ON_EDGE, {end[0], end[1]}};
    bool fresh;
    return add_vertex(cut, &cut->by_edge_face, phxi_key_pair(edge, face), vertex, &fresh);
}

static phx_vec3 triangle_normal(const flood* f) {
    const phx_vec3* y = f->cut->sheared;
    return phxi_cross(phxi_sub(y[f->corner[1]], y[f->corner[0]]), phxi_sub(y[f->corner[2]], y[f->corner[0]]));
}

// Where the triangle meets the edge between two faces of a cell, found at `point`.
static phx_result side_vertex(flood* f, int face, int other, phx_vec3 point, int* number) {
    phxi_cutting* cut = f->cut;
    int edge = phxi_voronoi_edge_between(&cut->voronoi, face, other);
    if (edge < 0) {
        return phxi_cut_degenerate(cut, "a triangle passes cells in no order", point);
    }
    edge >>= 1;
    const int* end = cut->voronoi.edges[edge].corner;
    phx_vec3 a = cut->voronoi.corners.items[end[0]], along = phxi_sub(cut->voronoi.corners.items[end[1]], a);
    // On the edge and in the triangle; where they are nearly parallel the point that was found has to do.
    phx_vec3 normal = triangle_normal(f);
    double found = phxi_dot(phxi_sub(point, a), along) / phxi_dot(along, along);
    double t = phxi_dot(phxi_sub(cut->sheared[f->corner[0]], a), normal) / phxi_dot(along, normal);
    t = fmin(fmax(fabs(t - found) < 1e-4 ? t : found, 0), 1);
    phxi_cut_vertex vertex = {phxi_add(phxi_voronoi_unshear(phxi_add_scaled(a, t, along)), cut->center),
                              PHXI_CELL_ON_SIDE,
                              {f->triangle, -1}};
    bool fresh;
    *number = add_vertex(cut, &cut->by_triangle_edge, phxi_key_pair(f->triangle, edge), vertex, &fresh);
    if (*number >= 0 && fresh) {
        phxi_cut_crossing* crossing = phxi_array_add(&cut->crossings, cut->heap, "cell crossings");
        if (!crossing) {
            return PHX_ERROR_MEMORY;
        }
        *crossing = (phxi_cut_crossing){edge, t, *number, phxi_dot(along, normal) > 0};
    }
    return *number >= 0 ? PHX_OK : PHX_ERROR_MEMORY;
}

static phx_result corner_number(flood* f, int before, int after, phx_vec3 point, int* number) {
    phxi_cutting* cut = f->cut;
    if (before >= 0 && after >= 0) {
        return side_vertex(f, before, after, point, number);
    }
    if (before < 0 && after < 0) {
        int at = f->corner[-1 - after];
        bool fresh;
        phxi_cut_vertex vertex = {cut->mesh->positions[at], PHXI_CELL_FIXED, {at, -1}};
        *number = add_vertex(cut, &cut->by_mesh_vertex, (uint64_t)at, vertex, &fresh);
    } else {
        *number = edge_vertex(cut, f->edge[-1 - (before < 0 ? before : after)], before < 0 ? after : before);
    }
    return *number >= 0 ? PHX_OK : PHX_ERROR_MEMORY;
}

// ------------------------------------------------------------------------------------------------------------ pieces

// The point where the polygon's side from corner k meets the face.
static phx_vec3 side_meets(const flood* f, const polygon* p, int k, const phxi_voronoi_face* face, double a, double b) {
    if (p->side[k] < 0) {
        int edge = f->edge[-1 - p->side[k]];
        const int* end = f->cut->mesh_edges[edge];
        return mix(f->cut->sheared[end[0]], f->cut->sheared[end[1]], edge_meets(f->cut, edge, face));
    }
    return mix(p->corner[k], p->corner[k + 1 < p->count ? k + 1 : 0], a / (a - b));
}

/// Keeps what is on the cell's side of a face.
static void clip(const flood* f, polygon* p, int face, int cell) {
    const phxi_voronoi_face* plane = &f->cut->voronoi.faces.items[face];
    const bool lower = plane->cell[0] == cell;
    double side[POLYGON];
    int inside = 0;
    for (int k = 0; k < p->count; ++k) {
        side[k] = phxi_voronoi_side(plane, p->corner[k]);
        inside += (side[k] <= 0) == lower;
    }
    if (inside == p->count) {
        return;
    }
    polygon old;
    old.count = p->count;
    memcpy(old.corner, p->corner, (size_t)p->count * sizeof *p->corner);
    memcpy(old.side, p->side, (size_t)p->count * sizeof *p->side);
    p->count = 0;
    for (int k = 0; k < old.count && inside > 0; ++k) {
        int next = k + 1 < old.count ? k + 1 : 0;
        bool here = (side[k] <= 0) == lower, there = (side[next] <= 0) == lower;
        if (here) {
            p->corner[p->count] = old.corner[k];
            p->side[p->count++] = old.side[k];
        }
        if (here != there) {
            p->corner[p->count] = side_meets(f, &old, k, plane, side[k], side[next]);
            p->side[p->count++] = here ? face : old.side[k];
        }
    }
}

static phx_result add_segments(phxi_cutting* cut, const phxi_cut_piece* piece, const polygon* p) {
    const int* number = cut->piece_vertices.items + piece->begin;
    for (int k = 0; k < p->count; ++k) {
        if (p->side[k] >= 0 && cut->voronoi.faces.items[p->side[k]].cell[0] == piece->cell) {
            phxi_cut_segment* s = phxi_array_add(&cut->segments, cut->heap, "cell segments");
            if (!s) {
                return PHX_ERROR_MEMORY;
            }
            *s = (phxi_cut_segment){p->side[k], {number[k + 1 < p->count ? k + 1 : 0], number[k]}};
        }
    }
    return PHX_OK;
}

static phx_result add_piece(flood* f, int cell, const polygon* p) {
    phxi_cutting* cut = f->cut;
    if (!phxi_array_reserve(&cut->pieces, 1, cut->heap, "cell pieces") ||
        !phxi_array_reserve(&cut->piece_vertices, p->count, cut->heap, "cell pieces")) {
        return PHX_ERROR_MEMORY;
    }
    phxi_cut_piece piece = {cell, f->triangle, cut->piece_vertices.count, p->count};
    for (int k = 0; k < p->count; ++k) {
        int before = p->side[k > 0 ? k - 1 : p->count - 1], number = -1;
        if (before == p->side[k]) {
            return phxi_cut_degenerate(cut, "a triangle meets a face twice", p->corner[k]);
        }
        PHXI_TRY(corner_number(f, before, p->side[k], p->corner[k], &number));
        cut->piece_vertices.items[cut->piece_vertices.count++] = number;
    }
    cut->pieces.items[cut->pieces.count++] = piece;
    return add_segments(cut, &piece, p);
}

static phx_result push(flood* f, int cell) {
    if (f->stamp[cell] != f->triangle) {
        f->stamp[cell] = f->triangle;
        int* slot = phxi_array_add(&f->stack, f->cut->heap, "cell flood");
        if (!slot) {
            return PHX_ERROR_MEMORY;
        }
        *slot = cell;
    }
    return PHX_OK;
}

static phx_result enter_cell(flood* f, int cell) {
    phxi_voronoi* v = &f->cut->voronoi;
    if (phxi_voronoi_need(v, cell) != PHX_OK) {
        f->cut->degenerate = v->degenerate;
        return v->degenerate ? PHX_ERROR_ARGUMENT : PHX_ERROR_MEMORY;
    }
    polygon p;
    p.count = 3;
    for (int k = 0; k < 3; ++k) {
        p.corner[k] = f->cut->sheared[f->corner[k]];
        p.side[k] = -1 - k;
    }
    for (int k = 0; k < v->cell_count[cell] && p.count > 0; ++k) {
        clip(f, &p, v->cell_faces.items[v->cell_begin[cell] + k], cell);
        if (p.count > MOST) {
            return phxi_cut_degenerate(f->cut, "a cell has too many faces", p.corner[0]);
        }
    }
    if (p.count < 3) {
        return PHX_OK;
    }
    PHXI_TRY(add_piece(f, cell, &p));
    for (int k = 0; k < p.count; ++k) {
        if (p.side[k] >= 0) {
            const int* sides = v->faces.items[p.side[k]].cell;
            PHXI_TRY(push(f, sides[sides[0] == cell]));
        }
    }
    return PHX_OK;
}

static phx_result cut_triangle(flood* f, int triangle) {
    phxi_cutting* cut = f->cut;
    f->triangle = triangle;
    for (int k = 0; k < 3; ++k) {
        f->corner[k] = cut->weld[cut->mesh->triangles[3 * triangle + k]];
        f->edge[k] = cut->triangle_edges[triangle][k];
    }
    if (f->corner[0] == f->corner[1] || f->corner[1] == f->corner[2] || f->corner[2] == f->corner[0]) {
        return PHX_OK; // its sides cancel
    }
    int* home = &f->home[f->corner[0]];
    if (*home < 0) {
        *home = phxi_voronoi_nearest(&cut->voronoi, cut->sheared[f->corner[0]]);
    }
    PHXI_TRY(push(f, *home));
    while (f->stack.count > 0) {
        PHXI_TRY(enter_cell(f, f->stack.items[--f->stack.count]));
    }
    return PHX_OK;
}

static phx_result flood_all(flood* f) {
    phxi_cutting* cut = f->cut;
    PHXI_NEW(f->stamp, cut->heap, cut->voronoi.site_count, "cell flood");
    PHXI_NEW(f->home, cut->heap, cut->mesh->vertex_count, "cell flood");
    memset(f->stamp, 0xFF, (size_t)cut->voronoi.site_count * sizeof *f->stamp); // -1
    memset(f->home, 0xFF, (size_t)cut->mesh->vertex_count * sizeof *f->home);
    for (int t = 0; t < cut->mesh->triangle_count; ++t) {
        PHXI_TRY(cut_triangle(f, t));
    }
    return PHX_OK;
}

phx_result phxi_cut_mesh(phxi_cutting* cut) {
    PHXI_TRY(prepare_mesh(cut));
    flood f = {.cut = cut};
    phx_result result = flood_all(&f);
    phxi_free(cut->heap, f.stamp);
    phxi_free(cut->heap, f.home);
    phxi_array_destroy(&f.stack, cut->heap);
    return result;
}
