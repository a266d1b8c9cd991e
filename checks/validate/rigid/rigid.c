// SPDX-License-Identifier: MIT
// Rigid bodies that touch nothing: free fall, tops, hinges, what drivers feel.
#include "validate/rigid/trial.h"

static const double PI = 3.14159265358979323846, G = 9.81;

// ---------------------------------------------------------------------------------------------------------- free fall

/// The largest change of a distance between particles of a body, m.
static double largest_strain(const phx_world* world, int begin, int count) {
    const phxi_particles* p = &world->particles;
    double most = 0;
    for (int k = 0; k < count; ++k) {
        int i = begin + k, j = begin + (7 * k + 3) % count;
        phx_vec3 now = phxi_vec3(p->x[i] - (double)p->x[j], p->y[i] - (double)p->y[j], p->z[i] - (double)p->z[j]);
        phx_vec3 rest = phxi_vec3(p->rest_x[i] - (double)p->rest_x[j], p->rest_y[i] - (double)p->rest_y[j],
                                  p->rest_z[i] - (double)p->rest_z[j]);
        most = fmax(most, fabs(phxi_length(now) - phxi_length(rest)));
    }
    return most;
}

static phx_result fall(phxi_validation* v) {
    const phxi_thing thing = {
        .name = "a", .shape = "box((0.3, 0, 0), (0.06, 0.04, 0.02))", .velocity = {1, 0, 2}, .spin = {3, 20, -5}};
    phx_world* world = NULL;
    phx_result result = phxi_rigid_world(v, phxi_vec3(0, 0, -G), &thing, 1, &world);
    phx_totals before, after = {0};
    result = result == PHX_OK ? phx_world_measure(world, &before) : result;
    for (int k = 0; result == PHX_OK && k < 1000; ++k) {
        result = phx_world_substep(world, k % 3 == 0 ? 5e-4 : 1e-3); // of changing size
    }
    result = result == PHX_OK ? phx_world_measure(world, &after) : result;
    if (result == PHX_OK) {
        double t = world->time, fine = phxi_by_precision(1e-12, 1e-6);
        const phxi_rigid_body* body = phxi_rigid_inside(world, 0);
        phxi_validate(v, "height after a fall, m", body->state.center.z, body->rest.z + 2 * t - 0.5 * G * t * t,
                      phxi_by_precision(1e-11, 1e-7));
        phxi_validate(v, "change of speed over g t", (after.momentum.z - before.momentum.z) / (-after.mass * G * t), 1,
                      fine);
        phx_vec3 spin_before = phxi_sub(before.angular_momentum, phxi_cross(before.mean_position, before.momentum));
        phx_vec3 spin_after = phxi_sub(after.angular_momentum, phxi_cross(after.mean_position, after.momentum));
        double size = phxi_length(spin_before);
        phxi_validate(v, "change of angular momentum about the centre, relative",
                      phxi_distance(spin_before, spin_after) / size, 0, phxi_by_precision(1e-12, 2e-4));
        phxi_validate(v, "the same of the state", phxi_distance(body->state.angular_momentum, spin_before) / size, 0,
                      phxi_by_precision(1e-12, 1e-5));
        phxi_validate(v, "largest change of a distance, m", largest_strain(world, 0, world->particles.count), 0,
                      phxi_by_precision(1e-14, 2e-6));
    }
    phx_world_destroy(world);
    return result;
}

// --------------------------------------------------------------------------------------------------------------- tops

/// Complete elliptic integral of the first kind, by the arithmetic-geometric mean.
static double complete_integral(double square) {
    double a = 1, b = sqrt(1 - square);
    for (int k = 0; k < 40; ++k) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return PI / (2 * a);
}

