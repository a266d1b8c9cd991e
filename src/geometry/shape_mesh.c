// SPDX-License-Identifier: MIT
// Dual surface of a distance on a grid ("surface nets"): a vertex in each cell that the surface passes, a quadrilateral
// around each grid edge that it crosses. A third as many triangles as the tetrahedra would give, and better shaped.
//
// Such a surface is a manifold only if no face of a cell has its corners inside and outside crosswise. Those are
// removed first, by taking one outer corner in; that can only fill, so it ends. What is left is one sheet in each cell
// but for eight cases, in which two opposite corners alone are on one side: these cells get two vertices. Every edge
// between two cells then belongs to a face with exactly two crossings, hence to exactly two quadrilaterals.
//
// Vertices start at the mean of the crossings around them, and are then evened out along the surface and put onto it
// by Newton steps in turn. Creases get a bevel of about a cell, unless they are asked for (`sharp`): then the vertex of
// a cell whose crossings have normals far apart is put where their planes meet, by least squares ("dual contouring"),
// and stays there; diagonals of quadrilaterals follow such vertices.
#include "geometry/shape_mesh.h"

#include "core/array.h"
#include "geometry/region.h"
#include "geometry/shape.h"
#include "geometry/solid.h"
#include "math/decompose3.h"

enum { ROUNDS = 4 }; // of evening out
#define SHARP 0.766  // cosine between normals of a cell below which it may have a crease: 40 degrees

typedef struct quad {
    int v[4]; // counter-clockwise from outside
} quad;

typedef struct net {
    phxi_heap* heap;
    phxi_shape* shape; // or
    phxi_solid* solid; // of an open mesh: sides change where there is no surface, too
    phxi_grid grid;    // samples are at the low corners of its cells
    size_t step[3];    // from a sample to the next one along each axis
    float* values;     // distance at each sample, exact where it is small
    int* first;        // vertex of the cell above each sample, -1 if it has none
    PHXI_ARRAY(phx_vec3) vertices;
    PHXI_ARRAY(quad) quads;
    phx_vec3* sums; // of the neighbours of each vertex
    int* counts;
    bool sharp;             // creases are kept
    PHXI_ARRAY(bool) fixed; // by vertex: it is on a crease
} net;

/// Distance to the surface of a solid, cut off three cells from it: fast, and all that creases need.
static double near_distance(const net* n, phx_vec3 point, phx_vec3* normal) {
    phx_vec3 on, face;
    double most = 3 * n->grid.edge, sign = phxi_solid_inside(n->solid, point) ? -1 : 1;
    double distance = phxi_solid_near(n->solid, point, most, &on, &face) ? phxi_distance(on, point) : most;
    if (normal) {
        *normal = distance > 1e-6 * most && distance < most ? phxi_scale(sign / distance, phxi_sub(point, on)) : face;
    }
    return sign * distance;
}

static double distance_at(const net* n, phx_vec3 point, phx_vec3* normal) {
    if (n->solid && n->sharp) {
        return near_distance(n, point, normal);
    }
    return n->solid ? phxi_solid_distance(n->solid, point, normal)
           : normal ? phxi_shape_distance_normal(n->shape, point, normal)
                    : phxi_shape_distance(n->shape, point);
}

static phx_vec3 normal_at(const net* n, phx_vec3 point) {
    phx_vec3 normal;
    distance_at(n, point, &normal);
    return normal;
}

static size_t corner_offset(const net* n, int corner) {
    return (corner & 1 ? n->step[0] : 0) + (corner & 2 ? n->step[1] : 0) + (corner & 4 ? n->step[2] : 0);
}

static bool is_inside(const net* n, size_t sample) {
    return n->values[sample] < 0;
}

// ------------------------------------------------------------------------------------------------------------- samples

