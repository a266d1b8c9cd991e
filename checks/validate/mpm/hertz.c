// SPDX-License-Identifier: MIT
// Two equal elastic balls meet head on, slowly: Hertz's theory has their whole history. With m, R and E / (1 - nu^2)
// halved for a pair and v the relative speed, the approach d of their centres obeys
//     m d'' = -(4/3) E sqrt(R) d^(3/2)
// for tau = 2.868 (m^2 / (R E^2 v))^(1/5), up to (15 m v^2 / (16 sqrt(R) E))^(2/5), and they part as they came. A
// quarter of one ball between three planes of symmetry is both: nodes of the plane between them have one velocity.
#include "validate/mpm/trial.h"

#include <math.h>
#include <stdio.h>

#define RADIUS  1.0
#define DENSITY 1000.0
#define YOUNG   1e6
#define POISSON 0.3
#define DEEPEST 0.2 // approach of both over the radius

typedef struct hertz {
    double mass, radius, modulus, speed; // of the pair, as above
    double depth, time;                  // largest approach, duration
} hertz;

static hertz hertz_pair(void) {
    hertz z = {DENSITY * 4.18879020478639 * RADIUS * RADIUS * RADIUS / 2,
               RADIUS / 2,
               YOUNG / (2 * (1 - POISSON * POISSON)),
               0,
               DEEPEST * RADIUS,
               0};
    z.speed = sqrt(16.0 / 15 * pow(z.depth, 2.5) * sqrt(z.radius) * z.modulus / z.mass);
    z.time = 2.868 * pow(z.mass * z.mass / (z.radius * z.modulus * z.modulus * z.speed), 0.2);
    return z;
}

/// Relative speed over that before, at a time from the deepest state; 1 before, -1 after.
static double hertz_speed(const hertz* z, double time) {
    enum { STEPS = 4000 };
    const double stiffness = 4.0 / 3 * z->modulus * sqrt(z->radius) / z->mass, dt = fabs(time) / STEPS;
    double d = z->depth, v = 0;
    for (int k = 0; k < STEPS && d > 0; ++k) { // midpoints, from the deepest state on
        const double half = d + 0.5 * dt * v;
        v -= dt * stiffness * pow(fmax(half, 0), 1.5);
        d = half + 0.5 * dt * v;
    }
    return (time < 0 ? -v : v) / z->speed;
}

enum { LOOKS = 120 };
typedef struct history {
    double speed[LOOKS + 1]; // of the centre, over that before
    double deepest;          // approach of both, m
    double every, turned;    // s between looks; when the centre stands
    double least, strain;    // kinetic and strain energy over what it was: least, most
} history;

static double centre_of(const phxi_particles* p, double* speed) {
    double z = 0, v = 0, mass = 0;
    for (int i = 0; i < p->count; ++i) {
        mass += (double)p->mass[i];
        z += (double)p->mass[i] * (double)p->z[i];
        v += (double)p->mass[i] * (double)p->vz[i];
    }
    *speed = v / mass;
    return z / mass;
}

/// The ball comes from three cells before the plane.
static phx_result make_ball(phxi_validation* v, double h, const char* transfer, double speed, phx_world** world) {
    const phx_setting settings[] = {{"transfer", transfer}, {"blend", "1"}, {"boundary", "mirror"}};
    phx_material_def rubber = phx_material_def_default();
    char shape[160];
    rubber.young = YOUNG, rubber.poisson = POISSON, rubber.density = DENSITY, rubber.law = PHX_LAW_NEO_HOOKEAN;
    PHXI_TRY(phxi_mpm_trial_world(v, world));
    PHXI_TRY(phxi_mpm_trial_plane(*world, phxi_vec3(0, 0, 0), phxi_vec3(1, 0, 0)));
    PHXI_TRY(phxi_mpm_trial_plane(*world, phxi_vec3(0, 0, 0), phxi_vec3(0, 1, 0)));
    PHXI_TRY(phxi_mpm_trial_plane(*world, phxi_vec3(0, 0, 0), phxi_vec3(0, 0, 1)));
    snprintf(shape, sizeof shape, "intersection(sphere(center=(0,0,%.17g),radius=1),box(center=(2,2,2),size=(4,4,8)))",
             RADIUS + 3 * h);
    PHXI_TRY(phxi_mpm_trial_body(*world, &rubber, shape, 0.5 * h, settings, 3));
    for (int i = 0; i < (*world)->particles.count; ++i) {
        (*world)->particles.vz[i] = (phx_real)-speed;
    }
    return PHX_OK;
}

