// SPDX-License-Identifier: MIT
// Kinematic bodies: no forces and no motion of their own. Where drivers have put them, normals that turn along, volumes
// as fluids see them (rigid_internal.h, docs/theory/fluids.md section 3).
#include "methods/rigid/rigid_internal.h"

#include "math/decompose3.h"

#include <float.h>

enum { GRAIN = 1024 };
static const double largest_misfit = 0.02; // spacings, by which drivers may move particles from their places

static double reach(const phxi_body* body) {
    return body->kinematic ? phxi_sph_support(phxi_rigid_params_of(body)->kernel) : 0;
}

static double list_radius(const phxi_body* body) {
    return body->kinematic ? phxi_sph_list_radius(phxi_rigid_params_of(body)->kernel) : 0;
}

static bool is_packed(const phxi_body* body) {
    return body->kinematic && phxi_rigid_params_of(body)->masses == PHXI_RIGID_MASS_AKINCI;
}

/// Only volumes by Akinci ask for the walls around.
static bool ignores_own_kind(const phxi_body* body) {
    return body->kinematic && !is_packed(body);
}

const phxi_space_table phxi_kinematic_space = {
    .reach = reach, .list_radius = list_radius, .ignores_own_kind = ignores_own_kind};

// Particles of cells that stick out stand on the surface.
void phxi_kinematic_set_surface(phxi_particles* p, int i, double depth, phx_vec3 normal) {
    p->boundary_depth[i] = (phx_real)depth;
    phxi_vector_set(p->boundary_normal, i, normal);
    p->boundary_volume[i] = p->volume[i];
}

static void view(const void* state, const phxi_step* step, int index, phxi_boundary_view* made) {
    const phxi_body* body = &step->bodies[index];
    (void)state;
    if (body->kinematic) {
        *made = (phxi_boundary_view){.present = true,
                                     .kernel = phxi_rigid_params_of(body)->kernel,
                                     .slip = phxi_rigid_params_of(body)->slip,
                                     .pose = phxi_boundary_pose_of(step->particles, body->begin, body->mark),
                                     .solid = body->solid};
    }
}

const phxi_boundary_table phxi_kinematic_boundary = {.view = view};

// ------------------------------------------------------------------------------------------------------------- contact

/// Velocity of the first of three particles that tell where the body is, and how it spins. What they cannot tell, as
/// they are on one line, is none.
static void find_motion(const phxi_particles* p, const phxi_body* body, phx_vec3* velocity, phx_vec3* spin) {
    phx_vec3 angular = {0, 0, 0};
    phxi_sym3 inertia = {0}, inverse;
    int first = body->begin + body->mark[0];
    *velocity = phxi_vec3(p->vx[first], p->vy[first], p->vz[first]);
    for (int k = 1; k < 3; ++k) {
        int i = body->begin + body->mark[k];
        phx_vec3 r = phxi_sub(phxi_vec3(p->x[i], p->y[i], p->z[i]), phxi_vec3(p->x[first], p->y[first], p->z[first]));
        phx_vec3 v = phxi_sub(phxi_vec3(p->vx[i], p->vy[i], p->vz[i]), *velocity);
        angular = phxi_add(angular, phxi_cross(r, v));
        inertia.xx += r.y * r.y + r.z * r.z;
        inertia.yy += r.x * r.x + r.z * r.z;
        inertia.zz += r.x * r.x + r.y * r.y;
        inertia.xy -= r.x * r.y;
        inertia.xz -= r.x * r.z;
        inertia.yz -= r.y * r.z;
    }
    phxi_pseudo_inverse_sym3(&inertia, 1e-9, &inverse, NULL);
    phxi_mat3 full = phxi_sym3_full(&inverse);
    *spin = phxi_mat3_apply(&full, angular);
}

// Nothing that pushes it moves it: inverse mass and inertia are none.
void phxi_kinematic_describe(const phxi_rigid_body* own, const phxi_particles* p, const phxi_body* body,
                             phxi_contact_rigid* rigid) {
    phxi_boundary_pose pose = phxi_boundary_pose_of(p, body->begin, body->mark);
    rigid->rotation = pose.rotation;
    rigid->rest = pose.rest;
    rigid->now = rigid->pivot = pose.now;
    rigid->center = phxi_add(pose.now, phxi_mat3_apply(&pose.rotation, phxi_sub(own->rest, pose.rest)));
    rigid->spread = phxi_principal_inverse(&own->principal, &pose.rotation);
    rigid->depth = p->boundary_depth;
    find_motion(p, body, &rigid->velocity, &rigid->spin);
}

// ------------------------------------------------------------------------------------------------------------- motion

typedef struct following {
    const phxi_body* body;
    phxi_particles* particles;
    phx_real* rest[PHXI_RIGID_FIELDS];
    phxi_boundary_pose pose;
    double* apart; // m, by block: how far a particle is from its place; NULL: not wanted
} following;

