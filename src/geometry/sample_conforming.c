// SPDX-License-Identifier: MIT
// Nodes on the surface and a lattice inside (docs/theory/discretisation.md section 1).
//
// The lattice fits the bounding box: along each axis as many whole edges as are nearest to the spacing. Its corners
// deep inside are nodes as they are. Those within half a spacing of the surface go onto it: to the closest sharp edge
// if one is that near, else to the closest point of a face. Corners of the surface are nodes, too. Then what is too
// near to another is dropped, in the order corners, edges, faces (those first that moved least), inside.
//
//     o  o  o  o   outside: dropped            Volumes are those of the cells: the part of the body that is nearer
//     *--*--*--*   went to the surface         to the node than to any other, cut exactly. Where no node has moved,
//     x  x  x  x   inside: stays               as in boxes, they are halves, quarters, eighths of a cell.
//
// Where flat parts of a clamp's surface cross the body along the lattice, its planes are there, and edges are whole
// parts of what is between them. Nodes near other parts of that surface go onto it as onto faces.
//
// Where two faces are nearer to each other than nodes may be, one layer stands in the middle of them. Bodies that are
// one layer of particles as a whole, sheets and rods, are sampled as `uniform` does.
#include "core/hash.h"
#include "geometry/cell_complex.h"
#include "geometry/conforming.h"
#include "geometry/sample_internal.h"
#include "geometry/surface_shares.h"

#include <stdlib.h>
#include <string.h>

#define BAND      0.5  // spacings from the surface within which a corner of the lattice goes onto it
#define CLEAR     0.62 // spacings between two nodes at least
#define APART     0.85 // spacings from all other nodes at which an edge gets one more
#define THIN      4.0  // spacings: more of a body is not measured
#define SHEET     1.5  // spacings below which a side of the bounding box makes the body a sheet
#define LEAST     0.1  // of a cell: the smallest volume
#define SAME      1e-6 // spacings
#define AXIS_BITS 20
#define MAX_NODES 50e6

static const char label[] = "conforming samples";

typedef enum rank { CORNER, ON_EDGE, ON_FACE, ON_CLAMP, INSIDE } rank;

typedef struct node {
    phx_vec3 position;
    double moved; // m, from the lattice
    int rank, cell[3];
} node;

typedef struct sampler {
    phxi_heap* heap;
    phxi_region* region;
    const phx_body_def* def;
    phxi_conforming surface;
    const phxi_clamp_surface* clamp;
    phx_vec3 low;
    double edge[3], spacing; // mean edges of the lattice, and the mean of the three
    double clear;            // m
    int n[3];                // edges
    double* planes[3];       // of the lattice, n + 1 each
    bool even;               // all edges along an axis are equal
    uint8_t* marks;          // of a row
    PHXI_ARRAY(node) nodes;  // candidates
    PHXI_ARRAY(node) kept;
    PHXI_ARRAY(int) next; // of kept ones, in the same cube
    phxi_key_table cubes; // of edge `clear`
    bool regular;         // nothing moved
    // of kept ones
    phx_vec3 *positions, *areas;
    double *spacings, *volumes, *sizes;
} sampler;

// ---------------------------------------------------------------------------------------------------------- lattice

bool phxi_conforming_is_sheet(const phxi_region* region, double spacing) {
    phx_vec3 size = phxi_sub(region->box.high, region->box.low);
    return fmin(size.x, fmin(size.y, size.z)) < (SHEET - SAME) * spacing;
}

