// SPDX-License-Identifier: MIT
// Rigid bodies that touch: each other, colliders, soft bodies.
#include "validate/rigid/trial.h"

#include <stdio.h>

static const double PI = 3.14159265358979323846, G = 9.81;

static phx_vec3 slope(double degrees) {
    return phxi_vec3(G * sin(degrees * PI / 180), 0, -G * cos(degrees * PI / 180));
}

// --------------------------------------------------------------------------------------------------------- collisions

static phx_result collide(phxi_validation* v) {
    static const double dampings[2] = {0, 0.2};
    for (int k = 0; k < 2; ++k) {
        const phxi_thing balls[2] = {{.name = "a",
                                      .shape = "sphere((0, 0, 0), 0.03)",
                                      .young = 1e8,
                                      .velocity = {1, 0, 0},
                                      .contact_damping = dampings[k]},
                                     {.name = "b",
                                      .shape = "sphere((0.065, 0.013, 0.008), 0.03)",
                                      .young = 1e8,
                                      .contact_damping = dampings[k]}};
        phx_world* world = NULL;
        phx_totals before = {0}, after = {0};
        phx_result result = phxi_rigid_world(v, phxi_vec3(0, 0, 0), balls, 2, &world);
        result = result == PHX_OK ? phx_world_measure(world, &before) : result;
        result = result == PHX_OK ? phx_world_step(world, 0.03) : result;
        result = result == PHX_OK ? phx_world_measure(world, &after) : result;
        if (result == PHX_OK) {
            const phxi_rigid_motion_state *a = &phxi_rigid_inside(world, 0)->state,
                                          *b = &phxi_rigid_inside(world, 1)->state;
            if (k == 0) {
                phxi_validate_relative(v, "energy after a collision without damping, J", after.kinetic, before.kinetic,
                                       0.01);
                phxi_validate(v, "change of angular momentum over m v r",
                              phxi_distance(after.angular_momentum, before.angular_momentum) /
                                  (before.momentum.x * 0.03),
                              0, phxi_by_precision(1e-10, 1e-5));
            } else {
                // along the line of centres, which an impact of 1 ms hardly turns; a spring and damper that only push
                double zeta = dampings[k], root = sqrt(1 - zeta * zeta),
                       cosine = sqrt(1 - (0.013 * 0.013 + 0.008 * 0.008) / (0.06 * 0.06));
                phx_vec3 n = phxi_vec3(cosine, 0.013 / 0.06, 0.008 / 0.06);
                double e = phxi_dot(phxi_sub(b->velocity_now, a->velocity_now), n) / cosine;
                phxi_validate(v, "restitution at damping 0.2", e, exp(-2 * zeta / root * atan(root / zeta)), 0.02);
            }
            phxi_validate(v, "change of momentum over m v",
                          phxi_distance(after.momentum, before.momentum) / before.momentum.x, 0,
                          phxi_by_precision(1e-12, 1e-6));
        }
        phx_world_destroy(world);
        PHXI_TRY(result);
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- slopes

/// A ball on a slope rolls without slip with g sin / (1 + I / (m r^2)), I as sampled.
static phx_result roll(phxi_validation* v) {
    const phxi_thing ball = {.name = "ball", .shape = "sphere((0, 0, 0.05), 0.05)", .spacing = 0.0125};
    phx_world* world = NULL;
    phx_result result = phxi_rigid_world(v, slope(20), &ball, 1, &world);
    double settled = 0, start = 0, rough = 0;
    result = result == PHX_OK ? phxi_rigid_ground(world, 0.6, 0.5) : result;
    for (int k = 0; result == PHX_OK && k < 16; ++k) {
        result = phx_world_step(world, 0.025);
        const phxi_rigid_motion_state* s = &phxi_rigid_inside(world, 0)->state;
        if (k == 5) {
            start = world->time;
            settled = s->velocity_now.x;
        }
        rough = k > 5 ? fmax(rough, fabs(s->velocity_now.z)) : 0;
    }
    if (result == PHX_OK) {
        const phxi_rigid_body* body = phxi_rigid_inside(world, 0);
        const phxi_rigid_motion_state* s = &body->state;
        double radius = 0.05, inertia = body->inertia.yy / (body->mass * radius * radius);
        double rate = (s->velocity_now.x - settled) / (world->time - start);
        double slip = s->velocity_now.x - s->angular_now.y / body->inertia.yy * radius;
        phxi_validate_relative(v, "rolling at 20 deg, m/s^2", rate, slope(20).x / (1 + inertia), 2e-3);
        phxi_validate_relative(v, "the same against 5/7 g sin", rate, slope(20).x * 5 / 7, 0.01);
        phxi_validate(v, "slip over speed", slip / s->velocity_now.x, 0, 2e-3);
        phxi_validate(v, "roughness: speed up and down over speed", rough / s->velocity_now.x, 0, 1e-3);
    }
    phx_world_destroy(world);
    return result;
}

/// Acceleration of a rigid box down a slope, m/s^2, and how far it has crept in the second half, spacings.
static phx_result slide(phxi_validation* v, const char* ground, double degrees, double* rate, double* creep) {
    const phxi_thing things[2] = {
        {.name = "box", .shape = "box((0, 0, 0.02), (0.04, 0.04, 0.04))", .friction = 0.3, .contact_damping = 0.5},
        {.name = "ground",
         .shape = "box((0.02, 0, -0.02), (0.12, 0.08, 0.04))",
         .method = ground,
         .friction = 0.3,
         .contact_damping = 0.5,
         .held = ""}};
    phx_world* world = NULL;
    phx_result result = phxi_rigid_world(v, slope(degrees), things, ground ? 2 : 1, &world);
    result = result == PHX_OK && !ground ? phxi_rigid_ground(world, 0.3, 0.5) : result;
    phxi_rigid_motion_state at[3] = {0};
    for (int k = 0; result == PHX_OK && k < 3; ++k) {
        result = phx_world_step(world, 0.05);
        at[k] = phxi_rigid_inside(world, 0)->state;
    }
    *rate = (at[2].velocity_now.x - at[0].velocity_now.x) / 0.1;
    *creep = (at[2].center.x - at[1].center.x) / 0.01;
    phx_world_destroy(world);
    return result;
}

static phx_result slopes(phxi_validation* v) {
    static const char* const grounds[3] = {NULL, "efg", "rigid"};
    static const char* const names[3] = {"a plane", "pinned particles", "a pinned rigid body"};
    for (int k = 0; k < 3; ++k) {
        double rate, creep;
        char text[96];
        PHXI_TRY(slide(v, grounds[k], 30, &rate, &creep));
        snprintf(text, sizeof text, "sliding on %s at 30 deg, friction 0.3, m/s^2", names[k]);
        phxi_validate_relative(v, text, rate, slope(30).x + 0.3 * slope(30).z, 0.02);
        PHXI_TRY(slide(v, grounds[k], 10, &rate, &creep));
        snprintf(text, sizeof text, "sticking on %s at 10 deg: creep in 50 ms, spacings", names[k]);
        phxi_validate(v, text, creep, 0, 1e-4);
    }
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------- soft bodies

typedef struct bed {
    const char* name;
    const char* method;
    const char* shape; // of what lies on it
    bool implicit;
} bed;

/// Falls on a slab of jelly and comes to rest there, borne by contact alone. (A ball on one particle of a face rolls
/// off it: balls lie between four.)
static phx_result rest_on(phxi_validation* v, const bed* b) {
    const phxi_thing things[2] = {
        {.name = "top", .shape = b->shape, .spacing = 0.0125, .young = 1e9, .friction = 0.5, .contact_damping = 0.5},
        {.name = "jelly",
         .shape = "box((0, 0, -0.025), (0.1, 0.1, 0.05))",
         .method = b->method,
         .spacing = 0.0125,
         .young = 1e5,
         .friction = 0.5,
         .contact_damping = 0.5,
         .drag = b->implicit ? 0 : 150,
         .held = "box((0, 0, -0.55), (1, 1, 1.02))",
         .implicit = b->implicit}};
    phx_world* world = NULL;
    phx_totals totals = {0};
    char text[96];
    phx_body_id top = {0, 0};
    phx_result result = phxi_rigid_world(v, phxi_vec3(0, 0, -G), things, 2, &world);
    phx_vec3 start = result == PHX_OK ? phxi_rigid_inside(world, 0)->state.center : (phx_vec3){0};
    result = result == PHX_OK ? phx_world_step(world, 3) : result;
    top.generation = result == PHX_OK ? world->bodies.items[0].generation : 0;
    result = result == PHX_OK ? phx_body_measure(world, top, &totals) : result;
    if (result == PHX_OK) {
        const phxi_rigid_body* body = phxi_rigid_inside(world, 0);
        double weight = body->mass * G;
        snprintf(text, sizeof text, "%s: speed at rest, m/s", b->name);
        phxi_validate(v, text, totals.max_speed, 0, 5e-3);
        snprintf(text, sizeof text, "%s: contact bears its weight, N", b->name);
        phxi_validate_relative(v, text, totals.force.z + weight, weight, 0.01);
        snprintf(text, sizeof text, "%s: way aside, spacings", b->name);
        phxi_validate(v, text, hypot(body->state.center.x - start.x, body->state.center.y - start.y) / 0.0125, 0, 0.05);
    }
    phx_world_destroy(world);
    return result;
}

static phx_result jelly(phxi_validation* v) {
    static const bed beds[] = {
        {"ball on efg", "efg", "sphere((0.00625, 0.00625, 0.032), 0.03)", false},
        {"ball on corotated_sph", "corotated_sph", "sphere((0.00625, 0.00625, 0.032), 0.03)", false},
        {"box on efg", "efg", "box((0, 0, 0.022), (0.05, 0.05, 0.04))", false},
        {"box on efg, bdf2", "efg", "box((0, 0, 0.022), (0.05, 0.05, 0.04))", true},
    };
    for (int k = 0; k < (int)(sizeof beds / sizeof beds[0]); ++k) {
        PHXI_TRY(rest_on(v, &beds[k]));
    }
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------- stack

static phx_result stack_for(phxi_validation* v, double seconds) {
    const phxi_thing boxes[3] = {{.name = "a",
                                  .shape = "box((0, 0, 0.02), (0.04, 0.04, 0.04))",
                                  .young = 1e6,
                                  .friction = 0.5,
                                  .contact_damping = 0.5},
                                 {.name = "b",
                                  .shape = "box((0.003, 0.002, 0.06), (0.04, 0.04, 0.04))",
                                  .young = 1e6,
                                  .friction = 0.5,
                                  .contact_damping = 0.5},
                                 {.name = "c",
                                  .shape = "box((-0.002, 0, 0.1), (0.04, 0.04, 0.04))",
                                  .young = 1e6,
                                  .friction = 0.5,
                                  .contact_damping = 0.5}};
    phx_world* world = NULL;
    phx_vec3 start[3] = {0};
    phx_totals totals = {0};
    phx_result result = phxi_rigid_world(v, phxi_vec3(0, 0, -G), boxes, 3, &world);
    result = result == PHX_OK ? phxi_rigid_ground(world, 0.5, 0.5) : result;
    result = result == PHX_OK ? phx_world_step(world, 0.2) : result;
    for (int k = 0; result == PHX_OK && k < 3; ++k) {
        start[k] = phxi_rigid_inside(world, k)->state.center;
    }
    result = result == PHX_OK ? phx_world_step(world, seconds) : result;
    result = result == PHX_OK ? phx_world_measure(world, &totals) : result;
    double most = 0;
    for (int k = 0; result == PHX_OK && k < 3; ++k) {
        most = fmax(most, phxi_distance(start[k], phxi_rigid_inside(world, k)->state.center));
    }
    if (result == PHX_OK) {
        phxi_validate(v, "creep of three boxes, spacings", most / 0.01, 0, 1e-2);
        phxi_validate(v, "largest speed in the end, m/s", totals.max_speed, 0, 1e-3);
    }
    phx_world_destroy(world);
    return result;
}

static phx_result stack(phxi_validation* v) {
    return stack_for(v, 0.5);
}

phx_result phxi_validate_rigid_stack_full(phxi_validation* v) {
    return stack_for(v, 5);
}

const phxi_validation_case phxi_cases_rigid_contact[] = {
    {"rigid.collision", "two balls meet aside: momenta, energy, restitution", collide},
    {"rigid.roll", "a ball rolls down a slope", roll},
    {"rigid.slope", "boxes stick and slide on obstacles, particles, rigid bodies", slopes},
    {"rigid.jelly", "balls and boxes come to rest on soft bodies", jelly},
    {"rigid.stack", "three boxes on top of each other keep still", stack},
    {NULL, NULL, NULL},
};