static phx_result lay_grid(net* n, phxi_box box, double spacing) {
    phxi_region region = {.box = box};
    // Samples on all sides of the box, the outermost clear of it.
    double margin = 1.25 * spacing;
    region.box.low = phxi_sub(region.box.low, phxi_vec3(margin, margin, margin));
    region.box.high = phxi_add(region.box.high, phxi_vec3(margin, margin, margin));
    PHXI_TRY(phxi_region_grid(&region, spacing, &n->grid));
    ++n->grid.nx, ++n->grid.ny, ++n->grid.nz;
    n->step[0] = 1;
    n->step[1] = (size_t)n->grid.nx;
    n->step[2] = (size_t)n->grid.nx * (size_t)n->grid.ny;
    return PHX_OK;
}

static void sample_row(net* n, int j, int k) {
    const phxi_grid* g = &n->grid;
    float* row = n->values + (size_t)j * n->step[1] + (size_t)k * n->step[2];
    phx_vec3 p = {0, g->origin.y + j * g->edge, g->origin.z + k * g->edge};
    for (int i = 0; i < g->nx; ++i) {
        p.x = g->origin.x + i * g->edge;
        double d = distance_at(n, p, NULL);
        row[i] = (float)d;
        // As far as it is clear of the surface by more than two cells, a bound will do.
        for (double left = fabs(d) - g->edge; !n->solid && left > 2 * g->edge && i + 1 < g->nx; left -= g->edge) {
            row[++i] = (float)copysign(left, d);
        }
    }
    row[0] = row[g->nx - 1] = (float)g->edge;
}

static phx_result sample_all(net* n) {
    const phxi_grid* g = &n->grid;
    PHXI_NEW(n->values, n->heap, n->step[2] * (size_t)g->nz, "surface samples");
    for (int k = 0; k < g->nz; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            sample_row(n, j, k);
            if (j == 0 || k == 0 || j == g->ny - 1 || k == g->nz - 1) {
                for (int i = 0; i < g->nx; ++i) {
                    n->values[(size_t)i + (size_t)j * n->step[1] + (size_t)k * n->step[2]] = (float)g->edge;
                }
            }
        }
    }
    return PHX_OK;
}

/// Takes in an outer corner of each face whose corners are inside and outside crosswise. True if there was one.
static bool fill_crossed_faces(net* n) {
    const phxi_grid* g = &n->grid;
    bool changed = false;
    for (int k = 0; k + 1 < g->nz; ++k) {
        for (int j = 0; j + 1 < g->ny; ++j) {
            for (int i = 0; i + 1 < g->nx; ++i) {
                size_t a = (size_t)i + (size_t)j * n->step[1] + (size_t)k * n->step[2];
                for (int axis = 0; axis < 3; ++axis) {
                    size_t u = n->step[(axis + 1) % 3], v = n->step[(axis + 2) % 3];
                    bool in = is_inside(n, a), crossed = is_inside(n, a + u) != in && is_inside(n, a + v) != in &&
                                                         is_inside(n, a + u + v) == in;
                    if (crossed) {
                        size_t c = in ? a + u : a, d = in ? a + v : a + u + v;
                        n->values[n->values[c] <= n->values[d] ? c : d] = (float)(-1e-3 * g->edge);
                        changed = true;
                    }
                }
            }
        }
    }
    return changed;
}

// ------------------------------------------------------------------------------------------------------------ vertices

/// Two opposite corners alone.
static bool is_pair(int mask) {
    return mask == 0x81 || mask == 0x42 || mask == 0x24 || mask == 0x18;
}

static int cell_mask(const net* n, size_t sample) {
    int mask = 0;
    for (int c = 0; c < 8; ++c) {
        mask |= is_inside(n, sample + corner_offset(n, c)) << c;
    }
    return mask;
}

/// Which of a cell's vertices belongs to the edge from its inner to its outer corner.
static int sheet(int mask, int inner, int outer) {
    if (is_pair(mask)) {
        return inner > 3;
    }
    return is_pair(~mask & 0xFF) && outer > 3;
}

// ------------------------------------------------------------------------------------------------------------- creases

