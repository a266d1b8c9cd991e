// SPDX-License-Identifier: MIT
// A surface around points, as a list of stages: bins and volumes, sampling and triangulation of blocks, vertices,
// attributes, smoothing.
#include "surface/reconstruct.h"

#include "surface/attributes.h"
#include "surface/clock.h"

enum { SURFACE_STAMP = 0x53555231 };

phx_surface_def phx_surface_def_default(void) {
    return (phx_surface_def){.radius = 2, .cell = 0.5, .iso = 0.5, .stamp = SURFACE_STAMP};
}

phx_result phxi_surface_def_check(const phx_surface_def* def) {
    if (!def || def->stamp != SURFACE_STAMP) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "surface: expected a definition from phx_surface_def_default()");
    }
    if (!(def->spacing >= 0) || !isfinite(def->spacing)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "surface: spacing %g m, expected 0 or more", def->spacing);
    }
    if (!(def->radius > 0) || !(def->cell > 0) || !(def->radius / def->cell >= 1) || !(def->radius / def->cell <= 64)) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "surface: radius %g and cell %g, expected above 0 and a radius of 1 to 64 cells", def->radius,
                         def->cell);
    }
    if (!(def->iso > 0) || !isfinite(def->iso) || (float)def->iso == 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "surface: iso %g, expected above 0", def->iso);
    }
    if (def->smoothing < 0 || def->smoothing > 1000 || def->threads < 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "surface: smoothing %d and threads %d, expected 0 to 1000 rounds and 0 or more threads",
                         def->smoothing, def->threads);
    }
    return PHX_OK;
}

phx_result phxi_surface_cloud(phxi_heap* heap, phxi_pool* pool, const phx_frame* points, const phx_surface_def* def,
                              phxi_cloud* cloud) {
    PHXI_TRY(phx_frame_check(points));
    double spacing = def->spacing > 0 ? def->spacing : phxi_frame_spacing(points);
    PHXI_TRY(phxi_cloud_create(heap, pool, points->positions, points->points, def->cell * spacing,
                               def->radius / def->cell, cloud));
    phx_result result = def->anisotropic ? phxi_cloud_stretch(cloud, pool, points->positions) : PHX_OK;
    if (result == PHX_OK) {
        result = phxi_cloud_find_volumes(cloud, pool);
    }
    if (result != PHX_OK) {
        phxi_cloud_destroy(cloud);
    }
    return result;
}

typedef struct work {
    phxi_heap heap; // of all scratch
    phxi_pool* pool;
    phxi_cloud cloud;
    phxi_iso iso;
    phx_surface_times times;
} work;

// Vertices and triangles of the surface, with attributes.
static phx_result write_surface(work* w, const phx_frame* points, const phx_surface_def* def, phx_frame* surface) {
    double start = phxi_seconds();
    phxi_iso_fill(&w->iso, w->pool, w->cloud.origin, w->cloud.cell, surface->positions, surface->indices);
    w->times.triangulation += phxi_seconds() - start;
    start = phxi_seconds();
    PHXI_TRY(phxi_surface_attributes(&w->cloud, w->pool, &w->iso, points, surface));
    if (def->smoothing > 0) {
        PHXI_TRY(phxi_surface_smooth(&w->heap, w->pool, surface, def->smoothing));
    }
    w->times.attributes = phxi_seconds() - start;
    return PHX_OK;
}

static phx_result run_stages(work* w, const phx_frame* points, const phx_surface_def* def, phx_frame** surface) {
    double start = phxi_seconds();
    PHXI_TRY(phxi_pool_create(&w->heap, def->threads, &w->pool));
    PHXI_TRY(phxi_surface_cloud(&w->heap, w->pool, points, def, &w->cloud));
    double binned = phxi_seconds();
    w->times.density = binned - start;
    phxi_iso_source source = {phxi_cloud_sample, &w->cloud, w->cloud.blocks, w->cloud.block_count, (float)def->iso};
    PHXI_TRY(phxi_iso_build(&w->heap, w->pool, &source, &w->iso));
    // Threads do both in turns; the time that passed is shared as their own times are.
    double passed = phxi_seconds() - binned, both = w->iso.sampling + w->iso.triangulation;
    w->times.sampling = both > 0 ? passed * w->iso.sampling / both : passed;
    w->times.triangulation = passed - w->times.sampling;
    PHXI_TRY(phx_frame_create(w->iso.vertex_count, w->iso.triangle_count, points->time, &def->allocator, surface));
    PHXI_TRY(write_surface(w, points, def, *surface));
    w->times.total = phxi_seconds() - start;
    w->times.cells = w->iso.cell_count;
    w->times.blocks = w->cloud.block_count;
    return PHX_OK;
}

phx_result phx_surface_reconstruct(const phx_frame* points, const phx_surface_def* def, phx_frame** surface,
                                   phx_surface_times* times) {
    PHXI_TRY(phxi_surface_def_check(def));
    if (!points || !surface) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "surface: expected points and a place for the surface");
    }
    *surface = NULL;
    work w = {0};
    phxi_heap_init(&w.heap, &def->allocator);
    phx_result result = run_stages(&w, points, def, surface);
    if (result != PHX_OK) {
        phx_frame_destroy(*surface);
        *surface = NULL;
    }
    if (times) {
        *times = w.times;
    }
    phxi_pool_destroy(w.pool);
    phxi_heap_destroy(&w.heap); // and all that the stages left
    return result;
}
