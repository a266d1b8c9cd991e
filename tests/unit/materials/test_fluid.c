// SPDX-License-Identifier: MIT
// Fluids that carry a strain: hand-made answers of one particle, and planes against it.
#include "core/hash.h"
#include "materials/fluid.h"
#include "materials/material.h"
#include "support/test.h"

#include <phyxel/world.h>

#include <math.h>

static phx_material_def fluid_def(double viscosity) {
    phx_material_def def = phx_material_def_default();
    def.fluid = true;
    def.viscosity = viscosity;
    return def;
}

TEST(who_is_a_fluid) {
    phx_material_def def = phx_material_def_default();
    ENSURE(!phxi_fluid_is(&def));
    def.flow = PHX_FLOW_JUMP;
    ENSURE(!phxi_fluid_is(&def)); // solid for ever
    def.solidus = 50, def.liquidus = 60;
    ENSURE(phxi_fluid_is(&def) && phxi_fluid_melts(&def));
    const phxi_fluid melts = phxi_fluid_from(&def, 1);
    ENSURE_NEAR(melts.shear, 1e5 / 2.6, 1e-9); // the solid's
    def = fluid_def(1);
    ENSURE(phxi_fluid_is(&def));
    const phxi_fluid fluid = phxi_fluid_from(&def, 100);
    ENSURE_NEAR(fluid.bulk, 100, 0);
    ENSURE_NEAR(fluid.shear, 50, 0);
    def = phx_material_def_default();
    def.viscosity = 1e-3; // says enough
    ENSURE(phxi_fluid_is(&def) && !phxi_fluid_melts(&def));
    const phxi_fluid thin = phxi_fluid_from(&def, 100);
    ENSURE_NEAR(thin.bulk, 100, 0);
    def = phx_material_def_default();
    def.flow = PHX_FLOW_BINGHAM;
    ENSURE(phxi_fluid_is(&def));
}

TEST(thin_ones_have_the_stress_of_the_rate) {
    const phx_material_def def = fluid_def(0.01);
    const phxi_fluid fluid = phxi_fluid_from(&def, 2e5);
    const double c[9] = {0, 3, 0, 0, 0, 0, 0, 0, 0};
    double strain[6] = {0}, opening = 0, stress[6];
    for (int k = 0; k < 20; ++k) {
        phxi_fluid_advance(&fluid, 1e-4, c, 20, strain, &opening);
    }
    phxi_fluid_stress(&fluid, strain, stress);
    ENSURE_NEAR(stress[3], 0.03, 0.03 * 1e-4); // eta du/dy
    ENSURE_NEAR(stress[0], 0, 1e-5);
}

TEST(thick_ones_relax) {
    const phx_material_def def = fluid_def(1000);
    const phxi_fluid fluid = phxi_fluid_from(&def, 2e5); // G = 1e5: 10 ms
    const double still[9] = {0};
    double strain[6] = {0.001, 0, -0.001, 0.002, 0, 0}, opening = 0, stress[6];
    for (int k = 0; k < 1000; ++k) {
        phxi_fluid_advance(&fluid, 1e-5, still, 20, strain, &opening);
    }
    ENSURE_NEAR(strain[3], 0.002 * exp(-1), 0.002 * 1e-3);
    ENSURE_NEAR(phxi_fluid_stress(&fluid, strain, stress), 1e5 * exp(-2) * (2e-6 + 8e-6), 1e-3);
}

TEST(pressure_and_opening) {
    const phx_material_def def = fluid_def(1);
    const phxi_fluid fluid = phxi_fluid_from(&def, 1000);
    const double squeeze[9] = {-10, 0, 0, 0, 0, 0, 0, 0, 0}, pull[9] = {10, 0, 0, 0, 0, 0, 0, 0, 0};
    double strain[6] = {0}, opening = 0, stress[6];
    phxi_fluid_advance(&fluid, 0.01, squeeze, 20, strain, &opening); // J = 0.9
    phxi_fluid_stress(&fluid, strain, stress);
    ENSURE_NEAR((stress[0] + stress[1] + stress[2]) / 3, -100, 1e-9); // K (1 - J)
    ENSURE(opening == 0);
    for (int k = 0; k < 2; ++k) {
        phxi_fluid_advance(&fluid, 0.01, pull, 20, strain, &opening); // 0.99, 1.089
    }
    phxi_fluid_stress(&fluid, strain, stress);
    ENSURE_NEAR((stress[0] + stress[1] + stress[2]) / 3, 0, 1e-9);
    ENSURE_NEAR(opening, 0.089, 1e-12);
    phxi_fluid_advance(&fluid, 0.01, squeeze, 20, strain, &opening); // closes by a tenth: 0.9 + 0.089
    ENSURE(opening == 0);
    ENSURE_NEAR(strain[0] + strain[1] + strain[2], -0.011, 1e-12);
}

