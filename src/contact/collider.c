// SPDX-License-Identifier: MIT
// Colliders: definition, forces, energy. The law stands in collider.h.
//
// Each particle gathers its own force, so blocks are independent. Distances of shapes change by at most the way one
// goes; one distance at the middle of a block of (curve-sorted, so compact) particles therefore tells whether any of
// them can touch, and a body in free flight costs one distance a block.
#include "contact/collider.h"

#include "contact/law/friction.h"
#include "contact/law/projection.h"
#include "contact/reach.h"
#include "core/hash.h"

#include <string.h>

enum { GRAIN = 256 };
static const double deepest = 0.4; // of the spacing, that a particle gets into a collider
#define DEFAULT_SHAPE "plane()"

static const phx_param params[] = {
    PHXI_TEXT(phx_collider_def, name, "collider", "for messages"),
    PHXI_SHAPE(phx_collider_def, shape, DEFAULT_SHAPE, "what is solid; plane() is the half space z < 0"),
    PHXI_POSITIVE(phx_collider_def, scale, "", "1", 1e15, "factor applied to mesh or shape first"),
    PHXI_VEC3(phx_collider_def, rotate, "degrees", "(0, 0, 0)", "then rotation about x, then y, then z"),
    PHXI_VEC3(phx_collider_def, translate, "m", "(0, 0, 0)", "then shift"),
    PHXI_REAL(
        phx_collider_def, resolution, "m", "0", 0, 1e15,
        "of a mesh: cells that its distance is kept in, half as large: 4 times the memory; 0: 1/96 of its largest "
        "side, or what fits in 48 MB"),
    PHXI_BOOL(phx_collider_def, inside, "false", "keep particles inside the shape instead of outside"),
    PHXI_REAL(phx_collider_def, stiffness, "N/m", "0", 0, 1e15,
              "penalty stiffness per particle; 0: half of Young's modulus times the spacing (less for cut cells)"),
    PHXI_REAL(phx_collider_def, damping, "", "0.1", 0, 1, "damping of the impact, fraction of critical"),
    PHXI_REAL(phx_collider_def, friction, "", "0.3", 0, 1e3, "Coulomb coefficient; 0: slippery"),
};

const phx_param_table phxi_collider_table = {
    "collider",
    "an obstacle, which stands unless a driver moves it",
    params,
    sizeof params / sizeof params[0],
    sizeof(phx_collider_def),
};

phx_collider_def phx_collider_def_default(void) {
    phx_collider_def def = {0};
    phxi_params_defaults(&phxi_collider_table, &def);
    def.stamp = PHXI_COLLIDER_STAMP;
    return def;
}

// Every value that decides what the collider does, for telling worlds apart.
static uint64_t plan_of(const phx_collider_def* def, uint64_t mesh) {
    double numbers[12] = {def->resolution, def->inside,      def->stiffness,   def->damping,
                          def->friction,   def->scale,       def->rotate.x,    def->rotate.y,
                          def->rotate.z,   def->translate.x, def->translate.y, def->translate.z};
    uint64_t plan = phxi_hash_bytes(def->shape ? def->shape : "", def->shape ? strlen(def->shape) : 0, mesh);
    return phxi_hash_bytes(numbers, sizeof numbers, plan);
}

bool phxi_collider_has_both(const phx_collider_def* def) {
    return def->mesh && def->shape && strcmp(def->shape, DEFAULT_SHAPE) != 0;
}

