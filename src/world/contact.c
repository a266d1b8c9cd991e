// SPDX-License-Identifier: MIT
// Contact between particles as the world sees it: asks the methods what is bonded, gives contact/pairs.h the bodies and
// what else acts on a particle.
#include "world/world.h"

#include <stdio.h>
#include <string.h>

/// What questions of contact/pairs.h come with.
typedef struct asking {
    phx_world* world;
    phxi_step* steps; // by solver
    bool now;         // loads are of the state as it is, outside of a substep
} asking;

static const phxi_solver* solver_of(const asking* a, int i) {
    return &a->world->solvers.items[a->world->bodies.items[a->world->particles.body[i]].solver];
}

static const phxi_step* step_of(const asking* a, int i) {
    return &a->steps[a->world->bodies.items[a->world->particles.body[i]].solver];
}

static double distance(const void* context, int i, int j) {
    const asking* a = context;
    const phxi_solver* solver = solver_of(a, i);
    return solver->method->contact_distance ? solver->method->contact_distance(solver->state, step_of(a, i), i, j) : 0;
}

static int bonds(const void* context, int i, int neighbors[PHXI_MAX_BONDS]) {
    const asking* a = context;
    const phxi_solver* solver = solver_of(a, i);
    return solver->method->bonds ? solver->method->bonds(solver->state, step_of(a, i), i, neighbors) : 0;
}

static phx_vec3 load(const void* context, int i) {
    const asking* a = context;
    const phx_world* world = a->world;
    const phxi_particles* p = &world->particles;
    phx_vec3 inner = phxi_internal_force(world, i);
    if (a->now) {
        return phxi_add(inner, phxi_outer_force(world, i));
    }
    inner = phxi_add(inner, phxi_vec3(p->fx[i], p->fy[i], p->fz[i]));
    return phxi_add_scaled(inner, p->mass[i], world->def.gravity);
}

/// Of half a substep ago: v(t) = v(mid) + dt/2 (a + g + e) of explicit methods has forces of t in it, which feed back.
static phx_vec3 velocity(const void* context, int i) {
    const asking* ask = context;
    const phx_world* world = ask->world;
    const phxi_particles* p = &world->particles;
    const phxi_solver* solver = solver_of(ask, i);
    const phx_real *const *a = solver->acceleration, *const *e = solver->external;
    phx_vec3 v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
    if (p->fixed[i] || !(a[0] && a[1] && a[2] && e[0] && e[1] && e[2])) {
        return v;
    }
    phx_vec3 sum = phxi_add(phxi_vec3(a[0][i], a[1][i], a[2][i]), phxi_vec3(e[0][i], e[1][i], e[2][i]));
    return phxi_add_scaled(v, -0.5 * world->last_dt, phxi_add(sum, world->def.gravity));
}

/// Penalties of particles are far too stiff for the steps of implicit bodies, which do not touch others.
static bool is_implicit(const phx_world* world, phxi_step* step, int b) {
    const phxi_solver* solver = &world->solvers.items[world->bodies.items[b].solver];
    char reason[160];
    return solver->method->implicit_dt && solver->method->implicit_dt(solver->state, step, b, reason) > 0;
}

static phxi_contact_body body_of(const phx_world* world, phxi_step* steps, int b) {
    const phxi_body* body = &world->bodies.items[b];
    const phxi_solver* solver = &world->solvers.items[body->solver];
    const phxi_method* method = solver->method;
    phxi_step* step = &steps[body->solver];
    phxi_contact_body made = {
        .begin = body->begin, .count = body->count, .traits = body->contact, .young = body->modulus, .piece_count = 1};
    if (is_implicit(world, step, b)) {
        made.traits.others = made.traits.self = false;
        return made;
    }
    made.traits.self = made.traits.self && method->contact_distance;
    made.version = method->contact_distance && method->bond_version ? method->bond_version(solver->state, step, b) : 0;
    const phxi_cracks* cracks = method->cracks ? method->cracks(solver->state, step, b) : NULL;
    made.piece_count = cracks && cracks->fragment ? cracks->fragment_count : 1;
    made.piece = cracks ? cracks->fragment : NULL;
    return made;
}

/// Whether there is a body that b could touch.
static bool has_strangers(const phx_world* world, int b) {
    const phxi_contact_traits* own = &world->bodies.items[b].contact;
    bool found = false;
    for (int k = 0; own->others && !found && k < world->bodies.count; ++k) {
        const phxi_contact_traits* other = &world->bodies.items[k].contact;
        found = k != b && other->others && (own->family == 0 || own->family != other->family);
    }
    return found;
}