/// Planes from `low` on along an axis: at the cuts, and between them whole numbers of edges.
static phx_result lay_planes(sampler* s, int axis, double low, double size) {
    double cuts[PHXI_MOST_CUTS + 1], least = INFINITY;
    int parts[PHXI_MOST_CUTS + 1], total = 0;
    int count = phxi_clamp_cuts(s->clamp, &s->region->box, axis, CLEAR * s->def->spacing, cuts);
    cuts[count] = low + size;
    for (int k = 0; k <= count; ++k) {
        double length = cuts[k] - (k ? cuts[k - 1] : low);
        parts[k] = (int)fmax(1, fmin(round(length / s->def->spacing), MAX_NODES));
        total += parts[k];
        least = fmin(least, length / parts[k]);
    }
    s->n[axis] = total;
    s->edge[axis] = size / total;
    PHXI_NEW(s->planes[axis], s->heap, total + 1, label);
    bool even = least >= (1 - SAME) * s->edge[axis];
    for (int k = 0, at = 0; k <= count; ++k) {
        double from = k ? cuts[k - 1] : low, edge = (cuts[k] - from) / parts[k];
        for (int i = 0; i < parts[k]; ++i, ++at) {
            s->planes[axis][at] = even ? low + at * s->edge[axis] : from + i * edge;
        }
    }
    s->planes[axis][total] = even ? low + total * s->edge[axis] : low + size;
    s->even = s->even && even;
    s->clear = fmin(s->clear, 0.9 * (even ? s->edge[axis] : least));
    return PHX_OK;
}

static phx_result lay_lattice(sampler* s) {
    phx_vec3 size = phxi_sub(s->region->box.high, s->region->box.low);
    const double sizes[3] = {size.x, size.y, size.z};
    double cells = 1;
    s->low = s->region->box.low;
    s->even = true;
    s->clear = INFINITY;
    for (int k = 0; k < 3; ++k) {
        cells *= fmax(1, round(sizes[k] / s->def->spacing)) + 1;
    }
    if (cells > MAX_NODES) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "%.4g nodes, expected at most 50 million: spacing %g m is too small",
                         cells, s->def->spacing);
    }
    for (int k = 0; k < 3; ++k) {
        PHXI_TRY(lay_planes(s, k, k == 0 ? s->low.x : k == 1 ? s->low.y : s->low.z, sizes[k]));
    }
    // equal edges are equal to the last bit, and are the spacing
    bool cubic = s->even && fabs(s->edge[1] - s->edge[0]) <= SAME * s->edge[0] &&
                 fabs(s->edge[2] - s->edge[0]) <= SAME * s->edge[0];
    s->spacing = cubic ? s->edge[0] : cbrt(s->edge[0] * s->edge[1] * s->edge[2]);
    if (cubic && fabs(s->spacing - s->def->spacing) <= SAME * s->spacing) {
        s->spacing = s->def->spacing;
    }
    s->clear = fmin(CLEAR * s->spacing, s->clear);
    return PHX_OK;
}

static phx_vec3 lattice_point(const sampler* s, const int at[3]) {
    return phxi_vec3(s->planes[0][at[0]], s->planes[1][at[1]], s->planes[2][at[2]]);
}

/// Lengths of the edges before and after a plane of the lattice.
static void edges_at(const sampler* s, int axis, double plane, double edges[2]) {
    const double* planes = s->planes[axis];
    int low = 0, high = s->n[axis];
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(planes[middle] <= plane ? &low : &high) = middle;
    }
    int at = plane - planes[low] < planes[high] - plane ? low : high;
    edges[0] = at > 0 ? planes[at] - planes[at - 1] : planes[1] - planes[0];
    edges[1] = at < s->n[axis] ? planes[at + 1] - planes[at] : edges[0];
}

static phx_result add_candidate(sampler* s, phx_vec3 position, rank r, double moved, const int cell[3]) {
    node* added = phxi_array_add(&s->nodes, s->heap, label);
    if (!added) {
        return PHX_ERROR_MEMORY;
    }
    *added = (node){position, moved, r, {cell[0], cell[1], cell[2]}};
    return PHX_OK;
}

