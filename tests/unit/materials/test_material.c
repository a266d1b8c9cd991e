// SPDX-License-Identifier: MIT
// The definition's defaults and checks.
#include "materials/material.h"
#include "support/test.h"

TEST(defaults) {
    phx_material_def def = phx_material_def_default();
    ENSURE(def.density == 1000 && def.young == 1e5 && def.poisson == 0.3 && def.law == PHX_LAW_STVK);
    ENSURE(def.bound == 0.1 && def.mooney == 0.25 && def.damping == 0);
    ENSURE_OK(phxi_material_check(&def));
}

TEST(unstamped_definition) {
    phx_material_def def = phx_material_def_default();
    def.stamp = 0;
    ENSURE_RESULT(phxi_material_check(&def), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("phx_material_def_default()");
    ENSURE_RESULT(phxi_material_check(NULL), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("phx_material_def_default()");
}

static void refuse(size_t offset, double value, const char* name) {
    phx_material_def def = phx_material_def_default();
    memcpy((char*)&def + offset, &value, sizeof value);
    ENSURE_RESULT(phxi_material_check(&def), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE(name);
    ENSURE_MESSAGE("material");
}

TEST(bad_values) {
    static const struct {
        const char* name;
        size_t offset;
        double low, high;
    } fields[] = {{"density", offsetof(phx_material_def, density), 0, 1e7},
                  {"young", offsetof(phx_material_def, young), 0, 1e14},
                  {"poisson", offsetof(phx_material_def, poisson), -1, 0.5},
                  {"bound", offsetof(phx_material_def, bound), 0, 1},
                  {"mooney", offsetof(phx_material_def, mooney), -0.01, 1.01},
                  {"damping", offsetof(phx_material_def, damping), -1, 1e10}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i) {
        const double bad[] = {fields[i].low, fields[i].high, -5, NAN, INFINITY, -INFINITY};
        for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
            refuse(fields[i].offset, bad[k], fields[i].name);
        }
    }
}

TEST(bad_law) {
    static const int bad[] = {-1, PHX_LAW_COUNT, 1000000};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        phx_material_def def = phx_material_def_default();
        def.law = bad[i];
        ENSURE_RESULT(phxi_material_check(&def), PHX_ERROR_ARGUMENT);
        ENSURE_MESSAGE("law");
    }
}
