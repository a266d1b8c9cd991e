// SPDX-License-Identifier: MIT
// Bodies that fill their shape: bars with `conforming` samples, few particles across and nothing but defaults of the
// methods beside their integrators. Clamps hold the nodes of the end face, tips are those of the other: lengths are
// those of the shapes, to the last bit.
#include "validate/validate.h"

#include "world/world.h"

#include <float.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;
static const double young = 1e6, rho = 1, length = 5; // Pa, kg/m^3, m; bars are 1 m across
static const double thin = 1e-3;                      // m, of the region that catches a face

// They come to rest in steps so long that inertia is nothing.
typedef struct way {
    const char *method, *iterations, *tolerance;
} way;
static const way ways[] = {{"efg", "2000", "1e-6"},
                           {"elastoplastic_sph", "3000", "1e-6"},
                           {"corotated_sph", "3000", "1e-6"},
                           {"peridynamics", "3000", "1e-7"}};
enum { WAYS = sizeof ways / sizeof ways[0], SETTLING = 4 };
static const double long_step = 1e3; // s

typedef struct bar {
    const char* shape; // from x = 0 on
    double length, across, poisson, gravity;
} bar;

/// Mean height of the particles at x > from, m.
static double height(const phx_world* world, double from) {
    const phxi_particles* p = &world->particles;
    double sum = 0, mass = 0;
    for (int i = 0; i < p->count; ++i) {
        if ((double)p->rest_x[i] > from) {
            sum += (double)p->mass[i] * ((double)p->z[i] + (double)p->low[2][i]);
            mass += (double)p->mass[i];
        }
    }
    return sum / mass;
}

static phx_result make(const phxi_validation* v, const way* w, const bar* b, phx_world** world) {
    phx_world_def def = phx_world_def_default();
    def.threads = v->threads;
    def.gravity = phxi_vec3(0, 0, -b->gravity);
    PHXI_TRY(phx_world_create(&def, world));
    phx_material_def m = phx_material_def_default();
    m.young = young, m.density = rho, m.poisson = b->poisson, m.law = PHX_LAW_COROTATED;
    const phx_setting settings[] = {
        {"integrator", "implicit_euler"}, {"iterations", w->iterations}, {"tolerance", w->tolerance}};
    phx_body_def body = phx_body_def_default();
    PHXI_TRY(phx_material_create(*world, &m, &body.material));
    body.shape = b->shape;
    body.spacing = 1 / b->across;
    body.sampling = PHX_SAMPLING_CONFORMING;
    body.method = w->method;
    body.settings = settings;
    body.setting_count = 3;
    phx_body_id id;
    PHXI_TRY(phx_body_create(*world, &body, &id));
    char region[64];
    snprintf(region, sizeof region, "box(size=(%g,99,99))", 2 * thin);
    phx_driver_def pin = phx_driver_def_default();
    pin.region = region;
    phx_driver_id driver;
    return phx_driver_create(*world, &pin, &driver);
}

/// How far the end face sinks under the weight of the bar, m.
static phx_result sag(const phxi_validation* v, const way* w, const bar* b, int steps, double* sunk) {
    phx_world* world = NULL;
    phx_result result = make(v, w, b, &world);
    double before = result == PHX_OK ? height(world, b->length - thin) : 0;
    for (int k = 0; k < steps && result == PHX_OK; ++k) {
        result = phx_world_substep(world, long_step);
    }
    if (result == PHX_OK) {
        *sunk = before - height(world, b->length - thin);
    }
    phx_world_destroy(world);
    return result;
}

/// Timoshenko's beam: deflection of the tip under its own weight; k is Cowper's shear coefficient.
static double timoshenko(const bar* b, double area, double inertia, double k) {
    double q = rho * b->gravity * area, l = b->length, shear = k * area * young / (2 * (1 + b->poisson));
    return q * l * l * l * l / (8 * young * inertia) + q * l * l / (2 * shear);
}

static phx_result sags(phxi_validation* v, const char* what, const bar* b, double exact, const double bounds[WAYS]) {
    for (int k = 0; k < WAYS; ++k) {
        double sunk;
        char quantity[128];
        PHXI_TRY(sag(v, &ways[k], b, SETTLING, &sunk));
        snprintf(quantity, sizeof quantity, "%s: %s, %g across", ways[k].method, what, b->across);
        phxi_validate_relative(v, quantity, sunk, exact, bounds[k]);
    }
    return PHX_OK;
}

/// A full clamp is stiffer than that of a beam where Poisson's ratio is not 0: finite elements converge to 0.983 of
/// Timoshenko's value (fem of this program at 4, 8 and 16 across, extrapolated; CalculiX gives 0.980).
static phx_result cantilever(phxi_validation* v) {
    static const double bounds[2][WAYS] = {{0.02, 0.02, 0.02, 0.033}, {0.007, 0.007, 0.01, 0.015}};
    for (int k = 0; k < 2; ++k) {
        bar b = {"box(center=(2.5,0,0), size=(5,1,1))", length, k ? 8 : 4, 0.3, 0.05};
        double exact = 0.983 * timoshenko(&b, 1, 1.0 / 12, 13.0 / 15.3); // 10 (1 + nu)/(12 + 11 nu)
        PHXI_TRY(sags(v, "sag of the tip", &b, exact, bounds[k]));
    }
    return PHX_OK;
}

