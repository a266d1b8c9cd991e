// SPDX-License-Identifier: MIT
// Rollers: drivers that hold particles along some directions and leave them free along the others, without friction.
//
// N is the projector onto the directions that are held. A particle that two rollers hold has the directions of both;
// the second holds what of its own the first does not, N_e, so that reactions add up. Across its rail a particle goes
// with the velocity that brings it to where the driver wants it by the end of the substep; solvers see to it that
// nothing else moves it there (particles.h: rail; motion/explicit.c; implicit/residual.c, pcg.c). What a roller exerts
// follows from the balance of momentum, as for other drivers (drivers.c), along N_e.
#include "world/world.h"

#include "math/decompose3.h"

#include <string.h>

enum { GRAIN = 1024, HELD = 1, HELD_BY_ROLLERS = 2 };
#define RANK 1e-6 // of the squares of sines: directions nearer than a thousandth are one

// ------------------------------------------------------------------------------------------------------------
// directions

static phxi_mat3 projector(const phx_vec3* directions, int count) {
    phxi_sym3 sum = {0}, inverse, onto;
    for (int k = 0; k < count; ++k) {
        phx_vec3 n = phxi_normalize(directions[k], phxi_vec3(0, 0, 0));
        sum.xx += n.x * n.x, sum.yy += n.y * n.y, sum.zz += n.z * n.z;
        sum.xy += n.x * n.y, sum.xz += n.x * n.z, sum.yz += n.y * n.z;
    }
    phxi_pseudo_inverse_sym3(&sum, RANK, &inverse, &onto);
    return phxi_sym3_full(&onto);
}

static phxi_mat3 without(const phxi_mat3* a, const phxi_mat3* b) {
    phxi_mat3 difference;
    for (int k = 0; k < 9; ++k) {
        difference.m[k / 3][k % 3] = a->m[k / 3][k % 3] - b->m[k / 3][k % 3];
    }
    return difference;
}

/// The projector onto all that either holds.
static phxi_mat3 joined(const phxi_mat3* a, const phxi_mat3* b) {
    phx_vec3 columns[6];
    for (int k = 0; k < 3; ++k) {
        columns[k] = phxi_vec3(a->m[0][k], a->m[1][k], a->m[2][k]);
        columns[3 + k] = phxi_vec3(b->m[0][k], b->m[1][k], b->m[2][k]);
    }
    int count = 0;
    for (int k = 0; k < 6; ++k) {
        columns[count] = columns[k];
        count += phxi_length(columns[k]) > 1e-3;
    }
    return projector(columns, count);
}

static double trace(const phxi_mat3* a) {
    return a->m[0][0] + a->m[1][1] + a->m[2][2];
}

// --------------------------------------------------------------------------------------------------------------
// creation

static phx_result check_bodies(const phx_world* world, const phxi_driver* driver) {
    for (int k = 0; k < driver->group.count; ++k) {
        const phxi_body* body = &world->bodies.items[world->particles.body[driver->group.indices[k]]];
        const phxi_method* method = world->solvers.items[body->solver].method;
        if (!method->rails) {
            return phxi_fail(PHX_ERROR_UNSUPPORTED,
                             "body '%s' is %s, whose particles cannot be held along one direction and free along "
                             "others; expected efg, elastoplastic_sph, corotated_sph, fem or peridynamics",
                             body->name, method->name);
        }
    }
    return PHX_OK;
}

