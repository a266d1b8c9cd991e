// SPDX-License-Identifier: MIT
// Bodies with implicit steps that touch each other (implicit/pairs.c): momenta, stacks of very different
// stiffness, friction, explicit partners, at 60 steps a second.
#include "validate/validate.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

static const double frame = 1.0 / 60;

typedef struct thing {
    const char *name, *shape;
    double spacing, young, density, friction;
    const char* integrator;
    phx_vec3 velocity, spin;
    bool pinned, self;
} thing;

static phx_result add_thing(phx_world* world, const thing* t) {
    phx_material_def material = phx_material_def_default();
    material.young = t->young;
    material.density = t->density;
    material.poisson = 0.3;
    material.law = PHX_LAW_NEO_HOOKEAN;
    phx_material_id id;
    PHXI_TRY(phx_material_create(world, &material, &id));
    phx_setting setting = {"integrator", t->integrator ? t->integrator : "bdf2"};
    phx_body_def def = phx_body_def_default();
    def.name = t->name;
    def.shape = t->shape;
    def.spacing = t->spacing;
    def.material = id;
    def.friction = t->friction;
    def.velocity = t->velocity;
    def.angular_velocity = t->spin;
    def.self_contact = t->self;
    def.settings = &setting;
    def.setting_count = 1;
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

static phx_result make_world(const phxi_validation* v, phx_vec3 gravity, const thing* things, int count, bool floor,
                             phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.gravity = gravity;
    def.threads = v->threads;
    *world = NULL;
    PHXI_TRY(phx_world_create(&def, world));
    for (int k = 0; k < count; ++k) {
        PHXI_TRY(add_thing(*world, &things[k]));
    }
    phx_collider_def ground = phx_collider_def_default();
    phx_collider_id id;
    return floor ? phx_collider_create(*world, &ground, &id) : PHX_OK;
}

/// Mean velocity and position of a body; its lowest and highest particle.
typedef struct state {
    phx_vec3 center, velocity;
    double low, high, speed;
} state;

static state state_of(const phx_world* world, int b) {
    const phxi_particles* p = &world->particles;
    const phxi_body* body = &world->bodies.items[b];
    state s = {.low = INFINITY, .high = -INFINITY};
    double mass = 0;
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        phx_vec3 v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
        mass += (double)p->mass[i];
        s.center = phxi_add_scaled(s.center, (double)p->mass[i], phxi_vec3(p->x[i], p->y[i], p->z[i]));
        s.velocity = phxi_add_scaled(s.velocity, (double)p->mass[i], v);
        s.low = fmin(s.low, (double)p->z[i]);
        s.high = fmax(s.high, (double)p->z[i]);
        s.speed = fmax(s.speed, phxi_length(v));
    }
    s.center = phxi_scale(1 / mass, s.center);
    s.velocity = phxi_scale(1 / mass, s.velocity);
    return s;
}

