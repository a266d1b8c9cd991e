// SPDX-License-Identifier: MIT
// Nothing passes through anything: soft bodies of random shapes, sizes, stiffnesses and methods come down at up to
// 10 m/s, spinning, on a floor, on a plate of two layers that is held, on a thin collider, or on another soft body.
//
// Behind a plate or a collider no particle may be. In another body none may be deeper than a spacing once things have
// calmed down: the nearest particle of that body and those around it tell where a point lies in the body at rest.
#include "validate/dice.h"
#include "validate/contact/contact.h"
#include "world/world.h"

#include <stdio.h>

typedef enum drop_kind { ON_FLOOR, ON_PLATE, ON_COLLIDER, ON_BODY, DROP_KINDS } drop_kind;

typedef struct drop {
    drop_kind kind;
    char shape[256];
    const char* method;
    double spacing, young, poisson, speed;
    phx_vec3 aside, spin;
    phx_law law;
} drop;

static const phx_vec3 partner_size = {0.14, 0.12, 0.07}; // m, of the body below; its top is at z = 0
static const double partner_spacing = 0.014;

/// Shapes of about `size`, the lowest point above z = 0 however they are turned.
static void choose_shape(phxi_dice* dice, double size, char* text, size_t room) {
    double lift = 1.1 * size, turn = phxi_roll(dice, 0, 180), x = phxi_roll(dice, -1, 1), y = phxi_roll(dice, -1, 1);
    char part[96];
    switch (phxi_pick(dice, 4)) {
    case 0:
        snprintf(part, sizeof part, "box(size=(%g,%g,%g), round=%g)", size, 0.8 * size, phxi_roll(dice, 0.4, 1) * size,
                 0.1 * size);
        break;
    case 1:
        snprintf(part, sizeof part, "sphere(radius=%g)", 0.5 * size);
        break;
    case 2:
        snprintf(part, sizeof part, "cylinder(from=(0,0,%g), to=(0,0,%g), radius=%g)", -0.5 * size, 0.5 * size,
                 0.35 * size);
        break;
    default:
        snprintf(part, sizeof part, "torus(major=%g, minor=%g)", 0.4 * size, 0.2 * size);
        break;
    }
    snprintf(text, room, "move(offset=(0,0,%g), rotate(axis=(%g,%g,0.1), angle=%g, %s))", lift, x, y, turn, part);
}

static drop choose(int k) {
    phxi_dice dice = {phxi_hash_pair(0x64726f70, (uint64_t)k)};
    drop d = {.kind = (drop_kind)(k % DROP_KINDS)};
    d.spacing = phxi_roll(&dice, 0.009, 0.016);
    d.young = phxi_roll_log(&dice, 1e4, 1e6);
    d.poisson = phxi_roll(&dice, 0.2, 0.45);
    d.method = phxi_roll(&dice, 0, 1) < 0.5 ? "efg" : "corotated_sph";
    d.law = d.kind == ON_BODY || phxi_roll(&dice, 0, 1) < 0.5 ? PHX_LAW_NEO_HOOKEAN_BOUNDED : PHX_LAW_COROTATED;
    d.speed = k % 3 == 0 ? 10 : phxi_roll(&dice, 1, 10);
    d.aside = phxi_vec3(phxi_roll(&dice, -1, 1), phxi_roll(&dice, -1, 1), 0);
    d.spin = phxi_vec3(phxi_roll(&dice, -20, 20), phxi_roll(&dice, -20, 20), phxi_roll(&dice, -20, 20));
    choose_shape(&dice, phxi_roll(&dice, 4, 7) * d.spacing, d.shape, sizeof d.shape);
    return d;
}

static phx_result add_collider(phx_world* world, const char* shape) {
    phx_collider_def def = phx_collider_def_default();
    phx_collider_id id;
    def.shape = shape;
    return phx_collider_create(world, &def, &id);
}

static phx_result add_target(phx_world* world, const drop* d) {
    phxi_contact_thing plate = {.name = "plate",
                                .shape = "box(center=(0,0,-0.012), size=(0.36,0.36,0.024))",
                                .spacing = 0.012,
                                .young = d->young,
                                .pinned = true};
    phxi_contact_thing partner = {.name = "partner",
                                  .shape = "box(center=(0,0,-0.035), size=(0.14,0.12,0.07))",
                                  .spacing = partner_spacing,
                                  .friction = 0.3,
                                  .contact_damping = 0.1,
                                  .method = d->method,
                                  .law = d->law,
                                  .young = d->young};
    switch (d->kind) {
    case ON_FLOOR:
        return add_collider(world, "plane()");
    case ON_PLATE:
        return phxi_contact_add(world, &plate);
    case ON_COLLIDER:
        return add_collider(world, "box(center=(0,0,-0.005), size=(0.6,0.6,0.01))");
    default:
        PHXI_TRY(add_collider(world, "plane(point=(0,0,-0.07))"));
        return phxi_contact_add(world, &partner);
    }
}

