// SPDX-License-Identifier: MIT
// Colliders: the distance fields of their meshes, and drivers that move them. A driver carries its collider rigidly
// from where that was when the window opened; when the window closes it stands. The collider has no mass: what its
// driver exerts is what the collider exerts on all bodies, and its work is that force along the way of the collider
// where they touch.
//
// Work adds up power as the integrators add up forces, so that it is what the energy of bodies gains to the rounding of
// their momenta. Explicit ones (motion/explicit.h) give velocities that belong to
//   W += dt P + dt_old / 2 (P - P_old),
// implicit ones know the power at the end of their steps: W += dt / 2 (P_old + P).
#include "world/world.h"

#include "core/hash.h"
#include "core/log.h"
#include "core/text.h"

#include <string.h>

// ------------------------------------------------------------------------------------------------------------- meshes

static uint64_t hash_mesh(const phx_mesh* mesh) {
    uint64_t hash = phxi_hash_bytes(mesh->positions, (size_t)mesh->vertex_count * sizeof *mesh->positions, 1);
    return phxi_hash_bytes(mesh->triangles, (size_t)mesh->triangle_count * 3 * sizeof *mesh->triangles, hash);
}

static phx_result make_field(phx_world* world, const phx_collider_def* def, phxi_mesh_field made) {
    if (!phxi_array_reserve(&world->mesh_fields, 1, &world->heap, "distance field")) {
        return PHX_ERROR_MEMORY;
    }
    PHXI_TRY(phxi_distance_field_create(&world->heap, world->pool, def->mesh, made.resolution, &made.field));
    world->mesh_fields.items[world->mesh_fields.count++] = made;
    int open = phxi_distance_field_open_edges(made.field);
    if (open > 0) {
        phxi_log(
            &world->def.log, PHX_LOG_WARNING,
            "collider '%s': its mesh has %d open edges; what is solid is where it winds around a point by more than "
            "a half",
            def->name, open);
    }
    phxi_log(&world->def.log, PHX_LOG_INFO, "collider '%s': distance field with cells of %.3g m, %.1f MB", def->name,
             def->scale * phxi_distance_field_cell(made.field), 1e-6 * (double)phxi_distance_field_bytes(made.field));
    return PHX_OK;
}

phx_result phxi_world_collider_field(phx_world* world, const phx_collider_def* def, const phxi_distance_field** field,
                                     uint64_t* mesh) {
    bool usable =
        def->stamp == PHXI_COLLIDER_STAMP && def->name && phxi_params_check(&phxi_collider_table, def) == PHX_OK;
    if (!def->mesh || !usable || phxi_collider_has_both(def)) { // which the collider itself will say
        return PHX_OK;
    }
    phxi_mesh_field made = {hash_mesh(def->mesh), def->resolution / def->scale, NULL};
    *mesh = made.mesh;
    int k = 0;
    while (k < world->mesh_fields.count && !(world->mesh_fields.items[k].mesh == made.mesh &&
                                             world->mesh_fields.items[k].resolution == made.resolution)) {
        ++k;
    }
    phx_result result = k < world->mesh_fields.count ? PHX_OK : make_field(world, def, made);
    if (result != PHX_OK) {
        return phxi_fail_within(result, "collider '%s'", def->name);
    }
    *field = world->mesh_fields.items[k].field;
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------ drivers

static const char* collider_name(const void* context, int i) {
    return ((const phx_world*)context)->colliders.items[i].name;
}

static int find_collider(const phx_world* world, const char* name) {
    for (int c = 0; c < world->colliders.count; ++c) {
        if (strcmp(world->colliders.items[c].name, name) == 0) {
            return c;
        }
    }
    const char* near = phxi_did_you_mean(name, world->colliders.count, collider_name, world);
    if (near) {
        phxi_fail(PHX_ERROR_ARGUMENT, "there is no collider '%s', did you mean '%s'?", name, near);
    } else {
        phxi_fail(PHX_ERROR_ARGUMENT, "there is no collider '%s'", name);
    }
    return -1;
}

static phx_result check_windows(const phx_world* world, const phxi_driver* made) {
    for (int d = 0; d < world->drivers.count; ++d) {
        const phxi_driver* other = &world->drivers.items[d];
        double from = fmax(made->def.start, other->def.start), to = fmin(made->def.end, other->def.end);
        if (other->used && other->moves_collider && other->collider == made->collider && from < to) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "driver '%s' moves collider '%s' at the same time, from %g s to %g s; part their windows",
                             other->name, world->colliders.items[made->collider].name, from, to);
        }
    }
    return PHX_OK;
}

