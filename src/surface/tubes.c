// SPDX-License-Identifier: MIT
// Rods as tubes: a smooth curve (Catmull and Rom) through the particles of a chain, a circle carried along it without
// twisting (parallel transport), round ends. A chain that closes is a ring.
#include "surface/rest_shape.h"

#include "core/array.h"
#include "math/vec3.h"

#include <string.h>

enum { SIDES = 16, PARTS = 4, CAP = 4 }; // corners of the circle; pieces between two particles; circles of a round end

typedef struct chains {
    const phxi_rest_shape* shape;
    int (*next)[2]; // neighbours along the rod; -1: none
    int* order;     // particles, chain by chain
    PHXI_ARRAY(int) start;
    PHXI_ARRAY(bool) closed;
} chains;

typedef struct circle {
    phx_vec3 middle, along;
    double radius; // share of that of the tube
    int particle;  // whose fields it has
} circle;

// The two nearest on opposite sides; false where a particle has neighbours that are no part of a line.
static bool find_next(chains* c, const phx_frame* now, double tear) {
    const phxi_rest_shape* s = c->shape;
    for (int i = 0; i < s->count; ++i) {
        int found = 0;
        c->next[i][0] = c->next[i][1] = -1;
        for (int64_t k = s->near.start[i]; k < s->near.start[i + 1]; ++k) {
            int j = s->near.items[k];
            const double *a = s->positions + 3 * (size_t)i, *b = s->positions + 3 * (size_t)j;
            double distance =
                sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
            if (distance < 1.4 * s->spacing && !phxi_rest_shape_apart(s, now, i, j, tear)) {
                if (found == 2) {
                    return false;
                }
                c->next[i][found++] = j;
            }
        }
    }
    return true;
}

static int follow(chains* c, int from, bool* used, int count) {
    for (int i = from, last = -1; i >= 0 && !used[i];) {
        int onward = c->next[i][0] != last ? c->next[i][0] : c->next[i][1];
        used[i] = true;
        c->order[count++] = i;
        last = i;
        i = onward;
    }
    return count;
}

// From every end, then whatever is left: rings.
static phx_result list_chains(chains* c, phxi_heap* heap, bool* used) {
    int count = 0;
    for (int ring = 0; ring < 2; ++ring) {
        for (int i = 0; i < c->shape->count; ++i) {
            if (used[i] || (!ring && c->next[i][0] >= 0 && c->next[i][1] >= 0)) {
                continue;
            }
            int* start = phxi_array_add(&c->start, heap, "tubes");
            bool* closed = phxi_array_add(&c->closed, heap, "tubes");
            if (!start || !closed) {
                return PHX_ERROR_MEMORY;
            }
            *start = count;
            *closed = ring == 1;
            count = follow(c, i, used, count);
        }
    }
    int* end = phxi_array_add(&c->start, heap, "tubes");
    if (!end) {
        return PHX_ERROR_MEMORY;
    }
    *end = count;
    return PHX_OK;
}

static phx_vec3 catmull_rom(const phx_vec3 p[4], double t, phx_vec3* slope) {
    const double t2 = t * t, t3 = t2 * t;
    const double w[4] = {-0.5 * t + t2 - 0.5 * t3, 1 - 2.5 * t2 + 1.5 * t3, 0.5 * t + 2 * t2 - 1.5 * t3,
                         -0.5 * t2 + 0.5 * t3};
    const double d[4] = {-0.5 + 2 * t - 1.5 * t2, -5 * t + 4.5 * t2, 0.5 + 4 * t - 4.5 * t2, -t + 1.5 * t2};
    phx_vec3 sum = {0, 0, 0};
    *slope = sum;
    for (int k = 0; k < 4; ++k) {
        sum = phxi_add_scaled(sum, w[k], p[k]);
        *slope = phxi_add_scaled(*slope, d[k], p[k]);
    }
    return sum;
}

