// SPDX-License-Identifier: MIT
// Bars of efg whose bonds break where kernels lose them: the experiment of docs/theory/corotated_sph.md section 7 with
// another method, as the paper says that it can be done with any. Bounds: C3 there.
#include "validate/corotated_sph/bar_trial.h"

#include "methods/efg/fracture/fracture.h"

#include <math.h>

static phx_result renew(phxi_bar* b) {
    phxi_step step = phxi_world_context(b->world, b->world->bodies.items[0].solver);
    return phxi_efg_renew_rows(phxi_bar_solver(b), &step, 0);
}

static void go_on(phxi_bar* b, int i) {
    phxi_step step = phxi_world_context(b->world, b->world->bodies.items[0].solver);
    phxi_efg_crack_stage s = phxi_efg_crack_stage_of(phxi_bar_solver(b), &step, 0, 0);
    for (int pair = phxi_efg_pair_begin(&s, i); pair < phxi_efg_pair_end(&s, i); ++pair) {
        if (phxi_efg_pair_holds(s.fracture, pair)) {
            phxi_bar_reach(b, phxi_efg_pair_other(&s, pair));
        }
    }
}

static const phxi_bar_kind kind = {
    "efg", {"kernel", "hourglass", "kernel_full", "support", "integrator"}, {"fracture", "kernel"}, renew, go_on};

static phx_result stretch(phxi_validation* v) {
#define SAID(kernel)                                                                                                   \
    { kernel, "0.5", NULL, "1.667", "leapfrog" }
    static const phxi_bar_row rows[] = {
        {{"isotropic", &kind, SAID("isotropic"), 0, false, 0.25, 9e-5, 2}, 0.3, 0.1},
        {{"diagonal", &kind, SAID("diagonal"), 0, false, 0.25, 9e-5, 2}, 1.4, 0.5},
        {{"principal", &kind, SAID("principal"), 0, false, 0.25, 9e-5, 2}, 1.4, 0.5},
        {{"principal, rest axes at 45 degrees", &kind, SAID("principal"), 45, false, 0.25, 9e-5, 2}, 1.4, 0.5},
    };
#undef SAID
    double strains[4];
    PHXI_TRY(phxi_bar_rows(v, rows, 4, strains));
    phxi_validate(v, "principal over isotropic, up to 2.5", fmin(2.5, strains[2] / strains[0]), 2.5, 0);
    phxi_validate_relative(v, "principal at 45 degrees against 0", strains[3], strains[2], 0.02);
    return PHX_OK;
}

const phxi_validation_case phxi_cases_efg_sight[] = {
    {"efg.sight", "bars pulled until kernels lose their bonds", stretch},
    {NULL, NULL, NULL},
};
