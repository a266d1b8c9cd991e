// SPDX-License-Identifier: MIT
// Blows that are shorter than an implicit step come off by the coefficient of restitution (implicit/rebound.c).
#include "validate/validate.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

/// `finely`: solved to the last digits, as energy is known to the square of the tolerance.
static phx_result add_steel(phx_world* world, const char* method, const char* name, const char* shape, double e,
                            phx_vec3 velocity, bool finely) {
    phx_material_def material = phx_material_def_default();
    material.young = 2e11;
    material.density = 7800;
    material.restitution = e;
    phx_material_id id;
    PHXI_TRY(phx_material_create(world, &material, &id));
    phx_setting settings[] = {{"integrator", "bdf2"}, {"tolerance", "1e-5"}, {"iterations", "100"}};
    phx_body_def def = phx_body_def_default();
    def.name = name;
    def.shape = shape;
    def.method = method;
    def.spacing = 0.02;
    def.sampling = PHX_SAMPLING_UNIFORM; // balls get a flat foot, and do not roll off the particle they stand on
    def.material = id;
    def.velocity = velocity;
    def.settings = settings;
    def.setting_count = finely ? 3 : 1;
    phx_body_id body;
    return phx_body_create(world, &def, &body);
}

static phx_result make_world(const phxi_validation* v, double gravity, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.gravity = phxi_vec3(0, 0, -gravity);
    def.threads = v->threads;
    *world = NULL;
    return phx_world_create(&def, world);
}

static phx_vec3 mean(const phx_world* world, int b, bool velocity) {
    const phxi_particles* p = &world->particles;
    const phxi_body* body = &world->bodies.items[b];
    phx_vec3 sum = {0, 0, 0};
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        sum = phxi_add(sum, velocity ? phxi_vec3(p->vx[i], p->vy[i], p->vz[i]) : phxi_vec3(p->x[i], p->y[i], p->z[i]));
    }
    return phxi_scale(1.0 / body->count, sum);
}

/// How high a ball comes back over how far it fell, and its speed in the end.
static phx_result drop(phxi_validation* v, const char* method, double e, double dt, double* share, double* speed) {
    phx_world* world;
    phx_result result = make_world(v, 9.81, &world);
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id id;
    if (result == PHX_OK) {
        result =
            add_steel(world, method, "ball", "sphere(center=(0,0,0.56), radius=0.06)", e, phxi_vec3(0, 0, 0), false);
    }
    if (result == PHX_OK) {
        result = phx_collider_create(world, &floor, &id);
    }
    const double start = result == PHX_OK ? mean(world, 0, false).z : 0;
    double least = start, most = 0;
    bool met = false;
    for (int k = 0; k < (int)(2.5 / dt) && result == PHX_OK; ++k) {
        result = phx_world_substep(world, dt);
        const double z = mean(world, 0, false).z, up = mean(world, 0, true).z;
        met = met || (up >= 0 && z < 0.5 * start);
        least = fmin(least, z);
        most = met ? fmax(most, z) : 0;
    }
    if (result == PHX_OK) {
        *share = (most - least) / (start - least);
        *speed = phxi_length(mean(world, 0, true));
    }
    phx_world_destroy(world);
    return result;
}

// A step knows the speed of its start: up to g dt of that of the blow is missed, 5 % of 3.1 m/s at 1/60 s.
static phx_result drops(phxi_validation* v) {
    static const char* const methods[] = {"efg", "elastoplastic_sph", "fem", "peridynamics"};
    char quantity[96];
    double share, speed;
    for (int k = 0; k < 4; ++k) {
        PHXI_TRY(drop(v, methods[k], 0.6, 1.0 / 240, &share, &speed));
        snprintf(quantity, sizeof quantity, "%s, 240 steps a second: height after over before", methods[k]);
        phxi_validate_relative(v, quantity, share, 0.36, 0.05);
        snprintf(quantity, sizeof quantity, "%s: speed at the end, m/s", methods[k]);
        phxi_validate(v, quantity, speed, 0, 1e-3);
    }
    PHXI_TRY(drop(v, "efg", 0.6, 1.0 / 60, &share, &speed));
    phxi_validate_relative(v, "efg, 60 steps a second: height after over before", share, 0.36, 0.12);
    PHXI_TRY(drop(v, "efg", 0, 1.0 / 60, &share, &speed));
    phxi_validate(v, "no restitution: height after over before", share, 0, 0.02);
    return PHX_OK;
}

