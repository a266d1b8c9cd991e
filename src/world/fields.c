// SPDX-License-Identifier: MIT
// Named arrays over all particles, computed when asked for: those of the world, then those methods derive. A body whose
// method does not know a field gets what an undeformed, unstressed particle would have.
#include "world/world.h"

#include "core/text.h"

#include <string.h>

typedef void field_fill(const phx_world* world, int i, phx_real* value);

static void set3(phx_real* value, double x, double y, double z) {
    value[0] = (phx_real)x;
    value[1] = (phx_real)y;
    value[2] = (phx_real)z;
}

static void fill_velocity(const phx_world* world, int i, phx_real* value) {
    const phxi_particles* p = &world->particles;
    set3(value, p->vx[i], p->vy[i], p->vz[i]);
}

static void fill_speed(const phx_world* world, int i, phx_real* value) {
    const phxi_particles* p = &world->particles;
    *value = (phx_real)phxi_length(phxi_vec3(p->vx[i], p->vy[i], p->vz[i]));
}

static void fill_rest(const phx_world* world, int i, phx_real* value) {
    const phxi_particles* p = &world->particles;
    set3(value, p->rest_x[i], p->rest_y[i], p->rest_z[i]);
}

static void fill_displacement(const phx_world* world, int i, phx_real* value) {
    const phxi_particles* p = &world->particles;
    set3(value, (double)p->x[i] - p->rest_x[i], (double)p->y[i] - p->rest_y[i], (double)p->z[i] - p->rest_z[i]);
}

static void fill_force(const phx_world* world, int i, phx_real* value) {
    phx_vec3 force = phxi_add(phxi_internal_force(world, i), phxi_outer_force(world, i));
    set3(value, force.x, force.y, force.z);
}

static void fill_mass(const phx_world* world, int i, phx_real* value) {
    *value = world->particles.mass[i];
}

static void fill_volume(const phx_world* world, int i, phx_real* value) {
    *value = world->particles.volume[i];
}

static void fill_spacing(const phx_world* world, int i, phx_real* value) {
    *value = world->particles.spacing[i];
}

static void fill_temperature(const phx_world* world, int i, phx_real* value) {
    *value = world->particles.temperature[i];
}

static void fill_body(const phx_world* world, int i, phx_real* value) {
    *value = (phx_real)world->particles.body[i];
}

typedef struct own_field {
    phx_field_info info;
    field_fill* fill;
} own_field;

static const own_field own_fields[] = {
    {{"velocity", "m/s", "velocity", 3}, fill_velocity},
    {{"speed", "m/s", "length of the velocity", 1}, fill_speed},
    {{"displacement", "m", "way from where the particle was created", 3}, fill_displacement},
    {{"rest", "m", "where the particle was created", 3}, fill_rest},
    {{"force", "N", "internal force, contact and gravity; drivers left out", 3}, fill_force},
    {{"mass", "kg", "mass", 1}, fill_mass},
    {{"volume", "m^3", "volume at rest", 1}, fill_volume},
    {{"spacing", "m", "distance of particles at rest", 1}, fill_spacing},
    {{"temperature", "degrees C", "temperature", 1}, fill_temperature},
    {{"body", "", "number of the body", 1}, fill_body},
};
enum { OWN_COUNT = sizeof own_fields / sizeof own_fields[0] };

const phx_field_info* phx_world_field_info(const phx_world* world, int i) {
    if (!world || i < 0 || i >= OWN_COUNT + world->fields.count) {
        return NULL;
    }
    return i < OWN_COUNT ? &own_fields[i].info : &world->fields.items[i - OWN_COUNT];
}

static const char* field_name(const void* context, int i) {
    return phx_world_field_info(context, i)->name;
}

typedef struct fill_context {
    const phx_world* world;
    const own_field* field;
    phx_real* values;
} fill_context;

static void fill_block(void* context, int begin, int end, int block) {
    const fill_context* c = context;
    (void)block;
    for (int i = begin; i < end; ++i) {
        c->field->fill(c->world, i, c->values + (size_t)i * (size_t)c->field->info.components);
    }
}

