// SPDX-License-Identifier: MIT
// The step: how large a substep may be, what happens in one, and what stops it.
//
// phx_world_step keeps the state before it begins and goes back to it when anything fails, so that a world whose state
// stopped being finite shows the last one that was asked for and came out good.
#include "world/world.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ size of a substep

double phxi_world_spring_dt(double rate, double inner, bool surface) {
    return surface ? 1 / sqrt(1 / (inner * inner) + rate / 3) : 1 / sqrt(rate);
}

/// `inner`: the step that all else allows.
static double contact_dt(const phx_world* world, const phxi_collider* collider, int body, double inner) {
    const phxi_body_extremes* e = &world->extremes.items[body];
    double by_default = world->bodies.items[body].modulus * e->collider_ratio;
    double rate = collider->stiffness > 0 ? collider->stiffness / e->mass : by_default;
    return world->bodies.items[body].slack * phxi_world_spring_dt(rate, inner, e->surface);
}

static void limit_by_contact(phx_world* world, phx_dt_info* info) {
    const double inner = info->stable;
    for (int c = 0; c < world->colliders.count && world->def.contact == PHXI_PENALTY; ++c) {
        const phxi_collider* collider = &world->colliders.items[c];
        for (int b = 0; b < world->bodies.count; ++b) {
            double dt = contact_dt(world, collider, b, inner);
            if (dt < info->stable && !world->bodies.items[b].ignores_colliders &&
                !(phxi_world_implicit_dt(world, b) > 0)) {
                info->stable = dt;
                snprintf(info->reason, sizeof info->reason,
                         "limited by contact stiffness of collider '%.48s' on body '%.48s'", collider->name,
                         world->bodies.items[b].name);
            }
        }
    }
}

static phx_result limit_by_solvers(phx_world* world, phx_dt_info* info) {
    for (int s = 0; s < world->solvers.count; ++s) {
        const phxi_solver* solver = &world->solvers.items[s];
        if (solver->own.count == 0) {
            continue;
        }
        char reason[160] = "";
        phxi_step step = phxi_world_context(world, s);
        int64_t failures = world->heap.failures;
        double dt = solver->method->stable_dt(solver->state, &step, reason);
        if (world->heap.failures != failures) { // which a number cannot tell
            return phxi_fail_memory("stable substep");
        }
        if (!(dt > 0)) {
            return phxi_fail(PHX_ERROR_UNSTABLE, "method %s finds no stable substep at t = %g s (%s)",
                             solver->method->name, world->time, reason);
        }
        if (dt < info->stable) {
            info->stable = dt;
            snprintf(info->reason, sizeof info->reason, "limited by %.140s", reason);
        }
    }
    return PHX_OK;
}

/// The stiffness that methods report for their bodies may depend on everything in the world.
static void renew_moduli(phx_world* world) {
    for (int b = 0; b < world->bodies.count; ++b) {
        phxi_body* body = &world->bodies.items[b];
        const phxi_solver* solver = &world->solvers.items[body->solver];
        const phxi_touch_table* touch = solver->method->touch;
        phxi_step step = phxi_world_context(world, body->solver);
        if (touch && touch->modulus) {
            body->modulus = touch->modulus(solver->state, &step, b);
        }
        if (touch && touch->contact_slack) {
            body->slack = touch->contact_slack(solver->state, &step, b);
        }
    }
}

phx_result phx_world_dt(phx_world* world, phx_dt_info* info) {
    if (!world || !info) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_world_dt needs a world and a place for the answer");
    }
    const phx_world_def* def = &world->def;
    *info = (phx_dt_info){.stable = INFINITY, .reason = "limited by nothing"};
    phx_result result = limit_by_solvers(world, info);
    phxi_arena_reset(&world->arena);
    PHXI_TRY(result);
    renew_moduli(world);
    const double inner = info->stable;
    limit_by_contact(world, info);
    phxi_world_limit_touch(world, info, inner);
    phxi_world_limit_heat(world, info);
    info->dt = def->safety * info->stable;
    phxi_world_limit_implicit(world, info);
    PHXI_TRY(phxi_world_limit_approach(world, info));
    info->dt = def->dt > 0 ? def->dt : info->dt;
    if (def->dt > info->stable * (1 + 1e-9) && !def->force_dt) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "dt is %g s, expected at most the stable substep of %g s (%s); 0 lets it be chosen, force_dt "
                         "takes it all the same",
                         def->dt, info->stable, info->reason);
    }
    return PHX_OK;
}

// ---------------------------------------------------------------------------------------------------- one substep

