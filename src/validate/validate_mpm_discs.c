// SPDX-License-Identifier: MIT
// Two elastic discs meet (Sulsky, Chen and Schreyer 1994): E = 1000 Pa, nu = 0.3, rho = 1000 kg/m^3, radius 0.2 m,
// centres at -+(0.3, 0.3) m, +-(0.1, 0.1) m/s, in plane strain between planes of symmetry. Rims meet after (0.6 sqrt2 -
// 0.4) / (0.2 sqrt2) = 1.586 s, earlier by what cells see of each other; kinetic energy goes to strain and comes back.
#include "validate/mpm_trial.h"

#include <math.h>
#include <stdio.h>

enum { LOOKS = 100 };
#define EVERY 0.03

typedef struct history {
    double touch;              // s, when a hundredth of the kinetic energy is gone
    double least, when;        // of the kinetic energy over that at the start, s
    double left, rise;         // energy at 3 s; largest energy; over that at the start
    double drift;              // momentum over the sum of sizes
    double kinetic[LOOKS + 1]; // over that at the start
} history;

static phx_result make_discs(phxi_validation* v, double h, const char* transfer, phx_world** world) {
    const phx_setting settings[] = {{"transfer", transfer}, {"blend", "1"}, {"boundary", "mirror"}};
    phx_material_def rubber = phx_material_def_default();
    rubber.young = 1000, rubber.law = PHX_LAW_NEO_HOOKEAN;
    PHXI_TRY(phxi_mpm_trial_world(v, world));
    PHXI_TRY(phxi_mpm_trial_plane(*world, phxi_vec3(0, 0, 0), phxi_vec3(0, 0, 1)));
    PHXI_TRY(phxi_mpm_trial_plane(*world, phxi_vec3(0, 0, 2 * h), phxi_vec3(0, 0, -1)));
    for (int side = -1; side <= 1; side += 2) {
        char shape[128];
        snprintf(shape, sizeof shape, "cylinder(from=(%g,%g,0), to=(%g,%g,%.17g), radius=0.2)", 0.3 * side, 0.3 * side,
                 0.3 * side, 0.3 * side, 2 * h);
        PHXI_TRY(phxi_mpm_trial_body(*world, &rubber, shape, 0.5 * h, settings, 3));
    }
    phxi_particles* p = &(*world)->particles;
    for (int i = 0; i < p->count; ++i) {
        p->vx[i] = p->vy[i] = (phx_real)(p->body[i] == 0 ? 0.1 : -0.1);
    }
    return PHX_OK;
}

static void look(const phx_world* world, const phx_totals* t, double start, int k, history* found) {
    const phxi_particles* p = &world->particles;
    phx_vec3 sum = {0, 0, 0};
    double size = 0, share = t->kinetic / start;
    for (int i = 0; i < p->count; ++i) {
        double m = (double)p->mass[i];
        sum = phxi_add(sum, phxi_vec3(m * (double)p->vx[i], m * (double)p->vy[i], m * (double)p->vz[i]));
        size += m * 0.1 * sqrt(2);
    }
    found->kinetic[k] = share;
    found->drift = fmax(found->drift, phxi_length(sum) / size);
    found->rise = fmax(found->rise, (t->kinetic + t->elastic) / start);
    found->touch = share < 0.99 && found->touch == 0 ? k * EVERY : found->touch;
    found->when = share < found->least ? k * EVERY : found->when;
    found->least = fmin(found->least, share);
    found->left = (t->kinetic + t->elastic) / start;
}

static phx_result collide(phxi_validation* v, double h, const char* transfer, history* found) {
    phx_world* world = NULL;
    phx_totals t = {0};
    double start = 1;
    *found = (history){.least = INFINITY};
    phx_result result = make_discs(v, h, transfer, &world);
    for (int k = 0; k <= LOOKS && result == PHX_OK; ++k) {
        result = k > 0 ? phx_world_step(world, EVERY) : PHX_OK;
        result = result == PHX_OK ? phx_world_measure(world, &t) : result;
        start = k == 0 ? t.kinetic : start;
        if (result == PHX_OK) {
            look(world, &t, start, k, found);
        }
    }
    phx_world_destroy(world);
    return result;
}

static phx_result discs(phxi_validation* v) {
    static const struct {
        const char* transfer;
        double left; // of the energy, at least
    } rows[] = {{"flip", 0.88}, {"apic", 0.75}};
    for (int n = 0; n < 2; ++n) {
        history coarse, fine;
        PHXI_TRY(collide(v, 0.05, rows[n].transfer, &coarse));
        PHXI_TRY(collide(v, 0.025, rows[n].transfer, &fine));
        char quantity[96];
#define SAY(what) snprintf(quantity, sizeof quantity, what ", %s", rows[n].transfer);
        SAY("discs see each other before their rims meet, cells of 0.05 m")
        phxi_validate(v, quantity, (1.5858 - coarse.touch) * 0.2 * sqrt(2) / 0.05, 1.5, 1);
        SAY("the same, cells of 0.025 m")
        phxi_validate(v, quantity, (1.5858 - fine.touch) * 0.2 * sqrt(2) / 0.025, 1.5, 1);
        SAY("least kinetic energy over that before, 0.05 m against 0.025 m")
        phxi_validate(v, quantity, coarse.least, fine.least, 0.05);
        SAY("when, s, 0.05 m against 0.025 m")
        phxi_validate(v, quantity, coarse.when, fine.when, 0.15);
        SAY("energy at 3 s over that before, 0.025 m")
        phxi_validate(v, quantity, fine.left, 1, 1 - rows[n].left);
        SAY("most energy over that before")
        phxi_validate(v, quantity, fmax(coarse.rise, fine.rise), 1, 0.005);
        SAY("momentum over the sum of sizes")
        phxi_validate(v, quantity, fmax(coarse.drift, fine.drift), 0, phxi_by_precision(1e-12, 5e-6));
#undef SAY
    }
    return PHX_OK;
}

const phxi_validation_case phxi_cases_mpm_discs[] = {
    {"mpm.discs", "two elastic discs meet and part: energies and momentum", discs},
    {NULL, NULL, NULL},
};
