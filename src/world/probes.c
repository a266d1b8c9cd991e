// SPDX-License-Identifier: MIT
// What probes know of a collider: the force on a body in the last substep, its impulse so far, the smallest gap.
//
// Forces are those of the steps themselves and not made again from the state: explicit bodies are pushed at the start
// of a substep, those with implicit steps by the contacts of the solve, nodes of a grid by the change of their
// momentum. What leap-frogs is pushed for half of this substep and half of the last one.
#include "world/world.h"

#include "contact/reach.h"

#include <string.h>

phx_result phxi_probe_find_collider(phx_world* world, const phx_probe_def* def, phxi_probe* probe) {
    probe->collider = probe->body = -1;
    if (!def->collider || !def->collider[0]) {
        return PHX_OK;
    }
    for (int c = 0; c < world->colliders.count; ++c) {
        probe->collider = strcmp(world->colliders.items[c].name, def->collider) == 0 ? c : probe->collider;
    }
    if (probe->collider < 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "collider: there is none of the name '%s'", def->collider);
    }
    if ((def->region && def->region[0]) || (def->face && def->face[0])) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "a probe with a collider looks at whole bodies; expected no region and no face");
    }
    const phxi_body* body = def->body && def->body[0] ? phxi_world_find_body(world, def->body) : NULL;
    probe->body = body ? (int)(body - world->bodies.items) : -1;
    return PHX_OK;
}

phx_result phxi_probes_begin(phx_world* world) {
    bool any = false;
    world->body_pushes = NULL;
    for (int c = 0; c < world->colliders.count; ++c) {
        world->colliders.items[c].watched = false;
    }
    for (int k = 0; k < world->probes.count; ++k) {
        int c = world->probes.items[k].collider;
        any = any || c >= 0;
        if (c >= 0) {
            world->colliders.items[c].watched = true;
        }
    }
    size_t count = (size_t)world->colliders.count * (size_t)world->bodies.count;
    if (any) {
        world->body_pushes = phxi_arena_take(&world->arena, count + 1, sizeof *world->body_pushes);
        if (!world->body_pushes) {
            return PHX_ERROR_MEMORY;
        }
        memset(world->body_pushes, 0, count * sizeof *world->body_pushes);
    }
    return PHX_OK;
}

void phxi_probes_end(phx_world* world, double dt) {
    for (int k = 0; world->body_pushes && k < world->probes.count; ++k) {
        phxi_probe* probe = &world->probes.items[k];
        if (probe->collider < 0) {
            continue;
        }
        probe->contact.force = phxi_vec3(0, 0, 0);
        for (int b = 0; b < world->bodies.count; ++b) {
            if (probe->body >= 0 && b != probe->body) {
                continue;
            }
            phx_vec3 force = world->body_pushes[b * world->colliders.count + probe->collider];
            double time = phxi_world_kicks_plainly(world, b) ? dt : (dt + world->last_dt) / 2;
            probe->contact.force = phxi_add(probe->contact.force, force);
            probe->contact.impulse = phxi_add_scaled(probe->contact.impulse, world->statics ? 0 : time, force);
        }
    }
    world->body_pushes = NULL;
}

/// Bodies of one grid are pushed together.
static phx_result check(const phx_world* world, const phxi_probe* probe) {
    const phxi_body* body = probe->body >= 0 ? &world->bodies.items[probe->body] : NULL;
    const phxi_solver* solver = body ? &world->solvers.items[body->solver] : NULL;
    bool shared = body && body->ignores_colliders && !body->kinematic && solver->own.count > 1;
    return shared
               ? phxi_fail(PHX_ERROR_UNSUPPORTED,
                           "probe '%s': bodies of %s share a grid, and colliders push them together; expected a probe "
                           "without a body, or one body of that method",
                           probe->name, solver->method->name)
               : PHX_OK;
}

phx_result phxi_probe_contact(const phx_world* world, const phxi_probe* probe, phx_totals* totals) {
    const phxi_particles* p = &world->particles;
    if (probe->collider < 0) {
        return PHX_OK;
    }
    PHXI_TRY(check(world, probe));
    double gap = INFINITY;
    for (int i = 0; i < probe->selected_count; ++i) {
        if (probe->selected[i]) {
            phx_vec3 x = phxi_vec3(p->x[i], p->y[i], p->z[i]);
            gap = fmin(gap, phxi_collider_now(&world->colliders.items[probe->collider], x, NULL) -
                                phxi_contact_radius(p, i));
        }
    }
    totals->contact_force = probe->contact.force;
    totals->contact_impulse = probe->contact.impulse;
    totals->gap = isfinite(gap) ? gap : 0;
    return PHX_OK;
}
