// SPDX-License-Identifier: MIT
// Triangles are halved until they are as small as a particle. Whoever can own a part of one is near: let r be the
// radius of the triangle about its centre and d the distance of the centre's nearest particle, then every point of the
// triangle has a particle within d + r, and that is within d + 2 r of the centre. Each of these candidates gets what is
// left of the triangle after the planes half way to all others have cut it. So the shares are exact and need no Voronoi
// cells.
#include "geometry/surface_shares.h"

#include "core/array.h"

#include <string.h>

enum { CORNERS = 64 }; // of a polygon: a triangle and one more for each cut that meets it

// The longest side of a triangle that is not halved, in spacings: longer ones have more candidates, which all cut each
// other.
static const double LONGEST = 0.5;
// How far from the surface particles may stand on it, in spacings, on average.
static const double OFF = 0.1;

typedef struct triangle {
    phx_vec3 corner[3];
} triangle;

typedef struct polygon {
    phx_vec3 corner[CORNERS];
    int count;
} polygon;

typedef struct candidate {
    double distance; // from the centre of the triangle, squared
    int particle;
} candidate;

typedef struct sharing {
    phxi_heap* heap;
    const phx_vec3* positions;
    phx_vec3* areas;
    double* sizes;
    double sign;     // -1: the mesh is inside out
    double sum, off; // of all that is shared: area, and area times how far the owner is from its plane
    double longest;  // m
    phx_vec3 low;    // of the bricks that particles are sorted into
    double edge;     // of a brick, m
    int bricks[3];
    int *first, *items; // particles of brick b: items[first[b] .. first[b + 1])
    PHXI_ARRAY(candidate) candidates;
    PHXI_ARRAY(triangle) stack;
} sharing;

// ------------------------------------------------------------------------------------------------------------ search

static void brick_of(const sharing* s, phx_vec3 p, int at[3]) {
    const double d[3] = {p.x - s->low.x, p.y - s->low.y, p.z - s->low.z};
    for (int c = 0; c < 3; ++c) {
        at[c] = (int)fmin(fmax(floor(d[c] / s->edge), 0), s->bricks[c] - 1);
    }
}

static size_t brick_index(const sharing* s, const int at[3]) {
    return ((size_t)at[2] * (size_t)s->bricks[1] + (size_t)at[1]) * (size_t)s->bricks[0] + (size_t)at[0];
}

static phx_result sort_particles(sharing* s, int count, const double* spacings) {
    phx_vec3 high = s->low = s->positions[0];
    s->edge = 0;
    for (int i = 0; i < count; ++i) {
        s->low = phxi_min(s->low, s->positions[i]);
        high = phxi_max(high, s->positions[i]);
        s->edge += 1.5 * spacings[i] / count;
    }
    const phx_vec3 size = phxi_sub(high, s->low);
    double total;
    do { // thin things in a large box have few particles in many bricks
        total = 1;
        const double sizes[3] = {size.x, size.y, size.z};
        for (int c = 0; c < 3; ++c) {
            total *= floor(sizes[c] / s->edge) + 1;
            s->bricks[c] = (int)fmin(floor(sizes[c] / s->edge) + 1, 1e9);
        }
        s->edge *= total > 64.0 + 8.0 * count ? 1.5 : 1;
    } while (total > 64.0 + 8.0 * count);
    PHXI_NEW(s->first, s->heap, (size_t)total + 1, "surface shares");
    PHXI_NEW(s->items, s->heap, count, "surface shares");
    memset(s->first, 0, ((size_t)total + 1) * sizeof *s->first);
    int at[3];
    for (int i = 0; i < count; ++i) {
        brick_of(s, s->positions[i], at);
        ++s->first[brick_index(s, at)];
    }
    for (size_t b = 1; b <= (size_t)total; ++b) {
        s->first[b] += s->first[b - 1];
    }
    for (int i = count; i-- > 0;) {
        brick_of(s, s->positions[i], at);
        s->items[--s->first[brick_index(s, at)]] = i;
    }
    return PHX_OK;
}

