// SPDX-License-Identifier: MIT
// How drivers move things: a rigid motion as a function of time alone, with its exact rates. A ramp is
// s = 3 u^2 - 2 u^3, u the elapsed share of it.
#include "world/world.h"

static const double PI = 3.14159265358979323846;

phxi_ramp phxi_driver_ramp(const phx_driver_def* def, double time) {
    double elapsed = fmax(0, time - def->start);
    if (elapsed >= def->ramp) {
        return (phxi_ramp){1, 0, 0, elapsed - 0.5 * def->ramp};
    }
    double u = elapsed / def->ramp;
    return (phxi_ramp){u * u * (3 - 2 * u), 6 * u * (1 - u) / def->ramp, 6 * (1 - 2 * u) / (def->ramp * def->ramp),
                       def->ramp * u * u * u * (1 - 0.5 * u)};
}

double phxi_driver_share(const phxi_driver* driver, double time) {
    double ramp = phxi_driver_ramp(&driver->def, time).value;
    return driver->profile.plan == 0 ? ramp : ramp * phxi_profile_at(&driver->profile, time, phxi_vec3(0, 0, 0)).value;
}

/// Of ramp and profile from `from` to `to`, within the window. Between the times at which either bends, by the rule of
/// Gauss with three points: exact for tables, whose product with the ramp is a polynomial of degree 4; for formulas
/// off by (to - from)^7 / 2016000 of their sixth derivative.
static double integral_of(const phxi_driver* driver, phx_vec3 place, double from, double to) {
    const double node = 0.7745966692414833770; // sqrt(3/5)
    const phx_driver_def* def = &driver->def;
    double sum = 0;
    for (double a = fmax(from, def->start), end = fmin(to, def->end), b; a < end; a = b) {
        b = fmin(end, phxi_profile_bend_after(&driver->profile, a));
        b = a < def->start + def->ramp ? fmin(b, def->start + def->ramp) : b;
        double middle = 0.5 * (a + b), half = 0.5 * (b - a), values[3];
        for (int k = 0; k < 3; ++k) {
            double time = middle + (k - 1) * node * half;
            values[k] = phxi_driver_ramp(def, time).value * phxi_profile_at(&driver->profile, time, place).value;
        }
        sum += half * (5.0 / 9 * (values[0] + values[2]) + 8.0 / 9 * values[1]);
    }
    return sum;
}

double phxi_driver_mean_share(const phxi_driver* driver, phx_vec3 place, double from, double to) {
    const phx_driver_def* def = &driver->def;
    if (driver->profile.plan != 0) {
        return integral_of(driver, place, from, to) / (to - from);
    }
    double begin = phxi_driver_ramp(def, fmin(from, def->end)).integral;
    return (phxi_driver_ramp(def, fmin(to, def->end)).integral - begin) / (to - from);
}

double phxi_driver_covered(const phx_driver_def* def, double from, double to) {
    return fmax(0, fmin(to, def->end) - fmax(from, def->start)) / (to - from);
}

// A body that leap-frogs takes half the impulse of the last substep and half of this one's now, the other half of this
// one's at the end, ahead of the next. Its forces act for (last_dt + dt) / 2, so that they are the mean of both.
phxi_push phxi_driver_push(phx_world* world, const phxi_driver* driver, int particle, double dt) {
    const phxi_particles* p = &world->particles;
    double last_dt = phxi_world_kicks_plainly(world, p->body[particle]) ? 0 : world->last_dt;
    double from = world->time - last_dt, to = world->time + dt;
    phx_vec3 place = phxi_vec3(p->rest_x[particle], p->rest_y[particle], p->rest_z[particle]);
    double covered = phxi_driver_covered(&driver->def, from, to);
    double mean = phxi_driver_mean_share(driver, place, from, to);
    double now = last_dt > 0 ? phxi_driver_mean_share(driver, place, world->time, to) : mean;
    return (phxi_push){covered, covered > 0 ? mean / covered : 0, mean, now - mean};
}

/// Ramp and profile as one: value and first two derivatives by time.
static phxi_ramp shaped_ramp(const phxi_driver* driver, double time) {
    phxi_ramp s = phxi_driver_ramp(&driver->def, time);
    if (driver->profile.plan != 0) {
        phxi_jet p = phxi_profile_at(&driver->profile, time, phxi_vec3(0, 0, 0));
        s.second = s.second * p.value + 2 * s.rate * p.rate + s.value * p.second;
        s.rate = s.rate * p.value + s.value * p.rate;
        s.value *= p.value;
    }
    return s;
}

phxi_motion phxi_driver_motion(const phxi_driver* driver, double time) {
    const phx_driver_def* def = &driver->def;
    phxi_ramp s = shaped_ramp(driver, time);
    phxi_motion m = {.center = def->center, .rotation = phxi_identity()};
    if (def->kind == PHX_DRIVER_MOVE) {
        m.shift = phxi_scale(s.value, def->vector);
        m.velocity = phxi_scale(s.rate, def->vector);
        m.acceleration = phxi_scale(s.second, def->vector);
    } else if (def->kind == PHX_DRIVER_VELOCITY) {
        m.shift = phxi_scale(s.integral, def->vector);
        m.velocity = phxi_scale(s.value, def->vector);
        m.acceleration = phxi_scale(s.rate, def->vector);
    } else if (def->kind == PHX_DRIVER_TWIST || def->kind == PHX_DRIVER_SPIN) {
        bool twist = def->kind == PHX_DRIVER_TWIST;
        double angle = def->angle * PI / 180; // all of it, or a second
        phx_vec3 axis = phxi_normalize(def->axis, phxi_vec3(0, 0, 1));
        m.rotation = phxi_rotation(axis, (twist ? s.value : s.integral) * angle);
        m.spin = phxi_scale((twist ? s.rate : s.value) * angle, axis);
        m.spin_rate = phxi_scale((twist ? s.second : s.rate) * angle, axis);
    }
    return m;
}

phx_vec3 phxi_motion_displacement(const phxi_motion* motion, phx_vec3 start) {
    phx_vec3 arm = phxi_sub(start, motion->center);
    return phxi_add(motion->shift, phxi_sub(phxi_mat3_apply(&motion->rotation, arm), arm));
}

phx_vec3 phxi_motion_velocity(const phxi_motion* motion, phx_vec3 position) {
    phx_vec3 arm = phxi_sub(position, motion->center);
    return phxi_add(motion->velocity, phxi_cross(motion->spin, arm));
}
