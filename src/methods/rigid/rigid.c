// SPDX-License-Identifier: MIT
// The method of rigid bodies: how they are built, what contact and others are told of them, what is saved.
#include "methods/rigid/rigid_internal.h"

#include "geometry/solid.h"

#include <stdio.h>
#include <string.h>

enum { CHUNK = 1024 };
static const char label[] = "rigid";

static const phxi_field_def fields[PHXI_RIGID_FIELDS] = {
    PHXI_RIGID_WALL_FIELD_DEFS("rigid"),
    {"rigid.depth", "m", "how far below the surface", PHXI_FIELD_REAL, false},
};

static const char* const mass_words[] = {"volume", "akinci", NULL};

const phx_param phxi_rigid_param_list[PHXI_RIGID_OWN_PARAMS + PHXI_RIGID_WALL_PARAMS] = {
    PHXI_REAL(phxi_rigid_params, mass, "kg", "0", 0, 1e15, "of the whole body; 0: density times volume"),
    PHXI_REAL(phxi_rigid_params, modulus, "Pa", "0", 0, 1e15,
              "what contact takes for its stiffness; 0: Young's modulus of its material"),
    PHXI_BOOL(phxi_rigid_params, kinematic, "false",
              "moved by drivers alone, or at rest: what method wall is; fluids flow along it, as the next ones tell"),
    PHXI_WORD(phxi_rigid_params, kernel, phxi_sph_kernel_words, "quintic", "the same as that of the fluids"),
    PHXI_POSITIVE(phxi_rigid_params, layers, "", "3", 1e6,
                  "how much of the body is kept, in spacings below its surface; fluids see 3 (quintic) or 2 (cubic)"),
    PHXI_WORD(phxi_rigid_params, masses, mass_words, "volume",
              "volume: full layers of fluid at rest; akinci: by how densely the walls are sampled, for one layer"),
    PHXI_POSITIVE(phxi_rigid_params, gamma, "", "0.7", 10,
                  "akinci: factor; 0.7 gives fluid beside a flat layer its density at rest"),
    PHXI_BOOL(phxi_rigid_params, slip, "false", "fluids glide along it without friction"),
    PHXI_SHAPE(phxi_rigid_params, surface, "",
               "the solid whose surface fluids see, where that is more than the body: plane() for a floor that repeats "
               "with the world's period; none: the body's own"),
};
static const phx_param_table table = {"rigid", "bodies that keep their shape", phxi_rigid_param_list,
                                      PHXI_RIGID_OWN_PARAMS + PHXI_RIGID_WALL_PARAMS, sizeof(phxi_rigid_params)};

static phx_result create(void* state, phxi_step* step) {
    phxi_rigid_solver* s = state;
    s->heap = step->heap;
    s->fields = fields;
    s->field_count = PHXI_RIGID_FIELDS;
    return PHX_OK;
}

void phxi_rigid_destroy(void* state, phxi_step* step) {
    phxi_rigid_solver* s = state;
    phxi_array_destroy(&s->bodies, step->heap);
    phxi_array_destroy(&s->chunks, step->heap);
}

static bool is_kinematic(const phxi_body* body) {
    return phxi_rigid_params_of(body)->kinematic;
}

/// All of it is kept that forces move, and the solid.
static double shell(const phxi_body* body, const char** surface) {
    *surface = body->kinematic ? phxi_rigid_params_of(body)->surface : NULL;
    return body->kinematic ? phxi_rigid_params_of(body)->layers : INFINITY;
}

