// SPDX-License-Identifier: MIT
#include "surface/crack_body.h"

#include "core/hash.h"

#include <string.h>

#define SMOOTH_COSINE 0.75 // triangles of the mesh that meet at less than 41 degrees are joined smoothly

// -------------------------------------------------------------------------------------------------------------- lists

static void sum_up(int* begin, int count) {
    for (int i = 0; i < count; ++i) {
        begin[i + 1] += begin[i];
    }
}

// Walls at each vertex (each once) and at each particle.
static phx_result list_walls(phxi_crack_body* b) {
    const phxi_cell_complex* c = b->cells;
    phxi_heap* heap = b->heap;
    int* last = NULL; // wall that was counted last at a vertex
    b->vertex_wall_begin = phxi_alloc_zero(heap, (size_t)c->vertex_count + 2, sizeof(int), "crack lists");
    b->particle_wall_begin = phxi_alloc_zero(heap, (size_t)c->particle_count + 2, sizeof(int), "crack lists");
    b->vertex_walls = phxi_alloc(heap, 3 * (size_t)c->wall_triangle_count, sizeof(int), "crack lists");
    b->particle_walls = phxi_alloc(heap, 2 * (size_t)c->wall_count, sizeof(int), "crack lists");
    last = phxi_alloc(heap, (size_t)c->vertex_count, sizeof(int), "crack lists");
    bool good = b->vertex_wall_begin && b->particle_wall_begin && b->vertex_walls && b->particle_walls && last;
    for (int pass = 0; pass < 2 && good; ++pass) {
        memset(last, 0xFF, (size_t)c->vertex_count * sizeof *last); // -1
        for (int w = 0; w < c->wall_count; ++w) {
            for (int k = 0; k < 2; ++k) {
                int* at = &b->particle_wall_begin[c->walls[w].particle[k] + 1];
                if (pass == 0) {
                    ++at[1];
                } else {
                    b->particle_walls[(*at)++] = w;
                }
            }
            for (int t = c->walls[w].begin; t < c->walls[w].begin + c->walls[w].count; ++t) {
                for (int k = 0; k < 3; ++k) {
                    int v = c->wall_triangles[t].v[k];
                    if (last[v] == w) {
                        continue;
                    }
                    last[v] = w;
                    if (pass == 0) {
                        ++b->vertex_wall_begin[v + 2];
                    } else {
                        b->vertex_walls[b->vertex_wall_begin[v + 1]++] = w;
                    }
                }
            }
        }
        if (pass == 0) {
            sum_up(b->vertex_wall_begin + 1, c->vertex_count);
            sum_up(b->particle_wall_begin + 1, c->particle_count);
        }
    }
    phxi_free(heap, last);
    return good ? PHX_OK : PHX_ERROR_MEMORY;
}

// ------------------------------------------------------------------------------------------------------- mesh normals

static phx_vec3 mesh_area(const phxi_cell_complex* c, int triangle) {
    const int* v = c->mesh_triangles + 3 * (size_t)triangle;
    return phxi_cross(phxi_sub(c->mesh_vertices[v[1]], c->mesh_vertices[v[0]]),
                      phxi_sub(c->mesh_vertices[v[2]], c->mesh_vertices[v[0]]));
}