static void clear_block(void* context, int begin, int end, int block) {
    const phxi_particles* p = context;
    size_t count = (size_t)(end - begin);
    (void)block;
    memset(p->fx + begin, 0, count * sizeof *p->fx);
    memset(p->fy + begin, 0, count * sizeof *p->fy);
    memset(p->fz + begin, 0, count * sizeof *p->fz);
    memset(p->fixed + begin, 0, count * sizeof *p->fixed);
    memset(p->rail + begin, 0, count * sizeof *p->rail);
}

static void clear_external(phx_world* world) {
    phxi_parallel_for(world->pool, world->particles.count, 4096, clear_block, &world->particles);
}

/// Kinematic particles without a driver are held at rest.
static void hold_still(phx_world* world) {
    phxi_particles* p = &world->particles;
    for (int b = 0; b < world->bodies.count; ++b) {
        const phxi_body* body = &world->bodies.items[b];
        for (int i = body->begin; body->kinematic && i < body->begin + body->count; ++i) {
            if (!p->fixed[i]) {
                p->vx[i] = p->vy[i] = p->vz[i] = 0;
                p->fixed[i] = 1;
            }
        }
    }
}

/// Room for the pushes of a driven collider and the slips of friction, by block.
static phx_result make_room(phx_world* world, const phxi_collider* collider, phxi_contact_range* range) {
    size_t blocks = (size_t)phxi_collide_blocks(range->count);
    bool told = world->pushes && (collider->driven || collider->watched), remembered = collider->friction > 0;
    range->pushes = told ? phxi_arena_take(&world->arena, blocks, sizeof *range->pushes) : NULL;
    range->slips = remembered ? phxi_arena_take(&world->arena, (size_t)range->count, sizeof *range->slips) : NULL;
    range->slip_counts = remembered ? phxi_arena_take(&world->arena, blocks, sizeof *range->slip_counts) : NULL;
    bool failed = (told && !range->pushes) || (remembered && (!range->slips || !range->slip_counts));
    return failed ? PHX_ERROR_MEMORY : PHX_OK;
}

/// Adds a push on a body to what probes are told.
static void tell(phx_world* world, int b, int c, phx_vec3 force) {
    if (world->body_pushes) {
        phx_vec3* sum = &world->body_pushes[b * world->colliders.count + c];
        *sum = phxi_add(*sum, force);
    }
}

/// One collider on one body; results of blocks are added in their order.
static phx_result collide_body(phx_world* world, int body, int c, phxi_contact_range* range, double dt) {
    phxi_collider* collider = &world->colliders.items[c];
    PHXI_TRY(make_room(world, collider, range));
    phxi_collide(collider, world->pool, &world->particles, range, world->def.gravity, dt);
    for (int b = 0; b < phxi_collide_blocks(range->count); ++b) {
        if (range->pushes) {
            world->pushes[c].force = phxi_add(world->pushes[c].force, range->pushes[b].force);
            world->pushes[c].power += range->pushes[b].power;
            tell(world, body, c, range->pushes[b].force);
        }
        if (range->slips) {
            const phxi_friction_slip* slips = range->slips + phxi_collide_block_begin(b);
            PHXI_TRY(phxi_friction_memory_add(&collider->friction_memory, &world->heap, slips, range->slip_counts[b]));
        }
    }
    return PHX_OK;
}

/// Colliders on particles of a body with implicit steps that drivers hold: its step leaves them out, but their drivers
/// must bear the push, or pressing a body into a collider would store energy from nowhere.
static void collide_held(phx_world* world, int b, double dt) {
    phxi_particles* p = &world->particles;
    const phxi_body* body = &world->bodies.items[b];
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        for (int c = 0; p->fixed[i] && c < world->colliders.count; ++c) {
            phxi_collider_load load = {.dt = dt};
            phx_vec3 force = phxi_collider_force(&world->colliders.items[c], p, i, body->modulus, &load);
            p->fx[i] += (phx_real)force.x;
            p->fy[i] += (phx_real)force.y;
            p->fz[i] += (phx_real)force.z;
            tell(world, b, c, force);
        }
    }
}

static phx_result collide(phx_world* world, double dt) {
    for (int b = 0; b < world->bodies.count; ++b) {
        const phxi_body* body = &world->bodies.items[b];
        if (phxi_world_implicit_dt(world, b) > 0 && !body->ignores_colliders) {
            collide_held(world, b, dt);
        }
        if (body->ignores_colliders || phxi_world_is_rigid(world, b) || phxi_world_implicit_dt(world, b) > 0) {
            continue; // ignores colliders; is pushed as one; or its implicit step finds the contact where it will be
        }
        phxi_contact_range range = {.begin = body->begin,
                                    .count = body->count,
                                    .young = body->modulus,
                                    .motion = world->solvers.items[body->solver].method->motion,
                                    .last_dt = world->last_dt,
                                    .projection = world->def.contact == PHXI_PROJECTION,
                                    .compliance = world->def.compliance,
                                    .overlap_time = world->overlapping ? world->def.overlap_time : 0};
        for (int c = 0; c < world->colliders.count; ++c) {
            PHXI_TRY(collide_body(world, b, c, &range, dt));
        }
    }
    for (int c = 0; c < world->colliders.count; ++c) {
        phxi_friction_memory_turn(&world->colliders.items[c].friction_memory);
    }
    return PHX_OK;
}

