// SPDX-License-Identifier: MIT
// Static states, docs/theory/statics.md: cantilevers against beam theory and against a damped run, and what rests on
// something.
#include "validate/validate.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

/// A bar of 1 m along x and 0.1 m across, held at x = 0, with a force at the other end.
typedef struct bar {
    const char *method, *integrator;
    double young, damping;
    double force, gravity; // N down, m/s^2 down
    double across;         // spacings of conforming samples; 0: 4 of others
} bar;

static const double side = 0.1, density = 1000;

static phx_result add_driver(phx_world* world, int kind, const char* region, phx_vec3 vector) {
    phx_driver_def def = phx_driver_def_default();
    def.name = region;
    def.kind = kind;
    def.region = region;
    def.vector = vector;
    phx_driver_id id;
    return phx_driver_create(world, &def, &id);
}

static phx_result make(const phxi_validation* v, const bar* b, phx_world** world) {
    phx_world_def wd = phx_world_def_default();
    wd.gravity = (phx_vec3){0, 0, -b->gravity};
    wd.threads = v->threads;
    PHXI_TRY(phx_world_create(&wd, world));
    phx_material_def material = phx_material_def_default();
    material.young = b->young;
    material.poisson = 0;
    material.density = density;
    material.damping = b->damping;
    phx_material_id id;
    PHXI_TRY(phx_material_create(*world, &material, &id));
    const phx_setting setting = {"integrator", b->integrator};
    phx_body_def def = phx_body_def_default();
    def.shape = "box(center=(0.5,0,0), size=(1,0.1,0.1))";
    def.spacing = side / (b->across > 0 ? b->across : 4);
    def.sampling = b->across > 0 ? PHX_SAMPLING_CONFORMING : PHX_SAMPLING_VERTICES;
    def.material = id;
    def.method = b->method;
    def.settings = &setting;
    def.setting_count = b->integrator != NULL;
    phx_body_id body;
    PHXI_TRY(phx_body_create(*world, &def, &body));
    PHXI_TRY(add_driver(*world, PHX_DRIVER_PIN, "box(center=(0,0,0), size=(0.002,1,1))", (phx_vec3){0, 0, 0}));
    return b->force == 0 ? PHX_OK
                         : add_driver(*world, PHX_DRIVER_FORCE, "box(center=(1,0,0), size=(0.002,1,1))",
                                      (phx_vec3){0, 0, -b->force});
}

/// How far the loaded end has gone down, m.
static double tip(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < p->count; ++i) {
        if ((double)p->rest_x[i] > 0.999) {
            sum += (double)p->rest_z[i] - (double)p->z[i];
            ++count;
        }
    }
    return sum / count;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static phx_result rest(const phxi_validation* v, const bar* b, double* sag, phx_static_report* report, double* clock) {
    phx_world* world = NULL;
    phx_static_def def = phx_static_def_default();
    phx_result result = make(v, b, &world);
    double start = now();
    if (result == PHX_OK) {
        result = phx_world_static(world, &def, report);
    }
    *clock = now() - start;
    *sag = result == PHX_OK ? tip(world) : NAN;
    phx_world_destroy(world);
    return result;
}

// ----------------------------------------------------------------------------------------------------------------
// beams

/// Of theta'' = -k cos theta over 0 to 1 with theta(0) = 0: theta'(1), and the sag.
static double shoot(double k, double curvature, double* sag) {
    enum { STEPS = 2000 };
    double theta = 0, rate = curvature, h = 1.0 / STEPS;
    *sag = 0;
    for (int i = 0; i < STEPS; ++i) {
        double middle = theta + h / 2 * rate, half = rate - h / 2 * k * cos(theta);
        *sag += h * sin(middle);
        theta += h * half;
        rate -= h * k * cos(middle);
    }
    return rate;
}

/// Sag over length of the elastica under a force F at its end, k = F L^2 / (E I).
static double elastica(double k) {
    double low = 0, high = 2 * k, sag = 0;
    for (int i = 0; i < 60; ++i) {
        double middle = (low + high) / 2;
        *(shoot(k, middle, &sag) < 0 ? &low : &high) = middle;
    }
    return sag;
}

