// SPDX-License-Identifier: MIT
// Whole worlds with textbook answers: free fall, a bounce, friction on a slope, drivers.
#include "validate/validate.h"

#include <phyxel/world.h>

#include <math.h>
#include <stdio.h>

/// A world with one block of `shape`, 2 cm apart, of soft rubber.
static phx_result make_block(phxi_validation* v, const phx_world_def* changes, const char* shape, double damping,
                             phx_world** world, phx_body_id* body) {
    phx_world_def def = *changes;
    def.threads = v->threads;
    PHXI_TRY(phx_world_create(&def, world));
    phx_material_def material = phx_material_def_default();
    material.damping = damping;
    phx_material_id id;
    PHXI_TRY(phx_material_create(*world, &material, &id));
    phx_body_def block = phx_body_def_default();
    block.shape = shape;
    block.spacing = 0.02;
    block.material = id;
    return phx_body_create(*world, &block, body);
}

static phx_result add_plane(phx_world* world, double friction, double damping) {
    phx_collider_def def = phx_collider_def_default();
    def.shape = "plane()";
    def.friction = friction;
    def.damping = damping;
    phx_collider_id id;
    return phx_collider_create(world, &def, &id);
}

static phx_result measure_free_fall(phxi_validation* v, phx_world* world) {
    phx_totals before, after;
    PHXI_TRY(phx_world_measure(world, &before));
    PHXI_TRY(phx_world_step(world, 0.5));
    PHXI_TRY(phx_world_measure(world, &after));
    // Velocity Verlet is exact for constant acceleration; the state's precision is what is left.
    phxi_validate(v, "drop after 0.5 s, m", before.mean_position.z - after.mean_position.z, 0.5 * 9.81 * 0.25,
                  phxi_by_precision(1e-12, 1e-4));
    phxi_validate(v, "speed after 0.5 s, m/s", -after.momentum.z / after.mass, 9.81 * 0.5,
                  phxi_by_precision(1e-12, 1e-4));
    phxi_validate(v, "elastic energy over kinetic", after.elastic / after.kinetic, 0, phxi_by_precision(1e-20, 1e-9));
    return PHX_OK;
}

static phx_result free_fall(phxi_validation* v) {
    phx_world* world = NULL;
    phx_body_id body;
    phx_world_def def = phx_world_def_default();
    phx_result result = make_block(v, &def, "box(center=(0,0,2), size=(0.1,0.1,0.1))", 0, &world, &body);
    if (result == PHX_OK) {
        result = measure_free_fall(v, world);
    }
    phx_world_destroy(world);
    return result;
}

// A block on a slope (gravity tilted): sticks below the angle of friction, slides with g (sin - mu cos) above it. It
// has some damping: what has none hops on where it slides, by hundredths of a millimetre, and half a second of that is
// a percent off the mean.
static phx_result slide(phxi_validation* v, double angle, double friction, double* acceleration) {
    phx_world* world = NULL;
    phx_body_id body;
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){9.81 * sin(angle), 0, -9.81 * cos(angle)};
    phx_result result = make_block(v, &def, "box(center=(0,0,0.04), size=(0.2,0.2,0.08))", 20, &world, &body);
    phx_totals a = {0}, b = {0};
    if (result == PHX_OK) {
        result = add_plane(world, friction, 1);
    }
    // let it settle first, then measure the mean acceleration over half a second
    if (result == PHX_OK) {
        result = phx_world_step(world, 0.5);
    }
    if (result == PHX_OK) {
        result = phx_world_measure(world, &a);
    }
    if (result == PHX_OK) {
        result = phx_world_step(world, 0.5);
    }
    if (result == PHX_OK) {
        result = phx_world_measure(world, &b);
        *acceleration = (b.momentum.x - a.momentum.x) / b.mass / 0.5;
    }
    phx_world_destroy(world);
    return result;
}

static phx_result friction(phxi_validation* v) {
    double degrees = 3.14159265358979323846 / 180, measured = 0;
    PHXI_TRY(slide(v, 30 * degrees, 0.3, &measured));
    phxi_validate_relative(v, "sliding at 30 deg, friction 0.3, m/s^2", measured,
                           9.81 * (sin(30 * degrees) - 0.3 * cos(30 * degrees)), 0.01);
    PHXI_TRY(slide(v, 30 * degrees, 0, &measured));
    phxi_validate_relative(v, "sliding at 30 deg, no friction, m/s^2", measured, 9.81 * sin(30 * degrees), 1e-3);
    PHXI_TRY(slide(v, 10 * degrees, 0.3, &measured));
    phxi_validate(v, "resting at 10 deg, friction 0.3, m/s^2", measured, 0, 0.01);
    return PHX_OK;
}

const phxi_validation_case phxi_cases_world[] = {
    {"world.free_fall", "a block falls as Galileo said, without strain", free_fall},
    {"world.friction", "a block on a slope slides with g (sin - mu cos), or rests", friction},
    {NULL, NULL, NULL},
};
