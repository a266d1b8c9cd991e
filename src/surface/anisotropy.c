// SPDX-License-Identifier: MIT
// Kernels stretched along the surface (Yu and Turk 2013): flat where points lie in a sheet, so that surfaces lose their
// bumps, and centres moved towards the mean of their neighbours.
//
//   weights      w_ij = 1 - (r/h)^3                                            (their eq. 11)
//   mean         m_i = sum w x_j / sum w,  centre (1 - 0.9) x_i + 0.9 m_i      (6)
//   covariance   C_i = sum w (x_j - m)(x_j - m)^T / sum w = R diag(s) R^T      (9, 10)
//   kernel       W = V_i/(t1 t2 t3) (1 - |R diag(1/(h t)) R^T d|^2)^3,  t_k = max(s_k / s_1, 1/4)   (15, 16)
//
// The longest axis keeps the radius h (they scale by a constant instead), so no kernel reaches farther than a round
// one. Points with few neighbours keep round kernels.
#include "surface/reconstruct.h"

#include "math/decompose3.h"

#include <string.h>

enum { FEW = 6, BINS_AT_ONCE = 64 };
static const double centering = 0.9, flattest = 0.25;

typedef struct stretching {
    const phxi_cloud* cloud;
    const double* positions;
    double* centers; // by point, like the rest
    float (*shapes)[6];
    float* volumes;
    phx_result* results;
} stretching;

int phxi_neighbour_moments(const phxi_stage* stage, double reach, const double at[3], double mean[3],
                           phxi_sym3* covariance) {
    double total = 0, second[6] = {0};
    int count = 0;
    memset(mean, 0, 3 * sizeof *mean);
    for (int j = 0; j < stage->count; ++j) {
        double d[3] = {(double)stage->x[j] - at[0], (double)stage->y[j] - at[1], (double)stage->z[j] - at[2]};
        double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (r2 >= reach * reach) {
            continue;
        }
        double q = sqrt(r2) / reach, weight = 1 - q * q * q;
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

// S = R diag(1/(h t))^2 R^T; returns t1 t2 t3.
static double find_shape(const phxi_sym3* covariance, double reach, float shape[6]) {
    double values[3], t[3], product = 1;
    phxi_mat3 r;
    phxi_eigen_sym3(covariance, values, &r);
    for (int k = 0; k < 3; ++k) {
        t[k] = values[0] > 0 ? fmax(values[k] / values[0], flattest) : 1;
        product *= t[k];
    }
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; ++i) {
        double sum = 0;
        for (int k = 0; k < 3; ++k) {
            sum += r.m[row[i]][k] * r.m[column[i]][k] / (reach * t[k] * reach * t[k]);
        }
        shape[i] = (float)sum;
    }
    return product;
}

static void stretch_bin(const stretching* s, const phxi_stage* stage, int bin) {
    const phxi_cloud* cloud = s->cloud;
    phxi_place place = cloud->bins[bin];
    double reach = (double)cloud->reach, scale = pow(reach, 6); // of (h^2 - r^2)^3 over (1 - q^2)^3
    for (int i = cloud->bin_start[bin]; i < cloud->bin_start[bin + 1]; ++i) {
        const phxi_grain* g = &cloud->grains[i];
        double at[3] = {g->x - cloud->bin * place.x + (double)g->u, g->y - cloud->bin * place.y + (double)g->v,
                        g->z - cloud->bin * place.z + (double)g->w};
        double mean[3];
        phxi_sym3 covariance;
        if (phxi_neighbour_moments(stage, reach, at, mean, &covariance) < FEW) {
            covariance = (phxi_sym3){1, 1, 1, 0, 0, 0};
        }
        double product = find_shape(&covariance, reach, s->shapes[g->index]);
        s->volumes[g->index] = (float)((double)g->volume * scale / product);
        for (int k = 0; k < 3; ++k) {
            s->centers[3 * (size_t)g->index + (size_t)k] =
                s->positions[3 * (size_t)g->index + (size_t)k] + centering * cloud->cell * mean[k];
        }
    }
}

static void stretch_bins(void* context, int begin, int end, int piece) {
    const stretching* s = context;
    phxi_stage stage = {0};
    phx_result result = PHX_OK;
    for (int bin = begin; bin < end && result == PHX_OK; ++bin) {
        result = phxi_stage_bin(s->cloud, &stage, bin);
        if (result == PHX_OK) {
            stretch_bin(s, &stage, bin);
        }
    }
    phxi_stage_destroy(s->cloud, &stage);
    s->results[piece] = result;
}

// The cloud of the moved centres, with shapes and volumes in its order.
static phx_result rebuild(phxi_cloud* cloud, phxi_pool* pool, const stretching* s) {
    phxi_cloud moved;
    PHXI_TRY(phxi_cloud_create(cloud->heap, pool, s->centers, cloud->count, cloud->cell, (double)cloud->reach, &moved));
    moved.shapes = phxi_alloc(cloud->heap, (size_t)cloud->count, sizeof *moved.shapes, "surface kernels");
    if (!moved.shapes) {
        phxi_cloud_destroy(&moved);
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < moved.count; ++i) {
        phxi_grain* g = &moved.grains[i];
        g->volume = s->volumes[g->index];
        memcpy(moved.shapes[i], s->shapes[g->index], sizeof moved.shapes[i]);
    }
    phxi_cloud_destroy(cloud);
    *cloud = moved;
    return PHX_OK;
}

phx_result phxi_cloud_stretch(phxi_cloud* cloud, phxi_pool* pool, const double* positions) {
    phxi_heap* heap = cloud->heap;
    size_t count = (size_t)cloud->count;
    int pieces = phxi_block_count(cloud->bin_count, BINS_AT_ONCE);
    stretching s = {.cloud = cloud, .positions = positions};
    s.centers = phxi_alloc(heap, count, 3 * sizeof *s.centers, "surface kernels");
    s.shapes = phxi_alloc(heap, count, sizeof *s.shapes, "surface kernels");
    s.volumes = phxi_alloc(heap, count, sizeof *s.volumes, "surface kernels");
    s.results = phxi_alloc(heap, (size_t)pieces, sizeof *s.results, "surface kernels");
    phx_result result = s.centers && s.shapes && s.volumes && s.results ? PHX_OK : PHX_ERROR_MEMORY;
    if (result == PHX_OK) {
        phxi_parallel_for(pool, cloud->bin_count, BINS_AT_ONCE, stretch_bins, &s);
        for (int i = 0; i < pieces && result == PHX_OK; ++i) {
            result = s.results[i] == PHX_OK ? PHX_OK : phxi_fail_memory("surface neighbours");
        }
    }
    if (result == PHX_OK && cloud->count > 0) {
        result = rebuild(cloud, pool, &s);
    }
    phxi_free(heap, s.centers);
    phxi_free(heap, s.shapes);
    phxi_free(heap, s.volumes);
    phxi_free(heap, s.results);
    return result;
}
