// SPDX-License-Identifier: MIT
// Kernels stretched along the surface, after Yu and Turk (2013): flat where points lie in a sheet, with centres moved
// towards the mean of their neighbours, so that surfaces lose their bumps.
//
//   weights      w_ij = 1 - (r/R)^3 for r < R                                       (their eq. 11)
//   shift        d_i = 0.9 (sum w x_j / sum w - x_i), R = h                         (6)
//   centre       x_i + d_i - sum w d_j / sum w
//   covariance   C_i = sum w (x_j - m)(x_j - m)^T / sum w = Q diag(s) Q^T, R = 2 h  (9, 10)
//   kernel       W = (1 - |Q diag(1/(h t)) Q^T d|^2)^3,  t_k = max(sqrt(s_k/s_1), 1/4)   (15, 16)
//
// Two things differ from the paper. Their centres are x_i + d_i, which draws every surface inwards (a ball of radius
// ten spacings lost 13 % of its volume); without the mean of the shifts around only the bumps are left of them. Their t
// are s_k/s_1: at a kernel radius of two spacings such flat kernels leave holes inside a jittered body. The longest
// axis keeps the radius h, so no kernel reaches farther than a round one. Points with few neighbours keep round ones.
#include "surface/reconstruct.h"

#include "math/decompose3.h"
#include "surface/lanes.h"

#include <string.h>

enum { FEW = 6, WIDE = 2, BINS_AT_ONCE = 64 }; // WIDE: radius of the covariance over h
static const double centering = 0.9, flattest = 0.25;

typedef struct stretching {
    const phxi_cloud* cloud;
    const double* positions;
    double* shifts; // by point, 3 each, m
    double* centers;
    float (*shapes)[6];
    phx_result* results;
} stretching;

// 1 - (r/R)^3 of eight points, 0 from R on.
PHXI_INLINE void weights_of(const phxi_f8 d[3], float reach, phxi_f8* weight) {
    const phxi_f8 q2 = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * (1 / (reach * reach));
    phxi_f8 q = q2;
    for (int lane = 0; lane < PHXI_LANES; ++lane) {
        q[lane] = sqrtf(q2[lane]);
    }
    const phxi_f8 rest = 1 - q2 * q;
    *weight = PHXI_F8_POSITIVE(rest);
}

PHXI_INLINE void offsets_of(const phxi_stage* stage, int j, const float at[3], phxi_f8 d[3]) {
    d[0] = *(const phxi_f8u*)(stage->x + j) - at[0];
    d[1] = *(const phxi_f8u*)(stage->y + j) - at[1];
    d[2] = *(const phxi_f8u*)(stage->z + j) - at[2];
}

// Sums of weights, of how many there are, of w d and of w d d^T (as a shape).
PHXI_CLONES static void phxi_surface_moments(const phxi_stage* stage, float reach, const float at[3], float sums[11]) {
    phxi_f8 total = {0}, count = {0}, first[3] = {{0}, {0}, {0}}, second[6] = {{0}, {0}, {0}, {0}, {0}, {0}};
    for (int j = 0; j < stage->padded; j += PHXI_LANES) {
        phxi_f8 d[3], weight;
        offsets_of(stage, j, at, d);
        weights_of(d, reach, &weight);
        total += weight;
        count -= __builtin_convertvector(weight > 0, phxi_f8); // true is -1
        for (int k = 0; k < 3; ++k) {
            first[k] += weight * d[k];
            second[k] += weight * d[k] * d[k];
        }
        second[3] += weight * d[0] * d[1];
        second[4] += weight * d[0] * d[2];
        second[5] += weight * d[1] * d[2];
    }
    sums[0] = phxi_f8_sum(&total);
    sums[1] = phxi_f8_sum(&count);
    for (int k = 0; k < 9; ++k) {
        sums[2 + k] = phxi_f8_sum(k < 3 ? &first[k] : &second[k - 3]);
    }
}

int phxi_neighbour_moments(const phxi_stage* stage, float reach, const float at[3], double mean[3],
                           phxi_sym3* covariance) {
    float sums[11];
    phxi_surface_moments(stage, reach, at, sums);
    double m[9];
    for (int k = 0; k < 9; ++k) {
        m[k] = (double)sums[2 + k] / (double)sums[0];
    }
    memcpy(mean, m, 3 * sizeof *mean);
    *covariance = (phxi_sym3){m[3] - m[0] * m[0], m[4] - m[1] * m[1], m[5] - m[2] * m[2],
                              m[6] - m[0] * m[1], m[7] - m[0] * m[2], m[8] - m[1] * m[2]};
    return (int)sums[1];
}

// S = Q diag(1/(h t))^2 Q^T
static void find_shape(const phxi_sym3* covariance, double reach, float shape[6]) {
    double values[3], t[3];
    phxi_mat3 q;
    phxi_eigen_sym3(covariance, values, &q);
    for (int k = 0; k < 3; ++k) {
        t[k] = values[0] > 0 ? fmax(sqrt(fmax(values[k], 0) / values[0]), flattest) : 1;
    }
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; ++i) {
        double sum = 0;
        for (int k = 0; k < 3; ++k) {
            sum += q.m[row[i]][k] * q.m[column[i]][k] / (reach * t[k] * reach * t[k]);
        }
        shape[i] = (float)sum;
    }
}

static void place_in_bin(const phxi_cloud* cloud, int bin, const phxi_grain* g, float at[3]) {
    phxi_place place = cloud->bins[bin];
    at[0] = (float)(g->x - cloud->bin * place.x) + g->u;
    at[1] = (float)(g->y - cloud->bin * place.y) + g->v;
    at[2] = (float)(g->z - cloud->bin * place.z) + g->w;
}

