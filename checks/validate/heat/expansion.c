// SPDX-License-Identifier: MIT
// Thermal expansion, docs/theory/materials.md section 8: bars that are free, held at both ends, warmer on one side, of
// two halves that expand differently, and one that yields where it is held.
#include "validate/validate.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Half of a bar, from x = 0 to `length`, mirrored at x = 0; a `straight` one is a quarter of that, mirrored at y = 0
/// and z = 0 as well. E = 1e6 Pa.
typedef struct bar {
    const char *method, *integrator;
    double length, thick; // m
    int across;           // spacings of its thickness
    const char* warmth;   // formula of the temperature it starts with, from 0 degrees C
    bool straight, held;  // held: at x = length, along x
    double yield;         // stress over Young's modulus; 0: elastic
} bar;

static const double expansion = 1e-5, young = 1e6;

static bool has_statics(const bar* b) {
    bool projective = strcmp(b->method, "peridynamics") == 0 && !b->integrator;
    return strcmp(b->method, "corotated_sph") != 0 && strcmp(b->method, "mpm") != 0 && b->yield == 0 && !projective;
}

static phx_result add_driver(phx_world* world, int kind, const char* name, const char* region, const char* axes) {
    phx_driver_def def = phx_driver_def_default();
    def.name = name;
    def.kind = kind;
    def.region = region;
    def.axes = axes;
    phx_driver_id id;
    return phx_driver_create(world, &def, &id);
}

static phx_result hold(phx_world* world, const bar* b) {
    char region[192];
    if (b->held) {
        snprintf(region, sizeof region, "box(center=(%.17g,0,0), size=(%.17g,9,9))", b->length,
                 0.02 * b->thick / b->across);
        PHXI_TRY(add_driver(world, PHX_DRIVER_PIN, "end", region, "x"));
    }
    if (!b->straight) { // it bends away from the middle of its middle
        double near = 0.2 * b->thick / b->across;
        snprintf(region, sizeof region, "box(center=(0,0,0), size=(%.17g,%.17g,%.17g))", near, near, near);
        PHXI_TRY(add_driver(world, PHX_DRIVER_PIN, "middle", region, "y z"));
    }
    return PHX_OK;
}

static phx_result make(const phxi_validation* v, const bar* b, phx_world** world) {
    phx_world_def wd = phx_world_def_default();
    wd.gravity = (phx_vec3){0, 0, 0};
    wd.threads = v->threads;
    PHXI_TRY(phx_world_create(&wd, world));
    phx_material_def m = phx_material_def_default();
    m.young = young;
    m.poisson = 0.3;
    m.density = 1000;
    m.expansion = expansion;
    m.damping = has_statics(b) ? 0 : 12;      // about critical for bending
    m.yield = b->yield * sqrt(2.0 / 3) * 1.3; // a stress over sqrt(6) G
    m.law = b->yield > 0 ? PHX_LAW_HENCKY : PHX_LAW_STVK;
    m.plasticity = PHX_PLASTICITY_HENCKY;
    phx_material_id material;
    PHXI_TRY(phx_material_create(*world, &m, &material));
    char shape[192];
    const double wide = b->straight ? b->thick / 2 : b->thick;
    snprintf(shape, sizeof shape, "box(center=(%.17g,%.17g,%.17g), size=(%.17g,%.17g,%.17g))", b->length / 2,
             b->straight ? b->thick / 4 : 0, b->straight ? b->thick / 4 : 0, b->length, wide, wide);
    const phx_setting setting = {"integrator", b->integrator};
    phx_body_def def = phx_body_def_default();
    def.shape = shape;
    def.spacing = b->thick / b->across;
    def.material = material;
    def.method = b->method;
    def.sampling = strcmp(b->method, "fem") == 0 ? PHX_SAMPLING_VERTICES : PHX_SAMPLING_CONFORMING;
    def.settings = &setting;
    def.setting_count = b->integrator != NULL;
    def.temperature = 0;
    def.temperature_field = b->warmth;
    def.symmetry = b->straight ? "x y z" : "x";
    phx_body_id body;
    PHXI_TRY(phx_body_create(*world, &def, &body));
    return hold(*world, b);
}

static phx_result settle(phx_world* world, const bar* b) {
    phx_static_def def = phx_static_def_default();
    phx_result result = PHX_OK;
    if (has_statics(b)) {
        return phx_world_static(world, &def, NULL);
    }
    for (int k = 0; k < 40 && result == PHX_OK; ++k) {
        result = phx_world_step(world, 0.05);
    }
    return result;
}

