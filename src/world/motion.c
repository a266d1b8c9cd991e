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

double phxi_driver_share(const phx_driver_def* def, double time) {
    return phxi_driver_ramp(def, time).value;
}

double phxi_driver_mean_share(const phx_driver_def* def, double from, double to) {
    double begin = phxi_driver_ramp(def, fmin(from, def->end)).integral;
    return (phxi_driver_ramp(def, fmin(to, def->end)).integral - begin) / (to - from);
}

// A body that leap-frogs takes half the impulse of the last substep and half of this one's now, the other half of this
// one's at the end, ahead of the next. Its forces act for (last_dt + dt) / 2, so that they are the mean of both.
phxi_push phxi_driver_push(phx_world* world, const phx_driver_def* def, int body, double dt) {
    double from = world->time - (phxi_world_kicks_plainly(world, body) ? 0 : world->last_dt), to = world->time + dt;
    double covered = fmax(0, fmin(to, def->end) - fmax(from, def->start)) / (to - from);
    double mean = phxi_driver_mean_share(def, from, to), now = phxi_driver_mean_share(def, world->time, to);
    return (phxi_push){covered, covered > 0 ? mean / covered : 0, mean > 0 ? now / mean - 1 : 0};
}

phxi_motion phxi_driver_motion(const phx_driver_def* def, double time) {
    phxi_ramp s = phxi_driver_ramp(def, time);
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