/// A node of a face or edge that is near the surface of a clamp goes to where the two meet, if that is near.
static phx_vec3 to_clamp(const sampler* s, rank r, phx_vec3 from) {
    enum { STEPS = 12 };
    double most = BAND * s->spacing * (1 + SAME);
    phx_vec3 normal, p = from, on;
    for (int k = 0; k < STEPS && phxi_clamp_closest(s->clamp, p, most, &on); ++k) {
        bool back = r == ON_EDGE ? phxi_conforming_edge(&s->surface, on, &p)
                                 : phxi_conforming_face(&s->surface, on, most, &p, &normal);
        if (!back) {
            break;
        }
        if (phxi_distance(p, on) <= 1e-3 * s->spacing && phxi_distance(p, from) <= most) {
            return p;
        }
    }
    return from;
}

/// A corner of the lattice within half a spacing of the surface: onto it, or between two that are too near.
static phx_result add_near(sampler* s, phx_vec3 p, const int at[3], phx_vec3 on, phx_vec3 normal) {
    phx_vec3 edge;
    rank r = phxi_conforming_edge(&s->surface, p, &edge) ? ON_EDGE : ON_FACE;
    if (r == ON_FACE) {
        double through = phxi_conforming_thickness(&s->surface, on, normal, s->clear);
        on = through < s->clear ? phxi_add_scaled(on, -0.5 * through, normal) : on;
    }
    phx_vec3 goal = to_clamp(s, r, r == ON_EDGE ? edge : on);
    double moved = phxi_distance(goal, p);
    if (moved <= SAME * s->spacing) {
        goal = p; // rounding
        moved = 0;
    }
    s->regular = s->regular && moved == 0;
    return add_candidate(s, goal, r, moved, at);
}

static phx_vec3 jittered(const sampler* s, phx_vec3 p, int index) {
    double shift[3];
    for (int c = 0; c < 3; ++c) {
        shift[c] = 2 * phxi_hash_unit(phxi_hash_pair((uint64_t)index, (uint64_t)c)) - 1;
    }
    return phxi_add_scaled(p, s->def->jitter * s->spacing, phxi_vec3(shift[0], shift[1], shift[2]));
}

static phx_result visit(sampler* s, const int at[3], bool inside) {
    phx_vec3 p = lattice_point(s, at), on, normal;
    // how far a node stays clear of the surface wherever jitter takes it
    double reach = s->clear + sqrt(3.0) * s->def->jitter * s->spacing;
    bool near = phxi_conforming_face(&s->surface, p, inside ? reach : BAND * s->spacing * (1 + SAME), &on, &normal);
    if (near && phxi_distance(on, p) <= BAND * s->spacing * (1 + SAME)) {
        return add_near(s, p, at, on, normal);
    }
    if (!inside) {
        return PHX_OK;
    }
    if (phxi_clamp_closest(s->clamp, p, BAND * s->spacing * (1 + SAME), &on)) {
        double moved = phxi_distance(on, p);
        s->regular = s->regular && moved <= SAME * s->spacing;
        return add_candidate(s, moved <= SAME * s->spacing ? p : on, ON_CLAMP, moved, at);
    }
    near = near || fabs(phxi_clamp_distance(s->clamp, p, &normal)) <= reach;
    bool moves = !near && s->def->jitter > 0;
    s->regular = s->regular && !moves;
    return add_candidate(s, moves ? jittered(s, p, s->nodes.count) : p, INSIDE, near ? 0 : 1, at);
}

/// Which corners of a row are inside.
static phx_result mark_row(sampler* s, double y, double z) {
    const double* x = s->planes[0];
    for (int from = 0, to; from <= s->n[0]; from = to) {
        double edge = s->even || from == s->n[0] ? s->edge[0] : x[from + 1] - x[from];
        for (to = from + 1; to <= s->n[0] && fabs(x[to] - x[from] - (to - from) * edge) <= SAME * edge; ++to) {
        }
        PHXI_TRY(phxi_region_marks(s->region, x[from], edge, to - from, y, z, s->marks + from));
    }
    return PHX_OK;
}

