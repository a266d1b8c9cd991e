// SPDX-License-Identifier: MIT
// Implicit steps of element-free Galerkin against docs/theory/implicit_steps.md S1 to S6. The bar is that of S3: 8 n
// cells of length L = 1 m beyond three clamped layers, n across, rho = 1000, nu = 0.3; L runs from the last clamped row
// to the last row.
#include "methods/efg/efg_internal.h"
#include "validate/efg/efg.h"
#include "world/world.h"

#include "core/hash.h"

#include <math.h>
#include <stdio.h>

enum { CLAMP = 3 };
static const double frame = 1.0 / 60;

typedef struct rig {
    phx_world* world;
    phx_body_id body;
} rig;

typedef struct rig_def {
    int cells[3];
    double spacing, young, poisson, damping, gravity;
    const char* integrator;
    int iterations; // 0: the method's own
    double tolerance;
    bool clamped;
} rig_def;

static const phxi_efg_slot* slot_of(const rig* r) {
    return &((const phxi_efg*)r->world->solvers.items[0].state)->slots.items[0];
}

static phx_result add_bar(const rig_def* d, phx_material_id material, rig* r) {
    char shape[256], iterations[16], tolerance[32];
    double a = d->spacing;
    snprintf(shape, sizeof shape, "box(center=(%.17g,0,0), size=(%.17g,%.17g,%.17g))", 0.5 * a * d->cells[0],
             a * d->cells[0], a * d->cells[1], a * d->cells[2]);
    snprintf(iterations, sizeof iterations, "%d", d->iterations);
    snprintf(tolerance, sizeof tolerance, "%g", d->tolerance);
    phx_setting settings[3] = {{"integrator", d->integrator}, {"iterations", iterations}, {"tolerance", tolerance}};
    phx_body_def body = phx_body_def_default();
    body.shape = shape;
    body.spacing = a;
    body.material = material;
    body.settings = settings;
    body.setting_count = 3;
    PHXI_TRY(phx_body_create(r->world, &body, &r->body));
    if (!d->clamped) {
        return PHX_OK;
    }
    char region[128];
    snprintf(region, sizeof region, "plane(point=(%.17g,0,0), normal=(1,0,0))", CLAMP * a);
    phx_driver_def pin = phx_driver_def_default();
    pin.region = region;
    phx_driver_id id;
    return phx_driver_create(r->world, &pin, &id);
}

static phx_result rig_create(phxi_validation* v, const rig_def* d, rig* r) {
    *r = (rig){0};
    phx_world_def world = phx_world_def_default();
    world.gravity = (phx_vec3){0, 0, -d->gravity};
    world.threads = v->threads;
    PHXI_TRY(phx_world_create(&world, &r->world));
    phx_material_def material = phx_material_def_default();
    material.young = d->young;
    material.poisson = d->poisson;
    material.density = 1000;
    material.law = PHX_LAW_COROTATED;
    material.damping = d->damping;
    phx_material_id id;
    phx_result result = phx_material_create(r->world, &material, &id);
    return result == PHX_OK ? add_bar(d, id, r) : result;
}

static rig_def bar_of(int across, double young) {
    return (rig_def){.cells = {8 * across + CLAMP, across, across},
                     .spacing = 1.0 / (8 * across),
                     .young = young,
                     .poisson = 0.3,
                     .integrator = "bdf2",
                     .clamped = true};
}

static phx_result steps(rig* r, int count, double dt) {
    for (int k = 0; k < count; ++k) {
        PHXI_TRY(phx_world_substep(r->world, dt));
    }
    return PHX_OK;
}

/// Mean sag of the last row over Timoshenko's tip.
static double sag_of(const rig* r, const rig_def* d) {
    const phxi_particles* p = &r->world->particles;
    const phx_real* low = p->low[2];
    double last = 0, tip = 0, tips = 0;
    for (int i = 0; i < p->count; ++i) {
        last = fmax(last, (double)p->rest_x[i]);
    }
    for (int i = 0; i < p->count; ++i) {
        if ((double)p->rest_x[i] > last - 0.1 * d->spacing) {
            tip += (double)p->rest_z[i] - (double)p->z[i] - (double)low[i];
            tips += 1;
        }
    }
    double width = d->cells[1] * d->spacing, area = width * width, inertia = area * area / 12;
    double load = 1000 * d->gravity * area, shear = 5.0 / 6 * d->young / (2 * (1 + d->poisson)) * area;
    return tip / tips / (load * (1 / (8 * d->young * inertia) + 0.5 / shear));
}

// ------------------------------------------------------------------------------------------------------------ S2, S3

