// SPDX-License-Identifier: MIT
// Bars that are twisted, and balls that breathe: shear, and curved surfaces that are free all around, of bodies with
// `conforming` samples and nothing but defaults of the methods beside their integrators.
#include "validate/validate.h"

#include "world/world.h"

#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double young = 1e6, rho = 1; // Pa, kg/m^3

typedef struct way {
    const char* method;
    double dt, damping; // s, of steps that know no inertia; 0: explicit ones, which come to rest by damping, 1/s
    const char *integrator, *iterations, *tolerance;
} way;
static const way ways[] = {{"efg", 1e3, 0, "implicit_euler", "2000", "1e-7"},
                           {"elastoplastic_sph", 1e3, 0, "implicit_euler", "3000", "1e-7"},
                           {"corotated_sph", 0, 300, NULL, NULL, NULL},
                           {"peridynamics", 1e3, 0, "implicit_euler", "3000", "1e-8"}};
enum { WAYS = sizeof ways / sizeof ways[0] };

typedef struct thing {
    const way* way;
    const char *shape, *velocity;
    double spacing, poisson;
    const phx_setting* settings;
    int setting_count;
} thing;

static phx_result make(const phxi_validation* v, const thing* t, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.threads = v->threads;
    def.gravity = phxi_vec3(0, 0, 0);
    PHXI_TRY(phx_world_create(&def, world));
    phx_material_def m = phx_material_def_default();
    m.young = young, m.density = rho, m.poisson = t->poisson, m.law = PHX_LAW_COROTATED;
    m.damping = t->velocity ? 0 : t->way->damping;
    phx_body_def body = phx_body_def_default();
    PHXI_TRY(phx_material_create(*world, &m, &body.material));
    body.shape = t->shape;
    body.spacing = t->spacing;
    body.sampling = PHX_SAMPLING_CONFORMING;
    body.velocity_field = t->velocity;
    body.method = t->way->method;
    body.settings = t->settings;
    body.setting_count = t->setting_count;
    phx_body_id id;
    return phx_body_create(*world, &body, &id);
}

// --------------------------------------------------------------------------------------------------------- torsion

/// A face of a bar: held, or turned by an angle in degrees.
static phx_result grip_end(phx_world* world, double x, double angle) {
    char region[64];
    snprintf(region, sizeof region, "box(center=(%g,0,0), size=(2e-3,9,9))", x);
    phx_driver_def def = phx_driver_def_default();
    def.kind = angle != 0 ? PHX_DRIVER_TWIST : PHX_DRIVER_PIN;
    def.region = region, def.angle = angle, def.axis = phxi_vec3(1, 0, 0);
    phx_driver_id id;
    return phx_driver_create(world, &def, &id);
}

/// Energy of a bar between faces that are turned against each other but stay flat, J for an angle of one.
static phx_result energy_of(const phxi_validation* v, const way* w, const char* section, double across, double length,
                            double* energy) {
    enum { STEPS = 3 };
    static const double angle = 0.5, fading = 0.12; // degrees, s
    char shape[160];
    snprintf(shape, sizeof shape, section, length / 2, length);
    const phx_setting settings[] = {
        {"integrator", w->integrator}, {"iterations", w->iterations}, {"tolerance", w->tolerance}};
    thing t = {w, shape, NULL, 1 / across, 0, settings, w->integrator ? 3 : 0};
    phx_world* world = NULL;
    phx_totals totals = {0};
    phx_result result = make(v, &t, &world);
    result = result == PHX_OK ? grip_end(world, 0, 0) : result;
    result = result == PHX_OK ? grip_end(world, length, angle) : result;
    for (int k = 0; k < STEPS && result == PHX_OK && w->dt > 0; ++k) {
        result = phx_world_substep(world, w->dt);
    }
    if (result == PHX_OK && !(w->dt > 0)) {
        result = phx_world_step(world, fading);
    }
    result = result == PHX_OK ? phx_world_measure(world, &totals) : result;
    *energy = totals.elastic / (angle * angle * pi * pi / 180 / 180);
    phx_world_destroy(world);
    return result;
}

/// Faces that stay flat stiffen a bar near its ends; of two lengths that is the same, so the longer one is softer by
/// (L_2 - L_1)/(G J) alone.
static phx_result torsion_of(phxi_validation* v, const char* what, const char* section, double exact,
                             const double bounds[2][WAYS]) {
    for (int k = 0; k < 2; ++k) {
        double across = k ? 8 : 4;
        for (int w = 0; w < WAYS; ++w) {
            double little, much;
            char quantity[128];
            PHXI_TRY(energy_of(v, &ways[w], section, across, 2, &little));
            PHXI_TRY(energy_of(v, &ways[w], section, across, 4, &much));
            snprintf(quantity, sizeof quantity, "%s: torsional stiffness of a %s bar, %g across", ways[w].method, what,
                     across);
            double stiffness = 2 / (1 / (2 * much) - 1 / (2 * little)), shear = young / 2;
            phxi_validate_relative(v, quantity, stiffness / shear, exact, bounds[k][w]);
        }
    }
    return PHX_OK;
}

