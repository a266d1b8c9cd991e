// SPDX-License-Identifier: MIT
// Contact between particles as the world sees it: gives contact/pairs.h the bodies, what is bonded in them, and what
// else acts on a particle.
#include "world/world.h"

#include "methods/shared/clamp.h"

#include <stdio.h>
#include <string.h>

/// Who is in a scene: all but pairs of bodies with implicit steps; those bodies and what moves by drivers alone; all.
typedef enum among { AMONG_EXPLICIT, AMONG_IMPLICIT, AMONG_ALL } among;

/// What questions of contact/pairs.h come with.
typedef struct asking {
    phx_world* world;
    const bool* implicit; // by body
    bool now;             // loads are of the state as it is, outside of a substep
    among who;
} asking;

static const phxi_solver* solver_of(const asking* a, int i) {
    return &a->world->solvers.items[a->world->bodies.items[a->world->particles.body[i]].solver];
}

static phx_vec3 load(const void* context, int i, bool for_push) {
    const asking* a = context;
    const phx_world* world = a->world;
    const phxi_particles* p = &world->particles;
    phx_vec3 inner = phxi_internal_force(world, i);
    if (a->now) {
        return phxi_add(inner, phxi_outer_force(world, i));
    }
    inner = for_push && a->implicit[p->body[i]] ? phxi_vec3(0, 0, 0) : inner;
    inner = phxi_add(inner, phxi_vec3(p->fx[i], p->fy[i], p->fz[i]));
    return phxi_add_scaled(inner, p->mass[i], world->def.gravity);
}

/// Of half a substep ago: v(t) = v(mid) + dt/2 (a + g + e) of explicit methods has forces of t in it, which feed back.
static phx_vec3 velocity(const void* context, int i) {
    const asking* ask = context;
    const phx_world* world = ask->world;
    const phxi_particles* p = &world->particles;
    const phxi_solver* solver = solver_of(ask, i);
    unsigned both = PHXI_MOTION_ACCELERATION | PHXI_MOTION_EXTERNAL;
    phx_real *const *a = p->acceleration, *const *e = p->external;
    phx_vec3 v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
    if (p->fixed[i] || ask->implicit[p->body[i]] || (solver->method->motion & both) != both) {
        return v;
    }
    phx_vec3 sum = phxi_add(phxi_vec3(a[0][i], a[1][i], a[2][i]), phxi_vec3(e[0][i], e[1][i], e[2][i]));
    return phxi_add_scaled(v, -0.5 * world->last_dt, phxi_add(sum, world->def.gravity));
}

phxi_bond_view phxi_world_bonds(phx_world* world, int body) {
    int solver = world->bodies.items[body].solver;
    const phxi_touch_table* touch = world->solvers.items[solver].method->touch;
    phxi_bond_view view = {0};
    if (touch && touch->bonds) {
        phxi_step step = phxi_world_context(world, solver);
        touch->bonds(world->solvers.items[solver].state, &step, body, &view);
    }
    return view;
}

/// The fragments of a body, NULL: it is in one piece, or its method does not know.
static const int* fragments_of(phx_world* world, int body, int* count) {
    int solver = world->bodies.items[body].solver;
    const phxi_fracture_table* fracture = world->solvers.items[solver].method->fracture;
    phxi_step step = phxi_world_context(world, solver);
    *count = 1;
    return fracture && fracture->fragments ? fracture->fragments(world->solvers.items[solver].state, &step, body, count)
                                           : NULL;
}

/// How far clamps of a body have turned, by driver; NULL: it does not end at clamps, or nothing is held.
static phx_result turns_of(phx_world* world, const phxi_body* body, const phxi_mat3** turns) {
    const phxi_particles* p = &world->particles;
    phxi_mat3* made = NULL;
    bool* known = NULL;
    *turns = NULL;
    for (int i = body->begin; body->conforming && i < body->begin + body->count; ++i) {
        int driver = p->grip[i] - 1;
        if (driver < 0 || (known && known[driver])) {
            continue;
        }
        if (!made) {
            size_t drivers = (size_t)world->drivers.count;
            made = phxi_arena_take(&world->arena, drivers, sizeof *made);
            known = phxi_arena_take(&world->arena, drivers, sizeof *known);
            if (!made || !known) {
                return PHX_ERROR_MEMORY;
            }
            memset(known, 0, drivers * sizeof *known);
        }
        made[driver] = phxi_clamp_turn(p, body->begin, body->count, driver + 1);
        known[driver] = true;
    }
    *turns = made;
    return PHX_OK;
}

