// SPDX-License-Identifier: MIT
#include "geometry/voronoi.h"

#include <stdlib.h>
#include <string.h>

typedef struct phxi_voronoi_edge edge;

// Off the diagonal the shear's symmetric part has entries of which one is negative: then the nearest neighbours of a
// cubic lattice form an obtuse superbase, and its cells are generic (Selling).
#define EPSILON 1e-8
static phx_vec3 sheared(double amount, phx_vec3 p) {
    return phxi_vec3(p.x + amount * (0.31 * p.x + 0.6 * p.y + 0.2 * p.z),
                     p.y + amount * (0.3 * p.x - 0.44 * p.y - 0.5 * p.z),
                     p.z + amount * (0.3 * p.x - 0.2 * p.y + 0.17 * p.z));
}

phx_vec3 phxi_voronoi_shear(phx_vec3 p) {
    return sheared(EPSILON, p);
}

phx_vec3 phxi_voronoi_unshear(phx_vec3 p) {
    return sheared(-EPSILON, p); // but for the square of the shear, which is below rounding
}

// ------------------------------------------------------------------------------------------------------------- bricks

static int brick_coordinate(const phxi_voronoi* v, double x, double low, int axis) {
    return (int)fmin(fmax(floor((x - low) / v->brick), 0), v->bricks[axis] - 1);
}

static void brick_of(const phxi_voronoi* v, phx_vec3 p, int at[3]) {
    at[0] = brick_coordinate(v, p.x, v->low.x, 0);
    at[1] = brick_coordinate(v, p.y, v->low.y, 1);
    at[2] = brick_coordinate(v, p.z, v->low.z, 2);
}

static size_t brick_index(const phxi_voronoi* v, int x, int y, int z) {
    return ((size_t)z * (size_t)v->bricks[1] + (size_t)y) * (size_t)v->bricks[0] + (size_t)x;
}

// Bricks hold about one site each; larger ones where sites are sparse in their box.
static void lay_bricks(phxi_voronoi* v, double spacing) {
    phx_vec3 high = v->sites[0];
    v->low = v->sites[0];
    for (int i = 1; i < v->site_count; ++i) {
        v->low = phxi_min(v->low, v->sites[i]);
        high = phxi_max(high, v->sites[i]);
    }
    phx_vec3 size = phxi_sub(high, v->low);
    v->brick = 1.01 * spacing;
    double limit = 8.0 * v->site_count + 1000;
    for (;;) {
        double n[3] = {floor(size.x / v->brick) + 1, floor(size.y / v->brick) + 1, floor(size.z / v->brick) + 1};
        if (n[0] * n[1] * n[2] <= limit) {
            v->bricks[0] = (int)n[0], v->bricks[1] = (int)n[1], v->bricks[2] = (int)n[2];
            return;
        }
        v->brick *= 1.25;
    }
}

static phx_result sort_sites(phxi_voronoi* v) {
    size_t bricks = (size_t)v->bricks[0] * (size_t)v->bricks[1] * (size_t)v->bricks[2];
    v->first = phxi_alloc_zero(v->heap, bricks + 2, sizeof *v->first, "voronoi bricks");
    v->items = phxi_alloc(v->heap, (size_t)v->site_count, sizeof *v->items, "voronoi bricks");
    if (!v->first || !v->items) {
        return PHX_ERROR_MEMORY;
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < v->site_count; ++i) {
            int at[3];
            brick_of(v, v->sites[i], at);
            size_t b = brick_index(v, at[0], at[1], at[2]);
            if (pass == 0) {
                ++v->first[b + 2];
            } else {
                v->items[v->first[b + 1]++] = i;
            }
        }
        for (size_t b = 2; b < bricks + 2 && pass == 0; ++b) {
            v->first[b] += v->first[b - 1];
        }
    }
    return PHX_OK;
}

/// The sites in bricks at the (Chebyshev) distance `ring` from a brick.
typedef void visit_site(void* context, int site);
static void visit_ring(const phxi_voronoi* v, const int at[3], int ring, visit_site* visit, void* context) {
    int low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = at[k] - ring < 0 ? 0 : at[k] - ring;
        high[k] = at[k] + ring >= v->bricks[k] ? v->bricks[k] - 1 : at[k] + ring;
    }
    for (int z = low[2]; z <= high[2]; ++z) {
        for (int y = low[1]; y <= high[1]; ++y) {
            bool rim = abs(z - at[2]) == ring || abs(y - at[1]) == ring;
            for (int x = low[0]; x <= high[0]; ++x) {
                if (!rim && abs(x - at[0]) != ring) {
                    x = at[0] + ring - 1; // over the hollow
                    continue;
                }
                size_t b = brick_index(v, x, y, z);
                for (int k = v->first[b]; k < v->first[b + 1]; ++k) {
                    visit(context, v->items[k]);
                }
            }
        }
    }
}