/// Spin in the body's own axes, of ascending moments.
static phx_vec3 own_spin(const phxi_rigid_body* body, phx_vec3 angular) {
    phxi_mat3 rotation = phxi_quat_matrix(body->state.orientation),
              axes = phxi_mat3_mul(&rotation, &body->principal.axes);
    phxi_mat3 back = phxi_mat3_transpose(&axes);
    phx_vec3 l = phxi_mat3_apply(&back, angular);
    const double* i = body->principal.moments;
    return phxi_vec3(l.z / i[2], l.y / i[1], l.x / i[0]);
}

/// Period in which the middle component comes back (Landau and Lifshitz, Mechanics, section 37).
static double exact_period(const double i[3], phx_vec3 w) {
    double twice = i[0] * w.x * w.x + i[1] * w.y * w.y + i[2] * w.z * w.z;
    double square = i[0] * i[0] * w.x * w.x + i[1] * i[1] * w.y * w.y + i[2] * i[2] * w.z * w.z;
    double one = i[0], two = i[1], three = i[2];
    if (square < twice * two) {
        one = i[2];
        three = i[0];
    }
    double scale = sqrt((three - two) * (square - twice * one) / (one * two * three));
    double modulus = (two - one) * (twice * three - square) / ((three - two) * (square - twice * one));
    return 4 * complete_integral(modulus) / scale;
}

static phx_result flip(phxi_validation* v) {
    const phxi_thing thing = {.name = "a", .shape = "box((0, 0, 0), (0.08, 0.05, 0.03))", .spin = {0.3, 10, 0.2}};
    phx_world* world = NULL;
    double first = 0, last = 0, before = 0, dt = 2e-3, drift = 0;
    int crossings = 0;
    phx_result result = phxi_rigid_world(v, phxi_vec3(0, 0, 0), &thing, 1, &world);
    const phxi_rigid_body* body = result == PHX_OK ? phxi_rigid_inside(world, 0) : NULL;
    phx_vec3 angular = body ? body->state.angular_momentum : phxi_vec3(0, 0, 0);
    phx_vec3 start = body ? own_spin(body, angular) : angular;
    const double moments[3] = {body ? body->principal.moments[2] : 1, body ? body->principal.moments[1] : 1,
                               body ? body->principal.moments[0] : 1};
    double energy = moments[0] * start.x * start.x + moments[1] * start.y * start.y + moments[2] * start.z * start.z;
    for (int k = 0; result == PHX_OK && k < 4000; ++k) {
        result = phx_world_substep(world, dt);
        phx_vec3 w = own_spin(body, body->state.angular_momentum);
        double now = moments[0] * w.x * w.x + moments[1] * w.y * w.y + moments[2] * w.z * w.z;
        drift = fmax(drift, fabs(now / energy - 1));
        if (k > 0 && before < 0 && w.y >= 0) {
            last = world->time - dt * w.y / (w.y - before);
            first = crossings++ == 0 ? last : first;
        }
        before = w.y;
    }
    if (result == PHX_OK) {
        phxi_validate_relative(v, "time of a flip about the middle axis, s", (last - first) / fmax(1, crossings - 1),
                               exact_period(moments, start), 1e-6);
        phxi_validate(v, "change of energy, relative", drift, 0, 1e-8);
        phxi_validate(v, "change of angular momentum, relative",
                      phxi_distance(body->state.angular_momentum, angular) / phxi_length(angular), 0, 1e-14);
    }
    phx_world_destroy(world);
    return result;
}