static int find(int* parent, int i) {
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

static phx_result join_triangles(phxi_crack_body* b, const int* weld) {
    const phxi_cell_complex* c = b->cells;
    phxi_key_table edges = {.heap = b->heap};
    phx_result result = PHX_OK;
    for (int i = 0; i < 3 * c->mesh_triangle_count && result == PHX_OK; ++i) {
        int from = weld[c->mesh_triangles[i]], to = weld[c->mesh_triangles[i % 3 == 2 ? i - 2 : i + 1]];
        int* slot = phxi_key_slot(&edges, from < to ? phxi_key_pair(from, to) : phxi_key_pair(to, from));
        if (!slot) {
            result = PHX_ERROR_MEMORY;
        } else if (*slot < 0) {
            *slot = i / 3;
        } else {
            phx_vec3 m = mesh_area(c, *slot), n = mesh_area(c, i / 3);
            if (phxi_dot(m, n) > SMOOTH_COSINE * phxi_length(m) * phxi_length(n)) {
                int p = find(b->mesh_groups, *slot), q = find(b->mesh_groups, i / 3);
                b->mesh_groups[p > q ? p : q] = p > q ? q : p;
            }
        }
    }
    phxi_key_destroy(&edges);
    return result;
}

// Area-weighted over the triangles of one group at a vertex.
static phx_result sum_normals(phxi_crack_body* b, const int* weld) {
    const phxi_cell_complex* c = b->cells;
    phxi_key_table corners = {.heap = b->heap}; // of welded vertex and group: the first corner, which has the sum
    phx_result result = PHX_OK;
    int corner_count = 3 * c->mesh_triangle_count;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < corner_count && result == PHX_OK; ++i) {
            int* slot = phxi_key_slot(&corners, phxi_key_pair(weld[c->mesh_triangles[i]], b->mesh_groups[i / 3]));
            if (!slot) {
                result = PHX_ERROR_MEMORY;
            } else if (pass == 0) {
                bool first = *slot < 0;
                *slot = first ? i : *slot;
                phx_vec3 area = mesh_area(c, i / 3);
                b->mesh_normals[*slot] = first ? area : phxi_add(b->mesh_normals[*slot], area);
            } else if (*slot != i) {
                b->mesh_normals[i] = b->mesh_normals[*slot];
            }
        }
    }
    for (int i = 0; i < corner_count; ++i) {
        b->mesh_normals[i] = phxi_normalize(b->mesh_normals[i], phxi_vec3(0, 0, 1));
    }
    phxi_key_destroy(&corners);
    return result;
}

static phx_result prepare_normals(phxi_crack_body* b) {
    const phxi_cell_complex* c = b->cells;
    int* weld = NULL;
    PHXI_NEW(b->mesh_groups, b->heap, c->mesh_triangle_count, "crack normals");
    b->mesh_normals = phxi_alloc_zero(b->heap, 3 * (size_t)c->mesh_triangle_count, sizeof(phx_vec3), "crack normals");
    weld = phxi_alloc(b->heap, (size_t)c->mesh_vertex_count, sizeof *weld, "crack normals");
    phx_result result = b->mesh_normals && weld
                            ? phxi_mesh_weld_map(b->heap, c->mesh_vertices, c->mesh_vertex_count, weld)
                            : PHX_ERROR_MEMORY;
    for (int t = 0; t < c->mesh_triangle_count; ++t) {
        b->mesh_groups[t] = t;
    }
    if (result == PHX_OK) {
        result = join_triangles(b, weld);
    }
    for (int t = 0; t < c->mesh_triangle_count; ++t) {
        b->mesh_groups[t] = find(b->mesh_groups, t);
    }
    if (result == PHX_OK) {
        result = sum_normals(b, weld);
    }
    phxi_free(b->heap, weld);
    return result;
}

/// The mesh's normal at a vertex of a piece.
static phx_vec3 piece_normal(const phxi_crack_body* b, int piece, int vertex) {
    const phxi_cell_complex* c = b->cells;
    int t = c->piece_source[piece];
    const int* corner = c->mesh_triangles + 3 * (size_t)t;
    const phx_vec3 *n = b->mesh_normals + 3 * (size_t)t, p = c->vertices[vertex], x0 = c->mesh_vertices[corner[0]];
    phx_vec3 u = phxi_sub(c->mesh_vertices[corner[1]], x0), v = phxi_sub(c->mesh_vertices[corner[2]], x0),
             area = phxi_cross(u, v), d = phxi_sub(p, x0);
    double whole = phxi_dot(area, area);
    if (!(whole > 0)) {
        return n[0];
    }
    double b1 = phxi_dot(phxi_cross(d, v), area) / whole, b2 = phxi_dot(phxi_cross(u, d), area) / whole;
    phx_vec3 mean = phxi_scale(1 - b1 - b2, n[0]);
    mean = phxi_add_scaled(phxi_add_scaled(mean, b1, n[1]), b2, n[2]);
    return phxi_normalize(mean, n[0]);
}

// --------------------------------------------------------------------------------------------------------------- life

