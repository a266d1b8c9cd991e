// SPDX-License-Identifier: MIT
// Conduction against series, conservation, melting fronts (docs/theory/melting.md H1 to H4).
#include "validate/heat/trial.h"

#include "neighbors/kernel.h"

#include <stdio.h>

enum { ACROSS = 7 }; // cells of a period across: more than twice the reach of 3

static const double PI = 3.14159265358979323846;

// ------------------------------------------------------------------------------------------------------ insulated slab

typedef struct slab_def {
    int cells;
    double reach, jitter, noise;
} slab_def;

/// A slab from x = 0 to 1 that goes on across, without ends there.
static phx_result make_slab(phxi_validation* v, const slab_def* def, const phx_material_def* material,
                            phxi_heat_trial* t) {
    PHXI_TRY(phxi_heat_trial_create(v, t));
    double a = 1.0 / def->cells;
    int across = def->reach > 3 ? ACROSS + 1 : ACROSS;
    t->period = (phx_vec3){0, across * a, across * a};
    phxi_heat_box box = {.cells = {def->cells, across, across},
                         .spacing = a,
                         .reach = def->reach,
                         .jitter = def->jitter,
                         .noise = def->noise};
    return phxi_heat_trial_add(t, &box, material);
}

static double cosine(double x, double y, const void* context) {
    (void)y;
    return *(const double*)context * cos(PI * x);
}

static void set_cosine(phxi_heat_trial* t) {
    for (int i = 0; i < t->particles.count; ++i) {
        phxi_heat_trial_set(t, i, cos(PI * (double)t->particles.x[i]));
    }
}

static phx_result run_slab(phxi_validation* v, const slab_def* def, double* error) {
    phxi_heat_trial t;
    phx_material_def unit = phxi_heat_trial_unit();
    phx_result result = make_slab(v, def, &unit, &t);
    if (result == PHX_OK) {
        set_cosine(&t);
        result = phxi_heat_trial_run(&t, 0.1);
    }
    double decay = exp(-PI * PI * 0.1);
    *error = result == PHX_OK ? phxi_heat_trial_error(&t, cosine, &decay) : 0;
    phxi_heat_trial_destroy(&t);
    return result;
}

static phx_result insulated(phxi_validation* v) {
    static const struct {
        slab_def slab;
        double bound;
        const char* name;
    } slabs[] = {
        {{20, 3, 0, 0}, 0.01, "20 particles"},
        {{40, 3, 0, 0}, 0.005, "40 particles"},
        {{20, 3.6, 0, 0}, 0.01, "20 particles, h = 1.2 spacings"},
        {{20, 3, 0.2, 0}, 0.04, "20 particles, jitter 0.2"},
    };
    for (size_t k = 0; k < sizeof slabs / sizeof slabs[0]; ++k) {
        double error;
        char quantity[96];
        PHXI_TRY(run_slab(v, &slabs[k].slab, &error));
        snprintf(quantity, sizeof quantity, "L2 error of an insulated slab, %s", slabs[k].name);
        phxi_validate(v, quantity, error, 0, slabs[k].bound);
    }
    return PHX_OK;
}

// -------------------------------------------------------------------------------------------------------------- energy

/// sum m c |T|, J.
static double gross(const phxi_heat_trial* t) {
    double sum = 0;
    for (int i = 0; i < t->particles.count; ++i) {
        sum += (double)t->particles.mass[i] * t->bodies[t->particles.body[i]].law.capacity *
               fabs((double)t->particles.temperature[i]);
    }
    return sum;
}

/// One step of dt with the factor of the source text, (m_j / rho_j) 4 rho_i / (rho_i + rho_j), which is not symmetric.
static void step_as_written(phxi_heat_trial* t, double dt, double* rate) {
    const phxi_particles* p = &t->particles;
    for (int k = 0; k < t->near.count; ++k) {
        int i = t->near.particle[k];
        double own = (double)p->mass[i] / (double)p->volume[i];
        rate[i] = 0;
        for (int64_t n = t->near.lists.start[k]; n < t->near.lists.start[k + 1]; ++n) {
            int j = t->near.particle[t->near.lists.items[n]];
            phx_vec3 x = phxi_near_delta(&t->near, k, t->near.lists.items[n]);
            double r = phxi_length(x), h = (double)t->near.reach[k], other = (double)p->mass[j] / (double)p->volume[j];
            double pull = phxi_kernel_slope(PHXI_KERNEL_QUINTIC, r, h) * r / (r * r + 0.01 / 9 * h * h);
            rate[i] += (double)p->volume[j] * 4 * own / (own + other) *
                       ((double)p->temperature[i] - (double)p->temperature[j]) * pull;
        }
    }
    for (int i = 0; i < p->count; ++i) {
        phxi_heat_trial_set(t, i, (double)p->temperature[i] + dt * rate[i]);
    }
}

