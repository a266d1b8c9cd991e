// SPDX-License-Identifier: MIT
// What a scene will cost, before a particle is made: volumes of boxes and meshes, and what was measured of each method.
// Particles come out to a third or so and time to a factor of four, which tells a minute from a day and a mesh in
// millimetres from one in metres.
#include "geometry/region.h"
#include "io/scene.h"
#include "io/scene_place.h"
#include "materials/elastic.h"
#include "materials/sound.h"
#include "methods/choose.h"
#include "parallel/parallel.h"

#include <string.h>

enum { FINENESS = 24 }; // points along each side of a shape's box

// Share of the box that is inside a shape.
static double share_of(const phxi_shape* shape, phxi_box box) {
    phx_vec3 step = phxi_scale(1.0 / FINENESS, phxi_sub(box.high, box.low));
    int inside = 0;
    for (int i = 0; i < FINENESS * FINENESS * FINENESS; ++i) {
        phx_vec3 p = {box.low.x + (0.5 + i % FINENESS) * step.x, box.low.y + (0.5 + i / FINENESS % FINENESS) * step.y,
                      box.low.z + (0.5 + i / (FINENESS * FINENESS)) * step.z};
        inside += phxi_shape_distance(shape, p) <= 0;
    }
    return (double)inside / (FINENESS * FINENESS * FINENESS);
}

static double particles_in(const phx_body_def* def, double volume) {
    double cells = fmax(volume / (def->spacing * def->spacing * def->spacing), 1);
    switch (def->sampling) {
    case PHX_SAMPLING_POINTS:
        return def->mesh ? phx_mesh_vertex_count(def->mesh) : cells;
    case PHX_SAMPLING_BCC:
        return 2 * cells;
    case PHX_SAMPLING_OCTREE:
        return cells + 6 * pow(cells, 2.0 / 3) * (ldexp(1, 2 * def->levels) - 1);
    default:
        return cells;
    }
}

static phx_result count(const phx_body_def* def, phxi_heap* heap, double* particles, double* size) {
    phxi_box box;
    double volume;
    if (def->mesh) { // nothing is built for it
        box = phxi_mesh_box(def->mesh);
        volume = fabs(phx_mesh_volume(def->mesh)) * def->scale * def->scale * def->scale;
        box.low = phxi_scale(def->scale, box.low), box.high = phxi_scale(def->scale, box.high);
    } else {
        phxi_region region;
        PHXI_TRY(phxi_region_create(heap, def, &region));
        box = region.box;
        phx_vec3 extent = phxi_sub(box.high, box.low);
        volume = extent.x * extent.y * extent.z * share_of(region.shape, box);
        phxi_region_destroy(&region);
    }
    phx_vec3 extent = phxi_sub(box.high, box.low);
    *size = fmax(extent.x, fmax(extent.y, extent.z));
    *particles = particles_in(def, volume);
    return PHX_OK;
}

static phx_result add_body(const phx_scene* scene, const phxi_scene_body* body, phxi_heap* heap, phx_estimate* e) {
    const phx_material_def* material = &scene->materials.items[body->material].def;
    const phxi_method* method = NULL;
    const char* key;
    phx_body_def def;
    phx_mesh* mesh = NULL;
    if (body->def.method && body->def.method[0]) {
        method = phxi_method_find(body->def.method);
    } else {
        PHXI_TRY(phxi_method_choose(material, &method, &key));
    }
    if (!method) {
        return PHX_ERROR_ARGUMENT;
    }
    double particles = 0, size = 0;
    phx_result result = phxi_scene_place_body(scene, body, &heap->allocator, &def, &mesh);
    result = result == PHX_OK ? count(&def, heap, &particles, &size) : result;
    phx_mesh_destroy(mesh);
    PHXI_TRY(result);
    // about the substep that sound allows, unless the method takes steps of its own
    double sound = phxi_sound_speed(material) / phxi_material_slowing(material);
    double step = method->cost.step > 0 ? method->cost.step : 0.7 * def.spacing / sound;
    step = scene->world.dt > 0 ? scene->world.dt : fmin(step, 1 / scene->run.fps);
    e->substep = fmin(e->substep, step);
    e->particles += particles;
    e->bytes += particles * method->cost.bytes;
    e->work += particles * method->cost.seconds;
    if (particles > e->most) {
        e->most = particles;
        e->size = size;
        e->from_mesh = body->mesh != NULL;
        snprintf(e->body, sizeof e->body, "%s", body->def.name);
    }
    return PHX_OK;
}

phx_result phx_scene_estimate(const phx_scene* scene, phx_estimate* estimate) {
    PHXI_NEED(scene && estimate);
    *estimate = (phx_estimate){.substep = 1 / scene->run.fps};
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phx_result result = PHX_OK;
    for (int i = 0; i < scene->bodies.count && result == PHX_OK; ++i) {
        result = add_body(scene, &scene->bodies.items[i], &heap, estimate);
    }
    phxi_heap_destroy(&heap);
    estimate->seconds = scene->run.duration / estimate->substep * estimate->work;
    return result;
}
