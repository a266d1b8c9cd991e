// SPDX-License-Identifier: MIT
// Particles against particles (contact/pairs.h): collisions that keep what must be kept, friction on a slope, stacks.
#include "validate/contact/contact.h"

phx_result phxi_contact_add(phx_world* world, const phxi_contact_thing* t) {
    phx_material_def material = phx_material_def_default();
    material.young = t->young > 0 ? t->young : material.young;
    material.poisson = t->poisson > 0 ? t->poisson : material.poisson;
    material.damping = t->drag;
    material.law = t->law;
    phx_material_id id;
    PHXI_TRY(phx_material_create(world, &material, &id));
    phx_body_def def = phx_body_def_default();
    def.name = t->name;
    def.shape = t->shape;
    def.spacing = t->spacing;
    def.material = id;
    def.friction = t->friction;
    def.contact_damping = t->contact_damping;
    def.self_contact = t->self;
    def.method = t->method ? t->method : def.method;
    def.velocity = t->velocity;
    def.angular_velocity = t->spin;
    const phx_setting damped = {"integrator", "damped_verlet"};
    def.settings = &damped;
    def.setting_count = t->drag > 0;
    phx_body_id body;
    PHXI_TRY(phx_body_create(world, &def, &body));
    if (!t->pinned) {
        return PHX_OK;
    }
    phx_driver_def pin = phx_driver_def_default();
    pin.body = t->name;
    phx_driver_id driver;
    return phx_driver_create(world, &pin, &driver);
}

phx_result phxi_contact_world(const phxi_validation* v, phx_vec3 gravity, const phxi_contact_thing* things, int count,
                              phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.gravity = gravity;
    def.threads = v->threads;
    PHXI_TRY(phx_world_create(&def, world));
    for (int k = 0; k < count; ++k) {
        PHXI_TRY(phxi_contact_add(*world, &things[k]));
    }
    return PHX_OK;
}