static phx_result beams(phxi_validation* v) {
    static const char* const kinds[][2] = {{"elastoplastic_sph", NULL},
                                           {"corotated_sph", NULL},
                                           {"corotated_sph", "bdf2"},
                                           {"efg", NULL},
                                           {"efg", "bdf2"},
                                           {"fem", NULL}};
    static const double ks[] = {0.01, 1, 10};
    for (size_t m = 0; m < sizeof kinds / sizeof kinds[0]; ++m) {
        double stiff[3] = {0}, soft[3] = {0}, unused;
        for (int k = 0; k < 6; ++k) {
            double young = k < 3 ? 1e7 : 2e11, bending = young * pow(side, 4) / 12;
            bar b = {kinds[m][0], kinds[m][1], young, 0, ks[k % 3] * bending, 0, 0};
            phx_static_report report;
            PHXI_TRY(rest(v, &b, &(k < 3 ? soft : stiff)[k % 3], &report, &unused));
        }
        for (int k = 0; k < 3; ++k) {
            // of slender beams; shear adds 0.6 % at small loads
            char quantity[120];
            const char* how = kinds[m][1] ? kinds[m][1] : "as it is";
            snprintf(quantity, sizeof quantity, "%s (%s), 4 across, F L^2/(E I) = %g: sag, m", kinds[m][0], how, ks[k]);
            phxi_validate_relative(v, quantity, soft[k], elastica(ks[k]), 0.06);
            snprintf(quantity, sizeof quantity, "%s (%s), the same at 2e11 Pa", kinds[m][0], how);
            phxi_validate_relative(v, quantity, stiff[k], soft[k], 1e-3);
        }
    }
    return PHX_OK;
}

/// The same for a beam of this width and nu 0 that stretches and shears, too (Reissner 1972): the clamp begins at
/// `rate`, where the load hangs theta' is left.
static double shoot_thick(double k, double rate, double* sag) {
    enum { STEPS = 4000 };
    const double axial = 12 / (side * side), shear = 5.0 / 12 * axial, h = 1.0 / STEPS; // E A, k G A over E I
    double theta = 0;
    *sag = 0;
    for (int i = 0; i < STEPS; ++i) {
        double at = theta + h / 2 * rate, sine = sin(at), cosine = cos(at);
        double along = 1 + k * sine / axial, across = k * cosine / shear;
        *sag += h * (along * sine + across * cosine);
        double turning = -k * (along * cosine - across * sine);
        theta += h * (rate + h / 2 * turning);
        rate += h * turning;
    }
    return rate;
}

static double thick_elastica(double k) {
    double low = 0, high = 2 * k, sag = 0;
    for (int i = 0; i < 60; ++i) {
        double middle = (low + high) / 2;
        *(shoot_thick(k, middle, &sag) < 0 ? &low : &high) = middle;
    }
    return sag;
}

static phx_result thick(phxi_validation* v) {
    static const char* const methods[] = {"efg", "elastoplastic_sph", "corotated_sph", "peridynamics"};
    static const double ks[] = {1, 10};
    for (int m = 0; m < 4; ++m) {
        for (int k = 0; k < 4; ++k) {
            bar b = {methods[m],   m == 3 ? "implicit_euler" : NULL, 1e7, 0, ks[k % 2] * 1e7 * pow(side, 4) / 12, 0,
                     k < 2 ? 4 : 8};
            phx_static_report report;
            char quantity[120];
            double sag, unused;
            PHXI_TRY(rest(v, &b, &sag, &report, &unused));
            snprintf(quantity, sizeof quantity, "%s, %g across, F L^2/(E I) = %g: sag, m", methods[m], b.across,
                     ks[k % 2]);
            phxi_validate_relative(v, quantity, sag, thick_elastica(ks[k % 2]), m == 3 && k < 2 ? 0.015 : 0.01);
        }
    }
    return PHX_OK;
}

