// SPDX-License-Identifier: MIT
#include "geometry/ear_clip.h"

#include <math.h>
#include <string.h>

enum { CAREFUL = 64 }; // points: beyond, any ear will do

typedef phxi_flat_point point;

static double area2(point a, point b, point c) {
    return (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u);
}

static double distance2(point a, point b) {
    return (a.u - b.u) * (a.u - b.u) + (a.v - b.v) * (a.v - b.v);
}

void phxi_ear_reset(phxi_ear_clipper* c) {
    c->points.count = c->ring_begin.count = c->triangles.count = c->ring_polygon.count = c->polygon_count = 0;
}

void phxi_ear_destroy(phxi_ear_clipper* c) {
    phxi_array_destroy(&c->points, c->heap);
    phxi_array_destroy(&c->ring_begin, c->heap);
    phxi_array_destroy(&c->triangles, c->heap);
    phxi_array_destroy(&c->ring_polygon, c->heap);
    phxi_array_destroy(&c->chain, c->heap);
    phxi_array_destroy(&c->areas, c->heap);
}

static int ring_end(const phxi_ear_clipper* c, int ring) {
    return ring + 1 < c->ring_begin.count ? c->ring_begin.items[ring + 1] : c->points.count;
}

// ------------------------------------------------------------------------------------------------------------- rings

static double ring_area(const phxi_ear_clipper* c, int ring) {
    int begin = c->ring_begin.items[ring], end = ring_end(c, ring);
    double sum = 0;
    for (int i = begin + 1; i + 1 < end; ++i) {
        sum += area2(c->points.items[begin], c->points.items[i], c->points.items[i + 1]);
    }
    return sum;
}

static bool ring_contains(const phxi_ear_clipper* c, int ring, point p) {
    int begin = c->ring_begin.items[ring], end = ring_end(c, ring);
    bool inside = false;
    for (int i = begin, j = end - 1; i < end; j = i++) {
        point a = c->points.items[i], b = c->points.items[j];
        if ((a.v > p.v) != (b.v > p.v) && p.u < a.u + (b.u - a.u) * (p.v - a.v) / (b.v - a.v)) {
            inside = !inside;
        }
    }
    return inside;
}

// Numbers the polygons; holes get that of the ring around them.
static phx_result sort_rings(phxi_ear_clipper* c) {
    int rings = c->ring_begin.count;
    c->areas.count = 0;
    if (!phxi_array_reserve(&c->areas, rings, c->heap, "polygon rings") ||
        !phxi_array_reserve(&c->ring_polygon, rings, c->heap, "polygon rings")) {
        return PHX_ERROR_MEMORY;
    }
    for (int r = 0; r < rings; ++r) {
        c->areas.items[r] = ring_area(c, r);
    }
    int* polygon = c->ring_polygon.items;
    for (int r = 0; r < rings; ++r) {
        polygon[r] = c->areas.items[r] > 0 || rings == 1 ? c->polygon_count++ : -1;
    }
    int outer_count = c->polygon_count;
    for (int r = 0; r < rings; ++r) {
        int around = -1;
        for (int s = 0; s < rings && polygon[r] < 0; ++s) {
            if (polygon[s] >= 0 && polygon[s] < outer_count && c->areas.items[s] > 0 &&
                (around < 0 || c->areas.items[s] < c->areas.items[around]) &&
                ring_contains(c, s, c->points.items[c->ring_begin.items[r]])) {
                around = s;
            }
        }
        if (polygon[r] < 0) {
            // a hole in nothing: rounding has turned a sliver around
            polygon[r] = around >= 0 ? polygon[around] : c->polygon_count++;
        }
    }
    c->ring_polygon.count = rings;
    return PHX_OK;
}

// ----------------------------------------------------------------------------------------------------------- bridges

static bool crosses(point a, point b, point p, point q) {
    if (a.id == p.id || a.id == q.id || b.id == p.id || b.id == q.id) {
        return false;
    }
    return (area2(a, b, p) > 0) != (area2(a, b, q) > 0) && (area2(p, q, a) > 0) != (area2(p, q, b) > 0);
}

static bool is_visible(const phxi_ear_clipper* c, int polygon, point a, point b) {
    for (int r = 0; r < c->ring_begin.count; ++r) {
        int begin = c->ring_begin.items[r], end = ring_end(c, r);
        for (int i = begin, j = end - 1; c->ring_polygon.items[r] == polygon && i < end; j = i++) {
            if (crosses(a, b, c->points.items[j], c->points.items[i])) {
                return false;
            }
        }
    }
    for (int i = 0, j = c->chain.count - 1; i < c->chain.count; j = i++) {
        if (crosses(a, b, c->points.items[c->chain.items[j]], c->points.items[c->chain.items[i]])) {
            return false;
        }
    }
    return true;
}

static bool opens_inward(const phxi_ear_clipper* c, int at, point p) {
    int n = c->chain.count;
    const int* chain = c->chain.items;
    point a = c->points.items[chain[(at + n - 1) % n]], b = c->points.items[chain[at]],
          d = c->points.items[chain[(at + 1) % n]];
    return area2(a, b, d) > 0 ? area2(a, b, p) > 0 && area2(b, d, p) > 0 : area2(a, b, p) > 0 || area2(b, d, p) > 0;
}