static int most_rings(const phxi_voronoi* v) {
    int n = v->bricks[0] > v->bricks[1] ? v->bricks[0] : v->bricks[1];
    return n > v->bricks[2] ? n : v->bricks[2];
}

// How far outside of the bricks a point is: rings count from the brick at its foot.
static double outside(const phxi_voronoi* v, phx_vec3 p) {
    const double x[3] = {p.x - v->low.x, p.y - v->low.y, p.z - v->low.z};
    double most = 0;
    for (int k = 0; k < 3; ++k) {
        most = fmax(most, fmax(-x[k], x[k] - v->bricks[k] * v->brick));
    }
    return most;
}

typedef struct nearest {
    const phxi_voronoi* v;
    phx_vec3 point;
    double distance2;
    int site;
} nearest;

static void try_nearest(void* context, int site) {
    nearest* n = context;
    phx_vec3 d = phxi_sub(n->v->sites[site], n->point);
    double d2 = phxi_dot(d, d);
    if (d2 < n->distance2) {
        n->distance2 = d2;
        n->site = site;
    }
}

int phxi_voronoi_nearest(const phxi_voronoi* v, phx_vec3 point) {
    nearest n = {v, point, INFINITY, -1};
    int at[3], rings = most_rings(v);
    brick_of(v, point, at);
    double off = outside(v, point);
    for (int ring = 0; ring <= rings; ++ring) {
        double reach = (ring - 1) * v->brick; // nothing nearer than that is left, seen from the foot
        if (n.site >= 0 && reach > 0 && reach - off > 0 && n.distance2 <= (reach - off) * (reach - off)) {
            break;
        }
        visit_ring(v, at, ring, try_nearest, &n);
    }
    return n.site;
}

// -------------------------------------------------------------------------------------------------------------- making

phx_result phxi_voronoi_create(phxi_voronoi* v, phxi_heap* heap, int count, const phx_vec3* sites, double spacing,
                               double wall) {
    *v = (phxi_voronoi){.heap = heap, .site_count = count, .tolerance = 1e-5 * spacing, .wall = wall};
    v->buckets.heap = v->edge_keys.heap = v->face_keys.heap = heap;
    PHXI_NEW(v->sites, heap, count, "voronoi sites");
    PHXI_NEW(v->cell_begin, heap, count, "voronoi cells");
    PHXI_NEW(v->cell_count, heap, count, "voronoi cells");
    PHXI_NEW(v->work, heap, 1, "voronoi cell");
    for (int i = 0; i < count; ++i) {
        v->sites[i] = phxi_voronoi_shear(sites[i]);
        v->cell_begin[i] = -1;
        v->cell_count[i] = 0;
    }
    lay_bricks(v, spacing);
    return sort_sites(v);
}

void phxi_voronoi_destroy(phxi_voronoi* v) {
    if (!v->heap) {
        return;
    }
    phxi_free(v->heap, v->sites);
    phxi_free(v->heap, v->first);
    phxi_free(v->heap, v->items);
    phxi_free(v->heap, v->edges);
    phxi_free(v->heap, v->cell_begin);
    phxi_free(v->heap, v->cell_count);
    phxi_free(v->heap, v->work);
    phxi_array_destroy(&v->corners, v->heap);
    phxi_array_destroy(&v->next_corner, v->heap);
    phxi_array_destroy(&v->faces, v->heap);
    phxi_array_destroy(&v->rings, v->heap);
    phxi_array_destroy(&v->ring_edges, v->heap);
    phxi_array_destroy(&v->cell_faces, v->heap);
    phxi_array_destroy(&v->near, v->heap);
    phxi_key_destroy(&v->buckets);
    phxi_key_destroy(&v->edge_keys);
    phxi_key_destroy(&v->face_keys);
    *v = (phxi_voronoi){0};
}

