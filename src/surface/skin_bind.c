// SPDX-License-Identifier: MIT
// Which particles carry a point, with which weights; and carrying it.
#include "surface/skin.h"

#include "surface/cloud.h"

#include <string.h>

enum { FEWEST = 4, NEAREST = 8, CELLS = 4 }; // particles of a point; of a tetrahedron's choice; cells a radius
static const double least_weight = -0.2, least_quality = 0.05, growth = 1.5;

typedef struct near {
    int particle;
    double distance2;
} near;

typedef struct binder {
    phxi_cloud cloud; // of the particles at rest
    PHXI_ARRAY(near) found;
    const double* rest;
    int particles;
    double radius;
} binder;

static phx_result add_range(phxi_heap* heap, binder* b, phxi_grain_range range, phx_vec3 p, double radius) {
    for (int i = range.begin; i < range.end; ++i) {
        int particle = b->cloud.grains[i].index;
        const double* x = b->rest + 3 * (size_t)particle;
        double d2 = (x[0] - p.x) * (x[0] - p.x) + (x[1] - p.y) * (x[1] - p.y) + (x[2] - p.z) * (x[2] - p.z);
        if (d2 < radius * radius) {
            near* item = phxi_array_add(&b->found, heap, "skin");
            if (!item) {
                return PHX_ERROR_MEMORY;
            }
            *item = (near){particle, d2};
        }
    }
    return PHX_OK;
}

// Bins along one axis within a radius, cut to where there are any.
static void bin_range(const binder* b, double position, double origin, double radius, int range[2]) {
    double most = (double)(1 << 29), low = floor((position - radius - origin) / (b->radius)) - 1,
           high = floor((position + radius - origin) / (b->radius)) + 1;
    range[0] = (int)fmin(fmax(low, 0), most);
    range[1] = (int)fmax(fmin(high, most), -1);
}

// All particles within a radius of a point.
static phx_result find_within(phxi_heap* heap, binder* b, phx_vec3 p, double radius) {
    int x[2], y[2], z[2];
    b->found.count = 0;
    bin_range(b, p.x, b->cloud.origin.x, radius, x);
    bin_range(b, p.y, b->cloud.origin.y, radius, y);
    bin_range(b, p.z, b->cloud.origin.z, radius, z);
    if (((double)y[1] - y[0] + 1) * ((double)z[1] - z[0] + 1) > b->particles) { // more rows than particles
        return add_range(heap, b, (phxi_grain_range){0, b->particles}, p, radius);
    }
    for (int k = z[0]; k <= z[1]; ++k) {
        for (int j = y[0]; j <= y[1]; ++j) {
            PHXI_TRY(add_range(heap, b, phxi_cloud_row(&b->cloud, j, k, x[0], x[1]), p, radius));
        }
    }
    return PHX_OK;
}

// Grows the radius until there are enough (or all there are).
static phx_result find_enough(phxi_heap* heap, binder* b, phx_vec3 p, int wanted, double* radius) {
    wanted = wanted < b->particles ? wanted : b->particles;
    *radius = b->radius;
    for (;;) {
        PHXI_TRY(find_within(heap, b, p, *radius));
        if (b->found.count >= wanted) {
            return PHX_OK;
        }
        *radius *= growth;
    }
}

static phx_result add_weight(phxi_binding* binding, int particle, double weight) {
    int* item = phxi_array_add(&binding->items, binding->heap, "skin");
    double* value = item ? phxi_array_add(&binding->weights, binding->heap, "skin") : NULL;
    if (!value) {
        return PHX_ERROR_MEMORY;
    }
    *item = particle;
    *value = weight;
    return PHX_OK;
}

static phx_result bind_smooth(phxi_binding* binding, const binder* b, double radius) {
    double total = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < b->found.count; ++i) {
            double rest = 1 - b->found.items[i].distance2 / (radius * radius), weight = rest * rest * rest;
            if (pass == 0) {
                total += weight;
            } else {
                PHXI_TRY(add_weight(binding, b->found.items[i].particle, weight / total));
            }
        }
    }
    return PHX_OK;
}

