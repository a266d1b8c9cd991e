// SPDX-License-Identifier: MIT
// Implicit steps of corotated SPH: the period of a bar that swings along its axis, and a turning block that keeps its
// momenta and its energy (docs/theory/implicit_steps.md S4 to S6).
#include "validate/validate.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;
static const double young = 1e6, density = 1000, length = 1;

static phx_result make(const phxi_validation* v, const char* shape, double spacing, const char* integrator, double dt,
                       double damping, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.gravity = (phx_vec3){0, 0, 0};
    def.threads = v->threads;
    PHXI_TRY(phx_world_create(&def, world));
    phx_material_def material = phx_material_def_default();
    material.young = young, material.density = density, material.poisson = 0, material.damping = damping;
    char step[32];
    snprintf(step, sizeof step, "%.17g", dt);
    const phx_setting settings[] = {{"integrator", integrator}, {"implicit_dt", step}};
    phx_body_def body = phx_body_def_default();
    PHXI_TRY(phx_material_create(*world, &material, &body.material));
    body.shape = shape, body.spacing = spacing, body.sampling = PHX_SAMPLING_CONFORMING;
    body.method = "corotated_sph", body.settings = settings, body.setting_count = 2;
    phx_body_id id;
    return phx_body_create(*world, &body, &id);
}

/// Where the free end is, m.
static double end_of(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < p->count; ++i) {
        if ((double)p->rest_x[i] > 0.999 * length) {
            sum += (double)p->x[i] + (double)p->low[0][i];
            ++count;
        }
    }
    return sum / count;
}

/// A bar that is held at one end and let go stretched like its first mode, 200 steps a period: the period from where
/// its end goes through rest, over 4 L / c; and how much of its height is left after four.
static phx_result swing(phxi_validation* v) {
    enum { STEPS = 200 };
    const double period = 4 * length / sqrt(young / density), dt = period / STEPS, small = 1e-3;
    for (int k = 0; k < 2; ++k) {
        phx_world* world = NULL;
        phx_driver_def pin = phx_driver_def_default();
        phx_driver_id id;
        pin.region = "box(size=(0.002,9,9))";
        PHXI_TRY(make(v, "box(center=(0.5,0,0), size=(1,0.2,0.2))", 0.2 / (k ? 8 : 4), "bdf2", dt, 0, &world));
        phxi_particles* p = &world->particles;
        for (int i = 0; i < p->count; ++i) {
            p->vx[i] = (phx_real)(small * 2 * pi / period * sin(pi / 2 * (double)p->rest_x[i] / length));
        }
        phx_result result = phx_driver_create(world, &pin, &id);
        double last = 0, first = 0, crossed = 0, most = 0, late = 0;
        int crossings = 0;
        for (int n = 1; n <= 4 * STEPS + STEPS / 4 && result == PHX_OK; ++n) {
            result = phx_world_substep(world, dt);
            double now = end_of(world) - length;
            if ((last > 0) != (now > 0) && n > 2) {
                crossed = dt * (n - 1 + last / (last - now));
                first = crossings++ == 0 ? crossed : first;
            }
            most = n <= STEPS / 2 ? fmax(most, fabs(now)) : most;
            late = n > 7 * STEPS / 2 ? fmax(late, fabs(now)) : late;
            last = now;
        }
        phx_world_destroy(world);
        PHXI_TRY(result);
        char quantity[96];
        snprintf(quantity, sizeof quantity, "axial period over 4 L/c, bdf2, %d across", k ? 8 : 4);
        phxi_validate(v, quantity, 2 * (crossed - first) / (crossings - 1) / period, 1, k ? 0.005 : 0.01);
        snprintf(quantity, sizeof quantity, "its height after 3 1/2 periods over the first, %d across", k ? 8 : 4);
        phxi_validate_between(v, quantity, late / most, 0.97, 1.005);
    }
    return PHX_OK;
}

/// A block that turns at 10 rad/s, 120 steps of 1/60 s: angular momentum stays; energy does not exceed that of the
/// start, with bdf2 but for what its steps make of the first stretch (0.65 %, as with efg).
static phx_result spin(phxi_validation* v) {
    static const char* const words[] = {"bdf2", "implicit_euler"};
    for (int k = 0; k < 2; ++k) {
        phx_world* world = NULL;
        PHXI_TRY(make(v, "box(size=(0.4,0.3,0.2))", 0.05, words[k], 1.0 / 60, 0, &world));
        phx_totals before, after;
        double most = 0;
        phx_result result =
            phx_body_set_velocity(world, phx_world_body_id(world, 0), (phx_vec3){0, 0, 0}, (phx_vec3){2, 4, 9});
        result = result == PHX_OK ? phx_world_measure(world, &before) : result;
        const double energy = before.kinetic + before.elastic;
        double rise = 0;
        for (int n = 0; n < 120 && result == PHX_OK; ++n) {
            result = phx_world_substep(world, 1.0 / 60);
            if (result == PHX_OK) {
                result = phx_world_measure(world, &after);
            }
            rise = fmax(rise, (after.kinetic + after.elastic - energy) / before.kinetic);
            phx_vec3 lost = {after.angular_momentum.x - before.angular_momentum.x,
                             after.angular_momentum.y - before.angular_momentum.y,
                             after.angular_momentum.z - before.angular_momentum.z};
            most = fmax(most, sqrt(lost.x * lost.x + lost.y * lost.y + lost.z * lost.z));
        }
        phx_world_destroy(world);
        PHXI_TRY(result);
        double l = sqrt(before.angular_momentum.x * before.angular_momentum.x +
                        before.angular_momentum.y * before.angular_momentum.y +
                        before.angular_momentum.z * before.angular_momentum.z);
        char quantity[96];
        snprintf(quantity, sizeof quantity, "a spinning block, %s: change of angular momentum", words[k]);
        phxi_validate(v, quantity, most / l, 0, phxi_by_precision(1e-12, 1e-6));
        snprintf(quantity, sizeof quantity, "%s: its energy above that of the start, most", words[k]);
        phxi_validate(v, quantity, fmax(rise, 0), 0, k == 0 ? 0.01 : 1e-6);
    }
    return PHX_OK;
}

const phxi_validation_case phxi_cases_corotated_implicit[] = {
    {"corotated.swing", "the period of a bar that swings along its axis, by bdf2", swing},
    {"corotated.spin", "implicit steps of a turning block: momenta and energy", spin},
    {NULL, NULL, NULL},
};