/// All particles within `radius` of a point.
static phx_result gather(sharing* s, phx_vec3 point, double radius) {
    int low[3], high[3], at[3];
    const phx_vec3 reach = phxi_vec3(radius, radius, radius);
    brick_of(s, phxi_sub(point, reach), low);
    brick_of(s, phxi_add(point, reach), high);
    s->candidates.count = 0;
    for (at[2] = low[2]; at[2] <= high[2]; ++at[2]) {
        for (at[1] = low[1]; at[1] <= high[1]; ++at[1]) {
            for (at[0] = low[0]; at[0] <= high[0]; ++at[0]) {
                size_t brick = brick_index(s, at);
                for (int k = s->first[brick]; k < s->first[brick + 1]; ++k) {
                    phx_vec3 arm = phxi_sub(s->positions[s->items[k]], point);
                    double distance = phxi_dot(arm, arm);
                    if (distance > radius * radius) {
                        continue;
                    }
                    if (!phxi_array_reserve(&s->candidates, 1, s->heap, "surface shares")) {
                        return PHX_ERROR_MEMORY;
                    }
                    s->candidates.items[s->candidates.count++] = (candidate){distance, s->items[k]};
                }
            }
        }
    }
    return PHX_OK;
}

/// The candidates for a triangle, the nearest one first: its plane cuts the most.
static phx_result find_candidates(sharing* s, phx_vec3 center, double radius) {
    double reach = 2 * s->longest;
    for (s->candidates.count = 0; s->candidates.count == 0; reach *= 2) {
        PHXI_TRY(gather(s, center, reach));
    }
    int nearest = 0;
    for (int k = 1; k < s->candidates.count; ++k) {
        nearest = s->candidates.items[k].distance < s->candidates.items[nearest].distance ? k : nearest;
    }
    double limit = sqrt(s->candidates.items[nearest].distance) + 2 * radius;
    limit += 1e-9 * s->longest;
    if (limit > reach / 2) {
        PHXI_TRY(gather(s, center, limit));
    }
    int kept = 0;
    for (int k = 0; k < s->candidates.count; ++k) {
        candidate one = s->candidates.items[k];
        if (one.distance <= limit * limit) {
            s->candidates.items[kept++] = one;
        }
    }
    s->candidates.count = kept;
    for (int k = 1; k < kept; ++k) {
        candidate first = s->candidates.items[0], one = s->candidates.items[k];
        if (one.distance < first.distance) {
            s->candidates.items[0] = one;
            s->candidates.items[k] = first;
        }
    }
    return PHX_OK;
}

// ----------------------------------------------------------------------------------------------------------- cutting

/// Leaves what is nearer to `own` than to `other`; of points as near to both, those of the one with the lower number.
static void cut(polygon* p, phx_vec3 own, phx_vec3 other, bool lower) {
    const phx_vec3 middle = phxi_scale(0.5, phxi_add(own, other)), normal = phxi_sub(other, own);
    double side[CORNERS];
    bool inside[CORNERS], all = true, none = true;
    for (int k = 0; k < p->count; ++k) {
        side[k] = phxi_dot(normal, phxi_sub(p->corner[k], middle));
        inside[k] = side[k] < 0 || (side[k] == 0 && lower);
        all = all && inside[k];
        none = none && !inside[k];
    }
    if (all || none) {
        p->count = none ? 0 : p->count;
        return;
    }
    polygon left = {.count = 0};
    for (int k = 0; k < p->count; ++k) {
        int next = k + 1 < p->count ? k + 1 : 0;
        if (inside[k] && left.count < CORNERS) {
            left.corner[left.count++] = p->corner[k];
        }
        if (inside[k] != inside[next] && left.count < CORNERS) {
            double t = side[k] / (side[k] - side[next]);
            left.corner[left.count++] = phxi_add_scaled(p->corner[k], t, phxi_sub(p->corner[next], p->corner[k]));
        }
    }
    *p = left;
}

static phx_vec3 area_of(const polygon* p) {
    phx_vec3 sum = {0, 0, 0};
    for (int k = 2; k < p->count; ++k) {
        sum = phxi_add(sum, phxi_cross(phxi_sub(p->corner[k - 1], p->corner[0]), phxi_sub(p->corner[k], p->corner[0])));
    }
    return phxi_scale(0.5, sum);
}