// Shapes and shifts.
static void stretch_bins(void* context, int begin, int end, int piece) {
    const stretching* s = context;
    const phxi_cloud* cloud = s->cloud;
    const float reach = cloud->reach;
    phxi_stage stage = {0};
    phx_result result = PHX_OK;
    for (int bin = begin; bin < end && result == PHX_OK; ++bin) {
        result = phxi_stage_bin(cloud, &stage, bin, WIDE);
        for (int i = cloud->bin_start[bin]; i < cloud->bin_start[bin + 1] && result == PHX_OK; ++i) {
            const phxi_grain* g = &cloud->grains[i];
            float at[3];
            double mean[3];
            phxi_sym3 covariance;
            place_in_bin(cloud, bin, g, at);
            if (phxi_neighbour_moments(&stage, WIDE * reach, at, mean, &covariance) < FEW) {
                covariance = (phxi_sym3){1, 1, 1, 0, 0, 0};
            }
            find_shape(&covariance, (double)reach, s->shapes[g->index]);
            phxi_neighbour_moments(&stage, reach, at, mean, &covariance);
            for (size_t k = 0; k < 3; ++k) {
                s->shifts[3 * (size_t)g->index + k] = centering * cloud->cell * mean[k];
            }
        }
    }
    phxi_stage_destroy(cloud, &stage);
    s->results[piece] = result;
}

static void move_center(const stretching* s, const phxi_stage* stage, int point, const float at[3]) {
    double total = 0, sum[3] = {0};
    for (int j = 0; j < stage->count; j += PHXI_LANES) {
        phxi_f8 d[3], weights;
        offsets_of(stage, j, at, d);
        weights_of(d, s->cloud->reach, &weights);
        for (int lane = 0; lane < PHXI_LANES; ++lane) {
            if (weights[lane] > 0) {
                const double* shift = s->shifts + 3 * (size_t)s->cloud->grains[stage->grain[j + lane]].index;
                total += (double)weights[lane];
                for (int k = 0; k < 3; ++k) {
                    sum[k] += (double)weights[lane] * shift[k];
                }
            }
        }
    }
    for (size_t k = 0, first = 3 * (size_t)point; k < 3; ++k) {
        s->centers[first + k] = s->positions[first + k] + s->shifts[first + k] - sum[k] / total;
    }
}

static void move_bins(void* context, int begin, int end, int piece) {
    const stretching* s = context;
    const phxi_cloud* cloud = s->cloud;
    phxi_stage stage = {0};
    phx_result result = PHX_OK;
    for (int bin = begin; bin < end && result == PHX_OK; ++bin) {
        result = phxi_stage_bin(cloud, &stage, bin, 1);
        for (int i = cloud->bin_start[bin]; i < cloud->bin_start[bin + 1] && result == PHX_OK; ++i) {
            float at[3];
            place_in_bin(cloud, bin, &cloud->grains[i], at);
            move_center(s, &stage, cloud->grains[i].index, at);
        }
    }
    phxi_stage_destroy(cloud, &stage);
    s->results[piece] = result;
}

// Runs a loop over all bins.
static phx_result over_bins(const stretching* s, phxi_pool* pool, phxi_loop_body* body) {
    phxi_parallel_for(pool, s->cloud->bin_count, BINS_AT_ONCE, body, (void*)(uintptr_t)s);
    for (int i = 0; i < phxi_block_count(s->cloud->bin_count, BINS_AT_ONCE); ++i) {
        if (s->results[i] != PHX_OK) {
            return phxi_fail_memory("surface neighbours");
        }
    }
    return PHX_OK;
}

// The cloud of the moved centres, with shapes in its order.
static phx_result rebuild(phxi_cloud* cloud, phxi_pool* pool, const stretching* s) {
    phxi_cloud moved;
    PHXI_TRY(phxi_cloud_create(cloud->heap, pool, s->centers, cloud->count, cloud->cell, (double)cloud->reach, &moved));
    moved.shapes = phxi_alloc(cloud->heap, (size_t)cloud->count, sizeof *moved.shapes, "surface kernels");
    if (!moved.shapes) {
        phxi_cloud_destroy(&moved);
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < moved.count; ++i) {
        memcpy(moved.shapes[i], s->shapes[moved.grains[i].index], sizeof moved.shapes[i]);
    }
    phxi_cloud_destroy(cloud);
    *cloud = moved;
    return PHX_OK;
}

phx_result phxi_cloud_stretch(phxi_cloud* cloud, phxi_pool* pool, const double* positions) {
    phxi_heap* heap = cloud->heap;
    size_t count = (size_t)cloud->count, pieces = (size_t)phxi_block_count(cloud->bin_count, BINS_AT_ONCE);
    stretching s = {.cloud = cloud, .positions = positions};
    s.shifts = phxi_alloc(heap, count, 3 * sizeof *s.shifts, "surface kernels");
    s.centers = phxi_alloc(heap, count, 3 * sizeof *s.centers, "surface kernels");
    s.shapes = phxi_alloc(heap, count, sizeof *s.shapes, "surface kernels");
    s.results = phxi_alloc(heap, pieces, sizeof *s.results, "surface kernels");
    phx_result result = s.shifts && s.centers && s.shapes && s.results ? PHX_OK : PHX_ERROR_MEMORY;
    if (result == PHX_OK) {
        result = over_bins(&s, pool, stretch_bins);
    }
    if (result == PHX_OK) {
        result = over_bins(&s, pool, move_bins);
    }
    if (result == PHX_OK && count > 0) {
        result = rebuild(cloud, pool, &s);
    }
    phxi_free(heap, s.shifts);
    phxi_free(heap, s.centers);
    phxi_free(heap, s.shapes);
    phxi_free(heap, s.results);
    return result;
}