phx_result phxi_collider_init(phxi_collider* collider, phxi_heap* heap, const phx_collider_def* def,
                              const phxi_distance_field* field, uint64_t mesh) {
    if (def->stamp != PHXI_COLLIDER_STAMP) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "unstamped phx_collider_def: make it with phx_collider_def_default()");
    }
    if (!def->name || !def->name[0] || strlen(def->name) >= sizeof collider->name) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "a collider needs a name of 1 to %zu bytes", sizeof collider->name - 1);
    }
    phx_result result = phxi_params_check(&phxi_collider_table, def);
    if (result == PHX_OK && phxi_collider_has_both(def)) {
        result = phxi_fail(PHX_ERROR_ARGUMENT, "both a mesh and a shape are given, expected one of them");
    } else if (result == PHX_OK && !def->mesh && !def->shape) {
        result = phxi_fail(PHX_ERROR_ARGUMENT, "no shape, expected one like plane()");
    }
    if (result != PHX_OK) {
        return phxi_fail_within(result, "collider '%s'", def->name);
    }
    phxi_collider_pose pose = {.rotation = phxi_rotation_degrees(def->rotate), .shift = def->translate};
    *collider =
        (phxi_collider){.field = field,
                        .scale = def->scale,
                        .placed = def->scale != 1 || phxi_length(def->rotate) > 0 || phxi_length(def->translate) > 0,
                        .now = pose,
                        .next = pose,
                        .inside = def->inside,
                        .stiffness = def->stiffness,
                        .damping = def->damping,
                        .friction = def->friction,
                        .plan = plan_of(def, mesh)};
    memcpy(collider->name, def->name, strlen(def->name) + 1);
    PHXI_TRY(phxi_friction_memory_create(&collider->friction_memory, heap));
    result = field ? PHX_OK : phxi_shape_parse(heap, def->shape, &collider->shape);
    collider->flat = collider->shape && phxi_shape_is_flat(collider->shape);
    return result == PHX_OK ? PHX_OK : phxi_fail_within(result, "shape of collider '%s'", def->name);
}

void phxi_collider_destroy(phxi_collider* collider, phxi_heap* heap) {
    phxi_shape_destroy(heap, collider->shape);
    phxi_friction_memory_destroy(&collider->friction_memory, heap);
    collider->shape = NULL;
}

double phxi_collider_stiffness(const phxi_collider* collider, double young, double width) {
    return collider->stiffness > 0 ? collider->stiffness : young * width;
}

static phx_vec3 local_of(const phxi_collider* collider, const phxi_collider_pose* pose, phx_vec3 point) {
    return collider->placed ? phxi_scale(1 / collider->scale, phxi_pose_local(pose, point)) : point;
}

static double outward(const phxi_collider* collider, double distance) {
    return collider->inside ? -collider->scale * distance : collider->scale * distance;
}

// How far a point is from touching the solid side, negative in it; farther than `reach` any lower bound above it will
// do. And the way out (NULL: not wanted).
static double distance_at(const phxi_collider* collider, const phxi_collider_pose* pose, phx_vec3 point, double reach,
                          phx_vec3* normal) {
    point = local_of(collider, pose, point);
    if (collider->field && !normal) {
        double far = outward(collider, phxi_distance_field_far(collider->field, point));
        if (far > reach) {
            return far;
        }
    }
    double phi = collider->field ? phxi_distance_field_at(collider->field, point, normal)
                 : normal        ? phxi_shape_distance_normal(collider->shape, point, normal)
                                 : phxi_shape_distance(collider->shape, point);
    if (normal && collider->placed) {
        *normal = phxi_mat3_apply(&pose->rotation, *normal);
    }
    if (normal && collider->inside) {
        *normal = phxi_scale(-1, *normal);
    }
    return outward(collider, phi);
}

// Nothing within any r of the point is nearer than this less r.
static double bound_at(const phxi_collider* collider, const phxi_collider_pose* pose, phx_vec3 point) {
    if (!collider->field) {
        return distance_at(collider, pose, point, INFINITY, NULL);
    }
    return outward(collider, phxi_distance_field_bound(collider->field, local_of(collider, pose, point)));
}

double phxi_collider_distance(const phxi_collider* collider, phx_vec3 point) {
    return distance_at(collider, &collider->next, point, INFINITY, NULL);
}

double phxi_collider_distance_within(const phxi_collider* collider, phx_vec3 point, double reach) {
    return distance_at(collider, &collider->next, point, reach, NULL);
}

double phxi_collider_surface(const phxi_collider* collider, phx_vec3 point, phxi_surface_point* at) {
    at->velocity = phxi_pose_velocity(&collider->next, point);
    return distance_at(collider, &collider->next, point, INFINITY, &at->normal);
}

