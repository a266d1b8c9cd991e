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

#include <string.h>

enum { FEW = 6, BINS_AT_ONCE = 64 };
static const double centering = 0.9, flattest = 0.25, wide = 2; // the last: radius of the covariance over h

typedef struct stretching {
    const phxi_cloud* cloud;
    const double* positions;
    double* shifts; // by point, 3 each, m
    double* centers;
    float (*shapes)[6];
    phx_result* results;
} stretching;

static double weight_of(const phxi_stage* stage, int j, const double at[3], double reach) {
    double x = (double)stage->x[j] - at[0], y = (double)stage->y[j] - at[1], z = (double)stage->z[j] - at[2];
    double r2 = x * x + y * y + z * z;
    if (r2 >= reach * reach) {
        return 0;
    }
    double q = sqrt(r2) / reach;
    return 1 - q * q * q;
}

int phxi_neighbour_moments(const phxi_stage* stage, double reach, const double at[3], double mean[3],
                           phxi_sym3* covariance) {
    double total = 0, second[6] = {0};
    int count = 0;
    memset(mean, 0, 3 * sizeof *mean);
    for (int j = 0; j < stage->count; ++j) {
        double weight = weight_of(stage, j, at, reach);
        if (weight == 0) {
            continue;
        }
        double d[3] = {(double)stage->x[j] - at[0], (double)stage->y[j] - at[1], (double)stage->z[j] - at[2]};
        total += weight;
        ++count;
        for (int k = 0; k < 3; ++k) {
            mean[k] += weight * d[k];
            second[k] += weight * d[k] * d[k];
        }
        second[3] += weight * d[0] * d[1];
        second[4] += weight * d[0] * d[2];
        second[5] += weight * d[1] * d[2];
    }
    for (int k = 0; k < 3; ++k) {
        mean[k] /= total;
    }
    *covariance = (phxi_sym3){second[0] / total - mean[0] * mean[0], second[1] / total - mean[1] * mean[1],
                              second[2] / total - mean[2] * mean[2], second[3] / total - mean[0] * mean[1],
                              second[4] / total - mean[0] * mean[2], second[5] / total - mean[1] * mean[2]};
    return count;
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

static void place_in_bin(const phxi_cloud* cloud, int bin, const phxi_grain* g, double at[3]) {
    phxi_place place = cloud->bins[bin];
    at[0] = g->x - cloud->bin * place.x + (double)g->u;
    at[1] = g->y - cloud->bin * place.y + (double)g->v;
    at[2] = g->z - cloud->bin * place.z + (double)g->w;
}

// Shapes and shifts.
static void stretch_bins(void* context, int begin, int end, int piece) {
    const stretching* s = context;
    const phxi_cloud* cloud = s->cloud;
    const double reach = (double)cloud->reach;
    phxi_stage stage = {0};
    phx_result result = PHX_OK;
    for (int bin = begin; bin < end && result == PHX_OK; ++bin) {
        result = phxi_stage_bin(cloud, &stage, bin, (int)wide);
        for (int i = cloud->bin_start[bin]; i < cloud->bin_start[bin + 1] && result == PHX_OK; ++i) {
            const phxi_grain* g = &cloud->grains[i];
            double at[3], mean[3];
            phxi_sym3 covariance;
            place_in_bin(cloud, bin, g, at);
            if (phxi_neighbour_moments(&stage, wide * reach, at, mean, &covariance) < FEW) {
                covariance = (phxi_sym3){1, 1, 1, 0, 0, 0};
            }
            find_shape(&covariance, reach, s->shapes[g->index]);
            phxi_neighbour_moments(&stage, reach, at, mean, &covariance);
            for (size_t k = 0; k < 3; ++k) {
                s->shifts[3 * (size_t)g->index + k] = centering * cloud->cell * mean[k];
            }
        }
    }
    phxi_stage_destroy(cloud, &stage);
    s->results[piece] = result;
}

static void move_center(const stretching* s, const phxi_stage* stage, int point, const double at[3]) {
    double reach = (double)s->cloud->reach, total = 0, sum[3] = {0};
    for (int j = 0; j < stage->count; ++j) {
        double weight = weight_of(stage, j, at, reach);
        const double* shift = s->shifts + 3 * (size_t)s->cloud->grains[stage->grain[j]].index;
        total += weight;
        for (int k = 0; k < 3 && weight > 0; ++k) {
            sum[k] += weight * shift[k];
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
            double at[3];
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