/// Onto the surface, but never far: where the distance is only a bound a step may be too short, not too long.
static phx_vec3 project(const net* n, phx_vec3 start) {
    phx_vec3 p = start;
    for (int step = 0; step < 4; ++step) {
        phx_vec3 normal;
        double d = distance_at(n, p, &normal);
        phx_vec3 next = phxi_add_scaled(p, -d, normal);
        if (!(phxi_distance(next, start) < n->grid.edge)) {
            break;
        }
        p = next;
    }
    return p;
}

/// Planes of the surface at the crossings of a cell.
typedef struct planes {
    phx_vec3 point[12], normal[12];
    int count;
} planes;

static phx_vec3 corner_point(const net* n, const int at[3], int corner) {
    const phxi_grid* g = &n->grid;
    return phxi_vec3(g->origin.x + (at[0] + (corner & 1)) * g->edge,
                     g->origin.y + (at[1] + (corner >> 1 & 1)) * g->edge,
                     g->origin.z + (at[2] + (corner >> 2)) * g->edge);
}

/// `halvings` of the edges, from where distances at their ends say that they cross the surface.
static void find_planes(const net* n, const int at[3], size_t sample, int mask, int halvings, planes* all) {
    all->count = 0;
    for (int c = 0; c < 8; ++c) {
        for (int axis = 0; axis < 3; ++axis) {
            int d = c | 1 << axis;
            if (d == c || (mask >> c & 1) == (mask >> d & 1)) {
                continue;
            }
            int inner = mask >> c & 1 ? c : d, outer = inner == c ? d : c;
            phx_vec3 in = corner_point(n, at, inner), out = corner_point(n, at, outer);
            if (halvings == 0) {
                double from = n->values[sample + corner_offset(n, inner)];
                double to = n->values[sample + corner_offset(n, outer)];
                in = phxi_add_scaled(in, from / (from - to), phxi_sub(out, in));
            }
            for (int k = 0; k < halvings; ++k) {
                phx_vec3 middle = phxi_scale(0.5, phxi_add(in, out));
                bool inside = distance_at(n, middle, NULL) < 0;
                in = inside ? middle : in;
                out = inside ? out : middle;
            }
            all->point[all->count] = in;
            all->normal[all->count++] = normal_at(n, in);
        }
    }
}

static bool is_bent(const planes* all) {
    for (int a = 0; a < all->count; ++a) {
        for (int b = 0; b < a; ++b) {
            if (phxi_dot(all->normal[a], all->normal[b]) < SHARP) {
                return true;
            }
        }
    }
    return false;
}

static bool is_in_cell(const net* n, const int at[3], phx_vec3 p) {
    phx_vec3 center = phxi_scale(0.5, phxi_add(corner_point(n, at, 0), corner_point(n, at, 7)));
    phx_vec3 off = phxi_sub(p, center);
    return fmax(fabs(off.x), fmax(fabs(off.y), fabs(off.z))) <= 0.5 * n->grid.edge;
}

/// Whether a crease may be taken from the cell beside: a wedge may end in a cell without reaching any of its corners.
static bool is_free(const net* n, phx_vec3 p) {
    const phxi_grid* g = &n->grid;
    const double at[3] = {floor((p.x - g->origin.x) / g->edge), floor((p.y - g->origin.y) / g->edge),
                          floor((p.z - g->origin.z) / g->edge)};
    if (!(at[0] >= 0 && at[1] >= 0 && at[2] >= 0 && at[0] + 1 < g->nx && at[1] + 1 < g->ny && at[2] + 1 < g->nz)) {
        return false;
    }
    int mask = cell_mask(n, (size_t)at[0] + (size_t)at[1] * n->step[1] + (size_t)at[2] * n->step[2]);
    return mask == 0 || mask == 0xFF;
}

