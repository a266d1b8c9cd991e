// SPDX-License-Identifier: MIT
// A substep of rigid bodies: forces on particles are summed, bodies are moved, particles placed (rigid_internal.h).
// Sums are made by chunk and added in their order.
#include "methods/rigid/rigid_internal.h"

#include "math/decompose3.h"

static const double largest_misfit = 0.02; // spacings, by which drivers may pull held particles apart
static const double largest_tilt = 0.01;   // rad, by which a held line may turn in a substep

/// By chunk: force and its torque about the centre, N and N m, and what the end of the substep adds to them; how many
/// particles are held.
typedef struct chunk_sums {
    phx_vec3 force, torque, late_force, late_torque;
    int held;
} chunk_sums;

/// What places particles of a body, and what holds those that drivers have.
typedef struct placing {
    phxi_mat3 rotation;
    phx_vec3 velocity, spin;                 // at the end
    phx_vec3 past, past_velocity, past_spin; // centre and motion at the start
    phxi_mat3 past_rotation;
    int held;
    phx_vec3 reaction, twist, held_at; // N/kg, N/(kg m), where: of held particles
    bool partly;                       // some of its particles are held, others not
} placing;

typedef struct step_context {
    phxi_rigid_solver* solver;
    phxi_step* step;
    double dt;
    chunk_sums* sums; // by chunk
    placing* poses;   // by own body
    phxi_hold* holds; // by own body
} step_context;

static phx_vec3 arm_of(const phxi_particles* p, int i, const phxi_mat3* rotation, phx_vec3 rest) {
    return phxi_mat3_apply(rotation, phxi_sub(phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]), rest));
}

static void sum_chunks(void* context, int begin, int end, int block) {
    const step_context* c = context;
    const phxi_particles* p = c->step->particles;
    phx_real* const* late = c->step->late_force;
    (void)block;
    for (int k = begin; k < end; ++k) {
        const phxi_rigid_chunk* chunk = &c->solver->chunks.items[k];
        const phxi_rigid_body* body = &c->solver->bodies.items[chunk->body];
        int first = c->step->bodies[body->index].begin;
        phxi_mat3 rotation = phxi_quat_matrix(body->state.orientation);
        chunk_sums s = {0};
        for (int i = first + chunk->begin; i < first + chunk->end; ++i) {
            phx_vec3 force = phxi_vec3(p->fx[i], p->fy[i], p->fz[i]);
            s.force = phxi_add(s.force, force);
            s.torque = phxi_add(s.torque, phxi_cross(arm_of(p, i, &rotation, body->rest), force));
            s.held += p->fixed[i] != 0;
        }
        for (int i = first + chunk->begin; late && i < first + chunk->end; ++i) {
            phx_vec3 force = phxi_vec3(late[0][i], late[1][i], late[2][i]);
            s.late_force = phxi_add(s.late_force, force);
            s.late_torque = phxi_add(s.late_torque, phxi_cross(arm_of(p, i, &rotation, body->rest), force));
        }
        c->sums[k] = s;
    }
}

// --------------------------------------------------------------------------------------------------------------- moves

/// One body in one substep.
typedef struct move {
    phxi_rigid_body* body;
    const phxi_hold* hold;
    phx_vec3 force, torque;         // with gravity; about the centre
    phx_vec3 end_force, end_torque; // in the half kick that ends the substep
    double dt, kick;                // (dt_old + dt) / 2
    placing* pose;
} move;

static phxi_mat3 rotation_of(const phxi_rigid_body* body) {
    return phxi_quat_matrix(body->state.orientation);
}

static void move_free(const move* m) {
    phxi_rigid_motion_state* s = &m->body->state;
    s->velocity = phxi_add_scaled(s->velocity, m->kick / m->body->mass, m->force);
    s->angular_momentum = phxi_add_scaled(s->angular_momentum, m->kick, m->torque);
    s->center = phxi_add_scaled(s->center, m->dt, s->velocity);
    s->orientation = phxi_free_rotation(&m->body->principal, s->orientation, s->angular_momentum, m->dt);
    s->velocity_now = phxi_add_scaled(s->velocity, 0.5 * m->dt / m->body->mass, m->end_force);
    s->angular_now = phxi_add_scaled(s->angular_momentum, 0.5 * m->dt, m->end_torque);
    phxi_mat3 rotation = rotation_of(m->body), inverse = phxi_principal_inverse(&m->body->principal, &rotation);
    m->pose->velocity = s->velocity_now;
    m->pose->spin = phxi_mat3_apply(&inverse, s->angular_now);
}

