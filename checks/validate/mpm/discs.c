// SPDX-License-Identifier: MIT
// Two elastic discs meet (Sulsky, Chen and Schreyer 1994): E = 1000 Pa, nu = 0.3, rho = 1000 kg/m^3, radius 0.2 m,
// centres at -+(0.3, 0.3) m, +-(0.1, 0.1) m/s, in plane strain between planes of symmetry. Rims meet after (0.6 sqrt2 -
// 0.4) / (0.2 sqrt2) = 1.586 s, earlier by what cells see of each other; kinetic energy goes to strain and comes back.
#include "validate/mpm/trial.h"

#include <math.h>
#include <stdio.h>

enum { LOOKS = 100 };
#define EVERY 0.03

/// Energies over that before, as public: GIMP with the same grid of 0.05 m, read from the curves of Nguyen's figure
/// gimp-two-disks-usl.eps of 2014 (repository vinhphunguyen/migfem), which is in vectors. Least kinetic energy: 0.0394
/// at 1.946 s; most strain energy: 0.898 at 1.952 s.
static const struct {
    double time, kinetic, strain;
} published[] = {
    {1.3244, 0.9928, 0.0072}, {1.4234, 0.9587, 0.0387}, {1.5223, 0.8411, 0.1451}, {1.6213, 0.6395, 0.3297},
    {1.7203, 0.3883, 0.5653}, {1.8193, 0.1621, 0.7771}, {1.9183, 0.0452, 0.8900}, {2.0173, 0.0843, 0.8632},
    {2.1163, 0.2913, 0.6717}, {2.2153, 0.5675, 0.4057}, {2.3143, 0.7763, 0.2045}, {2.4133, 0.8686, 0.1198},
    {2.5123, 0.8820, 0.1122}, {2.6112, 0.8809, 0.1155}, {2.7102, 0.9218, 0.0727}, {2.8092, 0.9511, 0.0423},
    {2.9082, 0.9276, 0.0633},
};
enum { PUBLISHED = sizeof published / sizeof published[0], TURN = 7 };

typedef struct history {
    double touch;              // s, when a hundredth of the kinetic energy is gone
    double least, when;        // of the kinetic energy over that at the start, s
    double left, rise;         // energy at 3 s; largest energy; over that at the start
    double drift;              // momentum over the sum of sizes
    double most, most_when;    // strain energy, s
    double kinetic[LOOKS + 1]; // over that at the start
    double strain[LOOKS + 1];
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
    found->strain[k] = t->elastic / start;
    found->most_when = found->strain[k] > found->most ? k * EVERY : found->most_when;
    found->most = fmax(found->most, found->strain[k]);
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

/// rms of what energies differ from the published ones by, while they come together or while they part.
static double off_published(const history* found, bool strain, bool parting) {
    const int begin = parting ? TURN : 0, end = parting ? PUBLISHED : TURN;
    double sum = 0;
    for (int n = begin; n < end; ++n) {
        const double at = published[n].time / EVERY;
        const int k = (int)at;
        const double* own = strain ? found->strain : found->kinetic;
        const double value = k < LOOKS ? own[k] + (at - k) * (own[k + 1] - own[k]) : own[LOOKS];
        const double off = value - (strain ? published[n].strain : published[n].kinetic);
        sum += off * off;
    }
    return sqrt(sum / (end - begin));
}

/// Curves and extremes of cells of 0.05 m against the published ones.
static void compare_published(phxi_validation* v, const char* transfer, const history* found, const double off[5]) {
    char quantity[96];
#define SAY(what) snprintf(quantity, sizeof quantity, what ", %s", transfer);
    SAY("kinetic energy until they stand, rms of its difference to the published curve")
    phxi_validate(v, quantity, off_published(found, false, false), 0, off[0]);
    SAY("kinetic energy from then on")
    phxi_validate(v, quantity, off_published(found, false, true), 0, off[1]);
    SAY("strain energy until they stand")
    phxi_validate(v, quantity, off_published(found, true, false), 0, off[2]);
    SAY("strain energy from then on")
    phxi_validate(v, quantity, off_published(found, true, true), 0, off[3]);
    SAY("least kinetic energy over that before against the published one")
    phxi_validate(v, quantity, found->least, 0.0394, 0.05);
    SAY("when, s")
    phxi_validate(v, quantity, found->when, 1.946, 0.05);
    SAY("most strain energy against the published one")
    phxi_validate(v, quantity, found->most, 0.898, off[4]);
    SAY("when, s")
    phxi_validate(v, quantity, found->most_when, 1.952, 0.05);
#undef SAY
}

static phx_result discs(phxi_validation* v) {
    static const struct {
        const char* transfer;
        double left;   // of the energy, at least
        double off[5]; // see compare_published
    } rows[] = {{"flip", 0.88, {0.03, 0.12, 0.05, 0.05, 0.03}}, {"apic", 0.75, {0.12, 0.25, 0.05, 0.08, 0.1}}};
    for (int n = 0; n < 2; ++n) {
        history coarse, fine;
        PHXI_TRY(collide(v, 0.05, rows[n].transfer, &coarse));
        PHXI_TRY(collide(v, 0.025, rows[n].transfer, &fine));
        char quantity[96];
#define SAY(what) snprintf(quantity, sizeof quantity, what ", %s", rows[n].transfer);
        compare_published(v, rows[n].transfer, &coarse, rows[n].off);
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
