// SPDX-License-Identifier: MIT
// Contact at the true surface: how high a block stands, and how hard a ball is pressed (docs/theory/contact.md K7, K8).
#include "validate/validate.h"

#include "world/world.h"

#include <math.h>
#include <stdio.h>

static const double RADIUS = 0.08, SPACING = 0.01, YOUNG = 1e6, POISSON = 0.3;

typedef struct thing {
    const char *method, *integrator, *shape;
    int sampling;
    double gravity, damping; // m/s^2; 1/s
} thing;

static phx_result begin(phxi_validation* v, const thing* t, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){0, 0, -t->gravity};
    def.threads = v->threads;
    PHXI_TRY(phx_world_create(&def, world));
    phx_material_def material = phx_material_def_default();
    material.young = YOUNG;
    material.poisson = POISSON;
    material.damping = t->damping;
    phx_material_id id;
    PHXI_TRY(phx_material_create(*world, &material, &id));
    phx_body_def body = phx_body_def_default();
    const phx_setting setting = {"integrator", t->integrator};
    body.shape = t->shape;
    body.method = t->method;
    body.sampling = t->sampling;
    body.spacing = SPACING;
    body.material = id;
    body.settings = &setting;
    body.setting_count = 1;
    phx_body_id made;
    PHXI_TRY(phx_body_create(*world, &body, &made));
    phx_collider_def floor = phx_collider_def_default();
    floor.name = "floor";
    floor.shape = "plane()";
    floor.friction = 0;
    floor.damping = 1;
    phx_collider_id collider;
    return phx_collider_create(*world, &floor, &collider);
}

// ------------------------------------------------------------------------------------------------------- rest height

/// How far its middle is from where it is drawn, over the spacing; its own weight takes 0.0021.
static phx_result rest_height(phxi_validation* v, const char* method, const char* integrator, double* height) {
    const thing block = {method, integrator, "box(center=(0,0,0.04), size=(0.08,0.08,0.08))", PHX_SAMPLING_VERTICES,
                         9.81,   0};
    phx_world* world = NULL;
    phx_totals t = {0};
    double sum = 0;
    enum { LOOKS = 60 };
    phx_result result = begin(v, &block, &world);
    result = result == PHX_OK ? phx_world_step(world, 0.2) : result;
    for (int k = 0; k < LOOKS && result == PHX_OK; ++k) { // it breathes
        result = phx_world_step(world, 0.005);
        result = result == PHX_OK ? phx_world_measure(world, &t) : result;
        sum += t.mean_position.z / LOOKS;
    }
    phx_world_destroy(world);
    *height = (sum - 0.04) / SPACING;
    return result;
}

static phx_result height(phxi_validation* v) {
    static const char* const all[][2] = {{"fem", "velocity_verlet"},
                                         {"fem", "bdf2"},
                                         {"elastoplastic_sph", "velocity_verlet"},
                                         {"elastoplastic_sph", "bdf2"},
                                         {"efg", "velocity_verlet"},
                                         {"efg", "bdf2"},
                                         {"corotated_sph", "velocity_verlet"},
                                         {"peridynamics", "bdf2"}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        double measured;
        char text[100];
        snprintf(text, sizeof text, "%s, %s: height above where it is drawn, spacings", all[k][0], all[k][1]);
        PHXI_TRY(rest_height(v, all[k][0], all[k][1], &measured));
        phxi_validate(v, text, measured, -0.0021, 0.01);
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- Hertz

/// A ball between a floor and a plate that comes down by twice the approach.
static phx_result press(phxi_validation* v, const char* method, const char* integrator, double approach,
                        double* force) {
    const thing ball = {method, integrator, "sphere(center=(0,0,0.08), radius=0.08)", PHX_SAMPLING_CONFORMING, 0, 60};
    phx_world* world = NULL;
    phx_result result = begin(v, &ball, &world);
    phx_collider_def plate = phx_collider_def_default();
    plate.name = "plate";
    plate.shape = "plane(point=(0,0,0.16), normal=(0,0,-1))";
    plate.friction = 0;
    plate.damping = 1;
    phx_collider_id collider;
    phx_driver_def down = phx_driver_def_default();
    down.kind = PHX_DRIVER_MOVE;
    down.collider = "plate";
    down.vector = (phx_vec3){0, 0, -2 * approach};
    down.ramp = 0.4;
    phx_driver_id driver;
    phx_totals t = {0};
    double sum = 0;
    enum { LOOKS = 10 };
    result = result == PHX_OK ? phx_collider_create(world, &plate, &collider) : result;
    result = result == PHX_OK ? phx_driver_create(world, &down, &driver) : result;
    result = result == PHX_OK ? phx_world_step(world, 0.5) : result;
    for (int k = 0; k < LOOKS && result == PHX_OK; ++k) {
        result = phx_world_step(world, 0.01);
        result = result == PHX_OK ? phx_world_measure(world, &t) : result;
        sum += fabs(t.reaction.z) / LOOKS;
    }
    phx_world_destroy(world);
    *force = sum;
    return result;
}

static phx_result balls(phxi_validation* v, const char* const all[][2], size_t count) {
    static const double approaches[] = {0.042, 0.06, 0.08};
    for (size_t k = 0; k < count; ++k) {
        for (int a = 0; a < 3; ++a) {
            double approach = approaches[a] * RADIUS, measured;
            double exact = 4.0 / 3 * YOUNG / (1 - POISSON * POISSON) * sqrt(RADIUS) * pow(approach, 1.5);
            char text[100];
            snprintf(text, sizeof text, "%s, %s: force at an approach of %g R, N", all[k][0], all[k][1], approaches[a]);
            PHXI_TRY(press(v, all[k][0], all[k][1], approach, &measured));
            phxi_validate_relative(v, text, measured, exact, 0.1);
        }
    }
    return PHX_OK;
}

static phx_result hertz(phxi_validation* v) {
    static const char* const quick[][2] = {{"efg", "bdf2"}, {"peridynamics", "bdf2"}};
    return balls(v, quick, 2);
}

phx_result phxi_validate_contact_hertz_full(phxi_validation* v) {
    static const char* const all[][2] = {
        {"efg", "velocity_verlet"}, {"elastoplastic_sph", "velocity_verlet"}, {"corotated_sph", "velocity_verlet"}};
    return balls(v, all, 3);
}

const phxi_validation_case phxi_cases_contact_surface[] = {
    {"contact.rest_height", "a block stands where it is drawn, less what its weight takes", height},
    {"contact.hertz", "a ball between two plates, 8 spacings a radius: Hertz", hertz},
    {NULL, NULL, NULL},
};