/// Where the planes of a cell meet, the nearest such point to the middle of its crossings; false where the surface
/// curves but has no crease, or the crease passes by the cell.
static bool find_crease(const net* n, const int at[3], size_t sample, int mask, phx_vec3* crease) {
    planes all;
    find_planes(n, at, sample, mask, 0, &all);
    if (!is_bent(&all)) {
        return false;
    }
    find_planes(n, at, sample, mask, 20, &all);
    if (!is_bent(&all)) {
        return false;
    }
    phx_vec3 middle = {0, 0, 0}, pull = {0, 0, 0};
    phxi_sym3 m = {0}, inverse;
    for (int k = 0; k < all.count; ++k) {
        middle = phxi_add_scaled(middle, 1.0 / all.count, all.point[k]);
    }
    for (int k = 0; k < all.count; ++k) {
        phx_vec3 v = all.normal[k];
        m.xx += v.x * v.x, m.yy += v.y * v.y, m.zz += v.z * v.z;
        m.xy += v.x * v.y, m.xz += v.x * v.z, m.yz += v.y * v.z;
        pull = phxi_add_scaled(pull, phxi_dot(v, phxi_sub(all.point[k], middle)), v);
    }
    phxi_pseudo_inverse_sym3(&m, 0.05, &inverse, NULL);
    phxi_mat3 full = phxi_sym3_full(&inverse);
    *crease = phxi_add(middle, phxi_mat3_apply(&full, pull));
    if (!(fabs(distance_at(n, *crease, NULL)) < 0.05 * n->grid.edge)) {
        return false;
    }
    return is_in_cell(n, at, *crease) || is_free(n, *crease);
}

// ------------------------------------------------------------------------------------------------------------ vertices

static phx_result add_vertices(net* n, const int at[3], size_t sample) {
    int mask = cell_mask(n, sample), sheets = is_pair(mask) || is_pair(~mask & 0xFF) ? 2 : 1;
    n->first[sample] = -1;
    if (mask == 0 || mask == 0xFF) {
        return PHX_OK;
    }
    phx_vec3 sums[2] = {{0, 0, 0}, {0, 0, 0}};
    int counts[2] = {0, 0};
    for (int c = 0; c < 8; ++c) {
        for (int axis = 0; axis < 3; ++axis) {
            int d = c | 1 << axis;
            if (d == c || (mask >> c & 1) == (mask >> d & 1)) {
                continue;
            }
            int inner = mask >> c & 1 ? c : d, s = sheet(mask, inner, inner == c ? d : c);
            double from = n->values[sample + corner_offset(n, c)], to = n->values[sample + corner_offset(n, d)];
            double p[3] = {c & 1, c >> 1 & 1, c >> 2};
            p[axis] = from / (from - to);
            sums[s] = phxi_add(sums[s], phxi_vec3(p[0], p[1], p[2]));
            ++counts[s];
        }
    }
    if (!phxi_array_reserve(&n->vertices, 2, n->heap, "surface vertices") ||
        !phxi_array_reserve(&n->fixed, 2, n->heap, "surface vertices")) {
        return PHX_ERROR_MEMORY;
    }
    n->first[sample] = n->vertices.count;
    phx_vec3 crease;
    if (n->sharp && sheets == 1 && find_crease(n, at, sample, mask, &crease)) {
        n->fixed.items[n->fixed.count++] = true;
        n->vertices.items[n->vertices.count++] = crease;
        return PHX_OK;
    }
    for (int s = 0; s < sheets; ++s) {
        n->fixed.items[n->fixed.count++] = false;
        phx_vec3 cell = phxi_add(phxi_vec3(at[0], at[1], at[2]), phxi_scale(1.0 / counts[s], sums[s]));
        n->vertices.items[n->vertices.count++] = phxi_add_scaled(n->grid.origin, n->grid.edge, cell);
    }
    return PHX_OK;
}

// ----------------------------------------------------------------------------------------------------------------
// quads

