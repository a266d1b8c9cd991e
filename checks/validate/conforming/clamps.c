// SPDX-License-Identifier: MIT
// Clamps that hold a block of a body, not just a face: bars with `conforming` samples, held from x = 0 to beyond their
// end. The bar is as long as it would be with a face clamped at x = 0.
#include "validate/validate.h"

#include "world/world.h"

#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double young = 1e6, rho = 1, length = 5; // Pa, kg/m^3, m; bars are 1 m across

typedef struct way {
    const char* method;
    bool explicit_steps; // else implicit ones
    double still;        // s, of an implicit step that knows no inertia
    const char *iterations, *tolerance;
} way;
static const way ways[] = {{"efg", false, 1e3, "2000", "1e-6"},
                           {"elastoplastic_sph", false, 1e3, "3000", "1e-6"},
                           {"corotated_sph", true, 0, NULL, NULL},
                           {"peridynamics", false, 1e3, "3000", "1e-7"}};
enum { WAYS = sizeof ways / sizeof ways[0] };

typedef struct trial {
    const way* way;
    const char *shape, *hold, *velocity; // what the body is, where it is held, formulas in m/s
    double across, poisson, damping;
    phx_vec3 gravity;
    const char* integrator; // NULL: the method's own
} trial;

static phx_result make(const phxi_validation* v, const trial* t, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.threads = v->threads;
    def.gravity = t->gravity;
    PHXI_TRY(phx_world_create(&def, world));
    phx_material_def m = phx_material_def_default();
    m.young = young, m.density = rho, m.poisson = t->poisson, m.damping = t->damping, m.law = PHX_LAW_COROTATED;
    const phx_setting settings[] = {
        {"integrator", t->integrator}, {"iterations", t->way->iterations}, {"tolerance", t->way->tolerance}};
    phx_body_def body = phx_body_def_default();
    PHXI_TRY(phx_material_create(*world, &m, &body.material));
    body.shape = t->shape;
    body.spacing = 1 / t->across;
    body.sampling = PHX_SAMPLING_CONFORMING;
    body.clamp = t->hold;
    body.velocity_field = t->velocity;
    body.method = t->way->method;
    body.settings = settings;
    body.setting_count = !t->integrator ? 0 : t->way->explicit_steps ? 1 : 3;
    phx_body_id id;
    PHXI_TRY(phx_body_create(*world, &body, &id));
    phx_driver_def pin = phx_driver_def_default();
    pin.region = t->hold;
    phx_driver_id driver;
    return phx_driver_create(*world, &pin, &driver);
}

// ----------------------------------------------------------------------------------------------------- cantilevers

static double height(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double sum = 0, mass = 0;
    for (int i = 0; i < p->count; ++i) {
        if ((double)p->rest_x[i] > length - 1e-3) {
            sum += (double)p->mass[i] * ((double)p->z[i] + (double)p->low[2][i]);
            mass += (double)p->mass[i];
        }
    }
    return sum / mass;
}

/// How far the end sinks of a bar that is held where x < 0, m.
static phx_result sag(const phxi_validation* v, const trial* t, double* sunk) {
    enum { SETTLING = 4 };
    static const double fading = 0.6; // s
    phx_world* world = NULL;
    phx_result result = make(v, t, &world);
    double before = result == PHX_OK ? height(world) : 0;
    for (int k = 0; k < SETTLING && result == PHX_OK && !t->way->explicit_steps; ++k) {
        result = phx_world_substep(world, t->way->still);
    }
    if (result == PHX_OK && t->way->explicit_steps) {
        result = phx_world_step(world, fading);
    }
    *sunk = result == PHX_OK ? before - height(world) : 0;
    phx_world_destroy(world);
    return result;
}

