// SPDX-License-Identifier: MIT
// How much of a soft body's time a second of a processor makes, at equal error: a jelly beam of 0.4 m x 0.04 m x 0.04 m
// swings about its clamped end. Each method takes the coarsest of four resolutions with which the period is right
// within 4 %, implicit ones with the largest step of three.
//
// Exact: slender beams have omega_b = 1.8751^2 / L^2 sqrt(E I / rho A); shear has omega_s = pi / 2 L sqrt(kappa G /
// rho), kappa = 5/6; 1 / omega^2 = 1 / omega_b^2 + 1 / omega_s^2 (Dunkerley; 1 % here, good to a fifth of that).
#include "bench/bench.h"

#include "world/world.h"

#include <math.h>
#include <stdio.h>

#define LENGTH  0.4
#define ACROSS  0.04
#define YOUNG   1e5
#define DENSITY 1000.0
#define POISSON 0.3
#define ERROR   0.04
#define SPEED   0.1 // m/s of the free end at first

static const int resolutions[] = {3, 4, 6, 8};
static const double steps[] = {1.0 / 60, 1.0 / 120, 1.0 / 240};

typedef struct swinger {
    const char *name, *method, *integrator; // NULL: the method's own, explicit
} swinger;

static double exact_period(void) {
    const double pi = 3.14159265358979323846, speed = sqrt(YOUNG / DENSITY);
    double bending = 1.8751 * 1.8751 / (LENGTH * LENGTH) * speed * ACROSS / sqrt(12);
    double shear = pi / (2 * LENGTH) * speed * sqrt(5.0 / 6 / (2 * (1 + POISSON)));
    return 2 * pi * sqrt(1 / (bending * bending) + 1 / (shear * shear));
}

/// One layer of particles in the wall holds the beam half a spacing behind it.
static phx_result create(const swinger* s, int across, double dt, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.threads = 1;
    def.gravity = phxi_vec3(0, 0, 0);
    phx_material_def jelly = phx_material_def_default();
    jelly.young = YOUNG, jelly.poisson = POISSON, jelly.density = DENSITY;
    double a = ACROSS / across;
    char shape[128], region[96], step[32];
    snprintf(shape, sizeof shape, "box(center=(%.9g,0,0),size=(%.9g,%.9g,%.9g))", (LENGTH - a) / 2, LENGTH + a, ACROSS,
             ACROSS);
    snprintf(region, sizeof region, "box(center=(%.9g,0,0),size=(%.9g,1,1))", -a, 2 * a);
    snprintf(step, sizeof step, "%.9g", dt);
    const phx_setting settings[] = {{"integrator", s->integrator}, {"implicit_dt", step}};
    phx_body_def body = phx_body_def_default();
    body.shape = shape;
    body.spacing = a;
    body.method = s->method;
    body.settings = settings;
    body.setting_count = s->integrator ? 2 : 0;
    phx_driver_def pin = phx_driver_def_default();
    pin.kind = PHX_DRIVER_PIN;
    pin.region = region;
    phx_body_id id;
    phx_driver_id driver;
    PHXI_TRY(phx_world_create(&def, world));
    PHXI_TRY(phx_material_create(*world, &jelly, &body.material));
    PHXI_TRY(phx_body_create(*world, &body, &id));
    PHXI_TRY(phx_driver_create(*world, &pin, &driver));
    phxi_particles* p = &(*world)->particles;
    for (int i = 0; i < p->count; ++i) {
        double x = fmax(0, (double)p->x[i] / LENGTH);
        p->vz[i] = (phx_real)(SPEED * x * x * (6 - 4 * x + x * x) / 3); // a beam that its weight bends: nearly the mode
    }
    return PHX_OK;
}

static double height_of_end(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double sum = 0, count = 0;
    for (int i = 0; i < p->count; ++i) {
        if ((double)p->rest_x[i] > LENGTH - 1.01 * (double)p->spacing[i]) {
            sum += (double)p->z[i], count += 1;
        }
    }
    return sum / count;
}

typedef struct outcome {
    double error, speed, dt; // relative; s of the beam a s of a processor; s
    int across, particles;
} outcome;

/// Half a period: until the end comes back to where it began.
static phx_result swing(const swinger* s, int across, double dt, outcome* out) {
    phx_world* world = NULL;
    phx_result result = create(s, across, dt, &world);
    double period = exact_period(), frame = 1.0 / 60, before = 0, time = 0, start = phxi_bench_cpu_clock();
    *out = (outcome){INFINITY, 0, dt, across, result == PHX_OK ? world->particles.count : 0};
    while (result == PHX_OK && time < period) {
        result = phx_world_step(world, frame);
        time += frame;
        double now = result == PHX_OK ? height_of_end(world) : 0;
        if (now < 0 && before > 0) {
            double half = time - frame * now / (now - before);
            out->error = fabs(2 * half / period - 1);
            break;
        }
        before = now;
    }
    out->speed = time / (phxi_bench_cpu_clock() - start);
    phx_world_destroy(world);
    return result;
}

static phx_result find(const swinger* s, outcome* best) {
    *best = (outcome){.error = INFINITY};
    for (size_t r = 0; r < sizeof resolutions / sizeof resolutions[0]; ++r) {
        for (size_t k = 0; k < (s->integrator ? sizeof steps / sizeof steps[0] : 1); ++k) {
            outcome o;
            PHXI_TRY(swing(s, resolutions[r], steps[k], &o));
            *best = o.error < best->error ? o : *best;
            if (o.error <= ERROR) {
                *best = o;
                return PHX_OK;
            }
        }
    }
    return PHX_OK;
}

phx_result phxi_bench_swing(phxi_bench* bench) {
    static const swinger all[] = {
        {"peridynamics bdf2", "peridynamics", "bdf2"},
        {"peridynamics projective", "peridynamics", "projective"},
        {"efg bdf2", "efg", "bdf2"},
        {"efg", "efg", NULL},
        {"corotated_sph", "corotated_sph", NULL},
        {"fem", "fem", NULL},
        {"mpm", "mpm", NULL},
    };
    double first = NAN;
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        outcome o;
        char name[96];
        PHXI_TRY(find(&all[k], &o));
        first = k == 0 ? o.speed : first;
        int length = snprintf(name, sizeof name, "%s, %d across, off %.1f %%", all[k].name, o.across, 100 * o.error);
        if (all[k].integrator && length > 0 && (size_t)length < sizeof name) {
            snprintf(name + length, sizeof name - (size_t)length, ", 1/%.0f s", 1 / o.dt);
        }
        phxi_bench_report(bench, &(phx_bench_line){.name = name,
                                                   .particles = o.particles,
                                                   .threads = 1,
                                                   .unit = "s a cpu s",
                                                   .measured = o.speed,
                                                   .against = all[0].name,
                                                   .reference = first,
                                                   .ratio = o.speed / first,
                                                   .goal = NAN});
    }
    return PHX_OK;
}