/// The quadrilateral around the edge from `sample` along `axis`, if the surface crosses it.
static phx_result add_quad(net* n, size_t sample, int axis) {
    bool from = is_inside(n, sample), to = is_inside(n, sample + n->step[axis]);
    if (from == to) {
        return PHX_OK;
    }
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    quad q;
    for (int c = 0; c < 4; ++c) {
        // Cells around the edge, counter-clockwise seen against the axis, and the edge's corner in each.
        bool back_u = c == 0 || c == 3, back_v = c < 2;
        size_t cell = sample - (back_u ? n->step[u] : 0) - (back_v ? n->step[v] : 0);
        int corner = (back_u ? 1 << u : 0) | (back_v ? 1 << v : 0), far = corner | 1 << axis;
        int s = sheet(cell_mask(n, cell), from ? corner : far, from ? far : corner);
        q.v[from ? c : 3 - c] = n->first[cell] + s;
    }
    if (!phxi_array_reserve(&n->quads, 1, n->heap, "surface quads")) {
        return PHX_ERROR_MEMORY;
    }
    n->quads.items[n->quads.count++] = q;
    return PHX_OK;
}

static phx_result connect(net* n) {
    const phxi_grid* g = &n->grid;
    PHXI_NEW(n->first, n->heap, n->step[2] * (size_t)g->nz, "surface cells");
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = pass; k + 1 < g->nz; ++k) {
            for (int j = pass; j + 1 < g->ny; ++j) {
                for (int i = pass; i + 1 < g->nx; ++i) {
                    size_t sample = (size_t)i + (size_t)j * n->step[1] + (size_t)k * n->step[2];
                    if (pass == 0) {
                        PHXI_TRY(add_vertices(n, (const int[3]){i, j, k}, sample));
                        continue;
                    }
                    for (int axis = 0; axis < 3; ++axis) {
                        PHXI_TRY(add_quad(n, sample, axis));
                    }
                }
            }
        }
    }
    return PHX_OK;
}

/// Whether the normal jumps within a fifth of a cell.
static bool is_crease(const net* n, phx_vec3 p, phx_vec3 normal) {
    phx_vec3 u = phxi_perpendicular(normal), v = phxi_cross(normal, u);
    for (int side = 0; side < 4; ++side) {
        double reach = (side & 1 ? 0.2 : -0.2) * n->grid.edge;
        phx_vec3 there = normal_at(n, phxi_add_scaled(p, reach, side & 2 ? u : v));
        if (phxi_dot(there, normal) < 0.8) {
            return true;
        }
    }
    return false;
}

/// What the neighbours of a vertex say of a crease between it and them.
typedef struct hint {
    phxi_sym3 planes; // sum of n n^T
    phx_vec3 pull;    // sum of n times the distance of the plane
    bool wanted;      // it is nearer to the crease than a neighbour on the other side
} hint;

static void add_plane(hint* h, phx_vec3 normal, double distance) {
    phxi_sym3* m = &h->planes;
    m->xx += normal.x * normal.x, m->yy += normal.y * normal.y, m->zz += normal.z * normal.z;
    m->xy += normal.x * normal.y, m->xz += normal.x * normal.z, m->yz += normal.y * normal.z;
    h->pull = phxi_add_scaled(h->pull, distance, normal);
}

