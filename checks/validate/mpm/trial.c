// SPDX-License-Identifier: MIT
// See mpm_trial.h.
#include "validate/mpm/trial.h"

#include <stdio.h>

phx_result phxi_mpm_trial_world(phxi_validation* v, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){0, 0, 0};
    def.threads = v->threads;
    return phx_world_create(&def, world);
}

phx_result phxi_mpm_trial_body(phx_world* world, const phx_material_def* material, const char* shape, double spacing,
                               const phx_setting* settings, int setting_count) {
    phx_material_id stuff;
    PHXI_TRY(phx_material_create(world, material, &stuff));
    phx_body_def body = phx_body_def_default();
    char name[16];
    snprintf(name, sizeof name, "body%d", world->bodies.count);
    body.name = name;
    body.shape = shape;
    body.spacing = spacing;
    body.material = stuff;
    body.method = "mpm";
    body.settings = settings;
    body.setting_count = setting_count;
    phx_body_id id;
    return phx_body_create(world, &body, &id);
}

phx_result phxi_mpm_trial_plane(phx_world* world, phx_vec3 point, phx_vec3 normal) {
    char shape[160];
    phx_collider_def plane = phx_collider_def_default();
    phx_collider_id id;
    snprintf(shape, sizeof shape, "plane(point=(%.17g,%.17g,%.17g), normal=(%g,%g,%g))", point.x, point.y, point.z,
             normal.x, normal.y, normal.z);
    plane.shape = shape;
    return phx_collider_create(world, &plane, &id);
}

phx_result phxi_mpm_trial_run(phx_world* world, int steps, double dt) {
    phx_result result = PHX_OK;
    for (int k = 0; k < steps && result == PHX_OK; ++k) {
        result = phx_world_substep(world, dt);
    }
    return result;
}
