// SPDX-License-Identifier: MIT
// Ductile fracture, docs/theory/fracture.md F8: a bar of 40 x 10 x 10 with a notch of 1.5 flows at 0.02, breaks at a
// plastic strain of 0.4, and is pulled apart. It is near its first reference for less than half of that: it breaks in
// the neighbourhoods of later ones.
#include "validate/trial.h"
#include "validate/efg/efg.h"

#include <stdio.h>

// a right angle takes 20 particles out of the topmost layer
#define BAR                                                                                                            \
    "difference(box(center=(0, 0, 0), size=(40, 10, 10)), intersection(plane(point=(0, 3.5, 0), normal=(1, -1, 0)), "  \
    "plane(point=(0, 3.5, 0), normal=(-1, -1, 0))))"

typedef struct bar_case {
    const char* name;
    double about_z; // degrees
    int sampling;
    const char* reset;
    double speed; // over that of pressure waves
    int most;     // substeps
} bar_case;

static void report(phxi_validation* v, const bar_case* bar, const char* name, double measured, double exact,
                   double bound) {
    char quantity[96];
    snprintf(quantity, sizeof quantity, "%s%s%s", bar->name, *bar->name ? ", " : "", name);
    phxi_validate(v, quantity, measured, exact, bound);
}

/// `bounds`: of the smaller half's share, place, rms and tilt.
static phx_result break_bar(phxi_validation* v, const bar_case* bar, const double bounds[4]) {
    phxi_trial t;
    phxi_trial_watch watch = {.every = 8};
    double start = 0, end = 0, total = 0;
    phxi_trial_def def = {BAR, .about_z = bar->about_z, .sampling = bar->sampling, .ductile = 0.4, .reset = bar->reset};
    phx_result result = phxi_trial_create(v, &def, &t);
    if (result == PHX_OK) {
        result = phxi_trial_pull(&t, 0, 20, bar->speed * phxi_trial_wave_speed());
    }
    if (result == PHX_OK) {
        result = phxi_trial_energy(&t, &start, &total);
    }
    if (result == PHX_OK) {
        result = phxi_trial_part(&t, bar->most, 300, &watch);
    }
    if (result == PHX_OK) {
        result = phxi_trial_energy(&t, &end, &total);
    }
    if (result == PHX_OK) {
        phxi_trial_split s = phxi_trial_split_of(&t, 0);
        double spacing = bar->sampling == PHX_SAMPLING_BCC ? 1.25 : 1;
        report(v, bar, "fragments", s.large, 2, 0);
        report(v, bar, "particles in dust", s.dust, 0, 2);
        report(v, bar, "share of the smaller half", s.smaller / t.world->particles.count, 0.5, bounds[0]);
        report(v, bar, "place over spacing", s.place / spacing, 0, bounds[1]);
        report(v, bar, "rms over spacing", s.rms / spacing, 0, bounds[2]);
        report(v, bar, "tilt, degrees", s.tilt, 0, bounds[3]);
        report(v, bar, "largest rise of energy over the total", fmax(0, watch.rise), 0, 1e-3);
        report(v, bar, "energy gained over the total", fmax(0, (end - start) / total), 0, 1e-6);
    }
    phx_world_destroy(t.world);
    return result;
}

phx_result phxi_validate_ductile_bar(phxi_validation* v) {
    static const bar_case bar = {"", 0, PHX_SAMPLING_UNIFORM, NULL, 2e-3, 5000};
    return break_bar(v, &bar, (double[4]){0.005, 0.6, 0.2, 5});
}

phx_result phxi_validate_ductile_bars(phxi_validation* v) {
    static const bar_case bars[] = {
        {"slow", 0, PHX_SAMPLING_UNIFORM, NULL, 5e-4, 20000},
        {"one reference", 0, PHX_SAMPLING_UNIFORM, "off", 2e-3, 6000},
        {"absorbed", 0, PHX_SAMPLING_UNIFORM, "absorb", 2e-3, 6000},
        {"body-centred", 0, PHX_SAMPLING_BCC, NULL, 2e-3, 6000},
        {"20 deg", 20, PHX_SAMPLING_UNIFORM, NULL, 2e-3, 6000},
        {"45 deg", 45, PHX_SAMPLING_UNIFORM, NULL, 2e-3, 7000},
    };
    for (int k = 0; k < (int)(sizeof bars / sizeof *bars); ++k) {
        PHXI_TRY(break_bar(v, &bars[k], (double[4]){0.03, 0.8, 0.25, 10}));
    }
    return PHX_OK;
}
