// SPDX-License-Identifier: MIT
#include "surface/rest_shape.h"

#include "math/decompose3.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

static const double reach = 1.8; // of neighbours, in spacings

static phx_vec3 at(const double* positions, int i) {
    return (phx_vec3){positions[3 * (size_t)i], positions[3 * (size_t)i + 1], positions[3 * (size_t)i + 2]};
}

static phx_result find_neighbors(phxi_rest_shape* s) {
    phxi_points points;
    phxi_search* search = NULL;
    PHXI_TRY(phxi_frame_points_of(s->heap, s->positions, s->count, &points));
    phx_result result = phxi_search_create(s->heap, PHXI_SEARCH_GRID, &search);
    if (result == PHX_OK) {
        result = phxi_search_pairs(search, NULL, points, NULL, reach * s->spacing, &s->near);
    }
    phxi_search_destroy(search);
    phxi_free(s->heap, (void*)(uintptr_t)points.x);
    return result;
}

phx_result phxi_rest_shape_create(phxi_heap* heap, const phx_frame* first, double spacing, phxi_rest_shape* shape) {
    *shape = (phxi_rest_shape){.heap = heap, .count = first->points, .spacing = spacing};
    PHXI_TRY(phx_frame_check(first));
    shape->spacing = spacing > 0 ? spacing : phxi_frame_spacing(first);
    PHXI_NEW(shape->positions, heap, 3 * (size_t)first->points, "rest shape");
    memcpy(shape->positions, first->positions, 3 * (size_t)first->points * sizeof(double));
    return find_neighbors(shape);
}

void phxi_rest_shape_destroy(phxi_rest_shape* shape) {
    if (shape->heap) {
        phxi_free(shape->heap, shape->positions);
        phxi_lists_destroy(shape->heap, &shape->near);
    }
    *shape = (phxi_rest_shape){0};
}

static double stretch(const phxi_rest_shape* s, const phx_frame* now, int i, int j) {
    return phxi_distance(at(now->positions, i), at(now->positions, j)) /
           phxi_distance(at(s->positions, i), at(s->positions, j));
}

static int number_order(const void* x, const void* y) {
    double a = *(const double*)x, b = *(const double*)y;
    return (a > b) - (a < b);
}

phx_result phxi_rest_shape_tear(const phxi_rest_shape* s, const phx_frame* now, double* tear) {
    size_t count = 0;
    double* stretches = phxi_alloc(s->heap, (size_t)s->near.start[s->count] + 1, sizeof *stretches, "rest shape");
    if (!stretches) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; now->points == s->count && i < s->count; ++i) {
        for (int64_t k = s->near.start[i]; k < s->near.start[i + 1]; ++k) {
            stretches[count++] = stretch(s, now, i, s->near.items[k]);
        }
    }
    qsort(stretches, count, sizeof *stretches, number_order);
    double usual = count > 0 ? stretches[count / 2] : 1;
    *tear = 2 * (usual > 1 ? usual : 1);
    phxi_free(s->heap, stretches);
    return PHX_OK;
}

bool phxi_rest_shape_apart(const phxi_rest_shape* s, const phx_frame* now, int i, int j, double tear) {
    return !(stretch(s, now, i, j) <= tear);
}

bool phxi_rest_shape_torn(const phxi_rest_shape* s, const phx_frame* now) {
    int64_t far = 0;
    if (now->points != s->count) {
        return true;
    }
    for (int i = 0; i < s->count; ++i) {
        for (int64_t k = s->near.start[i]; k < s->near.start[i + 1]; ++k) {
            far += phxi_rest_shape_apart(s, now, i, s->near.items[k], 3);
        }
    }
    return far > s->near.start[s->count] / 100;
}

/// Adds `weight` a b^T.
static void add_outer(phxi_mat3* m, double weight, phx_vec3 a, phx_vec3 b) {
    const double u[3] = {a.x, a.y, a.z}, v[3] = {b.x, b.y, b.z};
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            m->m[r][c] += weight * u[r] * v[c];
        }
    }
}

/// Directions in which a sheet or a rod has no neighbours stay at right angles to the others: the unit vectors there
/// are added to both moments, turned with what is known.
static void complete(phxi_mat3* moment, phxi_mat3* rest, double scale) {
    phxi_sym3 sym = {rest->m[0][0], rest->m[1][1], rest->m[2][2], rest->m[0][1], rest->m[0][2], rest->m[1][2]};
    phxi_mat3 vectors;
    double values[3], largest = 0;
    phxi_eigen_sym3(&sym, values, &vectors);
    for (int k = 0; k < 3; ++k) {
        largest = fmax(largest, values[k]);
    }
    bool missing[3];
    int count = 0;
    for (int k = 0; k < 3; ++k) {
        missing[k] = !(values[k] > 1e-3 * largest);
        count += missing[k];
    }
    if (count == 0 || count == 3) {
        return;
    }
    phxi_mat3 turn = phxi_polar_rotation(moment);
    for (int k = 0; k < 3; ++k) {
        phx_vec3 v = {vectors.m[0][k], vectors.m[1][k], vectors.m[2][k]};
        if (missing[k]) {
            add_outer(rest, scale, v, v);
            add_outer(moment, scale, phxi_mat3_apply(&turn, v), v);
        }
    }
}

static void find_deformation(const phxi_rest_shape* s, const phx_frame* now, int i, float f[9]) {
    phxi_mat3 moment = {{{0}}}, rest = {{{0}}}, inverse;
    phx_vec3 x0 = at(s->positions, i), x1 = at(now->positions, i);
    for (int64_t k = s->near.start[i]; k < s->near.start[i + 1]; ++k) {
        int j = s->near.items[k];
        phx_vec3 before = phxi_sub(at(s->positions, j), x0), after = phxi_sub(at(now->positions, j), x1);
        double q = phxi_length(before) / (reach * s->spacing), weight = (1 - q * q) * (1 - q * q);
        add_outer(&moment, weight, after, before);
        add_outer(&rest, weight, before, before);
    }
    complete(&moment, &rest, s->spacing * s->spacing);
    bool good = phxi_mat3_inverse(&rest, &inverse);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            double sum = 0;
            for (int k = 0; k < 3 && good; ++k) {
                sum += moment.m[r][k] * inverse.m[k][c];
            }
            f[3 * r + c] = good ? (float)sum : (float)(r == c);
        }
    }
}

phx_result phxi_rest_shape_carry(const phxi_rest_shape* s, const phx_frame* now, phx_frame** carried) {
    float *rest, *deformation, *spacing;
    PHXI_TRY(phxi_frame_copy(now, carried));
    PHXI_TRY(phx_frame_add_field(*carried, "rest", 3, &rest));
    PHXI_TRY(phx_frame_add_field(*carried, "deformation", 9, &deformation));
    PHXI_TRY(phx_frame_add_field(*carried, "spacing", 1, &spacing));
    for (int i = 0; i < s->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            rest[3 * i + k] = (float)s->positions[3 * (size_t)i + (size_t)k];
        }
        find_deformation(s, now, i, deformation + 9 * (size_t)i);
        spacing[i] = (float)s->spacing;
    }
    return PHX_OK;
}