/// Under its weight: the static state, and where a damped run ends.
static phx_result damped(phxi_validation* v) {
    static const char* const methods[] = {"elastoplastic_sph", "corotated_sph", "fem"};
    for (int m = 0; m < 3; ++m) {
        bar b = {methods[m], "velocity_verlet", 2e7, 40, 0, 9.81, 0};
        double sag, clock, start;
        phx_static_report report;
        PHXI_TRY(rest(v, &b, &sag, &report, &clock));
        phx_world* world = NULL;
        phx_result result = make(v, &b, &world);
        start = now();
        for (int k = 0; k < 40 && result == PHX_OK; ++k) {
            result = phx_world_step(world, 0.05);
        }
        double run = now() - start, end = result == PHX_OK ? tip(world) : NAN;
        phx_world_destroy(world);
        PHXI_TRY(result);
        char quantity[120];
        snprintf(quantity, sizeof quantity, "%s: sag of the static state over that of a damped run", methods[m]);
        phxi_validate(v, quantity, sag / end, 1, 1e-3);
        snprintf(quantity, sizeof quantity, "%s: its time over that of 2 s of the run, 0 to 0.1", methods[m]);
        phxi_validate(v, quantity, clock / run, 0.05, 0.05);
    }
    return PHX_OK;
}

/// A column along x that is pushed at its end by half of what buckles it, or weighs half of it: what it bears, over
/// Euler's pi^2 E I/(4 L^2), and over 7.837 E I/L^2 (Greenhill). Shear takes 0.5 % off, and of a heavy one up to 1.5 %.
static phx_result buckling(phxi_validation* v) {
    static const struct {
        const char* method;
        double across;
        bool heavy;
    } columns[] = {{"efg", 4, false},
                   {"efg", 8, false},
                   {"elastoplastic_sph", 4, false},
                   {"elastoplastic_sph", 8, false},
                   {"corotated_sph", 4, false},
                   {"corotated_sph", 8, false},
                   {"corotated_sph", 4, true},
                   {"fem", 8, false},
                   {"fem", 8, true}};
    for (size_t k = 0; k < sizeof columns / sizeof *columns; ++k) {
        bool weight = columns[k].heavy;
        double young = 1e7, bending = young * pow(side, 4) / 12;
        bar b = {columns[k].method, NULL, young, 0, 0, 0, columns[k].across};
        phx_world* world = NULL;
        phx_static_def def = phx_static_def_default();
        phx_static_report report = {0};
        def.buckling = true;
        phx_result result = make(v, &b, &world);
        if (result == PHX_OK && weight) {
            world->def.gravity = (phx_vec3){-7.8373 * bending / (density * side * side) / 2, 0, 0};
        } else if (result == PHX_OK) {
            phx_driver_def push = phx_driver_def_default();
            phx_driver_id id;
            push.kind = PHX_DRIVER_TRACTION;
            push.face = "+x";
            push.region = "box(center=(1,0,0), size=(0.002,1,1))";
            push.vector = (phx_vec3){-2.4674 * bending / (side * side) / 2, 0, 0};
            result = phx_driver_create(world, &push, &id);
        }
        result = result == PHX_OK ? phx_world_static(world, &def, &report) : result;
        phx_world_destroy(world);
        PHXI_TRY(result);
        char quantity[120];
        snprintf(quantity, sizeof quantity, "%s, %g across: column that buckles under %s, times the load", b.method,
                 b.across, weight ? "its weight" : "a push");
        phxi_validate_relative(v, quantity, report.buckling, 2, 0.02);
    }
    return PHX_OK;
}

const phxi_validation_case phxi_cases_statics[] = {
    {"statics.beams", "static states of cantilevers against the elastica, soft and of steel", beams},
    {"statics.thick", "the same against beams that stretch and shear, 4 and 8 across", thick},
    {"statics.buckling", "columns against Euler and Greenhill", buckling},
    {"statics.damped", "a static state is where a damped run ends, in a tenth of its time", damped},
    {NULL, NULL, NULL},
};
