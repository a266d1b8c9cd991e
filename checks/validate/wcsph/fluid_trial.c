// SPDX-License-Identifier: MIT
// See fluid_trial.h.
#include "validate/wcsph/fluid_trial.h"

#include <stdio.h>
#include <string.h>

enum { ACROSS = 7, LAYERS = 3 }; // cells of a period: more than twice the reach of 3

phx_body_def phxi_fluid_trial_body(const char* name, const char* method, const char* shape, double spacing) {
    phx_body_def body = phx_body_def_default();
    body.name = name;
    body.method = method;
    body.shape = shape;
    body.spacing = spacing;
    return body;
}

phx_result phxi_fluid_trial_add(phx_world* world, phx_body_def body, const phx_material_def* material,
                                const char* const* settings) {
    phx_setting list[PHXI_FLUID_TRIAL_SETTINGS];
    phx_body_id id;
    PHXI_TRY(phx_material_create(world, material, &body.material));
    for (const char* const* next = settings; next && *next; next += 2) {
        list[body.setting_count++] = (phx_setting){next[0], next[1]};
    }
    body.settings = list;
    return phx_body_create(world, &body, &id);
}

phxi_wcsph* phxi_fluid_trial_state(const phx_world* world) {
    for (int k = 0; k < world->solvers.count; ++k) {
        if (strcmp(world->solvers.items[k].method->name, "wcsph") == 0) {
            return world->solvers.items[k].state;
        }
    }
    return NULL;
}

static phx_result add_plate(phx_world* world, double a, bool top) {
    char shape[240], surface[96];
    phx_material_def stone = phx_material_def_default();
    double side = ACROSS * a, thick = LAYERS * a;
    snprintf(shape, sizeof shape, "box(center=(0,0,%.17g),size=(%.17g,%.17g,%.17g))", top ? 1 + thick / 2 : -thick / 2,
             side, side, thick);
    snprintf(surface, sizeof surface, "plane(point=(0,0,%d),normal=(0,0,%d))", top, top ? -1 : 1);
    return phxi_fluid_trial_add(world, phxi_fluid_trial_body(top ? "top" : "bottom", "wall", shape, a), &stone,
                                (const char*[]){"surface", surface, NULL});
}

static phx_result fill(phx_world* world, const phxi_channel_def* def) {
    char shape[240], sound[32];
    double a = 1.0 / def->cells;
    snprintf(shape, sizeof shape, "box(center=(0,0,0.5),size=(%.17g,%.17g,1))", ACROSS * a, ACROSS * a);
    snprintf(sound, sizeof sound, "%.17g", def->sound);
    PHXI_TRY(phxi_fluid_trial_add(world, phxi_fluid_trial_body("fluid", "wcsph", shape, a), &def->material,
                                  (const char*[]){"sound_speed", sound, "form", def->form, "viscosity", def->viscosity,
                                                  "alpha", "0", "xsph", "0", "tolerance", "1e-6", NULL}));
    PHXI_TRY(add_plate(world, a, false));
    PHXI_TRY(add_plate(world, a, true));
    phx_real* depth = world->particles.boundary_depth;
    for (int i = 0; def->plain && i < world->particles.count; ++i) {
        depth[i] = 0;
    }
    return PHX_OK;
}

static phx_result drive(phx_world* world, double speed) {
    phx_driver_def driver = phx_driver_def_default();
    phx_driver_id id;
    driver.kind = PHX_DRIVER_VELOCITY;
    driver.body = "top";
    driver.vector = phxi_vec3(speed, 0, 0);
    return speed != 0 ? phx_driver_create(world, &driver, &id) : PHX_OK;
}

phx_result phxi_channel_run(phxi_validation* v, const phxi_channel_def* def, double duration, phx_world** world) {
    phx_world_def world_def = phx_world_def_default();
    double side = (double)ACROSS / def->cells;
    world_def.gravity = phxi_vec3(def->push, 0, 0);
    world_def.period = phxi_vec3(side, side, 0);
    world_def.threads = v->threads;
    *world = NULL;
    PHXI_TRY(phx_world_create(&world_def, world));
    PHXI_TRY(fill(*world, def));
    PHXI_TRY(drive(*world, def->speed));
    return phx_world_step(*world, duration);
}

double phxi_channel_error(const phx_world* world, double (*exact)(double z, const void* context), const void* context) {
    const phxi_particles* p = &world->particles;
    double sum = 0, all = 0;
    for (int i = 0; i < world->bodies.items[0].count; ++i) {
        double value = exact((double)p->z[i], context), error = (double)p->vx[i] - value;
        sum += error * error;
        all += value * value;
    }
    return sqrt(sum / all);
}

double phxi_channel_fastest(const phx_world* world) {
    double most = 0;
    for (int i = 0; i < world->bodies.items[0].count; ++i) {
        most = fmax(most, (double)world->particles.vx[i]);
    }
    return most;
}