/// Two cubes meet aside: momenta, energy, and the speed at which they part.
static phx_result pair(phxi_validation* v) {
    phx_world* world;
    phx_totals before = {0}, after = {0};
    double most = 0;
    phx_result result = make_world(v, 0, &world);
    if (result == PHX_OK) {
        result = add_steel(world, "efg", "left", "box(center=(-0.15,0,0), size=(0.2,0.2,0.2))", 0.8, phxi_vec3(1, 0, 0),
                           true);
    }
    if (result == PHX_OK) {
        result = add_steel(world, "fem", "right", "box(center=(0.15,0,0), size=(0.2,0.2,0.2))", 0.5,
                           phxi_vec3(-1, 0, 0), true);
    }
    if (result == PHX_OK) {
        result = phx_world_measure(world, &before);
    }
    for (int k = 0; k < 30 && result == PHX_OK; ++k) {
        result = phx_world_substep(world, 1.0 / 60);
        if (result == PHX_OK) {
            result = phx_world_measure(world, &after);
        }
        most = fmax(most, (after.kinetic + after.elastic) / before.kinetic);
    }
    if (result == PHX_OK) {
        const double one = 0.5 * before.mass, parts = phxi_sub(mean(world, 1, true), mean(world, 0, true)).x;
        phxi_validate(v, "change of momentum over that of a body", phxi_distance(after.momentum, before.momentum) / one,
                      0, phxi_by_precision(1e-12, 1e-5));
        phxi_validate(v, "change of angular momentum",
                      phxi_distance(after.angular_momentum, before.angular_momentum) / (0.1 * one), 0,
                      phxi_by_precision(1e-12, 1e-5));
        phxi_validate(v, "most energy over that of the start", most, 1, phxi_by_precision(1e-9, 1e-5));
        phxi_validate_relative(v, "speed of parting over that of closing, the smaller of 0.8 and 0.5", parts / 2, 0.5,
                               0.02);
    }
    phx_world_destroy(world);
    return result;
}

/// A plate that a driver moves hits a ball at rest.
static phx_result bat(phxi_validation* v) {
    phx_world* world;
    phx_collider_def plate = phx_collider_def_default();
    phx_driver_def driver = phx_driver_def_default();
    phx_collider_id id;
    phx_driver_id drives;
    plate.name = driver.collider = "plate";
    plate.shape = "box(center=(0,0,-0.1), size=(0.5,0.5,0.1))";
    driver.kind = PHX_DRIVER_VELOCITY;
    driver.vector = phxi_vec3(0, 0, 1);
    phx_result result = make_world(v, 0, &world);
    if (result == PHX_OK) {
        result =
            add_steel(world, "efg", "ball", "sphere(center=(0,0,0.06), radius=0.06)", 0.6, phxi_vec3(0, 0, 0), false);
    }
    if (result == PHX_OK) {
        result = phx_collider_create(world, &plate, &id);
    }
    if (result == PHX_OK) {
        result = phx_driver_create(world, &driver, &drives);
    }
    for (int k = 0; k < 30 && result == PHX_OK; ++k) {
        result = phx_world_substep(world, 1.0 / 60);
    }
    if (result == PHX_OK) {
        phxi_validate_relative(v, "a plate at 1 m/s hits a ball at rest: its speed, m/s", mean(world, 0, true).z, 1.6,
                               0.02);
    }
    phx_world_destroy(world);
    return result;
}

const phxi_validation_case phxi_cases_rebound[] = {
    {"contact.rebound_bat", "a plate that is driven hits a stiff ball at rest", bat},
    {"contact.rebound", "a stiff ball with implicit steps comes back to e^2 of its height and comes to rest", drops},
    {"contact.rebound_pair", "two stiff bodies part at the smaller restitution; momenta and energy", pair},
    {NULL, NULL, NULL},
};
