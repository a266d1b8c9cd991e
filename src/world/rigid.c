// SPDX-License-Identifier: MIT
// Bodies that move as one (contact/rigid.h), as contact is told of them.
#include "world/world.h"

#include "contact/rigid_collide.h"

bool phxi_world_is_rigid(const phx_world* world, int body) {
    return world->solvers.items[world->bodies.items[body].solver].method->rigid != NULL;
}

phxi_contact_rigid phxi_world_rigid(phx_world* world, int b, bool loaded) {
    const phxi_body* body = &world->bodies.items[b];
    const phxi_solver* solver = &world->solvers.items[body->solver];
    const phxi_particles* p = &world->particles;
    phxi_step step = phxi_world_context(world, body->solver);
    phxi_contact_rigid rigid;
    solver->method->rigid(solver->state, &step, b, &rigid);
    phx_vec3 force = phxi_scale(rigid.mass, world->def.gravity);
    phx_vec3 torque = phxi_add(rigid.gyration, phxi_cross(phxi_sub(rigid.center, rigid.pivot), force));
    for (int i = body->begin; loaded && i < body->begin + body->count; ++i) {
        phx_vec3 f = phxi_vec3(p->fx[i], p->fy[i], p->fz[i]);
        force = phxi_add(force, f);
        torque = phxi_add(torque, phxi_cross(phxi_sub(phxi_vec3(p->x[i], p->y[i], p->z[i]), rigid.pivot), f));
    }
    rigid.rate = phxi_scale(rigid.lightness, force);
    rigid.spin_rate = phxi_mat3_apply(&rigid.inverse, torque);
    return rigid;
}

phx_result phxi_world_collide_rigid(phx_world* world, int b, double dt, phx_real* const force[3], double* energy) {
    const phxi_body* body = &world->bodies.items[b];
    phxi_rigid_obstacles obstacles = {.colliders = world->colliders.items,
                                      .count = world->colliders.count,
                                      .particles = &world->particles,
                                      .begin = body->begin,
                                      .end = body->begin + body->count,
                                      .young = body->modulus,
                                      .dt = dt,
                                      .kick = energy ? 0 : 0.5 * (dt + world->last_dt),
                                      .arena = &world->arena,
                                      .force = force,
                                      .energy = energy,
                                      .pushes = energy ? NULL : world->pushes};
    phxi_contact_rigid rigid = phxi_world_rigid(world, b, !energy);
    return phxi_rigid_collide(&obstacles, &rigid);
}