static phx_vec3 point(const phx_frame* now, const chains* c, int begin, int count, bool closed, int k) {
    int inside = closed ? (k + count) % count : k < 0 ? 0 : k >= count ? count - 1 : k;
    const double* p = now->positions + 3 * (size_t)c->order[begin + inside];
    phx_vec3 x = {p[0], p[1], p[2]};
    if (!closed && (k < 0 || k >= count) && count > 1) { // the line goes on straight
        const double* q = now->positions + 3 * (size_t)c->order[begin + (k < 0 ? 1 : count - 2)];
        x = (phx_vec3){2 * p[0] - q[0], 2 * p[1] - q[1], 2 * p[2] - q[2]};
    }
    return x;
}

/// A half ball of circles at one end; `sign` -1: at the beginning.
static int add_cap(circle* circles, int used, circle end, double radius, int sign) {
    for (int k = 0; k < CAP; ++k) {
        int step = sign > 0 ? k + 1 : CAP - k;
        double angle = 1.5707963267948966 * step / CAP;
        circle c = end;
        c.middle = phxi_add_scaled(end.middle, sign * radius * sin(angle), end.along);
        c.radius = step == CAP ? 1e-3 : cos(angle);
        circles[used++] = c;
    }
    return used;
}

static int list_circles(const chains* c, const phx_frame* now, int chain, double radius, circle* circles) {
    int begin = c->start.items[chain], count = c->start.items[chain + 1] - begin, used = 0;
    bool closed = c->closed.items[chain] && count > 2;
    int pieces = closed ? count : count - 1;
    for (int i = 0; i <= pieces; ++i) {
        for (int part = 0; part < (i < pieces ? PARTS : closed ? 0 : 1); ++part) {
            phx_vec3 p[4], slope;
            int from = i < pieces || pieces == 0 ? i : i - 1;
            double t = i < pieces || pieces == 0 ? (double)part / PARTS : 1;
            for (int k = 0; k < 4; ++k) {
                p[k] = point(now, c, begin, count, closed, from - 1 + k);
            }
            circle here = {.radius = 1};
            here.middle = catmull_rom(p, t, &slope);
            here.along = phxi_normalize(slope, (phx_vec3){0, 0, 1});
            here.particle = c->order[begin + (i + (part >= PARTS / 2)) % count];
            if (used == 0 && !closed) {
                used = add_cap(circles, 0, here, radius, -1);
            }
            circles[used++] = here;
        }
    }
    return closed ? used : add_cap(circles, used, circles[used - 1], radius, 1);
}

static void put_circle(const circle* c, phx_vec3 side, double radius, const phx_frame* now, phx_frame* out, int ring) {
    phx_vec3 other = phxi_cross(c->along, side);
    for (int k = 0; k < SIDES; ++k) {
        double angle = 6.283185307179586 * k / SIDES;
        phx_vec3 n = phxi_add_scaled(phxi_scale(cos(angle), side), sin(angle), other);
        phx_vec3 x = phxi_add_scaled(c->middle, radius * c->radius, n);
        int to = SIDES * ring + k;
        memcpy(out->positions + 3 * (size_t)to, &x, sizeof x);
        for (int f = 0; f < now->fields.count; ++f) {
            const phx_frame_field *from = &now->fields.items[f], *field = phx_frame_find(out, from->name);
            size_t size = (size_t)from->components;
            memcpy((float*)(uintptr_t)field->values + size * (size_t)to, from->values + size * (size_t)c->particle,
                   size * sizeof(float));
        }
    }
}

static void join_circles(phx_frame* out, int ring, int next, int* triangle) {
    for (int k = 0; k < SIDES; ++k) {
        int a = SIDES * ring + k, b = SIDES * ring + (k + 1) % SIDES;
        int c = SIDES * next + k, d = SIDES * next + (k + 1) % SIDES;
        const int corners[6] = {a, b, c, b, d, c};
        memcpy(out->indices + 3 * (size_t)*triangle, corners, sizeof corners);
        *triangle += 2;
    }
}

