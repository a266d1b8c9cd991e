// SPDX-License-Identifier: MIT
// Viscosity: limits, extremes, melting, the wide form against the scalar one, bad parameters.
#include "materials/material.h"
#include "materials/rheology.h"
#include "support/test.h"

static const double rates[] = {0,    1e-300, 1e-40, 1e-20, 1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.1,
                               0.43, 1,      5,     30,    1e3,  1e5,  1e6,  1e9,  1e20, 1e38};
enum { RATES = sizeof rates / sizeof rates[0] };

static phx_material_def melting(int flow) {
    phx_material_def def = phx_material_def_default();
    def.flow = flow;
    def.solidus = 40;
    def.liquidus = 60;
    def.yield_stress = 2000;
    def.yield_stress_liquid = 20;
    def.consistency = 141;
    return def;
}

TEST(known_values) {
    phx_material_def def = phx_material_def_default();
    def.viscosity = 3;
    phxi_rheology newtonian = phxi_rheology_from(&def);
    ENSURE(phxi_viscosity(&newtonian, 7, 20) == 3);
    def.flow = PHX_FLOW_BINGHAM;
    phxi_rheology bingham = phxi_rheology_from(&def);
    ENSURE_NEAR(phxi_viscosity(&bingham, 50, 20), 100.0 / 50 + 3, 1e-12);
    ENSURE(phxi_viscosity(&bingham, 0, 20) == 1e5);
    def.flow = PHX_FLOW_POWER_LAW;
    phxi_rheology power = phxi_rheology_from(&def);
    ENSURE_NEAR(phxi_viscosity(&power, 25, 20), 100.0 / 5, 1e-12);
    ENSURE_NEAR(phxi_viscosity(&power, 0, 20), 1e5, 1e-9);
    def.flow = PHX_FLOW_HERSCHEL_BULKLEY;
    phxi_rheology paste = phxi_rheology_from(&def);
    ENSURE_NEAR(phxi_viscosity(&paste, 25, 20), (100 + 100 * 5.0) / 25, 1e-12);
    ENSURE(phxi_viscosity(&paste, 0, 20) == 1e5);
    def.flow = PHX_FLOW_JUMP; // g = 1 / s
    phxi_rheology jump = phxi_rheology_from(&def);
    ENSURE(phxi_viscosity(&jump, 0, 20) == 20001 * 100.0);
    ENSURE_NEAR(phxi_viscosity(&jump, 25, 20), (100 + 100 * 5.0) / 25, 1e-12);
    ENSURE(phxi_viscosity(&jump, -25, 20) == phxi_viscosity(&jump, 25, 20));
}

// Never above the viscosity at rest nor above the stress over the rate, of laws that are regularised so.
TEST(bounded_by_both_limits) {
    for (int flow = PHX_FLOW_POWER_LAW; flow <= PHX_FLOW_HERSCHEL_BULKLEY; ++flow) {
        phx_material_def def = melting(flow);
        def.viscosity = 141;
        double n = flow == PHX_FLOW_BINGHAM ? 1 : 0.5;
        phxi_rheology r = phxi_rheology_from(&def);
        for (int i = 0; i < RATES; ++i) {
            double d = fmin(rates[i], 1e12), stress = (flow == PHX_FLOW_POWER_LAW ? 0 : 2000) + 141 * pow(d, n);
            double eta = phxi_viscosity(&r, d, 20);
            ENSURE(eta <= 1e5 && eta * d <= stress * (1 + 1e-12));
        }
    }
}

TEST(melts) {
    phx_material_def def = melting(PHX_FLOW_JUMP);
    for (int scale = 0; scale < 2; ++scale) {
        def.jump_scale = scale;
        phxi_rheology r = phxi_rheology_from(&def);
        double rest = 141.0 * 141 / 2000, before = INFINITY; // tau_0 / g, n = 1/2
        for (double t = 30; t <= 70; t += 0.5) {
            double eta = phxi_viscosity(&r, 0, t);
            ENSURE(eta <= before);
            before = eta;
        }
        ENSURE_NEAR(phxi_viscosity(&r, 0, 40) / (20001 * rest), 1, 1e-14);
        ENSURE_NEAR(phxi_viscosity(&r, 0, 60) / (0.01 * rest), 1, 1e-13);
        ENSURE(phxi_viscosity(&r, 0, -400) == phxi_viscosity(&r, 0, 40));
        ENSURE(phxi_viscosity(&r, 0, INFINITY) == phxi_viscosity(&r, 0, 60));
        ENSURE(phxi_viscosity(&r, 0, -INFINITY) == phxi_viscosity(&r, 0, 40));
        double middle = scale == 0 ? (20001 + 1) / 2.0 : sqrt(20001);
        ENSURE_NEAR(phxi_viscosity(&r, 0, 50) / (0.505 * middle * rest), 1, 1e-13);
    }
    // A melt without yield stress is a fluid of the viscosity beyond it.
    def = melting(PHX_FLOW_BINGHAM);
    def.viscosity = 2;
    def.yield_stress_liquid = 0;
    phxi_rheology r = phxi_rheology_from(&def);
    for (int i = 0; i < RATES; ++i) {
        ENSURE_NEAR(phxi_viscosity(&r, rates[i], 60), 2, 1e-4);
    }
    // What never melts has one viscosity at all temperatures.
    def.solidus = def.liquidus = INFINITY;
    r = phxi_rheology_from(&def);
    ENSURE(phxi_viscosity(&r, 1, 1e300) == phxi_viscosity(&r, 1, 0));
    ENSURE(phxi_viscosity(&r, 1, INFINITY) == phxi_viscosity(&r, 1, 0));
}