static phx_result steps(phx_world* world, int count, double dt) {
    for (int k = 0; k < count; ++k) {
        PHXI_TRY(phx_world_substep(world, dt));
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------- collisions

/// Two balls meet at 60 steps a second; momenta, energies and what the left one gave to the right.
static phx_result collide(phxi_validation* v, const thing balls[2], const char* name) {
    phx_world* world = NULL;
    phx_totals before = {0}, after = {0};
    phx_result result = make_world(v, (phx_vec3){0, 0, 0}, balls, 2, false, &world);
    double worst = 0, most = 0, apart = NAN, least = INFINITY;
    if (result == PHX_OK) {
        result = phx_world_measure(world, &before);
    }
    double start = before.kinetic, last = start;
    for (int k = 0; k < 40 && result == PHX_OK; ++k) {
        result = phx_world_substep(world, frame);
        if (result == PHX_OK) {
            result = phx_world_measure(world, &after);
        }
        last = after.kinetic + after.elastic; // what is in contact is not reported
        worst = fmax(worst, last / start - 1);
        most = fmax(most, phxi_distance(after.momentum, before.momentum));
        least = fmin(least, phxi_distance(state_of(world, 0).center, state_of(world, 1).center) / 0.2);
    }
    if (result == PHX_OK) {
        state a = state_of(world, 0), b = state_of(world, 1);
        apart = phxi_dot(phxi_sub(b.velocity, a.velocity), phxi_sub(b.center, a.center));
        double one = 0.5 * before.mass * phxi_length(balls[0].velocity);
        char quantity[96];
        snprintf(quantity, sizeof quantity, "%s: change of momentum over that of a ball", name);
        phxi_validate(v, quantity, most / one, 0, phxi_by_precision(1e-12, 1e-5));
        snprintf(quantity, sizeof quantity, "%s: change of angular momentum", name);
        phxi_validate(v, quantity, phxi_distance(after.angular_momentum, before.angular_momentum) / (0.1 * one), 0,
                      phxi_by_precision(1e-12, 1e-5));
        snprintf(quantity, sizeof quantity, "%s: most energy over that of the start", name);
        phxi_validate(v, quantity, fmax(0, worst), 0, 1e-3);
        snprintf(quantity, sizeof quantity, "%s: energy left, between 0 and 1", name);
        phxi_validate(v, quantity, last / start, 0.5, 0.5);
        snprintf(quantity, sizeof quantity, "%s: nearing afterwards", name);
        phxi_validate(v, quantity, fmax(0, -apart / phxi_length(balls[0].velocity)), 0, 0.02);
        snprintf(quantity, sizeof quantity, "%s: least distance over that of touching", name);
        phxi_validate(v, quantity, least, 1, 0.1);
    }
    phx_world_destroy(world);
    return result;
}

static phx_result balls(phxi_validation* v) {
    static const double youngs[] = {2e11, 1e7};
    for (int k = 0; k < 2; ++k) {
        thing pair[2] = {{.name = "left",
                          .shape = "sphere(center=(-0.13,0,0), radius=0.1)",
                          .spacing = 0.025,
                          .young = youngs[k],
                          .density = 7800,
                          .friction = 0.3,
                          .velocity = {1, 0, 0}},
                         {.name = "right",
                          .shape = "sphere(center=(0.13,0,0), radius=0.1)",
                          .spacing = 0.025,
                          .young = youngs[k],
                          .density = 7800,
                          .friction = 0.3,
                          .velocity = {-1, 0, 0}}};
        PHXI_TRY(collide(v, pair, k ? "rubber" : "steel"));
        pair[0].shape = "sphere(center=(-0.13,-0.05,0.01), radius=0.1)";
        pair[0].spin = (phx_vec3){2, 0, -3};
        pair[1].velocity = (phx_vec3){0, 0, 0.2};
        PHXI_TRY(collide(v, pair, k ? "rubber, aside" : "steel, aside"));
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------ stacks

static phx_result rest(phxi_validation* v, const thing* things, int count, double dt, const char* name) {
    phx_world* world = NULL;
    phx_result result = make_world(v, (phx_vec3){0, 0, -9.81}, things, count, true, &world);
    double speed = 0, least = INFINITY;
    if (result == PHX_OK) {
        result = steps(world, (int)(3 / dt), dt);
    }
    phx_vec3 places[8] = {{0}};
    for (int b = 0; b < count && result == PHX_OK; ++b) {
        places[b] = state_of(world, b).center;
    }
    if (result == PHX_OK) {
        result = steps(world, (int)(1 / dt), dt);
    }
    double creep = 0;
    for (int b = 0; b < count && result == PHX_OK; ++b) {
        state s = state_of(world, b);
        double below = b > 0 ? state_of(world, b - 1).high : 0;
        speed = fmax(speed, s.speed);
        least = fmin(least, (s.low - below) / things[b].spacing);
        creep = fmax(creep, phxi_distance(s.center, places[b]) / things[b].spacing);
    }
    phx_world_destroy(world);
    char quantity[96];
    snprintf(quantity, sizeof quantity, "%s: largest speed after 4 s, m/s", name);
    phxi_validate(v, quantity, speed, 0, 5e-3);
    snprintf(quantity, sizeof quantity, "%s: way in the last second, spacings", name);
    phxi_validate(v, quantity, creep, 0, 0.01);
    snprintf(quantity, sizeof quantity, "%s: least gap between faces, spacings", name);
    phxi_validate(v, quantity, least, 0, 0.1);
    return result;
}

static phx_result stacks(phxi_validation* v) {
    const thing mixed[3] = {{.name = "jelly",
                             .shape = "box(center=(0,0,0.05), size=(0.2,0.2,0.1))",
                             .spacing = 0.025,
                             .young = 2e5,
                             .density = 1000,
                             .friction = 0.5},
                            {.name = "rubber",
                             .shape = "box(center=(0,0,0.16), size=(0.15,0.15,0.1))",
                             .spacing = 0.025,
                             .young = 1e7,
                             .density = 1100,
                             .friction = 0.5},
                            {.name = "steel",
                             .shape = "box(center=(0,0,0.27), size=(0.1,0.1,0.1))",
                             .spacing = 0.025,
                             .young = 2e11,
                             .density = 7800,
                             .friction = 0.5}};
    thing cubes[4];
    static const char* const shapes[4] = {
        "box(center=(0,0,0.05), size=(0.1,0.1,0.1))", "box(center=(0.004,0.01,0.151), size=(0.1,0.1,0.1))",
        "box(center=(-0.007,0.003,0.252), size=(0.1,0.1,0.1))", "box(center=(0.01,-0.005,0.353), size=(0.1,0.1,0.1))"};
    static const char* const names[4] = {"one", "two", "three", "four"};
    for (int k = 0; k < 4; ++k) {
        cubes[k] = (thing){
            .name = names[k], .shape = shapes[k], .spacing = 0.025, .young = 2e11, .density = 7800, .friction = 0.5};
    }
    PHXI_TRY(rest(v, cubes, 4, frame, "steel cubes"));
    return rest(v, mixed, 3, frame, "steel on rubber on jelly");
}

// ---------------------------------------------------------------------------------------------------------- friction

/// A block on a pinned plate, gravity tilted by `slope` (its tangent): way along it, m, and speed after each half of
/// the time.
static phx_result slide(phxi_validation* v, double slope, double seconds, double* way, double speed[2]) {
    const thing things[2] = {{.name = "plate",
                              .shape = "box(center=(0.2,0,-0.025), size=(0.8,0.2,0.05))",
                              .spacing = 0.025,
                              .young = 1e9,
                              .density = 2000,
                              .friction = 0.5,
                              .pinned = true},
                             {.name = "block",
                              .shape = "box(center=(0,0.007,0.05), size=(0.1,0.1,0.1))",
                              .spacing = 0.025,
                              .young = 2e11,
                              .density = 7800,
                              .friction = 0.5}};
    double across = 9.81 / sqrt(1 + slope * slope);
    phx_world* world = NULL;
    phx_result result = make_world(v, (phx_vec3){across * slope, 0, -across}, things, 2, false, &world);
    double start = result == PHX_OK ? state_of(world, 1).center.x : 0;
    for (int half = 0; half < 2 && result == PHX_OK; ++half) {
        result = steps(world, (int)lrint(seconds / 2 / frame), frame);
        speed[half] = state_of(world, 1).velocity.x;
    }
    *way = result == PHX_OK ? state_of(world, 1).center.x - start : NAN;
    phx_world_destroy(world);
    return result;
}

static phx_result slope(phxi_validation* v) {
    double way = NAN, speed[2] = {NAN, NAN}, across = 9.81 / sqrt(1 + 0.8 * 0.8);
    PHXI_TRY(slide(v, 0.4, 1, &way, speed));
    phxi_validate(v, "creep in 1 s below the angle of friction, spacings", way / 0.025, 0, 0.01);
    PHXI_TRY(slide(v, 0.8, 0.5, &way, speed));
    phxi_validate_relative(v, "acceleration above it, g (sin - mu cos)", (speed[1] - speed[0]) / 0.25,
                           across * (0.8 - 0.5), 0.1);
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------- other partners

/// A cube of steel falls on an explicit jelly: it must come to rest on top, and neither may gain energy.
static phx_result explicit_partner(phxi_validation* v) {
    const thing things[2] = {{.name = "jelly",
                              .shape = "box(center=(0,0,0.05), size=(0.2,0.2,0.1))",
                              .spacing = 0.025,
                              .young = 2e5,
                              .density = 1000,
                              .friction = 0.5,
                              .integrator = "velocity_verlet"},
                             {.name = "steel",
                              .shape = "box(center=(0,0,0.16), size=(0.1,0.1,0.1))",
                              .spacing = 0.025,
                              .young = 2e11,
                              .density = 7800,
                              .friction = 0.5}};
    phx_world* world = NULL;
    phx_totals t = {0};
    phx_result result = make_world(v, (phx_vec3){0, 0, -9.81}, things, 2, true, &world);
    double start = NAN, most = -INFINITY, lowest = INFINITY, highest = -INFINITY;
    if (result == PHX_OK) {
        result = phx_world_measure(world, &t);
        start = t.kinetic + t.potential;
    }
    for (int k = 0; k < 60 && result == PHX_OK; ++k) {
        result = phx_world_step(world, frame);
        if (result == PHX_OK) {
            result = phx_world_measure(world, &t);
        }
        double height = result == PHX_OK ? state_of(world, 1).low : NAN;
        most = fmax(most, (t.kinetic + t.potential + t.elastic + t.contact - start) / (t.mass * 9.81 * 0.01));
        lowest = fmin(lowest, height);
        highest = k > 30 ? fmax(highest, height) : highest;
    }
    phx_world_destroy(world);
    phxi_validate(v, "explicit jelly: energy gained over a fall of 1 cm", fmax(0, most), 0, 0.01);
    phxi_validate(v, "explicit jelly: height of the steel, 0.06 to 0.125 m", 0.5 * (lowest + highest), 0.0925, 0.0325);
    return result;
}

/// Two arms of a fork are pressed together by drivers: they must not pass through each other.
static phx_result fold(phxi_validation* v) {
    const thing fork = {.name = "fork",
                        .shape = "difference(box(size=(0.4,0.1,0.2)), box(center=(0.05,0,0), size=(0.4,0.2,0.1)))",
                        .spacing = 0.025,
                        .young = 1e6,
                        .density = 1000,
                        .friction = 0.3,
                        .self = true};
    phx_world* world = NULL;
    phx_result result = make_world(v, (phx_vec3){0, 0, 0}, &fork, 1, false, &world);
    for (int side = -1; side <= 1 && result == PHX_OK; side += 2) {
        char region[128];
        snprintf(region, sizeof region, "box(center=(0.1875,0,%g), size=(0.03,0.2,0.04))", side * 0.0875);
        phx_driver_def driver = phx_driver_def_default();
        driver.name = side < 0 ? "below" : "above";
        driver.kind = PHX_DRIVER_MOVE;
        driver.region = region;
        driver.vector = (phx_vec3){0, 0, -side * 0.0425}; // their faces, 0.1 m apart, to 0.6 of a spacing
        driver.ramp = 0.5;
        phx_driver_id id;
        result = phx_driver_create(world, &driver, &id);
    }
    if (result == PHX_OK) {
        result = steps(world, 60, frame);
    }
    double least = INFINITY;
    for (int i = 0; result == PHX_OK && i < world->particles.count; ++i) { // inner layers against each other
        const phxi_particles* p = &world->particles;
        for (int j = 0; j < p->count; ++j) {
            if ((double)p->rest_z[i] < -0.04 && (double)p->rest_z[j] > 0.04 && (double)p->rest_x[i] > -0.1 &&
                (double)p->rest_x[j] > -0.1) {
                least = fmin(least, hypot(hypot((double)p->x[i] - (double)p->x[j], (double)p->y[i] - (double)p->y[j]),
                                          (double)p->z[i] - (double)p->z[j]));
            }
        }
    }
    phx_world_destroy(world);
    phxi_validate(v, "fork: least distance of its arms over the spacing", least / 0.025, 0.9, 0.2);
    return result;
}

static phx_result partners(phxi_validation* v) {
    PHXI_TRY(explicit_partner(v));
    return fold(v);
}

const phxi_validation_case phxi_cases_implicit_contact[] = {
    {"contact.implicit_balls", "two balls with implicit steps collide", balls},
    {"contact.implicit_stack", "bodies with implicit steps on each other come to rest and stay", stacks},
    {"contact.implicit_slope", "a block with implicit steps slides with g (sin - mu cos), or rests", slope},
    {"contact.implicit_partners", "implicit steps on an explicit body, and on itself", partners},
    {NULL, NULL, NULL},
};