double phxi_collider_now(const phxi_collider* collider, phx_vec3 point, phx_vec3* normal) {
    return distance_at(collider, &collider->now, point, INFINITY, normal);
}

static phx_vec3 position_of(const phxi_particles* p, int i) {
    return phxi_vec3(p->x[i], p->y[i], p->z[i]);
}

static phx_vec3 velocity_of(const phxi_particles* p, int i) {
    return phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
}

/// A particle and a collider, along the normal: velocities are against the collider.
typedef struct contact_along {
    double depth, spacing, mass, stiffness;
    double speed;  // m/s, current
    double coming; // m/s, without the current forces
    double acts;   // N, all else
} contact_along;

/// The same, along the surface.
typedef struct friction_along {
    double mass, most; // kg; N, of friction
    phx_vec3 acts, velocity, turn, normal;
} friction_along;

/// The push that ends the substep with at least this velocity, N.
static double push_for(const phxi_collider_load* load, const contact_along* c, double speed, double give) {
    double lacks = speed - c->coming - load->kick * c->acts / c->mass;
    return fmax(0, lacks / (load->kick / c->mass + give));
}

/// The three laws of collider.h.
static double push_of(const phxi_collider* collider, const phxi_collider_load* load, const contact_along* c) {
    bool steps = load->dt > 0 && load->kick > 0;
    if (steps && load->leaving > 0) {
        return c->depth > 0 ? fmin(c->stiffness * c->depth, push_for(load, c, load->leaving, 0)) : 0;
    }
    if (steps && load->projection) {
        phxi_gap gap = {c->depth, c->coming, load->kick * c->acts / c->mass, collider->damping, c->mass};
        phxi_gap_speeds speeds = phxi_gap_find_speeds(&gap, load->dt, load->compliance);
        return fmin(push_for(load, c, speeds.target, load->compliance / load->dt), push_for(load, c, speeds.most, 0));
    }
    // spring and damper that only push, at least so hard that the particle is not too deep in the end
    double half_stop = load->dt > 0 ? 0.5 * c->mass / load->dt : INFINITY;
    double drag = fmin(2 * collider->damping * sqrt(c->stiffness * c->mass), half_stop);
    double push = c->depth > 0 ? fmax(0, c->stiffness * c->depth - drag * c->speed) : 0;
    double room = fmax(0, deepest * c->spacing - c->depth);
    return steps ? fmax(push, push_for(load, c, -room / load->dt, 0)) : push;
}

/// Friction on particle i that slips with this velocity under a force, at most `most`; and what to remember of it.
static phx_vec3 friction_of(phxi_collider_load* load, int i, const friction_along* c) {
    if (!(load->dt > 0)) {
        return phxi_vec3(0, 0, 0);
    }
    phxi_friction_times times = {load->dt, load->kick > 0 ? load->kick : load->dt};
    double taken = phxi_friction_slip_rate(load->dt);
    phx_vec3 slip =
        phxi_friction_slip_now(load->before, times, c->velocity, c->turn, c->normal, c->most / (taken * c->mass));
    phx_vec3 urge = phxi_friction_urge(c->acts, c->mass, c->velocity, slip, load->dt);
    phxi_friction friction = phxi_friction_cone(phxi_scale(-1, urge), c->normal, c->most);
    phx_vec3 left = phxi_scale(-friction.left / c->mass, friction.wanted);
    load->after = phxi_friction_slip_ahead(i, -1, times, slip, c->velocity, left);
    load->held = c->most > 0;
    return friction.force;
}