// The nearest to the front, ties by number.
static int sort_nearest(binder* b) {
    int count = b->found.count < NEAREST ? b->found.count : NEAREST;
    for (int i = 0; i < count; ++i) {
        int best = i;
        for (int j = i + 1; j < b->found.count; ++j) {
            const near *a = &b->found.items[j], *c = &b->found.items[best];
            if (a->distance2 < c->distance2 || (a->distance2 == c->distance2 && a->particle < c->particle)) {
                best = j;
            }
        }
        near swap = b->found.items[i];
        b->found.items[i] = b->found.items[best];
        b->found.items[best] = swap;
    }
    return count;
}

static phx_vec3 place_of(const double* positions, int particle) {
    const double* x = positions + 3 * (size_t)particle;
    return (phx_vec3){x[0], x[1], x[2]};
}

// Edges of a tetrahedron from its first corner, as columns.
static phxi_mat3 edges_of(const double* positions, const int corners[4]) {
    phxi_mat3 m;
    phx_vec3 first = place_of(positions, corners[0]);
    for (int k = 0; k < 3; ++k) {
        phx_vec3 e = phxi_sub(place_of(positions, corners[k + 1]), first);
        m.m[0][k] = e.x, m.m[1][k] = e.y, m.m[2][k] = e.z;
    }
    return m;
}

// Barycentric weights of p; returns det / longest edge^3, or 0 where a weight is too low.
static double judge(const double* rest, const int corners[4], phx_vec3 p, double weights[4]) {
    phxi_mat3 edges = edges_of(rest, corners), inverse;
    double longest = 0;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < i; ++j) {
            longest = fmax(longest, phxi_distance(place_of(rest, corners[i]), place_of(rest, corners[j])));
        }
    }
    double quality = fabs(phxi_mat3_det(&edges)) / (longest * longest * longest);
    if (!(quality > least_quality) || !phxi_mat3_inverse(&edges, &inverse)) {
        return 0;
    }
    phx_vec3 b = phxi_mat3_apply(&inverse, phxi_sub(p, place_of(rest, corners[0])));
    weights[0] = 1 - b.x - b.y - b.z, weights[1] = b.x, weights[2] = b.y, weights[3] = b.z;
    for (int k = 0; k < 4; ++k) {
        if (!(weights[k] >= least_weight)) {
            return 0;
        }
    }
    return quality;
}

static phx_result bind_tetrahedron(phxi_binding* binding, binder* b, int point) {
    int count = sort_nearest(b), best[4] = {0};
    double best_quality = 0, best_weights[4] = {0};
    for (int mask = 0; mask < 1 << count; ++mask) {
        if (__builtin_popcount((unsigned)mask) != 4) {
            continue;
        }
        int corners[4], n = 0;
        double weights[4];
        for (int i = 0; i < count; ++i) {
            if (mask >> i & 1) {
                corners[n++] = b->found.items[i].particle;
            }
        }
        PHXI_ASSERT(n == 4); // as many as the mask has bits
        double quality = judge(b->rest, corners, binding->points[point], weights);
        if (quality > best_quality) {
            best_quality = quality;
            memcpy(best, corners, sizeof best);
            memcpy(best_weights, weights, sizeof best_weights);
        }
    }
    binding->tetrahedron[point] = best_quality > 0;
    for (int k = 0; k < 4 && best_quality > 0; ++k) {
        PHXI_TRY(add_weight(binding, best[k], best_weights[k]));
    }
    return PHX_OK;
}

static phx_result bind_point(phxi_binding* binding, binder* b, int point, phx_skin_kind kind) {
    double radius;
    binding->start[point] = binding->items.count;
    binding->tetrahedron[point] = false;
    if (kind == PHX_SKIN_BARYCENTRIC) {
        PHXI_TRY(find_enough(binding->heap, b, binding->points[point], NEAREST, &radius));
        PHXI_TRY(bind_tetrahedron(binding, b, point));
    }
    if (!binding->tetrahedron[point]) {
        PHXI_TRY(find_enough(binding->heap, b, binding->points[point], FEWEST, &radius));
        PHXI_TRY(bind_smooth(binding, b, radius));
    }
    return PHX_OK;
}