/// But for rounding.
static double misfit_of(const following* f, int i) {
    const double rounding = sizeof(phx_real) == sizeof(float) ? 4 * (double)FLT_EPSILON : 4 * DBL_EPSILON;
    const phxi_particles* p = f->particles;
    phx_vec3 x = phxi_vec3(p->x[i], p->y[i], p->z[i]), rest = phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]);
    phx_vec3 place = phxi_add(f->pose.now, phxi_mat3_apply(&f->pose.rotation, phxi_sub(rest, f->pose.rest)));
    return phxi_distance(x, place) - rounding * (phxi_length(x) + phxi_length(rest));
}

static void follow_part(void* context, int begin, int end, int block) {
    const following* f = context;
    double apart = 0;
    for (int i = f->body->begin + begin; i < f->body->begin + end; ++i) {
        phx_vec3 n = phxi_mat3_apply(&f->pose.rotation, phxi_vector_at(&f->rest[PHXI_RIGID_NORMAL], i));
        phxi_vector_set(f->particles->boundary_normal, i, n);
        apart = f->apart ? fmax(apart, misfit_of(f, i)) : 0;
    }
    if (f->apart) {
        f->apart[block] = apart;
    }
}

static following following_of(const phxi_rigid_solver* s, const phxi_step* step, const phxi_body* body) {
    following f = {.body = body, .particles = step->particles};
    phxi_rigid_bind(s, step->particles, f.rest);
    f.pose = phxi_boundary_pose_of(step->particles, body->begin, body->mark);
    return f;
}

void phxi_kinematic_restored(const phxi_rigid_solver* s, phxi_step* step) {
    for (int k = 0; k < step->own_count; ++k) {
        const phxi_body* body = &step->bodies[step->own[k]];
        if (body->kinematic) {
            following f = following_of(s, step, body);
            phxi_parallel_for(step->pool, body->count, GRAIN, follow_part, &f);
        }
    }
}

/// Whether a driver has some of it. What none has stays where it is.
static bool is_driven(const phxi_step* step, const phxi_body* body) {
    bool driven = false;
    for (int d = 0; d < step->hold_count; ++d) {
        const phxi_driver_hold* hold = &step->holds[d];
        driven = driven || (hold->count > 0 && hold->indices[0] < body->begin + body->count &&
                            hold->indices[hold->count - 1] >= body->begin);
    }
    return driven;
}

static phx_result follow(const phxi_rigid_solver* s, phxi_step* step, const phxi_body* body) {
    following f = following_of(s, step, body);
    int blocks = phxi_block_count(body->count, GRAIN);
    double apart = 0;
    f.apart = phxi_arena_take(step->arena, (size_t)blocks, sizeof *f.apart);
    if (!f.apart) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(step->pool, body->count, GRAIN, follow_part, &f);
    for (int b = 0; b < blocks; ++b) {
        apart = fmax(apart, f.apart[b]);
    }
    if (apart > largest_misfit * (double)step->particles->spacing[body->begin]) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "drivers pull particles of wall '%s' apart by %g m, expected them to move it as one",
                         body->name, apart);
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- volumes

static const phxi_body* body_at(const phxi_step* step, int i) {
    return &step->bodies[step->particles->body[i]];
}

/// gamma / sum W over all walls around, itself too.
static void pack_part(void* context, int begin, int end, int block) {
    const phxi_step* step = context;
    const phxi_near* near = step->near;
    int solver = step->bodies[step->own[0]].solver;
    (void)block;
    for (int a = begin; a < end; ++a) {
        const phxi_body* own = body_at(step, near->particle[a]);
        if (own->solver != solver || !is_packed(own)) {
            continue;
        }
        phxi_kernel kernel = phxi_sph_kernel_of(phxi_rigid_params_of(own)->kernel);
        double sum = phxi_kernel_value(kernel, 0, (double)near->reach[a]);
        for (int64_t n = near->lists.start[a]; n < near->lists.start[a + 1]; ++n) {
            int b = near->lists.items[n];
            if (body_at(step, near->particle[b])->kinematic) {
                double support = 0.5 * ((double)near->reach[a] + (double)near->reach[b]);
                sum += phxi_kernel_value(kernel, phxi_length(phxi_near_delta(near, a, b)), support);
            }
        }
        step->particles->boundary_volume[near->particle[a]] = (phx_real)(phxi_rigid_params_of(own)->gamma / sum);
    }
}

/// Only walls that move change each other's sums.
static void pack(phxi_rigid_solver* s, phxi_step* step) {
    const phxi_particles* p = step->particles;
    bool moving = false;
    int walls = 0;
    for (int k = 0; k < step->own_count; ++k) {
        const phxi_body* body = &step->bodies[step->own[k]];
        int i = body->begin;
        walls += body->kinematic;
        moving = moving || (body->kinematic && (p->vx[i] != 0 || p->vy[i] != 0 || p->vz[i] != 0));
    }
    if (walls > 0 && (s->packed != walls || (walls > 1 && moving))) {
        phxi_parallel_for(step->pool, step->near->count, GRAIN, pack_part, step);
        s->packed = walls;
    }
}

phx_result phxi_kinematic_substep(phxi_rigid_solver* s, phxi_step* step) {
    for (int k = 0; k < step->own_count; ++k) {
        const phxi_body* body = &step->bodies[step->own[k]];
        if (body->kinematic && is_driven(step, body)) {
            PHXI_TRY(follow(s, step, body));
        }
    }
    pack(s, step);
    return PHX_OK;
}