static phxi_contact_body body_of(const asking* a, int b) {
    const phxi_body* body = &a->world->bodies.items[b];
    phxi_contact_body made = {.begin = body->begin,
                              .count = body->count,
                              .traits = body->contact,
                              .young = body->modulus,
                              .bonds = phxi_world_bonds(a->world, b)};
    bool among_implicit = a->who == AMONG_IMPLICIT, in_other_scene = among_implicit ? !a->implicit[b] : a->implicit[b];
    made.traits.self = made.traits.self && made.bonds.layer > 0 && !in_other_scene;
    made.bonds.version = in_other_scene ? 0 : made.bonds.version;
    if (in_other_scene) { // but what drivers alone move is in both
        made.traits.others = made.traits.others && (!among_implicit || body->kinematic);
    }
    made.traits.ignores_own_kind = a->who == AMONG_EXPLICIT && (a->implicit[b] || body->kinematic);
    made.implicit = a->implicit[b];
    made.slight = a->implicit[b] ? 0.02 : 0.2; // implicit steps push out at once, and keep the speed
    made.fragment = fragments_of(a->world, b, &made.fragment_count);
    return made;
}

/// Whether there is a body that b could touch.
static bool has_others(const phx_world* world, int b) {
    const phxi_contact_traits* own = &world->bodies.items[b].contact;
    bool found = false;
    for (int k = 0; own->others && !found && k < world->bodies.count; ++k) {
        const phxi_contact_traits* other = &world->bodies.items[k].contact;
        found = k != b && other->others && (own->family == 0 || own->family != other->family);
    }
    return found;
}

// Seen before anything is set up, as most worlds have one body.
bool phxi_world_could_touch(const phx_world* world) {
    bool could = false;
    for (int b = 0; !could && b < world->bodies.count; ++b) {
        const phxi_touch_table* touch = world->solvers.items[world->bodies.items[b].solver].method->touch;
        could = (touch && touch->bonds) || has_others(world, b);
    }
    return could;
}

/// Everything that contact asks, of the arena.
typedef struct asked {
    asking context;
    phxi_contact_scene scene;
} asked;

/// `now`: outside of a substep, where these are the forces so far; NULL: in a substep, where they are fx, fy, fz.
static phx_result make_scene(phx_world* world, double dt, phx_real* const* now, among who, asked** made) {
    phx_real* const loads[3] = {world->particles.fx, world->particles.fy, world->particles.fz};
    int bodies = world->bodies.count;
    *made = phxi_arena_take(&world->arena, 1, sizeof **made);
    phxi_contact_body* list = phxi_arena_take(&world->arena, (size_t)bodies, sizeof *list);
    phxi_contact_rigid* rigid = phxi_arena_take(&world->arena, (size_t)bodies, sizeof *rigid);
    bool* implicit = phxi_arena_take(&world->arena, (size_t)bodies, sizeof *implicit);
    if (!*made || !list || !rigid || !implicit) {
        return PHX_ERROR_MEMORY;
    }
    (*made)->context = (asking){world, implicit, now != NULL, who};
    for (int b = 0; b < bodies; ++b) {
        implicit[b] = phxi_world_implicit_dt(world, b) > 0; // penalties are far too stiff for implicit steps
        list[b] = body_of(&(*made)->context, b);
        PHXI_TRY(turns_of(world, &world->bodies.items[b], &list[b].turns));
        if (list[b].traits.others && phxi_world_is_rigid(world, b)) {
            rigid[b] = phxi_world_rigid(world, b, now ? now : loads);
            list[b].rigid = &rigid[b];
        }
    }
    (*made)->scene = (phxi_contact_scene){.pool = world->pool,
                                          .arena = &world->arena,
                                          .particles = &world->particles,
                                          .bodies = list,
                                          .body_count = bodies,
                                          .dt = dt,
                                          .kick = 0.5 * (dt + world->last_dt),
                                          .projection = world->def.contact == PHXI_PROJECTION,
                                          .compliance = world->def.compliance,
                                          .overlap = world->overlapping ? world->particles.overlap : NULL,
                                          .overlap_time = world->def.overlap_time,
                                          .friction_memory = &world->friction_memory,
                                          .keep = now || who != AMONG_EXPLICIT ? NULL : &world->heap,
                                          .context = &(*made)->context,
                                          .load = load,
                                          .velocity = velocity};
    return PHX_OK;
}

