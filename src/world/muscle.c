// SPDX-License-Identifier: MIT
// The driver `muscle`: a body that swims. A wave of sideways force runs along the body's axis, from head to tail,
//
//   f = m / M F sin(2 pi (d / wavelength - t / period)) d / L  R n
//
// d the distance from the head at rest, L the length, n the side (the direction of `vector`), F its size, R how the
// body has turned as a whole. What of it would push or turn the body as a whole is taken out: muscles cannot. Water is
// a drag that is larger across the body than along it, -m (along v_t + across v_n) with t the direction of its middle
// line there (from sixteen slices): that is what a wave pushes off from (Gray and Hancock 1955).
#include "world/world.h"

#include "math/decompose3.h"

#include <string.h>

#define TAU 6.28318530717958647692
enum { SLICES = 16 };

/// A body as its muscles see it.
typedef struct swimmer {
    const phxi_particles* p;
    const phxi_driver* driver;
    phx_vec3 axis, side; // at rest, unit vectors
    double head, length; // of the axis: farthest along it, and from there to the end
    double mass;
    phxi_push push;                                // the same for all of it, or its muscles would move it as a whole
    phx_vec3 center, rest_center, tangent[SLICES]; // now, at rest; of the middle line
    phxi_mat3 turn;
} swimmer;

static phx_vec3 rest_of(const swimmer* s, int i) {
    return phxi_vec3(s->p->rest_x[i], s->p->rest_y[i], s->p->rest_z[i]);
}

static phx_vec3 position_of(const swimmer* s, int i) {
    return phxi_vec3(s->p->x[i], s->p->y[i], s->p->z[i]);
}

/// Share of the way from head to tail.
static double share_of(const swimmer* s, int i) {
    return s->length > 0 ? (s->head - phxi_dot(rest_of(s, i), s->axis)) / s->length : 0;
}

static int slice_of(double share) {
    int slice = (int)(share * SLICES);
    return slice < 0 ? 0 : slice >= SLICES ? SLICES - 1 : slice;
}

static void find_extent(swimmer* s) {
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k < s->driver->group.count; ++k) {
        int i = s->driver->group.indices[k];
        double along = phxi_dot(rest_of(s, i), s->axis), mass = (double)s->p->mass[i];
        least = fmin(least, along), most = fmax(most, along);
        s->mass += mass;
        s->center = phxi_add_scaled(s->center, mass, position_of(s, i));
        s->rest_center = phxi_add_scaled(s->rest_center, mass, rest_of(s, i));
    }
    s->head = most, s->length = most - least;
    s->center = phxi_scale(1 / s->mass, s->center);
    s->rest_center = phxi_scale(1 / s->mass, s->rest_center);
}

/// How the body has turned, and the direction of its middle line in each slice.
static void find_line(swimmer* s) {
    double mass[SLICES] = {0};
    phx_vec3 middle[SLICES] = {{0}};
    phxi_mat3 spread = {0};
    for (int k = 0; k < s->driver->group.count; ++k) {
        int i = s->driver->group.indices[k], slice = slice_of(share_of(s, i));
        double m = (double)s->p->mass[i];
        phx_vec3 now = phxi_sub(position_of(s, i), s->center), rest = phxi_sub(rest_of(s, i), s->rest_center);
        const double a[3] = {now.x, now.y, now.z}, b[3] = {rest.x, rest.y, rest.z};
        for (int c = 0; c < 9; ++c) {
            spread.m[c / 3][c % 3] += m * a[c / 3] * b[c % 3];
        }
        mass[slice] += m;
        middle[slice] = phxi_add_scaled(middle[slice], m, now);
    }
    s->turn = phxi_polar_rotation(&spread);
    phx_vec3 along = phxi_mat3_apply(&s->turn, s->axis);
    for (int k = 0; k < SLICES; ++k) {
        int before = k > 0 ? k - 1 : k, after = k < SLICES - 1 ? k + 1 : k;
        bool known = mass[before] > 0 && mass[after] > 0;
        phx_vec3 way =
            known ? phxi_sub(phxi_scale(1 / mass[before], middle[before]), phxi_scale(1 / mass[after], middle[after]))
                  : along;
        s->tangent[k] = phxi_normalize(way, along);
    }
}