/// Creases that pass between vertices because no cell has seen both sides: a wedge may cross one edge of the grid
/// twice. The nearer vertex goes onto them.
static phx_result catch_creases(net* n) {
    const phx_vec3* p = n->vertices.items;
    int count = n->vertices.count;
    hint* hints = phxi_alloc_zero(n->heap, (size_t)count, sizeof *hints, "surface creases");
    phx_vec3* normals = phxi_alloc(n->heap, (size_t)count, sizeof *normals, "surface creases");
    if (!hints || !normals) {
        return PHX_ERROR_MEMORY;
    }
    for (int v = 0; v < count; ++v) {
        normals[v] = normal_at(n, p[v]);
    }
    for (int q = 0; q < n->quads.count; ++q) {
        for (int c = 0; c < 4; ++c) { // the other direction comes with the quad beside this one
            int a = n->quads.items[q].v[c], b = n->quads.items[q].v[(c + 1) % 4];
            if (n->fixed.items[a] || n->fixed.items[b] || phxi_dot(normals[a], normals[b]) >= SHARP) {
                continue;
            }
            phx_vec3 way = phxi_sub(p[b], p[a]);
            double here = fabs(phxi_dot(normals[b], way)), there = fabs(phxi_dot(normals[a], way));
            add_plane(&hints[a], normals[b], phxi_dot(normals[b], way));
            hints[a].wanted = hints[a].wanted || here < there || (here == there && a < b);
        }
    }
    for (int v = 0; v < count; ++v) {
        if (!hints[v].wanted) {
            continue;
        }
        phxi_sym3 inverse;
        add_plane(&hints[v], normals[v], 0);
        phxi_pseudo_inverse_sym3(&hints[v].planes, 0.05, &inverse, NULL);
        phxi_mat3 full = phxi_sym3_full(&inverse);
        phx_vec3 move = phxi_mat3_apply(&full, hints[v].pull), crease = phxi_add(p[v], move);
        if (phxi_length(move) < n->grid.edge && fabs(distance_at(n, crease, NULL)) < 0.05 * n->grid.edge) {
            n->vertices.items[v] = crease;
            n->fixed.items[v] = true;
        }
    }
    phxi_free(n->heap, hints);
    phxi_free(n->heap, normals);
    return PHX_OK;
}

/// Moves vertices towards the mean of their neighbours: along the surface where that is smooth, and just so at creases,
/// where a foot on either side is as good and the edge would be ragged.
static phx_result even_out(net* n) {
    int count = n->vertices.count;
    phx_vec3* p = n->vertices.items;
    PHXI_NEW(n->sums, n->heap, count, "surface sums");
    PHXI_NEW(n->counts, n->heap, count, "surface counts");
    for (int v = 0; v < count; ++v) {
        p[v] = n->fixed.items[v] ? p[v] : project(n, p[v]);
    }
    if (n->sharp) {
        PHXI_TRY(catch_creases(n));
    }
    for (int round = 0; round < ROUNDS; ++round) {
        for (int v = 0; v < count; ++v) {
            n->sums[v] = phxi_vec3(0, 0, 0);
            n->counts[v] = 0;
        }
        for (int q = 0; q < n->quads.count; ++q) {
            for (int c = 0; c < 4; ++c) {
                int a = n->quads.items[q].v[c], b = n->quads.items[q].v[(c + 1) % 4];
                n->sums[a] = phxi_add(n->sums[a], p[b]); // the other direction comes with the quad beside this one
                ++n->counts[a];
            }
        }
        for (int v = 0; v < count; ++v) {
            if (n->fixed.items[v]) {
                continue;
            }
            phx_vec3 move = phxi_sub(phxi_scale(1.0 / n->counts[v], n->sums[v]), p[v]);
            phx_vec3 normal = normal_at(n, p[v]);
            if (is_crease(n, p[v], normal)) {
                p[v] = phxi_add_scaled(p[v], 0.5, move);
            } else {
                move = phxi_add_scaled(move, -phxi_dot(move, normal), normal);
                p[v] = project(n, phxi_add_scaled(p[v], 0.5, move));
            }
        }
    }
    return PHX_OK;
}

static phx_result make_mesh(const net* n, const phx_allocator* allocator, phx_mesh** mesh) {
    PHXI_TRY(phxi_mesh_new(allocator, n->vertices.count, 2 * n->quads.count, mesh));
    for (int v = 0; v < n->vertices.count; ++v) {
        (*mesh)->positions[v] = n->vertices.items[v];
    }
    for (int q = 0; q < n->quads.count; ++q) {
        const int* v = n->quads.items[q].v;
        const phx_vec3* p = n->vertices.items;
        const bool* f = n->fixed.items;
        int s = phxi_distance(p[v[0]], p[v[2]]) <= phxi_distance(p[v[1]], p[v[3]]) ? 0 : 1; // the shorter diagonal
        if ((f[v[0]] && f[v[2]]) != (f[v[1]] && f[v[3]])) {
            s = f[v[0]] && f[v[2]] ? 0 : 1; // that along a crease
        }
        const int triangles[6] = {v[s], v[s + 1], v[s + 2], v[s], v[s + 2], v[(s + 3) % 4]};
        for (int c = 0; c < 6; ++c) {
            (*mesh)->triangles[6 * q + c] = triangles[c];
        }
    }
    return PHX_OK;
}