// The number of the corner at a point: one that is there within the tolerance, or a new one. -1: no memory.
static int corner_at(phxi_voronoi* v, phx_vec3 p) {
    const double size = 64 * v->tolerance, x[3] = {p.x - v->low.x, p.y - v->low.y, p.z - v->low.z};
    int64_t low[3], high[3], home[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = (int64_t)floor((x[k] - v->tolerance) / size);
        high[k] = (int64_t)floor((x[k] + v->tolerance) / size);
        home[k] = (int64_t)floor(x[k] / size);
    }
#define BUCKET(a, b, c) (((uint64_t)(a)&0x1fffff) << 42 | ((uint64_t)(b)&0x1fffff) << 21 | ((uint64_t)(c)&0x1fffff))
    for (int64_t i = low[0]; i <= high[0]; ++i) {
        for (int64_t j = low[1]; j <= high[1]; ++j) {
            for (int64_t k = low[2]; k <= high[2]; ++k) {
                for (int c = phxi_key_find(&v->buckets, BUCKET(i, j, k)); c >= 0; c = v->next_corner.items[c]) {
                    if (phxi_distance(v->corners.items[c], p) <= v->tolerance) {
                        return c;
                    }
                }
            }
        }
    }
    int* slot = phxi_key_slot(&v->buckets, BUCKET(home[0], home[1], home[2]));
#undef BUCKET
    if (!slot || !phxi_array_reserve(&v->corners, 1, v->heap, "voronoi corners") ||
        !phxi_array_reserve(&v->next_corner, 1, v->heap, "voronoi corners")) {
        return -1;
    }
    v->corners.items[v->corners.count] = p;
    v->next_corner.items[v->next_corner.count++] = *slot;
    *slot = v->corners.count++;
    return *slot;
}

// The edge from a to b, as in ring_edges; -1: no memory.
static int edge_from(phxi_voronoi* v, int a, int b) {
    int low = a < b ? a : b, high = a < b ? b : a;
    int* slot = phxi_key_slot(&v->edge_keys, phxi_key_pair(low, high));
    if (!slot) {
        return -1;
    }
    if (*slot < 0) {
        if (!phxi_array_reserve_bytes((void**)&v->edges, v->edge_count, &v->edge_capacity, 1, sizeof(edge), v->heap,
                                      "voronoi edges")) {
            return -1;
        }
        *slot = v->edge_count;
        v->edges[v->edge_count++] = (edge){{low, high}};
    }
    return 2 * *slot + (a > b);
}

/// A ring without what fell together; its length. Corners visited twice, not in a row, would make it no ring.
static int distinct_ring(int* ring, int count) {
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if (kept == 0 || ring[kept - 1] != ring[i]) {
            ring[kept++] = ring[i];
        }
    }
    while (kept > 1 && ring[kept - 1] == ring[0]) {
        --kept;
    }
    return kept;
}

static phx_result add_face(phxi_voronoi* v, int cell, int other, const int* ring, int count, int* face) {
    int low = cell < other ? cell : other, high = cell < other ? other : cell;
    int* slot = phxi_key_slot(&v->face_keys, phxi_key_pair(low, high));
    if (!slot) {
        return PHX_ERROR_MEMORY;
    }
    if (*slot < 0) {
        if (!phxi_array_reserve(&v->faces, 1, v->heap, "voronoi faces") ||
            !phxi_array_reserve(&v->rings, count, v->heap, "voronoi rings") ||
            !phxi_array_reserve(&v->ring_edges, count, v->heap, "voronoi rings")) {
            return PHX_ERROR_MEMORY;
        }
        phx_vec3 a = v->sites[low], b = v->sites[high];
        *slot = v->faces.count;
        v->faces.items[v->faces.count++] =
            (phxi_voronoi_face){{low, high}, phxi_sub(b, a), phxi_scale(0.5, phxi_add(a, b)), v->rings.count, count};
        for (int k = 0; k < count; ++k) {
            // as seen from the higher cell: outside of the lower one
            int from = cell == low ? ring[k] : ring[count - 1 - k];
            int to = cell == low ? ring[(k + 1) % count] : ring[(2 * count - 2 - k) % count];
            int e = edge_from(v, from, to);
            if (e < 0) {
                return PHX_ERROR_MEMORY;
            }
            v->rings.items[v->rings.count++] = from;
            v->ring_edges.items[v->ring_edges.count++] = e;
        }
    }
    *face = *slot;
    return PHX_OK;
}