static const phxi_display_table* display_of(const phx_world* world, int body) {
    return world->solvers.items[world->bodies.items[body].solver].method->display;
}

/// The field of this name and size that a body's method can show, -1: none.
static int find_shown(const phx_world* world, int body, const char* name, int components) {
    const phxi_display_table* display = display_of(world, body);
    for (int f = 0; display && name && f < display->count; ++f) {
        if (strcmp(display->fields[f].name, name) == 0 && display->fields[f].components == components) {
            return f;
        }
    }
    return -1;
}

static bool is_volume_ratio(const phx_world* world, const char* name) {
    bool is = false;
    for (int b = 0; b < world->bodies.count && !is; ++b) {
        const phxi_display_table* display = display_of(world, b);
        is = display && display->volume_ratio && strcmp(display->volume_ratio, name) == 0;
    }
    return is;
}

/// One field of a body, or `neutral`: on the diagonal of a matrix, everywhere else.
static void show(phx_world* world, int b, int field, int components, phx_real neutral, phx_real* values) {
    const phxi_body* body = &world->bodies.items[b];
    const phxi_solver* solver = &world->solvers.items[body->solver];
    phx_real* own = values + (size_t)body->begin * (size_t)components;
    if (field >= 0) {
        phxi_step step = phxi_world_context(world, body->solver);
        solver->method->display->derive(solver->state, &step, b, field, own);
        return;
    }
    for (size_t i = 0; i < (size_t)body->count * (size_t)components; ++i) {
        own[i] = components != 9 || i % 9 % 4 == 0 ? neutral : 0;
    }
}

// Volumes are 1 of what they are at rest, gradients identity, all others 0.
void phxi_world_derive(phx_world* world, const phx_field_info* info, phx_real* values) {
    phx_real neutral = info->components == 9 || is_volume_ratio(world, info->name);
    for (int b = 0; b < world->bodies.count; ++b) {
        show(world, b, find_shown(world, b, info->name, info->components), info->components, neutral, values);
    }
}

bool phxi_world_volume_ratios(phx_world* world, phx_real* values) {
    bool any = false;
    for (int b = 0; b < world->bodies.count; ++b) {
        const phxi_display_table* display = display_of(world, b);
        int field = find_shown(world, b, display ? display->volume_ratio : NULL, 1);
        show(world, b, field, 1, 1, values);
        any = any || field >= 0;
    }
    return any;
}

// What particles exert on each other is found for all of them at once.
static phx_result add_touch(phx_world* world, phx_real* values) {
    phxi_pair_forces touch;
    phx_result result = phxi_world_touch_now(world, &touch);
    for (int i = 0; result == PHX_OK && touch.energy && i < world->particles.count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            values[3 * (size_t)i + (size_t)axis] += touch.force[axis][i];
        }
    }
    phxi_arena_reset(&world->arena);
    return result;
}

phx_result phx_world_field(const phx_world* world, const char* name, phx_real* values) {
    if (!world || !name || !values) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "phx_world_field needs a world, a name and a place for the values");
    }
    int count = OWN_COUNT + world->fields.count, i = 0;
    while (i < count && strcmp(field_name(world, i), name) != 0) {
        ++i;
    }
    if (i == count) {
        const char* near = phxi_did_you_mean(name, count, field_name, world);
        return near ? phxi_fail(PHX_ERROR_ARGUMENT, "there is no field '%s', did you mean '%s'?", name, near)
                    : phxi_fail(PHX_ERROR_ARGUMENT, "there is no field '%s'", name);
    }
    if (i < OWN_COUNT) {
        fill_context context = {world, &own_fields[i], values};
        phxi_parallel_for(world->pool, world->particles.count, 2048, fill_block, &context);
        return own_fields[i].fill == fill_force ? add_touch((phx_world*)world, values) : PHX_OK;
    }
    phx_world* writable = (phx_world*)world; // its scratch memory is used
    phxi_world_derive(writable, phx_world_field_info(world, i), values);
    phxi_arena_reset(&writable->arena);
    return PHX_OK;
}