// Puts a hole into the chain, by the shortest bridge that crosses nothing (or the shortest of all).
static phx_result join_hole(phxi_ear_clipper* c, int polygon, int ring) {
    int begin = c->ring_begin.items[ring], end = ring_end(c, ring), count = end - begin;
    int best_at = 0, best_from = begin;
    double best = INFINITY, worst_best = INFINITY;
    for (int at = 0; at < c->chain.count; ++at) {
        for (int i = begin; i < end; ++i) {
            point a = c->points.items[c->chain.items[at]], b = c->points.items[i];
            double d = distance2(a, b);
            bool open = d < best && opens_inward(c, at, b) && is_visible(c, polygon, a, b);
            if (open || (isinf(best) && d < worst_best)) {
                best = open ? d : best;
                worst_best = d;
                best_at = at;
                best_from = i;
            }
        }
    }
    if (!phxi_array_reserve(&c->chain, count + 2, c->heap, "polygon chain")) {
        return PHX_ERROR_MEMORY;
    }
    // ... at | from, from + 1, ..., from | at, at + 1 ...
    int* chain = c->chain.items;
    memmove(chain + best_at + count + 2, chain + best_at, (size_t)(c->chain.count - best_at) * sizeof *chain);
    for (int k = 0; k <= count; ++k) {
        chain[best_at + 1 + k] = begin + (best_from - begin + k) % count;
    }
    c->chain.count += count + 2;
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- ears

static bool is_empty(const phxi_ear_clipper* c, point a, point b, point d) {
    for (int i = 0; i < c->chain.count; ++i) {
        point p = c->points.items[c->chain.items[i]];
        if (p.id != a.id && p.id != b.id && p.id != d.id && area2(a, b, p) >= 0 && area2(b, d, p) >= 0 &&
            area2(d, a, p) >= 0) {
            return false;
        }
    }
    return true;
}

// Twice the area over the longest side squared; what is no ear comes behind all that are.
static double ear_quality(const phxi_ear_clipper* c, point a, point b, point d) {
    double area = area2(a, b, d), side = fmax(distance2(a, b), fmax(distance2(b, d), distance2(d, a)));
    double shape = side > 0 ? area / side : 0;
    if (!(shape > 0)) {
        return -10 + shape;
    }
    return is_empty(c, a, b, d) ? shape : -5 + shape;
}

static phx_result cut_ears(phxi_ear_clipper* c, int polygon) {
    if (!phxi_array_reserve(&c->triangles, c->chain.count, c->heap, "polygon triangles")) {
        return PHX_ERROR_MEMORY;
    }
    while (c->chain.count >= 3) {
        int n = c->chain.count, best_at = 0;
        int* chain = c->chain.items;
        double best = -INFINITY;
        for (int at = 0; at < n && (n > 3 || at == 0); ++at) {
            double quality = ear_quality(c, c->points.items[chain[(at + n - 1) % n]], c->points.items[chain[at]],
                                         c->points.items[chain[(at + 1) % n]]);
            if (quality > best) {
                best = quality;
                best_at = at;
            }
            if (n > CAREFUL && best > 0.1) {
                break;
            }
        }
        c->triangles.items[c->triangles.count++] =
            (phxi_flat_triangle){{c->points.items[chain[(best_at + n - 1) % n]].id, c->points.items[chain[best_at]].id,
                                  c->points.items[chain[(best_at + 1) % n]].id},
                                 polygon};
        memmove(chain + best_at, chain + best_at + 1, (size_t)(n - best_at - 1) * sizeof *chain);
        c->chain.count = n - 1;
    }
    return PHX_OK;
}

// The ring around a polygon; without one (see sort_rings) its only ring.
static int outer_ring(const phxi_ear_clipper* c, int polygon) {
    int found = -1;
    for (int r = 0; r < c->ring_begin.count; ++r) {
        if (c->ring_polygon.items[r] == polygon && (found < 0 || c->areas.items[r] > 0)) {
            found = r;
        }
    }
    return found;
}

static phx_result clip_polygon(phxi_ear_clipper* c, int polygon) {
    int outer = outer_ring(c, polygon), begin = c->ring_begin.items[outer], count = ring_end(c, outer) - begin;
    c->chain.count = 0;
    if (!phxi_array_reserve(&c->chain, count, c->heap, "polygon chain")) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        c->chain.items[c->chain.count++] = begin + i;
    }
    for (int r = 0; r < c->ring_begin.count; ++r) {
        if (c->ring_polygon.items[r] == polygon && r != outer) {
            PHXI_TRY(join_hole(c, polygon, r));
        }
    }
    return cut_ears(c, polygon);
}

phx_result phxi_ear_clip(phxi_ear_clipper* c) {
    PHXI_TRY(sort_rings(c));
    for (int polygon = 0; polygon < c->polygon_count; ++polygon) {
        PHXI_TRY(clip_polygon(c, polygon));
    }
    return PHX_OK;
}