// From the polyhedron of a cell to numbered corners, edges and faces.
static phx_result enter_cell(phxi_voronoi* v, int cell) {
    phxi_voronoi_cell* c = v->work;
    int ring[PHXI_CELL_CORNERS], number[PHXI_CELL_CORNERS];
    for (int i = 0; i < c->corner_count; ++i) {
        number[i] = corner_at(v, phxi_add(v->sites[cell], c->corner[i]));
        if (number[i] < 0) {
            return PHX_ERROR_MEMORY;
        }
    }
    int begin = v->cell_faces.count;
    for (int p = 6; p < c->plane_count; ++p) { // walls are no faces
        int count = phxi_voronoi_cell_ring(c, p, ring), face;
        if (count < 0) {
            v->degenerate = true;
            return phxi_fail(PHX_ERROR_ARGUMENT, "the cell of particle %d has a face that is no polygon", cell);
        }
        for (int k = 0; k < count; ++k) {
            ring[k] = number[ring[k]];
        }
        count = distinct_ring(ring, count);
        if (count < 3) {
            continue;
        }
        PHXI_TRY(add_face(v, cell, c->site[p], ring, count, &face));
        if (!phxi_array_reserve(&v->cell_faces, 1, v->heap, "voronoi cells")) {
            return PHX_ERROR_MEMORY;
        }
        v->cell_faces.items[v->cell_faces.count++] = face;
    }
    v->cell_begin[cell] = begin;
    v->cell_count[cell] = v->cell_faces.count - begin;
    return PHX_OK;
}

typedef struct gathering {
    phxi_voronoi* v;
    int cell;
    bool failed;
} gathering;

static void gather(void* context, int site) {
    gathering* g = context;
    phxi_voronoi* v = g->v;
    phx_vec3 d = phxi_sub(v->sites[site], v->sites[g->cell]);
    double d2 = phxi_dot(d, d);
    if (site == g->cell || d2 > 4 * v->work->reach2) {
        return;
    }
    if (!phxi_array_reserve(&v->near, 1, v->heap, "voronoi neighbours")) {
        g->failed = true;
        return;
    }
    v->near.items[v->near.count].distance2 = d2;
    v->near.items[v->near.count++].site = site;
}

static int by_distance(const void* a, const void* b) {
    const struct phxi_voronoi_near *p = a, *q = b;
    return p->distance2 != q->distance2 ? (p->distance2 > q->distance2) - (p->distance2 < q->distance2)
                                        : (p->site > q->site) - (p->site < q->site);
}

phx_result phxi_voronoi_need(phxi_voronoi* v, int cell) {
    if (v->cell_begin[cell] >= 0) {
        return PHX_OK;
    }
    phxi_voronoi_cell* c = v->work;
    phxi_voronoi_cell_start(c, v->wall);
    int at[3], rings = most_rings(v);
    brick_of(v, v->sites[cell], at);
    gathering g = {v, cell, false};
    // Nearest first: what is more than twice the farthest corner away cannot cut.
    for (int ring = 0; ring <= rings; ++ring) {
        double reach = (ring - 1) * v->brick;
        if (reach > 0 && reach * reach > 4 * c->reach2) {
            break;
        }
        v->near.count = 0;
        visit_ring(v, at, ring, gather, &g);
        if (g.failed) {
            return PHX_ERROR_MEMORY;
        }
        if (v->near.count == 0) {
            continue;
        }
        qsort(v->near.items, (size_t)v->near.count, sizeof *v->near.items, by_distance);
        for (int k = 0; k < v->near.count; ++k) {
            int site = v->near.items[k].site;
            if (v->near.items[k].distance2 <= 4 * c->reach2 &&
                !phxi_voronoi_cell_cut(c, phxi_sub(v->sites[site], v->sites[cell]), site)) {
                v->degenerate = true;
                return phxi_fail(PHX_ERROR_ARGUMENT, "the cells of particles %d and %d cannot be told apart", cell,
                                 site);
            }
        }
    }
    return enter_cell(v, cell);
}

int phxi_voronoi_edge_between(const phxi_voronoi* v, int face, int other) {
    const phxi_voronoi_face *f = &v->faces.items[face], *g = &v->faces.items[other];
    for (int i = f->begin; i < f->begin + f->count; ++i) {
        for (int j = g->begin; j < g->begin + g->count; ++j) {
            if (v->ring_edges.items[i] >> 1 == v->ring_edges.items[j] >> 1) {
                return v->ring_edges.items[i];
            }
        }
    }
    return -1;
}