static phx_result meet(phxi_validation* v, double h, const char* transfer, const hertz* z, history* found) {
    phx_world* world = NULL;
    phx_totals t = {0};
    double start = 1, lowest = INFINITY, lift = 0, last = -1;
    *found = (history){.least = INFINITY, .every = (6 * h / (0.5 * z->speed) + 1.2 * z->time) / LOOKS};
    phx_result result = make_ball(v, h, transfer, 0.5 * z->speed, &world);
    for (int k = 0; k <= LOOKS && result == PHX_OK; ++k) {
        result = k > 0 ? phx_world_step(world, found->every) : PHX_OK;
        result = result == PHX_OK ? phx_world_measure(world, &t) : result;
        if (result == PHX_OK) {
            double speed, centre = centre_of(&world->particles, &speed);
            speed /= 0.5 * z->speed;
            start = k == 0 ? t.kinetic : start;
            lift = k == 0 ? centre - RADIUS - 3 * h : lift; // of the lattice's centre over the ball's
            found->turned = last < 0 && speed >= 0 ? (k - speed / (speed - last)) * found->every : found->turned;
            found->speed[k] = last = speed;
            lowest = fmin(lowest, centre);
            found->least = fmin(found->least, t.kinetic / start);
            found->strain = fmax(found->strain, t.elastic / start);
        }
    }
    found->deepest = 2 * (RADIUS + lift - lowest);
    phx_world_destroy(world);
    return result;
}

/// Time from 0.8 of the speed before to 0.8 of it back.
static double between(const history* found, double share) {
    double from = NAN, to = NAN;
    for (int k = 1; k <= LOOKS; ++k) {
        const double a = found->speed[k - 1], b = found->speed[k];
        from = a < -share && b >= -share ? (k - 1 + (-share - a) / (b - a)) * found->every : from;
        to = a < share && b >= share && isnan(to) ? (k - 1 + (share - a) / (b - a)) * found->every : to;
    }
    return to - from;
}

typedef struct hertz_bounds {
    double time, depth, momentum, speed, strain;
} hertz_bounds;

static phx_result spheres(phxi_validation* v, const char* transfer, double h, const hertz_bounds* bounds) {
    const hertz z = hertz_pair();
    history found;
    PHXI_TRY(meet(v, h, transfer, &z, &found));
    double sum = 0, low = 0, high = z.time;
    int count = 0;
    for (int k = 0; k <= LOOKS; ++k) {
        const double off = found.speed[k] + hertz_speed(&z, k * found.every - found.turned);
        sum += off * off;
        ++count;
    }
    for (int k = 0; k < 40; ++k) {
        double middle = 0.5 * (low + high);
        *(hertz_speed(&z, middle) > -0.8 ? &low : &high) = middle;
    }
    char quantity[128];
#define SAY(what) snprintf(quantity, sizeof quantity, what ", %s, %g cells a radius", transfer, 1 / h);
    SAY("time from 0.8 of the speed to 0.8 back, over Hertz's")
    phxi_validate(v, quantity, between(&found, 0.8) / (2 * low), 1, bounds->time);
    const double before = (3 * h / (0.5 * z.speed) + 0.5 * z.time - found.turned) * 0.5 * z.speed; // m
    SAY("they feel each other so many cells before they touch")
    phxi_validate(v, quantity, before / h, 0.9, 0.2);
    SAY("largest approach from there on, over Hertz's")
    phxi_validate(v, quantity, (found.deepest + 2 * before) / z.depth, 1, bounds->depth);
    SAY("momentum over that before, rms of the difference to Hertz's")
    phxi_validate(v, quantity, sqrt(sum / count), 0, bounds->momentum);
    SAY("speed after over that before")
    phxi_validate(v, quantity, found.speed[LOOKS], 1, bounds->speed);
    SAY("least kinetic energy over that before")
    phxi_validate(v, quantity, found.least, 0, 0.005);
    SAY("largest strain energy over it")
    phxi_validate(v, quantity, found.strain, 1, bounds->strain);
#undef SAY
    return PHX_OK;
}

static phx_result quick(phxi_validation* v) {
    PHXI_TRY(spheres(v, "flip", 1.0 / 8, &(hertz_bounds){0.15, 0.08, 0.03, 0.02, 0.02}));
    return spheres(v, "apic", 1.0 / 8, &(hertz_bounds){0.2, 0.1, 0.06, 0.07, 0.07});
}

static phx_result full(phxi_validation* v) {
    PHXI_TRY(spheres(v, "flip", 1.0 / 16, &(hertz_bounds){0.03, 0.02, 0.01, 0.01, 0.01}));
    return spheres(v, "apic", 1.0 / 16, &(hertz_bounds){0.03, 0.05, 0.025, 0.03, 0.03});
}

const phxi_validation_case phxi_cases_mpm_hertz[] = {
    {"mpm.hertz", "two elastic balls meet and part as Hertz says", quick},
    {"mpm.hertz_full", "the same with cells half as large", full},
    {NULL, NULL, NULL},
};