phx_result phxi_skin_bind(phxi_heap* heap, phxi_binding* binding, int particles, double radius, phx_skin_kind kind) {
    binding->heap = heap;
    binding->start = NULL;
    binding->tetrahedron = NULL;
    if (particles < 1) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "skin: no particles to carry %d points", binding->count);
    }
    binder b = {.rest = binding->rest, .particles = particles, .radius = radius};
    PHXI_TRY(phxi_cloud_create(heap, NULL, binding->rest, particles, radius / CELLS, CELLS, &b.cloud));
    binding->start = phxi_alloc(heap, (size_t)binding->count + 1, sizeof *binding->start, "skin");
    binding->tetrahedron = phxi_alloc(heap, (size_t)binding->count, sizeof *binding->tetrahedron, "skin");
    phx_result result = binding->start && binding->tetrahedron ? PHX_OK : PHX_ERROR_MEMORY;
    for (int i = 0; i < binding->count && result == PHX_OK; ++i) {
        result = bind_point(binding, &b, i, kind);
    }
    if (result == PHX_OK) {
        binding->start[binding->count] = binding->items.count;
    }
    phxi_array_destroy(&b.found, heap);
    phxi_cloud_destroy(&b.cloud);
    if (result != PHX_OK) {
        phxi_skin_unbind(binding);
    }
    return result;
}

void phxi_skin_unbind(phxi_binding* binding) {
    if (binding->heap) {
        phxi_free(binding->heap, binding->start);
        phxi_free(binding->heap, binding->tetrahedron);
        phxi_array_destroy(&binding->items, binding->heap);
        phxi_array_destroy(&binding->weights, binding->heap);
        *binding = (phxi_binding){.heap = binding->heap};
    }
}

// ----------------------------------------------------------------------------------------------------------- carrying

static phx_vec3 turn_normal(const phxi_mat3* deformation, phx_vec3 normal) {
    phxi_mat3 cofactor = phxi_mat3_cofactor(deformation);
    return phxi_mat3_apply(&cofactor, normal);
}

static void move_smooth(const phxi_binding* binding, int point, const double* positions, const double* deformations,
                        phx_vec3* to, phx_vec3* normal) {
    for (int i = binding->start[point]; i < binding->start[point + 1]; ++i) {
        int particle = binding->items.items[i];
        phxi_mat3 f;
        memcpy(&f, deformations + 9 * (size_t)particle, sizeof f);
        phx_vec3 offset = phxi_mat3_apply(&f, phxi_sub(binding->points[point], place_of(binding->rest, particle)));
        double weight = binding->weights.items[i];
        *to = phxi_add_scaled(*to, weight, phxi_add(place_of(positions, particle), offset));
        *normal = phxi_add_scaled(*normal, weight, turn_normal(&f, binding->normals[point]));
    }
}

static void move_tetrahedron(const phxi_binding* binding, int point, const double* positions, phx_vec3* to,
                             phx_vec3* normal) {
    const int* corners = binding->items.items + binding->start[point];
    for (int k = 0; k < 4; ++k) {
        *to = phxi_add_scaled(*to, binding->weights.items[binding->start[point] + k], place_of(positions, corners[k]));
    }
    phxi_mat3 before = edges_of(binding->rest, corners), now = edges_of(positions, corners), inverse;
    if (phxi_mat3_inverse(&before, &inverse)) {
        phxi_mat3 f = phxi_mat3_mul(&now, &inverse);
        *normal = turn_normal(&f, binding->normals[point]);
    }
}

void phxi_skin_move(const phxi_binding* binding, const double* positions, const double* deformations, double* points,
                    double* normals) {
    for (int i = 0; i < binding->count; ++i) {
        phx_vec3 to = {0, 0, 0}, normal = {0, 0, 0};
        if (binding->tetrahedron[i]) {
            move_tetrahedron(binding, i, positions, &to, &normal);
        } else {
            move_smooth(binding, i, positions, deformations, &to, &normal);
        }
        normal = phxi_normalize(normal, binding->normals[i]);
        double *p = points + 3 * (size_t)i, *n = normals + 3 * (size_t)i;
        p[0] = to.x, p[1] = to.y, p[2] = to.z;
        n[0] = normal.x, n[1] = normal.y, n[2] = normal.z;
    }
}