static bool ignores_own_kind(const phx_world* world, const phxi_body* body) {
    const phxi_space_table* space = world->solvers.items[body->solver].method->space;
    const phx_material_def* m = &body->material;
    bool conducts = body->thermal == PHX_THERMAL_CONDUCTS && (m->conductivity > 0 || m->exchange > 0);
    return space && space->ignores_own_kind && space->ignores_own_kind(body) && !conducts;
}

phx_result phxi_world_update_neighbors(phx_world* world, phxi_near* near, double least) {
    phxi_near_range* ranges = phxi_arena_take(&world->arena, (size_t)world->bodies.count + 1, sizeof *ranges);
    if (!ranges) {
        return PHX_ERROR_MEMORY;
    }
    int count = 0;
    for (int b = 0; b < world->bodies.count; ++b) {
        const phxi_body* body = &world->bodies.items[b];
        double reach = fmax(body->reach, least), radius = body->reach < least ? least : body->list_radius;
        if (reach > 0) {
            ranges[count++] = (phxi_near_range){body->begin, body->count, reach, ignores_own_kind(world, body), radius};
        }
    }
    return count == 0 ? PHX_OK
                      : phxi_near_update(near, world->pool, (phxi_search_engine)world->def.search, &world->particles,
                                         ranges, count, world->def.period);
}

phx_result phxi_world_report(const phx_world* world, const phxi_trouble* trouble, double dt) {
    const phxi_particles* p = &world->particles;
    const phxi_body* body = &world->bodies.items[p->body[trouble->particle]];
    return phxi_fail(
        PHX_ERROR_UNSTABLE,
        "particle %llu of body '%s' (%s) is not finite after stage '%s', at t = %g s with a substep of %g s",
        (unsigned long long)p->id[trouble->particle], body->name, world->solvers.items[body->solver].method->name,
        trouble->stage ? trouble->stage : "substep", world->time + dt, dt);
}

static phx_result advance_solvers(phx_world* world, double dt) {
    for (int s = 0; s < world->solvers.count; ++s) {
        const phxi_solver* solver = &world->solvers.items[s];
        if (solver->own.count == 0 || !solver->method->substep) {
            continue;
        }
        phxi_trouble trouble = {-1, NULL};
        phxi_step step = phxi_world_context(world, s);
        phx_result result = solver->method->substep(solver->state, &step, dt, &trouble);
        if (trouble.particle >= 0) {
            return phxi_world_report(world, &trouble, dt);
        }
        if (result != PHX_OK) {
            return phxi_fail_within(result, "method %s at t = %g s", solver->method->name, world->time);
        }
    }
    return PHX_OK;
}

// Masses of bodies that have grown are other ones now, and with them what limits contact.
static phx_result adapt_solvers(phx_world* world, double dt) {
    int births = world->births.count;
    for (int s = 0; s < world->solvers.count; ++s) {
        const phxi_solver* solver = &world->solvers.items[s];
        if (!solver->method->adapt || solver->own.count == 0) {
            continue;
        }
        phxi_step step = phxi_world_context(world, s);
        phx_result result = solver->method->adapt(solver->state, &step, dt);
        if (result != PHX_OK) {
            return phxi_fail_within(result, "method %s at t = %g s", solver->method->name, world->time);
        }
    }
    for (int k = births; k < world->births.count; ++k) {
        if (k == births || world->births.items[k].body != world->births.items[k - 1].body) {
            phxi_world_renew_extremes(world, world->births.items[k].body);
        }
    }
    return PHX_OK;
}

/// How fluids feel the bodies of methods that let them.
static phx_result view_boundaries(phx_world* world) {
    phxi_boundary_view* views = phxi_arena_take(&world->arena, (size_t)world->bodies.count + 1, sizeof *views);
    if (!views) {
        return PHX_ERROR_MEMORY;
    }
    for (int b = 0; b < world->bodies.count; ++b) {
        const phxi_solver* solver = &world->solvers.items[world->bodies.items[b].solver];
        views[b] = (phxi_boundary_view){0};
        if (solver->method->boundary) {
            phxi_step step = phxi_world_context(world, world->bodies.items[b].solver);
            solver->method->boundary->view(solver->state, &step, b, &views[b]);
        }
    }
    world->boundaries = views;
    return PHX_OK;
}

