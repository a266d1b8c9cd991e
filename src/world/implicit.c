// SPDX-License-Identifier: MIT
// The implicit step of all bodies that take one: their methods offer operators, one step is taken with contact among
// all of them, and the methods are told. No body sees another as a wall.
#include "world/world.h"

#include <stdio.h>

static double step_length(phx_world* world, int body, char reason[160]) {
    const phxi_solver* solver = &world->solvers.items[world->bodies.items[body].solver];
    const phxi_implicit_table* table = solver->method->implicit;
    if (world->statics && table) {
        snprintf(reason, 160, "an equilibrium is looked for");
        return PHXI_STATICS_DT;
    }
    phxi_step step = phxi_world_context(world, world->bodies.items[body].solver);
    return table ? table->dt(solver->state, &step, body, reason) : 0;
}

double phxi_world_implicit_dt(phx_world* world, int body) {
    char reason[160];
    return step_length(world, body, reason);
}

// Implicit steps are as large as asked for: no factor of safety.
void phxi_world_limit_implicit(phx_world* world, phx_dt_info* info) {
    for (int b = 0; b < world->bodies.count; ++b) {
        char reason[160];
        double dt = step_length(world, b, reason);
        if (dt > 0 && dt < info->dt) {
            info->dt = dt;
            info->stable = fmin(info->stable, dt);
            snprintf(info->reason, sizeof info->reason, "limited by %.140s", reason);
        }
    }
}

static phx_result gather(phx_world* world, double dt, phxi_implicit_list* list) {
    list->capacity = world->bodies.count;
    list->items = phxi_arena_take(&world->arena, (size_t)list->capacity, sizeof *list->items);
    if (!list->items) {
        return PHX_ERROR_MEMORY;
    }
    for (int s = 0; s < world->solvers.count; ++s) {
        const phxi_solver* solver = &world->solvers.items[s];
        if (!solver->method->implicit || solver->own.count == 0) {
            continue;
        }
        // operators keep it until the step is taken
        phxi_step* step = phxi_arena_take(&world->arena, 1, sizeof *step);
        if (!step) {
            return PHX_ERROR_MEMORY;
        }
        *step = phxi_world_context(world, s);
        phx_result result = solver->method->implicit->offer(solver->state, step, dt, list);
        if (result != PHX_OK) {
            return phxi_fail_within(result, "method %s at t = %g s", solver->method->name, world->time);
        }
    }
    return PHX_OK;
}

static phx_result finish(phx_world* world, double dt, phxi_trouble* trouble) {
    for (int s = 0; s < world->solvers.count; ++s) {
        const phxi_solver* solver = &world->solvers.items[s];
        if (!solver->method->implicit || !solver->method->implicit->finish || solver->own.count == 0) {
            continue;
        }
        phxi_step step = phxi_world_context(world, s);
        phx_result result = solver->method->implicit->finish(solver->state, &step, dt, trouble);
        if (result != PHX_OK) {
            return phxi_fail_within(result, "method %s at t = %g s", solver->method->name, world->time);
        }
    }
    return PHX_OK;
}

phx_result phxi_world_advance_implicit(phx_world* world, double dt) {
    phxi_implicit_list list = {0};
    phxi_trouble trouble = {-1, NULL};
    PHXI_TRY(gather(world, dt, &list));
    if (list.count == 0) {
        return PHX_OK;
    }
    phxi_implicit_surroundings around = {.dt = dt,
                                         .overlap_time = world->def.overlap_time,
                                         .statics = world->statics,
                                         .last_dt = world->last_dt,
                                         .pairs = world->implicit_pairs,
                                         .scene = world->scene,
                                         .has_explicit_contact = world->has_explicit_contact};
    for (int k = 0; k < list.count && world->statics; ++k) {
        phxi_implicit_statics_def(&list.items[k].def);
    }
    phxi_step step = phxi_world_context(world, -1);
    phx_result result = phxi_implicit_step(&list, &around, &step, &trouble);
    if (result != PHX_OK) {
        return phxi_fail_within(result, "implicit step at t = %g s", world->time);
    }
    PHXI_TRY(trouble.particle < 0 ? finish(world, dt, &trouble) : PHX_OK);
    return trouble.particle < 0 ? PHX_OK : phxi_world_report(world, &trouble, dt);
}
