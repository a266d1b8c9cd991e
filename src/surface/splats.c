// SPDX-License-Identifier: MIT
// Oriented discs for the points near the surface: a picture of a surface without triangles.
//
// A point is near the surface where chi falls (|grad chi| h > 0.2: a flat surface has 0.95 for the first layer of
// points and 0.05 for the second, at a radius of two spacings), or where its volume is far above that of a full
// neighbourhood (sheets, threads and single points, where the gradient vanishes by symmetry). The normal is -grad chi,
// or else the direction in which the neighbours are spread least. All points have the volume of a full neighbourhood
// here: their own ones grow towards the surface, and the second layer would see chi rise towards it.
#include "surface/reconstruct.h"

#include "math/decompose3.h"

#include <string.h>

enum { BINS_AT_ONCE = 64 };
static const double steep = 0.2, hollow = 1.25, flat = 0.05, overlap = 0.75; // radius of a disc, in spacings
static const double pi = 3.14159265358979323846;

typedef struct splatting {
    const phxi_cloud* cloud;
    double full; // volume of a point among others, in cells
    float (*normals)[3];
    bool* shown;
    phx_result* results;
} splatting;

static phx_vec3 direction_of_sheet(const phxi_stage* stage, float reach, const float at[3]) {
    double mean[3], values[3];
    phxi_sym3 covariance;
    phxi_mat3 vectors;
    phxi_neighbour_moments(stage, reach, at, mean, &covariance);
    phxi_eigen_sym3(&covariance, values, &vectors);
    double sign = vectors.m[2][2] < 0 ? -1 : 1; // up rather than down
    return (phx_vec3){sign * vectors.m[0][2], sign * vectors.m[1][2], sign * vectors.m[2][2]};
}

static void judge_point(const splatting* s, const phxi_stage* stage, const phxi_grain* g, const float at[3]) {
    double reach = (double)s->cloud->reach, h2 = reach * reach, sum[3] = {0};
    for (int j = 0; j < stage->count; ++j) {
        double d[3] = {(double)(at[0] - stage->x[j]), (double)(at[1] - stage->y[j]), (double)(at[2] - stage->z[j])};
        double rest = h2 - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        for (int k = 0; k < 3 && rest > 0; ++k) {
            sum[k] += rest * rest * d[k];
        }
    }
    double unit = 315 / (64 * pi * pow(reach, 9)); // W = unit (h^2 - r^2)^3
    double slope = reach * 6 * unit * s->full * sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    double volume = (double)g->volume / unit;
    s->shown[g->index] = slope > steep || volume > hollow * s->full;
    phx_vec3 normal = phxi_normalize((phx_vec3){sum[0], sum[1], sum[2]}, (phx_vec3){0, 0, 1});
    if (s->shown[g->index] && !(slope > flat)) {
        normal = direction_of_sheet(stage, s->cloud->reach, at);
    }
    float* out = s->normals[g->index];
    out[0] = (float)normal.x, out[1] = (float)normal.y, out[2] = (float)normal.z;
}

static void judge_bins(void* context, int begin, int end, int piece) {
    const splatting* s = context;
    const phxi_cloud* cloud = s->cloud;
    phxi_stage stage = {0};
    phx_result result = PHX_OK;
    for (int bin = begin; bin < end && result == PHX_OK; ++bin) {
        result = phxi_stage_bin(cloud, &stage, bin, 1);
        phxi_place place = cloud->bins[bin];
        for (int i = cloud->bin_start[bin]; i < cloud->bin_start[bin + 1] && result == PHX_OK; ++i) {
            const phxi_grain* g = &cloud->grains[i];
            float at[3] = {(float)(g->x - cloud->bin * place.x) + g->u, (float)(g->y - cloud->bin * place.y) + g->v,
                           (float)(g->z - cloud->bin * place.z) + g->w};
            judge_point(s, &stage, g, at);
        }
    }
    phxi_stage_destroy(cloud, &stage);
    s->results[piece] = result;
}

