// SPDX-License-Identifier: MIT
#include "geometry/voronoi_cell.h"

#include <string.h>

static phx_vec3 meet(const phxi_voronoi_cell* cell, const int16_t p[3]) {
    phx_vec3 a = cell->normal[p[0]], b = cell->normal[p[1]], c = cell->normal[p[2]];
    phx_vec3 bc = phxi_cross(b, c), ca = phxi_cross(c, a), ab = phxi_cross(a, b);
    phx_vec3 sum = phxi_scale(cell->offset[p[0]], bc);
    sum = phxi_add_scaled(sum, cell->offset[p[1]], ca);
    sum = phxi_add_scaled(sum, cell->offset[p[2]], ab);
    return phxi_scale(1 / phxi_dot(a, bc), sum);
}

static void measure(phxi_voronoi_cell* cell) {
    cell->reach2 = 0;
    for (int i = 0; i < cell->corner_count; ++i) {
        cell->reach2 = fmax(cell->reach2, phxi_dot(cell->corner[i], cell->corner[i]));
    }
}

void phxi_voronoi_cell_start(phxi_voronoi_cell* cell, double half) {
    // Planes -x +x -y +y -z +z; the corner with signs (x, y, z) has them counter-clockwise if the product is positive.
    cell->plane_count = 6;
    cell->corner_count = 8;
    for (int p = 0; p < 6; ++p) {
        double side = p & 1 ? 1 : -1;
        cell->normal[p] = phxi_vec3(p / 2 == 0 ? side : 0, p / 2 == 1 ? side : 0, p / 2 == 2 ? side : 0);
        cell->offset[p] = half;
        cell->site[p] = -1;
    }
    for (int c = 0; c < 8; ++c) {
        int16_t x = (int16_t)(c & 1), y = (int16_t)(2 + (c >> 1 & 1)), z = (int16_t)(4 + (c >> 2));
        bool right = ((c & 1) + (c >> 1 & 1) + (c >> 2)) & 1;
        cell->planes[c][0] = x;
        cell->planes[c][1] = right ? y : z;
        cell->planes[c][2] = right ? z : y;
        cell->corner[c] = phxi_vec3(x ? half : -half, y & 1 ? half : -half, z & 1 ? half : -half);
    }
    memset(cell->rim, 0xFF, sizeof cell->rim); // -1
    measure(cell);
}

// Sorts the corners beyond the plane to the end; how many stay.
static int partition(phxi_voronoi_cell* cell, phx_vec3 normal, double offset) {
    int kept = 0;
    for (int i = 0; i < cell->corner_count; ++i) {
        if (phxi_dot(normal, cell->corner[i]) <= offset) {
            phx_vec3 corner = cell->corner[i];
            int16_t planes[3];
            memcpy(planes, cell->planes[i], sizeof planes);
            cell->corner[i] = cell->corner[kept];
            memcpy(cell->planes[i], cell->planes[kept], sizeof planes);
            cell->corner[kept] = corner;
            memcpy(cell->planes[kept], planes, sizeof planes);
            ++kept;
        }
    }
    return kept;
}

// Whether another taken corner has the edge of the dual the other way round: then it is not on the rim.
static bool is_inner(const phxi_voronoi_cell* cell, int kept, int16_t from, int16_t to) {
    for (int i = kept; i < cell->corner_count; ++i) {
        const int16_t* p = cell->planes[i];
        if ((p[0] == to && p[1] == from) || (p[1] == to && p[2] == from) || (p[2] == to && p[0] == from)) {
            return true;
        }
    }
    return false;
}

// The rim of what was taken, as a ring of planes; -1 if it is none. The scratch is clean afterwards.
static int close_rim(phxi_voronoi_cell* cell, int kept, int16_t ring[PHXI_CELL_PLANES]) {
    int edges = 0, count = 0;
    bool closed = false;
    int16_t first = -1;
    for (int i = kept; i < cell->corner_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            int16_t from = cell->planes[i][k], to = cell->planes[i][(k + 1) % 3];
            if (!is_inner(cell, kept, from, to)) {
                cell->rim[from] = to;
                first = from;
                ++edges;
            }
        }
    }
    for (int16_t p = first; p >= 0 && count < PHXI_CELL_PLANES;) {
        int16_t next = cell->rim[p];
        ring[count++] = p;
        cell->rim[p] = -1;
        closed = next == first;
        p = closed ? -1 : next;
    }
    bool whole = closed && count == edges && count >= 3;
    for (int i = kept; i < cell->corner_count && !whole; ++i) {
        for (int k = 0; k < 3; ++k) {
            cell->rim[cell->planes[i][k]] = -1;
        }
    }
    return whole ? count : -1;
}

bool phxi_voronoi_cell_cut(phxi_voronoi_cell* cell, phx_vec3 other, int site) {
    double offset = 0.5 * phxi_dot(other, other);
    int kept = partition(cell, other, offset);
    if (kept == cell->corner_count) {
        return true;
    }
    int16_t ring[PHXI_CELL_PLANES];
    int count = close_rim(cell, kept, ring);
    int16_t plane = (int16_t)cell->plane_count;
    if (count < 0 || kept == 0 || plane == PHXI_CELL_PLANES || kept + count > PHXI_CELL_CORNERS) {
        return false;
    }
    ++cell->plane_count;
    cell->normal[plane] = other;
    cell->offset[plane] = offset;
    cell->site[plane] = site;
    cell->corner_count = kept + count;
    for (int k = 0; k < count; ++k) {
        int16_t* p = cell->planes[kept + k];
        p[0] = ring[k];
        p[1] = ring[(k + 1) % count];
        p[2] = plane;
        cell->corner[kept + k] = meet(cell, p);
        if (!phxi_finite(cell->corner[kept + k])) {
            return false;
        }
    }
    measure(cell);
    return true;
}

int phxi_voronoi_cell_ring(const phxi_voronoi_cell* cell, int plane, int ring[PHXI_CELL_CORNERS]) {
    // by_entry[p]: the corner (plane, p, q); the next one around the plane is (plane, q, r)
    int16_t by_entry[PHXI_CELL_PLANES], leaving[PHXI_CELL_PLANES];
    int total = 0, first = -1;
    memset(by_entry, 0xFF, (size_t)cell->plane_count * sizeof *by_entry); // -1
    for (int i = 0; i < cell->corner_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (cell->planes[i][k] == plane) {
                int16_t entry = cell->planes[i][(k + 1) % 3];
                by_entry[entry] = (int16_t)i;
                leaving[entry] = cell->planes[i][(k + 2) % 3];
                first = entry;
                ++total;
            }
        }
    }
    int entry = first;
    for (int count = 0; count < total && by_entry[entry] >= 0; ++count) {
        ring[count] = by_entry[entry];
        entry = leaving[entry];
        if (entry == first) {
            return count + 1 == total ? total : -1;
        }
    }
    return total == 0 ? 0 : -1;
}