/// Sag of a bar after so many steps, and the most iterations a solve took.
static phx_result sag(phxi_validation* v, const rig_def* d, int count, double* ratio, int* most) {
    rig r;
    phx_result result = rig_create(v, d, &r);
    *most = 0;
    for (int k = 0; k < count && result == PHX_OK; ++k) {
        result = steps(&r, 1, frame);
        if (result == PHX_OK) {
            const phxi_implicit_report* report = phxi_implicit_last(slot_of(&r)->implicit);
            int each = report->iterations / (report->passes > 0 ? report->passes : 1);
            *most = each > *most ? each : *most;
        }
    }
    if (result == PHX_OK) {
        *ratio = sag_of(&r, d);
    }
    phx_world_destroy(r.world);
    return result;
}

static phx_result iterations_of(phxi_validation* v) {
    static const int across[] = {5, 9, 14};
    for (int k = 0; k < 3; ++k) {
        for (int stiff = 0; stiff < 2; ++stiff) {
            double ratio = NAN;
            int most = 0;
            rig_def d = bar_of(across[k], stiff ? 2e11 : 1e7);
            d.gravity = 1;
            d.iterations = 30;
            d.tolerance = 1e-3;
            PHXI_TRY(sag(v, &d, 6, &ratio, &most));
            char quantity[96];
            snprintf(quantity, sizeof quantity, "most iterations to 1e-3, %d across, E = %s", across[k],
                     stiff ? "2e11" : "1e7");
            phxi_validate(v, quantity, most, 0, stiff ? 22 : 17);
        }
    }
    return PHX_OK;
}

static phx_result sags(phxi_validation* v) {
    static const struct {
        int across;
        double young, exact;
        int steps;
        double damping, gravity;
    } bars[] = {
        {5, 1e7, 0.981, 200, 12, 1}, {5, 2e11, 0.981, 10, 0, 1},     {5, 2e11, 0.981, 10, 0, 9.81},
        {9, 1e7, 0.987, 200, 12, 1}, {9, 2e11, 0.987, 10, 0, 1},     {9, 2e11, 0.987, 10, 0, 9.81},
        {14, 2e11, 0.988, 10, 0, 1}, {14, 2e11, 0.988, 10, 0, 9.81},
    };
    for (size_t k = 0; k < sizeof bars / sizeof bars[0]; ++k) {
        double ratio = NAN;
        int most;
        rig_def d = bar_of(bars[k].across, bars[k].young);
        d.gravity = bars[k].gravity;
        d.damping = bars[k].damping;
        PHXI_TRY(sag(v, &d, bars[k].steps, &ratio, &most));
        char quantity[96];
        snprintf(quantity, sizeof quantity, "tip over Timoshenko, %d across, E = %g, g = %g", bars[k].across,
                 bars[k].young, bars[k].gravity);
        phxi_validate(v, quantity, ratio, bars[k].exact, 0.002);
    }
    return PHX_OK;
}

/// Sag of one bar at rest.
static phx_result sag_by(phxi_validation* v, const char* integrator, double* ratio) {
    rig_def d = bar_of(5, 1e6);
    d.gravity = 1;
    d.damping = 7; // about critical
    d.integrator = integrator;
    rig r;
    phx_result result = rig_create(v, &d, &r);
    if (result == PHX_OK) {
        result = phx_world_step(r.world, 4);
    }
    *ratio = result == PHX_OK ? sag_of(&r, &d) : NAN;
    phx_world_destroy(r.world);
    return result;
}