static phx_result cylinder(phxi_validation* v) {
    static const double bounds[2][WAYS] = {{0.035, 0.035, 0.06, 0.075}, {0.01, 0.01, 0.01, 0.04}};
    for (int k = 0; k < 2; ++k) {
        bar b = {"cylinder(from=(0,0,0), to=(5,0,0), radius=0.5)", length, k ? 8 : 4, 0, 0.05};
        double exact = timoshenko(&b, pi / 4, pi / 64, 6.0 / 7);
        PHXI_TRY(sags(v, "sag of a round bar", &b, exact, bounds[k]));
    }
    return PHX_OK;
}

/// Sections that do not fit the lattice: edges that are nowhere along it (a shape that is turned as a whole would be
/// sampled before that), and widths that are no whole number of spacings.
static phx_result sections(phxi_validation* v) {
    static const double turned[2][WAYS] = {{0.02, 0.02, 0.035, 0.04}, {0.01, 0.01, 0.015, 0.03}};
    static const double odd[WAYS] = {0.02, 0.02, 0.03, 0.035};
    const double across[] = {4, 8, 4.5, 5.5, 8.5};
    bar b = {"intersection(rotate(axis=(1,0,0), angle=30, box(center=(2.5,0,0), size=(5,1,1))), all())", length, 4, 0,
             0.05};
    for (int k = 0; k < 5; ++k) {
        b.across = across[k];
        b.shape = k < 2 ? b.shape : "rotate(axis=(1,0,0), angle=90, box(center=(2.5,0,0), size=(5,1,1)))";
        PHXI_TRY(sags(v, k < 2 ? "sag of a turned bar" : "sag of a bar", &b, timoshenko(&b, 1, 1.0 / 12, 5.0 / 6),
                      k < 2 ? turned[k] : odd));
    }
    return PHX_OK;
}

/// Clamped slopes y'' of a beam that its own weight bends far, by Runge and Kutta: rate of turning at the tip.
static double shoot(double load, double start, double* sunk) {
    enum { STEPS = 4000 };
    const double h = 1.0 / STEPS;
    double angle = 0, rate = start;
    *sunk = 0;
    for (int i = 0; i < STEPS; ++i) {
        double s = i * h, a[4], r[4], at = angle, now = rate;
        for (int k = 0; k < 4; ++k) {
            double part = k == 0 ? 0 : k == 3 ? h : h / 2;
            at = angle + (k ? part * a[k - 1] : 0), now = rate + (k ? part * r[k - 1] : 0);
            a[k] = now, r[k] = -load * (1 - s - part) * cos(at);
        }
        *sunk += h * (sin(angle) + 4 * sin(angle + h / 2 * a[1]) + sin(angle + h * a[2])) / 6;
        angle += h * (a[0] + 2 * a[1] + 2 * a[2] + a[3]) / 6;
        rate += h * (r[0] + 2 * r[1] + 2 * r[2] + r[3]) / 6;
    }
    return rate;
}

static double elastica_sag(double load) {
    double low = 0, high = load, sunk = 0;
    for (int k = 0; k < 50; ++k) {
        double middle = (low + high) / 2;
        *(shoot(load, middle, &sunk) > 0 ? &high : &low) = middle;
    }
    return sunk;
}

/// Slender bars, 20 times as long as wide, under rho g A L^3/EI = load.
static phx_result elastica_of(phxi_validation* v, double across, double load, const double bounds[WAYS]) {
    bar b = {"box(center=(10,0,0), size=(20,1,1))", 20, across, 0, load * young / (12 * rho * 8000)};
    for (int k = 0; k < WAYS; ++k) {
        double sunk;
        char quantity[128];
        PHXI_TRY(sag(v, &ways[k], &b, 12, &sunk));
        snprintf(quantity, sizeof quantity, "%s: sag over length under %g EI/L^3, %g across", ways[k].method, load,
                 across);
        phxi_validate_relative(v, quantity, sunk / b.length, elastica_sag(load), bounds[k]);
    }
    return PHX_OK;
}

static phx_result elastica(phxi_validation* v) {
    static const double bounds[WAYS] = {0.01, 0.01, 0.01, 0.035};
    return elastica_of(v, 4, 1, bounds);
}

phx_result phxi_validate_conforming_elastica_full(phxi_validation* v) {
    static const double far[WAYS] = {0.01, 0.01, 0.01, 0.035}, fine[WAYS] = {0.007, 0.007, 0.01, 0.012};
    PHXI_TRY(elastica_of(v, 4, 10, far));
    return elastica_of(v, 8, 1, fine);
}

const phxi_validation_case phxi_cases_conforming[] = {
    {"conforming.cantilever", "sag of bars under their own weight by default options, 4 and 8 across", cantilever},
    {"conforming.cylinder", "sag of round bars, 4 and 8 across", cylinder},
    {"conforming.sections", "sag of bars that are turned, or no whole number of spacings wide", sections},
    {"conforming.elastica", "slender bars that their own weight bends far, 4 across", elastica},
    {NULL, NULL, NULL},
};