void phxi_rigid_bind(const phxi_rigid_solver* s, const phxi_particles* particles, phx_real* data[PHXI_RIGID_FIELDS]) {
    for (int k = 0; k < PHXI_RIGID_FIELDS; ++k) {
        data[k] = k < s->field_count ? phxi_particles_field(particles, s->fields[k].name) : NULL;
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

static void set_surface(const phxi_rigid_solver* s, phxi_step* step, const phxi_body* body, double skin) {
    phxi_particles* p = step->particles;
    phx_real* data[PHXI_RIGID_FIELDS];
    phxi_rigid_bind(s, p, data);
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        phx_vec3 at = phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]), normal;
        double depth = fmax(0, -phxi_solid_distance(body->solid, at, &normal)), flatness = 1;
        if (depth < PHXI_RIGID_DEEP * skin) {
            flatness = flatness_of(body->solid, phxi_add_scaled(at, depth, normal), normal, (double)p->spacing[i]);
        }
        phxi_vector_set(&data[PHXI_RIGID_NORMAL], i, normal);
        data[PHXI_RIGID_FLATNESS][i] = (phx_real)flatness;
        if (body->kinematic) {
            phxi_kinematic_set_surface(p, i, depth, normal);
        } else {
            data[PHXI_RIGID_DEPTH][i] = (phx_real)depth;
        }
    }
}

