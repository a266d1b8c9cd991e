// SPDX-License-Identifier: MIT
// Volumes from sums of masses, as published: docs/theory/efg.md (9).
#include "methods/efg/build/build.h"

/// Mean distance r_i to the ten nearest (fewer in small bodies), m, into `mean`.
static phx_result mean_distances(builder* b, double* mean) {
    int* nearest;
    PHXI_NEW(nearest, b->heap, (size_t)b->count * EFG_NEAREST, "efg set-up");
    phx_result result = phxi_search_nearest(b->search, b->pool, phxi_efg_rest_points(b), EFG_NEAREST, nearest);
    for (int i = 0; i < b->count && result == PHX_OK; ++i) {
        double sum = 0;
        int found = 0;
        for (; found < EFG_NEAREST && nearest[i * (int64_t)EFG_NEAREST + found] >= 0; ++found) {
            sum += phxi_distance(phxi_efg_rest(b, i), phxi_efg_rest(b, nearest[i * (int64_t)EFG_NEAREST + found]));
        }
        mean[i] = found ? sum / found : (double)b->particles->spacing[b->begin + i];
    }
    phxi_free(b->heap, nearest);
    return result;
}

/// V_i = m_i / rho_i with rho_i = sum_j m_j w_ij (self included), m_i = s rho r_i^3, s such that the mean density of
/// particles with full neighbourhoods is rho. docs/theory/efg.md (9).
phx_result phxi_efg_density_volumes(builder* b, double density) {
    double *cube, *sum;
    PHXI_NEW(cube, b->heap, (size_t)b->count * 2, "efg set-up");
    sum = cube + b->count;
    phx_result result = mean_distances(b, cube);
    if (result != PHX_OK) {
        phxi_free(b->heap, cube);
        return result;
    }
    int64_t most = 0;
    for (int i = 0; i < b->count; ++i) {
        double r = cube[i] / b->scale;
        cube[i] = r * r * r;
        int64_t neighbors = b->lists.start[i + 1] - b->lists.start[i];
        most = neighbors > most ? neighbors : most;
    }
    double inside = 0;
    int inside_count = 0;
    for (int i = 0; i < b->count; ++i) {
        double weights = phxi_kernel_value(b->kernel, 0, (double)b->radius[i] / b->scale);
        sum[i] = cube[i] * weights;
        for (int64_t k = b->lists.start[i]; k < b->lists.start[i + 1]; ++k) {
            double w = phxi_efg_weight(b, i, k, phxi_sub(phxi_efg_rest(b, b->lists.items[k]), phxi_efg_rest(b, i)));
            sum[i] += cube[b->lists.items[k]] * w;
            weights += w;
        }
        if (10 * (b->lists.start[i + 1] - b->lists.start[i]) >= 9 * most) {
            inside += cube[i] * weights;
            ++inside_count;
        }
    }
    double s = inside_count / inside;
    for (int i = 0; i < b->count; ++i) {
        double mass = s * density * cube[i] * b->scale * b->scale * b->scale;
        b->particles->mass[b->begin + i] = (phx_real)mass;
        b->particles->volume[b->begin + i] = (phx_real)(mass / (s * density * sum[i]));
    }
    phxi_free(b->heap, cube);
    return PHX_OK;
}