static phx_result drift_as_written(phxi_heat_trial* t, double* drift) {
    double* rate;
    PHXI_NEW(rate, t->v->heap, t->particles.count, "heat case");
    set_cosine(t);
    double before = phxi_heat_trial_energy(t), all = gross(t), dt = 0.1 / (20 * 20);
    for (int n = 0; n < 200; ++n) {
        step_as_written(t, dt, rate);
    }
    *drift = fabs(phxi_heat_trial_energy(t) - before) / all;
    phxi_free(t->v->heap, rate);
    return PHX_OK;
}

static phx_result measure_energy(phxi_validation* v, phxi_heat_trial* t) {
    set_cosine(t);
    double before = phxi_heat_trial_energy(t), all = gross(t), drift = 0;
    for (int n = 0; n < 20; ++n) {
        PHXI_TRY(phxi_heat_trial_run(t, 0.005));
        drift = fmax(drift, fabs(phxi_heat_trial_energy(t) - before) / all);
    }
    phxi_validate(v, "change of thermal energy over sum m c |T|", drift, 0, 1e-13);
    PHXI_TRY(drift_as_written(t, &drift));
    // a negative: as far off as the prototype's 1.5e-3, within a factor of ten
    phxi_validate(v, "the same with the source's factor, log10", log10(drift), log10(1.5e-3), 1);
    return PHX_OK;
}

static phx_result energy(phxi_validation* v) {
    phxi_heat_trial t;
    phx_material_def unit = phxi_heat_trial_unit();
    slab_def def = {20, 3, 0.2, 0.1};
    phx_result result = make_slab(v, &def, &unit, &t);
    if (result == PHX_OK) {
        result = measure_energy(v, &t);
    }
    phxi_heat_trial_destroy(&t);
    return result;
}

// ---------------------------------------------------------------------------------------------------- fixed
// temperatures

double phxi_heat_quenched(double x, double time) {
    double sum = 0;
    for (int n = 1; n < 100; n += 2) {
        sum += 4 / (PI * n) * sin(n * PI * x) * exp(-n * n * PI * PI * time);
    }
    return sum;
}

static double quenched(double x, double y, const void* context) {
    (void)y;
    return phxi_heat_quenched(x, *(const double*)context);
}

typedef enum wall_kind { MIRROR, HALFWAY, PLAIN } wall_kind;

static phx_result add_walls(phxi_heat_trial* t, int cells, wall_kind kind) {
    double a = 1.0 / cells;
    phx_material_def steady = phxi_heat_trial_unit();
    steady.heat_capacity *= kind == PLAIN ? 1e12 : 1; // keeps its temperature, but is no mirror
    phxi_heat_box wall = {.cells = {3, ACROSS, ACROSS},
                          .spacing = a,
                          .x = -3 * a,
                          .reach = 3,
                          .thermal = kind == PLAIN ? PHX_THERMAL_CONDUCTS : PHX_THERMAL_FIXED,
                          .mirror = kind == MIRROR};
    PHXI_TRY(phxi_heat_trial_add(t, &wall, &steady));
    wall.x = 1;
    return phxi_heat_trial_add(t, &wall, &steady);
}

static phx_result run_quench(phxi_heat_trial* t, int cells, wall_kind kind, double* error) {
    PHXI_TRY(add_walls(t, cells, kind));
    for (int i = 0; i < t->particles.count; ++i) {
        phxi_heat_trial_set(t, i, i < t->ranges[0].count ? 1 : 0);
    }
    double time = 0.05, before = phxi_heat_trial_energy(t);
    PHXI_TRY(phxi_heat_trial_run(t, time));
    *error = phxi_heat_trial_error(t, quenched, &time);
    if (kind == MIRROR) {
        double lost = phxi_heat_trial_energy(t) - before;
        phxi_validate_relative(t->v, "heat from fixed walls, counted over lost", t->gain.fixed, lost, 1e-10);
    }
    return PHX_OK;
}

static phx_result quench(phxi_validation* v, int cells, wall_kind kind, double* error) {
    phxi_heat_trial t;
    phx_material_def unit = phxi_heat_trial_unit();
    slab_def def = {.cells = cells, .reach = 3};
    phx_result result = make_slab(v, &def, &unit, &t);
    if (result == PHX_OK) {
        result = run_quench(&t, cells, kind, error);
    }
    phxi_heat_trial_destroy(&t);
    return result;
}