/// The sag of conforming.cantilever, to the same bounds: three layers more, all of them held; and where the clamp ends
/// half way between two planes of the lattice.
static phx_result cantilever(phxi_validation* v) {
    static const double bounds[2][WAYS] = {{0.02, 0.02, 0.02, 0.033}, {0.007, 0.007, 0.01, 0.015}};
    static const double behind[] = {3, 3, 3.45}; // layers
    double shear = 13.0 / 15.3 * young / 2.6, g = 0.05;
    double exact = 0.983 * rho * g * (pow(length, 4) / (8 * young / 12) + length * length / (2 * shear));
    for (int k = 0; k < 3; ++k) {
        double across = k == 1 ? 8 : 4, more = behind[k] / across;
        char shape[96], quantity[128];
        snprintf(shape, sizeof shape, "box(center=(%.17g,0,0), size=(%.17g,1,1))", (length - more) / 2, length + more);
        for (int w = 0; w < WAYS; ++w) {
            trial t = {&ways[w],
                       shape,
                       "box(center=(-5,0,0), size=(10,9,9))",
                       NULL,
                       across,
                       0.3,
                       ways[w].explicit_steps ? 60 : 0,
                       {0, 0, -g},
                       ways[w].explicit_steps ? NULL : "implicit_euler"};
            double sunk;
            PHXI_TRY(sag(v, &t, &sunk));
            snprintf(quantity, sizeof quantity, "%s: sag of a bar that is held %g layers deep, %g across",
                     ways[w].method, behind[k], across);
            phxi_validate_relative(v, quantity, sunk, exact, bounds[k % 2][w]);
        }
    }
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------- periods

/// How much of the first mode there is: sum m u sin(pi X / 2 L).
static double stretched(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double sum = 0;
    for (int i = 0; i < p->count; ++i) {
        double x = (double)p->rest_x[i], u = (double)p->x[i] + (double)p->low[0][i] - x;
        sum += x > 0 ? (double)p->mass[i] * u * sin(pi * x / (2 * length)) : 0;
    }
    return sum;
}

/// Twice the time after which it is back where it began, s.
static phx_result period(const phxi_validation* v, const trial* t, double expected, double* found) {
    enum { STEPS = 400 }; // of half a period
    phx_world* world = NULL;
    phx_result result = make(v, t, &world);
    double last = 0, dt = expected / 2 / STEPS;
    *found = 0;
    for (int k = 1; k < 2 * STEPS && result == PHX_OK && !(*found > 0); ++k) {
        result = t->way->explicit_steps || !t->integrator ? phx_world_step(world, dt) : phx_world_substep(world, dt);
        double now = result == PHX_OK ? stretched(world) : 0;
        if (k > STEPS / 2 && now <= 0 && last > 0) {
            *found = 2 * dt * (k - 1 + last / (last - now));
        }
        last = now;
    }
    phx_world_destroy(world);
    return result;
}

/// A bar that swings along itself, held where it goes on for two metres more. The exact answer is one for nu = 0.
static phx_result swing(phxi_validation* v) {
    static const double bounds[2][WAYS] = {{0.004, 0.004, 0.01, 0.004}, {0.002, 0.002, 0.005, 0.002}};
    double exact = 4 * length / sqrt(young / rho);
    for (int k = 0; k < 2; ++k) {
        for (int w = 0; w < WAYS; ++w) {
            bool small_steps = strcmp(ways[w].method, "peridynamics") == 0;
            trial t = {&ways[w],
                       "box(center=(1.5,0,0), size=(7,1,1))",
                       "box(center=(-5,0,0), size=(10,9,9))",
                       "(0.1*sin(pi*x/10), 0, 0)",
                       k ? 8 : 4,
                       0,
                       0,
                       {0, 0, 0},
                       small_steps              ? "bdf2"
                       : ways[w].explicit_steps ? NULL
                                                : "velocity_verlet"};
            way here = ways[w];
            here.explicit_steps = !small_steps;
            t.way = &here;
            double found;
            char quantity[128];
            PHXI_TRY(period(v, &t, exact, &found));
            snprintf(quantity, sizeof quantity, "%s: period along a bar amid a longer block, %g across", ways[w].method,
                     t.across);
            phxi_validate_relative(v, quantity, found, exact, bounds[k][w]);
        }
    }
    return PHX_OK;
}

const phxi_validation_case phxi_cases_clamps[] = {
    {"clamps.cantilever", "sag of bars that are held three layers deep", cantilever},
    {"clamps.period", "period along a bar that is held amid a longer block", swing},
    {NULL, NULL, NULL},
};
