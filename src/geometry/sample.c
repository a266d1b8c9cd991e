// SPDX-License-Identifier: MIT
// The common frame of the samplers: check the definition, sample, jitter, bring the sum of volumes to the exact one.
#include "geometry/sample.h"

#include "core/hash.h"
#include "geometry/body_mesh.h"
#include "geometry/sample_internal.h"
#include "geometry/surface_shares.h"

phx_result phxi_sample_add(phxi_sample_list* list, phx_vec3 position, double volume, double spacing) {
    if (!phxi_array_reserve(&list->items, 1, list->heap, "samples")) {
        return PHX_ERROR_MEMORY;
    }
    list->items.items[list->items.count++] = (phxi_sample){position, volume, spacing};
    return PHX_OK;
}

static phx_result check(const phx_body_def* def) {
    if (!(def->spacing > 0 && isfinite(def->spacing))) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "spacing is %g m, expected above 0 m", def->spacing);
    }
    if (!(def->scale > 0 && isfinite(def->scale))) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "scale is %g, expected above 0", def->scale);
    }
    if (!(def->jitter >= 0 && def->jitter <= 0.5)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "jitter is %g, expected 0 to 0.5", def->jitter);
    }
    if (def->sampling < PHX_SAMPLING_UNIFORM || def->sampling > PHX_SAMPLING_AUTO) {
        return phxi_fail(
            PHX_ERROR_ARGUMENT,
            "sampling is %d, expected uniform, bcc, octree, vertices, points, blue_noise, conforming or auto",
            def->sampling);
    }
    if (def->levels < 0 || def->levels > PHXI_MAX_LEVELS) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "levels is %d, expected 0 to %d", def->levels, PHXI_MAX_LEVELS);
    }
    return PHX_OK;
}

static phx_vec3 jittered(phx_vec3 p, double reach, int index) {
    double shift[3];
    for (int c = 0; c < 3; ++c) {
        shift[c] = 2 * phxi_hash_unit(phxi_hash_pair((uint64_t)index, (uint64_t)c)) - 1;
    }
    return phxi_add_scaled(p, reach, phxi_vec3(shift[0], shift[1], shift[2]));
}

/// What was taken off a body: p was turn p + shift.
typedef struct placement {
    phxi_mat3 turn;
    phx_vec3 shift;
} placement;

/// The placement of the definition, after what was taken off its shape.
static placement whole_placement(const phx_body_def* def, const placement* taken) {
    phxi_mat3 turn = phxi_rotation_degrees(def->rotate);
    phx_vec3 shift = phxi_add(phxi_mat3_apply(&turn, taken->shift), def->translate);
    return (placement){phxi_mat3_mul(&turn, &taken->turn), shift};
}

/// From the list to the arrays of the caller.
static phx_result finish(const phxi_sample_list* list, const phxi_region* region, const phx_body_def* def,
                         phxi_samples* samples, phx_sample_report* report) {
    int count = list->items.count;
    bool filled = def->sampling != PHX_SAMPLING_POINTS;
    double raw = 0, exact = filled && region->volume > 0 ? region->volume : list->exact;
    for (int i = 0; i < count; ++i) {
        raw += list->items.items[i].volume;
    }
    if (count == 0 || !(exact > 0)) {
        phx_vec3 size = phxi_sub(region->box.high, region->box.low);
        return phxi_fail(PHX_ERROR_ARGUMENT, "no particle fits: spacing %g m, the body is %g m thick", def->spacing,
                         fmin(size.x, fmin(size.y, size.z)));
    }
    double factor = exact / raw;
    if (fabs(factor - 1) < 1e-12) {
        factor = 1; // full cells keep exactly a cell's volume
    }
    PHXI_NEW(samples->positions, list->heap, count, "sample positions");
    PHXI_NEW(samples->volumes, list->heap, count, "sample volumes");
    PHXI_NEW(samples->spacings, list->heap, count, "sample spacings");
    for (int i = 0; i < count; ++i) {
        phxi_sample s = list->items.items[i];
        bool moves = def->jitter > 0 && def->sampling != PHX_SAMPLING_CONFORMING; // which moves what may move
        samples->positions[i] = moves ? jittered(s.position, def->jitter * s.spacing, i) : s.position;
        samples->volumes[i] = factor * s.volume;
        samples->spacings[i] = s.spacing;
    }
    samples->count = count;
    samples->thickness = list->thickness;
    if (report) {
        *report = (phx_sample_report){.count = count,
                                      .spacing = def->spacing,
                                      .volume = factor * raw,
                                      .exact = exact,
                                      .raw_error = raw / exact - 1,
                                      .closed = region->closed};
    }
    return PHX_OK;
}