static double norm(phx_vec3 a) {
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static phx_vec3 change(phx_vec3 a, phx_vec3 b) {
    return (phx_vec3){b.x - a.x, b.y - a.y, b.z - a.z};
}

static double energy(const phx_totals* t) {
    return t->kinetic + t->elastic + t->contact;
}

// -------------------------------------------------------------------------------------------------------- collisions

/// Two balls meet; totals before and after, and the largest energy of contact on the way.
static phx_result collide(phxi_validation* v, const phxi_contact_thing things[2], phx_totals* before, phx_totals* after,
                          double* deepest) {
    phx_world* world = NULL;
    phx_result result = phxi_contact_world(v, (phx_vec3){0, 0, 0}, things, 2, &world);
    if (result == PHX_OK) {
        result = phx_world_measure(world, before);
    }
    *deepest = 0;
    for (int k = 0; k < 30 && result == PHX_OK; ++k) {
        result = phx_world_step(world, 0.01);
        if (result == PHX_OK) {
            result = phx_world_measure(world, after);
            *deepest = fmax(*deepest, after->contact);
        }
    }
    phx_world_destroy(world);
    return result;
}

static phx_result head_on(phxi_validation* v) {
    const phxi_contact_thing balls[2] = {
        {.name = "left", .shape = "sphere(center=(-0.11,0,0), radius=0.1)", .spacing = 0.025, .velocity = {0.5, 0, 0}},
        {.name = "right", .shape = "sphere(center=(0.11,0,0), radius=0.1)", .spacing = 0.025, .velocity = {-0.5, 0, 0}},
    };
    phx_totals before, after;
    double deepest, momentum;
    PHXI_TRY(collide(v, balls, &before, &after, &deepest));
    momentum = 0.5 * before.mass * 0.5;
    phxi_validate(v, "the balls have met and parted: energy in contact, J", after.contact, 0, 0);
    phxi_validate(v, "largest energy in contact over all, between 0.02 and 0.9", deepest / energy(&before), 0.46, 0.44);
    phxi_validate_relative(v, "energy after the collision, J", energy(&after), energy(&before), 0.01);
    phxi_validate(v, "change of momentum over that of a ball", norm(change(before.momentum, after.momentum)) / momentum,
                  0, phxi_by_precision(1e-12, 1e-5));
    phxi_validate(v, "change of angular momentum over momentum times radius",
                  norm(change(before.angular_momentum, after.angular_momentum)) / (momentum * 0.1), 0,
                  phxi_by_precision(1e-12, 1e-5));
    return PHX_OK;
}

static phx_result oblique(phxi_validation* v) {
    const phxi_contact_thing balls[2] = {
        {.name = "left",
         .shape = "sphere(center=(-0.11,-0.05,0.01), radius=0.1)",
         .spacing = 0.025,
         .friction = 0.5,
         .contact_damping = 0.1,
         .velocity = {0.5, 0.3, 0},
         .spin = {2, 0, -3}},
        {.name = "right",
         .shape = "sphere(center=(0.11,0.05,0), radius=0.1)",
         .spacing = 0.025,
         .friction = 0.5,
         .contact_damping = 0.1,
         .velocity = {-0.5, 0, 0.2}},
    };
    phx_totals before, after;
    double deepest, momentum;
    PHXI_TRY(collide(v, balls, &before, &after, &deepest));
    momentum = 0.5 * before.mass * 0.5;
    phxi_validate(v, "the balls have met and parted: energy in contact, J", after.contact, 0, 0);
    phxi_validate(v, "energy lost over all, between 0 and 0.5", 1 - energy(&after) / energy(&before), 0.25, 0.25);
    phxi_validate(v, "change of momentum over that of a ball", norm(change(before.momentum, after.momentum)) / momentum,
                  0, phxi_by_precision(1e-12, 1e-5));
    phxi_validate(v, "change of angular momentum over momentum times radius",
                  norm(change(before.angular_momentum, after.angular_momentum)) / (momentum * 0.1), 0,
                  phxi_by_precision(1e-12, 1e-5));
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- slope

/// A block on a fixed one, gravity tilted: mean acceleration over the second half second.
static phx_result slide(phxi_validation* v, double angle, double friction, double* acceleration) {
    const phxi_contact_thing things[2] = {
        {.name = "slope",
         .shape = "box(center=(0.6,0,-0.02), size=(1.6,0.28,0.04))",
         .spacing = 0.02,
         .friction = friction,
         .contact_damping = 1,
         .pinned = true},
        {.name = "block",
         .shape = "box(center=(-0.007,-0.003,0.04), size=(0.2,0.2,0.08))",
         .spacing = 0.02,
         .friction = friction,
         .contact_damping = 1},
    };
    phx_world* world = NULL;
    phx_totals a = {0}, b = {0};
    phx_vec3 gravity = {9.81 * sin(angle), 0, -9.81 * cos(angle)};
    phx_result result = phxi_contact_world(v, gravity, things, 2, &world);
    for (int k = 0; k < 2 && result == PHX_OK; ++k) {
        result = phx_world_step(world, 0.5);
        if (result == PHX_OK) {
            result = phx_world_measure(world, k == 0 ? &a : &b);
        }
    }
    phx_totals block = {0};
    if (result == PHX_OK) {
        result = phx_body_measure(world, phx_world_body_id(world, 1), &block);
        *acceleration = (b.momentum.x - a.momentum.x) / block.mass / 0.5;
    }
    phx_world_destroy(world);
    return result;
}

static phx_result slope(phxi_validation* v) {
    double degrees = 3.14159265358979323846 / 180, measured = 0;
    PHXI_TRY(slide(v, 30 * degrees, 0.3, &measured));
    phxi_validate_relative(v, "sliding at 30 deg, friction 0.3, m/s^2", measured,
                           9.81 * (sin(30 * degrees) - 0.3 * cos(30 * degrees)), 0.02);
    PHXI_TRY(slide(v, 20 * degrees, 0, &measured));
    phxi_validate_relative(v, "sliding at 20 deg, no friction, m/s^2", measured, 9.81 * sin(20 * degrees), 0.02);
    PHXI_TRY(slide(v, 10 * degrees, 0.3, &measured));
    phxi_validate(v, "resting at 10 deg, friction 0.3, m/s^2", measured, 0, 0.01);
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- stack

static phx_result stack(phxi_validation* v) {
    const phxi_contact_thing things[3] = {
        {.name = "low",
         .shape = "box(center=(0,0,0.05), size=(0.1,0.1,0.1))",
         .spacing = 0.02,
         .friction = 0.5,
         .contact_damping = 0.1,
         .young = 1e6,
         .drag = 10},
        {.name = "middle",
         .shape = "box(center=(0.007,-0.003,0.153), size=(0.1,0.1,0.1))",
         .spacing = 0.02,
         .friction = 0.5,
         .contact_damping = 0.1,
         .young = 1e6,
         .drag = 10},
        {.name = "high",
         .shape = "box(center=(-0.006,0.005,0.26), size=(0.1,0.1,0.1))",
         .spacing = 0.02,
         .friction = 0.5,
         .contact_damping = 0.1,
         .young = 1e6,
         .drag = 10},
    };
    phx_world* world = NULL;
    phx_totals still = {0}, later = {0}, top[2] = {{0}, {0}};
    phx_result result = phxi_contact_world(v, (phx_vec3){0, 0, -9.81}, things, 3, &world);
    phx_collider_def floor = phx_collider_def_default();
    floor.friction = 0.5;
    phx_collider_id id;
    result = result == PHX_OK ? phx_collider_create(world, &floor, &id) : result;
    result = result == PHX_OK ? phx_world_step(world, 2) : result;
    result = result == PHX_OK ? phx_world_measure(world, &still) : result;
    result = result == PHX_OK ? phx_body_measure(world, phx_world_body_id(world, 2), &top[0]) : result;
    result = result == PHX_OK ? phx_world_step(world, 2) : result;
    result = result == PHX_OK ? phx_world_measure(world, &later) : result;
    result = result == PHX_OK ? phx_body_measure(world, phx_world_body_id(world, 2), &top[1]) : result;
    phx_world_destroy(world);
    PHXI_TRY(result);
    phxi_validate(v, "speed after 2 s, m/s", sqrt(2 * still.kinetic / still.mass), 0, 1e-3);
    phxi_validate(v, "speed after 4 s, m/s", sqrt(2 * later.kinetic / later.mass), 0, 1e-4);
    phxi_validate(v, "creep of the topmost in 2 s, m", norm(change(top[0].mean_position, top[1].mean_position)), 0,
                  1e-4);
    phxi_validate_relative(v, "height of the topmost, m", top[1].mean_position.z, 0.25, 0.1);
    return PHX_OK;
}

phx_result phxi_validate_contact_drops_full(phxi_validation* v) {
    return phxi_validate_contact_drops(v, 100);
}

static phx_result some_drops(phxi_validation* v) {
    return phxi_validate_contact_drops(v, 20);
}

const phxi_validation_case phxi_cases_contact[] = {
    {"contact.head_on", "two balls collide: energy, momentum, angular momentum", head_on},
    {"contact.oblique", "two balls collide with spin and friction: momentum, angular momentum", oblique},
    {"contact.slope", "a block on a tilted one slides with g (sin - mu cos), or rests", slope},
    {"contact.drops", "20 soft bodies of all kinds come down at up to 10 m/s: nothing passes through", some_drops},
    {"contact.stack", "three cubes on each other come to rest and stay", stack},
    {NULL, NULL, NULL},
};
