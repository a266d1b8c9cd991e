// SPDX-License-Identifier: MIT
// The method of rigid bodies: how they are built, what contact and others are told of them, what is saved.
#include "methods/rigid/rigid_internal.h"

#include "geometry/solid.h"

#include <stdio.h>
#include <string.h>

enum { CHUNK = 1024 };
static const char label[] = "rigid";

const phxi_field_def phxi_rigid_fields[PHXI_RIGID_FIELDS] = {
    {"rigid.normal_x", "", "unit normal of the surface above, at rest", PHXI_FIELD_REAL, false},
    {"rigid.normal_y", "", "unit normal of the surface above, at rest", PHXI_FIELD_REAL, false},
    {"rigid.normal_z", "", "unit normal of the surface above, at rest", PHXI_FIELD_REAL, false},
    {"rigid.depth", "m", "how far below the surface", PHXI_FIELD_REAL, false},
    {"rigid.flatness", "", "1 below faces, near 0 at edges and corners", PHXI_FIELD_REAL, false},
};

static const phx_param params[] = {
    PHXI_REAL(phxi_rigid_params, mass, "kg", "0", 0, 1e15, "of the whole body; 0: density times volume"),
    PHXI_REAL(phxi_rigid_params, modulus, "Pa", "0", 0, 1e15,
              "what contact takes for its stiffness; 0: Young's modulus of its material"),
};
static const phx_param_table table = {"rigid", "bodies that keep their shape", params, sizeof params / sizeof params[0],
                                      sizeof(phxi_rigid_params)};

static const phxi_rigid_params* params_of(const phxi_body* body) {
    return body->params;
}

static phx_result create(void* state, phxi_step* step) {
    ((phxi_rigid_solver*)state)->heap = step->heap;
    return PHX_OK;
}

static void destroy(void* state, phxi_step* step) {
    phxi_rigid_solver* s = state;
    phxi_array_destroy(&s->bodies, step->heap);
    phxi_array_destroy(&s->chunks, step->heap);
}

/// All of it is kept, and the solid.
static double shell(const phxi_body* body, const char** surface) {
    (void)body, (void)surface;
    return INFINITY;
}

static void bind(const phxi_step* step, phx_real* data[PHXI_RIGID_FIELDS]) {
    for (int k = 0; k < PHXI_RIGID_FIELDS; ++k) {
        data[k] = phxi_particles_field(step->particles, phxi_rigid_fields[k].name);
    }
}

// ------------------------------------------------------------------------------------------------------------ building

/// 1 where the surface around a point turns by less than 30 degrees within a spacing, 0.01 where by 60 and more.
static double flatness_of(const phxi_solid* solid, phx_vec3 point, phx_vec3 normal, double spacing) {
    enum { WAYS = 8 };
    phx_vec3 u = phxi_perpendicular(normal), v = phxi_cross(normal, u);
    double least = 1;
    for (int k = 0; k < WAYS; ++k) {
        double angle = 6.283185307179586 * k / WAYS;
        phx_vec3 way = phxi_add_scaled(phxi_scale(cos(angle), u), sin(angle), v), out;
        phxi_solid_distance(solid, phxi_add_scaled(point, spacing, way), &out);
        least = fmin(least, phxi_dot(out, normal));
    }
    double share = fmin(1, fmax(0, (least - 0.5) / 0.366));
    return 0.01 + 0.99 * share * share * (3 - 2 * share);
}

static void set_surface(const phxi_step* step, const phxi_body* body, double skin) {
    const phxi_particles* p = step->particles;
    phx_real* data[PHXI_RIGID_FIELDS];
    bind(step, data);
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        phx_vec3 at = phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]), normal;
        double depth = fmax(0, -phxi_solid_distance(body->solid, at, &normal)), flatness = 1;
        if (depth < PHXI_RIGID_DEEP * skin) {
            flatness = flatness_of(body->solid, phxi_add_scaled(at, depth, normal), normal, (double)p->spacing[i]);
        }
        data[PHXI_RIGID_NORMAL][i] = (phx_real)normal.x;
        data[PHXI_RIGID_NORMAL + 1][i] = (phx_real)normal.y;
        data[PHXI_RIGID_NORMAL + 2][i] = (phx_real)normal.z;
        data[PHXI_RIGID_DEPTH][i] = (phx_real)depth;
        data[PHXI_RIGID_FLATNESS][i] = (phx_real)flatness;
    }
}

