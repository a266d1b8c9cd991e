// SPDX-License-Identifier: MIT
#include "contact/rigid_collide.h"

#include "contact/law/friction.h"
#include "contact/law/projection.h"

enum { SWEEPS = 40 };
static const double settled = 1e-4;   // forces that change by less of their bound are found
static const double deepest = 0.8;    // skins, that the body gets into a collider
static const double search_range = 3; // skins beside a place, from which it is looked for

/// Where the body touches a collider.
typedef struct place {
    int particle, collider;
    phx_vec3 at, point; // on the core; on the surface below
    phx_vec3 normal;    // out of the collider
    double depth, stiffness, share;
    phx_vec3 coming;                          // velocity relative to the collider, without the current forces
    phx_vec3 moving;                          // acceleration of the collider
    double inverse_mass, inverse_mass_across; // 1/kg, of the body where it is pushed: along the normal, across
    double target, fastest;                   // m/s, of projection: how fast it is to part at least, at most
    double parting;    // m/s, of what was put into the collider: it leaves no faster; 0: it was not
    double most;       // N
    double push, grip; // N
    phx_vec3 friction;
} place;

/// What acts on the body so far.
typedef struct response {
    const phxi_contact_rigid* body;
    phx_vec3 rate, spin;
} response;

static void act(response* r, phx_vec3 point, phx_vec3 force) {
    phx_vec3 torque = phxi_cross(phxi_sub(point, r->body->pivot), force);
    r->rate = phxi_add_scaled(r->rate, r->body->inverse_mass, force);
    r->spin = phxi_add(r->spin, phxi_mat3_apply(&r->body->inverse, torque));
}

static phx_vec3 rate_at(const response* r, phx_vec3 point) {
    return phxi_add(r->rate, phxi_cross(r->spin, phxi_sub(point, r->body->pivot)));
}

// ------------------------------------------------------------------------------------------------------------- finding

static phx_vec3 nearest_of_collider(const void* context, phx_vec3 point) {
    phx_vec3 normal;
    double above = phxi_collider_now(context, point, &normal);
    return above > 0 ? phxi_add_scaled(point, -above, normal) : point;
}

static double radius_of(const phxi_rigid_colliders* o, const phxi_contact_rigid* body) {
    const phxi_particles* p = o->particles;
    double square = 0;
    for (int i = o->begin; i < o->end; ++i) {
        phx_vec3 arm = phxi_sub(phxi_vec3(p->x[i], p->y[i], p->z[i]), body->center);
        square = fmax(square, phxi_dot(arm, arm));
    }
    return sqrt(square) + 2 * body->skin;
}

/// Looks from particle i; false if there is nothing to touch near it.
static bool find_place(const phxi_rigid_colliders* o, const phxi_contact_rigid* body, int c, int i, place* found,
                       double* weight) {
    const phxi_collider* collider = &o->colliders[c];
    if ((double)body->depth[i] > PHXI_RIGID_DEEP * body->skin) {
        return false;
    }
    phx_vec3 seen = phxi_rigid_seen(body, o->particles, i), other;
    if (phxi_collider_now(collider, seen, NULL) > (1 + search_range) * body->skin) {
        return false;
    }
    phxi_closest_to one = phxi_rigid_closest_to(body), two = {nearest_of_collider, collider};
    *found = (place){.particle = i, .collider = c, .at = seen};
    phxi_rigid_closest_points(&one, &two, &found->at, &other);
    *weight = phxi_rigid_weight(phxi_distance(found->at, seen) / (2 * body->skin));
    found->depth = body->skin - phxi_collider_now(collider, found->at, &found->normal);
    found->point = phxi_add_scaled(found->at, -body->skin, found->normal);
    return *weight > 0;
}