/// Motion about a held place, which is at hold->now at the end: of the middle of the substep, and of its end.
static void follow_place(const move* m, phx_vec3 mean, phx_vec3 middle, phx_vec3 spin) {
    phxi_rigid_motion_state* s = &m->body->state;
    phxi_mat3 rotation = rotation_of(m->body), inertia = phxi_principal_tensor(&m->body->principal, &rotation);
    phx_vec3 arm = phxi_mat3_apply(&rotation, phxi_sub(m->body->rest, m->hold->rest));
    s->center = phxi_add(m->hold->now, arm);
    s->velocity = phxi_add(mean, phxi_cross(middle, arm));
    s->angular_momentum = phxi_mat3_apply(&inertia, middle);
    s->velocity_now = phxi_add(m->hold->velocity, phxi_cross(spin, arm));
    s->angular_now = phxi_mat3_apply(&inertia, spin);
    m->pose->velocity = s->velocity_now;
    m->pose->spin = spin;
}

/// Angular momentum about the held place as it moves, after the kick; the torque at the end and its mean velocity.
static phx_vec3 kick_about(const move* m, phx_vec3* end_torque, phx_vec3* mean) {
    const phxi_rigid_motion_state* s = &m->body->state;
    phx_vec3 place = phxi_rigid_where(m->body, m->hold->rest), arm = phxi_sub(s->center, place);
    *mean = phxi_scale(1 / m->dt, phxi_sub(m->hold->now, place));
    phx_vec3 torque = phxi_add(m->torque, phxi_cross(arm, m->force));
    *end_torque = phxi_add(m->end_torque, phxi_cross(arm, m->end_force));
    phx_vec3 momentum = phxi_scale(m->body->mass, phxi_sub(s->velocity, *mean));
    return phxi_add_scaled(phxi_add(s->angular_momentum, phxi_cross(arm, momentum)), m->kick, torque);
}

static void move_about_point(const move* m) {
    phxi_rigid_motion_state* s = &m->body->state;
    phxi_sym3 inertia = phxi_rigid_inertia_about(m->body, m->hold->rest);
    phxi_principal_inertia principal = phxi_principal_inertia_of(&inertia);
    phx_vec3 torque, mean, angular = kick_about(m, &torque, &mean);
    s->orientation = phxi_free_rotation(&principal, s->orientation, angular, m->dt);
    phxi_mat3 rotation = rotation_of(m->body), inverse = phxi_principal_inverse(&principal, &rotation);
    follow_place(m, mean, phxi_mat3_apply(&inverse, angular),
                 phxi_mat3_apply(&inverse, phxi_add_scaled(angular, 0.5 * m->dt, torque)));
}

static void move_about_line(const move* m) {
    phxi_rigid_motion_state* s = &m->body->state;
    phxi_sym3 about = phxi_rigid_inertia_about(m->body, m->hold->rest);
    phxi_mat3 full = phxi_sym3_full(&about), rotation = rotation_of(m->body);
    double inertia = phxi_dot(m->hold->axis, phxi_mat3_apply(&full, m->hold->axis));
    phx_vec3 torque, mean, angular = kick_about(m, &torque, &mean);
    phx_vec3 axis = phxi_mat3_apply(&rotation, m->hold->axis);
    double middle = inertia > 0 ? phxi_dot(axis, angular) / inertia : 0;
    double spin = inertia > 0 ? middle + 0.5 * m->dt * phxi_dot(axis, torque) / inertia : 0;
    s->orientation = phxi_quat_normalize(phxi_quat_mul(phxi_quat_from_axis(axis, m->dt * middle), s->orientation));
    follow_place(m, mean, phxi_scale(middle, axis), phxi_scale(spin, axis));
}

static void move_along(const move* m) {
    phxi_rigid_motion_state* s = &m->body->state;
    const phxi_mat3* rotation = &m->hold->rotation;
    phx_vec3 arm = phxi_mat3_apply(rotation, phxi_sub(m->body->rest, m->hold->rest));
    phxi_mat3 inertia = phxi_principal_tensor(&m->body->principal, rotation);
    s->center = phxi_add(m->hold->now, arm);
    s->orientation = phxi_quat_from_matrix(rotation);
    s->velocity_now = phxi_add(m->hold->velocity, phxi_cross(m->hold->spin, arm));
    s->angular_now = phxi_mat3_apply(&inertia, m->hold->spin);
    // should the driver let go now
    s->velocity = phxi_add_scaled(s->velocity_now, -0.5 * m->dt / m->body->mass, m->end_force);
    s->angular_momentum = phxi_add_scaled(s->angular_now, -0.5 * m->dt, m->end_torque);
    m->pose->velocity = s->velocity_now;
    m->pose->spin = m->hold->spin;
}