static phx_result fixed(phxi_validation* v) {
    double error;
    PHXI_TRY(quench(v, 20, MIRROR, &error));
    phxi_validate(v, "L2 error between mirror walls, 20 particles", error, 0, 0.015);
    PHXI_TRY(quench(v, 40, MIRROR, &error));
    phxi_validate(v, "L2 error between mirror walls, 40 particles", error, 0, 0.0068);
    PHXI_TRY(quench(v, 20, HALFWAY, &error));
    phxi_validate(v, "L2 error between fixed bodies without normals", error, 0, 0.04);
    PHXI_TRY(quench(v, 20, PLAIN, &error));
    phxi_validate(v, "L2 error of plain wall particles, as measured before", error, 0.107, 0.02);
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------- melting
// front

/// lambda exp(lambda^2) erf(lambda) = Ste / sqrt(pi), by bisection.
static double front_number(double stefan) {
    double low = 0, high = 5;
    for (int n = 0; n < 200; ++n) {
        double middle = 0.5 * (low + high);
        bool above = middle * exp(middle * middle) * erf(middle) > stefan / sqrt(PI);
        *(above ? &high : &low) = middle;
    }
    return low;
}

/// Molten length: the molten share of all particles, which is what the latent heat taken up says.
static double molten(const phxi_heat_trial* t) {
    const phxi_heat_law* law = &t->bodies[0].law;
    double sum = 0;
    for (int i = 0; i < t->ranges[0].count; ++i) {
        double share = (phxi_enthalpy_get(&t->particles, i) - law->solid) / (law->liquid - law->solid);
        sum += fmin(1, fmax(0, share));
    }
    return sum / t->ranges[0].count;
}

/// A slab at its melting point (0, solidus) against a wall at 1: the front is at s = 2 lambda sqrt(t).
static phx_result run_front(phxi_heat_trial* t, int cells, double stefan, double* error) {
    PHXI_TRY(add_walls(t, cells, MIRROR));
    for (int i = 0; i < t->particles.count; ++i) {
        phxi_heat_trial_set(t, i, t->particles.body[i] == 1 ? 1 : 0);
    }
    t->bodies[2].thermal = PHX_THERMAL_INSULATED;
    double lambda = front_number(stefan), way = 0.3, time = way * way / (4 * lambda * lambda);
    PHXI_TRY(phxi_heat_trial_run(t, time));
    *error = molten(t) / way - 1;
    return PHX_OK;
}

static phx_result front(phxi_validation* v, int cells, double stefan, double* error) {
    phxi_heat_trial t;
    phx_material_def melting = phxi_heat_trial_unit();
    // melts over a thousandth of the temperature step; the one-phase solution has it at one temperature
    melting.solidus = 0;
    melting.liquidus = 0.001;
    melting.latent_heat = melting.heat_capacity / stefan;
    slab_def def = {.cells = cells, .reach = 3};
    phx_result result = make_slab(v, &def, &melting, &t);
    if (result == PHX_OK) {
        result = run_front(&t, cells, stefan, error);
    }
    phxi_heat_trial_destroy(&t);
    return result;
}

static phx_result fronts(phxi_validation* v, const int* cells, const double* bounds, int count) {
    static const double numbers[3] = {0.1, 0.5, 1};
    for (int k = 0; k < 3; ++k) {
        for (int n = 0; n < count; ++n) {
            double error;
            char quantity[96];
            PHXI_TRY(front(v, cells[n], numbers[k], &error));
            snprintf(quantity, sizeof quantity, "melting front, Ste %g, %d particles, relative", numbers[k], cells[n]);
            phxi_validate(v, quantity, error, 0, bounds[n]);
        }
    }
    return PHX_OK;
}

static phx_result stefan(phxi_validation* v) {
    return fronts(v, (const int[]){20, 40}, (const double[]){0.1, 0.05}, 2);
}

phx_result phxi_validate_heat_stefan_full(phxi_validation* v) {
    return fronts(v, (const int[]){20, 40, 80}, (const double[]){0.1, 0.05, 0.025}, 3);
}

const phxi_validation_case phxi_cases_heat[] = {
    {"heat.insulated", "a cosine decays in an insulated slab", insulated},
    {"heat.energy", "heat is conserved where density and order are not", energy},
    {"heat.fixed", "a slab between walls of fixed temperature, against its series", fixed},
    {"heat.stefan", "a melting front moves with the square root of time", stefan},
    {NULL, NULL, NULL},
};
