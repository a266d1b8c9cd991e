// SPDX-License-Identifier: MIT
// Marching cubes without a table of cases.
//
// On each face of a cell the crossed edges are connected by directed segments that have the inside on their left. A
// face with four crossings is decided by the asymptotes of its bilinear function (Nielson and Hamann 1991); the
// decision uses the four values alone, symmetrically, so both cells of a face decide alike. Following the segments
// gives closed loops, and whatever is put into the loops, the surface of all cells together is closed, oriented and
// has no edge with more than two triangles, as long as no diagonal lies between two edges of one face (the cell on
// the other side might draw the same one). Such diagonals are never drawn.
//
// Loops are discs, except where the trilinear function joins two parts of one sign through the inside of the cell:
// then two loops are the ends of a tube. That is found as Chernyaev (1995) does, but on all three axes: in the slice
// at t the function is bilinear, its corners A, C have one sign and B, D the other, and A and C are joined there if
// A C > B D. With this all of his 33 cases come out. Values are floats and products of two are exact in double.
#include "surface/cell.h"

#include <string.h>

// Corners of the six faces, counter-clockwise seen from outside, and the edges from each corner to the next.
static const uint8_t face_corners[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                           {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
static const uint8_t face_edges[6][4] = {{8, 6, 10, 4},  {5, 11, 7, 9}, {0, 9, 2, 8},
                                         {10, 3, 11, 1}, {4, 1, 5, 0},  {2, 7, 3, 6}};
// The two faces of each edge, as bits.
static const uint8_t edge_faces[12] = {4 | 16, 8 | 16, 4 | 32, 8 | 32, 1 | 16, 2 | 16,
                                       1 | 32, 2 | 32, 1 | 4,  2 | 4,  1 | 8,  2 | 8};

typedef struct loop {
    int count;
    uint8_t edges[PHXI_CELL_EDGES];
} loop;

typedef struct builder {
    const float* values;
    unsigned inside;              // a bit a corner
    int8_t next[PHXI_CELL_EDGES]; // successor of each crossed edge, -1 elsewhere
    uint8_t region[8];            // of each corner: parts of the cell's skin of one sign
    loop loops[4];                // every loop has three edges or more
    int loop_count;
    float points[PHXI_CELL_EDGES][3]; // where edges are cut
    phxi_cell* cell;
} builder;

static bool is_inside(const builder* b, int corner) {
    return b->inside >> corner & 1;
}

static void join_regions(builder* b, int i, int j) {
    uint8_t from = b->region[i], to = b->region[j];
    for (int c = 0; c < 8; ++c) {
        b->region[c] = b->region[c] == from ? to : b->region[c];
    }
}

// Segments of one face; joins the corners that are connected over a diagonal.
static void connect_face(builder* b, int face) {
    const uint8_t *corners = face_corners[face], *edges = face_edges[face];
    int crossed = 0;
    for (int i = 0; i < 4; ++i) {
        crossed += is_inside(b, corners[i]) != is_inside(b, corners[(i + 1) & 3]);
    }
    bool joined = false; // the two inside corners, where there are four crossings
    if (crossed == 4) {
        const float* v = b->values;
        double even = (double)v[corners[0]] * (double)v[corners[2]];
        double odd = (double)v[corners[1]] * (double)v[corners[3]];
        bool even_inside = is_inside(b, corners[0]);
        joined = even_inside ? even > odd : odd > even;
        int diagonal = even_inside == joined ? 0 : 1;
        join_regions(b, corners[diagonal], corners[diagonal + 2]);
    }
    for (int i = 0; i < 4 && crossed; ++i) {
        if (!is_inside(b, corners[i]) || is_inside(b, corners[(i + 1) & 3])) {
            continue; // not a way out
        }
        // The segment ends at the way in of the same run of inside corners, or of the next one.
        int k = i;
        if (joined) {
            k = (i + 1) & 3;
        } else {
            do {
                k = (k + 3) & 3;
            } while (is_inside(b, corners[k]));
        }
        b->next[edges[i]] = (int8_t)edges[k];
    }
}

static void trace_loops(builder* b) {
    unsigned seen = 0;
    for (int start = 0; start < PHXI_CELL_EDGES; ++start) {
        if (b->next[start] < 0 || (seen >> start & 1)) {
            continue;
        }
        loop* l = &b->loops[b->loop_count++];
        int edge = start;
        do {
            l->edges[l->count++] = (uint8_t)edge;
            seen |= 1u << edge;
            edge = b->next[edge];
        } while (edge != start);
    }
}

static void cut_edges(builder* b) {
    for (int edge = 0; edge < PHXI_CELL_EDGES; ++edge) {
        if (b->next[edge] >= 0) {
            int axis = edge >> 2, corner = phxi_cell_edge_corner(edge);
            for (int k = 0; k < 3; ++k) {
                b->points[edge][k] = (float)(corner >> k & 1);
            }
            b->points[edge][axis] = phxi_cell_cut(b->values[corner], b->values[corner | 1 << axis]);
        }
    }
}

static float distance2(const builder* b, int i, int j) {
    const float *p = b->points[i], *q = b->points[j];
    return (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]);
}

static bool is_allowed(int i, int j) {
    return (edge_faces[i] & edge_faces[j]) == 0;
}

// Loops have the inside on the left seen from outside of the cell; seen from the low side they run the other way.
static void add_triangle(builder* b, int i, int j, int k) {
    uint8_t* t = b->cell->triangles[b->cell->triangle_count++];
    t[0] = (uint8_t)k, t[1] = (uint8_t)j, t[2] = (uint8_t)i;
}

static void fill_with_center(builder* b, const loop* l) {
    int center = b->cell->center_count++;
    float* middle = b->cell->centers[center];
    for (int k = 0; k < 3; ++k) {
        middle[k] = 0;
        for (int i = 0; i < l->count; ++i) {
            middle[k] += b->points[l->edges[i]][k] / (float)l->count;
        }
    }
    for (int i = 0; i < l->count; ++i) {
        add_triangle(b, l->edges[i], l->edges[(i + 1) % l->count], PHXI_CELL_EDGES + center);
    }
}

// A disc: the ear with the shortest diagonal is cut off until a triangle is left, or no ear may be cut.
static void fill_loop(builder* b, const loop* whole) {
    loop l = *whole;
    while (l.count > 3) {
        int best = -1;
        float shortest = 0;
        for (int i = 0; i < l.count; ++i) {
            int from = l.edges[i], to = l.edges[(i + 2) % l.count];
            float length = distance2(b, from, to);
            if (is_allowed(from, to) && (best < 0 || length < shortest)) {
                best = i;
                shortest = length;
            }
        }
        if (best < 0) {
            fill_with_center(b, &l);
            return;
        }
        int ear = (best + 1) % l.count;
        add_triangle(b, l.edges[best], l.edges[ear], l.edges[(best + 2) % l.count]);
        memmove(l.edges + ear, l.edges + ear + 1, (size_t)(l.count - ear - 1));
        --l.count;
    }
    add_triangle(b, l.edges[0], l.edges[1], l.edges[2]);
}

// ----------------------------------------------------------------------------------------------------------- tubes

// The function along one edge of the cell: values at both ends, times the sign that is looked for.
typedef struct line {
    double low, high;
    int corner; // an end of that sign; -1: none
} line;

static line line_at(const builder* b, int corner, int axis, double sign) {
    int other = corner | 1 << axis;
    bool wanted = sign > 0;
    return (line){sign * (double)b->values[corner], sign * (double)b->values[other],
                  is_inside(b, corner) == wanted  ? corner
                  : is_inside(b, other) == wanted ? other
                                                  : -1};
}

// Cuts [*from, *to] down to where the line is positive (or, turned, negative).
static void clip(const line* l, double turn, double* from, double* to) {
    double low = turn * l->low, high = turn * l->high;
    if (low < 0 && high < 0) {
        *to = -1;
    } else if (low < 0 || high < 0) {
        double zero = low / (low - high);
        if (low < 0) {
            *from = zero > *from ? zero : *from;
        } else {
            *to = zero < *to ? zero : *to;
        }
    }
}

static double difference(const line l[4], double t) {
    double v[4];
    for (int i = 0; i < 4; ++i) {
        v[i] = l[i].low + t * (l[i].high - l[i].low);
    }
    return v[0] * v[2] - v[1] * v[3];
}

// Do some slice's opposite corners 0 and 2 meet? They have the sign wanted there, 1 and 3 the other one.
static bool meet(const line l[4]) {
    double from = 0, to = 1;
    for (int i = 0; i < 4; ++i) {
        clip(&l[i], i % 2 == 0 ? 1 : -1, &from, &to);
    }
    if (from > to) {
        return false;
    }
    // AC - BD = a t^2 + b t + c
    double d[4];
    for (int i = 0; i < 4; ++i) {
        d[i] = l[i].high - l[i].low;
    }
    double a = d[0] * d[2] - d[1] * d[3];
    double b = l[0].low * d[2] + l[2].low * d[0] - l[1].low * d[3] - l[3].low * d[1];
    if (difference(l, from) > 0 || difference(l, to) > 0) {
        return true;
    }
    double top = -b / (2 * a);
    return a < 0 && top > from && top < to && difference(l, top) > 0;
}

// Two regions of one sign that are joined inside; the sign is that of their corners.
static bool find_joined_regions(const builder* b, int* first, int* second) {
    static const uint8_t around[4] = {0, 1, 3, 2}; // corners of a slice, in order
    for (int turn = 0; turn < 2; ++turn) {
        for (int axis = 0; axis < 3; ++axis) {
            for (int diagonal = 0; diagonal < 2; ++diagonal) {
                line l[4];
                for (int i = 0; i < 4; ++i) {
                    int place = around[(i + diagonal) & 3], u = (axis + 1) % 3, v = (axis + 2) % 3;
                    l[i] = line_at(b, (place & 1) << u | (place >> 1) << v, axis, turn ? -1 : 1);
                }
                if (l[0].corner >= 0 && l[2].corner >= 0 && b->region[l[0].corner] != b->region[l[2].corner] &&
                    meet(l)) {
                    *first = l[0].corner;
                    *second = l[2].corner;
                    return true;
                }
            }
        }
    }
    return false;
}

// The region on the side of a loop that has a sign.
static int region_beside(const builder* b, const loop* l, bool inside) {
    int edge = l->edges[0], corner = phxi_cell_edge_corner(edge);
    return b->region[is_inside(b, corner) == inside ? corner : corner | 1 << (edge >> 2)];
}

// A ring of new vertices half way between the loops. (Without it, edges from loop to loop would have to lie in faces:
// in case 10.1.2 no band exists that avoids them.) Vertex i of the smaller loop belongs to vertex partner - i n / m of
// the larger one, which runs the other way seen along the tube; partner makes the sum of distances least.
static void fill_tube(builder* b, const loop* small, const loop* large) {
    int m = small->count, n = large->count, partner = 0;
    if (m > n) {
        fill_tube(b, large, small);
        return;
    }
    float least = 0;
    for (int shift = 0; shift < n; ++shift) {
        float sum = 0;
        for (int i = 0; i < m; ++i) {
            sum += distance2(b, small->edges[i], large->edges[(shift + n - i * n / m) % n]);
        }
        if (shift == 0 || sum < least) {
            least = sum;
            partner = shift;
        }
    }
    int ring = b->cell->center_count;
    b->cell->center_count += m;
    for (int i = 0; i < m; ++i) {
        const float *p = b->points[small->edges[i]], *q = b->points[large->edges[(partner + n - i * n / m) % n]];
        for (int k = 0; k < 3; ++k) {
            b->cell->centers[ring + i][k] = 0.5f * (p[k] + q[k]);
        }
    }
    ring += PHXI_CELL_EDGES;
    for (int i = 0; i < m; ++i) {
        int from = small->edges[i], to = small->edges[(i + 1) % m], here = ring + i, next = ring + (i + 1) % m;
        add_triangle(b, from, to, here);
        add_triangle(b, to, next, here);
        int j = i * n / m, last = (i + 1) * n / m;
        add_triangle(b, here, next, large->edges[(partner + n - j) % n]);
        for (; j < last; ++j) {
            add_triangle(b, large->edges[(partner + n - j) % n], next, large->edges[(partner + 2 * n - j - 1) % n]);
        }
    }
}

// Fills two loops with a tube if there is one; says which.
static unsigned fill_joined_loops(builder* b) {
    int first, second;
    if (b->loop_count < 2 || !find_joined_regions(b, &first, &second)) {
        return 0;
    }
    bool inside = is_inside(b, first);
    for (int i = 0; i < b->loop_count; ++i) {
        for (int j = 0; j < b->loop_count; ++j) {
            if (region_beside(b, &b->loops[i], inside) == b->region[first] &&
                region_beside(b, &b->loops[j], inside) == b->region[second] &&
                region_beside(b, &b->loops[i], !inside) == region_beside(b, &b->loops[j], !inside)) {
                fill_tube(b, &b->loops[i], &b->loops[j]);
                b->cell->tunnel = true;
                return 1u << i | 1u << j;
            }
        }
    }
    return 0;
}

void phxi_cell_build(const float values[8], phxi_cell* cell) {
    builder b = {.values = values, .cell = cell};
    cell->triangle_count = cell->center_count = cell->loop_count = 0;
    cell->tunnel = false;
    for (int c = 0; c < 8; ++c) {
        b.inside |= (unsigned)(values[c] >= 0) << c;
        b.region[c] = (uint8_t)c;
    }
    if (b.inside == 0 || b.inside == 255) {
        return;
    }
    memset(b.next, -1, sizeof b.next);
    for (int face = 0; face < 6; ++face) {
        connect_face(&b, face);
    }
    for (int edge = 0; edge < PHXI_CELL_EDGES; ++edge) {
        int corner = phxi_cell_edge_corner(edge), other = corner | 1 << (edge >> 2);
        if (is_inside(&b, corner) == is_inside(&b, other)) {
            join_regions(&b, corner, other);
        }
    }
    trace_loops(&b);
    cut_edges(&b);
    cell->loop_count = b.loop_count;
    unsigned filled = fill_joined_loops(&b);
    for (int i = 0; i < b.loop_count; ++i) {
        if (!(filled >> i & 1)) {
            fill_loop(&b, &b.loops[i]);
        }
    }
}
