// SPDX-License-Identifier: MIT
#include "validate/rigid/trial.h"

#include <string.h>

static phx_result add_thing(phx_world* world, const phxi_thing* t) {
    phx_material_def material = phx_material_def_default();
    phx_material_id id;
    material.young = t->young > 0 ? t->young : 1e7;
    material.damping = t->drag;
    PHXI_TRY(phx_material_create(world, &material, &id));
    phx_body_def def = phx_body_def_default();
    def.name = t->name;
    def.shape = t->shape;
    def.method = t->method ? t->method : "rigid";
    def.spacing = t->spacing > 0 ? t->spacing : 0.01;
    def.material = id;
    def.friction = t->friction;
    def.contact_damping = t->contact_damping;
    def.velocity = t->velocity;
    def.angular_velocity = t->spin;
    const phx_setting setting = {"integrator", t->implicit ? "bdf2" : "damped_verlet"};
    def.settings = &setting;
    def.setting_count = t->implicit || t->drag > 0;
    phx_body_id body;
    PHXI_TRY(phx_body_create(world, &def, &body));
    if (!t->held) {
        return PHX_OK;
    }
    phx_driver_def pin = phx_driver_def_default();
    pin.name = t->name;
    pin.body = t->name;
    pin.region = t->held[0] ? t->held : NULL;
    phx_driver_id driver;
    return phx_driver_create(world, &pin, &driver);
}

phx_result phxi_rigid_world(const phxi_validation* v, phx_vec3 gravity, const phxi_thing* things, int count,
                            phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.gravity = gravity;
    def.threads = v->threads;
    PHXI_TRY(phx_world_create(&def, world));
    for (int k = 0; k < count; ++k) {
        PHXI_TRY(add_thing(*world, &things[k]));
    }
    return PHX_OK;
}

phx_result phxi_rigid_ground(phx_world* world, double friction, double damping) {
    phx_collider_def def = phx_collider_def_default();
    def.name = "ground";
    def.friction = friction;
    def.damping = damping;
    phx_collider_id id;
    return phx_collider_create(world, &def, &id);
}

const phxi_rigid_body* phxi_rigid_inside(const phx_world* world, int k) {
    const phxi_rigid_solver* found = NULL;
    for (int s = 0; s < world->solvers.count; ++s) {
        found = strcmp(world->solvers.items[s].method->name, "rigid") == 0 ? world->solvers.items[s].state : found;
    }
    return &found->bodies.items[k];
}