/// What drivers exert, for all of the body, spread over the particles that they hold.
static void find_reaction(const move* m, const phxi_particles* p, const phxi_body* body) {
    const phxi_rigid_motion_state* s = &m->body->state;
    placing* pose = m->pose;
    phxi_mat3 before = phxi_principal_tensor(&m->body->principal, &pose->past_rotation);
    phx_vec3 change = phxi_sub(s->velocity_now, pose->past_velocity);
    phx_vec3 force = phxi_sub(phxi_scale(m->body->mass / m->dt, change), m->end_force);
    phx_vec3 turned = phxi_sub(s->angular_now, phxi_mat3_apply(&before, pose->past_spin));
    phx_vec3 torque = phxi_sub(phxi_scale(1 / m->dt, turned), m->end_torque);
    torque = phxi_sub(torque, phxi_cross(phxi_sub(m->hold->now, s->center), force));
    phxi_sym3 inertia = {0}, inverse;
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        if (p->fixed[i]) {
            double w = p->mass[i];
            phx_vec3 r = phxi_sub(phxi_vec3(p->x[i], p->y[i], p->z[i]), m->hold->now);
            inertia.xx += w * (r.y * r.y + r.z * r.z);
            inertia.yy += w * (r.x * r.x + r.z * r.z);
            inertia.zz += w * (r.x * r.x + r.y * r.y);
            inertia.xy -= w * r.x * r.y;
            inertia.xz -= w * r.x * r.z;
            inertia.yz -= w * r.y * r.z;
        }
    }
    phxi_pseudo_inverse_sym3(&inertia, 1e-9, &inverse, NULL);
    phxi_mat3 full = phxi_sym3_full(&inverse);
    pose->partly = true;
    pose->held_at = m->hold->now;
    pose->reaction = phxi_scale(1 / m->hold->mass, force);
    pose->twist = phxi_mat3_apply(&full, torque);
}

static phx_result check_hold(const phxi_hold* hold, const placing* pose, const phxi_body* body, double spacing) {
    if (hold->misfit > largest_misfit * spacing) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "drivers pull particles of rigid body '%s' apart by %g m, expected them to move it as one",
                         body->name, hold->misfit);
    }
    phx_vec3 axis = phxi_mat3_apply(&pose->past_rotation, hold->axis);
    double tilt = phxi_length(phxi_cross(axis, hold->turned));
    if (hold->kind == PHXI_HOLD_LINE && tilt > largest_tilt) {
        return phxi_fail(PHX_ERROR_UNSUPPORTED,
                         "drivers turn the line that they hold rigid body '%s' by, by %g degrees; expected a line that "
                         "keeps its direction, or more particles, not all on one line",
                         body->name, tilt * 57.29577951308232);
    }
    return PHX_OK;
}

static void move_bodies(void* context, int begin, int end, int block) {
    const step_context* c = context;
    const phxi_particles* p = c->step->particles;
    (void)block;
    for (int b = begin; b < end; ++b) {
        phxi_rigid_body* body = &c->solver->bodies.items[b];
        const phxi_body* outer = &c->step->bodies[body->index];
        c->holds[b] = (phxi_hold){0};
        if (outer->kinematic) {
            continue;
        }
        phxi_rigid_motion_state* s = &body->state;
        placing* pose = &c->poses[b];
        phxi_mat3 rotation = rotation_of(body), inverse = phxi_principal_inverse(&body->principal, &rotation);
        move m = {.body = body,
                  .hold = &c->holds[b],
                  .force = phxi_scale(body->mass, c->step->gravity),
                  .dt = c->dt,
                  .kick = 0.5 * (s->last_dt + c->dt),
                  .pose = pose};
        phx_vec3 late_force = {0, 0, 0}, late_torque = {0, 0, 0};
        *pose = (placing){.past = s->center, .past_velocity = s->velocity_now, .past_rotation = rotation};
        pose->past_spin = phxi_mat3_apply(&inverse, s->angular_now);
        for (int k = body->chunk_begin; k < body->chunk_end; ++k) {
            m.force = phxi_add(m.force, c->sums[k].force);
            m.torque = phxi_add(m.torque, c->sums[k].torque);
            late_force = phxi_add(late_force, c->sums[k].late_force);
            late_torque = phxi_add(late_torque, c->sums[k].late_torque);
            pose->held += c->sums[k].held;
        }
        m.end_force = phxi_add(m.force, late_force);
        m.end_torque = phxi_add(m.torque, late_torque);
        if (pose->held > 0) {
            c->holds[b] = phxi_hold_of(p, outer, body);
        }
        static void (*const moves[])(const move*) = {move_free, move_about_point, move_about_line, move_along};
        moves[c->holds[b].kind](&m);
        s->last_dt = c->dt;
        pose->rotation = rotation_of(body);
        if (pose->held > 0 && pose->held < outer->count) {
            find_reaction(&m, p, outer);
        }
    }
}