static phx_result fall(phxi_validation* v, const drop* d, phx_world** world) {
    PHXI_TRY(phxi_contact_world(v, (phx_vec3){0, 0, -9.81}, NULL, 0, world));
    PHXI_TRY(add_target(*world, d));
    phxi_contact_thing thing = {.name = "thing",
                                .shape = d->shape,
                                .spacing = d->spacing,
                                .friction = 0.3,
                                .contact_damping = 0.1,
                                .method = d->method,
                                .young = d->young,
                                .poisson = d->poisson,
                                .law = d->law,
                                .velocity = {d->aside.x, d->aside.y, -d->speed},
                                .spin = d->spin};
    PHXI_TRY(phxi_contact_add(*world, &thing));
    // the softest are crushed by spacings and take the time of a wave to come out again
    double sound = sqrt(d->young / (*world)->bodies.items[0].material.density);
    return phx_world_step(*world, 0.08 + 0.2 / sound);
}

// ------------------------------------------------------------------------------------------------- what went through

/// How deep a point is in a box, m; negative outside.
static double depth_in_partner(phx_vec3 rest) {
    double x = 0.5 * partner_size.x - fabs(rest.x), y = 0.5 * partner_size.y - fabs(rest.y);
    double z = 0.5 * partner_size.z - fabs(rest.z + 0.5 * partner_size.z);
    return fmin(x, fmin(y, z));
}

static phx_vec3 place(const phxi_particles* p, int i) {
    return phxi_vec3(p->x[i], p->y[i], p->z[i]);
}

static phx_vec3 rest_place(const phxi_particles* p, int i) {
    return phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]);
}

/// Where the particles around `at` say that the point lay at rest: by least squares of their positions.
static phx_vec3 back_to_rest(const phxi_particles* p, const phxi_body* body, int at, phx_vec3 point) {
    phxi_mat3 second = {{{0}}}, mixed = {{{0}}}, inverse;
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        phx_vec3 now = phxi_sub(place(p, i), place(p, at)), rest = phxi_sub(rest_place(p, i), rest_place(p, at));
        if (phxi_length(rest) < 1.8 * partner_spacing) {
            const double x[3] = {now.x, now.y, now.z}, y[3] = {rest.x, rest.y, rest.z};
            for (int k = 0; k < 9; ++k) {
                second.m[k / 3][k % 3] += x[k / 3] * x[k % 3];
                mixed.m[k / 3][k % 3] += y[k / 3] * x[k % 3];
            }
        }
    }
    phx_vec3 way = phxi_sub(point, place(p, at));
    if (phxi_mat3_inverse(&second, &inverse)) {
        phxi_mat3 back = phxi_mat3_mul(&mixed, &inverse);
        way = phxi_mat3_apply(&back, way);
    }
    return phxi_add(rest_place(p, at), way);
}

/// The deepest that particles of one body are in the other, in spacings.
static double deepest_within(const phx_world* world, int thing, int partner) {
    const phxi_particles* p = &world->particles;
    const phxi_body *a = &world->bodies.items[thing], *b = &world->bodies.items[partner];
    double deepest = 0;
    for (int i = a->begin; i < a->begin + a->count; ++i) {
        int nearest = b->begin;
        for (int j = b->begin; j < b->begin + b->count; ++j) {
            nearest =
                phxi_distance(place(p, i), place(p, j)) < phxi_distance(place(p, i), place(p, nearest)) ? j : nearest;
        }
        if (phxi_distance(place(p, i), place(p, nearest)) < 1.5 * partner_spacing) {
            deepest = fmax(deepest, depth_in_partner(back_to_rest(p, b, nearest, place(p, i))));
        }
    }
    return deepest / partner_spacing;
}

/// How far particles are beyond what they must not pass, in spacings.
static double passed(const phx_world* world, const drop* d) {
    // the partner lies on a floor with its face, and may be pressed into that by half a spacing
    const double far_side[DROP_KINDS] = {0, -0.012, -0.005, -0.07 - 0.5 * partner_spacing};
    const phxi_particles* p = &world->particles;
    double most = 0;
    for (int i = 0; i < p->count; ++i) {
        if (d->kind != ON_PLATE || p->body[i] == 1) {
            most = fmax(most, (far_side[d->kind] - p->z[i]) / d->spacing);
        }
    }
    return d->kind == ON_BODY ? fmax(most, deepest_within(world, 1, 0) - 1) : most;
}

phx_result phxi_validate_contact_drops(phxi_validation* v, int count) {
    int through[DROP_KINDS] = {0};
    for (int k = 0; k < count; ++k) {
        drop d = choose(k);
        phx_world* world = NULL;
        phx_result result = fall(v, &d, &world);
        double beyond = result == PHX_OK ? passed(world, &d) : 0;
        through[d.kind] += beyond > 0;
        phx_world_destroy(world);
        PHXI_TRY(result);
    }
    static const char* const words[DROP_KINDS] = {"a floor", "a plate of two layers", "a thin obstacle",
                                                  "another body"};
    for (int kind = 0; kind < DROP_KINDS; ++kind) {
        char quantity[96];
        snprintf(quantity, sizeof quantity, "on %s: bodies with particles that passed", words[kind]);
        phxi_validate(v, quantity, through[kind], 0, 0);
    }
    return PHX_OK;
}