/// A square plate on a stick's end, its axis level: it goes round with m g l / (I w), and neither sinks nor rises.
static phx_result heavy_top(phxi_validation* v) {
    const char* shape = "union(box((0.03, 0, 0), (0.02, 0.09, 0.09)), box((0.01, 0, 0), (0.02, 0.01, 0.01)))";
    phxi_thing thing = {.name = "a", .shape = shape, .held = "sphere((0.005, 0, 0), 0.003)"};
    phx_world* world = NULL;
    PHXI_TRY(phxi_rigid_world(v, phxi_vec3(0, 0, -G), &thing, 1, &world));
    const phxi_rigid_body* body = phxi_rigid_inside(world, 0);
    phx_vec3 pivot = phxi_vec3((double)(phx_real)0.005, 0, 0);
    double arm = body->rest.x - pivot.x, spin = 80;
    double rate = body->mass * G * arm / (body->inertia.xx * spin);
    phx_world_destroy(world);
    thing.spin = phxi_vec3(spin, 0, rate);
    thing.velocity = phxi_vec3(0, rate * arm, 0);
    world = NULL;
    phx_result result = phxi_rigid_world(v, phxi_vec3(0, 0, -G), &thing, 1, &world);
    double lowest = 0, dt = 1e-3, weight = 0;
    for (int k = 0; result == PHX_OK && k < 1000; ++k) {
        result = phx_world_substep(world, dt);
        body = phxi_rigid_inside(world, 0);
        lowest = fmax(lowest, fabs(body->state.center.z));
    }
    phx_totals totals = {0};
    result = result == PHX_OK ? phx_world_measure(world, &totals) : result;
    if (result == PHX_OK) {
        body = phxi_rigid_inside(world, 0);
        weight = totals.reaction.z;
        double angle = atan2(body->state.center.y, body->state.center.x - pivot.x), exact = rate * world->time;
        exact -= 2 * PI * floor((exact + PI) / (2 * PI));
        phxi_validate(v, "angle it has gone round, rad", angle, exact, 2e-3);
        phxi_validate(v, "rise or fall of its centre over the arm", lowest / arm, 0, 2e-3);
        phxi_validate_relative(v, "weight on the pin, N", weight, body->mass * G, 5e-3);
    }
    phx_world_destroy(world);
    return result;
}

/// A bar on a hinge, two of its particles pinned, swings as a compound pendulum.
static phx_result pendulum(phxi_validation* v) {
    const phxi_thing thing = {.name = "bar",
                              .shape = "box((0, 0, -0.045), (0.03, 0.03, 0.09))",
                              .held = "cylinder((0, -0.1, -0.005), (0, 0.1, -0.005), 0.003)"};
    phx_world* world = NULL;
    double small = 0.02, before = 0, first = 0, last = 0, dt = 1e-3;
    int crossings = 0;
    phx_result result = phxi_rigid_world(v, phxi_vec3(G * sin(small), 0, -G * cos(small)), &thing, 1, &world);
    for (int k = 0; result == PHX_OK && k < 4000; ++k) {
        result = phx_world_substep(world, dt);
        const phxi_rigid_body* body = phxi_rigid_inside(world, 0);
        double swing = atan2(body->state.center.x, -0.005 - body->state.center.z) - small;
        if (k > 0 && before < 0 && swing >= 0) {
            last = world->time - dt * swing / (swing - before);
            first = crossings++ == 0 ? last : first;
        }
        before = swing;
    }
    if (result == PHX_OK) {
        const phxi_rigid_body* body = phxi_rigid_inside(world, 0);
        double arm = -0.005 - body->rest.z, inertia = body->inertia.yy + body->mass * arm * arm;
        double exact = 2 * PI * sqrt(inertia / (body->mass * G * arm)) * (1 + small * small / 16);
        phxi_validate_relative(v, "period of a bar on a hinge, s", (last - first) / fmax(1, crossings - 1), exact,
                               1e-4);
    }
    phx_world_destroy(world);
    return result;
}

const phxi_validation_case phxi_cases_rigid[] = {
    {"rigid.fall", "free fall with spin: exact path, momenta, distances", fall},
    {"rigid.flip", "a free top about its middle axis: time of a flip, energy, angular momentum", flip},
    {"rigid.heavy_top", "a top pinned at a point goes round", heavy_top},
    {"rigid.pendulum", "a bar on a hinge swings", pendulum},
    {NULL, NULL, NULL},
};