phx_vec3 phxi_collider_force(const phxi_collider* collider, const phxi_particles* p, int i, double young,
                             phxi_collider_load* load) {
    phx_vec3 point = position_of(p, i), normal;
    const phxi_collider_pose* pose = &collider->now;
    double spacing = p->spacing[i], radius = phxi_contact_radius(p, i), looks = load->projection ? 0.5 * spacing : 0;
    double depth = radius - distance_at(collider, pose, point, radius + looks, NULL);
    if (!(depth > -looks)) {
        return phxi_vec3(0, 0, 0);
    }
    double mass = p->mass[i], stiffness = phxi_collider_stiffness(collider, young, phxi_collider_width(p, i));
    phx_vec3 moves = phxi_pose_velocity(pose, point), turns = phxi_pose_acceleration(pose, point);
    phx_vec3 velocity = phxi_sub(velocity_of(p, i), moves), acts = phxi_add_scaled(load->force, -mass, turns);
    phx_vec3 coming = phxi_sub(load->coming, phxi_add_scaled(moves, -load->ago, turns));
    distance_at(collider, pose, point, INFINITY, &normal);

    double push = push_of(collider, load,
                          &(contact_along){depth, spacing, mass, stiffness, phxi_dot(velocity, normal),
                                           phxi_dot(coming, normal), phxi_dot(acts, normal)});

    friction_along along = {mass,  collider->friction * push, acts, load->kick > 0 ? coming : velocity, pose->spin,
                            normal};
    along.velocity = phxi_add_scaled(along.velocity, -phxi_dot(along.velocity, normal), normal);
    return phxi_add_scaled(friction_of(load, i, &along), push, normal);
}

bool phxi_collider_find_contact(const phxi_collider* collider, const phxi_particles* particles, int i, phx_vec3 point,
                                double young, phxi_collider_contact* touch) {
    double radius = phxi_contact_radius(particles, i);
    touch->depth = radius - distance_at(collider, &collider->next, point, radius, NULL);
    if (!(touch->depth > 0)) {
        return false;
    }
    distance_at(collider, &collider->next, point, INFINITY, &touch->normal);
    touch->displacement = touch->velocity = phxi_vec3(0, 0, 0);
    if (collider->driven) {
        touch->displacement = phxi_sub(point, phxi_pose_world(&collider->now, phxi_pose_local(&collider->next, point)));
        touch->velocity = phxi_pose_velocity(&collider->next, point);
    }
    double stiffer = phxi_on_surface(particles, i) ? PHXI_IMPLICIT_STIFFER : 1;
    touch->stiffness = phxi_collider_stiffness(collider, young, stiffer * phxi_collider_width(particles, i));
    return true;
}

double phxi_collider_thickness(const phxi_collider* collider) {
    phxi_box box;
    if (collider->inside || (collider->shape && !phxi_shape_bounds(collider->shape, &box))) {
        return INFINITY;
    }
    phx_vec3 size = collider->shape ? phxi_sub(box.high, box.low) : phxi_vec3(0, 0, 0);
    return 0.5 * collider->scale * fmin(size.x, fmin(size.y, size.z));
}

bool phxi_collider_near(const phxi_collider* collider, phx_vec3 point, double radius) {
    return !(bound_at(collider, &collider->next, point) > 1.0001 * radius);
}

double phxi_collider_energy(const phxi_collider* collider, const phxi_particles* particles, int i, double young,
                            double spring) {
    double radius = phxi_contact_radius(particles, i);
    double depth = radius - distance_at(collider, &collider->now, position_of(particles, i), radius, NULL);
    double stiffness =
        spring > 0 ? spring : phxi_collider_stiffness(collider, young, phxi_collider_width(particles, i));
    return depth > 0 ? 0.5 * stiffness * depth * depth : 0;
}

typedef struct collide_context {
    const phxi_collider* collider;
    phxi_particles* particles;
    const phxi_contact_range* range;
    phx_vec3 gravity;
    double dt;
} collide_context;

