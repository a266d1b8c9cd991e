// SPDX-License-Identifier: MIT
// Thermal expansion in the world: from the temperatures of particles to how much longer each would be if it were free
// (particles.h: thermal), which methods take off the deformation (materials/expansion.h).
//
// Temperatures change where heat flows, between two substeps. What that stores in bodies that cannot follow at once
// comes from heat and not from nowhere: it is the difference of their elastic energies before and after, and is counted
// as work (docs/theory/energy.md).
#include "world/world.h"

#include "materials/expansion.h"

#include <string.h>

enum { GRAIN = 4096 };

typedef struct growing {
    const phx_world* world;
    double share;
    phx_real* values; // by particle
} growing;

static void grow_block(void* context, int begin, int end, int block) {
    const growing* g = context;
    const phxi_particles* p = &g->world->particles;
    (void)block;
    for (int i = begin; i < end; ++i) {
        const phxi_body* body = &g->world->bodies.items[p->body[i]];
        double kelvin = body->expands ? (double)p->temperature[i] - body->made_at : 0;
        g->values[i] = (phx_real)(body->expands ? phxi_thermal_stretch(&body->material, g->share * kelvin) : 0);
    }
}

static void find_stretches(phx_world* world, double share, phx_real* values) {
    growing g = {world, share, values};
    phxi_parallel_for(world->pool, world->particles.count, GRAIN, grow_block, &g);
}

void phxi_world_expand(phx_world* world, double share) {
    if (world->particles.thermal) {
        find_stretches(world, share, world->particles.thermal);
        ++world->particles.thermal_version;
    }
}

/// Elastic energy of the bodies that expand, J.
static double stored_in(phx_world* world) {
    phx_totals totals = {0};
    for (int b = 0; b < world->bodies.count; ++b) {
        const phxi_body* body = &world->bodies.items[b];
        const phxi_solver* solver = &world->solvers.items[body->solver];
        if (body->expands) {
            phxi_step step = phxi_world_context(world, body->solver);
            solver->method->measure(solver->state, &step, b, NULL, &totals);
        }
    }
    return totals.elastic;
}

phx_result phxi_world_expand_by_heat(phx_world* world) {
    phxi_particles* p = &world->particles;
    if (!p->thermal) {
        return PHX_OK;
    }
    size_t size = (size_t)p->count * sizeof(phx_real);
    phx_real* values = phxi_arena_take(&world->arena, (size_t)p->count + 1, sizeof *values);
    if (!values) {
        return PHX_ERROR_MEMORY;
    }
    find_stretches(world, 1, values);
    if (memcmp(values, p->thermal, size) == 0) {
        return PHX_OK;
    }
    double before = stored_in(world);
    memcpy(p->thermal, values, size);
    ++p->thermal_version;
    double change = stored_in(world) - before;
    world->heat.state.expansion += change;
    world->heat.state.stirred += fabs(change);
    return PHX_OK;
}