TEST(pastes_stand_below_their_yield_stress) {
    phx_material_def def = fluid_def(2);
    def.flow = PHX_FLOW_BINGHAM, def.yield_stress = 100, def.solid_viscosity = 1e7;
    const phxi_fluid fluid = phxi_fluid_from(&def, 2e4);
    const double dt = 1e-4;
    ENSURE_NEAR(phxi_fluid_flow(&fluid, dt, 99, 20), 99, 1e-3); // elastic, but for the creep of 1e7 Pa s
    // beyond it: t = 100 + 2 D, D = (t* - t)/(G dt) = t* - t
    ENSURE_NEAR(phxi_fluid_flow(&fluid, dt, 130, 20), (100 + 2 * 130) / 3.0, 1e-3);
    ENSURE_NEAR(phxi_fluid_flow(&fluid, dt, 1e4, 20), (100 + 2e4) / 3.0, 1e-2);
    ENSURE_NEAR(phxi_fluid_tension(&fluid, 20), 100 * sqrt(3), 1e-9);
}

TEST(what_melts_flows) {
    const phx_preset* wax;
    REQUIRE_OK(phx_preset_find("wax", &wax));
    const phxi_fluid fluid = phxi_fluid_from(&wax->def, 0);
    ENSURE(phxi_fluid_flow(&fluid, 1e-5, 5000, 20) > 4990);
    ENSURE(phxi_fluid_flow(&fluid, 1e-5, 5000, 70) < 100);
    ENSURE(phxi_fluid_flow(&fluid, 1e-5, 5000, 57) < phxi_fluid_flow(&fluid, 1e-5, 5000, 56));
    ENSURE_NEAR(phxi_fluid_tension(&fluid, 20), 1e5 * sqrt(3), 1e-6);
    ENSURE_NEAR(phxi_fluid_tension(&fluid, 70), sqrt(3), 1e-6);
}

static double roll(uint64_t* seed, double low, double high) {
    *seed = phxi_hash_pair(*seed, 1);
    return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}

TEST(planes_are_as_one) {
    enum { COUNT = 37, STRIDE = 48 };
    phx_material_def defs[3] = {fluid_def(0.1), fluid_def(5), fluid_def(1)};
    defs[1].flow = PHX_FLOW_HERSCHEL_BULKLEY;
    defs[2].flow = PHX_FLOW_JUMP, defs[2].solidus = 40, defs[2].liquidus = 60, defs[2].yield_stress_liquid = 1;
    for (int d = 0; d < 3; ++d) {
        static const int full[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2}, from[6] = {0, 4, 8, 1, 2, 5};
        static phx_real g[9 * STRIDE], c[9 * STRIDE], t[STRIDE], v[STRIDE], tau[6 * STRIDE];
        static double strain[COUNT][6], opening[COUNT];
        const phxi_fluid fluid = phxi_fluid_from(&defs[d], 1e5);
        uint64_t seed = 7;
        for (int i = 0; i < COUNT; ++i) {
            for (int k = 0; k < 6; ++k) {
                strain[i][k] = roll(&seed, -0.01, 0.01);
            }
            for (int k = 0; k < 9; ++k) {
                g[k * STRIDE + i] = (phx_real)strain[i][full[k]];
                c[k * STRIDE + i] = (phx_real)roll(&seed, -20, 20);
            }
            t[i] = (phx_real)roll(&seed, 30, 70);
            v[i] = (phx_real)(opening[i] = i % 3 == 0 ? 0.01 : 0);
        }
        const phxi_fluid_planes planes = {g, c, t, v};
        phxi_fluid_advance_batch(&fluid, 1e-3, COUNT, STRIDE, &planes);
        phxi_fluid_stress_batch(&fluid, COUNT, STRIDE, g, tau, NULL);
        for (int i = 0; i < COUNT; ++i) {
            double own[9], stress[6];
            for (int k = 0; k < 9; ++k) {
                own[k] = (double)c[k * STRIDE + i];
            }
            phxi_fluid_advance(&fluid, 1e-3, own, (double)t[i], strain[i], &opening[i]);
            phxi_fluid_stress(&fluid, strain[i], stress);
            for (int k = 0; k < 6; ++k) {
                ENSURE_NEAR((double)g[from[k] * STRIDE + i], strain[i][k], 2e-6);
                ENSURE_NEAR((double)tau[k * STRIDE + i], stress[k], 0.3);
            }
            ENSURE_NEAR((double)v[i], opening[i], 1e-6);
        }
    }
}
