// SPDX-License-Identifier: MIT
// Slower sound for blows (materials/sound.h, docs/theory/fracture.md (17)): a ball of glass meets a plane. The force of
// that blow over the strength is that of the real ball by Hertz 1881, F = 4/3 E* R^(1/2) d^(3/2) at the depth d where
// its energy is 8/15 E* R^(1/2) d^(5/2), E* = E/(1 - nu^2).
#include "materials/sound.h"
#include "validate/efg/efg.h"
#include "world/world.h"

#include <stdio.h>

#define RADIUS  0.02 // m
#define SPACING 0.00125
#define SPEED   1.0 // m/s

static phx_result make_ball(phxi_validation* v, const phx_material_def* material, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){0};
    def.threads = v->threads;
    PHXI_TRY(phx_world_create(&def, world));
    phx_body_def body = phx_body_def_default();
    PHXI_TRY(phx_material_create(*world, material, &body.material));
    char shape[96];
    snprintf(shape, sizeof shape, "sphere(center=(0, 0, %g), radius=%g)", RADIUS + 0.1 * SPACING, RADIUS);
    body.shape = shape;
    body.spacing = SPACING;
    body.velocity.z = -SPEED;
    phx_body_id id;
    PHXI_TRY(phx_body_create(*world, &body, &id));
    phx_collider_def floor = phx_collider_def_default();
    phx_collider_id collider;
    return phx_collider_create(*world, &floor, &collider);
}

static double hertz_depth(double modulus, double mass) {
    return pow(15.0 / 16 * mass * SPEED * SPEED / (modulus * sqrt(RADIUS)), 0.4);
}

static double hertz_force(double modulus, double mass) {
    return 4.0 / 3 * modulus * sqrt(RADIUS) * pow(hertz_depth(modulus, mass), 1.5);
}

/// Largest force over the strength, times that over the force of the real ball.
static phx_result hit(phxi_validation* v, phx_world* world, const phx_material_def* real, double* ratio) {
    enum { LOOKS = 60 };
    const phx_material_def* slow = &world->bodies.items[0].material;
    double plane = 1 - real->poisson * real->poisson, most = 0;
    phx_totals now, before;
    PHXI_TRY(phx_world_measure(world, &before));
    double mass = before.mass, pause = 2.94 * hertz_depth(slow->young / plane, mass) / SPEED / LOOKS;
    (void)v;
    for (int k = 0; k < LOOKS; ++k) {
        PHXI_TRY(phx_world_step(world, pause));
        PHXI_TRY(phx_world_measure(world, &now));
        most = fmax(most, (now.momentum.z - before.momentum.z) / pause);
        before = now;
    }
    *ratio = most / slow->strength * real->strength / hertz_force(real->young / plane, mass);
    return PHX_OK;
}

phx_result phxi_validate_blow(phxi_validation* v) {
    static const double limits[2] = {30, 60}; // m/s; that of glass is 5578
    const phx_preset* glass;
    PHXI_TRY(phx_preset_find("glass", &glass));
    for (int k = 0; k < 2; ++k) {
        phx_material_def material = glass->def;
        material.sound_limit = limits[k];
        material.strength = 1e12, material.toughness = 0; // it stays whole
        phx_world* world = NULL;
        double ratio = 0;
        phx_result result = make_ball(v, &material, &world);
        result = result == PHX_OK ? hit(v, world, &material, &ratio) : result;
        phx_world_destroy(world);
        PHXI_TRY(result);
        char what[96];
        snprintf(what, sizeof what, "force of a blow over strength, %g m/s over Hertz's of the real ball", limits[k]);
        phxi_validate(v, what, ratio, 1, 0.05);
    }
    return PHX_OK;
}