/// Masses as asked for; centre and inertia as its particles have them.
static void weigh(phxi_particles* p, const phxi_body* body, phxi_rigid_body* made) {
    double sum = 0, wanted = params_of(body)->mass;
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        sum += p->mass[i];
    }
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        p->mass[i] = wanted > 0 ? (phx_real)(p->mass[i] * (wanted / sum)) : p->mass[i];
        made->mass += p->mass[i];
        made->rest = phxi_add_scaled(made->rest, p->mass[i], phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]));
    }
    made->rest = phxi_scale(1 / made->mass, made->rest);
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        double m = p->mass[i];
        phx_vec3 r = phxi_sub(phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]), made->rest);
        made->inertia.xx += m * (r.y * r.y + r.z * r.z);
        made->inertia.yy += m * (r.x * r.x + r.z * r.z);
        made->inertia.zz += m * (r.x * r.x + r.y * r.y);
        made->inertia.xy -= m * r.x * r.y;
        made->inertia.xz -= m * r.x * r.z;
        made->inertia.yz -= m * r.y * r.z;
    }
    made->principal = phxi_principal_inertia_of(&made->inertia);
}

/// Velocity and angular momentum that particles have.
static void read_motion(const phxi_particles* p, const phxi_body* body, const phxi_rigid_body* made, phx_vec3* velocity,
                        phx_vec3* angular) {
    phxi_mat3 rotation = phxi_quat_matrix(made->state.orientation);
    *velocity = *angular = phxi_vec3(0, 0, 0);
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        phx_vec3 momentum = phxi_scale(p->mass[i], phxi_vec3(p->vx[i], p->vy[i], p->vz[i]));
        phx_vec3 rest = phxi_sub(phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]), made->rest);
        *velocity = phxi_add(*velocity, momentum);
        *angular = phxi_add(*angular, phxi_cross(phxi_mat3_apply(&rotation, rest), momentum));
    }
    *velocity = phxi_scale(1 / made->mass, *velocity);
}

/// A contact is never alone on a face: all that may touch at once share the body. A particle at its rim moves it as
/// easily as four such shares.
static double contact_mass_of(const phxi_particles* p, const phxi_body* body, const phxi_rigid_body* made) {
    phx_vec3 low = phxi_vec3(INFINITY, INFINITY, INFINITY), high = phxi_scale(-1, low);
    double spacing = p->spacing[body->begin];
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        phx_vec3 rest = phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]);
        const double(*q)[3] = made->principal.axes.m;
        phx_vec3 at = {0};
        at.x = q[0][0] * rest.x + q[1][0] * rest.y + q[2][0] * rest.z;
        at.y = q[0][1] * rest.x + q[1][1] * rest.y + q[2][1] * rest.z;
        at.z = q[0][2] * rest.x + q[1][2] * rest.y + q[2][2] * rest.z;
        low = phxi_min(low, at);
        high = phxi_max(high, at);
    }
    double x = (high.x - low.x) / spacing + 1, y = (high.y - low.y) / spacing + 1, z = (high.z - low.z) / spacing + 1;
    double most = fmin(fmax(fmax(x * y, y * z), x * z), body->count);
    return made->mass / (4 * fmax(1, most));
}

static double skin_of(const phxi_particles* p, const phxi_body* body) {
    double full = 0, spacing = p->spacing[body->begin];
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        double a = p->spacing[i];
        full = fmax(full, p->volume[i] / (a * a * a));
        spacing = fmin(spacing, a);
    }
    return 0.5 * fmin(1, cbrt(full)) * spacing;
}