// False if a sphere around the block cannot touch. (A particle that is not finite does not count; its method will
// tell.)
static bool block_may_touch(const collide_context* c, int begin, int end) {
    const phx_real* restrict x = c->particles->x, * restrict y = c->particles->y, * restrict z = c->particles->z;
    const phx_real* restrict spacing = c->particles->spacing;
    phx_real low_x = x[begin], low_y = y[begin], low_z = z[begin];
    phx_real high_x = low_x, high_y = low_y, high_z = low_z, widest = spacing[begin];
    for (int i = begin; i < end; ++i) {
        low_x = x[i] < low_x ? x[i] : low_x;
        low_y = y[i] < low_y ? y[i] : low_y;
        low_z = z[i] < low_z ? z[i] : low_z;
        high_x = x[i] > high_x ? x[i] : high_x;
        high_y = y[i] > high_y ? y[i] : high_y;
        high_z = z[i] > high_z ? z[i] : high_z;
        widest = spacing[i] > widest ? spacing[i] : widest;
    }
    phx_vec3 low = phxi_vec3(low_x, low_y, low_z), high = phxi_vec3(high_x, high_y, high_z);
    double radius = 0.5 * phxi_distance(low, high), reach = (c->range->projection ? 1 : 0.5) * widest;
    phx_vec3 middle = phxi_scale(0.5, phxi_add(low, high));
    return !(bound_at(c->collider, &c->collider->now, middle) > 1.0001 * (radius + reach));
}

// Velocities of explicit methods contain the current forces: v = v(mid) + dt/2 (a + g + e), see motion/explicit.h.
static phxi_collider_load load_of(const collide_context* c, int i) {
    const phxi_particles* p = c->particles;
    const phxi_contact_range* range = c->range;
    phx_vec3 inner = c->gravity;
    if (range->motion & PHXI_MOTION_ACCELERATION) {
        inner = phxi_add(phxi_vector_at(p->acceleration, i), inner);
    }
    phxi_collider_load load = {.coming = velocity_of(p, i), .dt = c->dt, .kick = 0.5 * (c->dt + range->last_dt)};
    load.projection = range->projection;
    load.compliance = range->compliance;
    load.leaving = range->overlap_time > 0 ? p->overlap[i] / range->overlap_time : 0;
    load.force = phxi_add_scaled(phxi_vec3(p->fx[i], p->fy[i], p->fz[i]), p->mass[i], inner);
    if (range->motion & PHXI_MOTION_EXTERNAL) {
        phx_vec3 had = phxi_add(inner, phxi_vector_at(p->external, i));
        load.ago = 0.5 * range->last_dt;
        load.coming = phxi_add_scaled(load.coming, -load.ago, had);
    }
    return load;
}

static void collide_block(void* context, int begin, int end, int block) {
    const collide_context* c = context;
    phxi_particles* p = c->particles;
    phxi_collider_push push = {0};
    begin += c->range->begin;
    end += c->range->begin;
    if (c->range->pushes) {
        c->range->pushes[block] = push;
    }
    phxi_friction_slip* slips = c->range->slips ? c->range->slips + (begin - c->range->begin) : NULL;
    int count = 0, at = 0;
    bool near = block_may_touch(c, begin, end);
    if (near && slips) {
        at = phxi_friction_memory_from(&c->collider->friction_memory, begin, -1);
    }
    for (int i = begin; near && i < end; ++i) {
        phxi_collider_load load = load_of(c, i);
        load.before = slips ? phxi_friction_memory_find(&c->collider->friction_memory, i, -1, &at) : NULL;
        phx_vec3 force = phxi_collider_force(c->collider, p, i, c->range->young, &load);
        p->fx[i] += (phx_real)force.x;
        p->fy[i] += (phx_real)force.y;
        p->fz[i] += (phx_real)force.z;
        push.force = phxi_add(push.force, force);
        push.power += phxi_dot(force, phxi_pose_velocity(&c->collider->now, position_of(p, i)));
        if (slips && load.held) {
            slips[count++] = load.after;
        }
    }
    if (c->range->slip_counts) {
        c->range->slip_counts[block] = count;
    }
    if (c->range->pushes) {
        c->range->pushes[block] = push;
    }
}

int phxi_collide_blocks(int count) {
    return phxi_block_count(count, GRAIN);
}

int phxi_collide_block_begin(int block) {
    return block * GRAIN;
}

void phxi_collide(const phxi_collider* collider, phxi_pool* pool, phxi_particles* particles,
                  const phxi_contact_range* range, phx_vec3 gravity, double dt) {
    collide_context context = {collider, particles, range, gravity, dt};
    phxi_parallel_for(pool, range->count, GRAIN, collide_block, &context);
}