phx_result phxi_roller_init(phxi_driver* driver, phx_world* world, const phx_driver_def* def) {
    static const phx_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    bool axes = def->axes && def->axes[0], normal = phxi_length(def->normal) > 0;
    phx_vec3 directions[3];
    int count = 0;
    if (!axes && !normal) {
        return PHX_OK;
    }
    if (axes && normal) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "both axes and a normal are given, expected one of them");
    }
    if (def->kind != PHX_DRIVER_PIN && def->kind != PHX_DRIVER_MOVE && def->kind != PHX_DRIVER_VELOCITY) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a driver of this kind has no %s, expected pin, move or velocity",
                         axes ? "axes" : "normal");
    }
    for (const char* at = axes ? def->axes : ""; *at; ++at) {
        if (*at != ' ' && (*at < 'x' || *at > 'z' || (at[1] && at[1] != ' '))) {
            return phxi_fail(PHX_ERROR_ARGUMENT, "axes are '%s', expected some of x, y, z", def->axes);
        }
        if (*at != ' ' && count < 3) {
            directions[count++] = unit[*at - 'x'];
        }
    }
    if (normal) {
        directions[count++] = def->normal;
    }
    driver->across = projector(directions, count);
    driver->slides = trace(&driver->across) < 2.5; // all three: an ordinary one
    return driver->slides ? check_bodies(world, driver) : PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------
// substeps

typedef struct rolling {
    phx_world* world;
    phxi_driver* driver;
    const phxi_motion *before, *after;
    double dt;
    double* work; // J, by block
} rolling;

static phx_vec3 load3(const phx_real* values, int k) {
    const phx_real* three = values + 3 * (size_t)k;
    return phxi_vec3(three[0], three[1], three[2]);
}

static void store3(phx_real* values, int k, phx_vec3 v) {
    phx_real* three = values + 3 * (size_t)k;
    three[0] = (phx_real)v.x, three[1] = (phx_real)v.y, three[2] = (phx_real)v.z;
}

/// What is held by rail `index` (0: nothing).
static phxi_mat3 held_by(const phx_world* world, int index) {
    phxi_mat3 all = phxi_identity(), nothing = {{{0}}};
    return index > 0 ? without(&all, &world->rails.items[index - 1]) : nothing;
}

/// What of the driver's own directions others do not hold already.
static phxi_mat3 own_of(const rolling* c, int k) {
    phxi_mat3 after = held_by(c->world, c->driver->rail_after[k]),
              before = held_by(c->world, c->driver->rail_before[k]);
    return without(&after, &before);
}

static phx_vec3 way_of(const rolling* c, int k) {
    phx_vec3 start = load3(c->driver->start, k);
    return phxi_sub(phxi_motion_displacement(c->after, start), phxi_motion_displacement(c->before, start));
}

static void begin_block(void* context, int begin, int end, int block) {
    const rolling* c = context;
    phxi_particles* p = &c->world->particles;
    double work = 0;
    for (int k = begin; k < end; ++k) {
        int i = c->driver->group.indices[k];
        phxi_mat3 own = own_of(c, k);
        phx_vec3 start = load3(c->driver->start, k), x = phxi_vec3(p->x[i], p->y[i], p->z[i]);
        phx_vec3 v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
        x = p->low[0] ? phxi_particles_place(p, i) : x;
        phx_vec3 left = phxi_sub(phxi_add(start, phxi_motion_displacement(c->after, start)), x);
        phx_vec3 change = phxi_mat3_apply(&own, phxi_sub(phxi_scale(1 / c->dt, left), v)), now = phxi_add(v, change);
        if (p->fixed[i] == HELD) { // another driver decides all of it
            store3(c->driver->reactions, k, phxi_vec3(0, 0, 0));
            continue;
        }
        p->vx[i] = (phx_real)now.x, p->vy[i] = (phx_real)now.y, p->vz[i] = (phx_real)now.z;
        store3(c->driver->reactions, k, phxi_scale((double)p->mass[i] / c->dt, change));
        work += 0.5 * (double)p->mass[i] * (phxi_dot(now, now) - phxi_dot(v, v));
        work -= 0.5 * phxi_dot(phxi_mat3_apply(&own, phxi_internal_force(c->world, i)), way_of(c, k));
    }
    c->work[block] = work;
}