static phx_result add_body(void* state, phxi_step* step, int index) {
    phxi_rigid_solver* s = state;
    const phxi_body* body = &step->bodies[index];
    int chunks = phxi_block_count(body->count, CHUNK);
    if (!phxi_array_reserve(&s->bodies, 1, step->heap, label) ||
        !phxi_array_reserve(&s->chunks, chunks, step->heap, label)) {
        return PHX_ERROR_MEMORY;
    }
    phxi_rigid_body made = {.index = index, .chunk_begin = s->chunks.count, .chunk_end = s->chunks.count + chunks};
    weigh(step->particles, body, &made);
    made.skin = skin_of(step->particles, body);
    made.contact_mass = contact_mass_of(step->particles, body, &made);
    made.state.center = made.rest;
    made.state.orientation = (phxi_quat){1, 0, 0, 0};
    read_motion(step->particles, body, &made, &made.state.velocity, &made.state.angular_momentum);
    made.state.velocity_now = made.state.velocity;
    made.state.angular_now = made.state.angular_momentum;
    set_surface(step, body, made.skin);
    for (int k = 0; k < chunks; ++k) {
        int end = (k + 1) * CHUNK;
        s->chunks.items[s->chunks.count++] =
            (phxi_rigid_chunk){s->bodies.count, k * CHUNK, end < body->count ? end : body->count};
    }
    s->bodies.items[s->bodies.count++] = made;
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- contact

static const phxi_rigid_body* own_of(const phxi_rigid_solver* s, int body) {
    const phxi_rigid_body* own = s->bodies.items;
    while (own->index != body) {
        ++own;
    }
    return own;
}

static phx_vec3 gyration_of(const phxi_mat3* inertia, phx_vec3 spin) {
    return phxi_cross(phxi_mat3_apply(inertia, spin), spin);
}

/// How it answers to pushes, as drivers hold it.
static void set_freedom(const phxi_rigid_body* own, const phxi_hold* hold, phxi_contact_rigid* rigid) {
    const phxi_rigid_motion_state* s = &own->state;
    const phxi_mat3* rotation = &rigid->rotation;
    phxi_mat3 inertia = phxi_principal_tensor(&own->principal, rotation);
    phx_vec3 spin = phxi_mat3_apply(&rigid->spread, s->angular_momentum);
    rigid->pivot = rigid->center;
    rigid->velocity = s->velocity;
    rigid->spin = spin;
    if (hold->kind == PHXI_HOLD_NONE) {
        rigid->inverse_mass = 1 / own->mass;
        rigid->inverse = rigid->spread;
        rigid->gyration = gyration_of(&inertia, spin);
        return;
    }
    phxi_sym3 about = phxi_rigid_inertia_about(own, hold->rest);
    phxi_principal_inertia principal = phxi_principal_inertia_of(&about);
    rigid->pivot = phxi_rigid_where(own, hold->rest);
    rigid->velocity = hold->velocity;
    if (hold->kind == PHXI_HOLD_POINT) {
        inertia = phxi_principal_tensor(&principal, rotation);
        rigid->inverse = phxi_principal_inverse(&principal, rotation);
        rigid->gyration = gyration_of(&inertia, spin);
    } else if (hold->kind == PHXI_HOLD_LINE) {
        phx_vec3 e = phxi_mat3_apply(rotation, hold->axis);
        phxi_mat3 full = phxi_principal_tensor(&principal, rotation);
        double moment = phxi_dot(e, phxi_mat3_apply(&full, e)), light = moment > 0 ? 1 / moment : 0;
        rigid->inverse = (phxi_mat3){{{light * e.x * e.x, light * e.x * e.y, light * e.x * e.z},
                                      {light * e.y * e.x, light * e.y * e.y, light * e.y * e.z},
                                      {light * e.z * e.x, light * e.z * e.y, light * e.z * e.z}}};
    } else {
        rigid->spin = hold->spin;
    }
}

static void describe(const void* state, const phxi_step* step, int index, phxi_contact_rigid* rigid) {
    const phxi_rigid_body* own = own_of(state, index);
    const phxi_body* body = &step->bodies[index];
    phx_real* data[PHXI_RIGID_FIELDS];
    bind(step, data);
    phxi_mat3 rotation = phxi_quat_matrix(own->state.orientation);
    *rigid = (phxi_contact_rigid){.mass = own->mass,
                                  .center = own->state.center,
                                  .spread = phxi_principal_inverse(&own->principal, &rotation),
                                  .able = own->principal.moments[2] > 0.05 * own->principal.moments[0],
                                  .solid = body->solid,
                                  .rotation = rotation,
                                  .rest = own->rest,
                                  .now = own->state.center,
                                  .skin = own->skin,
                                  .normal = {data[0], data[1], data[2]},
                                  .depth = data[PHXI_RIGID_DEPTH],
                                  .flatness = data[PHXI_RIGID_FLATNESS]};
    phxi_hold hold = phxi_hold_of(step->particles, body, own);
    set_freedom(own, &hold, rigid);
}

static double contact_mass(const void* state, const phxi_step* step, int body) {
    (void)step;
    return own_of(state, body)->contact_mass;
}

static double modulus(const void* state, const phxi_step* step, int body) {
    const phxi_body* b = &step->bodies[body];
    (void)state;
    return params_of(b)->modulus > 0 ? params_of(b)->modulus : b->material.young;
}

// ------------------------------------------------------------------------------------------------------------- measure

static double stable_dt(void* state, phxi_step* step, char reason[160]) {
    (void)state, (void)step, (void)reason;
    return INFINITY;
}

/// What holds it together has no sum.
static void measure(void* state, phxi_step* step, int body, const uint8_t* selected, phx_totals* totals) {
    (void)state, (void)step, (void)body, (void)selected, (void)totals;
}

static const phxi_derived_field derived[] = {
    {"rigid_depth", "m", "of a rigid body's particles below its surface", 1},
    {"deformation", "", "deformation gradient F by rows", 9},
};

static void derive(void* state, phxi_step* step, int body, int field, phx_real* values) {
    const phx_real* depth = phxi_particles_field(step->particles, phxi_rigid_fields[PHXI_RIGID_DEPTH].name);
    const phxi_body* b = &step->bodies[body];
    phxi_mat3 rotation = phxi_quat_matrix(own_of(state, body)->state.orientation);
    for (int i = 0; i < b->count; ++i) {
        for (int k = 0; k < derived[field].components; ++k) {
            *values++ = field == 0 ? depth[b->begin + i] : (phx_real)rotation.m[k / 3][k % 3];
        }
    }
}

// --------------------------------------------------------------------------------------------------------------- state

/// Velocities that are not those of the state were set from outside, and count.
static bool has_other_velocity(const phxi_particles* p, const phxi_body* body, const phxi_rigid_body* own) {
    phxi_mat3 rotation = phxi_quat_matrix(own->state.orientation),
              inverse = phxi_principal_inverse(&own->principal, &rotation);
    phx_vec3 spin = phxi_mat3_apply(&inverse, own->state.angular_now);
    bool other = false;
    for (int i = body->begin; !other && i < body->begin + body->count; ++i) {
        phx_vec3 rest = phxi_sub(phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]), own->rest);
        phx_vec3 arm = phxi_mat3_apply(&rotation, rest), v = phxi_add(own->state.velocity_now, phxi_cross(spin, arm));
        other = !p->fixed[i] && (p->vx[i] != (phx_real)v.x || p->vy[i] != (phx_real)v.y || p->vz[i] != (phx_real)v.z);
    }
    return other;
}