static double displacement(const phxi_particles* p, int i, int axis) {
    const phx_real *const x[3] = {p->x, p->y, p->z}, *const rest[3] = {p->rest_x, p->rest_y, p->rest_z};
    double low = p->low[axis] ? (double)p->low[axis][i] : 0;
    return (double)x[axis][i] - (double)rest[axis][i] + low;
}

/// du_x/dx of the whole bar, by least squares.
static double strain_of(const phx_world* world) {
    const phxi_particles* p = &world->particles;
    double mean = 0, up = 0, down = 0;
    for (int i = 0; i < p->count; ++i) {
        mean += (double)p->rest_x[i] / p->count;
    }
    for (int i = 0; i < p->count; ++i) {
        double s = (double)p->rest_x[i] - mean;
        up += s * displacement(p, i, 0);
        down += s * s;
    }
    return up / down;
}

/// c of u_z = a + b s + c s^2 / 2 by least squares, s = x, away from the ends.
static double curvature_of(const phx_world* world, const bar* b) {
    const phxi_particles* p = &world->particles;
    double m[3][4] = {{0}};
    for (int i = 0; i < p->count; ++i) {
        double s = (double)p->rest_x[i], row[4] = {1, s, s * s / 2, displacement(p, i, 2)};
        for (int k = 0; k < 12 && s > 0.1 * b->length && s < 0.7 * b->length; ++k) {
            m[k / 4][k % 4] += row[k / 4] * row[k % 4];
        }
    }
    for (int k = 0; k < 3; ++k) { // Gauss and Jordan
        for (int row = 0; row < 3; ++row) {
            double by = row == k ? 0 : m[row][k] / m[k][k];
            for (int n = 0; n < 4; ++n) {
                m[row][n] -= by * m[k][n];
            }
        }
    }
    return m[2][3] / m[2][2];
}

static phx_result run(const phxi_validation* v, const bar* b, phx_world** world) {
    phx_result result = make(v, b, world);
    return result == PHX_OK ? settle(*world, b) : result;
}

static const char* name_of(const bar* b, char text[64]) {
    snprintf(text, 64, "%s%s%s", b->method, b->integrator ? " " : "", b->integrator ? b->integrator : "");
    return text;
}

static const char* const methods[][2] = {
    {"efg", "velocity_verlet"},        {"efg", "bdf2"}, {"elastoplastic_sph", NULL},
    {"corotated_sph", NULL},           {"fem", NULL},   {"peridynamics", NULL},
    {"peridynamics", "implicit_euler"}};
enum { METHODS = sizeof methods / sizeof methods[0] };

/// Warmed by 100 K: longer by exp(expansion dT), and no stress.
static phx_result grow(phxi_validation* v) {
    const double exact = expm1(expansion * 100);
    for (int k = 0; k < METHODS; ++k) {
        bar b = {.method = methods[k][0],
                 .integrator = methods[k][1],
                 .length = 0.5,
                 .thick = 0.2,
                 .across = 8,
                 .warmth = "100",
                 .straight = true};
        phx_world* world = NULL;
        phx_totals totals = {0};
        char quantity[160], name[64];
        phx_result result = run(v, &b, &world);
        result = result == PHX_OK ? phx_world_measure(world, &totals) : result;
        double slope = result == PHX_OK ? strain_of(world) : NAN;
        phx_world_destroy(world);
        PHXI_TRY(result);
        snprintf(quantity, sizeof quantity, "%s: strain of a free bar", name_of(&b, name));
        phxi_validate(v, quantity, slope, exact, 1e-5 * exact);
        snprintf(quantity, sizeof quantity, "%s: its stress over E dT expansion", name);
        phxi_validate(v, quantity, totals.max_stress / (young * exact), 0, 2e-3); // some still swing
    }
    return PHX_OK;
}

/// What the end presses with, N.
static double push_of(const phx_world* world) {
    double push = 0;
    for (int d = 0; d < world->drivers.count; ++d) {
        const phxi_driver* driver = &world->drivers.items[d];
        for (int i = 0; strcmp(driver->name, "end") == 0 && i < driver->group.count; ++i) {
            push -= (double)driver->reactions[3 * i];
        }
    }
    return push;
}

/// Held at both ends, free across: -E expansion dT A.
static phx_result press(phxi_validation* v) {
    const double warmth = 20, exact = young * expansion * warmth * 0.01; // a quarter of 0.2 x 0.2 m^2
    for (int k = 0; k < METHODS; ++k) {
        bar b = {.method = methods[k][0],
                 .integrator = methods[k][1],
                 .length = 0.5,
                 .thick = 0.2,
                 .across = 8,
                 .warmth = "20",
                 .straight = true,
                 .held = true};
        phx_world* world = NULL;
        char quantity[160], name[64];
        phx_result result = run(v, &b, &world);
        double push = result == PHX_OK ? push_of(world) : NAN;
        phx_world_destroy(world);
        PHXI_TRY(result);
        snprintf(quantity, sizeof quantity, "%s: push of a held bar, N", name_of(&b, name));
        // its forces at corners give way, which shows in a bar as short as this
        phxi_validate_relative(v, quantity, push, exact, strcmp(b.method, "corotated_sph") == 0 ? 0.015 : 1e-3);
    }
    return PHX_OK;
}

