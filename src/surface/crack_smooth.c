// SPDX-License-Identifier: MIT
// Walls follow the cells; cracks are planes. Sweeps draw each vertex of open walls to the mean of its feet on the
// planes of the facets that cut there (where bonds gave way by stretch: a little towards the middle of the wall), by a
// Jacobi iteration. Vertices on the mesh stay on it: in their triangle, on their edge, or where they are, and no piece
// of it is folded over. Both sides of a crack use the same position, so what one fragment loses the other gains. Small
// fragments are left as they are: they would vanish.
#include "surface/crack_body.h"

#include <string.h>

enum { SWEEPS = 8, UNFOLDS = 8 };
#define STRETCH 0.3  // of the way to the middle of a wall
#define LIMIT   0.45 // spacings
#define TINY    8    // particles: no smoothing
#define LARGE   108  // full smoothing

typedef struct smoothing {
    phxi_crack_body* body;
    const phxi_cracks* cracks;
    PHXI_ARRAY(int) vertices; // that move
    double* limits;           // m, of each of them
    phx_vec3* next;
    phx_vec3* middles; // by wall
} smoothing;

static double limit_of(const phxi_crack_body* b, int vertex) {
    int least = LARGE;
    double spacing = INFINITY;
    for (int k = b->vertex_wall_begin[vertex]; k < b->vertex_wall_begin[vertex + 1]; ++k) {
        for (int side = 0; side < 2; ++side) {
            int cell = b->cells->walls[b->vertex_walls[k]].particle[side], fragment = b->fragment[cell];
            spacing = fmin(spacing, b->spacings[cell]);
            bool known = fragment >= 0 && fragment < b->cells->particle_count;
            int size = known ? b->fragment_size[fragment] : 0;
            least = size < least ? size : least;
        }
    }
    return LIMIT * spacing * fmax(least - TINY, 0) / (LARGE - TINY);
}

static phx_result choose_vertices(smoothing* s) {
    const phxi_crack_body* b = s->body;
    const phxi_cell_complex* c = b->cells;
    for (int v = 0; v < c->vertex_count; ++v) {
        bool open = false;
        for (int k = b->vertex_wall_begin[v]; k < b->vertex_wall_begin[v + 1]; ++k) {
            open = open || phxi_crack_open(b, b->vertex_walls[k]);
        }
        if (open && c->kinds[v] != PHXI_CELL_FIXED) {
            int* slot = phxi_array_add(&s->vertices, b->heap, "crack smoothing");
            if (!slot) {
                return PHX_ERROR_MEMORY;
            }
            *slot = v;
        }
    }
    PHXI_NEW(s->limits, b->heap, s->vertices.count, "crack smoothing");
    PHXI_NEW(s->next, b->heap, s->vertices.count, "crack smoothing");
    PHXI_NEW(s->middles, b->heap, c->wall_count, "crack smoothing");
    for (int i = 0; i < s->vertices.count; ++i) {
        s->limits[i] = limit_of(b, s->vertices.items[i]);
    }
    return PHX_OK;
}

static void find_middles(smoothing* s) {
    const phxi_crack_body* b = s->body;
    const phxi_cell_complex* c = b->cells;
    for (int w = 0; w < c->wall_count; ++w) {
        phx_vec3 sum = {0, 0, 0};
        for (int t = c->walls[w].begin; t < c->walls[w].begin + c->walls[w].count && phxi_crack_open(b, w); ++t) {
            for (int k = 0; k < 3; ++k) {
                sum = phxi_add(sum, b->positions[c->wall_triangles[t].v[k]]);
            }
        }
        s->middles[w] = phxi_scale(1.0 / (3 * c->walls[w].count), sum);
    }
}

static phx_vec3 target(const smoothing* s, int vertex) {
    const phxi_crack_body* b = s->body;
    phx_vec3 x = b->positions[vertex], sum = {0, 0, 0};
    int count = 0;
    for (int k = b->vertex_wall_begin[vertex]; k < b->vertex_wall_begin[vertex + 1]; ++k) {
        int wall = b->vertex_walls[k], cut = b->wall_cut[wall];
        if (!phxi_crack_open(b, wall)) {
            continue;
        }
        phx_vec3 n = cut >= 0 ? s->cracks->plane_normal[cut] : phxi_vec3(0, 0, 0);
        double length2 = phxi_dot(n, n);
        if (length2 > 0) {
            double off = phxi_dot(n, phxi_sub(x, s->cracks->plane_point[cut])) / length2;
            sum = phxi_add(sum, phxi_add_scaled(x, -off, n));
        } else {
            sum = phxi_add(sum, phxi_add_scaled(phxi_scale(1 - STRETCH, x), STRETCH, s->middles[wall]));
        }
        ++count;
    }
    return phxi_scale(1.0 / count, sum);
}