/// What bodies, colliders and heat do to each other: once, both sides.
static phx_result exchange(phx_world* world, double dt, bool last) {
    phx_real* const force[3] = {world->particles.fx, world->particles.fy, world->particles.fz};
    PHXI_TRY(phxi_world_find_overlap(world));
    PHXI_TRY(phxi_world_collide_rigid(world, dt, force, NULL));
    PHXI_TRY(collide(world, dt));
    PHXI_TRY(phxi_world_touch(world, dt, force));
    phxi_world_hold_rigid(world, force);
    phxi_world_end_overlap(world, dt);
    if (world->statics) {
        return PHX_OK; // heat and flow take time
    }
    PHXI_TRY(view_boundaries(world));
    PHXI_TRY(phxi_world_update_neighbors(world, &world->near, 0));
    return phxi_world_advance_heat(world, dt, last);
}

static phx_result stages(phx_world* world, double dt, bool last) {
    clear_external(world);
    PHXI_TRY(phxi_drivers_begin(world, dt));
    hold_still(world);
    PHXI_TRY(exchange(world, dt, last));
    PHXI_TRY(world->statics ? PHX_OK : advance_solvers(world, dt));
    PHXI_TRY(phxi_world_advance_implicit(world, dt));
    PHXI_TRY(phxi_drivers_end(world, dt));
    return world->statics ? PHX_OK : adapt_solvers(world, dt);
}

static phx_result substep(phx_world* world, double dt, bool last) {
    world->watched = last || phxi_drivers_move_walls(world);
    phx_result result = stages(world, dt, last);
    world->scene = NULL;
    world->has_explicit_contact = NULL;
    world->grips = NULL;
    world->still_overlaps = NULL;
    world->pushes = NULL;
    world->body_pushes = NULL;
    world->boundaries = NULL;
    world->holds = NULL;
    world->particles.rails = NULL;
    world->late_force[0] = NULL;
    phxi_arena_reset(&world->arena);
    if (result == PHX_OK) {
        world->time += dt;
        world->last_dt = dt;
        ++world->substeps;
    }
    return result;
}

phx_result phxi_world_static_substep(phx_world* world, double dt) {
    return substep(world, dt, false);
}

phx_result phx_world_substep(phx_world* world, double dt) {
    if (!world || !(dt > 0 && dt < INFINITY)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "dt is %g s, expected above 0 s and finite", dt);
    }
    return substep(world, dt, true);
}

// ---------------------------------------------------------------------------------------------------- many substeps

static phx_result count_substeps(double duration, const phx_dt_info* info, int* count) {
    double wanted = fmax(1, ceil(duration / info->dt - 1e-9)); // rounding of the quotient does not add one
    if (!(wanted <= 1e9)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "%g s would take %g substeps of %g s (%s)", duration, wanted, info->dt,
                         info->reason);
    }
    *count = (int)wanted;
    return PHX_OK;
}

// Equal substeps; planned again for the remaining time when the stable substep has become shorter. To ask may cost a
// method as much as a substep (it looks at all stretches), and a wave passes few particles in eight of them, so every
// eighth asks, and every one after which a body has grown or is held otherwise.
static phx_result advance(phx_world* world, double duration) {
    enum { ASK_EVERY = 8, GUARD_EVERY = 16 };
    double end = world->time + duration, dt = 0;
    if (!(end > world->time)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "duration is %g s, which does not move a clock at %g s", duration,
                         world->time);
    }
    int births = world->births.count, clamps = world->clamps.changes;
    for (int left = 1, taken = 0; left > 0; --left, ++taken) {
        if (taken % ASK_EVERY == 0 || world->births.count != births || world->clamps.changes != clamps) {
            births = world->births.count, clamps = world->clamps.changes; // finer than before
            phx_dt_info info;
            PHXI_TRY(phx_world_dt(world, &info));
            if (taken == 0 || info.dt < dt * (1 - 1e-9)) {
                PHXI_TRY(count_substeps(end - world->time, &info, &left));
                dt = (end - world->time) / left;
            }
        }
        PHXI_TRY(substep(world, dt, left == 1));
        if (left == 1 || taken % GUARD_EVERY == GUARD_EVERY - 1) {
            PHXI_TRY(phxi_energy_guard_check(world));
        }
    }
    world->time = end; // free of the rounding of many sums
    return PHX_OK;
}

phx_result phx_world_step(phx_world* world, double duration) {
    if (!world || !(duration >= 0 && duration < INFINITY)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "duration is %g s, expected at least 0 s and finite", duration);
    }
    if (duration == 0) {
        return PHX_OK;
    }
    PHXI_TRY(phxi_energy_guard_begin(world));
    PHXI_TRY(phxi_snapshot_take(world));
    phx_result result = advance(world, duration);
    if (result != PHX_OK) {
        phx_result back = phxi_snapshot_restore(world);
        return back == PHX_OK ? result : back;
    }
    return PHX_OK;
}