// Every law, the strangest parameters that pass the check, all rates and temperatures, both forms: finite, and close.
static void compare_forms(const phx_material_def* def) {
    static const double temperatures[] = {-273, 20, 40, 45.5, 50, 59.9, 60, 1e30, INFINITY, -INFINITY};
    enum { TEMPERATURES = sizeof temperatures / sizeof temperatures[0], ALL = (RATES + 1) * TEMPERATURES };
    phxi_rheology r = phxi_rheology_from(def);
    phx_real rate[ALL], temperature[ALL], eta[ALL];
    for (int i = 0; i < ALL; ++i) {
        double wanted = i % (RATES + 1) < RATES ? rates[i % (RATES + 1)] : INFINITY;
        rate[i] = (phx_real)(i % 3 == 1 ? -wanted : wanted);
        temperature[i] = (phx_real)temperatures[i / (RATES + 1)];
    }
    phxi_viscosity_batch(&r, ALL, rate, temperature, eta);
    double bound = sizeof(phx_real) == 4 ? 2e-4 : 1e-11;
    for (int i = 0; i < ALL; ++i) {
        double exact = phxi_viscosity(&r, (double)rate[i], (double)temperature[i]);
        ENSURE(isfinite(exact) && exact >= 0 && isfinite((double)eta[i]));
        ENSURE_NEAR((double)eta[i] / fmax(exact, 1e-3), exact / fmax(exact, 1e-3), bound);
        phx_real alone;
        phxi_viscosity_batch(&r, 1, rate + i, temperature + i, &alone);
        ENSURE(memcmp(&alone, eta + i, sizeof alone) == 0); // the same bits at every place
    }
}

TEST(both_forms_agree) {
    for (int flow = 0; flow < PHX_FLOW_COUNT; ++flow) {
        for (int scale = 0; scale < 2; ++scale) {
            phx_material_def def = melting(flow);
            def.jump_scale = scale;
            compare_forms(&def);
            def.flow_index = 1;
            compare_forms(&def);
            def.flow_index = 1.4; // thickens
            compare_forms(&def);
            def.flow_index = 0.5;
            def.jump_solid = 1e9;
            compare_forms(&def);
            if (flow != PHX_FLOW_JUMP) {
                def.yield_stress = def.yield_stress_liquid = 0;
                compare_forms(&def);
            }
            def = phx_material_def_default();
            def.flow = flow;
            compare_forms(&def);
        }
    }
}

TEST(presets_flow) {
    for (int i = 0; i < phx_preset_count(); ++i) {
        compare_forms(&phx_preset_at(i)->def);
    }
}

TEST(not_a_number_comes_out_only_where_it_went_in) {
    for (int flow = PHX_FLOW_POWER_LAW; flow < PHX_FLOW_COUNT; ++flow) {
        phx_material_def def = melting(flow);
        phxi_rheology r = phxi_rheology_from(&def);
        ENSURE(isnan(phxi_viscosity(&r, NAN, 20)));
        phx_real rate[9] = {1, 1, 1, (phx_real)NAN, 1, 1, 1, 1, 1},
                 hot[9] = {50, 50, 50, 50, 50, 50, (phx_real)NAN, 50, 50};
        phx_real eta[9];
        phxi_viscosity_batch(&r, 9, rate, hot, eta);
        for (int i = 0; i < 9; ++i) {
            ENSURE(isfinite((double)eta[i]) == (i != 3 && i != 6));
        }
    }
}

static void refuse(const phx_material_def* def, const char* about) {
    ENSURE_RESULT(phxi_material_check(def), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE(about);
}

TEST(bad_parameters) {
    phx_material_def def = melting(PHX_FLOW_JUMP);
    ENSURE_OK(phxi_material_check(&def));
    def.jump_solid = -1;
    refuse(&def, "jump_solid");
    def = melting(PHX_FLOW_JUMP);
    def.jump_liquid = 1e5;
    refuse(&def, "at most jump_solid");
    def = melting(PHX_FLOW_JUMP);
    def.liquidus = 40;
    refuse(&def, "above solidus");
    def = melting(PHX_FLOW_JUMP);
    def.yield_stress_liquid = 3000;
    refuse(&def, "yield_stress_liquid");
    def.yield_stress_liquid = -0.5;
    refuse(&def, "yield_stress_liquid");
    def = melting(PHX_FLOW_JUMP);
    def.yield_stress = def.yield_stress_liquid = 0;
    refuse(&def, "yield_stress is 0");
    def = melting(PHX_FLOW_JUMP);
    def.flow_index = 0.01;
    refuse(&def, "flow_index");
    def = melting(PHX_FLOW_BINGHAM);
    def.viscosity = 1e6;
    refuse(&def, "solid_viscosity");
    def = melting(PHX_FLOW_NEWTONIAN);
    def.viscosity = -1;
    refuse(&def, "viscosity");
    def.viscosity = NAN;
    refuse(&def, "viscosity");
}
