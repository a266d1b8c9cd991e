// SPDX-License-Identifier: MIT
// Enthalpy and temperature are each other's inverse, melting or not.
#include "heat/enthalpy.h"
#include "support/test.h"

static phx_material_def wax(void) {
    phx_material_def def = phx_material_def_default();
    def.heat_capacity = 2400;
    def.solidus = 55;
    def.liquidus = 60;
    def.latent_heat = 2.1e5;
    return def;
}

TEST(inverse) {
    phx_material_def def = wax();
    phxi_heat_law law = phxi_heat_law_of(&def);
    for (double t = -40; t < 120; t += 0.37) {
        ENSURE_NEAR(phxi_temperature_at(&law, phxi_enthalpy_at(&law, t)), t, 1e-12 * 120);
    }
    ENSURE_NEAR(phxi_enthalpy_at(&law, 60) - phxi_enthalpy_at(&law, 55), 5 * 2400 + 2.1e5, 1e-9);
    ENSURE_NEAR(phxi_enthalpy_at(&law, 10), 24000, 1e-9);
    ENSURE_NEAR(phxi_temperature_at(&law, 55 * 2400 + 0.25 * (5 * 2400 + 2.1e5)), 56.25, 1e-10);
}

TEST(never_melts) {
    phx_material_def def = phx_material_def_default();
    phxi_heat_law law = phxi_heat_law_of(&def);
    ENSURE(phxi_temperature_at(&law, 1e9) == 1e6 && phxi_enthalpy_at(&law, 1e6) == 1e9);
    def.solidus = 50; // begins to, but is never liquid: no latent heat
    law = phxi_heat_law_of(&def);
    ENSURE(phxi_temperature_at(&law, 1e5) == 100);
}

// A warming too small for a float's last digit is not lost.
TEST(small_parts_are_kept) {
    phx_material_def def = wax();
    phxi_heat_law law = phxi_heat_law_of(&def);
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_particles p;
    REQUIRE_OK(phxi_particles_init(&p, &heap));
    REQUIRE_OK(phxi_particles_add(&p, 1));
    phxi_enthalpy_set(&p, 0, &law, phxi_enthalpy_at(&law, 40));
    for (int n = 0; n < 100000; ++n) {
        phxi_enthalpy_set(&p, 0, &law, phxi_enthalpy_get(&p, 0) + 1e-3);
    }
    ENSURE_NEAR(phxi_enthalpy_get(&p, 0), 96000 + 100, 1e-4);
    ENSURE_NEAR(p.temperature[0], 40 + 100 / 2400.0, 1e-5);
    phxi_particles_destroy(&p);
    phxi_heap_destroy(&heap);
}