/// What each particle owns of the surface, for samplings that put particles there.
static phx_result share_surface(phxi_heap* heap, const phx_body_def* def, phxi_sample_list* list,
                                phxi_samples* samples) {
    if (list->areas) { // the sampler knows
        samples->areas = list->areas;
        samples->sizes = list->sizes;
        list->areas = NULL;
        list->sizes = NULL;
        return PHX_OK;
    }
    if (def->sampling != PHX_SAMPLING_VERTICES) {
        return PHX_OK;
    }
    phx_mesh* mesh = NULL;
    PHXI_TRY(phxi_body_mesh(heap, def, &mesh));
    samples->areas = phxi_alloc(heap, (size_t)samples->count, sizeof *samples->areas, "sample areas");
    samples->sizes = phxi_alloc(heap, (size_t)samples->count, sizeof *samples->sizes, "sample areas");
    phx_result result = PHX_ERROR_MEMORY;
    if (samples->areas && samples->sizes) {
        result = phxi_surface_shares(heap, mesh, samples->count, samples->positions, samples->spacings, samples->areas,
                                     samples->sizes);
    }
    phx_mesh_destroy(mesh);
    return result;
}

/// The samples of a definition; `placed` and `local` NULL, or where the body is, and that placement with what was taken
/// off its shape.
static phx_result sample(phxi_heap* heap, const phx_body_def* def, const phx_body_def* placed, placement* local,
                         phxi_samples* samples, phx_sample_report* report) {
    typedef phx_result sampler(phxi_region * region, const phx_body_def* d, phxi_sample_list* list);
    static sampler* const samplers[] = {
        [PHX_SAMPLING_UNIFORM] = phxi_sample_uniform,      [PHX_SAMPLING_BCC] = phxi_sample_bcc,
        [PHX_SAMPLING_OCTREE] = phxi_sample_octree,        [PHX_SAMPLING_VERTICES] = phxi_sample_vertices,
        [PHX_SAMPLING_POINTS] = phxi_sample_points,        [PHX_SAMPLING_BLUE_NOISE] = phxi_sample_blue_noise,
        [PHX_SAMPLING_CONFORMING] = phxi_sample_conforming};
    phxi_region region;
    PHXI_TRY(phxi_region_create(heap, def, &region));
    phxi_sample_list list = {.heap = heap};
    phx_result result = PHX_OK;
    if (local) {
        phxi_region_peel(&region, &local->turn, &local->shift);
        *local = whole_placement(placed, local);
        result = phxi_clamp_surface_create(heap, placed->clamp, &local->turn, local->shift, &list.clamp);
    }
    if (result == PHX_OK) {
        result = samplers[def->sampling](&region, def, &list);
    }
    if (result == PHX_OK) {
        result = finish(&list, &region, def, samples, report);
    }
    if (result == PHX_OK) {
        result = share_surface(heap, def, &list, samples);
    }
    if (result != PHX_OK) {
        phxi_samples_destroy(heap, samples);
    }
    phxi_array_destroy(&list.items, heap);
    phxi_free(heap, list.areas);
    phxi_clamp_surface_destroy(heap, &list.clamp);
    phxi_free(heap, list.sizes);
    phxi_region_destroy(&region);
    return result;
}

/// The body before it is turned and moved: what conforms to it turns with it.
static phx_body_def unplaced(const phx_body_def* def) {
    phx_body_def local = *def;
    local.rotate = local.translate = phxi_vec3(0, 0, 0);
    return local;
}

phx_result phxi_sample_is_sheet(phxi_heap* heap, const phx_body_def* def, bool* sheet) {
    phx_body_def local = unplaced(def);
    phxi_region region;
    placement taken;
    PHXI_TRY(phxi_region_create(heap, &local, &region));
    phxi_region_peel(&region, &taken.turn, &taken.shift);
    *sheet = phxi_conforming_is_sheet(&region, def->spacing);
    phxi_region_destroy(&region);
    return PHX_OK;
}

static phx_result sample_conforming(phxi_heap* heap, const phx_body_def* def, phxi_samples* samples,
                                    phx_sample_report* report) {
    phx_body_def local = unplaced(def);
    placement whole;
    PHXI_TRY(sample(heap, &local, def, &whole, samples, report));
    for (int i = 0; i < samples->count; ++i) {
        samples->positions[i] = phxi_add(phxi_mat3_apply(&whole.turn, samples->positions[i]), whole.shift);
        samples->areas[i] = phxi_mat3_apply(&whole.turn, samples->areas[i]);
    }
    return PHX_OK;
}

phx_result phxi_sample_body(phxi_heap* heap, const phx_body_def* def, phxi_samples* samples,
                            phx_sample_report* report) {
    *samples = (phxi_samples){0};
    PHXI_TRY(check(def));
    phx_body_def usual = *def;
    usual.sampling = def->sampling == PHX_SAMPLING_AUTO ? PHX_SAMPLING_UNIFORM : def->sampling;
    if (usual.sampling == PHX_SAMPLING_CONFORMING) {
        bool sheet;
        PHXI_TRY(phxi_sample_is_sheet(heap, def, &sheet));
        if (!sheet) {
            return sample_conforming(heap, &usual, samples, report);
        }
        usual.sampling = PHX_SAMPLING_UNIFORM;
    }
    return sample(heap, &usual, NULL, NULL, samples, report);
}

void phxi_samples_destroy(phxi_heap* heap, phxi_samples* samples) {
    phxi_free(heap, samples->positions);
    phxi_free(heap, samples->volumes);
    phxi_free(heap, samples->spacings);
    phxi_free(heap, samples->areas);
    phxi_free(heap, samples->sizes);
    *samples = (phxi_samples){0};
}
