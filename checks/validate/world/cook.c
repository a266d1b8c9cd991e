// SPDX-License-Identifier: MIT
// Cook's membrane (Cook 1974): 48 by 44 to 60 wide, held at its left, pulled up at its right; nu = 1/3, plane stress.
// The tip goes up by 23.96 F/(E t), on which fine meshes of finite elements agree. One layer of particles in plane
// stress; slanted edges are steps of a lattice, whose first and last columns are the ends.
#include "validate/validate.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

static const double young = 1e6, load = 20, exact = 23.96; // Pa, N/m, of F/(E t)

typedef struct membrane {
    const char* method;
    int plane, across; // spacings along x
} membrane;

static phx_result drive(phx_world* world, int kind, const char* region, phx_vec3 vector) {
    phx_driver_def def = phx_driver_def_default();
    phx_driver_id id;
    def.name = region;
    def.kind = kind;
    def.region = region;
    def.vector = vector;
    return phx_driver_create(world, &def, &id);
}

static phx_result make(const phxi_validation* v, const membrane* m, phx_world** world) {
    const double h = 0.48 / m->across;
    phx_world_def wd = phx_world_def_default();
    phx_material_def material = phx_material_def_default();
    phx_body_def def = phx_body_def_default();
    phx_body_id body;
    char shape[320];
    wd.gravity = (phx_vec3){0, 0, 0};
    wd.threads = v->threads;
    PHXI_TRY(phx_world_create(&wd, world));
    material.young = young;
    material.poisson = 1.0 / 3;
    PHXI_TRY(phx_material_create(*world, &material, &def.material));
    snprintf(shape, sizeof shape,
             "intersection(box(center=(0.24,0.3,0),size=(%.17g,0.7,%.17g)), plane(normal=(0.9166667,-1,0)), "
             "plane(point=(0,0.44,0),normal=(-0.3333333,1,0)))",
             0.48 + h, h);
    def.shape = shape;
    def.spacing = h;
    def.sampling = PHX_SAMPLING_UNIFORM;
    def.method = m->method;
    def.plane = m->plane;
    PHXI_TRY(phx_body_create(*world, &def, &body));
    PHXI_TRY(drive(*world, PHX_DRIVER_PIN, "box(center=(0,0.2,0),size=(0.002,1,1))", (phx_vec3){0, 0, 0}));
    return drive(*world, PHX_DRIVER_FORCE, "box(center=(0.48,0.52,0),size=(0.002,1,1))", (phx_vec3){0, load * h, 0});
}

static phx_result pull(const phxi_validation* v, const membrane* m, double* tip) {
    phx_world* world = NULL;
    phx_static_def def = phx_static_def_default();
    double sum = 0, count = 0;
    phx_result result = make(v, m, &world);
    result = result == PHX_OK ? phx_world_static(world, &def, NULL) : result;
    for (int i = 0; result == PHX_OK && i < world->particles.count; ++i) {
        const phxi_particles* p = &world->particles;
        if ((double)p->rest_x[i] > 0.479) {
            sum += (double)p->y[i] - (double)p->rest_y[i] + (p->low[1] ? (double)p->low[1][i] : 0);
            count += 1;
        }
    }
    *tip = sum / count * young / load;
    phx_world_destroy(world);
    return result;
}

static phx_result cook(phxi_validation* v) {
    const membrane stress = {"efg", PHX_SLICE_STRESS, 96}, strain = {"efg", PHX_SLICE_STRAIN, 48};
    double tip;
    PHXI_TRY(pull(v, &stress, &tip));
    phxi_validate_relative(v, "Cook's membrane, efg, 96 spacings long, plane stress: tip over F/(E t)", tip, exact,
                           0.01);
    PHXI_TRY(
        pull(v, &strain, &tip)); // E/(1 - nu^2) with nu/(1 - nu): less than 1/(1 - nu^2) stiffer, as it also shears
    phxi_validate_between(v, "48 spacings long, plane strain", tip, exact * 8 / 9, exact * 0.95);
    return PHX_OK;
}

const phxi_validation_case phxi_cases_cook[] = {
    {"world.cook", "Cook's membrane of one layer of particles", cook},
    {NULL, NULL, NULL},
};