/// Warmer above than below: bent by expansion dT/dz where that is even, by 3/2 expansion dT / thickness where the upper
/// half is dT warmer, as two metals of the same stiffness are (Timoshenko).
static phx_result bend(phxi_validation* v) {
    for (int n = 0; n < 4 * METHODS; ++n) {
        int k = n / 4;
        bool whole = strcmp(methods[k][0], "fem") == 0 || strcmp(methods[k][0], "peridynamics") == 0;
        if (strcmp(methods[k][0], "peridynamics") == 0 && !methods[k][1]) {
            continue; // its projective steps take long to get there; these are the same forces
        }
        bool two = n % 2;
        bar b = {.method = methods[k][0],
                 .integrator = methods[k][1],
                 .length = 1,
                 .thick = 0.2,
                 .across = n / 2 % 2 ? 8 : 4,
                 .warmth = two ? "25*(1 + sign(z))" : "250*z"};
        double exact = two ? 1.5 * expansion * 50 / b.thick : expansion * 250;
        phx_world* world = NULL;
        char quantity[160], name[64];
        phx_result result = run(v, &b, &world);
        double curvature = result == PHX_OK ? -curvature_of(world, &b) : NAN;
        phx_world_destroy(world);
        PHXI_TRY(result);
        snprintf(quantity, sizeof quantity, "%s, %d across: curvature of a bar %s, 1/m", name_of(&b, name), b.across,
                 two ? "of two metals" : "warmer above");
        double bound = b.across == 4 ? 0.06 : 0.02;
        // a jump of temperature is a ramp two spacings wide to elements, which takes 4/3 / across^2, and wider to bonds
        bound = two && whole ? (strcmp(b.method, "fem") == 0 ? 1 : 1.7) * 1.45 / (b.across * b.across) : bound;
        phxi_validate_relative(v, quantity, curvature, exact, bound);
    }
    return PHX_OK;
}

/// Held at both ends and warmed by 100 K, where it yields, then cooled to where it was: what it has flowed by is left
/// as tension, E expansion dT less the yield stress.
static phx_result flow(phxi_validation* v) {
    static const char* const kinds[] = {"efg", "elastoplastic_sph", "peridynamics"};
    const double limit = 0.6e-3, exact[2] = {young * limit * 0.01, young * (1e-3 - limit) * 0.01};
    for (int k = 0; k < 3; ++k) {
        bar b = {.method = kinds[k],
                 .length = 0.5,
                 .thick = 0.2,
                 .across = 8,
                 .warmth = "0",
                 .straight = true,
                 .held = true,
                 .yield = limit};
        phx_world* world = NULL;
        phx_result result = make(v, &b, &world);
        for (int n = 0; n < 2 && result == PHX_OK; ++n) {
            phx_driver_def warm = phx_driver_def_default();
            phx_driver_id id;
            warm.name = n == 0 ? "warm" : "cool";
            warm.kind = PHX_DRIVER_HOLD_TEMPERATURE;
            warm.temperature = n == 0 ? 100 : 0;
            warm.start = n == 0 ? 0 : 1.5, warm.end = n == 0 ? 1.5 : INFINITY, warm.ramp = 0.5;
            result = phx_driver_create(world, &warm, &id);
        }
        for (int n = 0; n < 2; ++n) {
            for (int m = 0; m < 30 && result == PHX_OK; ++m) {
                result = phx_world_step(world, 0.05);
            }
            char quantity[160];
            snprintf(quantity, sizeof quantity, "%s: %s of a held bar that has yielded, N", b.method,
                     n == 0 ? "push" : "pull");
            phxi_validate_relative(v, quantity, result == PHX_OK ? (n == 0 ? 1 : -1) * push_of(world) : NAN, exact[n],
                                   0.02);
        }
        phx_world_destroy(world);
        PHXI_TRY(result);
    }
    return PHX_OK;
}

const phxi_validation_case phxi_cases_expansion[] = {
    {"expansion.free", "a free bar that is warmed grows without stress", grow},
    {"expansion.held", "a held bar that is warmed presses", press},
    {"expansion.flow", "a held bar that is warmed until it yields, and cooled", flow},
    {"expansion.bend", "bars that are warmer above, or of two metals", bend},
    {NULL, NULL, NULL},
};