/// How much of the way from a to b stays on the positive side of a plane through `on`.
static double share(phx_vec3 a, phx_vec3 b, phx_vec3 on, phx_vec3 normal) {
    double from = phxi_dot(phxi_sub(a, on), normal), to = phxi_dot(phxi_sub(b, on), normal);
    return to >= 0 ? 1 : from <= 0 ? 0 : from / (from - to);
}

// From where the vertex was made to where it may be, towards x.
static phx_vec3 constrain(const phxi_cell_complex* c, int vertex, phx_vec3 x) {
    const phx_vec3 start = c->vertices[vertex], *m = c->mesh_vertices;
    double part = 1;
    if (c->kinds[vertex] == PHXI_CELL_ON_EDGE) {
        phx_vec3 a = m[c->anchors[vertex][0]], b = m[c->anchors[vertex][1]], along = phxi_sub(b, a);
        double length2 = phxi_dot(along, along), t = length2 > 0 ? phxi_dot(phxi_sub(x, start), along) / length2 : 0;
        x = phxi_add_scaled(start, t, along);
        part = fmin(share(start, x, a, along), share(start, x, b, phxi_scale(-1, along)));
    } else if (c->kinds[vertex] == PHXI_CELL_ON_SIDE) {
        const int* corner = c->mesh_triangles + 3 * (size_t)c->anchors[vertex][0];
        const phx_vec3 p[3] = {m[corner[0]], m[corner[1]], m[corner[2]]};
        phx_vec3 normal = phxi_cross(phxi_sub(p[1], p[0]), phxi_sub(p[2], p[0]));
        double area2 = phxi_dot(normal, normal);
        if (!(area2 > 0)) {
            return start;
        }
        x = phxi_add_scaled(x, -phxi_dot(phxi_sub(x, start), normal) / area2, normal);
        for (int k = 0; k < 3; ++k) {
            phx_vec3 inward = phxi_cross(normal, phxi_sub(p[(k + 1) % 3], p[k]));
            part = fmin(part, share(start, x, p[k], inward));
        }
    }
    return phxi_add_scaled(start, part, phxi_sub(x, start));
}

static phx_result sweep_all(smoothing* s) {
    phxi_crack_body* b = s->body;
    PHXI_TRY(choose_vertices(s));
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        find_middles(s);
        for (int i = 0; i < s->vertices.count; ++i) {
            int v = s->vertices.items[i];
            phx_vec3 start = b->cells->vertices[v], move = phxi_sub(constrain(b->cells, v, target(s, v)), start);
            double length = phxi_length(move);
            s->next[i] = !phxi_finite(move)      ? b->positions[v]
                         : length > s->limits[i] ? phxi_add_scaled(start, s->limits[i] / length, move)
                                                 : phxi_add(start, move);
        }
        for (int i = 0; i < s->vertices.count; ++i) {
            b->positions[s->vertices.items[i]] = s->next[i];
        }
    }
    return PHX_OK;
}

static phx_vec3 area_of(const phx_vec3* x, const int v[3]) {
    return phxi_cross(phxi_sub(x[v[1]], x[v[0]]), phxi_sub(x[v[2]], x[v[0]]));
}

/// Takes back what folded pieces of the mesh over: half of it, again and again, then all.
static void unfold(phxi_crack_body* b) {
    const phxi_cell_complex* c = b->cells;
    bool folded = true;
    for (int pass = 0; pass < UNFOLDS && folded; ++pass) {
        double kept = pass < UNFOLDS / 2 ? 0.5 : 0;
        folded = false;
        for (int t = 0; t < c->piece_count; ++t) {
            const int* v = c->pieces[t].v;
            if (phxi_dot(area_of(c->vertices, v), area_of(b->positions, v)) > 0) {
                continue;
            }
            for (int k = 0; k < 3; ++k) {
                phx_vec3 start = c->vertices[v[k]], move = phxi_sub(b->positions[v[k]], start);
                folded = folded || phxi_dot(move, move) > 0;
                b->positions[v[k]] = phxi_add_scaled(start, kept, move);
            }
        }
    }
}

phx_result phxi_crack_smooth(phxi_crack_body* body, const phxi_cracks* cracks) {
    smoothing s = {.body = body, .cracks = cracks};
    phx_result result = sweep_all(&s);
    unfold(body);
    phxi_array_destroy(&s.vertices, body->heap);
    phxi_free(body->heap, s.limits);
    phxi_free(body->heap, s.next);
    phxi_free(body->heap, s.middles);
    return result;
}