/// Whether anything could touch, whatever it does: seen before anything is set up, as most worlds have one body.
static bool could_touch(const phx_world* world) {
    bool could = false;
    for (int b = 0; !could && b < world->bodies.count; ++b) {
        could = world->solvers.items[world->bodies.items[b].solver].method->contact_distance || has_strangers(world, b);
    }
    return could;
}

static phx_result add_forces(phx_world* world, double dt, bool now, phx_real* const force[3], double* energy) {
    asking context = {.world = world, .now = now};
    int bodies = world->bodies.count, solvers = world->solvers.count;
    phxi_contact_body* list = phxi_arena_take(&world->arena, (size_t)bodies, sizeof *list);
    context.steps = phxi_arena_take(&world->arena, (size_t)solvers, sizeof *context.steps);
    if (!list || !context.steps) {
        return PHX_ERROR_MEMORY;
    }
    for (int s = 0; s < solvers; ++s) {
        context.steps[s] = phxi_world_context(world, s);
    }
    for (int b = 0; b < bodies; ++b) {
        list[b] = body_of(world, context.steps, b);
    }
    phxi_contact_scene scene = {.pool = world->pool,
                                .arena = &world->arena,
                                .particles = &world->particles,
                                .bodies = list,
                                .body_count = bodies,
                                .dt = dt,
                                .context = &context,
                                .distance = distance,
                                .bonds = bonds,
                                .load = load,
                                .velocity = velocity};
    phx_result result = phxi_pairs_add_forces(world->pairs, &scene, force, energy);
    return result == PHX_OK ? PHX_OK : phxi_fail_within(result, "contact at t = %g s", world->time);
}

phx_result phxi_world_touch(phx_world* world, double dt) {
    phxi_particles* p = &world->particles;
    phx_real* const force[3] = {p->fx, p->fy, p->fz};
    return could_touch(world) ? add_forces(world, dt, false, force, NULL) : PHX_OK;
}

phx_result phxi_world_touch_now(phx_world* world, phxi_pair_forces* touch) {
    size_t count = (size_t)world->particles.count;
    *touch = (phxi_pair_forces){0};
    if (!could_touch(world)) {
        return PHX_OK;
    }
    for (int axis = 0; axis < 3; ++axis) {
        touch->force[axis] = phxi_arena_take(&world->arena, count, sizeof(phx_real));
        if (!touch->force[axis]) {
            return PHX_ERROR_MEMORY;
        }
        memset(touch->force[axis], 0, count * sizeof(phx_real));
    }
    double* energy = phxi_arena_take(&world->arena, count, sizeof *energy);
    if (!energy) {
        return PHX_ERROR_MEMORY;
    }
    memset(energy, 0, count * sizeof *energy);
    touch->energy = energy;
    return add_forces(world, world->last_dt, true, touch->force, energy);
}

// --------------------------------------------------------------------------------------------------- stable substep

/// Largest k_i / m_i of a body's particles, 1/s^2. Two springs k_i = r_i m_i in series swing with
///   omega^2 = r_i r_j (m_i + m_j) / (r_i m_i + r_j m_j) <= max(r_i, r_j),
/// and at most with r_i if j stands still.
static double rate_of(const phx_world* world, int b) {
    const phxi_body* body = &world->bodies.items[b];
    const phxi_body_extremes* e = &world->extremes.items[b];
    return body->contact.stiffness > 0 ? 2 * body->contact.stiffness / e->mass : body->modulus * e->ratio;
}

// Two layers that lie in each other's gaps are held by about twice the springs. As against colliders, half of what an
// explicit scheme could take leaves room for the elastic forces on the same particles.
void phxi_world_limit_touch(phx_world* world, phx_dt_info* info) {
    double most = 0;
    int stiffest = -1;
    for (int b = 0; b < world->bodies.count; ++b) {
        const phxi_body* body = &world->bodies.items[b];
        const phxi_solver* solver = &world->solvers.items[body->solver];
        phxi_step step = phxi_world_context(world, body->solver);
        bool touches = has_strangers(world, b) || body->contact.self ||
                       (solver->method->bond_version && solver->method->bond_version(solver->state, &step, b) != 0);
        if (touches && !body->still && !is_implicit(world, &step, b) && rate_of(world, b) > most) {
            most = rate_of(world, b);
            stiffest = b;
        }
    }
    if (stiffest >= 0 && 1 / sqrt(2 * most) < info->stable) {
        info->stable = 1 / sqrt(2 * most);
        snprintf(info->reason, sizeof info->reason, "limited by contact stiffness of body '%.48s'",
                 world->bodies.items[stiffest].name);
    }
}