static phx_result share(sharing* s, const triangle* t) {
    const phx_vec3 center = phxi_scale(1.0 / 3, phxi_add(t->corner[0], phxi_add(t->corner[1], t->corner[2])));
    double radius = 0;
    for (int k = 0; k < 3; ++k) {
        radius = fmax(radius, phxi_distance(center, t->corner[k]));
    }
    PHXI_TRY(find_candidates(s, center, radius));
    const candidate* all = s->candidates.items;
    for (int a = 0; a < s->candidates.count; ++a) {
        polygon left = {.corner = {t->corner[0], t->corner[1], t->corner[2]}, .count = 3};
        const int own = all[a].particle;
        for (int b = 0; b < s->candidates.count && left.count; ++b) {
            if (b != a) {
                cut(&left, s->positions[own], s->positions[all[b].particle], own < all[b].particle);
            }
        }
        phx_vec3 area = area_of(&left);
        s->areas[own] = phxi_add_scaled(s->areas[own], s->sign, area);
        double size = phxi_length(area);
        s->sizes[own] += size;
        if (size > 0) {
            s->sum += size;
            s->off += fabs(phxi_dot(area, phxi_sub(s->positions[own], left.corner[0])));
        }
    }
    return PHX_OK;
}

/// Halves a triangle at its longest side until it is small, and shares the parts.
static phx_result share_parts(sharing* s, triangle whole) {
    s->stack.count = 0;
    do {
        int longest = 0;
        double length[3];
        for (int k = 0; k < 3; ++k) {
            length[k] = phxi_distance(whole.corner[k], whole.corner[(k + 1) % 3]);
            longest = length[k] > length[longest] ? k : longest;
        }
        if (length[longest] <= s->longest) {
            PHXI_TRY(share(s, &whole));
            if (s->stack.count == 0) {
                return PHX_OK;
            }
            whole = s->stack.items[--s->stack.count];
            continue;
        }
        if (!phxi_array_reserve(&s->stack, 1, s->heap, "surface shares")) {
            return PHX_ERROR_MEMORY;
        }
        const phx_vec3 a = whole.corner[longest], b = whole.corner[(longest + 1) % 3],
                       c = whole.corner[(longest + 2) % 3];
        const phx_vec3 middle = phxi_scale(0.5, phxi_add(a, b));
        s->stack.items[s->stack.count++] = (triangle){{middle, b, c}};
        whole = (triangle){{a, middle, c}};
    } while (true);
}

phx_result phxi_surface_shares(phxi_heap* heap, const phx_mesh* mesh, int count, const phx_vec3* positions,
                               const double* spacings, phx_vec3* areas, double* sizes) {
    PHXI_ASSERT(count > 0);
    double least = INFINITY;
    for (int i = 0; i < count; ++i) {
        areas[i] = phxi_vec3(0, 0, 0);
        sizes[i] = 0;
        least = fmin(least, spacings[i]);
    }
    sharing s = {.heap = heap,
                 .positions = positions,
                 .areas = areas,
                 .sizes = sizes,
                 .sign = phx_mesh_volume(mesh) < 0 ? -1 : 1,
                 .longest = LONGEST * least};
    phx_result result = sort_particles(&s, count, spacings);
    for (int t = 0; t < mesh->triangle_count && result == PHX_OK; ++t) {
        const int* v = mesh->triangles + 3 * (size_t)t;
        result = share_parts(&s, (triangle){{mesh->positions[v[0]], mesh->positions[v[1]], mesh->positions[v[2]]}});
    }
    double mean = 0;
    for (int i = 0; i < count; ++i) {
        mean += spacings[i] / count;
    }
    for (int i = 0; i < count && s.off > OFF * mean * s.sum; ++i) {
        sizes[i] = 0;
    }
    phxi_free(heap, s.first);
    phxi_free(heap, s.items);
    phxi_array_destroy(&s.candidates, heap);
    phxi_array_destroy(&s.stack, heap);
    return result;
}
