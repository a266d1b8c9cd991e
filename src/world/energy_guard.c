// SPDX-License-Identifier: MIT
// The guard against energy from nowhere (docs/theory/energy.md): motion that comes from no source stops the step with
// its name, as a state that is not finite does.
//
// Everything stored is at least zero, so kinetic energy T and that of gravity V can never exceed
//   E_0 + W + slack,  E_0 = T + V + elastic + contact energy when it was last measured in full, W work of drivers
//   since.
// One pass over masses, positions and velocities every few substeps; the full measurement, which costs about as much as
// a substep, is made at the first step, after edits and after a restore only. As E_0 is not lowered by what has been
// dissipated since, later faults are caught once they exceed all that there ever was; those that matter exceed it by
// orders of magnitude within a few substeps.
//
// The slack is for what methods are known to be off by: as much again as the energy in play (kernels that lose
// neighbours have no energy to be derived from, and give a tenth more than it took to tear them apart; faces of contact
// may pump a few percent), what lifts everything by a spacing (bodies are sampled to about
// that), motion at 1e-4 of the speed of sound (rounding, and bodies that are not quite at rest), and what bodies that
// were put into each other take to part.
//
// By projection pushes are blows, and velocities, which are half a substep ahead of forces, show them half again.
#include "world/world.h"

enum { GRAIN = 4096 };
static const double share = 1;    // of the energy in play
static const double quiet = 1e-4; // of the speed of sound
static const double lengths = 1;  // spacings that everything may be lifted by
static const double flat = 0.05;  // det F of what begins flat or inside out: no energy bounds how it finds back
static const double soft = 20;    // soft bodies that overlap part faster than they should

typedef struct guard_sums {
    double kinetic, potential;
} guard_sums;

typedef struct guard_context {
    const phx_world* world;
    guard_sums* blocks;
} guard_context;

static phx_vec3 before_the_blow(const phx_world* world, int i, phx_vec3 v) {
    const phxi_particles* p = &world->particles;
    phx_vec3 f = phxi_vec3(p->fx[i], p->fy[i], p->fz[i]);
    phx_vec3 less = phxi_add_scaled(v, -0.5 * world->last_dt / (double)p->mass[i], f);
    return phxi_dot(less, less) < phxi_dot(v, v) ? less : v;
}

static void sum_block(void* context, int begin, int end, int block) {
    const guard_context* c = context;
    const phx_world* world = c->world;
    const phxi_particles* p = &world->particles;
    const phx_vec3 g = world->def.gravity;
    const bool blows = world->def.contact == PHXI_PROJECTION;
    guard_sums s = {0};
    for (int i = begin; i < end; ++i) {
        const double mass = p->mass[i];
        phx_vec3 v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]), x = phxi_vec3(p->x[i], p->y[i], p->z[i]);
        v = blows ? before_the_blow(world, i, v) : v;
        s.kinetic += 0.5 * mass * phxi_dot(v, v);
        s.potential -= mass * phxi_dot(g, x);
    }
    c->blocks[block] = s;
}

static phx_result sum_all(phx_world* world, guard_sums* all) {
    int count = world->particles.count, blocks = phxi_block_count(count, GRAIN);
    guard_context context = {world, phxi_arena_take(&world->arena, (size_t)blocks + 1, sizeof *context.blocks)};
    if (!context.blocks) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(world->pool, count, GRAIN, sum_block, &context);
    *all = (guard_sums){0};
    for (int b = 0; b < blocks; ++b) {
        all->kinetic += context.blocks[b].kinetic;
        all->potential += context.blocks[b].potential;
    }
    phxi_arena_reset(&world->arena);
    return PHX_OK;
}

/// What bodies that are still in something take to part, J: they are lifted and pushed aside by as much as they are
/// deep.
static double find_parting(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double sum = 0, weight = phxi_length(world->def.gravity);
    for (int b = 0; b < world->bodies.count && world->overlapping; ++b) {
        const phxi_body* body = &world->bodies.items[b];
        double mass = 0, depth = 0;
        for (int i = body->begin; i < body->begin + body->count; ++i) {
            mass += (double)p->mass[i];
            depth = fmax(depth, (double)p->overlap[i]);
        }
        double speed = depth / world->def.overlap_time;
        sum += mass * (weight * depth + 0.5 * speed * speed);
    }
    return sum;
}