static phx_result judge_points(phxi_heap* heap, phxi_pool* pool, splatting* s) {
    int pieces = phxi_block_count(s->cloud->bin_count, BINS_AT_ONCE);
    PHXI_NEW(s->normals, heap, s->cloud->count, "splats");
    PHXI_NEW(s->shown, heap, s->cloud->count, "splats");
    PHXI_NEW(s->results, heap, pieces, "splats");
    phxi_parallel_for(pool, s->cloud->bin_count, BINS_AT_ONCE, judge_bins, s);
    for (int i = 0; i < pieces; ++i) {
        if (s->results[i] != PHX_OK) {
            return phxi_fail_memory("surface neighbours");
        }
    }
    return PHX_OK;
}

// One field of the points that are shown.
static phx_result copy_field(const splatting* s, const phx_frame_field* field, phx_frame* splats) {
    float* to;
    size_t size = (size_t)field->components;
    PHXI_TRY(phx_frame_add_field(splats, field->name, field->components, &to));
    for (int i = 0; i < s->cloud->count; ++i) {
        if (s->shown[i]) {
            memcpy(to, field->values + size * (size_t)i, size * sizeof *to);
            to += size;
        }
    }
    return PHX_OK;
}

static phx_result fill_splats(const splatting* s, const phx_frame* points, double spacing, phx_frame* splats) {
    for (int i = 0; i < points->fields.count; ++i) {
        const phx_frame_field* field = &points->fields.items[i];
        if (strcmp(field->name, "normal") != 0 && strcmp(field->name, "radius") != 0) {
            PHXI_TRY(copy_field(s, field, splats));
        }
    }
    const phx_frame_field* own = phx_frame_find(points, "spacing");
    float *normal, *radius;
    PHXI_TRY(phx_frame_add_field(splats, "normal", 3, &normal));
    PHXI_TRY(phx_frame_add_field(splats, "radius", 1, &radius));
    for (int i = 0, k = 0; i < points->points; ++i) {
        if (s->shown[i]) {
            memcpy(splats->positions + 3 * (size_t)k, points->positions + 3 * (size_t)i, 3 * sizeof(double));
            memcpy(normal + 3 * (size_t)k, s->normals[i], sizeof s->normals[i]);
            radius[k++] = (float)(overlap * (own && own->components == 1 ? (double)own->values[i] : spacing));
        }
    }
    return PHX_OK;
}

static phx_result make_splats(phxi_heap* heap, phxi_pool* pool, const phx_frame* points, const phx_surface_def* def,
                              phx_frame** splats) {
    phxi_cloud cloud;
    phx_surface_def round = *def;
    round.anisotropic = false; // points stay where they are
    PHXI_TRY(phxi_surface_cloud(heap, pool, points, &round, &cloud));
    splatting s = {.cloud = &cloud, .full = pow(def->cell, -3)};
    PHXI_TRY(judge_points(heap, pool, &s));
    int count = 0;
    for (int i = 0; i < points->points; ++i) {
        count += s.shown[i];
    }
    PHXI_TRY(phx_frame_create(count, 0, points->time, &def->allocator, splats));
    return fill_splats(&s, points, cloud.cell / def->cell, *splats);
}

phx_result phx_surface_splats(const phx_frame* points, const phx_surface_def* def, phx_frame** splats) {
    PHXI_TRY(phxi_surface_def_check(def));
    if (!points || !splats) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "splats: expected points and a place for the discs");
    }
    *splats = NULL;
    phxi_heap heap; // of all scratch
    phxi_heap_init(&heap, &def->allocator);
    phxi_pool* pool = NULL;
    phx_result result = phxi_pool_create(&heap, def->threads, &pool);
    if (result == PHX_OK) {
        result = make_splats(&heap, pool, points, def, splats);
    }
    if (result != PHX_OK) {
        phx_frame_destroy(*splats);
        *splats = NULL;
    }
    phxi_pool_destroy(pool);
    phxi_heap_destroy(&heap);
    return result;
}
