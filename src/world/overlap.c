// SPDX-License-Identifier: MIT
// What was put into something else: bodies into each other or into colliders, when they came into the world. It is told
// once, through the log; its particles have an `overlap` (m), by which contact moves them apart slowly
// (contact/pair_overlap.c, contact/collider.h) until they are out, or until they push as hard as by their depth.
#include "contact/reach.h"
#include "core/log.h"
#include "world/world.h"

#include <string.h>

static const double slight = 0.2; // of the spacing: less is not worth a word

static void tell_bodies(void* context, int a, int b, int count, double depth) {
    phx_world* world = context;
    world->overlapping = true;
    if (depth < slight * fmin(world->extremes.items[a].spacing, world->extremes.items[b].spacing)) {
        return;
    }
    phxi_log(
        &world->def.log, PHX_LOG_WARNING,
        "bodies '%s' and '%s' overlap at t = %g s: %d particles, %.3g m deep; they are moved apart within about %g s",
        world->bodies.items[a].name, world->bodies.items[b].name, world->time, count, depth, world->def.overlap_time);
}

/// At the start of the substep: a collider that is driven into a body was not put there.
static double depth_in(const phx_world* world, int collider, int i) {
    const phxi_particles* p = &world->particles;
    phx_vec3 point = phxi_vec3(p->x[i], p->y[i], p->z[i]);
    return phxi_contact_radius(p, i) - phxi_collider_now(&world->colliders.items[collider], point, NULL);
}

/// A body in a collider: all its particles that are in it leave as the deepest does. Implicit steps push out at once,
/// however little it is.
static void look_at(phx_world* world, int b, int c) {
    phxi_particles* p = &world->particles;
    const phxi_body* body = &world->bodies.items[b];
    double deepest = 0, least = phxi_world_implicit_dt(world, b) > 0 ? 0.02 : slight;
    int count = 0, told = 0;
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        double depth = depth_in(world, c, i);
        count += depth > least * p->spacing[i];
        told += depth > slight * p->spacing[i];
        deepest = fmax(deepest, depth);
    }
    for (int i = body->begin; count > 0 && i < body->begin + body->count; ++i) {
        bool deep = depth_in(world, c, i) > least * p->spacing[i];
        p->overlap[i] = (phx_real)fmax((double)p->overlap[i], deep ? deepest : 0);
    }
    world->overlapping = world->overlapping || count > 0;
    if (told > 0) {
        phxi_log(
            &world->def.log, PHX_LOG_WARNING,
            "body '%s' and collider '%s' overlap at t = %g s: %d particles, %.3g m deep; it is let out within about "
            "%g s",
            body->name, world->colliders.items[c].name, world->time, told, deepest, world->def.overlap_time);
    }
}

static phx_result look(phx_world* world) {
    int bodies = world->looked.bodies, colliders = world->looked.colliders;
    world->looked.bodies = world->bodies.count;
    world->looked.colliders = world->colliders.count;
    for (int b = 0; b < world->bodies.count; ++b) {
        for (int c = b < bodies ? colliders : 0;
             c < world->colliders.count && !world->bodies.items[b].ignores_colliders; ++c) {
            look_at(world, b, c);
        }
    }
    bool touch = bodies < world->bodies.count && phxi_world_could_touch(world);
    return touch ? phxi_world_scan_overlap(world, bodies, tell_bodies) : PHX_OK;
}

phx_result phxi_world_find_overlap(phx_world* world) {
    if (world->looked.bodies < world->bodies.count || world->looked.colliders < world->colliders.count) {
        PHXI_TRY(look(world));
    }
    if (!world->overlapping) {
        return PHX_OK;
    }
    world->still_overlaps =
        phxi_arena_take(&world->arena, (size_t)world->particles.count, sizeof *world->still_overlaps);
    if (!world->still_overlaps) {
        return PHX_ERROR_MEMORY;
    }
    memset(world->still_overlaps, 0, (size_t)world->particles.count * sizeof *world->still_overlaps);
    return PHX_OK;
}

/// Still in a collider, so that its spring would throw it out faster than it leaves.
static bool is_held(const phx_world* world, int i) {
    const phxi_particles* p = &world->particles;
    double young = world->bodies.items[p->body[i]].modulus, spacing = p->spacing[i];
    bool held = false;
    for (int c = 0; c < world->colliders.count && !held; ++c) {
        double stiffness = phxi_collider_stiffness(&world->colliders.items[c], young, phxi_collider_width(p, i));
        double slow = (double)p->overlap[i] / world->def.overlap_time * sqrt((double)p->mass[i] / stiffness);
        held = depth_in(world, c, i) > fmin(slow, 0.02 * spacing);
    }
    return held;
}

// What cannot get out, as there is no room, is left to its springs in the end: its overlap is forgotten little by
// little.
void phxi_world_end_overlap(phx_world* world, double dt) {
    phxi_particles* p = &world->particles;
    phx_real keep = (phx_real)exp(-0.25 * dt / world->def.overlap_time);
    bool any = false;
    for (int i = 0; world->still_overlaps && i < p->count; ++i) {
        p->overlap[i] = p->overlap[i] > 0 ? p->overlap[i] : world->still_overlaps[i]; // it has come to be inside
        if (p->overlap[i] > 0) {
            // what implicit steps press is not told: it fades
            bool in =
                world->still_overlaps[i] > 0 || phxi_world_implicit_dt(world, p->body[i]) > 0 || is_held(world, i);
            p->overlap[i] *= in && (double)p->overlap[i] > 0.02 * (double)p->spacing[i] ? keep : 0;
        }
        any = any || p->overlap[i] > 0;
    }
    world->overlapping = world->still_overlaps ? any : world->overlapping;
}