static double work_of(const phx_world* world) {
    double work = world->past_work + world->heat.state.stirred; // a bound, that of warmth: steps show it too late
    for (int d = 0; d < world->drivers.count; ++d) {
        work += world->drivers.items[d].work;
    }
    return work;
}

/// What is not worth a word, J.
static double find_floor(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double sum = 0, weight = phxi_length(world->def.gravity);
    for (int b = 0; b < world->bodies.count; ++b) {
        const phxi_body* body = &world->bodies.items[b];
        double square = quiet * quiet * body->modulus / body->material.density, mass = 0, lift = 0;
        for (int i = body->begin; i < body->begin + body->count && !body->kinematic; ++i) {
            mass += (double)p->mass[i];
            lift += lengths * weight * (double)p->mass[i] * (double)p->spacing[i];
        }
        sum += lift + 0.5 * mass * square;
    }
    return sum;
}

/// What gravity gives cannot be told where the world repeats along it.
static bool is_endless(const phx_world* world) {
    const phx_vec3 g = world->def.gravity, period = world->def.period;
    return g.x * period.x != 0 || g.y * period.y != 0 || g.z * period.z != 0;
}

static double stored_in(const phx_totals* totals) {
    return fmax(0, totals->elastic) + fmax(0, totals->contact);
}

phx_result phxi_energy_guard_begin(phx_world* world) {
    phxi_energy_guard* guard = &world->energy;
    if (guard->known) {
        return PHX_OK;
    }
    phx_totals totals;
    PHXI_TRY(phx_world_measure(world, &totals));
    *guard = (phxi_energy_guard){.known = true,
                                 .blind = !isfinite(stored_in(&totals)) || is_endless(world) || totals.min_det < flat,
                                 .overlapping = world->overlapping,
                                 .kinetic = totals.kinetic,
                                 .stored = stored_in(&totals),
                                 .potential = totals.potential,
                                 .work = work_of(world),
                                 .floor = find_floor(world)};
    return PHX_OK;
}

/// What was put into each other is found in the first substep; it parts slowly, and its springs store nothing.
static phx_result look_again(phx_world* world) {
    phxi_energy_guard* guard = &world->energy;
    phx_totals totals;
    if (!world->overlapping || guard->overlapping) {
        return PHX_OK;
    }
    PHXI_TRY(phx_world_measure(world, &totals));
    guard->overlapping = true;
    guard->stored = fmin(guard->stored, stored_in(&totals));
    return PHX_OK;
}

/// Names the body that moves most.
static phx_result report(const phx_world* world, double found, double given) {
    const phxi_particles* p = &world->particles;
    double most = -1;
    int worst = 0;
    for (int b = 0; b < world->bodies.count; ++b) {
        const phxi_body* body = &world->bodies.items[b];
        double kinetic = 0;
        for (int i = body->begin; i < body->begin + body->count; ++i) {
            phx_vec3 v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
            kinetic += 0.5 * (double)p->mass[i] * phxi_dot(v, v);
        }
        worst = kinetic > most ? b : worst;
        most = fmax(most, kinetic);
    }
    const phxi_body* body = &world->bodies.items[worst];
    return phxi_fail(
        PHX_ERROR_UNSTABLE,
        "energy from nowhere: %.3g J of motion at t = %g s, where no more than %.3g J was put in; body '%s' "
        "(%s) has %.3g J",
        found, world->time, given, body->name, world->solvers.items[body->solver].method->name, most);
}

phx_result phxi_energy_guard_check(phx_world* world) {
    phxi_energy_guard* guard = &world->energy;
    guard_sums now;
    if (!guard->known || guard->blind) {
        return PHX_OK;
    }
    PHXI_TRY(look_again(world));
    PHXI_TRY(sum_all(world, &now));
    double work = work_of(world) - guard->work, fallen = guard->potential - now.potential;
    guard->driven = fmax(guard->driven, fabs(work));
    guard->parting = fmax(guard->parting, find_parting(world));
    double motion = guard->kinetic + guard->stored, given = motion + work + fallen;
    double slack = share * (motion + guard->driven + fabs(fallen)) + guard->floor + soft * guard->parting;
    bool fine = now.kinetic <= given + slack;
    return fine ? PHX_OK : report(world, now.kinetic, fmax(0, given));
}