static void fill_place(const phxi_rigid_colliders* o, const phxi_contact_rigid* body, place* at) {
    const phxi_collider* collider = &o->colliders[at->collider];
    double width = 2 * body->skin, spacing = o->particles->spacing[at->particle];
    at->stiffness = phxi_collider_stiffness(collider, o->young, 0.5 * width * width * width / (spacing * spacing));
    at->moving = phxi_pose_acceleration(&collider->now, at->point);
    at->coming = phxi_sub(phxi_rigid_velocity_at(body, at->point), phxi_pose_velocity(&collider->now, at->point));
    at->inverse_mass = phxi_rigid_inverse_mass(body, at->point, at->normal);
    at->inverse_mass_across = phxi_rigid_inverse_mass_across(body, at->point, at->normal);
    at->parting = o->overlap_time > 0 ? body->overlap / o->overlap_time : 0;
    at->most = at->parting > 0 ? at->share * at->stiffness * fmax(0, at->depth) : INFINITY;
}

/// Places that touch, with their shares, in the order of colliders and particles.
static phx_result find_places(const phxi_rigid_colliders* o, const phxi_contact_rigid* body, place** places,
                              int* count) {
    size_t most = (size_t)(o->end - o->begin) * (size_t)o->count;
    *places = phxi_arena_take(o->arena, most, sizeof **places);
    phxi_rigid_spot* spots = phxi_arena_take(o->arena, most, sizeof *spots);
    if (!*places || !spots) {
        return PHX_ERROR_MEMORY;
    }
    int found = 0;
    for (int c = 0; c < o->count; ++c) {
        for (int i = o->begin; i < o->end; ++i) {
            double weight;
            if (find_place(o, body, c, i, &(*places)[found], &weight)) {
                spots[found] = (phxi_rigid_spot){
                    .group = c, .index = found, .at = (*places)[found].at, .weight = weight, .width = 2 * body->skin};
                ++found;
            }
        }
    }
    phxi_rigid_share_spots(spots, found);
    for (int k = 0; k < found; ++k) {
        (*places)[spots[k].index].share = spots[k].share;
    }
    // what has a stiffness pushes where it is in the collider; projection also looks ahead
    double least = o->projection ? -2 * body->skin : 0;
    *count = 0;
    for (int k = 0; k < found; ++k) {
        if ((*places)[k].depth > least) {
            (*places)[*count] = (*places)[k];
            fill_place(o, body, &(*places)[(*count)++]);
        }
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- forces

/// Springs and dampers; what all places together move is shared by them.
static void find_pushes(const phxi_rigid_colliders* o, place* places, int count, response* r) {
    double shares = 0;
    for (int k = 0; k < count; ++k) {
        shares += places[k].share;
    }
    for (int k = 0; k < count; ++k) {
        place* at = &places[k];
        double mass = 1 / (shares * at->inverse_mass), most = o->dt > 0 ? 0.5 * mass / o->dt : INFINITY;
        double drag = fmin(2 * o->colliders[at->collider].damping * sqrt(at->stiffness * mass), most);
        double push = at->share * fmax(0, at->stiffness * at->depth - drag * phxi_dot(at->coming, at->normal));
        at->push = at->parting > 0 && o->dt > 0 ? 0 : push;
    }
    for (int k = 0; k < count; ++k) {
        act(r, places[k].point, phxi_scale(places[k].push, places[k].normal));
    }
}

/// More, where the body would be too deep at the end of the substep.
static void stop(const phxi_rigid_colliders* o, double skin, place* places, int count, response* r) {
    bool changed = o->dt > 0 && o->kick > 0;
    for (int sweep = 0; sweep < SWEEPS && changed; ++sweep) {
        changed = false;
        for (int k = 0; k < count; ++k) {
            place* at = &places[k];
            double target = at->parting > 0 ? at->parting : -fmax(0, deepest * skin - at->depth) / o->dt;
            double rate = phxi_dot(phxi_sub(rate_at(r, at->point), at->moving), at->normal);
            double lacks = target - phxi_dot(at->coming, at->normal) - o->kick * rate;
            double more = fmin(at->most - at->push, lacks > 0 ? lacks / (o->kick * at->inverse_mass) : 0);
            changed = changed || more > 1e-3 * at->push;
            at->push += more;
            act(r, at->point, phxi_scale(more, at->normal));
        }
    }
}

/// What it takes that there is no overlap at the end of the substep; or, of what is too deep already, that it leaves.
static void project(const phxi_rigid_colliders* o, place* places, int count, response* r) {
    for (int k = 0; k < count; ++k) {
        place* at = &places[k];
        double rate = phxi_dot(phxi_sub(rate_at(r, at->point), at->moving), at->normal);
        phxi_gap gap = {at->depth, phxi_dot(at->coming, at->normal), o->kick * rate, o->colliders[at->collider].damping,
                        1 / at->inverse_mass};
        phxi_gap_speeds speeds = {-INFINITY, INFINITY};
        if (o->dt > 0) {
            speeds = phxi_gap_find_speeds(&gap, o->dt, o->compliance);
        }
        at->target = speeds.target;
        at->fastest = speeds.most;
        at->target = at->parting > 0 && at->depth > 0 ? at->parting : at->target;
    }
    bool changed = o->dt > 0 && o->kick > 0;
    for (int sweep = 0; sweep < SWEEPS && changed; ++sweep) {
        changed = false;
        for (int k = 0; k < count; ++k) {
            place* at = &places[k];
            double rate = phxi_dot(phxi_sub(rate_at(r, at->point), at->moving), at->normal);
            double give = at->parting > 0 ? 0 : o->compliance / (at->share * o->dt);
            double wanted = give > 0 ? fmin(at->target - give * at->push, at->fastest) : at->target;
            double lacks = wanted - phxi_dot(at->coming, at->normal) - o->kick * rate;
            double push = fmin(at->most, fmax(0, at->push + lacks / (o->kick * at->inverse_mass + give)));
            changed = changed || fabs(push - at->push) > 1e-3 * push;
            act(r, at->point, phxi_scale(push - at->push, at->normal));
            at->push = push;
        }
    }
}

// Forces go to the particles that found the places; what they turn more than there goes to all.
static void hand_out(const phxi_rigid_colliders* o, const phxi_contact_rigid* body, const place* places, int count,
                     bool friction) {
    const phxi_particles* p = o->particles;
    phx_vec3 couple = {0, 0, 0};
    for (int k = 0; k < count; ++k) {
        const place* at = &places[k];
        int i = at->particle;
        phx_vec3 force = friction ? at->friction : phxi_scale(at->push, at->normal);
        phx_vec3 arm = phxi_sub(at->point, phxi_vec3(p->x[i], p->y[i], p->z[i]));
        couple = phxi_add(couple, phxi_cross(arm, force));
        o->force[0][i] += (phx_real)force.x;
        o->force[1][i] += (phx_real)force.y;
        o->force[2][i] += (phx_real)force.z;
        if (o->energy && !friction && at->depth > 0) {
            double spring = phxi_gap_stiffness(o->compliance, 1 / at->inverse_mass, o->dt);
            double stiffness = o->projection ? spring : at->stiffness;
            o->energy[i] += 0.5 * at->share * stiffness * at->depth * at->depth;
        }
        if (o->pushes) {
            phxi_collider_push* push = &o->pushes[at->collider];
            push->force = phxi_add(push->force, force);
            push->power += phxi_dot(force, phxi_pose_velocity(&o->colliders[at->collider].now, at->point));
        }
    }
    phx_vec3 spin = phxi_mat3_apply(&body->spread, couple);
    for (int i = o->begin; i < o->end; ++i) {
        phx_vec3 arm = phxi_sub(phxi_vec3(p->x[i], p->y[i], p->z[i]), body->center);
        phx_vec3 force = phxi_scale(p->mass[i], phxi_cross(spin, arm));
        o->force[0][i] += (phx_real)force.x;
        o->force[1][i] += (phx_real)force.y;
        o->force[2][i] += (phx_real)force.z;
    }
}

// ------------------------------------------------------------------------------------------------------------ friction

struct phxi_rigid_grip {
    phxi_rigid_colliders colliders;
    phxi_contact_rigid body;
    place* places;
    int count;
    bool swept;
};

void phxi_rigid_grip_act(const phxi_rigid_grip* grip, phx_vec3* rate, phx_vec3* spin) {
    response r = {&grip->body, *rate, *spin};
    for (int k = 0; k < grip->count; ++k) {
        act(&r, grip->places[k].point, grip->places[k].friction);
    }
    *rate = r.rate;
    *spin = r.spin;
}

bool phxi_rigid_grip_sweep(phxi_rigid_grip* grip, phx_vec3* rate, phx_vec3* spin) {
    response r = {&grip->body, *rate, *spin};
    bool changed = false;
    for (int k = 0; k < grip->count; ++k) {
        place* at = &grip->places[k];
        if (!(at->grip > 0)) {
            continue;
        }
        phx_vec3 rate_of_slip = phxi_sub(rate_at(&r, at->point), at->moving);
        phx_vec3 urge = phxi_friction_urge(rate_of_slip, 1, at->coming, phxi_vec3(0, 0, 0), grip->colliders.dt);
        phx_vec3 wanted = phxi_add_scaled(at->friction, -1 / at->inverse_mass_across, urge);
        phx_vec3 force = phxi_friction_cone(wanted, at->normal, at->grip).force;
        phx_vec3 more = phxi_sub(force, at->friction);
        changed = changed || phxi_length(more) > settled * at->grip;
        at->friction = force;
        act(&r, at->point, more);
    }
    grip->swept = true;
    *rate = r.rate;
    *spin = r.spin;
    return changed;
}

void phxi_rigid_grip_finish(phxi_rigid_grip* grip, const phxi_contact_rigid* body) {
    phx_vec3 rate = body->rate, spin = body->spin_rate;
    bool changed = !grip->swept;
    for (int sweep = 0; sweep < SWEEPS && changed; ++sweep) {
        changed = phxi_rigid_grip_sweep(grip, &rate, &spin);
    }
    hand_out(&grip->colliders, &grip->body, grip->places, grip->count, true);
}

/// Where there is friction: for the arena.
static phx_result make_grip(const phxi_rigid_colliders* o, const phxi_contact_rigid* body, place* places, int count,
                            phxi_rigid_grip** grip) {
    double most = 0;
    for (int k = 0; k < count; ++k) {
        places[k].grip = o->colliders[places[k].collider].friction * places[k].push;
        most = fmax(most, places[k].grip);
    }
    if (!(o->dt > 0) || !(most > 0)) {
        return PHX_OK;
    }
    *grip = phxi_arena_take(o->arena, 1, sizeof **grip);
    if (!*grip) {
        return PHX_ERROR_MEMORY;
    }
    **grip = (phxi_rigid_grip){*o, *body, places, count, false};
    return PHX_OK;
}

static bool is_near(const phxi_rigid_colliders* o, const phxi_contact_rigid* body) {
    double radius = o->count > 0 ? radius_of(o, body) : 0;
    bool near = false;
    for (int c = 0; !near && c < o->count; ++c) {
        near = !(phxi_collider_now(&o->colliders[c], body->center, NULL) > 1.0001 * radius);
    }
    return near && !phxi_rigid_held(body);
}

phx_result phxi_rigid_collide(const phxi_rigid_colliders* o, const phxi_contact_rigid* body, phxi_rigid_grip** grip) {
    *grip = NULL;
    if (!is_near(o, body)) {
        return PHX_OK;
    }
    place* places;
    int count;
    response r = {body, body->rate, body->spin_rate};
    PHXI_TRY(find_places(o, body, &places, &count));
    if (count > 0) {
        if (o->projection) {
            project(o, places, count, &r);
        } else {
            find_pushes(o, places, count, &r);
            stop(o, body->skin, places, count, &r);
        }
        hand_out(o, body, places, count, false);
        PHXI_TRY(make_grip(o, body, places, count, grip));
    }
    return PHX_OK;
}
