// SPDX-License-Identifier: MIT
// A strand that is pulled: see granular_trial.h.
#include "validate/granular/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double dx = PHXI_GRAIN_SPACING;
enum { ACROSS = 6, ALONG = 16, GRIP = 2 };

static phx_material_def slime(bool elastic) {
    const double bulk = 2e5, shear = 5e3;
    phx_material_def material = phx_material_def_default();
    material.poisson = (3 * bulk - 2 * shear) / (2 * (3 * bulk + shear));
    material.young = 2 * shear * (1 + material.poisson);
    if (elastic) {
        material.damping = 5;
    } else {
        material.cohesion = 100;
        material.creep = 20;
        material.tension = 1000;
    }
    return material;
}

static phx_result grip(phx_world* world, double middle, double way, double ramp) {
    phx_driver_def def = phx_driver_def_default();
    phx_driver_id id;
    char region[120];
    snprintf(region, sizeof region, "box(center=(0,0,%.17g),size=(1,1,%.17g))", middle, GRIP * dx);
    def.region = region;
    def.kind = way > 0 ? PHX_DRIVER_MOVE : PHX_DRIVER_PIN;
    def.vector = phxi_vec3(0, 0, way);
    def.ramp = ramp;
    return phx_driver_create(world, &def, &id);
}

static int ascending(const void* a, const void* b) {
    phx_real x = *(const phx_real*)a, y = *(const phx_real*)b;
    return (x > y) - (x < y);
}

/// The widest gap along the strand, in spacings; its stretch between the grips.
static void look(const phx_world* world, phx_real* z, double* gap, double* stretch) {
    const phxi_particles* p = &world->particles;
    memcpy(z, p->z, (size_t)p->count * sizeof *z);
    qsort(z, (size_t)p->count, sizeof *z, ascending);
    *gap = 0;
    for (int i = 1; i < p->count; ++i) {
        *gap = fmax(*gap, (double)(z[i] - z[i - 1]) / dx);
    }
    double rest = (ALONG - 2 * GRIP + 1) * dx;
    *stretch = ((double)(z[p->count - 1] - z[0]) - 2 * (GRIP - 1) * dx) / rest;
}

static phx_result pull(phxi_validation* v, phx_world* world, double duration, double* whole) {
    enum { LOOKS = 80 };
    phx_real* z = phxi_alloc(v->heap, (size_t)world->particles.count, sizeof *z, "strand");
    phx_result result = z ? PHX_OK : PHX_ERROR_MEMORY;
    double gap = 0, stretch = 1;
    *whole = 1;
    for (int k = 0; result == PHX_OK && k < LOOKS && gap < 2 * stretch; ++k) {
        result = phx_world_step(world, duration / LOOKS);
        if (result == PHX_OK) {
            look(world, z, &gap, &stretch);
            *whole = gap < 2 * stretch ? stretch : *whole;
        }
    }
    phxi_free(v->heap, z);
    return result;
}

phx_result phxi_thread_run(phxi_validation* v, const phxi_thread_def* def, double* whole) {
    phx_material_def material = slime(def->elastic);
    char shape[160];
    snprintf(shape, sizeof shape, "box(center=(0,0,%.17g),size=(%.17g,%.17g,%.17g))", 0.5 * ALONG * dx, ACROSS * dx,
             ACROSS * dx, ALONG * dx);
    phxi_grain_setup s = {.material = &material,
                          .method = def->method,
                          .shape = shape,
                          .settings = def->settings,
                          .setting_count = def->setting_count};
    double way = (def->stretch - 1) * (ALONG - 2 * GRIP + 1) * dx, duration = way / def->speed;
    phx_world* world;
    phx_result result = phxi_grain_world(v, &s, &world);
    result = result == PHX_OK ? grip(world, 0.5 * GRIP * dx, 0, 0) : result;
    result = result == PHX_OK ? grip(world, (ALONG - 0.5 * GRIP) * dx, way, duration) : result;
    result = result == PHX_OK ? pull(v, world, duration, whole) : result;
    phx_world_destroy(world);
    return result;
}