phx_result phxi_crack_body_create(phxi_heap* heap, const phxi_cell_complex* cells, const phx_vec3* rest,
                                  const double* spacings, phxi_crack_body* b) {
    *b = (phxi_crack_body){.heap = heap, .cells = cells, .rest = rest, .spacings = spacings};
    b->wall_cut = phxi_alloc(heap, (size_t)cells->wall_count, sizeof *b->wall_cut, "crack walls");
    b->fragment = phxi_alloc(heap, (size_t)cells->particle_count, sizeof *b->fragment, "crack fragments");
    b->fragment_size = phxi_alloc(heap, (size_t)cells->particle_count, sizeof *b->fragment_size, "crack fragments");
    b->positions = phxi_alloc(heap, (size_t)cells->vertex_count, sizeof *b->positions, "crack vertices");
    phx_result result =
        b->wall_cut && b->fragment && b->fragment_size && b->positions ? list_walls(b) : PHX_ERROR_MEMORY;
    if (result == PHX_OK) {
        result = prepare_normals(b);
    }
    if (result != PHX_OK) {
        phxi_crack_body_destroy(b);
    }
    return result;
}

void phxi_crack_body_destroy(phxi_crack_body* b) {
    if (!b->heap) {
        return;
    }
    void* const blocks[] = {b->vertex_wall_begin, b->vertex_walls, b->particle_wall_begin,
                            b->particle_walls,    b->mesh_groups,  b->mesh_normals,
                            b->wall_cut,          b->fragment,     b->fragment_size,
                            b->positions};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i) {
        phxi_free(b->heap, blocks[i]);
    }
    phxi_array_destroy(&b->copies, b->heap);
    phxi_array_destroy(&b->carriers, b->heap);
    phxi_array_destroy(&b->weights, b->heap);
    phxi_array_destroy(&b->points, b->heap);
    phxi_array_destroy(&b->triangles, b->heap);
    phxi_array_destroy(&b->copy_triangles, b->heap);
    *b = (phxi_crack_body){0};
}

// -------------------------------------------------------------------------------------------------------------- walls

static uint64_t cracks_state(const phxi_cracks* cracks, int count, bool smooth) {
    uint64_t state = 2 + smooth;
    if (cracks) {
        state = phxi_hash_bytes(cracks->fragment, (size_t)count * sizeof(int), state);
    }
    if (cracks && cracks->cut_count > 0) {
        state = phxi_hash_bytes(cracks->cut, (size_t)cracks->cut_count * 2 * sizeof(int), state);
    }
    return state;
}