static phx_result build(net* n, phxi_box box, double spacing, const phx_allocator* allocator, phx_mesh** mesh) {
    PHXI_TRY(lay_grid(n, box, spacing));
    PHXI_TRY(sample_all(n));
    while (fill_crossed_faces(n)) {
    }
    PHXI_TRY(connect(n));
    if (n->quads.count == 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "no surface: spacing %g m, expected one below the shape's thickness",
                         spacing);
    }
    PHXI_TRY(even_out(n));
    return make_mesh(n, allocator, mesh);
}

static phx_result build_shape(net* n, const char* text, double spacing, const phx_allocator* allocator,
                              phx_mesh** mesh) {
    phxi_box box;
    PHXI_TRY(phxi_shape_parse(n->heap, text, &n->shape));
    if (n->sharp) {
        phxi_mat3 turn;
        phx_vec3 shift;
        phxi_shape_peel(n->shape, &turn, &shift);
    }
    if (!phxi_shape_bounds(n->shape, &box)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "the shape has no end, expected one that fits in a box");
    }
    return build(n, box, spacing, allocator, mesh);
}

static phx_result from_shape(const phx_allocator* allocator, const char* text, double spacing, bool sharp,
                             phx_mesh** mesh) {
    if (!mesh) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "mesh is NULL, expected where to put it");
    }
    *mesh = NULL;
    if (!(spacing > 0 && isfinite(spacing))) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "spacing is %g m, expected above 0 m", spacing);
    }
    phxi_heap heap;
    phxi_heap_init(&heap, allocator);
    net n = {.heap = &heap, .sharp = sharp};
    phx_result result = build_shape(&n, text, spacing, allocator, mesh);
    phxi_heap_destroy(&heap); // with everything of the net
    return result;
}

phx_result phxi_mesh_from_shape(const phx_allocator* allocator, const char* text, double spacing, phx_mesh** mesh) {
    return from_shape(allocator, text, spacing, false, mesh);
}

phx_result phxi_mesh_sharp_from_shape(const phx_allocator* allocator, const char* text, double spacing,
                                      phx_mesh** mesh) {
    return from_shape(allocator, text, spacing, true, mesh);
}

static phx_result close_mesh(const phx_allocator* allocator, const phx_mesh* open, double spacing, bool sharp,
                             phx_mesh** mesh) {
    const phx_body_def def = {.mesh = open, .scale = 1};
    phxi_heap heap;
    phxi_heap_init(&heap, allocator);
    net n = {.heap = &heap, .sharp = sharp};
    *mesh = NULL;
    phx_result result = phxi_solid_create(&heap, &def, &n.solid);
    result = result == PHX_OK ? build(&n, phxi_mesh_box(open), spacing, allocator, mesh) : result;
    phxi_solid_destroy(n.solid);
    phxi_heap_destroy(&heap);
    return result;
}

phx_result phxi_mesh_close(const phx_allocator* allocator, const phx_mesh* open, double spacing, phx_mesh** mesh) {
    return close_mesh(allocator, open, spacing, false, mesh);
}

phx_result phxi_mesh_sharp_close(const phx_allocator* allocator, const phx_mesh* open, double spacing,
                                 phx_mesh** mesh) {
    return close_mesh(allocator, open, spacing, true, mesh);
}

phx_result phx_mesh_from_shape(const char* shape, double spacing, phx_mesh** mesh) {
    PHXI_NEED(shape && mesh);
    return phxi_mesh_from_shape(NULL, shape, spacing, mesh);
}