static void end_block(void* context, int begin, int end, int block) {
    const rolling* c = context;
    const phxi_particles* p = &c->world->particles;
    double work = 0;
    for (int k = begin; k < end; ++k) {
        int i = c->driver->group.indices[k];
        phxi_mat3 own = own_of(c, k);
        if (p->fixed[i] == HELD) { // another driver decides all of it
            continue;
        }
        phx_vec3 inner = phxi_mat3_apply(&own, phxi_internal_force(c->world, i));
        phx_vec3 outer = phxi_add_scaled(phxi_vec3(p->fx[i], p->fy[i], p->fz[i]), p->mass[i], c->world->def.gravity);
        outer = phxi_mat3_apply(&own, outer);
        store3(c->driver->reactions, k, phxi_sub(load3(c->driver->reactions, k), phxi_add(inner, outer)));
        work -= phxi_dot(phxi_add_scaled(outer, 0.5, inner), way_of(c, k));
    }
    c->work[block] = work;
}

/// The number of the rail that leaves what neither this one nor the driver holds.
static phx_result join_rail(phx_world* world, const phxi_driver* driver, int before, int* after) {
    phxi_mat3 held = held_by(world, before), all = joined(&held, &driver->across), one = phxi_identity();
    phxi_mat3 free = without(&one, &all);
    phxi_mat3* slot = phxi_array_add(&world->rails, &world->heap, "rails");
    if (!slot) {
        return PHX_ERROR_MEMORY;
    }
    *slot = free;
    *after = world->rails.count;
    return PHX_OK;
}

/// Gives each particle the rail that it has with this driver too. There are few rails: one for each set of drivers.
static phx_result set_rails(phx_world* world, phxi_driver* driver) {
    phxi_particles* p = &world->particles;
    int count = driver->group.count, known = world->rails.count;
    int* before = phxi_arena_take(&world->arena, (size_t)count, sizeof(int));
    int* after = phxi_arena_take(&world->arena, (size_t)count, sizeof(int));
    int* made = phxi_arena_take(&world->arena, (size_t)known + 1, sizeof(int));
    if (!before || !after || !made) {
        return PHX_ERROR_MEMORY;
    }
    memset(made, 0, ((size_t)known + 1) * sizeof(int));
    for (int k = 0; k < count; ++k) {
        int i = driver->group.indices[k];
        before[k] = known > 0 ? p->rail[i] : 0;
        if (made[before[k]] == 0) {
            PHXI_TRY(join_rail(world, driver, before[k], &made[before[k]]));
        }
        p->rail[i] = after[k] = made[before[k]];
    }
    driver->rail_before = before;
    driver->rail_after = after;
    p->rails = world->rails.items;
    return PHX_OK;
}

static phx_result run(rolling* c, phxi_loop_body* body) {
    int count = c->driver->group.count, blocks = phxi_block_count(count, GRAIN);
    c->work = phxi_arena_take(&c->world->arena, (size_t)blocks, sizeof(double));
    if (!c->work) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(c->world->pool, count, GRAIN, body, c);
    for (int b = 0; b < blocks; ++b) {
        c->driver->work += c->work[b];
    }
    return PHX_OK;
}

/// Particles whose rails leave nothing free are held like others, where they will be at the end.
static void hold_what_is_left(phx_world* world, const phxi_driver* driver, double dt) {
    phxi_particles* p = &world->particles;
    for (int k = 0; k < driver->group.count; ++k) {
        int i = driver->group.indices[k];
        if (!p->fixed[i] && trace(&world->rails.items[p->rail[i] - 1]) < 0.5) {
            p->x[i] += (phx_real)(dt * (double)p->vx[i]);
            p->y[i] += (phx_real)(dt * (double)p->vy[i]);
            p->z[i] += (phx_real)(dt * (double)p->vz[i]);
            p->fixed[i] = HELD_BY_ROLLERS;
        }
    }
}

phx_result phxi_roller_begin(phx_world* world, phxi_driver* driver, const phxi_motion* before, const phxi_motion* after,
                             double dt) {
    rolling c = {world, driver, before, after, dt, NULL};
    PHXI_TRY(set_rails(world, driver));
    PHXI_TRY(run(&c, begin_block));
    hold_what_is_left(world, driver, dt);
    return PHX_OK;
}

phx_result phxi_roller_end(phx_world* world, phxi_driver* driver, const phxi_motion* before, const phxi_motion* after) {
    rolling c = {world, driver, before, after, 0, NULL};
    return run(&c, end_block);
}