/// Masses as asked for; centre and inertia as its particles have them.
static void weigh(phxi_particles* p, const phxi_body* body, phxi_rigid_body* made) {
    double sum = 0, wanted = phxi_rigid_params_of(body)->mass;
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

static phx_result check_rest(const phxi_particles* p, const phxi_body* body) {
    for (int i = body->begin; i < body->begin + body->count; ++i) {
        if (p->vx[i] != 0 || p->vy[i] != 0 || p->vz[i] != 0) {
            return phxi_fail(PHX_ERROR_ARGUMENT,
                             "a wall has no velocity of its own, expected a driver of kind velocity, move or twist");
        }
    }
    return PHX_OK;
}

phx_result phxi_rigid_add_body(void* state, phxi_step* step, int index) {
    phxi_rigid_solver* s = state;
    const phxi_body* body = &step->bodies[index];
    int chunks = body->kinematic ? 0 : phxi_block_count(body->count, CHUNK);
    PHXI_TRY(body->kinematic ? check_rest(step->particles, body) : PHX_OK);
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
    set_surface(s, step, body, made.skin);
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

void phxi_rigid_describe(const void* state, const phxi_step* step, int index, phxi_contact_rigid* rigid) {
    const phxi_rigid_body* own = own_of(state, index);
    const phxi_body* body = &step->bodies[index];
    phx_real* data[PHXI_RIGID_FIELDS];
    phxi_rigid_bind(state, step->particles, data);
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
    if (body->kinematic) {
        phxi_kinematic_describe(own, step->particles, body, rigid);
        return;
    }
    phxi_hold hold = phxi_hold_of(step->particles, body, own);
    set_freedom(own, &hold, rigid);
}

double phxi_rigid_contact_mass(const void* state, const phxi_step* step, int body) {
    (void)step;
    return own_of(state, body)->contact_mass;
}

static double modulus(const void* state, const phxi_step* step, int body) {
    const phxi_body* b = &step->bodies[body];
    (void)state;
    return phxi_rigid_params_of(b)->modulus > 0 ? phxi_rigid_params_of(b)->modulus : b->material.young;
}

// ------------------------------------------------------------------------------------------------------------- measure

double phxi_rigid_stable_dt(void* state, phxi_step* step, char reason[160]) {
    (void)state, (void)step, (void)reason;
    return INFINITY;
}

/// What holds it together has no sum; what a kinematic one has for internal forces is what fluids do to it.
void phxi_rigid_measure(void* state, phxi_step* step, int body, const uint8_t* selected, phx_totals* totals) {
    const phxi_body* b = &step->bodies[body];
    (void)state;
    for (int k = 0; b->kinematic && k < b->count; ++k) {
        int i = b->begin + k;
        if (!selected || selected[k]) {
            phx_vec3 a = phxi_vector_at(step->particles->acceleration, i);
            totals->force = phxi_add_scaled(totals->force, (double)step->particles->mass[i], a);
        }
    }
}

enum { SHOWN_DEPTH, SHOWN_DEFORMATION, SHOWN_WALL_NORMAL, SHOWN_WALL_DEPTH };
const phxi_derived_field phxi_rigid_derived[PHXI_RIGID_SHOWN + PHXI_RIGID_WALL_SHOWN] = {
    {"rigid_depth", "m", "of a rigid body's particles below its surface", 1},
    {"deformation", "", "deformation gradient F by rows", 9},
    {"wall_normal", "", "unit normal of a wall's surface above its particles", 3},
    {"wall_depth", "m", "of a wall's particles below its surface", 1},
};

void phxi_rigid_derive(void* state, phxi_step* step, int body, int field, phx_real* values) {
    const phxi_particles* p = step->particles;
    const phxi_body* b = &step->bodies[body];
    phxi_contact_rigid rigid;
    phxi_rigid_describe(state, step, body, &rigid);
    for (int i = b->begin; i < b->begin + b->count; ++i) {
        for (int k = 0; k < phxi_rigid_derived[field].components; ++k) {
            *values++ = field == SHOWN_DEFORMATION   ? (phx_real)rigid.rotation.m[k / 3][k % 3]
                        : field == SHOWN_WALL_NORMAL ? p->boundary_normal[k][i]
                                                     : rigid.depth[i];
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

phx_result phxi_rigid_restored(void* state, phxi_step* step) {
    phxi_rigid_solver* s = state;
    for (int b = 0; b < s->bodies.count; ++b) {
        phxi_rigid_body* own = &s->bodies.items[b];
        const phxi_body* body = &step->bodies[own->index];
        phxi_rigid_motion_state* m = &own->state;
        phx_vec3 velocity, angular;
        if (!body->kinematic && has_other_velocity(step->particles, body, own)) {
            read_motion(step->particles, body, own, &velocity, &angular);
            m->velocity = phxi_add(m->velocity, phxi_sub(velocity, m->velocity_now));
            m->angular_momentum = phxi_add(m->angular_momentum, phxi_sub(angular, m->angular_now));
            m->velocity_now = velocity;
            m->angular_now = angular;
        }
    }
    phxi_kinematic_restored(s, step);
    return PHX_OK;
}

double* phxi_rigid_words(void* state) {
    return &((phxi_rigid_solver*)state)->packed;
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
    .fields = phxi_rigid_derived, .count = PHXI_RIGID_SHOWN, .derive = phxi_rigid_derive};
static const phxi_saving_table saving = {
    .word_count = 1, .words = phxi_rigid_words, .pack = pack, .unpack = unpack, .restored = phxi_rigid_restored};
static const phxi_touch_table touch = {.is_kinematic = is_kinematic,
                                       .modulus = modulus,
                                       .rigid = phxi_rigid_describe,
                                       .contact_mass = phxi_rigid_contact_mass};
const phxi_sampling_table phxi_rigid_sampling = {.shell = shell};

const phxi_method phxi_method_rigid = {
    .name = "rigid",
    .summary = "bodies that keep their shape: fall, turn, push and are pushed as one",
    .state_version = 2,
    .motion = PHXI_MOTION_ACCELERATION,
    .fields = fields,
    .field_count = PHXI_RIGID_FIELDS,
    .params = &table,
    .laws = PHXI_LAWS_SHAPE_KEPT,
    .cost = {600, 160e-9, 0.01},
    .state_size = sizeof(phxi_rigid_solver),
    .create = create,
    .destroy = phxi_rigid_destroy,
    .add_body = phxi_rigid_add_body,
    .stable_dt = phxi_rigid_stable_dt,
    .substep = phxi_rigid_substep,
    .measure = phxi_rigid_measure,
    .display = &display,
    .saving = &saving,
    .touch = &touch,
    .space = &phxi_kinematic_space,
    .boundary = &phxi_kinematic_boundary,
    .sampling = &phxi_rigid_sampling,
};
