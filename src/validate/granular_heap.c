// SPDX-License-Identifier: MIT
// Plane heaps of sand, poured or come down from a wedge: see granular_trial.h.
#include "validate/granular_trial.h"

#include <stdio.h>

static const double dx = PHXI_GRAIN_SPACING, degree = 3.14159265358979323846 / 180;
enum { WIDE = 6 };

/// That of the triangle of the same volume and the same mean of |x|, a third of half its base: no single grain, no toe
/// of one grain's height and no line fitted through a rough profile decides.
static double slope_of(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double mean = 0, area = 0; // of one flank
    for (int i = 0; i < p->count; ++i) {
        mean += fabs((double)p->x[i]) / p->count;
        area += 0.5 * (double)p->volume[i] / (WIDE * dx);
    }
    return atan(2 * area / (9 * mean * mean)) / degree;
}

static double top_of(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double top = 0;
    for (int i = 0; i < p->count; ++i) {
        top = fabs((double)p->x[i]) < 6 * dx ? fmax(top, (double)p->z[i]) : top;
    }
    return top;
}

static phxi_grain_setup setup_of(const phx_material_def* material, const char* shape) {
    return (phxi_grain_setup){.material = material,
                              .shape = shape,
                              .friction = 2,
                              .gravity = phxi_vec3(0, 0, -9.81),
                              .period = phxi_vec3(0, WIDE * dx, 0)};
}

/// One more batch, a spacing above what is there.
static phx_result pour_batch(phx_world* world, phx_material_id material, int number) {
    phx_body_def body = phx_body_def_default();
    phx_body_id id;
    char name[32], shape[160];
    snprintf(name, sizeof name, "batch %d", number);
    snprintf(shape, sizeof shape, "box(center=(0,0,%.17g),size=(%.17g,%.17g,%.17g))", top_of(world) + 3 * dx, 6 * dx,
             WIDE * dx, 2 * dx);
    body.name = name;
    body.method = "granular";
    body.shape = shape;
    body.spacing = dx;
    body.material = material;
    return phx_body_create(world, &body, &id);
}

phx_result phxi_pour_run(phxi_validation* v, double friction_angle, phxi_heap_shape* out) {
    enum { BATCHES = 24 };
    phx_material_def material = phxi_sand(2e5, friction_angle, 0, PHX_CONE_REPOSE);
    phx_material_id id;
    char shape[160];
    snprintf(shape, sizeof shape, "box(center=(0,0,%.17g),size=(%.17g,%.17g,%.17g))", dx, 6 * dx, WIDE * dx, 2 * dx);
    phxi_grain_setup s = setup_of(&material, shape);
    phx_world* world;
    phx_result result = phxi_grain_world(v, &s, &world);
    result = result == PHX_OK ? phx_material_create(world, &material, &id) : result;
    for (int k = 0; result == PHX_OK && k < BATCHES; ++k) {
        result = phx_world_step(world, 0.1);
        result = result == PHX_OK ? pour_batch(world, id, k) : result;
    }
    result = result == PHX_OK ? phx_world_step(world, 0.45) : result;
    if (result == PHX_OK) {
        *out = (phxi_heap_shape){slope_of(world), top_of(world) / dx + 0.5};
    }
    phx_world_destroy(world);
    return result;
}

phx_result phxi_wedge_run(phxi_validation* v, double friction_angle, phxi_heap_shape* out) {
    const double height = 30 * dx, x = sin(70 * degree), z = cos(70 * degree);
    phx_material_def material = phxi_sand(2e5, friction_angle, 0, PHX_CONE_REPOSE);
    char shape[400];
    snprintf(
        shape, sizeof shape,
        "intersection(box(center=(0,0,%.17g),size=(1,%.17g,%.17g)), plane(point=(0,0,%.17g),normal=(%.17g,0,%.17g)),"
        " plane(point=(0,0,%.17g),normal=(%.17g,0,%.17g)))",
        0.5 * height, WIDE * dx, height, height, x, z, height, -x, z);
    phxi_grain_setup s = setup_of(&material, shape);
    phx_world* world;
    phx_result result = phxi_grain_world(v, &s, &world);
    result = result == PHX_OK ? phx_world_step(world, 1) : result;
    if (result == PHX_OK) {
        *out = (phxi_heap_shape){slope_of(world), top_of(world) / dx + 0.5};
    }
    phx_world_destroy(world);
    return result;
}