phx_result phxi_collider_driver_init(phxi_driver* driver, phx_world* world, const phx_driver_def* def) {
    bool moves = def->kind == PHX_DRIVER_PIN || def->kind == PHX_DRIVER_MOVE || def->kind == PHX_DRIVER_VELOCITY ||
                 def->kind == PHX_DRIVER_TWIST || def->kind == PHX_DRIVER_SPIN;
    if ((def->body && def->body[0]) || (def->region && def->region[0]) || (def->face && def->face[0])) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "it has both a collider and a %s, expected either an obstacle or particles to move",
                         def->body && def->body[0]       ? "body"
                         : def->region && def->region[0] ? "region"
                                                         : "face");
    }
    if (!moves) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a driver of this kind does not move a collider, expected pin, move, "
                                             "velocity, twist or spin");
    }
    if ((def->axes && def->axes[0]) || phxi_length(def->normal) > 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "axes and normal are for particles, not for a collider");
    }
    driver->collider = find_collider(world, def->collider);
    driver->moves_collider = true;
    if (driver->collider < 0) {
        return PHX_ERROR_ARGUMENT;
    }
    PHXI_TRY(check_windows(world, driver));
    if (!phxi_array_reserve(&world->drivers, 1, &world->heap, "drivers")) {
        return PHX_ERROR_MEMORY;
    }
    driver->used = true;
    phxi_collider* collider = &world->colliders.items[driver->collider];
    collider->placed = collider->driven = true;
    return PHX_OK;
}

/// Where its driver has brought it at a time.
static phxi_collider_pose pose_at(const phxi_driver* driver, double time) {
    phxi_motion m = phxi_driver_motion(driver, time);
    const phxi_rigid_place* from = &driver->held.from;
    return (phxi_collider_pose){.rotation = phxi_mat3_mul(&m.rotation, &from->rotation),
                                .shift = phxi_add(from->shift, phxi_motion_displacement(&m, from->shift)),
                                .center = m.center,
                                .velocity = m.velocity,
                                .spin = m.spin,
                                .acceleration = m.acceleration,
                                .spin_rate = m.spin_rate};
}

phx_result phxi_collider_drivers_begin(phx_world* world, double dt) {
    bool any = false;
    world->pushes = NULL;
    PHXI_TRY(phxi_probes_begin(world));
    for (int c = 0; c < world->colliders.count; ++c) {
        phxi_collider* collider = &world->colliders.items[c];
        any = any || collider->driven || collider->watched;
        collider->now = collider->driven ? phxi_pose_at_rest(&collider->now) : collider->now;
        collider->next = collider->now;
    }
    for (int d = 0; any && d < world->drivers.count; ++d) {
        phxi_driver* driver = &world->drivers.items[d];
        if (!driver->used || !driver->moves_collider) {
            continue;
        }
        phxi_collider* collider = &world->colliders.items[driver->collider];
        bool active = phxi_driver_active(&driver->def, world->time, dt);
        if (active && driver->window != PHXI_WINDOW_OPEN) {
            driver->held.from = (phxi_rigid_place){collider->now.rotation, collider->now.shift};
            driver->held.power = driver->held.end = 0;
        }
        driver->window = active                               ? PHXI_WINDOW_OPEN
                         : driver->window == PHXI_WINDOW_OPEN ? PHXI_WINDOW_CLOSED
                                                              : driver->window;
        driver->held.reaction = phxi_vec3(0, 0, 0);
        if (active) {
            collider->now = pose_at(driver, world->time);
            collider->next = pose_at(driver, world->time + dt);
        }
    }
    if (any) {
        size_t count = (size_t)world->colliders.count;
        world->pushes = phxi_arena_take(&world->arena, count, sizeof *world->pushes);
        if (!world->pushes) {
            return PHX_ERROR_MEMORY;
        }
        memset(world->pushes, 0, count * sizeof *world->pushes);
    }
    return PHX_OK;
}

void phxi_collider_drivers_end(phx_world* world, double dt) {
    phxi_probes_end(world, dt);
    for (int c = 0; world->pushes && c < world->colliders.count; ++c) {
        world->colliders.items[c].now = world->colliders.items[c].next;
    }
    for (int d = 0; world->pushes && d < world->drivers.count; ++d) {
        phxi_driver* driver = &world->drivers.items[d];
        if (driver->used && driver->moves_collider && driver->window == PHXI_WINDOW_OPEN) {
            const phxi_collider_push* push = &world->pushes[driver->collider];
            driver->work += dt * push->power + world->last_dt / 2 * (push->power - driver->held.power);
            driver->work += dt * push->mean + dt / 2 * (driver->held.end - push->last);
            driver->held.reaction = push->force;
            driver->held.power = push->power;
            driver->held.end = push->last;
        }
    }
    world->pushes = NULL;
}