static phx_result open_walls(phxi_crack_body* b, const phxi_cracks* cracks) {
    const phxi_cell_complex* c = b->cells;
    phxi_key_table cuts = {.heap = b->heap};
    memset(b->fragment_size, 0, (size_t)c->particle_count * sizeof *b->fragment_size);
    for (int i = 0; i < c->particle_count; ++i) {
        int fragment = cracks ? cracks->fragment[i] : 0;
        b->fragment[i] = fragment;
        // labels are below the number of fragments; whoever says otherwise has no size
        if (fragment >= 0 && fragment < c->particle_count) {
            ++b->fragment_size[fragment];
        }
    }
    for (int k = 0; cracks && k < cracks->cut_count; ++k) {
        int low = cracks->cut[k][0], high = cracks->cut[k][1];
        int* slot = phxi_key_slot(&cuts, low < high ? phxi_key_pair(low, high) : phxi_key_pair(high, low));
        if (!slot) {
            phxi_key_destroy(&cuts);
            return PHX_ERROR_MEMORY;
        }
        *slot = k;
    }
    for (int w = 0; w < c->wall_count; ++w) {
        int low = c->walls[w].particle[0], high = c->walls[w].particle[1];
        int cut = phxi_key_find(&cuts, phxi_key_pair(low, high));
        b->wall_cut[w] = cut >= 0 ? cut : b->fragment[low] != b->fragment[high] ? -2 : -1;
    }
    phxi_key_destroy(&cuts);
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- copies

typedef struct copying {
    phxi_crack_body* body;
    phxi_key_table copies; // by vertex and representative cell
    phxi_key_table points; // by copy and group of the mesh
    // around a vertex: cells, their lots, and where the lists of a vertex are
    PHXI_ARRAY(int) around;
    PHXI_ARRAY(int) lot; // lowest cell of each one's lot
    int* begin;          // by vertex, -1: not sorted yet
    int* count;
    PHXI_ARRAY(int) scratch;
} copying;

static int add_around(copying* s, int begin, int cell) {
    for (int i = begin; i < s->around.count; ++i) {
        if (s->around.items[i] == cell) {
            return i;
        }
    }
    if (!phxi_array_reserve(&s->around, 1, s->body->heap, "crack copies") ||
        !phxi_array_reserve(&s->lot, 1, s->body->heap, "crack copies")) {
        return -1;
    }
    s->around.items[s->around.count++] = cell;
    s->lot.items[s->lot.count++] = cell;
    return s->around.count - 1;
}

/// The cells around a vertex, in lots that hang together there.
static phx_result sort_around(copying* s, int vertex) {
    const phxi_crack_body* b = s->body;
    int begin = s->around.count;
    for (int k = b->vertex_wall_begin[vertex]; k < b->vertex_wall_begin[vertex + 1]; ++k) {
        const int wall = b->vertex_walls[k], *cell = b->cells->walls[wall].particle;
        int i = add_around(s, begin, cell[0]), j = i < 0 ? -1 : add_around(s, begin, cell[1]);
        if (j < 0) {
            return PHX_ERROR_MEMORY;
        }
        int from = s->lot.items[i], to = s->lot.items[j];
        for (int n = begin; n < s->around.count && from != to && !phxi_crack_open(b, wall); ++n) {
            bool merged = s->lot.items[n] == from || s->lot.items[n] == to;
            s->lot.items[n] = merged ? (from < to ? from : to) : s->lot.items[n];
        }
    }
    s->begin[vertex] = begin;
    s->count[vertex] = s->around.count - begin;
    return PHX_OK;
}

static phx_result new_copy(copying* s, int vertex, int cell, int lot) {
    phxi_crack_body* b = s->body;
    if (!phxi_array_reserve(&b->copies, 1, b->heap, "crack copies") ||
        !phxi_array_reserve(&s->scratch, s->count[vertex] + 1, b->heap, "crack copies")) {
        return PHX_ERROR_MEMORY;
    }
    b->copies.items[b->copies.count++] = (phxi_crack_copy){.vertex = vertex, .fragment = b->fragment[cell]};
    int count = 0;
    for (int n = s->begin[vertex]; n < s->begin[vertex] + s->count[vertex]; ++n) {
        if (s->lot.items[n] == lot) {
            s->scratch.items[count++] = s->around.items[n];
        }
    }
    if (count == 0) {
        s->scratch.items[count++] = cell; // alone at its vertex: no wall there
    }
    return phxi_crack_carry(b, s->scratch.items, count);
}

/// The copy of a vertex that a cell uses.
static phx_result copy_of(copying* s, int vertex, int cell, int* copy) {
    if (s->begin[vertex] < 0) {
        PHXI_TRY(sort_around(s, vertex));
    }
    int lot = cell;
    for (int n = s->begin[vertex]; n < s->begin[vertex] + s->count[vertex]; ++n) {
        lot = s->around.items[n] == cell ? s->lot.items[n] : lot;
    }
    int* slot = phxi_key_slot(&s->copies, phxi_key_pair(vertex, lot));
    if (!slot) {
        return PHX_ERROR_MEMORY;
    }
    if (*slot < 0) {
        PHXI_TRY(new_copy(s, vertex, cell, lot));
        *slot = s->body->copies.count - 1;
    }
    *copy = *slot;
    return PHX_OK;
}

// ----------------------------------------------------------------------------------------------------------- triangles

/// A point for a copy: shared along the mesh where that is smooth, and within one side of a wall.
static phx_result point_of(copying* s, int copy, int group, phxi_crack_point point, int* number) {
    int* slot = phxi_key_slot(&s->points, phxi_key_pair(copy, group));
    if (!slot || !phxi_array_reserve(&s->body->points, 1, s->body->heap, "crack points")) {
        return PHX_ERROR_MEMORY;
    }
    if (*slot < 0) {
        *slot = s->body->points.count;
        s->body->points.items[s->body->points.count++] = point;
    }
    *number = *slot;
    return PHX_OK;
}

static phx_result add_triangle(copying* s, const int vertices[3], int cell, int piece, int wall) {
    phxi_crack_body* b = s->body;
    phxi_cell_triangle copies, points;
    if (!phxi_array_reserve(&b->triangles, 1, b->heap, "crack triangles") ||
        !phxi_array_reserve(&b->copy_triangles, 1, b->heap, "crack triangles")) {
        return PHX_ERROR_MEMORY;
    }
    for (int k = 0; k < 3; ++k) {
        PHXI_TRY(copy_of(s, vertices[k], cell, &copies.v[k]));
        phxi_crack_point point = {copies.v[k], wall, {0, 0, 0}};
        int group = -1 - wall; // below those of the mesh
        if (wall < 0) {
            point.normal = piece_normal(b, piece, vertices[k]);
            group = b->mesh_groups[b->cells->piece_source[piece]];
        }
        PHXI_TRY(point_of(s, copies.v[k], group, point, &points.v[k]));
    }
    b->triangles.items[b->triangles.count++] = points;
    b->copy_triangles.items[b->copy_triangles.count++] = copies;
    return PHX_OK;
}

static phx_result add_triangles(copying* s) {
    const phxi_crack_body* b = s->body;
    const phxi_cell_complex* c = b->cells;
    for (int t = 0; t < c->piece_count; ++t) {
        PHXI_TRY(add_triangle(s, c->pieces[t].v, c->piece_particle[t], t, -1));
    }
    for (int w = 0; w < c->wall_count; ++w) {
        const phxi_cell_wall* wall = &c->walls[w];
        for (int t = wall->begin; t < wall->begin + wall->count && phxi_crack_open(b, w); ++t) {
            const int* v = c->wall_triangles[t].v;
            PHXI_TRY(add_triangle(s, v, wall->particle[0], -1, 2 * w));
            PHXI_TRY(add_triangle(s, (const int[3]){v[0], v[2], v[1]}, wall->particle[1], -1, 2 * w + 1));
        }
    }
    return PHX_OK;
}

static phx_result make_copies(phxi_crack_body* b) {
    const phxi_cell_complex* c = b->cells;
    copying s = {.body = b, .copies = {.heap = b->heap}, .points = {.heap = b->heap}};
    s.begin = phxi_alloc(b->heap, (size_t)c->vertex_count, sizeof *s.begin, "crack copies");
    s.count = phxi_alloc(b->heap, (size_t)c->vertex_count, sizeof *s.count, "crack copies");
    phx_result result = s.begin && s.count ? PHX_OK : PHX_ERROR_MEMORY;
    if (result == PHX_OK) {
        memset(s.begin, 0xFF, (size_t)c->vertex_count * sizeof *s.begin); // -1
        result = add_triangles(&s);
    }
    phxi_key_destroy(&s.copies);
    phxi_key_destroy(&s.points);
    phxi_array_destroy(&s.around, b->heap);
    phxi_array_destroy(&s.lot, b->heap);
    phxi_array_destroy(&s.scratch, b->heap);
    phxi_free(b->heap, s.begin);
    phxi_free(b->heap, s.count);
    return result;
}

phx_result phxi_crack_body_update(phxi_crack_body* b, const phxi_cracks* cracks, bool smooth) {
    const phxi_cell_complex* c = b->cells;
    uint64_t state = cracks_state(cracks, c->particle_count, smooth);
    if (b->made && b->state == state) {
        return PHX_OK;
    }
    b->made = false;
    b->copies.count = b->carriers.count = b->weights.count = b->points.count = b->triangles.count =
        b->copy_triangles.count = 0;
    memcpy(b->positions, c->vertices, (size_t)c->vertex_count * sizeof *c->vertices);
    PHXI_TRY(open_walls(b, cracks));
    if (smooth && cracks) {
        PHXI_TRY(phxi_crack_smooth(b, cracks));
    }
    PHXI_TRY(make_copies(b));
    b->state = state;
    b->made = true;
    return PHX_OK;
}