// -------------------------------------------------------------------------------------------------------------- places

/// Held particles are where drivers have put them. What the body exerts on one, by its mass, is whatever lacks of its
/// part of the drivers' force.
static phx_vec3 inner_rate(const step_context* c, const placing* pose, int i, phx_vec3 past_arm) {
    const phxi_particles* p = c->step->particles;
    phx_vec3 before = phxi_add(pose->past_velocity, phxi_cross(pose->past_spin, past_arm));
    phx_vec3 rate = phxi_scale(1 / c->dt, phxi_sub(phxi_vec3(p->vx[i], p->vy[i], p->vz[i]), before));
    rate = phxi_sub(rate, c->step->gravity);
    rate = phxi_add_scaled(rate, -1 / (double)p->mass[i], phxi_vec3(p->fx[i], p->fy[i], p->fz[i]));
    phx_vec3 arm = phxi_sub(phxi_vec3(p->x[i], p->y[i], p->z[i]), pose->held_at);
    return phxi_sub(rate, phxi_add(pose->reaction, phxi_cross(pose->twist, arm)));
}

static void place_chunks(void* context, int begin, int end, int block) {
    const step_context* c = context;
    phxi_particles* p = c->step->particles;
    (void)block;
    for (int k = begin; k < end; ++k) {
        const phxi_rigid_chunk* chunk = &c->solver->chunks.items[k];
        const phxi_rigid_body* body = &c->solver->bodies.items[chunk->body];
        const placing* pose = &c->poses[chunk->body];
        int first = c->step->bodies[body->index].begin;
        for (int i = first + chunk->begin; i < first + chunk->end; ++i) {
            phx_vec3 rate = {0, 0, 0};
            if (!p->fixed[i]) {
                phx_vec3 arm = arm_of(p, i, &pose->rotation, body->rest), x = phxi_add(body->state.center, arm);
                phx_vec3 v = phxi_add(pose->velocity, phxi_cross(pose->spin, arm));
                p->x[i] = (phx_real)x.x;
                p->y[i] = (phx_real)x.y;
                p->z[i] = (phx_real)x.z;
                p->vx[i] = (phx_real)v.x;
                p->vy[i] = (phx_real)v.y;
                p->vz[i] = (phx_real)v.z;
            } else if (pose->partly) {
                rate = inner_rate(c, pose, i, arm_of(p, i, &pose->past_rotation, body->rest));
            }
            phxi_vector_set(p->acceleration, i, rate);
        }
    }
}

phx_result phxi_rigid_substep(void* state, phxi_step* step, double dt, phxi_trouble* trouble) {
    phxi_rigid_solver* solver = state;
    PHXI_TRY(phxi_kinematic_substep(solver, step));
    size_t bodies = (size_t)solver->bodies.count, chunks = (size_t)solver->chunks.count;
    step_context c = {.solver = solver, .step = step, .dt = dt};
    c.sums = phxi_arena_take(step->arena, chunks, sizeof *c.sums);
    c.poses = phxi_arena_take(step->arena, bodies, sizeof *c.poses);
    c.holds = phxi_arena_take(step->arena, bodies, sizeof *c.holds);
    if (!c.sums || !c.poses || !c.holds) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(step->pool, solver->chunks.count, 1, sum_chunks, &c);
    phxi_parallel_for(step->pool, solver->bodies.count, 8, move_bodies, &c);
    for (int b = 0; b < solver->bodies.count; ++b) {
        const phxi_rigid_motion_state* s = &solver->bodies.items[b].state;
        const phxi_body* body = &step->bodies[solver->bodies.items[b].index];
        if (body->kinematic) {
            continue;
        }
        PHXI_TRY(check_hold(&c.holds[b], &c.poses[b], body, (double)step->particles->spacing[body->begin]));
        if (!phxi_finite(s->center) || !phxi_finite(s->velocity_now) || !phxi_finite(s->angular_now)) {
            *trouble = (phxi_trouble){body->begin, "rigid motion"};
            return PHX_OK;
        }
    }
    phxi_parallel_for(step->pool, solver->chunks.count, 1, place_chunks, &c);
    return PHX_OK;
}