/// The last circle of a round end is a speck: a fan of triangles closes it.
static void close_end(phx_frame* out, int ring, bool first, int* triangle) {
    for (int k = 1; k + 1 < SIDES; ++k) {
        int a = SIDES * ring, b = a + k, c = a + k + 1;
        const int corners[3] = {a, first ? c : b, first ? b : c};
        memcpy(out->indices + 3 * (size_t)*triangle, corners, sizeof corners);
        ++*triangle;
    }
}

static phx_result make_tubes(const chains* c, const phx_frame* now, double radius, phxi_heap* heap, phx_frame** tubes) {
    circle* circles;
    int most = 0, total = 0, joints = 0, ends = 0;
    for (int k = 0; k + 1 < c->start.count; ++k) {
        int count = c->start.items[k + 1] - c->start.items[k];
        most = count > most ? count : most;
        int here = c->closed.items[k] && count > 2 ? PARTS * count : PARTS * (count - 1) + 1 + 2 * CAP;
        total += here;
        joints += c->closed.items[k] && count > 2 ? here : here - 1;
        ends += c->closed.items[k] && count > 2 ? 0 : 2;
    }
    PHXI_NEW(circles, heap, PARTS * (size_t)most + 2 * CAP + 2, "tubes");
    PHXI_TRY(phx_frame_create(SIDES * total, 2 * SIDES * joints + (SIDES - 2) * ends, now->time, NULL, tubes));
    for (int f = 0; f < now->fields.count; ++f) {
        float* values;
        PHXI_TRY(phx_frame_add_field(*tubes, now->fields.items[f].name, now->fields.items[f].components, &values));
    }
    int ring = 0, triangle = 0;
    for (int k = 0; k + 1 < c->start.count; ++k) {
        int count = list_circles(c, now, k, radius, circles), first = ring;
        bool closed = c->closed.items[k] && c->start.items[k + 1] - c->start.items[k] > 2;
        phx_vec3 side = phxi_perpendicular(circles[0].along);
        for (int i = 0; i < count; ++i, ++ring) {
            side = phxi_sub(side, phxi_scale(phxi_dot(side, circles[i].along), circles[i].along));
            side = phxi_normalize(side, phxi_perpendicular(circles[i].along));
            put_circle(&circles[i], side, radius, now, *tubes, ring);
            if (i > 0) {
                join_circles(*tubes, ring - 1, ring, &triangle);
            }
        }
        if (closed) {
            join_circles(*tubes, ring - 1, first, &triangle);
        } else {
            close_end(*tubes, first, true, &triangle);
            close_end(*tubes, ring - 1, false, &triangle);
        }
    }
    phxi_free(heap, circles);
    return PHX_OK;
}

phx_result phxi_rest_shape_tubes(const phxi_rest_shape* shape, const phx_frame* now, double radius, phx_frame** tubes,
                                 bool* made) {
    phxi_heap* heap = shape->heap;
    chains c = {.shape = shape};
    bool* used = phxi_alloc_zero(heap, (size_t)shape->count, sizeof *used, "tubes");
    c.next = phxi_alloc(heap, (size_t)shape->count, sizeof *c.next, "tubes");
    c.order = phxi_alloc(heap, (size_t)shape->count, sizeof *c.order, "tubes");
    double tear;
    phx_result result = used && c.next && c.order ? phxi_rest_shape_tear(shape, now, &tear) : PHX_ERROR_MEMORY;
    *made = result == PHX_OK && now->points == shape->count && find_next(&c, now, tear);
    if (*made) {
        result = list_chains(&c, heap, used);
        result = result == PHX_OK ? make_tubes(&c, now, radius, heap, tubes) : result;
    }
    phxi_free(heap, used);
    phxi_free(heap, c.next);
    phxi_free(heap, c.order);
    phxi_array_destroy(&c.start, heap);
    phxi_array_destroy(&c.closed, heap);
    return result;
}