static phx_result add_forces(phx_world* world, const asked* made, phx_real* const force[3], double* energy) {
    phx_result result = phxi_pairs_add_forces(world->pairs, &made->scene, force, energy);
    return result == PHX_OK ? PHX_OK : phxi_fail_within(result, "contact at t = %g s", world->time);
}

phx_result phxi_world_take_forces(phx_world* world, phx_real* force[3]) {
    size_t count = (size_t)world->particles.count;
    for (int axis = 0; axis < 3; ++axis) {
        force[axis] = phxi_arena_take(&world->arena, count, sizeof(phx_real));
        if (!force[axis]) {
            return PHX_ERROR_MEMORY;
        }
        memset(force[axis], 0, count * sizeof(phx_real));
    }
    return PHX_OK;
}

bool phxi_world_kicks_plainly(phx_world* world, int b) {
    const phxi_method* method = world->solvers.items[world->bodies.items[b].solver].method;
    bool as_one = phxi_world_is_rigid(world, b) && !world->bodies.items[b].kinematic;
    return phxi_world_implicit_dt(world, b) > 0 || !(method->motion & PHXI_MOTION_EXTERNAL || as_one);
}

/// Both sides of a contact must take the same impulse of it, however they kick; and implicit bodies must be told that
/// they are pushed, as such forces are known at the start of the step only.
static phx_result touch_apart(phx_world* world, const asked* made, phx_real* const sum[3]) {
    phx_real* force[3];
    bool* has_explicit_contact =
        phxi_arena_take(&world->arena, (size_t)world->bodies.count, sizeof *has_explicit_contact);
    if (!has_explicit_contact) {
        return PHX_ERROR_MEMORY;
    }
    PHXI_TRY(phxi_world_take_forces(world, force));
    PHXI_TRY(add_forces(world, made, force, NULL));
    for (int b = 0; b < world->bodies.count; ++b) {
        const phxi_body* body = &world->bodies.items[b];
        phx_real by = phxi_world_kicks_plainly(world, b) ? (phx_real)(made->scene.kick / made->scene.dt) : 1;
        has_explicit_contact[b] = false;
        for (int k = 0; k < 3 * body->count; ++k) {
            phx_real more = by * force[k % 3][body->begin + k / 3];
            has_explicit_contact[b] = has_explicit_contact[b] || more != 0;
            sum[k % 3][body->begin + k / 3] += more;
        }
    }
    world->has_explicit_contact = has_explicit_contact;
    return PHX_OK;
}

phx_result phxi_world_scan_overlap(phx_world* world, int first_new, phxi_overlap_report* report) {
    asked* made;
    PHXI_TRY(make_scene(world, 0, NULL, AMONG_ALL, &made));
    made->scene.first_new = first_new;
    return phxi_pairs_find_overlap(world->pairs, &made->scene, world->particles.overlap, report, world);
}

phx_result phxi_world_touch(phx_world* world, double dt, phx_real* const force[3]) {
    if (!phxi_world_could_touch(world)) {
        return PHX_OK;
    }
    asked *made, *inner;
    PHXI_TRY(make_scene(world, dt, NULL, AMONG_EXPLICIT, &made));
    made->scene.still_overlaps = world->still_overlaps;
    int implicit = 0, plain = 0;
    for (int b = 0; b < world->bodies.count; ++b) {
        implicit += made->context.implicit[b];
        plain += phxi_world_kicks_plainly(world, b) && !world->bodies.items[b].kinematic;
    }
    if (implicit > 0) {
        PHXI_TRY(make_scene(world, dt, NULL, AMONG_IMPLICIT, &inner));
        world->scene = &inner->scene;
    }
    return implicit == world->bodies.count ? PHX_OK
           : plain > 0                     ? touch_apart(world, made, force)
                                           : add_forces(world, made, force, NULL);
}