/// Peridynamics at 4 across: what its bonds do beside the mean deformation is weighed for bending (`hourglass` 0.3),
/// and 0.24 would be right here.
static phx_result torsion(phxi_validation* v) {
    static const double bounds[2][WAYS] = {{0.04, 0.04, 0.11, 0.08}, {0.012, 0.012, 0.015, 0.025}};
    return torsion_of(v, "square", "box(center=(%.17g,0,0), size=(%.17g,1,1))", 0.1405770, bounds);
}

/// Weights that know the area of particles at the surface (theory/efg.md (18a)): without, the irregular layer below it
/// is too soft in shear, and that does not fade with the spacing.
static phx_result round_torsion(phxi_validation* v) {
    static const double bounds[2][WAYS] = {{0.04, 0.04, 0.085, 0.03}, {0.01, 0.01, 0.01, 0.025}};
    return torsion_of(v, "round",
                      "move(offset=(%.17g,0,0), rotate(axis=(0,1,0), angle=90, "
                      "intersection(cylinder(from=(0,0,-9), to=(0,0,9), radius=0.5), box(size=(3,3,%.17g)))))",
                      pi / 32, bounds);
}

// ----------------------------------------------------------------------------------------------------------- balls

/// The first radial mode of a free ball, u = n j_1(k r): tan(kR)/(kR) = 1/(1 - (kR c_p)^2/(4 c_s^2)).
static const double root = 2.6702; // kR for nu = 0.3

static double mode(double r) {
    double z = root * r;
    return z > 1e-3 ? sin(z) / (z * z) - cos(z) / z : z / 3;
}

static double breathed(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double sum = 0;
    for (int i = 0; i < p->count; ++i) {
        phx_vec3 rest = phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]);
        phx_vec3 u = phxi_sub(phxi_particles_place(p, i), rest);
        double r = phxi_length(rest);
        sum += r > 0 ? (double)p->mass[i] * phxi_dot(u, rest) / r * mode(r) : 0;
    }
    return sum;
}

/// Period over the exact one of a ball of radius 1.
static phx_result breathe(const phxi_validation* v, const way* w, double across, double* ratio) {
    enum { STEPS = 200 }; // of half a period
    bool implicit = w->dt > 0 && strcmp(w->method, "peridynamics") == 0;
    const phx_setting settings[] = {{"integrator", implicit ? "bdf2" : "leapfrog"}};
    thing t = {w,
               "sphere(radius=1)",
               "(0.1*x*sin(2.6702*sqrt(x*x+y*y+z*z+1e-6)), 0.1*y*sin(2.6702*sqrt(x*x+y*y+z*z+1e-6)), "
               "0.1*z*sin(2.6702*sqrt(x*x+y*y+z*z+1e-6)))",
               1 / across,
               0.3,
               settings,
               1};
    double expected = 2 * pi / (root * sqrt(young / rho * 0.7 / (1.3 * 0.4))), dt = expected / 2 / STEPS, last = 0;
    phx_world* world = NULL;
    phx_result result = make(v, &t, &world);
    *ratio = 0;
    for (int k = 1; k < 2 * STEPS && result == PHX_OK && !(*ratio > 0); ++k) {
        result = implicit ? phx_world_substep(world, dt) : phx_world_step(world, dt);
        double now = result == PHX_OK ? breathed(world) : 0;
        *ratio = k > STEPS / 2 && now <= 0 && last > 0 ? (k - 1 + last / (last - now)) / STEPS : 0;
        last = now;
    }
    phx_world_destroy(world);
    return result;
}

static phx_result balls(phxi_validation* v) {
    static const double bounds[WAYS] = {0.022, 0.022, 0.03, 0.02};
    for (int w = 0; w < WAYS; ++w) {
        double ratio;
        char quantity[128];
        PHXI_TRY(breathe(v, &ways[w], 8, &ratio));
        snprintf(quantity, sizeof quantity, "%s: frequency of a ball that breathes, 8 spacings a radius",
                 ways[w].method);
        phxi_validate_relative(v, quantity, 1 / ratio, 1, bounds[w]);
    }
    return PHX_OK;
}

const phxi_validation_case phxi_cases_twists[] = {
    {"conforming.torsion", "torsional stiffness of square bars, 4 and 8 across", torsion},
    {"conforming.round_torsion", "torsional stiffness of round bars, 4 and 8 across", round_torsion},
    {"conforming.ball", "frequency of balls that breathe", balls},
    {NULL, NULL, NULL},
};