static phx_result restored(void* state, phxi_step* step) {
    phxi_rigid_solver* s = state;
    for (int b = 0; b < s->bodies.count; ++b) {
        phxi_rigid_body* own = &s->bodies.items[b];
        const phxi_body* body = &step->bodies[own->index];
        phxi_rigid_motion_state* m = &own->state;
        phx_vec3 velocity, angular;
        if (has_other_velocity(step->particles, body, own)) {
            read_motion(step->particles, body, own, &velocity, &angular);
            m->velocity = phxi_add(m->velocity, phxi_sub(velocity, m->velocity_now));
            m->angular_momentum = phxi_add(m->angular_momentum, phxi_sub(angular, m->angular_now));
            m->velocity_now = velocity;
            m->angular_now = angular;
        }
    }
    return PHX_OK;
}

/// All numbers are packed, as many as there are bodies.
static void pack(const void* state, phxi_sink* sink) {
    const phxi_rigid_solver* s = state;
    for (int b = 0; b < s->bodies.count; ++b) {
        sink->put(sink, &s->bodies.items[b].state, sizeof s->bodies.items[b].state);
    }
}

static phx_result unpack(void* state, phxi_step* step, const uint8_t* bytes, size_t size) {
    phxi_rigid_solver* s = state;
    size_t one = sizeof(phxi_rigid_motion_state), wanted = one * (size_t)s->bodies.count;
    (void)step;
    if (size != wanted) {
        return phxi_fail(PHX_ERROR_FORMAT, "rigid bodies saved in %zu bytes, expected %zu", size, wanted);
    }
    for (int b = 0; b < s->bodies.count; ++b) {
        phxi_rigid_motion_state read;
        memcpy(&read, bytes + one * (size_t)b, one);
        if (!phxi_finite(read.center) || !(read.last_dt >= 0) || !isfinite(read.last_dt)) {
            return phxi_fail(PHX_ERROR_FORMAT, "rigid body %d is saved with a place that is not finite", b);
        }
    }
    for (int b = 0; b < s->bodies.count; ++b) {
        memcpy(&s->bodies.items[b].state, bytes + one * (size_t)b, one);
    }
    return PHX_OK;
}

static const phxi_display_table display = {
    .fields = derived, .count = sizeof derived / sizeof derived[0], .derive = derive};
static const phxi_saving_table saving = {.pack = pack, .unpack = unpack, .restored = restored};
static const phxi_touch_table touch = {.modulus = modulus, .rigid = describe, .contact_mass = contact_mass};
static const phxi_sampling_table sampling = {.shell = shell};

const phxi_method phxi_method_rigid = {
    .name = "rigid",
    .summary = "bodies that keep their shape: fall, turn, push and are pushed as one",
    .state_version = 1,
    .motion = PHXI_MOTION_ACCELERATION,
    .fields = phxi_rigid_fields,
    .field_count = PHXI_RIGID_FIELDS,
    .params = &table,
    .laws = PHXI_LAWS_SHAPE_KEPT,
    .state_size = sizeof(phxi_rigid_solver),
    .create = create,
    .destroy = destroy,
    .add_body = add_body,
    .stable_dt = stable_dt,
    .substep = phxi_rigid_substep,
    .measure = measure,
    .display = &display,
    .saving = &saving,
    .touch = &touch,
    .sampling = &sampling,
};