phx_result phxi_world_touch_now(phx_world* world, phxi_pair_forces* touch) {
    size_t count = (size_t)world->particles.count;
    *touch = (phxi_pair_forces){0};
    if (!phxi_world_could_touch(world) && world->colliders.count == 0) {
        return PHX_OK;
    }
    PHXI_TRY(phxi_world_take_forces(world, touch->force));
    double* energy = phxi_arena_take(&world->arena, count, sizeof *energy);
    if (!energy) {
        return PHX_ERROR_MEMORY;
    }
    memset(energy, 0, count * sizeof *energy);
    touch->energy = energy;
    PHXI_TRY(phxi_world_collide_rigid(world, world->last_dt, touch->force, energy));
    if (phxi_world_could_touch(world)) {
        asked* made;
        PHXI_TRY(make_scene(world, world->last_dt, touch->force, AMONG_EXPLICIT, &made));
        PHXI_TRY(add_forces(world, made, touch->force, energy));
    }
    phxi_world_hold_rigid(world, touch->force);
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------- stable substep

/// Largest k_i / m_i of a body's particles, 1/s^2. Two springs k_i = r_i m_i in series swing with
///   omega^2 = r_i r_j (m_i + m_j) / (r_i m_i + r_j m_j) <= max(r_i, r_j),
/// and at most with r_i if j stands still. Among themselves (not `others`) particles of a body touch as balls.
static double rate_of(const phx_world* world, int b, bool others) {
    const phxi_body* body = &world->bodies.items[b];
    const phxi_body_extremes* e = &world->extremes.items[b];
    return body->contact.stiffness > 0 ? 2 * body->contact.stiffness / e->mass
                                       : body->modulus * (others ? e->ratio : e->ball_ratio);
}

/// The lightest particle of bodies with implicit steps, whose own stiffness does not count, kg.
static double lightest_implicit(phx_world* world) {
    double least = INFINITY;
    for (int k = 0; k < world->bodies.count; ++k) {
        if (world->bodies.items[k].contact.others && phxi_world_implicit_dt(world, k) > 0) {
            least = fmin(least, world->extremes.items[k].mass);
        }
    }
    return least;
}

/// Of a rigid body, for which the stiffness of others matters: two springs in series, at the ends of which there are
/// two masses.
static double rigid_rate(const phx_world* world, int b) {
    double most = 0;
    for (int k = 0; k < world->bodies.count; ++k) {
        const phxi_contact_traits *own = &world->bodies.items[b].contact, *other = &world->bodies.items[k].contact;
        const phxi_body_extremes *e = &world->extremes.items[b], *f = &world->extremes.items[k];
        if (k != b && own->others && other->others && (own->family == 0 || own->family != other->family)) {
            double one = own->stiffness > 0 ? 2 * own->stiffness : world->bodies.items[b].modulus * e->stiffest;
            double two = other->stiffness > 0 ? 2 * other->stiffness : world->bodies.items[k].modulus * f->stiffest;
            most = fmax(most, one * (two / (one + two)) *
                                  (1 / e->mass + (world->bodies.items[k].kinematic ? 0 : 1 / f->mass)));
        }
    }
    return most;
}

// Two layers that lie in each other's gaps are held by about twice the springs.
void phxi_world_limit_touch(phx_world* world, phx_dt_info* info, double inner) {
    double least = INFINITY, lightest = lightest_implicit(world);
    int stiffest = -1;
    // by projection only what takes implicit steps touches others by springs
    bool springs = world->def.contact == PHXI_PENALTY || lightest < INFINITY;
    for (int b = 0; b < world->bodies.count && springs; ++b) {
        const phxi_body* body = &world->bodies.items[b];
        bool others = has_others(world, b);
        bool touches = others || body->contact.self || phxi_world_bonds(world, b).version != 0;
        double rate = phxi_world_is_rigid(world, b)
                          ? rigid_rate(world, b)
                          : rate_of(world, b, others) * (1 + world->extremes.items[b].mass / lightest);
        double dt = phxi_world_spring_dt(2 * rate, inner, others && world->extremes.items[b].surface);
        if (touches && !body->kinematic && !(phxi_world_implicit_dt(world, b) > 0) && dt < least) {
            least = dt;
            stiffest = b;
        }
    }
    if (stiffest >= 0 && least < info->stable) {
        info->stable = least;
        snprintf(info->reason, sizeof info->reason, "limited by contact stiffness of body '%.48s'",
                 world->bodies.items[stiffest].name);
    }
}
