// SPDX-License-Identifier: MIT
// Bodies that move as one (contact/rigid.h), as contact is told of them.
#include "world/world.h"

#include "contact/rigid_collide.h"

bool phxi_world_is_rigid(const phx_world* world, int body) {
    const phxi_touch_table* touch = world->solvers.items[world->bodies.items[body].solver].method->touch;
    return touch && touch->rigid;
}

phxi_contact_rigid phxi_world_rigid(phx_world* world, int b, phx_real* const loads[3]) {
    const phxi_body* body = &world->bodies.items[b];
    const phxi_solver* solver = &world->solvers.items[body->solver];
    const phxi_particles* p = &world->particles;
    phxi_step step = phxi_world_context(world, body->solver);
    phxi_contact_rigid rigid;
    solver->method->touch->rigid(solver->state, &step, b, &rigid);
    phx_vec3 force = phxi_scale(rigid.mass, world->def.gravity);
    phx_vec3 torque = phxi_add(rigid.gyration, phxi_cross(phxi_sub(rigid.center, rigid.pivot), force));
    bool moves = !phxi_rigid_held(&rigid);
    for (int i = body->begin; loads && moves && i < body->begin + body->count; ++i) {
        phx_vec3 f = phxi_vec3(loads[0][i], loads[1][i], loads[2][i]);
        force = phxi_add(force, f);
        torque = phxi_add(torque, phxi_cross(phxi_sub(phxi_vec3(p->x[i], p->y[i], p->z[i]), rigid.pivot), f));
    }
    rigid.overlap = 0;
    for (int i = body->begin; world->overlapping && i < body->begin + body->count; ++i) {
        rigid.overlap = fmax(rigid.overlap, (double)p->overlap[i]);
    }
    rigid.grip = world->grips ? world->grips[b] : NULL;
    rigid.rate = phxi_scale(rigid.inverse_mass, force);
    rigid.spin_rate = phxi_mat3_apply(&rigid.inverse, torque);
    return rigid;
}

/// Pushes of colliders on one; its friction waits in world->grips.
static phx_result collide_rigid(phx_world* world, int b, double dt, phx_real* const force[3], double* energy) {
    const phxi_body* body = &world->bodies.items[b];
    bool projection = world->def.contact == PHXI_PROJECTION;
    phxi_rigid_colliders colliders = {.colliders = world->colliders.items,
                                      .count = world->colliders.count,
                                      .particles = &world->particles,
                                      .begin = body->begin,
                                      .end = body->begin + body->count,
                                      .young = body->modulus,
                                      .dt = dt,
                                      .kick = energy && !projection ? 0 : 0.5 * (dt + world->last_dt),
                                      .projection = projection,
                                      .compliance = world->def.compliance,
                                      .overlap_time = world->overlapping && !energy ? world->def.overlap_time : 0,
                                      .arena = &world->arena,
                                      .force = {force[0], force[1], force[2]},
                                      .energy = energy,
                                      .pushes = energy ? NULL : world->pushes};
    phxi_contact_rigid rigid = phxi_world_rigid(world, b, energy ? NULL : force);
    return phxi_rigid_collide(&colliders, &rigid, &world->grips[b]);
}

static bool meets_colliders(const phx_world* world, int b) {
    return phxi_world_is_rigid(world, b) && !world->bodies.items[b].ignores_colliders;
}

/// Before and after a body is pushed: the difference of what colliders push with is what they push it with.
static void note_pushes(phx_world* world, int b, double sign) {
    for (int c = 0; world->body_pushes && world->pushes && c < world->colliders.count; ++c) {
        phx_vec3* sum = &world->body_pushes[b * world->colliders.count + c];
        *sum = phxi_add_scaled(*sum, sign, world->pushes[c].force);
    }
}

phx_result phxi_world_collide_rigid(phx_world* world, double dt, phx_real* const force[3], double* energy) {
    world->grips = NULL;
    bool any = false;
    for (int b = 0; b < world->bodies.count; ++b) {
        any = any || meets_colliders(world, b);
    }
    if (!any || world->colliders.count == 0) {
        return PHX_OK;
    }
    world->grips = phxi_arena_take(&world->arena, (size_t)world->bodies.count, sizeof(phxi_rigid_grip*));
    if (!world->grips) {
        return PHX_ERROR_MEMORY;
    }
    for (int b = 0; b < world->bodies.count; ++b) {
        world->grips[b] = NULL;
        if (meets_colliders(world, b)) {
            note_pushes(world, b, -1);
            PHXI_TRY(collide_rigid(world, b, dt, force, energy));
            note_pushes(world, b, 1);
        }
    }
    return PHX_OK;
}

void phxi_world_hold_rigid(phx_world* world, phx_real* const force[3]) {
    for (int b = 0; world->grips && b < world->bodies.count; ++b) {
        if (world->grips[b]) {
            phxi_contact_rigid rigid = phxi_world_rigid(world, b, force);
            note_pushes(world, b, -1);
            phxi_rigid_grip_finish(world->grips[b], &rigid);
            note_pushes(world, b, 1);
        }
    }
    world->grips = NULL;
}
