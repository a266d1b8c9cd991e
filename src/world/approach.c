// SPDX-License-Identifier: MIT
// How fast things come together bounds the substep: contact looks where particles are, so what is about to meet must
// not come nearer by more than a part of a spacing in one. Asked every few substeps, of boxes around the positions and
// velocities of bodies: what flies apart, or alone, is not slowed down.
#include "world/world.h"

#include "math/simd.h"

#include <stdio.h>

static const double part = 0.3;   // of a spacing, a substep
static const double ahead = 10;   // substeps until it is asked again, and a bit
static const double within = 1.5; // spacings: how near particles begin to touch, and a bit

/// All positions and velocities of a body lie in these; by axis.
typedef struct motion_box {
    double low[3], high[3];  // m
    double slow[3], fast[3]; // m/s
    bool implicit;           // takes care of itself
} motion_box;

static void range_of(const phx_real* x, int count, double* low, double* high) {
    phx_real least, most;
    phxi_range(x, count, &least, &most);
    *low = least;
    *high = most;
}

typedef struct box_context {
    const phx_world* world;
    motion_box* boxes;
} box_context;

static void box_block(void* context, int begin, int end, int index) {
    const box_context* c = context;
    const phxi_particles* p = &c->world->particles;
    const phx_real *const x[3] = {p->x, p->y, p->z}, *const v[3] = {p->vx, p->vy, p->vz};
    (void)index;
    for (int b = begin; b < end; ++b) {
        const phxi_body* body = &c->world->bodies.items[b];
        motion_box* box = &c->boxes[b];
        for (int k = 0; k < 3; ++k) {
            range_of(x[k] + body->begin, body->count, &box->low[k], &box->high[k]);
            range_of(v[k] + body->begin, body->count, &box->slow[k], &box->fast[k]);
        }
    }
}

/// The substep in which two bodies come nearer by a part of a spacing; INFINITY: they are far apart.
static double meeting_dt(const motion_box* a, const motion_box* b, double spacing, double dt) {
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        double speed = fmax(a->fast[k] - b->slow[k], b->fast[k] - a->slow[k]);
        double apart = fmax(a->low[k] - b->high[k], b->low[k] - a->high[k]);
        if (apart > within * spacing + ahead * dt * fmax(speed, 0)) {
            return INFINITY;
        }
        square += speed * speed;
    }
    return part * spacing / sqrt(square);
}

static void limit(phx_dt_info* info, double dt, const char* name, const char* other) {
    if (dt < info->dt) {
        info->dt = dt;
        snprintf(info->reason, sizeof info->reason, "limited by how fast '%.48s' and '%.48s' come together", name,
                 other);
    }
}

/// Around all of them.
static motion_box box_of_all(const motion_box* boxes, int count) {
    motion_box all = boxes[0];
    for (int b = 1; b < count; ++b) {
        for (int k = 0; k < 3; ++k) {
            all.low[k] = fmin(all.low[k], boxes[b].low[k]);
            all.high[k] = fmax(all.high[k], boxes[b].high[k]);
            all.slow[k] = fmin(all.slow[k], boxes[b].slow[k]);
            all.fast[k] = fmax(all.fast[k], boxes[b].fast[k]);
        }
    }
    return all;
}

static double finest(const phx_world* world) {
    double least = INFINITY;
    for (int b = 0; b < world->bodies.count; ++b) {
        least = fmin(least, world->extremes.items[b].spacing);
    }
    return least;
}

// Few bodies are so fast that any other could matter to them.
static void limit_by_bodies(const phx_world* world, const motion_box* boxes, phx_dt_info* info) {
    const phxi_body* bodies = world->bodies.items;
    motion_box all = box_of_all(boxes, world->bodies.count);
    double least = finest(world);
    for (int a = 0; a < world->bodies.count; ++a) {
        if (!(meeting_dt(&boxes[a], &all, least, info->dt) < info->dt)) {
            continue;
        }
        for (int b = 0; b < world->bodies.count; ++b) {
            const phxi_contact_traits *own = &bodies[a].contact, *other = &bodies[b].contact;
            bool others_touch = own->others && other->others && (own->family == 0 || own->family != other->family);
            if ((a == b ? own->self : others_touch) && !(boxes[a].implicit && boxes[b].implicit)) {
                double spacing = fmin(world->extremes.items[a].spacing, world->extremes.items[b].spacing);
                limit(info, meeting_dt(&boxes[a], &boxes[b], spacing, info->dt), bodies[a].name, bodies[b].name);
            }
        }
    }
}

/// The fastest that a particle of a body may come at a collider, m/s.
static double speed_at(const phxi_collider* collider, const motion_box* box, phx_vec3 middle, double radius) {
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        double most = fmax(fabs(box->slow[k]), fabs(box->fast[k]));
        square += most * most;
    }
    const phxi_collider_pose* pose = &collider->now;
    return sqrt(square) + phxi_length(phxi_pose_velocity(pose, middle)) + radius * phxi_length(pose->spin);
}

static void limit_by_colliders(const phx_world* world, const motion_box* boxes, phx_dt_info* info) {
    for (int b = 0; b < world->bodies.count; ++b) {
        const motion_box* box = &boxes[b];
        phx_vec3 low = phxi_vec3(box->low[0], box->low[1], box->low[2]);
        phx_vec3 high = phxi_vec3(box->high[0], box->high[1], box->high[2]);
        phx_vec3 middle = phxi_scale(0.5, phxi_add(low, high));
        double radius = 0.5 * phxi_distance(low, high), spacing = world->extremes.items[b].spacing;
        for (int c = 0; c < world->colliders.count && !box->implicit; ++c) {
            const phxi_collider* collider = &world->colliders.items[c];
            double speed = speed_at(collider, box, middle, radius), dt = part * spacing / speed;
            double reach = radius + spacing + ahead * info->dt * speed;
            if (dt < info->dt && phxi_collider_near(collider, middle, reach)) {
                limit(info, dt, world->bodies.items[b].name, collider->name);
            }
        }
    }
}

phx_result phxi_world_limit_approach(phx_world* world, phx_dt_info* info) {
    if (world->colliders.count == 0 && !phxi_world_could_touch(world)) {
        return PHX_OK;
    }
    motion_box* boxes = phxi_arena_take(&world->arena, (size_t)world->bodies.count, sizeof *boxes);
    if (!boxes) {
        return PHX_ERROR_MEMORY;
    }
    box_context context = {world, boxes};
    phxi_parallel_for(world->pool, world->bodies.count, 1, box_block, &context);
    for (int b = 0; b < world->bodies.count; ++b) {
        boxes[b].implicit = world->bodies.items[b].kinematic || phxi_world_implicit_dt(world, b) > 0;
    }
    limit_by_bodies(world, boxes, info);
    limit_by_colliders(world, boxes, info);
    phxi_arena_reset(&world->arena);
    return PHX_OK;
}