static phx_result add_candidates(sampler* s) {
    static const int none[3] = {-1, -1, -1};
    PHXI_NEW(s->marks, s->heap, s->n[0] + 1, label);
    s->regular = true;
    for (int c = 0; c < s->surface.features.corners.count; ++c) {
        PHXI_TRY(add_candidate(s, s->surface.features.corners.items[c], CORNER, 0, none));
    }
    for (int k = 0; k <= s->n[2]; ++k) {
        for (int j = 0; j <= s->n[1]; ++j) {
            PHXI_TRY(mark_row(s, s->planes[1][j], s->planes[2][k]));
            for (int i = 0; i <= s->n[0]; ++i) {
                PHXI_TRY(visit(s, (const int[3]){i, j, k}, s->marks[i]));
            }
        }
    }
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------- thinning

static void cube_of(const sampler* s, phx_vec3 p, int at[3]) {
    at[0] = (int)floor((p.x - s->low.x) / s->spacing) + 2;
    at[1] = (int)floor((p.y - s->low.y) / s->spacing) + 2;
    at[2] = (int)floor((p.z - s->low.z) / s->spacing) + 2;
}

static uint64_t cube_key(const int at[3]) {
    return (uint64_t)at[0] << 2 * AXIS_BITS | (uint64_t)at[1] << AXIS_BITS | (uint64_t)at[2];
}

/// Distance to the nearest that is kept, if it is below `most`, which is a spacing at most; else `most`.
static double room(const sampler* s, phx_vec3 p, double most) {
    int cube[3];
    cube_of(s, p, cube);
    for (int n = 0; n < 27; ++n) {
        const int at[3] = {cube[0] + n % 3 - 1, cube[1] + n / 3 % 3 - 1, cube[2] + n / 9 - 1};
        for (int k = phxi_key_find(&s->cubes, cube_key(at)); k >= 0; k = s->next.items[k]) {
            most = fmin(most, phxi_distance(s->kept.items[k].position, p));
        }
    }
    return most;
}

static phx_result keep(sampler* s, const node* one, bool enter) {
    node* kept = phxi_array_add(&s->kept, s->heap, label);
    int* next = kept ? phxi_array_add(&s->next, s->heap, label) : NULL;
    if (!next) {
        return PHX_ERROR_MEMORY;
    }
    *kept = *one;
    *next = -1;
    if (!enter) {
        return PHX_OK;
    }
    int at[3];
    cube_of(s, one->position, at);
    int* slot = phxi_key_slot(&s->cubes, cube_key(at));
    if (!slot) {
        return PHX_ERROR_MEMORY;
    }
    *next = *slot;
    *slot = s->kept.count - 1;
    return PHX_OK;
}

/// Nodes where a sharp edge is left without any.
static phx_result fill_edges(sampler* s) {
    for (int e = 0; e < s->surface.features.edges.count; ++e) {
        const phxi_sharp_edge* edge = &s->surface.features.edges.items[e];
        phx_vec3 way = phxi_sub(edge->to, edge->from);
        int parts = (int)fmax(1, ceil(4 * phxi_length(way) / s->spacing));
        for (int k = 0; k <= parts; ++k) {
            node one = {.position = phxi_add_scaled(edge->from, (double)k / parts, way), .rank = ON_EDGE};
            one.cell[0] = -1;
            if (room(s, one.position, s->spacing) >= APART * s->spacing) {
                s->regular = false;
                PHXI_TRY(keep(s, &one, true));
            }
        }
    }
    return PHX_OK;
}

static int by_rank(const void* a, const void* b) {
    const node *x = a, *y = b;
    if (x->rank != y->rank || (x->rank != INSIDE && x->moved != y->moved)) {
        return x->rank != y->rank ? x->rank - y->rank : x->moved < y->moved ? -1 : 1;
    }
    for (int c = 2; c >= 0; --c) {
        if (x->cell[c] != y->cell[c]) {
            return x->cell[c] - y->cell[c];
        }
    }
    const double p[3] = {x->position.x, x->position.y, x->position.z};
    const double q[3] = {y->position.x, y->position.y, y->position.z};
    for (int c = 0; c < 3; ++c) { // corners
        if (p[c] != q[c]) {
            return p[c] < q[c] ? -1 : 1;
        }
    }
    return 0;
}

static phx_result thin_out(sampler* s) {
    qsort(s->nodes.items, (size_t)s->nodes.count, sizeof *s->nodes.items, by_rank);
    bool filled = false;
    for (int i = 0; i < s->nodes.count; ++i) {
        const node* one = &s->nodes.items[i];
        if (one->rank > ON_EDGE && !filled) {
            PHXI_TRY(fill_edges(s));
            filled = true;
        }
        bool deep = one->rank == INSIDE && one->moved > 0; // nothing can be near
        double distance = deep ? s->spacing : room(s, one->position, s->clear);
        if (distance < s->clear) {
            s->regular = s->regular && distance <= SAME * s->spacing;
        } else {
            PHXI_TRY(keep(s, one, one->rank != INSIDE));
        }
    }
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------------- volumes

/// Spacing at a node: the mean of the edges around it.
static double spacing_at(const sampler* s, phx_vec3 p) {
    double edges[3][2];
    if (s->even) {
        return s->spacing;
    }
    edges_at(s, 0, p.x, edges[0]);
    edges_at(s, 1, p.y, edges[1]);
    edges_at(s, 2, p.z, edges[2]);
    return 0.5 * cbrt((edges[0][0] + edges[0][1]) * (edges[1][0] + edges[1][1]) * (edges[2][0] + edges[2][1]));
}

static double uneven_octants(const sampler* s, const node* one) {
    double edges[3][2], sum = 0;
    edges_at(s, 0, one->position.x, edges[0]);
    edges_at(s, 1, one->position.y, edges[1]);
    edges_at(s, 2, one->position.z, edges[2]);
    for (int n = 0; n < 8; ++n) {
        double x = edges[0][n & 1], y = edges[1][n >> 1 & 1], z = edges[2][n >> 2];
        phx_vec3 shift = {n & 1 ? x : -x, n & 2 ? y : -y, n & 4 ? z : -z};
        bool in =
            one->rank == INSIDE || phxi_conforming_inside(&s->surface, phxi_add_scaled(one->position, 0.25, shift));
        sum += in ? x * y * z / 8 : 0;
    }
    return sum;
}

/// The volume of a lattice cell around a node that is inside, octant by octant; only where all faces are lattice
/// planes.
static double octants(const sampler* s, const node* one) {
    if (!s->even) {
        return uneven_octants(s, one);
    }
    int count = 0;
    for (int n = 0; n < 8; ++n) {
        phx_vec3 shift = {n & 1 ? s->edge[0] : -s->edge[0], n & 2 ? s->edge[1] : -s->edge[1],
                          n & 4 ? s->edge[2] : -s->edge[2]};
        count +=
            one->rank == INSIDE || phxi_conforming_inside(&s->surface, phxi_add_scaled(one->position, 0.25, shift));
    }
    return s->edge[0] * s->edge[1] * s->edge[2] * (count / 8.0);
}

/// False if the sum is not the volume of the body: then the surface is not made of lattice planes.
static bool lattice_volumes(sampler* s) {
    double sum = 0;
    for (int i = 0; i < s->kept.count; ++i) {
        s->volumes[i] = octants(s, &s->kept.items[i]);
        sum += s->volumes[i];
    }
    double exact = fabs(phx_mesh_volume(s->surface.mesh));
    return fabs(sum - exact) <= 1e-6 * exact;
}

static void raise_volumes(sampler* s) {
    for (int i = 0; i < s->kept.count; ++i) {
        s->volumes[i] = fmax(s->volumes[i], LEAST * s->spacings[i] * s->spacings[i] * s->spacings[i]);
    }
}

static phx_result cut_volumes(sampler* s) {
    phxi_cell_complex* cells = NULL;
    phx_result result =
        phxi_cell_complex_create(s->heap, s->surface.mesh, s->kept.count, s->positions, s->spacings, &cells);
    if (result == PHX_OK) {
        result = phxi_cell_volumes(s->heap, cells, s->spacings, LEAST, s->volumes);
        raise_volumes(s); // of cells whose neighbours have nothing to give
    }
    phxi_cell_complex_destroy(cells);
    return result;
}

/// Gives a small cube of the body to the nearest node.
static void give(sampler* s, phx_vec3 p, double volume) {
    int cube[3], found = -1;
    double best = INFINITY;
    cube_of(s, p, cube);
    for (int n = 0; n < 125; ++n) {
        const int at[3] = {cube[0] + n % 5 - 2, cube[1] + n / 5 % 5 - 2, cube[2] + n / 25 - 2};
        bool in = at[0] >= 0 && at[1] >= 0 && at[2] >= 0;
        for (int k = in ? phxi_key_find(&s->cubes, cube_key(at)) : -1; k >= 0; k = s->next.items[k]) {
            double distance = phxi_distance(s->kept.items[k].position, p);
            found = distance < best ? k : found;
            best = fmin(best, distance);
        }
    }
    if (found >= 0) {
        s->volumes[found] += volume;
    }
}

/// Volumes by counting, for surfaces that cannot be cut.
static phx_result count_volumes(sampler* s) {
    enum { PARTS = 4 };
    const double step[3] = {s->edge[0] / PARTS, s->edge[1] / PARTS, s->edge[2] / PARTS};
    phxi_key_clear(&s->cubes);
    for (int i = 0; i < s->kept.count; ++i) { // those inside are not in the cubes yet
        int at[3];
        cube_of(s, s->kept.items[i].position, at);
        int* slot = phxi_key_slot(&s->cubes, cube_key(at));
        if (!slot) {
            return PHX_ERROR_MEMORY;
        }
        s->next.items[i] = *slot;
        *slot = i;
        s->volumes[i] = 0;
    }
    phxi_free(s->heap, s->marks);
    PHXI_NEW(s->marks, s->heap, PARTS * s->n[0], label);
    for (int row = 0; row < PARTS * s->n[1]; ++row) {
        for (int layer = 0; layer < PARTS * s->n[2]; ++layer) {
            phx_vec3 p = {s->low.x + 0.5 * step[0], s->low.y + (row + 0.5) * step[1],
                          s->low.z + (layer + 0.5) * step[2]};
            PHXI_TRY(phxi_region_marks(s->region, p.x, step[0], PARTS * s->n[0], p.y, p.z, s->marks));
            for (int i = 0; i < PARTS * s->n[0]; ++i, p.x += step[0]) {
                if (s->marks[i]) {
                    give(s, p, step[0] * step[1] * step[2]);
                }
            }
        }
    }
    raise_volumes(s);
    return PHX_OK;
}

static phx_result find_volumes(sampler* s, phxi_conforming_care care) {
    PHXI_NEW(s->volumes, s->heap, s->kept.count, label);
    PHXI_NEW(s->areas, s->heap, s->kept.count, label);
    PHXI_NEW(s->sizes, s->heap, s->kept.count, label);
    PHXI_NEW(s->positions, s->heap, s->kept.count, label);
    PHXI_NEW(s->spacings, s->heap, s->kept.count, label);
    for (int i = 0; i < s->kept.count; ++i) {
        s->positions[i] = s->kept.items[i].position;
        s->spacings[i] = spacing_at(s, s->positions[i]);
    }
    PHXI_TRY(
        phxi_surface_shares(s->heap, s->surface.mesh, s->kept.count, s->positions, s->spacings, s->areas, s->sizes));
    if (s->regular && lattice_volumes(s)) {
        return PHX_OK;
    }
    phx_result result = cut_volumes(s);
    return result == PHX_OK || result == PHX_ERROR_MEMORY || care != PHXI_CONFORMING_BEVELLED ? result
                                                                                              : count_volumes(s);
}

/// Of a shape: the volume of its mesh is good to a percent only where it is curved.
static phx_result exact_volume(sampler* s, double* exact) {
    *exact = fabs(phx_mesh_volume(s->surface.mesh));
    bool flat = s->surface.mesh->triangle_count == 12; // a box
    if (!s->region->shape || flat) {
        return PHX_OK;
    }
    phxi_grid grid;
    phxi_cells cells;
    PHXI_TRY(phxi_region_grid(s->region, s->spacing, &grid));
    PHXI_TRY(phxi_cells_create(s->heap, s->region, &grid, &cells));
    *exact = cells.sum * grid.edge * grid.edge * grid.edge;
    phxi_cells_destroy(s->heap, &cells);
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- all

static void clear(sampler* s) {
    phxi_conforming_destroy(&s->surface);
    phxi_array_destroy(&s->nodes, s->heap);
    phxi_array_destroy(&s->kept, s->heap);
    phxi_array_destroy(&s->next, s->heap);
    phxi_key_destroy(&s->cubes);
    phxi_free(s->heap, s->marks);
    phxi_free(s->heap, s->positions);
    phxi_free(s->heap, s->areas);
    phxi_free(s->heap, s->sizes);
    phxi_free(s->heap, s->spacings);
    phxi_free(s->heap, s->volumes);
    s->marks = NULL;
    s->positions = s->areas = NULL;
    s->spacings = s->volumes = s->sizes = NULL;
    s->cubes = (phxi_key_table){.heap = s->heap};
}

static phx_result attempt(sampler* s, phxi_conforming_care care) {
    PHXI_TRY(phxi_conforming_create(s->heap, s->def, s->region, BAND * s->spacing, care, &s->surface));
    PHXI_TRY(add_candidates(s));
    PHXI_TRY(thin_out(s));
    return s->kept.count > 0 ? find_volumes(s, care) : PHX_OK;
}

static phx_result make(sampler* s, phxi_sample_list* list) {
    s->clamp = &list->clamp;
    PHXI_TRY(lay_lattice(s));
    phx_result result = attempt(s, PHXI_CONFORMING_GIVEN);
    for (int care = PHXI_CONFORMING_AGAIN; care <= PHXI_CONFORMING_BEVELLED && result == PHX_ERROR_ARGUMENT; ++care) {
        clear(s); // the surface crosses itself
        result = attempt(s, (phxi_conforming_care)care);
    }
    PHXI_TRY(result);
    for (int i = 0; i < s->kept.count; ++i) {
        PHXI_TRY(phxi_sample_add(list, s->kept.items[i].position, s->volumes[i], s->spacings[i]));
    }
    PHXI_TRY(phxi_conforming_median_thickness(&s->surface, s->kept.count, s->positions, s->areas, THIN * s->spacing,
                                              &list->thickness));
    list->areas = s->areas;
    list->sizes = s->sizes;
    s->areas = NULL;
    s->sizes = NULL;
    PHXI_TRY(exact_volume(s, &list->exact));
    double least = LEAST * s->spacing * s->spacing * s->spacing;
    list->exact = list->exact < least ? 0 : list->exact; // a surface around nothing
    return PHX_OK;
}

phx_result phxi_sample_conforming(phxi_region* region, const phx_body_def* def, phxi_sample_list* list) {
    sampler s = {.heap = list->heap, .region = region, .def = def, .cubes = {.heap = list->heap}};
    phx_result result = make(&s, list);
    clear(&s);
    for (int k = 0; k < 3; ++k) {
        phxi_free(s.heap, s.planes[k]);
    }
    return result;
}