static phx_vec3 load(const swimmer* s, int k) {
    const phx_real* f = s->driver->reactions + 3 * (size_t)k;
    return phxi_vec3(f[0], f[1], f[2]);
}

static void store(const swimmer* s, int k, phx_vec3 force) {
    phx_real* f = s->driver->reactions + 3 * (size_t)k;
    f[0] = (phx_real)force.x, f[1] = (phx_real)force.y, f[2] = (phx_real)force.z;
}

/// The wave of the muscles.
static void pull(const swimmer* s, double time) {
    const phx_driver_def* def = &s->driver->def;
    double size = phxi_length(def->vector) * s->push.covered * s->push.share / s->mass;
    phx_vec3 side = phxi_mat3_apply(&s->turn, s->side);
    for (int k = 0; k < s->driver->group.count; ++k) {
        int i = s->driver->group.indices[k];
        double share = share_of(s, i), phase = share * s->length / def->wavelength - (time - def->start) / def->period;
        store(s, k, phxi_scale((double)s->p->mass[i] * size * share * sin(TAU * phase), side));
    }
}

/// Takes out of the forces what would move or turn the body: m (F / M + I^-1 T x r).
static void balance(const swimmer* s) {
    phx_vec3 force = {0, 0, 0}, torque = {0, 0, 0};
    phxi_sym3 inertia = {0}, inverse = {0};
    for (int k = 0; k < s->driver->group.count; ++k) {
        int i = s->driver->group.indices[k];
        double m = (double)s->p->mass[i];
        phx_vec3 f = load(s, k), r = phxi_sub(position_of(s, i), s->center);
        force = phxi_add(force, f), torque = phxi_add(torque, phxi_cross(r, f));
        inertia.xx += m * (r.y * r.y + r.z * r.z), inertia.xy -= m * r.x * r.y;
        inertia.yy += m * (r.x * r.x + r.z * r.z), inertia.xz -= m * r.x * r.z;
        inertia.zz += m * (r.x * r.x + r.y * r.y), inertia.yz -= m * r.y * r.z;
    }
    phxi_pseudo_inverse_sym3(&inertia, 1e-9, &inverse, NULL);
    phxi_mat3 full = phxi_sym3_full(&inverse);
    phx_vec3 spin = phxi_mat3_apply(&full, torque), push = phxi_scale(1 / s->mass, force);
    for (int k = 0; k < s->driver->group.count; ++k) {
        int i = s->driver->group.indices[k];
        phx_vec3 whole = phxi_add(push, phxi_cross(spin, phxi_sub(position_of(s, i), s->center)));
        store(s, k, phxi_add_scaled(load(s, k), -(double)s->p->mass[i], whole));
    }
}

/// Adds the drag of water at rest.
static void drag(const swimmer* s) {
    const phx_driver_def* def = &s->driver->def;
    for (int k = 0; k < s->driver->group.count; ++k) {
        int i = s->driver->group.indices[k];
        phx_vec3 v = phxi_vec3(s->p->vx[i], s->p->vy[i], s->p->vz[i]), t = s->tangent[slice_of(share_of(s, i))];
        phx_vec3 along = phxi_scale(phxi_dot(v, t), t), across = phxi_sub(v, along);
        phx_vec3 pulls = phxi_add(phxi_scale(def->drag_along, along), phxi_scale(def->drag_across, across));
        store(s, k, phxi_add_scaled(load(s, k), -s->push.covered * (double)s->p->mass[i], pulls));
    }
}

void phxi_muscle_forces(phx_world* world, phxi_driver* driver, double dt) {
    swimmer s = {.p = &world->particles,
                 .driver = driver,
                 .axis = phxi_normalize(driver->def.axis, phxi_vec3(0, 0, 1)),
                 .side = phxi_normalize(driver->def.vector, phxi_vec3(0, 0, 0))};
    if (driver->group.count == 0) {
        return;
    }
    find_extent(&s);
    find_line(&s);
    s.push = phxi_driver_push(world, driver, driver->group.indices[0], dt);
    pull(&s, world->time);
    balance(&s);
    if (driver->def.drag_along > 0 || driver->def.drag_across > 0) {
        drag(&s);
    }
}