static phx_result against_explicit(phxi_validation* v) {
    static const char* const implicit[] = {"bdf2", "implicit_euler"};
    double exact = NAN, ratio = NAN;
    PHXI_TRY(sag_by(v, "velocity_verlet", &exact));
    for (int k = 0; k < 2; ++k) {
        PHXI_TRY(sag_by(v, implicit[k], &ratio));
        char quantity[96];
        snprintf(quantity, sizeof quantity, "sag by %s and by velocity_verlet", implicit[k]);
        phxi_validate_relative(v, quantity, ratio, exact, 0.005);
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------ S4

/// Frequency and damping of a bar let go from a small bend, from zero crossings and peaks of the tip.
static phx_result ring(rig* r, const rig_def* d, double* frequency, double* zeta) {
    phxi_particles* p = &r->world->particles;
    double start = (CLAMP - 0.5) * d->spacing;
    for (int i = 0; i < p->count; ++i) {
        double s = fmax(0, (double)p->rest_x[i] - start);
        p->vz[i] = (phx_real)(0.05 * s * s * (3 - s) / 2); // as a tip load bends it
    }
    enum { STEPS = 600 };
    double last = 0, first_time = 0, last_time = 0, peak = 0, peaks[64];
    int crossings = 0, count = 0;
    for (int k = 0; k < STEPS; ++k) {
        PHXI_TRY(phx_world_substep(r->world, frame));
        double now = 0;
        for (int i = 0; i < p->count; ++i) {
            double s = fmax(0, (double)p->rest_x[i] - start);
            now += (double)p->mass[i] * s * s * (3 - s) / 2 * ((double)p->z[i] - (double)p->rest_z[i]);
        }
        if (k > 0 && (now < 0) != (last < 0)) {
            last_time = frame * (k + last / (last - now));
            first_time = crossings == 0 ? last_time : first_time;
            ++crossings;
            if (count < 64) {
                peaks[count++] = peak;
            }
            peak = 0;
        }
        peak = fmax(peak, fabs(now));
        last = now;
    }
    *frequency = (crossings - 1) / (2 * (last_time - first_time));
    // peaks fall between steps; a line through all logarithms evens that out
    double sx = 0, sy = 0, sxx = 0, sxy = 0, n = 0;
    for (int k = 1; k < count; ++k, n += 1) {
        double y = log(peaks[k]);
        sx += k, sy += y, sxx += (double)k * k, sxy += k * y;
    }
    *zeta = -(n * sxy - sx * sy) / (n * sxx - sx * sx) / 3.14159265358979323846;
    return PHX_OK;
}

static phx_result ringing(phxi_validation* v) {
    rig_def d = bar_of(5, 1e7);
    d.iterations = 30;
    d.tolerance = 1e-3;
    rig r;
    double frequency = NAN, zeta = NAN;
    phx_result result = rig_create(v, &d, &r);
    if (result == PHX_OK) {
        result = ring(&r, &d, &frequency, &zeta);
    }
    phx_world_destroy(r.world);
    phxi_validate(v, "frequency of a bar of 5 across, E = 1e7, Hz", frequency, 1.984, 0.005);
    phxi_validate(v, "its damping, of critical", zeta, 0.0021, 0.0003);
    return result;
}

// ------------------------------------------------------------------------------------------------------------ S5

static phx_result spin(phxi_validation* v) {
    static const struct {
        double young, ratio;
        const char* name;
    } blocks[] = {{1e7, 2.29e-4, "E = 1e7"}, {2e11, 1.19e-8, "E = 2e11"}};
    for (int k = 0; k < 2; ++k) {
        rig_def d = {
            .cells = {8, 8, 8}, .spacing = 0.0625, .young = blocks[k].young, .poisson = 0.3, .integrator = "bdf2"};
        rig r;
        phx_totals first = {0}, last = {0};
        phx_result result = rig_create(v, &d, &r);
        if (result == PHX_OK) {
            result = phx_body_set_velocity(r.world, r.body, (phx_vec3){0, 0, 0},
                                           (phx_vec3){10 / sqrt(3), 10 / sqrt(3), 10 / sqrt(3)});
        }
        if (result == PHX_OK) {
            result = phx_world_measure(r.world, &first);
        }
        if (result == PHX_OK) {
            result = steps(&r, 120, frame);
        }
        if (result == PHX_OK) {
            result = phx_world_measure(r.world, &last);
        }
        phx_world_destroy(r.world);
        PHXI_TRY(result);
        char quantity[96];
        snprintf(quantity, sizeof quantity, "angular momentum drift in 120 steps, %s", blocks[k].name);
        phx_vec3 drift = phxi_sub(last.angular_momentum, first.angular_momentum);
        phxi_validate(v, quantity, phxi_length(drift) / phxi_length(first.angular_momentum), 0, 1e-5);
        snprintf(quantity, sizeof quantity, "elastic over kinetic energy, %s", blocks[k].name);
        phxi_validate_relative(v, quantity, last.elastic / last.kinetic, blocks[k].ratio, 0.05);
    }
    return PHX_OK;
}

const phxi_validation_case phxi_cases_efg_implicit[] = {
    {"efg.implicit_iterations", "S2: iterations do not grow with the body", iterations_of},
    {"efg.implicit_sag", "S3: sag of a stiff bar at 60 steps a second", sags},
    {"efg.implicit_explicit", "sag of a damped bar by implicit and explicit steps", against_explicit},
    {"efg.implicit_ringing", "S4: frequency and damping of bdf2", ringing},
    {"efg.implicit_spin", "S5: a spinning stiff block", spin},
    {NULL, NULL, NULL},
};
